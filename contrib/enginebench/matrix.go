// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package enginebench

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/cedar-policy/cedar-go"
	"github.com/cedar-policy/cedar-go/types"
	"github.com/open-policy-agent/opa/v1/rego"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy"
)

// Predicate is one test of the argument x in the words of each engine, with
// values that it holds of and does not hold of, as JSON.
type Predicate struct {
	Name              string
	Ours, Rego, Cedar string // "" where the engine has no such test
	Yes, No           string
	Wrong             []string // scalars that are not what it is for
}

// Predicates are those of the matrix.
func Predicates() []Predicate {
	text, number, boolean := []string{"5", "true", "1.5"}, []string{`"500"`, `"x"`, "true"}, []string{`"true"`, "1", `"yes"`}
	return []Predicate{
		{"eq text", "a", `input.x == "a"`, `context.x == "a"`, `"a"`, `"b"`, text},
		{"ne text", "{ne: a}", `input.x != "a"`, `context.x != "a"`, `"b"`, `"a"`, text},
		{"in", "[a, b]", `input.x in {"a", "b"}`, `["a", "b"].contains(context.x)`, `"b"`, `"c"`, text},
		{"prefix", "{prefix: /etc}", `startswith(input.x, "/etc")`, `context.x like "/etc*"`, `"/etc/passwd"`, `"/srv"`, text},
		{"suffix", "{suffix: .pem}", `endswith(input.x, ".pem")`, `context.x like "*.pem"`, `"a.pem"`, `"pem"`, text},
		{"contains", `{contains: ".."}`, `contains(input.x, "..")`, `context.x like "*..*"`, `"a/../b"`, `"a.b"`, text},
		{"glob", "{glob: '/srv/*/x'}", `glob.match("/srv/*/x", [], input.x)`, `context.x like "/srv/*/x"`, `"/srv/a/x"`, `"/srv/a"`, text},
		{"regex", "{regex: '[a-z]+1'}", `regex.match("^[a-z]+1$", input.x)`, "", `"ab1"`, `"1"`, text},
		{"eq number", "5", "input.x == 5", "context.x == 5", "5", "6", number},
		{"gt", "{gt: 100}", "input.x > 100", "context.x > 100", "500", "100", number},
		{"lt", "{lt: 0}", "input.x < 0", "context.x < 0", "-1", "0", number},
		{"between", "{between: [1, 5]}", "input.x >= 1; input.x <= 5", "context.x >= 1 && context.x <= 5", "3", "6", number},
		{"eq true", "true", "input.x == true", "context.x == true", "true", "false", boolean},
	}
}

// Forms are what stands in the place of a value that the predicate can judge:
// nothing, null, scalars of other types, and lists and objects that hold one. A
// deny rule that lets one of them through, or an allow rule that it satisfies,
// has failed open. The first is "": no argument at all.
func (p Predicate) Forms() []string {
	out := append([]string{"", "null", "[]", "{}", "[null]"}, p.Wrong...)
	for _, v := range []string{p.Yes, p.No} {
		out = append(out, "[["+v+"]]", `{"x":`+v+"}", "[{\"x\":"+v+"}]", "["+v+",null]")
	}
	return append(out, "["+p.Yes+","+p.No+"]", "["+p.No+","+p.Yes+"]")
}

// Decider tells whether a call whose argument x is a JSON value, "" for none, is
// allowed.
type Decider func(value string) (allowed bool, err error)

// A DenyRule lets everything through but what the predicate holds of, an
// AllowRule nothing but that.
const (
	DenyRule  = Deny
	AllowRule = Allow
)

// OursOn is a rule of Toolverdict with a predicate.
func OursOn(p Predicate, v Verdict) (Decider, error) {
	tool := gatetest.Tool("tool", nil)
	text := "policy: matrix\nversion: v1\nrules:\n"
	if v == DenyRule {
		text += "  - {id: all, verdict: allow, reason: measured, tools: server/tool}\n"
	}
	text += fmt.Sprintf("  - {id: rule, verdict: %s, reason: measured, tools: server/tool, when: {args.x: %s}}\n", v, p.Ours)
	set, _, err := policy.Compile([]policy.File{{Name: "matrix.yaml", Content: []byte(text)}}, gatetest.Catalog{tool}, policy.Options{})
	if err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	return func(value string) (bool, error) {
		args, err := canon.Parse(argument(value), canon.Limits{})
		if err != nil {
			return false, fmt.Errorf("read arguments: %w", err)
		}
		return set.Decide(toolverdict.Request{Tool: tool, Arguments: args}).Verdict == toolverdict.Allow, nil
	}, nil
}

func argument(value string) []byte {
	if value == "" {
		return []byte("{}")
	}
	return []byte(`{"x":` + value + "}")
}

// RegoOn is the rule that one writes in Rego for the same.
func RegoOn(p Predicate, v Verdict) (Decider, error) {
	module := "package matrix\n\ndefault allow := false\n\nallow if {\n\t" + p.Rego + "\n}\n"
	if v == DenyRule {
		module = "package matrix\n\ndefault allow := false\n\nallow if not deny\n\ndeny if {\n\t" + p.Rego + "\n}\n"
	}
	ctx := context.Background()
	query, err := rego.New(rego.Query("data.matrix.allow"), rego.Module("matrix.rego", module)).PrepareForEval(ctx)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	return func(value string) (bool, error) {
		var input any
		if err := json.Unmarshal(argument(value), &input); err != nil {
			return false, fmt.Errorf("read input: %w", err)
		}
		found, err := query.Eval(ctx, rego.EvalInput(input))
		return err == nil && found.Allowed(), nil
	}, nil
}

// CedarOn is the rule that one writes in Cedar for the same. What Cedar cannot
// read, such as null, it does not decide: the caller has to refuse it.
func CedarOn(p Predicate, v Verdict) (Decider, error) {
	text := "permit(principal, action, resource) when { " + p.Cedar + " };"
	if v == DenyRule {
		text = "permit(principal, action, resource); forbid(principal, action, resource) when { " + p.Cedar + " };"
	}
	set, err := cedar.NewPolicySetFromBytes("matrix.cedar", []byte(text))
	if err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	return func(value string) (bool, error) {
		var facts types.Record
		if err := json.Unmarshal(argument(value), &facts); err != nil {
			return false, nil //nolint:nilerr // refused
		}
		decision, _ := cedar.Authorize(set, types.EntityMap{}, cedar.Request{
			Principal: cedar.NewEntityUID("User", "u"), Action: cedar.NewEntityUID("Action", "a"), Resource: cedar.NewEntityUID("Tool", "t"), Context: facts,
		})
		return decision == cedar.Allow, nil
	}, nil
}
