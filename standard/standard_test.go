// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package standard_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/guard"
	"github.com/toolverdict/toolverdict/standard"
)

const (
	shopCatalog = `
tools:
  shop/read: {safety: read-only, risk: low, schema: {type: object}}
  shop/write: {safety: destructive, risk: high, timeout: 50ms, schema: {type: object, properties: {n: {type: integer}}}}
`
	shopPolicy = `
policy: shop
version: v1
default: deny
rules:
  - {id: all, verdict: allow, reason: The test says so, tools: "shop/*", when: {env.stage: test}}
`
	shopConfig = `
version: 1
policies: [policy.yaml]
catalogs: [catalog.yaml]
env: {stage: test}
`
)

func folder(t *testing.T, change map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{"catalog.yaml": shopCatalog, "policy.yaml": shopPolicy, "toolverdict.yaml": shopConfig}
	maps.Copy(files, change)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func echo(_ context.Context, arguments []byte) (json.RawMessage, error) { return arguments, nil }

func open(t *testing.T, dir string, functions map[string]standard.Func) *standard.Gate {
	t.Helper()
	g, err := standard.Open(t.Context(), dir, functions)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

func code(r *toolverdict.Result) toolverdict.Code {
	if r.Error == nil {
		return ""
	}
	return r.Error.Code
}

// A high-risk function waits for a person, runs once with the approved bytes,
// and a later process knows of it.
func TestApprovedCallRunsOnce(t *testing.T) {
	t.Parallel()
	agent := toolverdict.Subject{ID: "agent", Kind: toolverdict.Agent, User: "ann", Permissions: []string{"tool:shop/write"}}
	boss := toolverdict.Subject{ID: "boss", Kind: toolverdict.Person, Roles: []string{"approver"}}
	var ran atomic.Int64
	functions := map[string]standard.Func{"shop/read": echo, "shop/write": func(_ context.Context, arguments []byte) (json.RawMessage, error) {
		ran.Add(1)
		return arguments, nil
	}}
	dir := folder(t, nil)
	g, err := standard.Open(t.Context(), dir, functions)
	if err != nil {
		t.Fatal(err)
	}
	call := func(g *standard.Gate) toolverdict.Result {
		res, err := g.Call(t.Context(), agent, "shop/write", []byte(`{"n": 1}`))
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	res := call(g)
	if code(&res) != toolverdict.ConfirmationRequired || ran.Load() != 0 {
		t.Fatalf("%q, ran %d times", code(&res), ran.Load())
	}
	id := res.Confirmation.ID
	if err := g.Approve(t.Context(), agent, id, ""); err == nil {
		t.Error("the agent approved its own call")
	}
	if err := g.Approve(t.Context(), boss, id, "fine"); err != nil {
		t.Fatal(err)
	}
	done, err := g.Resume(t.Context(), agent, id)
	if err != nil || !done.Success || string(done.Content) != `{"n": 1}` {
		t.Fatalf("%v, %q, %s", err, code(&done), done.Content)
	}
	if err := g.Reject(t.Context(), boss, id, ""); err == nil {
		t.Error("rejected what was done")
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := standard.Open(t.Context(), dir, functions)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if res := call(again); !res.Success || !res.Replayed || ran.Load() != 1 {
		t.Errorf("after a restart: %q, replayed %v, ran %d times", code(&res), res.Replayed, ran.Load())
	}
}

func TestWhatFunctionsAnswer(t *testing.T) {
	t.Parallel()
	agent := toolverdict.Subject{ID: "agent", Kind: toolverdict.Agent, Permissions: []string{"*"}}
	for name, c := range map[string]struct {
		run  standard.Func
		code toolverdict.Code
	}{
		"nothing": {func(context.Context, []byte) (json.RawMessage, error) { return nil, nil }, ""},
		"error":   {func(context.Context, []byte) (json.RawMessage, error) { return nil, errors.New("no stock") }, toolverdict.ToolError},
		"no JSON": {func(context.Context, []byte) (json.RawMessage, error) { return json.RawMessage("{"), nil }, toolverdict.ToolError},
		"panic":   {func(context.Context, []byte) (json.RawMessage, error) { panic("oh") }, toolverdict.OutcomeUnknown},
		"too late": {func(ctx context.Context, _ []byte) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, toolverdict.OutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, map[string]string{"catalog.yaml": strings.Replace(shopCatalog, "high", "low", 1)})
			g := open(t, dir, map[string]standard.Func{"shop/read": echo, "shop/write": c.run})
			res, err := g.Call(t.Context(), agent, "shop/write", []byte(`{}`))
			if err != nil || code(&res) != c.code {
				t.Errorf("%v, %q, want %q", err, code(&res), c.code)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	both := map[string]standard.Func{"shop/read": echo, "shop/write": echo}
	for name, c := range map[string]struct {
		change    map[string]string
		functions map[string]standard.Func
		want      string
	}{
		"function without entry": {nil, map[string]standard.Func{"shop/read": echo, "shop/write": echo, "shop/x": echo}, `function "shop/x": no catalog describes it`},
		"entry without function": {nil, map[string]standard.Func{"shop/read": echo}, `tool "shop/write": no function runs it`},
		"nil function":           {nil, map[string]standard.Func{"shop/read": echo, "shop/write": nil}, "its function is nil"},
		"short name":             {nil, map[string]standard.Func{"read": echo}, "must be SERVER/NAME"},
		"upstreams":              {map[string]string{"toolverdict.yaml": shopConfig + "upstreams: {a: {command: [x]}}\n"}, both, "upstreams are served by"},
		"bad policy":             {map[string]string{"policy.yaml": "rules: 5"}, both, "policy.yaml:1:"},
		"policy of another type": {map[string]string{"policy.yaml": strings.Replace(shopPolicy, `"shop/*", when: {env.stage: test}`, `shop/write, when: {args.n: "1"}`, 1)}, both, "policy.yaml"},
		"bad catalog":            {map[string]string{"catalog.yaml": "tools: []"}, both, "catalog.yaml:1:"},
		"bad configuration":      {map[string]string{"toolverdict.yaml": "version: 2"}, both, "toolverdict.yaml:1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, err := standard.Open(t.Context(), folder(t, c.change), c.functions)
			if err == nil {
				g.Close()
				t.Fatal("it opened")
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error does not say %q: %v", c.want, err)
			}
		})
	}
}

// A gate whose tools run elsewhere knows all of its catalog, asks people, and runs
// nothing itself.
func TestOpenClaims(t *testing.T) {
	t.Parallel()
	agent := toolverdict.Subject{ID: "agent", Kind: toolverdict.Agent, User: "ann", Permissions: []string{"tool:shop/write"}}
	boss := toolverdict.Subject{ID: "boss", Kind: toolverdict.Person, Roles: []string{"approver"}}
	g, err := standard.OpenClaims(t.Context(), folder(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	ran := 0
	do := func() (string, *guard.Refused) {
		return guard.Do(t.Context(), g.Guard(agent, "shop"), guard.Call{Tool: "write", Arguments: []byte(`{"n": 1}`)}, func(_ context.Context, decided []byte) (string, error) {
			ran++
			return string(decided), nil
		})
	}
	if _, r := do(); r == nil || r.Code() != toolverdict.ConfirmationRequired || ran != 0 {
		t.Fatalf("%v, ran %d times", r, ran)
	}
	waiting, err := g.Pending(t.Context(), boss)
	if err != nil || len(waiting) != 1 {
		t.Fatalf("%v %v", waiting, err)
	}
	if err := g.Approve(t.Context(), boss, waiting[0].ID, "fine"); err != nil {
		t.Fatal(err)
	}
	if out, r := do(); r != nil || out != `{"n": 1}` || ran != 1 {
		t.Errorf("%q, %v, ran %d times", out, r, ran)
	}
	for range 20 { // more than there can be views at once
		found, err := g.Records(t.Context(), audit.Query{Tool: "shop/write", Kind: toolverdict.RecordOutcome})
		if err != nil || len(found) != 1 {
			t.Fatalf("%v %v", found, err)
		}
	}
	if res, err := g.Call(t.Context(), agent, "shop/read", []byte(`{}`)); err != nil || code(&res) != toolverdict.ToolError {
		t.Errorf("%v, %q", err, code(&res))
	}
}

func TestOpenClaimsRefuses(t *testing.T) {
	t.Parallel()
	broken := shopCatalog + "  shop/odd: {safety: destructive, risk: low, schema: {type: object, additionalProperties: false}, sensitive: [/nope]}\n"
	g, err := standard.OpenClaims(t.Context(), folder(t, map[string]string{"catalog.yaml": broken}))
	if err == nil {
		g.Close()
		t.Fatal("it opened")
	}
	if !strings.Contains(err.Error(), "shop/odd") {
		t.Errorf("the error names no tool: %v", err)
	}
}

func TestTypedRefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	run := standard.Typed(func(_ context.Context, n int) (int, error) {
		t.Error("it ran")
		return n, nil
	})
	if _, err := run(t.Context(), []byte(`{"n": 1}`)); err == nil {
		t.Error("an object is no number")
	}
}
