// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/internal/store/memory"
	"github.com/toolverdict/toolverdict/ledger"
)

// rig is a whole gate over the store in memory.
type rig struct {
	*tv.Gate
	t     testing.TB
	clock *gatetest.Clock
	store *memory.Store
	desk  *approval.Desk
	book  *ledger.Book
	snaps *gatetest.Snapshots
	exec  *gatetest.Executor
}

// newRig builds a gate over the tools; bend may replace any part before the
// gate is made.
func newRig(t testing.TB, policy tv.Policy, tools []*tv.Tool, bend func(*tv.Config)) *rig {
	t.Helper()
	r := &rig{t: t, clock: gatetest.NewClock(), exec: &gatetest.Executor{}}
	r.snaps = gatetest.NewSnapshots(gatetest.Catalog(tools), policy)
	var err error
	if r.store, err = memory.New(memory.Config{Now: r.clock.Now}); err != nil {
		t.Fatal(err)
	}
	var n atomic.Int64
	ids := func() string { return fmt.Sprintf("id-%d", n.Add(1)) }
	plain := func(s string) string { return s }
	if r.desk, err = approval.New(approval.Config{Store: r.store, Now: r.clock.Now, NewID: ids, Text: plain, Approvers: []string{"role:approver"}, Poll: time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	if r.book, err = ledger.New(ledger.Config{Store: r.store, Now: r.clock.Now, Text: plain}); err != nil {
		t.Fatal(err)
	}
	c := tv.Config{
		Snapshots: r.snaps, Choices: r.store, Analyser: gatetest.Analyser(nil), Confirmations: r.desk, Store: r.store, Executor: r.exec,
		Redactor: gatetest.Redactor{}, Now: r.clock.Now, NewID: ids, Node: "node-1",
	}
	if bend != nil {
		bend(&c)
	}
	if r.Gate, err = tv.New(c); err != nil {
		t.Fatal(err)
	}
	return r
}

var (
	caller   = tv.Subject{ID: "agent-1", Kind: tv.Agent, User: "user-1", Permissions: []string{"p.*"}}
	other    = tv.Subject{ID: "agent-2", Kind: tv.Agent, User: "user-2", Permissions: []string{"p.*"}}
	approver = tv.Subject{ID: "boss", Kind: tv.Person, Roles: []string{"approver"}}
)

func call(tool, args string) tv.Proposal {
	return tv.Proposal{Door: tv.DoorLibrary, Tool: "server/" + tool, Arguments: []byte(args), Subject: caller, Session: "s-1"}
}

func (r *rig) do(p tv.Proposal) tv.Result {
	r.t.Helper()
	res, err := r.Do(context.Background(), p)
	if err != nil {
		r.t.Fatalf("the gate is at fault: %v", err)
	}
	return res
}

// code is the refusal's code, "" for a success.
func code(res tv.Result) tv.Code {
	if res.Error == nil {
		return ""
	}
	return res.Error.Code
}

func (r *rig) want(res tv.Result, want tv.Code) {
	r.t.Helper()
	if got := code(res); got != want || res.Success != (want == "") {
		r.t.Fatalf("got code %q, success %v (%+v), want %q", got, res.Success, res.Error, want)
	}
}

func (r *rig) wantRuns(n int) {
	r.t.Helper()
	if ran := r.exec.Ran(); len(ran) != n {
		r.t.Fatalf("dispatched %d times: %v, want %d", len(ran), ran, n)
	}
}

// approve answers the approval that a result waits on.
func (r *rig) approve(res tv.Result) string {
	r.t.Helper()
	if res.Confirmation == nil {
		r.t.Fatalf("nothing to approve: %+v", res)
	}
	if _, err := r.desk.Approve(context.Background(), approver, res.Confirmation.ID, ""); err != nil {
		r.t.Fatal(err)
	}
	return res.Confirmation.ID
}

// records returns the whole log.
func (r *rig) records() []audit.Numbered {
	r.t.Helper()
	view, err := r.store.Log(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	found, err := view.Find(context.Background(), audit.Query{Page: audit.Page{Limit: 1 << 20}})
	if err != nil {
		r.t.Fatal(err)
	}
	return found
}

// story is the log in short: one word per record.
func (r *rig) story() string {
	var b strings.Builder
	for _, rec := range r.records() {
		word := string(rec.Kind) + ":" + rec.Verdict
		switch {
		case rec.Kind == tv.RecordApproval:
			word = "approval:" + string(rec.ApprovalState)
		case rec.Kind != tv.RecordDecision:
			word = string(rec.Kind)
		}
		if rec.Code != "" {
			word += "(" + string(rec.Code) + ")"
		}
		if rec.Claim != "" {
			word += "/" + string(rec.Claim)
		}
		fmt.Fprintf(&b, "%s ", word)
	}
	return strings.TrimSpace(b.String())
}
