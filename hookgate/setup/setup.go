// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/hookgate"
)

// Scope says whose sessions a hook is for.
type Scope string

// Scopes.
const (
	User    Scope = "user"    // all of the user's
	Project Scope = "project" // those in one folder
)

// Place is where an agent looks for its hooks. Paths are absolute.
type Place struct {
	Agent   hookgate.Agent
	Home    string // of the user
	Project string // the folder that the agent works in; needed for [Project]
	Scope   Scope
	Folder  string   // where the agent keeps its settings, where that is not below Home as usual
	System  []string // more files of settings that the agent reads, see [System]
}

// DefaultDeadline is how long an answer may take where an [Entry] does not say.
const DefaultDeadline = 25 * time.Second

// DefaultKeyVariable holds the key of an agent that asks a server itself.
const DefaultKeyVariable = "TOOLVERDICT_KEY"

// clinePatience is well below the two minutes after which Cline goes on.
const clinePatience = 100 * time.Second

// Entry is what the hook runs, or the address that it asks.
type Entry struct {
	Program     string        // of the gate, absolute
	Arguments   []string      // behind "hook AGENT"
	Server      string        // asked by the agent itself, in the place of a program: Claude Code can
	KeyVariable string        // names what holds the key for Server in the agent's environment
	Deadline    time.Duration // of one answer; the agent is told to wait longer
}

// timeout is how long the agent waits: past what the hook may take and what it takes
// to start it.
func (e *Entry) timeout() time.Duration { return 2*e.Deadline + 10*time.Second }

func (p *Place) check() error {
	if _, known := hookgate.Named(string(p.Agent)); !known {
		return fmt.Errorf("set up a hook: %q is no agent", p.Agent)
	}
	for _, folder := range []string{p.Home, p.Project, p.Folder} {
		if folder != "" && (!filepath.IsAbs(folder) || filepath.Clean(folder) != folder) {
			return fmt.Errorf("set up a hook: %q is no absolute folder", folder)
		}
	}
	switch {
	case p.Home == "":
		return errors.New("set up a hook: the user's home folder is not known")
	case p.Scope != User && p.Scope != Project:
		return fmt.Errorf("set up a hook: %q is no scope", p.Scope)
	case p.Scope == Project && p.Project == "":
		return errors.New("set up a hook: the folder of the project is not known")
	}
	return nil
}

// check fills in what an entry leaves out.
func (e *Entry) check(a hookgate.Agent) error {
	if e.Deadline == 0 {
		e.Deadline = DefaultDeadline
	}
	if e.Deadline < time.Second || e.Deadline > 10*time.Minute {
		return errors.New("set up a hook: the deadline is between 1s and 10m")
	}
	if a == hookgate.Cline && e.Deadline > clinePatience {
		return fmt.Errorf("set up a hook: Cline runs the tool when its hook takes two minutes: the deadline is %s at most", clinePatience)
	}
	for _, text := range append([]string{e.Program, e.Server, e.KeyVariable}, e.Arguments...) {
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return errors.New("set up a hook: a control character has no place in it")
		}
		if strings.Contains(text, "$") {
			return fmt.Errorf("set up a hook: agents put variables in the place of $ in their settings: name %s otherwise", text)
		}
	}
	if e.Server == "" {
		if !filepath.IsAbs(e.Program) {
			return fmt.Errorf("set up a hook: the program %q must be named by its absolute path: agents start it in folders of others", e.Program)
		}
		if temporary(e.Program) {
			return fmt.Errorf("set up a hook: %s goes away when 'go run' ends: build the program and start that", e.Program)
		}
		return nil
	}
	return e.checkServer(a)
}

