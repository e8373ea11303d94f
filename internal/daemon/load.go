// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon/bundles"
	"github.com/toolverdict/toolverdict/internal/daemon/hooks"
	"github.com/toolverdict/toolverdict/internal/daemon/policies"
	"github.com/toolverdict/toolverdict/internal/daemon/subjects"
	"github.com/toolverdict/toolverdict/internal/policyfile"
	"github.com/toolverdict/toolverdict/internal/rollout"
	"github.com/toolverdict/toolverdict/policy"
)

// catalogs keeps what is in force and what it was made of.
type catalogs struct {
	now      current
	policies *policies.Keeper
	hooks    hooks.Layer // of coding agents
}

// files are the operator's files as they were read together.
type files struct {
	overlays []*catalog.Overlay
	policies []policy.File
}

func readFiles(catalogs, policies []string) (*files, error) {
	f := &files{}
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
	var err error
	f.policies, err = policyfile.Read(policies)
	return f, err
}

// newPolicies starts keeping the policy up to date, and puts the first one in
// force.
func (d *Daemon) newPolicies(ctx context.Context) error {
	c := policies.Config{
		Gate: builder{d}, Journal: d.store, Place: place(d.Config), Now: d.Now, Text: d.redactor.Text, Log: d.Log,
		Read: func() (policies.Set, error) { return readSet(d.Config) }, Paths: slices.Concat(d.Config.Catalogs, d.Config.Policies),
	}
	var err error
	if d.hooks, err = hooks.Of(d.Config); err != nil {
		return err
	}
	if c.Source, err = newSource(d.Config, d.secrets, d.Now); err != nil {
		return err
	}
	if d.policies, err = policies.New(c); err != nil {
		return err
	}
	return d.policies.Start(ctx)
}

// newSource makes the source of the configuration's bundle, nil where there is
// none.
func newSource(c *config.Config, s *subjects.Secrets, now func() time.Time) (*bundles.Source, error) {
	if c.Bundle == nil {
		return nil, nil //nolint:nilnil // no bundle is no fault
	}
	header := http.Header{}
	for name, ref := range c.Bundle.Headers {
		v, err := s.Value(ref)
		if err != nil {
			return nil, ref.Problem(c.Bundle.Placed, "bundle: %s: %v", name, err)
		}
		header.Set(name, v)
	}
	source, err := bundles.New(c.Bundle, header, now)
	if err != nil {
		return nil, c.Bundle.Problem("bundle: %v", err)
	}
	return source, nil
}

// place names what the gates of one configuration share.
func place(c *config.Config) string {
	sources := slices.Clone(c.Policies)
	if c.Bundle != nil {
		sources = append(sources, "bundle "+c.Bundle.Name+" "+c.Bundle.URL)
	}
	return rollout.Place(sources)
}

// readSet reads the operator's files.
func readSet(c *config.Config) (policies.Set, error) {
	f, err := readFiles(c.Catalogs, c.Policies)
	if err != nil {
		return policies.Set{}, err
	}
	return policies.Set{Overlays: f.overlays, Policies: f.policies}, nil
}

// policyFront shows policies to the HTTP front.
type policyFront struct{ k *policies.Keeper }

// Status implements httpgate.Policies.
func (f policyFront) Status(ctx context.Context) (any, error) { return f.k.Status(ctx) }

// Versions implements httpgate.Policies.
func (f policyFront) Versions(ctx context.Context) (any, error) { return f.k.Versions(ctx) }

// Rollback implements httpgate.Policies.
func (f policyFront) Rollback(ctx context.Context, by, name, reason string) (any, error) {
	return f.k.Rollback(ctx, by, name, reason)
}

// Resume implements httpgate.Policies.
func (f policyFront) Resume(ctx context.Context, by string) (any, error) { return f.k.Resume(ctx, by) }

// Reload reads catalog and policy files anew and puts them in force together,
// with what the upstreams announce now, and fetches the bundle, where there is
// one. On any error what was in force stays, and the log says so.
func (d *Daemon) Reload(ctx context.Context) error {
	return errors.Join(d.policies.Reload(ctx), d.policies.Pull(ctx))
}

// rebuild takes up which pins there are, under the policy in force.
func (d *Daemon) rebuild(ctx context.Context) error {
	return d.policies.Locked(func(again func(context.Context) error) error { return again(ctx) })
}

