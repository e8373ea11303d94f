// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/setup/internal/jsontext"
	"github.com/toolverdict/toolverdict/hookgate/setup/internal/userfile"
)

// Fault is something that keeps a hook from working, and what mends it.
type Fault struct{ Text, Fix string }

// Status is what is set up at a place.
type Status struct {
	Files  []string // where the agent looks for the entry
	Found  bool     // there is an entry of the gate's
	Entry  Entry    // what it runs or asks, where there is one
	Faults []Fault
}

// install is what mends most.
func (p *Place) install() string {
	return fmt.Sprintf("run 'toolverdict hook install %s'", p.Agent)
}

// Look finds the entry and what keeps it from working. An error says that a file
// cannot be read.
func Look(p Place) (Status, error) {
	var s Status
	if err := p.check(); err != nil {
		return s, err
	}
	own := p.record()
	for _, form := range p.forms() {
		f, err := p.open(form)
		if err != nil {
			return s, err
		}
		s.Files = append(s.Files, f.Path)
		if form.whole != nil {
			p.lookWhole(&s, &form, &f)
			continue
		}
		if strings.TrimSpace(f.Before) == "" {
			continue
		}
		t, err := form.parse(f.Before, own.programs())
		if err != nil {
			return s, fmt.Errorf("read %s: %w", f.Path, err)
		}
		t.look(&s, &p, f.Path)
	}
	if !s.Found {
		return s, nil
	}
	s.Faults = append(s.Faults, p.switches()...)
	if s.Entry.Program != "" {
		s.Faults = append(s.Faults, p.program(s.Entry.Program)...)
	}
	return s, nil
}

// program checks that what the hook runs is there, and not where the agent writes.
func (p *Place) program(path string) []Fault {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return []Fault{{fmt.Sprintf("the hook's program %s is not there", path), p.install()}}
	case !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0:
		return []Fault{{fmt.Sprintf("the hook's program %s is none that can be started", path), "chmod +x it, or " + p.install()}}
	case p.Project != "" && Inside(path, p.Project):
		return []Fault{{fmt.Sprintf("the hook's program %s lies in the workspace, where the agent can write it", path), "put it elsewhere and " + p.install() + " with it"}}
	}
	return nil
}

// Inside reports whether a path lies in a folder, as it is named or as links lead.
func Inside(path, folder string) bool {
	at, err := userfile.Resolve(path)
	root, err2 := userfile.Resolve(folder)
	return hookgate.Within(path, folder) || err != nil || err2 != nil || hookgate.Within(at, root)
}

// look adds what stands in a file of settings.
func (t *text) look(s *Status, p *Place, path string) {
	all := 0
	for _, event := range t.events {
		own := t.own(event)
		all += len(own)
		if len(own) > 0 && !s.Found {
			s.Found, s.Entry = true, own[0].entry
		}
	}
	if all == 0 {
		return
	}
	for _, event := range t.events {
		own := t.own(event)
		if len(own) == 0 {
			s.Faults = append(s.Faults, Fault{fmt.Sprintf("%s: the hook is not set up for %s", path, event), p.install()})
		}
		for _, at := range own {
			for _, text := range t.wrong(at) {
				s.Faults = append(s.Faults, Fault{fmt.Sprintf("%s: line %d: %s", path, t.line(at.node), text), p.install()})
			}
			if p.Agent == hookgate.Codex && !p.trusts(path, at, t.src) {
				s.Faults = append(s.Faults, Fault{fmt.Sprintf("%s: Codex does not trust the hook for %s as it is now, and skips it without a word", path, event), codexTrust})
			}
		}
	}
}

