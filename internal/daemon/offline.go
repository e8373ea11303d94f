// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon/bundles"
	"github.com/toolverdict/toolverdict/internal/daemon/hooks"
	"github.com/toolverdict/toolverdict/internal/daemon/policies"
	"github.com/toolverdict/toolverdict/internal/daemon/subjects"
	"github.com/toolverdict/toolverdict/internal/near"
	"github.com/toolverdict/toolverdict/internal/redact"
	"github.com/toolverdict/toolverdict/internal/rollout"
	"github.com/toolverdict/toolverdict/internal/secret"
	"github.com/toolverdict/toolverdict/internal/store/memory"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
	"github.com/toolverdict/toolverdict/internal/workbench/cases"
	"github.com/toolverdict/toolverdict/policy"
)

// Preview is a call to decide without running anything.
type Preview struct {
	Tool      string // full name, or a short one that only one server has
	Arguments []byte
	As        string // subject; "" means that of the stdio front
	Session   string
	ReadOnly  bool
}

// Previewed is what a call would come to, and what is to be known about that.
type Previewed struct {
	tv.Result
	Effects  []tv.Effect `json:"effects,omitempty"` // what the call would do, as a person may see it
	Meant    []string    `json:"meant,omitempty"`   // tools that may have been meant, where there is none of that name
	Warnings []string    `json:"-"`
}

// Check decides a call by the files alone: it starts no server, sends nothing
// and writes no record. What it knows of tools is what was pinned, where the
// data folder has pins, and the overlay otherwise. It goes through the same
// pipeline as every call, with a store in memory: counters of limits are zero
// and nothing was called before.
func Check(ctx context.Context, o Options, p Preview) (Previewed, error) {
	s, kept, err := offline(ctx, o)
	if err != nil {
		return Previewed{}, err
	}
	subject, run, err := previewSubject(o.Config, p)
	if err != nil {
		return Previewed{}, err
	}
	gate, notes, err := previewGate(ctx, o, s, kept, subject)
	if err != nil {
		return Previewed{}, err
	}
	_, res, err := gate.Check(ctx, tv.Proposal{
		Door: tv.DoorLibrary, Tool: s.fullName(p.Tool), Arguments: p.Arguments, Subject: subject, Run: run,
		Session: p.Session, Environment: o.Config.Env,
	})
	if c := res.Confirmation; c != nil {
		c.ID = "" // nobody was asked
		res.Error.Message = "A person would have to approve this call. " + c.Summary
	}
	out := Previewed{Result: res, Effects: notes.effects, Warnings: kept.unseen(o.Config)}
	if res.Error != nil && res.Error.Code == tv.UnknownTool {
		out.Meant = s.near(p.Tool)
	}
	return out, err
}

// notes is a store of its own for one call, which keeps what the call would do.
type notes struct {
	*memory.Store
	effects []tv.Effect
}

// Commit implements [tv.Store].
func (n *notes) Commit(ctx context.Context, c tv.Changes) error {
	for _, r := range c.Records {
		if r.Kind == tv.RecordDecision {
			n.effects = r.Effects
		}
	}
	return n.Store.Commit(ctx, c)
}

func previewSubject(c *config.Config, p Preview) (tv.Subject, tv.Run, error) {
	id := p.As
	if id == "" {
		id = c.Stdio.Subject
	}
	if id == "" {
		return tv.Subject{}, tv.Run{}, errors.New("who calls is not said: give --as with a subject of the configuration, or set stdio.subject there")
	}
	i := slices.IndexFunc(c.Subjects, func(s config.Subject) bool { return s.ID == id })
	if i < 0 {
		return tv.Subject{}, tv.Run{}, fmt.Errorf("there is no subject %q in %s: name one with --as", id, c.File)
	}
	people, err := subjects.Described(c)
	if err != nil {
		return tv.Subject{}, tv.Run{}, err
	}
	subject, _ := people.Subject(id)
	return subject, tv.Run{ReadOnly: p.ReadOnly || c.Subjects[i].ReadOnly}, nil
}

