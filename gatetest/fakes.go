// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package gatetest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	tv "github.com/toolverdict/toolverdict"
)

// Catalog is a fixed set of tools.
type Catalog []*tv.Tool

// Tool implements [tv.Catalog].
func (c Catalog) Tool(name string) (*tv.Tool, bool) {
	i := slices.IndexFunc(c, func(t *tv.Tool) bool { return t.Name() == name })
	if i < 0 {
		return nil, false
	}
	return c[i], true
}

// Tools implements [tv.Catalog].
func (c Catalog) Tools() []*tv.Tool { return slices.Clone(c) }

// Policy is a policy that is one function. Its hash is its name.
type Policy struct {
	Name string
	Func func(tv.Request) tv.Decision
	Past func(tv.Request) tv.Hindsight // nil: it asks nothing of earlier calls
}

// Decide implements [tv.Policy].
func (p Policy) Decide(r tv.Request) tv.Decision {
	d := p.Func(r)
	d.PolicyVersion, d.PolicyHash = p.Identity()
	return d
}

// History implements [tv.Policy].
func (p Policy) History(r tv.Request) tv.Hindsight {
	if p.Past == nil {
		return tv.Hindsight{}
	}
	return p.Past(r)
}

// Identity implements [tv.Policy].
func (p Policy) Identity() (version, hash string) { return p.Name, "hash of " + p.Name }

// Always is a policy that gives one verdict by a rule of that name.
func Always(v tv.Verdict) Policy {
	return Policy{Name: "always-" + v.String(), Func: func(tv.Request) tv.Decision { return Says(v) }}
}

// Says is the decision of one rule.
func Says(v tv.Verdict) tv.Decision {
	d := tv.Decision{Verdict: v, Rule: "rule-" + v.String(), Reason: "the test says so", Rules: []tv.Match{{Rule: "rule-" + v.String(), Verdict: v}}}
	switch v {
	case tv.Allow:
	case tv.Ask:
		d.Code = tv.ConfirmationRequired
		d.Asks = []tv.Requirement{{Rule: d.Rule, Approvers: []string{"role:approver"}, Quorum: 1, Expires: 15 * time.Minute}}
	case tv.Deny:
		d.Code = tv.PolicyDenied
	}
	return d
}

// Snapshots hands out a snapshot that a test can swap.
type Snapshots struct{ p atomic.Pointer[tv.Snapshot] }

// NewSnapshots starts with a catalog and a policy.
func NewSnapshots(c tv.Catalog, p tv.Policy) *Snapshots {
	s := &Snapshots{}
	s.Swap(c, p)
	return s
}

// Swap puts another snapshot in force.
func (s *Snapshots) Swap(c tv.Catalog, p tv.Policy) { s.p.Store(&tv.Snapshot{Catalog: c, Policy: p}) }

// Current implements [tv.Snapshots].
func (s *Snapshots) Current() *tv.Snapshot { return s.p.Load() }

// Executor runs a function and remembers what it was given.
type Executor struct {
	// Func answers a permitted call. Nil means that it succeeds and returns its
	// arguments.
	Func func(context.Context, tv.Permit) tv.Outcome

	mu  sync.Mutex
	ran []Run
}

// Run is one dispatched call.
type Run struct {
	CallID, Tool, Arguments, Key string
}

// Execute implements [tv.Executor].
func (e *Executor) Execute(ctx context.Context, p tv.Permit) tv.Outcome {
	if !p.Valid() {
		return tv.Outcome{Status: tv.NotSent}
	}
	e.mu.Lock()
	e.ran = append(e.ran, Run{p.CallID(), p.Tool().Name(), string(p.Arguments()), p.IdempotencyKey()})
	e.mu.Unlock()
	if e.Func != nil {
		return e.Func(ctx, p)
	}
	return tv.Outcome{Status: tv.Succeeded, Content: p.Arguments()}
}

// Ran returns what was dispatched so far.
func (e *Executor) Ran() []Run {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.ran)
}

// Redactor hides one word everywhere, and another one where no person looks.
type Redactor struct{ Secret, Home string }

func (r Redactor) hide(s string, v tv.View) string {
	if r.Secret != "" {
		s = strings.ReplaceAll(s, r.Secret, "[HIDDEN]")
	}
	if r.Home != "" && v == tv.RecordView {
		s = strings.ReplaceAll(s, r.Home, "[HOME]")
	}
	return s
}

// Arguments implements [tv.Redactor].
func (r Redactor) Arguments(_ *tv.Tool, arguments tv.Value, v tv.View) json.RawMessage {
	return json.RawMessage(r.hide(string(arguments.Raw()), v))
}

// MAC implements [tv.Redactor].
func (Redactor) MAC(tv.Value) string { return "mac" }

// Content implements [tv.Redactor].
func (r Redactor) Content(content json.RawMessage) json.RawMessage {
	return json.RawMessage(r.hide(string(content), tv.CardView))
}

// Text implements [tv.Redactor].
func (r Redactor) Text(s string) string { return r.hide(s, tv.RecordView) }

// Shown implements [tv.Redactor].
func (r Redactor) Shown(s string) string { return r.hide(s, tv.CardView) }

// Analyser finds what the function says; nil finds that every argument with a
// role is opaque.
type Analyser func(t *tv.Tool, arguments tv.Value) tv.Analysis

// Analyse implements [tv.Analyser].
func (f Analyser) Analyse(_ context.Context, t *tv.Tool, arguments tv.Value, _ map[string]string) tv.Analysis {
	if f != nil {
		return f(t, arguments)
	}
	var all tv.Analysis
	for at := range t.Roles() {
		all.Effects = append(all.Effects, tv.Effect{Kind: tv.EffectOpaque, Source: at, Detail: "nobody looked"})
	}
	return all
}

// AnySchema accepts every object.
type AnySchema struct{}

// Clash implements [tv.Schema].
func (AnySchema) Clash(tv.Value) (tv.FieldError, bool) { return tv.FieldError{}, false }

// Validate implements [tv.Schema].
func (AnySchema) Validate(tv.Value) []tv.FieldError { return nil }

// Tool makes a tool "server/NAME" that reads and has low risk, changed by edit.
// It panics where the definition is not valid: that is a mistake of the test.
func Tool(name string, edit func(*tv.Definition)) *tv.Tool {
	def := tv.Definition{
		Name: "server/" + name, Server: "server", Safety: tv.ReadOnly, Risk: tv.LowRisk,
		Confirmation: tv.ConfirmByRisk, Execution: tv.Parallel, Summary: "Run " + name + " on {id}",
	}
	if edit != nil {
		edit(&def)
	}
	t, err := tv.NewTool(def, AnySchema{})
	if err != nil {
		panic(err)
	}
	return t
}

// Destructive makes a tool change the world.
func Destructive(d *tv.Definition) { d.Safety = tv.Destructive }

// Clock is a time that only moves when a test moves it.
type Clock struct{ at atomic.Int64 }

// NewClock starts at a fixed time.
func NewClock() *Clock {
	c := &Clock{}
	c.at.Store(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixNano())
	return c
}

// Now returns the time.
func (c *Clock) Now() time.Time { return time.Unix(0, c.at.Load()).UTC() }

// Pass moves the time on.
func (c *Clock) Pass(d time.Duration) { c.at.Add(int64(d)) }
