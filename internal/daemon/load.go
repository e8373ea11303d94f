// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/policy"
)

// catalogs keeps what is in force and what it was made of.
type catalogs struct {
	now current

	building sync.Mutex // one at a time; guards files
	files    *files
}

// files are the operator's files as they were read together.
type files struct {
	overlays []*catalog.Overlay
	policies []policy.File
}

func readFiles(catalogs, policies []string) (*files, error) {
	f := &files{policies: make([]policy.File, len(policies))}
	for _, path := range catalogs {
		b, err := readFile(path)
		if err != nil {
			return nil, fmt.Errorf("read catalog: %w", err)
		}
		overlay, err := catalog.ParseOverlay(path, b)
		if err != nil {
			return nil, fmt.Errorf("read catalog:\n%w", err)
		}
		f.overlays = append(f.overlays, overlay)
	}
	for i, path := range policies {
		b, err := readFile(path)
		if err != nil {
			return nil, fmt.Errorf("read policy: %w", err)
		}
		f.policies[i] = policy.File{Name: path, Content: b}
	}
	return f, nil
}

// Reload reads catalog and policy files anew and puts them in force together,
// with what the upstreams announce now. On any error what was in force stays,
// and the log says so.
func (d *Daemon) Reload(ctx context.Context) error {
	d.building.Lock()
	defer d.building.Unlock()
	next, err := readFiles(d.Config.Catalogs, d.Config.Policies)
	if err == nil {
		err = d.put(ctx, next)
	}
	if err != nil {
		d.refuseReload(ctx)
		return err
	}
	d.files = next
	return nil
}

// refuseReload leaves a record of a reload that was refused while an earlier
// policy is in force. The reason is in the log: it may quote file names.
func (d *Daemon) refuseReload(ctx context.Context) {
	before := d.now.p.Load()
	if before == nil {
		return
	}
	r := tv.Record{Kind: tv.RecordAdmin, At: d.Now(), PolicyVersion: before.policyVersion, PolicyHash: before.policyHash,
		Detail: "a reload was refused; this policy stays in force"}
	if err := d.store.Commit(ctx, tv.Changes{Records: []tv.Record{r}}); err != nil {
		d.Log.Error("the refused reload was not recorded", "error", err)
	}
}

// rebuild takes up which pins there are, under the files read last.
func (d *Daemon) rebuild(ctx context.Context) error {
	d.building.Lock()
	defer d.building.Unlock()
	return d.put(ctx, d.files)
}

// take takes up what one upstream announces, under the files read last, and
// reports whether it was anything new. Where the policy does not fit it, that
// upstream loses its tools: what it had may be gone or different. It learns and
// builds under one lock, so that there is never more than one announcement that
// was not tried: two at once would cost the wrong one its tools.
func (d *Daemon) take(ctx context.Context, u *upstream, tools []json.RawMessage) (fresh bool, err error) {
	d.building.Lock()
	defer d.building.Unlock()
	if !u.learn(tools) {
		return false, nil
	}
	if err = d.put(ctx, d.files); err == nil {
		return true, nil
	}
	u.forget(err)
	if without := d.put(ctx, d.files); without != nil {
		return true, without
	}
	return true, err
}

// put builds a state and puts it in force.
func (d *Daemon) put(ctx context.Context, f *files) error {
	in, all, err := d.input(ctx, f)
	if err != nil {
		return err
	}
	next, err := assemble(f, in, d.absent(), all)
	if err != nil {
		return err
	}
	if len(next.tools.Taken) > 0 {
		record := tv.Record{Kind: tv.RecordAdmin, At: d.Now(), Subject: catalog.FirstSightBy,
			Detail: fmt.Sprintf("pinned %d tools at first sight", len(next.tools.Taken))}
		if err := d.store.PutPins(ctx, next.tools.Taken, record); err != nil {
			return fmt.Errorf("store pins: %w", err)
		}
	}
	if !all {
		next.policyReport.Warnings = nil // as a rule about tools that only come later
	}
	next.tools.Tools = slices.DeleteFunc(next.tools.Tools, func(e catalog.Entry) bool {
		return e.State == catalog.Gone && !d.announced(e.Server) // nobody asked it yet
	})
	before := d.now.p.Load()
	if before == nil || before.policyHash != next.policyHash {
		record := tv.Record{Kind: tv.RecordAdmin, At: d.Now(), PolicyVersion: next.policyVersion,
			PolicyHash: next.policyHash, Detail: "policy put in force"}
		if err := d.store.Commit(ctx, tv.Changes{Records: []tv.Record{record}}); err != nil {
			return fmt.Errorf("record the policy: %w", err)
		}
		d.Log.Info("policy in force", "version", next.policyVersion, "hash", next.policyHash)
	}
	d.now.p.Store(next)
	d.tell(before, next)
	return nil
}

