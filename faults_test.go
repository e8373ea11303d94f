// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
)

// breaker makes the nth use of any port go wrong.
type breaker struct {
	at    int64 // which use, from 1
	panic bool
	uses  atomic.Int64
}

var errBroken = errors.New("broken for the test")

// broken reports whether this use goes wrong, or panics.
func (b *breaker) broken() bool {
	if b.uses.Add(1) != b.at {
		return false
	}
	if b.panic {
		panic(errBroken)
	}
	return true
}

type (
	brokenStore struct {
		tv.Store
		*breaker
	}
	brokenChoices struct {
		tv.Choices
		*breaker
	}
	brokenDesk struct {
		tv.Confirmations
		*breaker
	}
	brokenPolicy struct {
		tv.Policy
		*breaker
	}
	brokenCatalog struct {
		tv.Catalog
		*breaker
	}
	brokenRedactor struct {
		tv.Redactor
		*breaker
	}
)

func (s brokenStore) Claim(ctx context.Context, key string) (tv.Claim, error) {
	if s.broken() {
		return tv.Claim{}, errBroken
	}
	return s.Store.Claim(ctx, key)
}

func (s brokenStore) Approval(ctx context.Context, id string) (tv.Approval, error) {
	if s.broken() {
		return tv.Approval{}, errBroken
	}
	return s.Store.Approval(ctx, id)
}

func (s brokenStore) Usage(ctx context.Context, l []tv.Limit, at time.Time) ([]tv.Usage, error) {
	if s.broken() {
		return nil, errBroken
	}
	return s.Store.Usage(ctx, l, at)
}

func (s brokenStore) Seen(ctx context.Context, l []tv.Look, at time.Time) ([]tv.Seen, error) {
	if s.broken() {
		return nil, errBroken
	}
	return s.Store.Seen(ctx, l, at)
}

func (s brokenStore) Commit(ctx context.Context, c tv.Changes) error {
	if s.broken() {
		return errBroken
	}
	return s.Store.Commit(ctx, c)
}

func (c brokenChoices) Disabled(ctx context.Context, user string) ([]string, error) {
	if c.broken() {
		return nil, errBroken
	}
	return c.Choices.Disabled(ctx, user)
}

func (d brokenDesk) Draft(q tv.Question) tv.Approval {
	if d.broken() {
		panic(errBroken) // a draft has no other way to go wrong
	}
	return d.Confirmations.Draft(q)
}

func (d brokenDesk) Await(ctx context.Context, id string) (tv.Approval, error) {
	if d.broken() {
		return tv.Approval{}, errBroken
	}
	return d.Confirmations.Await(ctx, id)
}

func (d brokenDesk) MayEdit(by tv.Subject, a *tv.Approval) error {
	if d.broken() {
		return errBroken
	}
	return d.Confirmations.MayEdit(by, a)
}

func (p brokenPolicy) Decide(r tv.Request) tv.Decision {
	if p.broken() {
		panic(errBroken)
	}
	return p.Policy.Decide(r)
}

func (p brokenPolicy) History(r tv.Request) tv.Hindsight {
	if p.broken() {
		panic(errBroken)
	}
	return p.Policy.History(r)
}

func (c brokenCatalog) Tool(name string) (*tv.Tool, bool) {
	if c.broken() {
		return nil, false
	}
	return c.Catalog.Tool(name)
}

func (r brokenRedactor) Arguments(t *tv.Tool, v tv.Value, view tv.View) json.RawMessage {
	if r.broken() {
		panic(errBroken)
	}
	return r.Redactor.Arguments(t, v, view)
}

// limited asks for a counter and for the history on top of a verdict.
func limited(v tv.Verdict) gatetest.Policy {
	return gatetest.Policy{Name: "limited", Past: func(tv.Request) tv.Hindsight {
		return tv.Hindsight{Looks: []tv.Look{{Key: "k", Tools: named("server/other"), Within: time.Hour, Least: tv.PastDispatched, Most: 1}}}
	}, Func: func(tv.Request) tv.Decision {
		d := gatetest.Says(v)
		d.Limits = []tv.Limit{{Rule: "limit", Key: "limit/agent-1", Max: 100, Per: time.Minute}}
		return d
	}}
}

// TestNothingRunsWhenAPartFails breaks every use of every port in turn, up to
// the dispatch, by an error and by a panic, for a call that reads, one that
// writes and one that is approved. Nothing may be dispatched, and the next call
// is served.
func TestNothingRunsWhenAPartFails(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"read", "write", "approved"} {
		for _, panics := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/panic=%v", kind, panics), func(t *testing.T) {
				t.Parallel()
				breakEachUse(t, kind, panics)
			})
		}
	}
}

func breakEachUse(t *testing.T, kind string, panics bool) {
	stopped := 0
	for at := int64(1); ; at++ {
		b := &breaker{panic: panics}
		verdict := tv.Allow
		if kind == "approved" {
			verdict = tv.Ask
		}
		tools := []*tv.Tool{gatetest.Tool("read", nil), gatetest.Tool("write", gatetest.Destructive)}
		r := newRig(t, limited(verdict), tools, func(c *tv.Config) {
			c.Store, c.Choices = brokenStore{c.Store, b}, brokenChoices{c.Choices, b}
			c.Confirmations, c.Redactor = brokenDesk{c.Confirmations, b}, brokenRedactor{c.Redactor, b}
		})
		r.snaps.Swap(brokenCatalog{gatetest.Catalog(tools), b}, brokenPolicy{limited(verdict), b})
		p := call("write", `{"id":"A1"}`)
		if kind == "read" {
			p = call("read", `{"id":"A1"}`)
		}
		if kind == "approved" {
			p.Confirmation = r.approve(r.do(p))
		}
		b.uses.Store(0)
		b.at = at
		dispatched := int64(0)
		r.exec.Func = func(context.Context, tv.Permit) tv.Outcome {
			dispatched = b.uses.Load()
			return tv.Outcome{Status: tv.Succeeded}
		}
		res, _ := r.Do(context.Background(), p)
		if dispatched > 0 && at > dispatched {
			if stopped == 0 {
				t.Fatal("nothing was broken before the dispatch")
			}
			return
		}
		stopped++
		if res.Success || len(r.exec.Ran()) != 0 {
			t.Fatalf("use %d of a port broke and the call ran: %+v", at, res)
		}
		if res.Error == nil || res.StateChanged != tv.Unchanged || !res.SecurityBlocked {
			t.Errorf("use %d: refusal is %+v", at, res)
		}
		r.want(r.do(p), "")
	}
}