// wrong is what is wrong with one entry.
func (t *text) wrong(at found) []string {
	var out []string
	item, _ := t.item(at)
	for _, n := range []*jsontext.Node{item, at.node} {
		if m := n.Get("matcher"); m != nil && (m.Kind != jsontext.Text || m.Text != "" && m.Text != "*") {
			out = append(out, "a matcher leaves tools out")
			break
		}
	}
	unit, key := time.Second, "timeout"
	switch t.agent {
	case hookgate.Gemini, hookgate.Qwen:
		unit = time.Millisecond
	case hookgate.Copilot:
		key = "timeoutSec"
	default:
	}
	var n int64
	if timeout := at.node.Get(key); timeout != nil {
		_, err := fmt.Sscan(t.src[timeout.Start:timeout.End], &n)
		if err != nil || time.Duration(n)*unit <= at.entry.Deadline {
			out = append(out, fmt.Sprintf("its %s is no longer than the hook itself may take (%s)", key, at.entry.Deadline))
		}
	} else if t.agent == hookgate.Copilot {
		out = append(out, "it has no timeoutSec")
	}
	if t.agent == hookgate.ClaudeCode && at.node.Get("onFailure").String() != "block" {
		out = append(out, `without "onFailure": "block", a hook that fails lets the tool run`)
	}
	if closed := at.node.Get("failClosed"); t.agent == hookgate.Cursor && (closed == nil || t.src[closed.Start:closed.End] != "true") {
		out = append(out, `without "failClosed": true, a hook that fails lets the tool run`)
	}
	if async := at.node.Get("async"); async != nil && t.src[async.Start:async.End] != "false" {
		out = append(out, "it is asynchronous, and stops nothing")
	}
	// Whatever else stands there may keep it from being asked: a condition, another
	// folder, a shell that makes a yes of a no.
	if len(out) == 0 && !t.asWritten(at) {
		out = append(out, "it is not as it is set up: what stands there besides may leave tools out, or let them run after a denial")
	}
	return out
}

// asWritten reports whether an entry says what would be written for it. How long the
// agent waits is its user's to say.
func (t *text) asWritten(at found) bool {
	b, err := json.Marshal(t.handler(&at.entry))
	if err != nil {
		return false
	}
	want, err := jsontext.Parse(string(b), false)
	if err != nil {
		return false
	}
	if at.handler >= 0 {
		item, _ := t.item(at)
		for _, m := range item.Members {
			if m.Name != "hooks" && m.Name != "matcher" {
				return false
			}
		}
	}
	left := len(want.Members)
	for _, m := range at.node.Members {
		switch value := want.Get(m.Name); {
		case value != nil && strings.HasPrefix(m.Name, "timeout"):
			left--
		case value == nil && (m.Name == "matcher" || m.Name == "async"): // looked at already
		case value == nil || !alike(t.src, m.Value, string(b), value):
			return false
		default:
			left--
		}
	}
	return left == 0 || left == 1 && at.node.Get("timeout") == nil && want.Get("timeout") != nil
}

// alike reports whether two values say the same.
func alike(src string, a *jsontext.Node, src2 string, b *jsontext.Node) bool {
	if a.Kind != b.Kind || a.Text != b.Text || len(a.Items) != len(b.Items) || len(a.Members) != len(b.Members) {
		return false
	}
	for i := range a.Items {
		if !alike(src, a.Items[i], src2, b.Items[i]) {
			return false
		}
	}
	for _, m := range a.Members {
		if other := b.Get(m.Name); other == nil || !alike(src, m.Value, src2, other) {
			return false
		}
	}
	return a.Kind != jsontext.Scalar || src[a.Start:a.End] == src2[b.Start:b.End]
}

// lookWhole adds what a file says that is ours altogether.
func (p *Place) lookWhole(s *Status, form *form, f *File) {
	name := filepath.Base(f.Path)
	if !marked(f.Before) {
		if s.Found {
			s.Faults = append(s.Faults, Fault{fmt.Sprintf("%s is missing, or another program's", name), p.install()})
		}
		return
	}
	e, ok := entryOfWhole(p.Agent, f.Before, p.record().programs())
	if !ok {
		s.Found = true
		s.Faults = append(s.Faults, Fault{fmt.Sprintf("%s was changed, and says no more what it runs", f.Path), p.install()})
		return
	}
	s.Found, s.Entry = true, e
	if want, err := form.whole(&e); err != nil || want != f.Before {
		s.Faults = append(s.Faults, Fault{fmt.Sprintf("%s is not as this version writes it", f.Path), p.install()})
	}
}