// take takes up what one upstream announces, under the policy in force, and
// reports whether it was anything new. Where the policy does not fit it, that
// upstream loses its tools: what it had may be gone or different. It learns and
// builds under one lock, so that there is never more than one announcement that
// was not tried: two at once would cost the wrong one its tools.
func (d *Daemon) take(ctx context.Context, u *upstream, tools []json.RawMessage) (fresh bool, err error) {
	err = d.policies.Locked(func(again func(context.Context) error) error {
		if fresh = u.learn(tools); !fresh {
			return nil
		}
		unfit := again(ctx)
		if unfit == nil {
			return nil
		}
		u.forget(unfit)
		if without := again(ctx); without != nil {
			return without
		}
		return unfit
	})
	return fresh, err
}

// builder makes states of policies.
type builder struct{ d *Daemon }

// Build implements [policies.Gate].
func (b builder) Build(ctx context.Context, s policies.Set) (policies.Candidate, error) {
	next, err := b.d.build(ctx, &files{overlays: s.Overlays, policies: s.Policies})
	if err != nil {
		return nil, err
	}
	return &candidate{b.d, next}, nil
}

// candidate is a state that may come into force.
type candidate struct {
	d    *Daemon
	next *state
}

// Identity implements [policies.Candidate].
func (c *candidate) Identity() (version, hash string) { return c.next.Policy.Identity() }

// Enforce implements [policies.Candidate].
func (c *candidate) Enforce(until time.Time) {
	c.next.Expires = until
	before := c.d.now.p.Swap(c.next)
	c.d.tell(before, c.next)
}

// build makes a state and puts it not yet in force.
func (d *Daemon) build(ctx context.Context, f *files) (*state, error) {
	in, all, err := d.input(ctx, f)
	if err != nil {
		return nil, err
	}
	next, err := assemble(f, in, d.absent(), all, d.hooks)
	if err != nil {
		return nil, err
	}
	if len(next.tools.Taken) > 0 {
		record := tv.Record{Kind: tv.RecordAdmin, At: d.Now(), Subject: catalog.FirstSightBy,
			Detail: fmt.Sprintf("pinned %d tools at first sight", len(next.tools.Taken))}
		if err := d.store.PutPins(ctx, next.tools.Taken, record); err != nil {
			return nil, fmt.Errorf("store pins: %w", err)
		}
	}
	if !all {
		next.policyReport.Warnings = nil // as a rule about tools that only come later
	}
	next.tools.Tools = slices.DeleteFunc(next.tools.Tools, func(e catalog.Entry) bool {
		return e.State == catalog.Gone && !d.announced(e.Server) // nobody asked it yet
	})
	return next, nil
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
	for _, u := range d.locals {
		in.Servers = append(in.Servers, u.server(nil))
	}
	for _, s := range d.absent() {
		all = all && (s.Local || len(reviewed(s, pins)) > 0)
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
func assemble(f *files, in catalog.Input, absent []catalog.Server, all bool, layer hooks.Layer) (*state, error) {
	in, err := layer.Extend(in)
	if err != nil {
		return nil, fmt.Errorf("build catalog: %w", err)
	}
	cat, tools, err := catalog.Build(in)
	if err != nil {
		return nil, fmt.Errorf("build catalog:\n%w", err)
	}
	effect.Warm(cat.Tools())
	whole := *f
	if whole.policies, err = layer.Protect(f.policies, cat.Tools()); err != nil {
		return nil, fmt.Errorf("read policy: %w", err)
	}
	f = &whole
	report, err := review(f, in, absent, all)
	if err != nil {
		return nil, fmt.Errorf("read policy:\n%w%s", err, besides(tools.Warnings))
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
	return s, nil
}

// besides are what is odd about the catalog, which may be why a rule covers no
// tool: an entry for a tool that its server does not announce makes none.
func besides(warnings []string) string {
	if len(warnings) == 0 {
		return ""
	}
	return "\nthe catalog says besides:\n" + strings.Join(warnings, "\n")
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
	_, report, err := policy.Compile(f.policies, cat, policy.Options{Discovery: !all, Meaning: true, Analyse: effect.Effects})
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
		Timeout: u.conf.Timeout, Local: u.conf.Local,
	}
	if u.conf.Pin == "first-sight" {
		s.Pinning = catalog.PinFirstSight
	}
	for m := range u.conf.Methods {
		s.Methods = append(s.Methods, m)
	}
	return s
}