func (e *Entry) checkServer(a hookgate.Agent) error {
	at, err := url.Parse(e.Server)
	switch {
	case a != hookgate.ClaudeCode:
		return fmt.Errorf("set up a hook: %s cannot ask a server itself: let the program ask, with --server and --key-file", a)
	case e.Program != "" || len(e.Arguments) > 0:
		return errors.New("set up a hook: it is either a program or a server")
	case err != nil || at.Host == "" || at.User != nil || at.RawQuery != "" || at.Fragment != "" || at.Scheme != "http" && at.Scheme != "https":
		return errors.New("set up a hook: the server is no plain http or https address")
	}
	if e.KeyVariable == "" {
		e.KeyVariable = DefaultKeyVariable
	}
	for i, r := range e.KeyVariable {
		if r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (i == 0 || r < '0' || r > '9') {
			return fmt.Errorf("set up a hook: %q is no name of a variable", e.KeyVariable)
		}
	}
	return nil
}

// temporary reports whether 'go run' made a program.
func temporary(program string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(program), "/"), func(folder string) bool {
		rest, made := strings.CutPrefix(folder, "go-build") // the cache is called just so
		return made && strings.Trim(rest, "0123456789") == ""
	})
}

// Plan says what has to change so that an agent asks the gate, and only then works.
// An entry of an earlier version, or one that runs another program of ours, is
// replaced where it stands. Where all is as it should be, there is nothing to change.
func Plan(p Place, e Entry) (Change, error) {
	if err := p.check(); err != nil {
		return Change{}, err
	}
	if err := e.check(p.Agent); err != nil {
		return Change{}, err
	}
	if off := p.switches(); len(off) > 0 {
		return Change{}, fmt.Errorf("set up a hook: %s: %s", off[0].Text, off[0].Fix)
	}
	own := p.record()
	c := Change{place: p, record: &record{Version: recordVersion, Agent: p.Agent, Program: e.Program}}
	for _, form := range p.forms() {
		f, err := p.open(form)
		if err != nil {
			return Change{}, err
		}
		known := own.programs(e.Program)
		if own.untouched(&f) == nil {
			if err := p.edited(&form, f.Before); err != nil {
				return Change{}, fmt.Errorf("set up a hook: %s: %w", f.Path, err)
			}
		}
		if f.After, err = form.with(f.Before, &e, known); err != nil {
			return Change{}, fmt.Errorf("set up a hook: %s: %w", f.Path, err)
		}
		was := own.untouched(&f)
		if was == nil {
			before, err := form.without(f.Before, known, own.find(f.Path))
			if err != nil {
				return Change{}, fmt.Errorf("set up a hook: %s: %w", f.Path, err)
			}
			was = &kept{Path: f.Path, Existed: f.existed && (before != "" || f.Before == ""), Before: []byte(before)}
		}
		c.record.Files = append(c.record.Files, kept{Path: f.Path, Existed: was.Existed, Before: was.Before, After: digest(f.After)})
		if f.After != f.Before {
			c.Files = append(c.Files, f)
		}
	}
	return c, nil
}

// Undo says what has to change so that the agent asks the gate no more. A file that
// nobody changed since becomes what it was before; of any other, only the entry is
// taken out.
func Undo(p Place) (Change, error) {
	if err := p.check(); err != nil {
		return Change{}, err
	}
	own := p.record() // without one, the entry is known by its form
	c := Change{place: p}
	for _, form := range p.forms() {
		f, err := p.open(form)
		if err != nil {
			return Change{}, err
		}
		if err := p.takeOut(&form, &f, own); err != nil {
			return Change{}, fmt.Errorf("take out a hook: %s: %w", f.Path, err)
		}
		if f.existed && (f.After != f.Before || f.Gone) {
			c.Files = append(c.Files, f)
		}
	}
	return c, nil
}

// takeOut says what becomes of one file.
func (p *Place) takeOut(form *form, f *File, own *record) error {
	if was := own.untouched(f); was != nil {
		f.After, f.Gone = string(was.Before), !was.Existed
		return nil
	}
	if err := p.edited(form, f.Before); err != nil {
		return err
	}
	var err error
	f.After, err = form.without(f.Before, own.programs(), own.find(f.Path))
	f.Gone = err == nil && f.After == "" && f.Before != ""
	return err
}
