// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package coverage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/internal/workbench/cases"
	"github.com/toolverdict/toolverdict/internal/workbench/coverage"
	"github.com/toolverdict/toolverdict/policy"
)

const rules = `
policy: p
version: v1
rules:
  - id: allow-small
    verdict: allow
    reason: Small sums are paid
    tools: pay
    when: {args.amount: {lte: 100}}
    match: [{amount: 100}]
    noMatch: [{amount: 101}]
  - id: deny-night
    verdict: deny
    reason: At night nothing is paid
    tools: pay
    when: {time.hour: {lt: 6}}
    unless: {args.urgent: true}
  - id: ask-delete
    verdict: ask
    reason: Deletions are asked about
    tools: shell
    when: {effects.any: {kind: delete, path: {under: /srv}}}
  - id: deny-never
    verdict: deny
    reason: Nobody tests this
    tools: other
    when: {any: [{args.a: 1}, {args.b: 2}]}
`

func suite(t *testing.T, tests string) []cases.Suite {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.yaml")
	if err := os.WriteFile(path, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	bench, err := cases.Open(cases.Files{Policies: []string{path}}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := policy.ParseCases(policy.File{Name: "p_test.yaml", Content: []byte(tests)})
	if err != nil {
		t.Fatal(err)
	}
	return []cases.Suite{{File: "p_test.yaml", Bench: bench, Cases: parsed.Cases}}
}

func lines(gaps []coverage.Gap) []string {
	var out []string
	for _, g := range gaps {
		out = append(out, strings.TrimRight(fmt.Sprintf("%d:%d %s %s %s", g.Line, g.Column, g.Rule, g.What, strings.Join(g.Never, " ")), " "))
	}
	return out
}

const some = `cases:
  - {name: noon, tool: pay, args: {amount: 100}, time: "2025-01-15T12:00:00Z", want: allow}
  - {name: night, tool: pay, args: {amount: 100, urgent: false}, time: "2025-01-15T05:00:00Z", want: {verdict: deny, rule: deny-night}}
  - {name: deleting, tool: shell, effects: [{kind: delete, path: /srv/a}], want: ask}
  - {name: reading, tool: shell, effects: [{kind: read, path: /srv/a}], want: deny}
`

// TestOf names what is left open, with its place.
func TestOf(t *testing.T) {
	t.Parallel()
	got, err := coverage.Of(suite(t, some), coverage.Options{Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"23:0 deny-never"}, lines(got.Unmatched)); diff != "" {
		t.Error(diff)
	}
	if got.Rules != (coverage.Part{All: 4, Covered: 3}) || got.Rules.Percent() != 75 {
		t.Errorf("rules: %+v", got.Rules)
	}
	want := []string{
		"17:14 deny-night args.urgent: true true",
		"22:40 ask-delete path: {under: /srv} false",
		"27:19 deny-never args.a: 1 true false",
		"27:32 deny-never args.b: 2 true false",
	}
	if diff := cmp.Diff(want, lines(got.Unseen)); diff != "" {
		t.Error(diff)
	}
	if got.Conditions != (coverage.Part{All: 8, Covered: 4}) {
		t.Errorf("conditions: %+v", got.Conditions)
	}
	want = []string{
		"16:24 deny-night time.hour: lt becomes lte",
		"17:14 deny-night unless is dropped",
		"22:12 ask-delete effects.any becomes effects.every",
		"22:40 ask-delete dropped: path: {under: /srv}",
		"22:47 ask-delete path: under becomes prefix",
		"23:5 deny-never verdict deny becomes allow",
		"27:19 deny-never any becomes all",
		"27:19 deny-never dropped: args.a: 1",
		"27:19 deny-never negated: args.a: 1",
		"27:19 deny-never when is dropped",
		"27:32 deny-never dropped: args.b: 2",
		"27:32 deny-never negated: args.b: 2",
	}
	if diff := cmp.Diff(want, lines(got.Survived)); diff != "" {
		t.Error(diff)
	}
	if got.Mutants.All-got.Mutants.Covered != len(got.Survived) || got.Left != 0 {
		t.Errorf("mutants: %+v, %d survived, %d left", got.Mutants, len(got.Survived), got.Left)
	}
}

// TestBetterTestsCoverMore: a test for what was open closes it.
func TestBetterTestsCoverMore(t *testing.T) {
	t.Parallel()
	got, err := coverage.Of(suite(t, some+`
  - {name: six, tool: pay, args: {amount: 100}, time: "2025-01-15T06:00:00Z", want: {verdict: allow, rules: [allow-small]}}
  - {name: urgent, tool: pay, args: {amount: 100, urgent: true}, time: "2025-01-15T05:00:00Z", want: allow}
  - {name: elsewhere, tool: shell, effects: [{kind: delete, path: /srvx}, {kind: read, path: /srv/a}], want: {verdict: deny, rules: []}}
  - {name: both, tool: shell, effects: [{kind: delete, path: /srv/a}, {kind: read, path: /srv/a}], want: {verdict: ask, rule: ask-delete}}
  - {name: a, tool: other, args: {a: 1, b: 0}, want: {verdict: deny, rule: deny-never}}
  - {name: b, tool: other, args: {a: 0, b: 2}, want: {verdict: deny, rule: deny-never}}
  - {name: neither, tool: other, args: {a: 0, b: 0}, want: {verdict: deny, rules: []}}
`), coverage.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string(nil), append(lines(got.Unmatched), lines(got.Unseen)...)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string(nil), lines(got.Survived)); diff != "" {
		t.Error(diff)
	}
}

// TestWorkersChangeNothing: the same gaps, however many look for them, and those
// that are tried are spread over the policy.
func TestWorkersChangeNothing(t *testing.T) {
	t.Parallel()
	one, err := coverage.Of(suite(t, some), coverage.Options{Workers: 1, Most: 9})
	if err != nil {
		t.Fatal(err)
	}
	many, err := coverage.Of(suite(t, some), coverage.Options{Workers: 8, Most: 9})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(lines(one.Survived), lines(many.Survived)); diff != "" || one.Mutants != many.Mutants {
		t.Errorf("%+v and %+v: %s", one.Mutants, many.Mutants, diff)
	}
	if one.Mutants.All != 9 || one.Left == 0 {
		t.Errorf("%d were tried, %d left", one.Mutants.All, one.Left)
	}
}

// TestFailingTestsCoverNothing: coverage is of tests that hold.
func TestFailingTestsCoverNothing(t *testing.T) {
	t.Parallel()
	_, err := coverage.Of(suite(t, `cases: [{name: one, tool: pay, args: {amount: 1}, want: allow}]`), coverage.Options{Workers: 1})
	if err == nil || !strings.HasPrefix(err.Error(), `p_test.yaml:1:9: case "one": it fails`) {
		t.Errorf("got %v", err)
	}
}