// TestNoChangeIsHalfMade breaks every use of every port while an approver changes
// a call: either the question is as it was, or another one stands in its place.
func TestNoChangeIsHalfMade(t *testing.T) {
	t.Parallel()
	for _, panics := range []bool{false, true} {
		for at := int64(1); ; at++ {
			b := &breaker{panic: panics}
			tools := []*tv.Tool{gatetest.Tool("write", gatetest.Destructive)}
			r := newRig(t, limited(tv.Ask), tools, func(c *tv.Config) {
				c.Store, c.Choices = brokenStore{c.Store, b}, brokenChoices{c.Choices, b}
				c.Confirmations, c.Redactor = brokenDesk{c.Confirmations, b}, brokenRedactor{c.Redactor, b}
			})
			r.snaps.Swap(brokenCatalog{gatetest.Catalog(tools), b}, brokenPolicy{limited(tv.Ask), b})
			p := call("write", `{"id":"A1"}`)
			id := r.do(p).Confirmation.ID
			b.uses.Store(0)
			b.at = at
			next, err := r.Edit(context.Background(), approver, id, []byte(`{"id":"A2"}`), "")
			if err == nil && b.uses.Load() < at {
				if at < 8 {
					t.Fatalf("only %d uses were broken", at-1)
				}
				break
			}
			b.at = 0
			old, readErr := r.store.Approval(context.Background(), id)
			if readErr != nil {
				t.Fatal(readErr)
			}
			if (err == nil) != (old.ReplacedBy == next.ID && next.ID != "") || err != nil && old.State != tv.ApprovalPending {
				t.Fatalf("use %d broke: %v, and the question is %s, replaced by %q", at, err, old.State, old.ReplacedBy)
			}
			r.want(r.do(p), tv.ConfirmationRequired)
			r.wantRuns(0)
		}
	}
}

// TestOutcomeThatCannotBeRecorded runs the tool and loses the store: the answer
// must not read as a success, and a repeat must not run again.
func TestOutcomeThatCannotBeRecorded(t *testing.T) {
	t.Parallel()
	b := &breaker{}
	tool := gatetest.Tool("pay", func(d *tv.Definition) { d.Safety, d.Idempotency.Key = tv.Destructive, []string{"/id"} })
	r := newRig(t, gatetest.Always(tv.Allow), []*tv.Tool{tool}, func(c *tv.Config) { c.Store = brokenStore{c.Store, b} })
	r.exec.Func = func(context.Context, tv.Permit) tv.Outcome {
		b.at = b.uses.Load() + 1
		return tv.Outcome{Status: tv.Succeeded}
	}
	res, err := r.Do(context.Background(), call("pay", `{"id":"A1"}`))
	if code(res) != tv.OutcomeUnknown || res.StateChanged != tv.MaybeChange || !errors.Is(err, errBroken) {
		t.Errorf("got %+v, %v", res, err)
	}
	r.want(r.do(call("pay", `{"id":"A1"}`)), tv.InProgress)
	r.clock.Pass(2 * time.Minute)
	r.want(r.do(call("pay", `{"id":"A1"}`)), tv.OutcomeUnknown)
	r.wantRuns(1)
}

// TestExecutorThatBreaksDown leaves the outcome unknown for a tool that writes,
// and a plain failure for one that reads.
func TestExecutorThatBreaksDown(t *testing.T) {
	t.Parallel()
	for tool, want := range map[string]tv.Code{"read": tv.ToolError, "write": tv.OutcomeUnknown} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, gatetest.Always(tv.Allow), []*tv.Tool{gatetest.Tool("read", nil), gatetest.Tool("write", gatetest.Destructive)}, nil)
			r.exec.Func = func(context.Context, tv.Permit) tv.Outcome { panic("boom") }
			r.want(r.do(call(tool, `{}`)), want)
			r.exec.Func = nil
			r.want(r.do(call(tool, `{}`)), "")
		})
	}
}

// TestIntentIsDurableBeforeDispatch looks from inside the tool: the record that
// allowed it must be in the log already.
func TestIntentIsDurableBeforeDispatch(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"read", "write"} {
		r := newRig(t, gatetest.Always(tv.Allow), []*tv.Tool{gatetest.Tool("read", nil), gatetest.Tool("write", gatetest.Destructive)}, nil)
		r.exec.Func = func(_ context.Context, p tv.Permit) tv.Outcome {
			recs := r.records()
			if len(recs) != 1 || recs[0].CallID != p.CallID() || recs[0].Verdict != "allow" || recs[0].Kind != tv.RecordDecision {
				t.Errorf("while %s runs the log is %+v", tool, recs)
			}
			return tv.Outcome{Status: tv.Succeeded}
		}
		r.want(r.do(call(tool, `{"id":1}`)), "")
	}
}
