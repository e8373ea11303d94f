// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package guardtest is one suite for everything that puts a framework's tools
// behind a guard, with a gate in memory to test against.
package guardtest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/guard"
	"github.com/toolverdict/toolverdict/internal/store/memory"
)

// Server is whose tools the suite's are.
const Server = "server"

// Tools of the suite. All take any object.
const (
	Allowed = "allowed"
	Denied  = "denied"
	Asked   = "asked" // a person has to agree
	Missing = "missing"
)

// Names are the tools that a framework is to be given. The gate does not know
// the one that is missing.
func Names() []string { return []string{Allowed, Denied, Asked, Missing} }

// Secret is what the gate hides in answers.
const Secret = "hunter2"

// Gate is a whole gate in memory.
type Gate struct {
	*tv.Gate

	t     testing.TB
	desk  *approval.Desk
	store *memory.Store
}

// NewGate makes one that knows the tools of the suite, and more that it allows.
func NewGate(t testing.TB, more ...string) *Gate {
	t.Helper()
	g := &Gate{t: t}
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	now := time.Now //nolint:forbidigo // calls of the suite are held by the machine's clock
	var err error
	g.store, err = memory.New(memory.Config{Now: now})
	must(err)
	var n atomic.Int64
	ids := func() string { return fmt.Sprintf("id-%d", n.Add(1)) }
	plain := gatetest.Redactor{Secret: Secret}
	g.desk, err = approval.New(approval.Config{
		Store: g.store, Now: now, NewID: ids, Text: plain.Text, Approvers: []string{"role:approver"}, Poll: time.Millisecond,
	})
	must(err)
	verdicts := map[string]tv.Verdict{Allowed: tv.Allow, Denied: tv.Deny, Asked: tv.Ask}
	var tools gatetest.Catalog
	for _, name := range more {
		verdicts[name] = tv.Allow
	}
	for _, name := range append([]string{Allowed, Denied, Asked}, more...) {
		tools = append(tools, gatetest.Tool(name, gatetest.Destructive))
	}
	policy := gatetest.Policy{Name: "by-name", Func: func(r tv.Request) tv.Decision {
		return gatetest.Says(verdicts[strings.TrimPrefix(r.Tool.Name(), Server+"/")])
	}}
	g.Gate, err = tv.New(tv.Config{
		Snapshots: gatetest.NewSnapshots(tools, policy), Choices: g.store, Analyser: gatetest.Analyser(nil), Confirmations: g.desk, Store: g.store,
		Executor: &gatetest.Executor{}, Redactor: plain, Now: now, NewID: ids, Node: "node-1",
	})
	must(err)
	return g
}

// Source asks the gate as an agent.
func (g *Gate) Source() guard.Local {
	return guard.Local{Gate: g.Gate, Subject: tv.Subject{ID: "agent-1", Kind: tv.Agent, User: "user-1"}}
}

// Guard is a guard of the suite's tools.
func (g *Gate) Guard() guard.Guard { return guard.Guard{Source: g.Source(), Server: Server} }

func boss() tv.Subject { return tv.Subject{ID: "boss", Kind: tv.Person, Roles: []string{"approver"}} }

// Waiting waits for a question that is open, and returns its id.
func (g *Gate) Waiting(ctx context.Context) string {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, patience/3)
	defer cancel()
	for {
		changed := g.store.Changed()
		all, err := g.store.Approvals(ctx, tv.ApprovalQuery{State: tv.ApprovalPending})
		if err != nil {
			g.t.Error(err)
			return ""
		}
		if len(all) > 0 {
			return all[0].ID
		}
		select {
		case <-changed:
		case <-ctx.Done():
			g.t.Error("nobody asked anything")
			return ""
		}
	}
}

// Shows returns the arguments that a question is about.
func (g *Gate) Shows(ctx context.Context, id string) string {
	g.t.Helper()
	a, err := g.store.Approval(ctx, id)
	if err != nil {
		g.t.Error(err)
	}
	return string(a.Call.Arguments)
}

// Approve agrees to a question.
func (g *Gate) Approve(ctx context.Context, id string) {
	g.t.Helper()
	if _, err := g.desk.Approve(ctx, boss(), id, ""); err != nil {
		g.t.Error(err)
	}
}

// Reject says no to a question.
func (g *Gate) Reject(ctx context.Context, id string) {
	g.t.Helper()
	if _, err := g.desk.Reject(ctx, boss(), id, "not now"); err != nil {
		g.t.Error(err)
	}
}

// Edit changes the arguments of a question and agrees to the changed one.
func (g *Gate) Edit(ctx context.Context, id, arguments string) {
	g.t.Helper()
	a, err := g.Gate.Edit(ctx, boss(), id, []byte(arguments), "less")
	if err != nil {
		g.t.Error(err)
		return
	}
	second := tv.Subject{ID: "deputy", Kind: tv.Person, Roles: []string{"approver"}}
	if _, err := g.desk.Approve(ctx, second, a.ID, ""); err != nil {
		g.t.Error(err)
	}
}

// Ran is what was run so far. Its zero value is ready.
type Ran struct {
	mu  sync.Mutex
	all []string
}

// Add notes one run of a tool.
func (r *Ran) Add(tool, arguments string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, tool+" "+arguments)
}

// All returns the runs in their order.
func (r *Ran) All() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string{}, r.all...)
}
