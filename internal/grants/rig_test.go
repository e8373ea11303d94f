// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package grants_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/internal/grants"
	"github.com/toolverdict/toolverdict/internal/redact"
	"github.com/toolverdict/toolverdict/internal/schema"
	"github.com/toolverdict/toolverdict/internal/store/memory"
	"github.com/toolverdict/toolverdict/policy"
)

var (
	agent    = tv.Subject{ID: "agent", Kind: tv.Agent, User: "clerk", Agent: "bot", Permissions: []string{"*"}}
	stranger = tv.Subject{ID: "agent-2", Kind: tv.Agent, User: "other", Permissions: []string{"*"}}
	boss     = tv.Subject{ID: "boss", Kind: tv.Person, Roles: []string{"approver"}}
	second   = tv.Subject{ID: "boss-2", Kind: tv.Person, Roles: []string{"approver"}}
	finance  = tv.Subject{ID: "fin", Kind: tv.Person, Roles: []string{"finance"}}
	admin    = tv.Subject{ID: "root", Kind: tv.Person, Roles: []string{"admin"}}
	auditor  = tv.Subject{ID: "eyes", Kind: tv.Person, Roles: []string{"auditor"}}
	clerk    = tv.Subject{ID: "clerk", Kind: tv.Person, Roles: []string{"approver"}}
	viewer   = tv.Subject{ID: "viewer", Kind: tv.Person}
)

// rig is a whole gate with a real policy, real effects and real grants.
type rig struct {
	*grants.Service
	t     testing.TB
	gate  *tv.Gate
	desk  *approval.Desk
	store *memory.Store
	clock *gatetest.Clock
	snaps *gatetest.Snapshots
	exec  *gatetest.Executor
}

const rules = `
policy: p
version: v1
default: deny
rules:
  - {id: ask, verdict: ask, reason: A person looks, tools: "s/*"}
  - {id: ask-two, verdict: ask, reason: Two people look, tools: s/two, ask: {approvers: ["role:approver"], quorum: 2}}
  - {id: ask-finance, verdict: ask, reason: Finance looks too, tools: s/dear, ask: {approvers: ["role:finance"]}}
  - {id: never, verdict: deny, reason: Never, tools: "s/*", when: {args.never: {exists: true}}}
`