func previewGate(ctx context.Context, o Options, s *state, kept *keptState, by tv.Subject) (*tv.Gate, *notes, error) {
	key := make([]byte, secret.KeySize)
	_, _ = rand.Read(key) // never fails: crypto/rand ends the process instead
	redactor, err := redact.New(redact.Config{Key: key})
	if err != nil {
		return nil, nil, err
	}
	store, err := memory.New(memory.Config{Now: o.Now})
	if err != nil {
		return nil, nil, err
	}
	notes := &notes{Store: store}
	owner := by.User
	if owner == "" {
		owner = by.ID
	}
	if off := kept.disabled[owner]; len(off) > 0 {
		if err := store.SetDisabled(ctx, owner, off, tv.Record{Kind: tv.RecordAdmin, At: o.Now()}); err != nil {
			return nil, nil, err
		}
	}
	desk, err := approval.New(approval.Config{Store: store, Now: o.Now, NewID: secret.NewID, Text: redactor.Text, Approvers: o.Config.Approvals.Approvers})
	if err != nil {
		return nil, nil, err
	}
	now := &current{}
	now.p.Store(s)
	gate, err := tv.New(tv.Config{
		Snapshots: now, Choices: store, Analyser: effect.System(), Confirmations: desk, Store: notes, Executor: nowhere{}, Redactor: atHome{redactor},
		Now: o.Now, NewID: secret.NewID, Node: "preview", Limits: limits(o.Config.Limits), Timeout: o.Config.Timeout,
	})
	return gate, notes, err
}

// atHome hides secrets only: what it is asked for goes to the person who typed
// the call, and into no log.
type atHome struct{ *redact.Redactor }

// Text implements [tv.Redactor].
func (r atHome) Text(s string) string { return r.Shown(s) }

// Arguments implements [tv.Redactor].
func (r atHome) Arguments(t *tv.Tool, v tv.Value, view tv.View) json.RawMessage {
	return r.Redactor.Arguments(t, v, max(view, tv.CardView))
}

// nowhere runs nothing.
type nowhere struct{}

// Execute implements [tv.Executor].
func (nowhere) Execute(context.Context, tv.Permit) tv.Outcome {
	return tv.Outcome{Status: tv.NotSent, Code: tv.ToolError, Message: "nothing is run offline"}
}

// keptState is what an offline check reads of the data folder.
type keptState struct {
	pins     []catalog.Pin
	disabled map[string][]string // by user
}

// unseen says which servers' tools are known from the catalog's words alone.
func (k *keptState) unseen(c *config.Config) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(c.Upstreams)) {
		if !c.Upstreams[name].Local && len(reviewed(catalog.Server{Name: name}, k.pins)) == 0 {
			out = append(out, fmt.Sprintf("upstream %q: no tool of it was pinned yet, so its tools and their schemas are what the catalog says: start the gate, or run 'toolverdict tools pin', and check again", name))
		}
	}
	return out
}

// databaseFile is the store's file in a data folder.
const databaseFile = "toolverdict.db"

// readKept reads the data folder, where there is one. Its absence is no error.
func readKept(ctx context.Context, o Options) (*keptState, error) {
	return readKeptWith(ctx, o, func(rollout.Journal) error { return nil })
}

