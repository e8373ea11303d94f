// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy"
)

func TestParseCases(t *testing.T) {
	t.Parallel()
	got, err := policy.ParseCases(policy.File{Name: "x_test.yaml", Content: []byte(`
policies: [p.yaml]
catalogs: c.yaml
servers: {s: tools.json}
context: {as: agent, env: {stage: dev}, session: s1}
cases:
  - {name: plain, tool: s/pay, want: deny}
  - name: full
    tool: s/pay
    args: {amount: 3}
    subject: {id: u, permissions: []}
    env: {stage: prod}
    effects: [{kind: read, path: /srv}]
    counts: {limit-pay: 10}
    want: {verdict: ask, rule: b, rules: [b, a], code: CONFIRMATION_REQUIRED}
`)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{[]string{"p.yaml"}, []string{"c.yaml"}, map[string]string{"s": "tools.json"}}, []any{got.Policies, got.Catalogs, got.Servers}); diff != "" {
		t.Error(diff)
	}
	plain, full := got.Cases[0], got.Cases[1]
	if plain.As != "agent" || plain.Session != "s1" || plain.Environment["stage"] != "dev" || plain.Want.Verdict != toolverdict.Deny || plain.Analysed {
		t.Errorf("the context was not taken over: %+v", plain)
	}
	if full.As != "" || full.Subject == nil || full.Subject.Permissions == nil || full.Environment["stage"] != "prod" || !full.Analysed || len(full.Effects) != 1 {
		t.Errorf("the case does not win over the context: %+v", full)
	}
	want := policy.Want{Verdict: toolverdict.Ask, Rule: "b", Rules: []string{"a", "b"}, Code: toolverdict.ConfirmationRequired}
	if diff := cmp.Diff(want, full.Want); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{"limit-pay": 10}, full.Counts); diff != "" {
		t.Error(diff)
	}
}

// TestCasesAreStrict: a test that is not what it seems proves nothing.
func TestCasesAreStrict(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"no cases":             {"policies: p.yaml", `f.yaml:1:1: the key "cases" is missing`},
		"empty":                {"cases: []", `f.yaml:1:8: cases is an empty list`},
		"unknown key":          {"cases: [{name: a, tool: t, wants: deny}]", `f.yaml:1:28: unknown key "wants" in the case: did you mean "want"?`},
		"nothing wanted":       {"cases: [{name: a, tool: t}]", `f.yaml:1:9: the key "want" is missing`},
		"no name":              {"cases: [{tool: t, want: deny}]", `f.yaml:1:9: the key "name" is missing`},
		"no tool":              {"cases: [{name: a, want: deny}]", `f.yaml:1:9: the key "tool" is missing`},
		"no verdict":           {"cases: [{name: a, tool: t, want: {rule: x}}]", `f.yaml:1:34: the key "verdict" is missing in want`},
		"another verdict":      {"cases: [{name: a, tool: t, want: denyed}]", `f.yaml:1:34: "denyed" is no verdict: did you mean "deny"?`},
		"another code":         {"cases: [{name: a, tool: t, want: {verdict: deny, code: DENIED}}]", `"DENIED" is no code`},
		"want is a list":       {"cases: [{name: a, tool: t, want: [deny]}]", `f.yaml:1:34: want is a list`},
		"name twice":           {"cases:\n  - {name: a, tool: t, want: deny}\n  - {name: a, tool: t, want: deny}", `f.yaml:3:5: the name "a" is used twice: rename one of them; the first is on line 2`},
		"two callers":          {"cases: [{name: a, tool: t, as: x, subject: {id: y}, want: deny}]", `as and subject both say who calls`},
		"a count that is none": {"cases: [{name: a, tool: t, counts: {r: -1}, want: deny}]", `f.yaml:1:40: the count of "r" makes no sense`},
		"arguments in a list":  {"cases: [{name: a, tool: t, args: [1], want: deny}]", `f.yaml:1:34: args is a list`},
		"a second name":        {"cases: [{name: a, tool: t, args: {x: 1, x: 2}, want: deny}]", `the arguments are not strict JSON`},
		"context of a call":    {"context: {tool: t}\ncases: [{name: a, tool: t, want: deny}]", `f.yaml:1:11: unknown key "tool" in context`},
		"another effect":       {"cases: [{name: a, tool: t, effects: [{kind: erase}], want: deny}]", `"erase"`},
		"a server without":     {"servers: {s: []}\ncases: [{name: a, tool: t, want: deny}]", `f.yaml:1:14: the file of s is a list`},
		"anchors":              {"cases: [&a {name: a, tool: t, want: deny}]", `anchors and aliases are not used here`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := policy.ParseCases(policy.File{Name: "f.yaml", Content: []byte(c.in)})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// TestTestingDocs: every file of tests in the manual can be read, and stands in
// both languages.
func TestTestingDocs(t *testing.T) {
	t.Parallel()
	var texts [2][]string
	for i, name := range []string{"../docs/testing.md", "../docs/testing.zh-CN.md"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(b), "```yaml\n")[1:] {
			block, _, _ := strings.Cut(part, "```")
			texts[i] = append(texts[i], block)
			if _, err := policy.ParseCases(policy.File{Name: name, Content: []byte(block)}); err != nil {
				t.Error(err)
			}
		}
	}
	if diff := cmp.Diff(texts[0], texts[1]); diff != "" || len(texts[0]) == 0 {
		t.Errorf("the two languages show different tests: %s", diff)
	}
}

func FuzzParseCases(f *testing.F) {
	f.Add([]byte("cases: [{name: a, tool: t, want: deny}]"))
	f.Add([]byte("context: {env: {a: b}}\ncases: [{name: a, tool: t, args: {x: [1]}, counts: {r: 1}, effects: [], want: {verdict: ask, rules: []}}]"))
	f.Add([]byte("cases: [{name: a, tool: t, subject: {id: a, roles: []}, want: {verdict: deny, code: POLICY_DENIED}}]"))
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := policy.ParseCases(policy.File{Name: "f.yaml", Content: in})
		if (got == nil) == (err == nil) {
			t.Error("neither cases nor an error, or both")
		}
		if got != nil && len(got.Cases) == 0 {
			t.Error("a file without cases was read")
		}
	})
}