func tool(t testing.TB, name, input string, edit func(*tv.Definition)) *tv.Tool {
	t.Helper()
	def := tv.Definition{
		Name: "s/" + name, Server: "s", Safety: tv.Destructive, Risk: tv.LowRisk, Confirmation: tv.ConfirmByRisk, Execution: tv.Parallel,
		InputSchema: json.RawMessage(input), Summary: name,
	}
	if edit != nil {
		edit(&def)
	}
	s, err := schema.Compile(def.InputSchema, schema.Options{})
	if err != nil {
		t.Fatal(err)
	}
	made, err := tv.NewTool(def, s)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func tools(t testing.TB) gatetest.Catalog {
	t.Helper()
	roles := func(r map[string]tv.Role) func(*tv.Definition) {
		return func(d *tv.Definition) {
			d.Roles = r
			d.Place = tv.Place{Root: "/srv/app", Home: "/home/app"}
		}
	}
	refund := `{"type":"object","properties":{"order":{"type":"string"},"amount":{"type":"number","minimum":0,"maximum":500},
		"status":{"type":"string","enum":["open","paid","late"]},"dry":{"type":"boolean"},"tags":{"type":"array","items":{"type":"string"}},
		"who":{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}}},"card":{"type":"string"},"never":{"type":"boolean"}}}`
	open := `{"type":"object"}`
	return gatetest.Catalog{
		tool(t, "refund", refund, func(d *tv.Definition) { d.Sensitive = []string{"/card"} }),
		tool(t, "two", open, nil), tool(t, "dear", open, nil),
		tool(t, "high", open, func(d *tv.Definition) { d.Risk, d.Permission = tv.HighRisk, "p" }),
		tool(t, "run", open, roles(map[string]tv.Role{"/command": {Kind: tv.RoleShell, Dialect: "bash"}})),
		tool(t, "code", open, roles(map[string]tv.Role{"/script": {Kind: tv.RoleCode, Dialect: "python"}})),
		tool(t, "sql", open, roles(map[string]tv.Role{"/q": {Kind: tv.RoleSQL, Dialect: "sqlite"}})),
		tool(t, "file", open, roles(map[string]tv.Role{"/path": {Kind: tv.RolePath, Uses: []string{"write"}}})),
		tool(t, "files", open, roles(map[string]tv.Role{"/paths/*": {Kind: tv.RolePath, Uses: []string{"read"}}})),
		tool(t, "fetch", open, roles(map[string]tv.Role{"/url": {Kind: tv.RoleURL}})),
		tool(t, "mail", open, roles(map[string]tv.Role{"/to": {Kind: tv.RoleEmail}, "/subject": {Kind: tv.RoleHeader}})),
		tool(t, "pay", open, roles(map[string]tv.Role{"/amount": {Kind: tv.RoleMoney, CurrencyFrom: "/currency"}})),
		tool(t, "bill", `{"type":"object","properties":{"amount":{"type":"string","pattern":"^(0|[1-9][0-9]{0,6})\\.[0-9]{2}$"},"currency":{"type":"string"}}}`, roles(map[string]tv.Role{"/amount": {Kind: tv.RoleMoney, CurrencyFrom: "/currency"}})),
	}
}

func newRig(t testing.TB, edit func(*grants.Config)) *rig {
	t.Helper()
	r := &rig{t: t, clock: gatetest.NewClock(), exec: &gatetest.Executor{}}
	cat := tools(t)
	set, _, err := policy.Compile([]policy.File{{Name: "p.yaml", Content: []byte(rules)}}, cat, policy.Options{Discovery: true})
	if err != nil {
		t.Fatal(err)
	}
	r.snaps = gatetest.NewSnapshots(cat, set)
	if r.store, err = memory.New(memory.Config{Now: r.clock.Now}); err != nil {
		t.Fatal(err)
	}
	var n atomic.Int64
	ids := func() string { return fmt.Sprintf("id-%d", n.Add(1)) }
	red, err := redact.New(redact.Config{Key: []byte(strings.Repeat("k", 32))})
	if err != nil {
		t.Fatal(err)
	}
	if r.desk, err = approval.New(approval.Config{Store: r.store, Now: r.clock.Now, NewID: ids, Text: red.Text, Approvers: []string{"role:approver"}, Poll: time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	analyser := &effect.Analyser{}
	c := grants.Config{Store: r.store, Desk: r.desk, Snapshots: r.snaps, Analyser: analyser, Redactor: red, Now: r.clock.Now, NewID: ids}
	if edit != nil {
		edit(&c)
	}
	if r.Service, err = grants.New(c); err != nil {
		t.Fatal(err)
	}
	r.gate, err = tv.New(tv.Config{
		Snapshots: r.snaps, Choices: r.store, Analyser: analyser, Confirmations: r.desk, Store: r.store, Executor: r.exec, Grants: r.Service,
		Redactor: red, Now: r.clock.Now, NewID: ids, Node: "node-1",
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func call(name, args string) tv.Proposal {
	return tv.Proposal{Door: tv.DoorLibrary, Tool: "s/" + name, Arguments: []byte(args), Subject: agent, Session: "se", Run: tv.Run{ID: "ru"}}
}

func (r *rig) do(p tv.Proposal) tv.Result {
	r.t.Helper()
	res, err := r.gate.Do(r.t.Context(), p)
	if err != nil {
		r.t.Fatalf("the gate is at fault: %v", err)
	}
	return res
}

// asked opens an approval and returns its id.
func (r *rig) asked(name, args string) string {
	r.t.Helper()
	res := r.do(call(name, args))
	if res.Confirmation == nil {
		r.t.Fatalf("not asked: %+v", res.Error)
	}
	return res.Confirmation.ID
}

func choice(t testing.TB, text string) grants.Choice {
	t.Helper()
	c, err := grants.ParseChoice([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// granted asks about a call, and grants its like.
func (r *rig) granted(name, args, pick string) grants.View {
	r.t.Helper()
	v, err := r.Give(r.t.Context(), boss, r.asked(name, args), choice(r.t, pick))
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}

// runs reports whether a call runs without a person. One that does not is taken
// back, so that what waits stays apart.
func (r *rig) runs(p tv.Proposal) bool {
	r.t.Helper()
	res := r.do(p)
	switch {
	case res.Success && res.Decision.Grant != "":
		return true
	case res.Confirmation != nil && res.Error.Code == tv.ConfirmationRequired:
		if _, err := r.desk.Cancel(r.t.Context(), p.Subject, res.Confirmation.ID, ""); err != nil {
			r.t.Fatal(err)
		}
	case res.Success && !res.Replayed: // a repeat of what was approved is answered, and nothing runs
		r.t.Fatalf("ran without a grant: %+v", res)
	}
	return false
}