// readKeptWith reads more besides, of a folder that is not there too.
func readKeptWith(ctx context.Context, o Options, more func(rollout.Journal) error) (k *keptState, err error) {
	k = &keptState{disabled: map[string][]string{}}
	if _, err := os.Stat(filepath.Join(o.Config.Data, databaseFile)); errors.Is(err, fs.ErrNotExist) {
		empty, err := memory.New(memory.Config{Now: o.Now})
		if err != nil {
			return nil, err
		}
		return k, more(empty)
	}
	store, err := sqlite.Open(ctx, sqlite.Config{Dir: o.Config.Data, Node: secret.NewID(), Now: o.Now})
	if err != nil {
		return nil, fmt.Errorf("open data folder: %w", err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if k.pins, err = store.Pins(ctx); err != nil {
		return nil, fmt.Errorf("read pins: %w", err)
	}
	for _, s := range o.Config.Subjects {
		for _, user := range []string{s.ID, s.User} {
			if k.disabled[user], err = store.Disabled(ctx, user); err != nil {
				return nil, fmt.Errorf("read choices: %w", err)
			}
		}
	}
	return k, more(store)
}

// keepBeside is what keeps policies beside a gate, or without one. It fetches
// nothing, and so needs no credentials.
func keepBeside(o Options, gate policies.Gate, journal rollout.Journal, text func(string) string, read func() (policies.Set, error)) (*policies.Keeper, error) {
	c := policies.Config{
		Gate: gate, Journal: journal, Place: place(o.Config), Beside: true, Read: read, Paths: slices.Concat(o.Config.Catalogs, o.Config.Policies),
		Now: o.Now, Text: text, Log: o.Log,
	}
	if o.Config.Bundle != nil {
		var err error
		if c.Source, err = bundles.New(o.Config.Bundle, nil, o.Now); err != nil {
			return nil, o.Config.Bundle.Problem("bundle: %v", err)
		}
	}
	return policies.New(c)
}

// offlineGate builds policies against what was pinned, and puts none in force.
type offlineGate struct {
	o    Options
	kept *keptState
}

// Build implements [policies.Gate].
func (g offlineGate) Build(_ context.Context, set policies.Set) (policies.Candidate, error) {
	s, err := assembleOffline(g.o, g.kept, set)
	if err != nil {
		return nil, err
	}
	return offlineCandidate{s.Policy}, nil
}

type offlineCandidate struct{ tv.Policy }

// Enforce implements [policies.Candidate].
func (offlineCandidate) Enforce(time.Time) {}

// Policies are those that a data folder keeps, beside a gate that runs on it or
// without one.
type Policies struct {
	*policies.Keeper

	store *sqlite.Store
}

// OpenPolicies opens a data folder to look at its policies and to go back to one
// of them. Policy files need not be in order for that; catalogs must be.
func OpenPolicies(ctx context.Context, o Options) (*Policies, error) {
	if _, err := os.Stat(filepath.Join(o.Config.Data, databaseFile)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open data folder: no gate has run on %s yet", o.Config.Data)
	}
	kept, err := readKept(ctx, o)
	if err != nil {
		return nil, err
	}
	store, err := sqlite.Open(ctx, sqlite.Config{Dir: o.Config.Data, Node: secret.NewID(), Now: o.Now})
	if err != nil {
		return nil, fmt.Errorf("open data folder: %w", err)
	}
	redactor, err := newRedactor(o.Config.Data, nil)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	k, err := keepBeside(o, offlineGate{o, kept}, store, redactor.Text, func() (policies.Set, error) {
		f, err := readFiles(o.Config.Catalogs, nil)
		if err != nil {
			return policies.Set{}, err
		}
		return policies.Set{Overlays: f.overlays}, nil
	})
	if err == nil {
		err = k.Load(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return &Policies{k, store}, nil
}

// Close closes the data folder.
func (p *Policies) Close() error { return p.store.Close() }

// offline makes the state that a gate would have, from files, pins and what the
// store kept of policies: the bundle that was accepted last, and a version that
// somebody went back to.
func offline(ctx context.Context, o Options) (*state, *keptState, error) {
	return offlineOf(ctx, o, (*policies.Keeper).Wanted)
}

func offlineOf(ctx context.Context, o Options, pick func(*policies.Keeper, context.Context) (policies.Set, error)) (*state, *keptState, error) {
	var set policies.Set
	kept, err := readKeptWith(ctx, o, func(j rollout.Journal) error {
		k, err := keepBeside(o, offlineGate{}, j, strings.Clone, func() (policies.Set, error) { return readSet(o.Config) })
		if err == nil {
			set, err = pick(k, ctx)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	s, err := assembleOffline(o, kept, set)
	return s, kept, err
}

// assembleOffline makes a state of a policy and of what was pinned.
func assembleOffline(o Options, kept *keptState, set policies.Set) (*state, error) {
	in := catalog.Input{Pins: kept.pins, Overlays: set.Overlays, Now: o.Now()}
	for _, name := range slices.Sorted(maps.Keys(o.Config.Upstreams)) {
		u := &upstream{name: name, conf: o.Config.Upstreams[name]}
		s := u.server(reviewed(catalog.Server{Name: name}, kept.pins))
		s.Local = len(s.Announced) == 0
		in.Servers = append(in.Servers, s)
	}
	all := !slices.ContainsFunc(in.Servers, func(s catalog.Server) bool { return s.Local && !o.Config.Upstreams[s.Name].Local })
	layer, err := hooks.Of(o.Config)
	if err != nil {
		return nil, err
	}
	return assemble(&files{overlays: set.Overlays, policies: set.Policies}, in, nil, all, layer)
}

// KnownTools is the catalog that the configuration, its catalog files and the
// pins of the data folder tell of, without any policy; nil without a
// configuration. It starts no server.
func KnownTools(ctx context.Context, o Options) (tv.Catalog, error) {
	if o.Config == nil {
		return nil, nil //nolint:nilnil // no configuration tells of no tool, which is not a fault
	}
	kept, err := readKept(ctx, o)
	if err != nil {
		return nil, err
	}
	f, err := readFiles(o.Config.Catalogs, nil)
	if err != nil {
		return nil, err
	}
	in := catalog.Input{Overlays: f.overlays, Now: o.Now()}
	for _, name := range slices.Sorted(maps.Keys(o.Config.Upstreams)) {
		u := &upstream{name: name, conf: o.Config.Upstreams[name]}
		s := u.server(reviewed(catalog.Server{Name: name}, kept.pins))
		s.Local, s.Pinning = len(s.Announced) == 0, catalog.PinFirstSight
		in.Servers = append(in.Servers, s)
	}
	layer, err := hooks.Of(o.Config)
	if err != nil {
		return nil, err
	}
	if in, err = layer.Extend(in); err != nil {
		return nil, fmt.Errorf("build catalog: %w", err)
	}
	cat, _, err := catalog.Build(in)
	if err != nil {
		return nil, fmt.Errorf("build catalog:\n%w", err)
	}
	return cat, nil
}

// fullName finds the one tool that a short name means, or returns the name.
func (s *state) fullName(name string) string {
	found := ""
	for _, t := range s.catalog.Tools() {
		if own, ok := cutServer(t.Server(), t.Name()); ok && own == name {
			if found != "" {
				return name
			}
			found = t.Name()
		}
	}
	if found == "" {
		return name
	}
	return found
}

// near are the tools that may have been meant by a name.
func (s *state) near(name string) []string {
	var known []string
	for _, t := range s.catalog.Tools() {
		if _, own := cutServer(t.Server(), t.Name()); own {
			known = append(known, t.Name())
		}
	}
	return near.Names(name, known)
}

// PolicySchema is the JSON Schema of policy files.
func PolicySchema() []byte { return policy.JSONSchema() }

// OpenBench loads policies as a gate would, for work on them. Without policies
// those of the configuration are taken.
func OpenBench(ctx context.Context, o Options, paths []string) (*cases.Bench, error) {
	conf := *o.Config
	if len(paths) > 0 {
		conf.Policies, conf.Bundle = paths, nil // what is being written, and not what is in force
	}
	o.Config = &conf
	s, kept, err := offlineOf(ctx, o, (*policies.Keeper).Sources)
	if err != nil {
		return nil, err
	}
	people, err := subjects.Described(&conf)
	if err != nil {
		return nil, err
	}
	return &cases.Bench{Set: s.set, Catalog: s.Catalog, Subject: people.Subject, Report: s.policyReport, Warnings: kept.unseen(&conf)}, nil
}