// input collects what a catalog is made of. All says that every server's tools
// are known, so that a rule which covers none is a mistake.
func (d *Daemon) input(ctx context.Context, f *files) (in catalog.Input, all bool, err error) {
	pins, err := d.store.Pins(ctx)
	if err != nil {
		return in, false, fmt.Errorf("read pins: %w", err)
	}
	in, all = catalog.Input{Pins: pins, Overlays: f.overlays, Now: d.Now()}, true
	for _, u := range d.upstreams {
		announced, known := u.announced()
		all = all && known
		in.Servers = append(in.Servers, u.server(announced))
	}
	for _, s := range d.absent() {
		all = all && len(reviewed(s, pins)) > 0
	}
	return in, all, nil
}

// announced reports whether a server told its tools.
func (d *Daemon) announced(server string) bool {
	return slices.ContainsFunc(d.upstreams, func(u *upstream) bool {
		_, known := u.announced()
		return u.name == server && known
	})
}

// absent are configured servers that this process does not serve. The rules
// about them are no mistakes.
func (d *Daemon) absent() []catalog.Server {
	var out []catalog.Server
	for name, conf := range d.Config.Upstreams {
		if d.Only != "" && name != d.Only {
			u := upstream{name: name, conf: conf}
			out = append(out, u.server(nil))
		}
	}
	return out
}

// assemble makes a state. It does no I/O.
func assemble(f *files, in catalog.Input, absent []catalog.Server, all bool) (*state, error) {
	cat, tools, err := catalog.Build(in)
	if err != nil {
		return nil, fmt.Errorf("build catalog:\n%w", err)
	}
	effect.Warm(cat.Tools())
	report, err := review(f, in, absent, all)
	if err != nil {
		return nil, fmt.Errorf("read policy:\n%w", err)
	}
	// What is held back now may come back: its rules must not stop the others.
	set, _, err := policy.Compile(f.policies, cat, policy.Options{Discovery: true, Analyse: effect.Effects})
	if err != nil {
		return nil, fmt.Errorf("read policy:\n%w", err)
	}
	s := &state{
		Snapshot: tv.Snapshot{Catalog: cat, Policy: set},
		catalog:  cat, set: set, tools: tools, policyReport: report, pins: fingerprint(append(in.Pins, tools.Taken...)),
	}
	s.policyVersion, s.policyHash = set.Identity()
	return s, nil
}

// review checks the policy against every tool there is, those that are held
// back included: each as it was pinned, or as it is announced. A rule about a
// tool that waits for review is no mistake, and one that would not fit the
// tool's arguments is found before the tool can be called.
func review(f *files, in catalog.Input, absent []catalog.Server, all bool) (policy.Report, error) {
	full := catalog.Input{Overlays: in.Overlays, Now: in.Now}
	for _, s := range slices.Concat(in.Servers, absent) {
		s.Announced, s.Pinning = reviewed(s, in.Pins), catalog.PinFirstSight
		full.Servers = append(full.Servers, s)
	}
	cat, _, err := catalog.Build(full)
	if err != nil {
		return policy.Report{}, err
	}
	_, report, err := policy.Compile(f.policies, cat, policy.Options{Discovery: !all, Analyse: effect.Effects})
	return report, err
}

// reviewed returns a server's pinned definitions and what it announces besides.
func reviewed(s catalog.Server, pins []catalog.Pin) []json.RawMessage {
	var out []json.RawMessage
	pinned := map[string]bool{}
	for _, p := range pins {
		if name, ok := cutServer(s.Name, p.Tool); ok {
			pinned[name] = true
			out = append(out, p.Definition)
		}
	}
	for _, raw := range s.Announced {
		var named struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(raw, &named) != nil || !pinned[named.Name] {
			out = append(out, raw)
		}
	}
	return out
}

// tell reports to the operator what is not as it was.
func (d *Daemon) tell(before, after *state) {
	for _, e := range after.tools.Tools {
		if e.State == catalog.Listed {
			continue
		}
		if before != nil {
			if was, ok := before.tools.Entry(e.Tool); ok && was.State == e.State && was.Seen.Hash == e.Seen.Hash {
				continue
			}
		}
		d.Log.Warn("tool is held back", "tool", catalog.Plain(e.Tool), "state", string(e.State), "reason", catalog.Plain(e.Reason))
	}
	for _, w := range after.policyReport.Warnings {
		if before == nil || !before.warned(w) {
			d.Log.Warn("policy", "warning", w.String())
		}
	}
}

func (u *upstream) server(announced []json.RawMessage) catalog.Server {
	s := catalog.Server{
		Name: u.name, Announced: announced, TrustAnnotations: u.conf.TrustAnnotations, Pinning: catalog.PinManually,
		Timeout: u.conf.Timeout,
	}
	if u.conf.Pin == "first-sight" {
		s.Pinning = catalog.PinFirstSight
	}
	for m := range u.conf.Methods {
		s.Methods = append(s.Methods, m)
	}
	return s
}
