// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package standard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/internal/redact"
	"github.com/toolverdict/toolverdict/internal/schema"
	"github.com/toolverdict/toolverdict/internal/store/memory"
	"github.com/toolverdict/toolverdict/policy"
)

// forgetful is a store that takes what is to be written and keeps nothing.
type forgetful struct{ *memory.Store }

func (forgetful) Commit(context.Context, tv.Changes) error { return nil }

var benchArguments = []byte(`{"order_id":"A1001","limit":20,"fields":["id","state","amount"],"note":"what the customer asked for last week"}`)

func forgetfulGate(t testing.TB, snaps tv.Snapshots, redactor tv.Redactor) *tv.Gate {
	t.Helper()
	store, err := memory.New(memory.Config{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	ids := func() string { return "id-1" }
	desk, err := approval.New(approval.Config{Store: store, Now: time.Now, NewID: ids, Text: func(s string) string { return s }, Approvers: []string{"role:approver"}, Poll: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	g, err := tv.New(tv.Config{
		Snapshots: snaps, Choices: store, Analyser: gatetest.Analyser(nil), Confirmations: desk, Store: forgetful{store},
		Executor: &gatetest.Executor{}, Redactor: redactor, Now: time.Now, NewID: ids, Node: "node-1",
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// realTool is a tool with a schema that is checked.
func realTool(t testing.TB, name, input string) *tv.Tool {
	t.Helper()
	s, err := schema.Compile([]byte(input), schema.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tool, err := tv.NewTool(tv.Definition{
		Name: "server/" + name, Server: "server", InputSchema: json.RawMessage(input), Safety: tv.ReadOnly, Risk: tv.LowRisk,
		Confirmation: tv.ConfirmByRisk, Execution: tv.Parallel, Summary: "Run " + name,
	}, s)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// BenchmarkDecision times all of a call that needs no I/O: strict decoding, the
// tool, its schema, the policy, the digest, and the record of intent with its
// redacted arguments, which is then not kept. The baseline reads the same
// arguments with encoding/json and does nothing.
func BenchmarkDecision(b *testing.B) {
	const input = `{"type":"object","required":["order_id"],"additionalProperties":false,"properties":{"order_id":{"type":"string","maxLength":40},` +
		`"limit":{"type":"integer","minimum":1,"maximum":100},"fields":{"type":"array","items":{"enum":["id","state","amount"]}},"note":{"type":"string"}}}`
	redactor, err := redact.New(redact.Config{Key: make([]byte, 32)})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("baseline/encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var v map[string]any
			if err := json.Unmarshal(benchArguments, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, n := range []int{10, 1000} {
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			read := realTool(b, "read", input)
			g := forgetfulGate(b, gatetest.NewSnapshots(gatetest.Catalog{read}, orderRules(b, n, read)), redactor)
			p := tv.Proposal{
				Door: tv.DoorLibrary, Tool: read.Name(), Arguments: benchArguments, Session: "s-1",
				Subject: tv.Subject{ID: "agent-1", Kind: tv.Agent, User: "user-1", Permissions: []string{"p.*"}},
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, res, err := g.Check(context.Background(), p); err != nil || !res.Success {
					b.Fatalf("%+v %v", res, err)
				}
			}
		})
	}
}

// orderRules is a policy of n rules about one tool, of which one allows.
func orderRules(t testing.TB, n int, tool *tv.Tool) tv.Policy {
	t.Helper()
	var text strings.Builder
	text.WriteString("policy: bench\nversion: v1\nrules:\n  - {id: allow, verdict: allow, reason: made for measuring, tools: server/read, when: {args.limit: {lte: 50}, subject.authenticated: true}}\n")
	for i := range n - 1 {
		fmt.Fprintf(&text, "  - {id: deny-%d, verdict: deny, reason: made for measuring, tools: server/read, when: {args.order_id: B%04d}}\n", i, i)
	}
	set, _, err := policy.Compile([]policy.File{{Name: "bench.yaml", Content: []byte(text.String())}}, gatetest.Catalog{tool}, policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}
