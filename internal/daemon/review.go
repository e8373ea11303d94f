// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/internal/daemon/pins"
	"github.com/toolverdict/toolverdict/internal/secret"
	reach "github.com/toolverdict/toolverdict/internal/upstream"
	"github.com/toolverdict/toolverdict/internal/workbench/roles"
)

// Review asks the servers for their tools and holds them against the pins. It
// works beside a running gate, which takes up new pins by itself.
type Review struct {
	d      *Daemon
	report catalog.Report
}

// Reviewed is one tool, fit for a terminal.
type Reviewed struct {
	Tool    string         `json:"tool"`
	State   string         `json:"state"`
	Reason  string         `json:"reason,omitempty"`
	Changes []ReviewChange `json:"changes,omitempty"`
	Notes   []string       `json:"notes,omitempty"`

	// Definition is what the server announces now, canonical JSON, of a tool that
	// waits for review: a stranger's bytes.
	Definition json.RawMessage `json:"definition,omitempty"`
	CanPin     bool            `json:"canPin"`
}

// ReviewChange is one difference to the pin. Hidden characters are written out.
type ReviewChange struct {
	Path   string `json:"path"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// OpenReview asks every server. One that does not answer is an error that
// stands beside the review of the others.
func OpenReview(ctx context.Context, o Options) (*Review, error) {
	d := &Daemon{Options: o, parts: parts{node: secret.NewID()}}
	for _, step := range []func(context.Context) error{d.newStore, d.newSecrets, d.newRedactor, d.newUpstreams} {
		if err := step(ctx); err != nil {
			return nil, errors.Join(err, d.Close())
		}
	}
	unanswered := d.askAll(ctx)
	f, err := readFiles(o.Config.Catalogs, nil)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	in, _, err := d.input(ctx, f)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	in.Servers = slices.DeleteFunc(in.Servers, func(s catalog.Server) bool { return s.Announced == nil })
	for i := range in.Servers {
		in.Servers[i].Pinning = catalog.PinManually // looking at a tool does not pin it
	}
	_, report, err := catalog.Build(in)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return &Review{d, report}, unanswered
}

// askAll asks all servers at once.
func (d *Daemon) askAll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	errs := make([]error, len(d.upstreams))
	var wg sync.WaitGroup
	for i, u := range d.upstreams {
		wg.Go(func() {
			listing, err := reach.ListTools(ctx, u.backend)
			if err != nil {
				errs[i] = fmt.Errorf("upstream %q does not tell its tools: %w", u.name, err)
				return
			}
			u.learn(listing.Tools)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Tools returns what was found, by name.
func (r *Review) Tools() []Reviewed {
	out := make([]Reviewed, 0, len(r.report.Tools))
	for _, e := range r.report.Tools {
		if strings.Contains(e.Tool, "/@") {
			continue // methods of the protocol are not announced
		}
		v := Reviewed{
			Tool: catalog.Reveal(e.Tool), State: string(e.State), Reason: catalog.Reveal(e.Reason),
			CanPin: e.Seen.Hash != "" && (e.State == catalog.New || e.State == catalog.Changed),
		}
		if v.CanPin {
			v.Definition = e.Seen.Definition
		}
		if v.CanPin && e.State == catalog.New { // all of it is new
			v.Changes = members(e.Seen.Definition)
		}
		for _, c := range e.Changes {
			v.Changes = append(v.Changes, ReviewChange{catalog.Reveal(c.Path), catalog.Reveal(string(c.Before)), catalog.Reveal(string(c.After))})
		}
		for _, w := range e.Warnings {
			v.Notes = append(v.Notes, catalog.Reveal(w))
		}
		out = append(out, v)
	}
	return out
}

// members tells a whole definition as additions, what matters most first.
func members(definition json.RawMessage) []ReviewChange {
	var all map[string]json.RawMessage
	if json.Unmarshal(definition, &all) != nil {
		return []ReviewChange{{Path: "/", After: catalog.Reveal(string(definition))}}
	}
	var out []ReviewChange
	add := func(name string) {
		if raw, ok := all[name]; ok {
			out = append(out, ReviewChange{Path: "/" + catalog.Reveal(name), After: catalog.Reveal(string(raw))})
			delete(all, name)
		}
	}
	for _, name := range []string{"title", "description", "annotations", "inputSchema", "outputSchema"} {
		add(name)
	}
	delete(all, "name")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		add(name)
	}
	return out
}

// Pin takes the definitions that tools have now as reviewed, all or none. By
// says who reviewed them. It returns the names that were pinned.
func (r *Review) Pin(ctx context.Context, by string, tools []string, all bool) ([]string, error) {
	var reviews []catalog.Review
	wanted := func(name string) bool {
		_, own, _ := strings.Cut(name, "/")
		return all || slices.Contains(tools, name) || slices.Contains(tools, own)
	}
	for _, e := range r.report.Tools {
		if wanted(e.Tool) && (e.State == catalog.New || e.State == catalog.Changed) && e.Seen.Hash != "" {
			reviews = append(reviews, catalog.Review{Tool: e.Tool, Hash: e.Seen.Hash})
		}
	}
	if err := r.missing(tools); err != nil || len(reviews) == 0 {
		return nil, err
	}
	return pins.Put(ctx, r.d.store, &r.report, reviews, tv.Record{At: r.d.Now(), Subject: by})
}

// missing finds names that no server announces, or that cannot be pinned.
func (r *Review) missing(tools []string) error {
	for _, want := range tools {
		i := slices.IndexFunc(r.report.Tools, func(e catalog.Entry) bool {
			_, own, _ := strings.Cut(e.Tool, "/")
			return e.Tool == want || own == want
		})
		switch {
		case i < 0:
			return fmt.Errorf("pin %q: no server announces such a tool", want)
		case r.report.Tools[i].State == catalog.Refused:
			return fmt.Errorf("pin %q: it cannot be used as it is: %s", want, catalog.Reveal(r.report.Tools[i].Reason))
		}
	}
	return nil
}

// Close ends the servers that were started.
func (r *Review) Close() error { return r.d.Close() }

// Called reports whether a name, short or full, means this tool.
func (v Reviewed) Called(name string) bool {
	_, own, _ := strings.Cut(v.Tool, "/")
	return v.Tool == name || own == name
}

// SuggestRoles guesses what arguments mean, of the tools with these names, full
// or short, or of all. It takes tools as the catalog would have them once they
// are pinned.
func (r *Review) SuggestRoles(ctx context.Context, names []string) (roles.Proposals, error) {
	f, err := readFiles(r.d.Config.Catalogs, nil)
	if err != nil {
		return nil, err
	}
	in, _, err := r.d.input(ctx, f)
	if err != nil {
		return nil, err
	}
	for i := range in.Servers {
		in.Servers[i].Announced, in.Servers[i].Pinning = reviewed(in.Servers[i], in.Pins), catalog.PinFirstSight
	}
	in.Pins = nil
	cat, _, err := catalog.Build(in)
	if err != nil {
		return nil, err
	}
	found := roles.Proposals{}
	for _, t := range cat.Tools() {
		own, _ := cutServer(t.Server(), t.Name())
		if len(names) == 0 && !strings.HasPrefix(own, "@") || slices.Contains(names, t.Name()) || slices.Contains(names, own) {
			def := t.Definition()
			found = append(found, roles.Proposal{Tool: def.Name, Guesses: roles.Tool(&def)})
		}
	}
	return found, nil
}
