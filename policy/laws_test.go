// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

func fromGo(t *rapid.T, v any) canon.Value {
	out, err := canon.FromGo(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAddingNeverLoosens: a further deny or ask rule never makes a verdict
// milder, whatever it says.
func TestAddingNeverLoosens(t *testing.T) {
	t.Parallel()
	one := tool(t, "s/one", "true")
	rapid.Check(t, func(t *rapid.T) {
		d := drawing{t: t}
		p := d.policy()
		more := d.rule(999)
		more.verdict = rapid.SampledFrom([]toolverdict.Verdict{toolverdict.Ask, toolverdict.Deny}).Draw(t, "stricter")
		before, after := engine(t, one, p.yaml("p")), engine(t, one, append(slices.Clone(p), more).yaml("p"))
		for range 6 {
			call := d.arguments()
			// Where nothing matched the default denied; an ask rule then speaks for the first time.
			if b, a := before(call), after(call); a.Verdict > b.Verdict && len(b.Rules) > 0 || a.Verdict == toolverdict.Allow && b.Verdict != toolverdict.Allow {
				t.Fatalf("%v became %v with\n%s", b.Verdict, a.Verdict, oPolicy{more}.yaml("more"))
			}
		}
	})
}

// TestOrderNeverMatters: rules in another order, spread over files in another
// order, decide the same, and the order within a file does not change the hash.
func TestOrderNeverMatters(t *testing.T) {
	t.Parallel()
	one := tool(t, "s/one", "true")
	rapid.Check(t, func(t *rapid.T) {
		d := drawing{t: t}
		p := d.policy()
		shuffled := rapid.Permutation(p).Draw(t, "order")
		cut := rapid.IntRange(1, len(p)).Draw(t, "cut")
		straight, mixed := engine(t, one, p.yaml("p")), engine(t, one, shuffled.yaml("p"))
		files := []string{shuffled[:cut].yaml("x")}
		if cut < len(p) {
			files = append([]string{shuffled[cut:].yaml("w")}, files...)
		}
		split := engine(t, one, files...)
		slices.Reverse(files)
		turned := engine(t, one, files...)
		for range 4 {
			call := d.arguments()
			want := straight(call)
			if diff := cmp.Diff(want, mixed(call)); diff != "" {
				t.Fatal(diff)
			}
			first, second := split(call), turned(call)
			if diff := cmp.Diff(first, second); diff != "" {
				t.Fatal(diff)
			}
			want.PolicyVersion, want.PolicyHash = first.PolicyVersion, first.PolicyHash
			if diff := cmp.Diff(want, first); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

// TestDuplicatesNeverMatter: the same rule under another name changes no
// verdict.
func TestDuplicatesNeverMatter(t *testing.T) {
	t.Parallel()
	one := tool(t, "s/one", "true")
	rapid.Check(t, func(t *rapid.T) {
		d := drawing{t: t}
		p := d.policy()
		again := rapid.SampledFrom(p).Draw(t, "rule")
		again.id = "r999"
		before, after := engine(t, one, p.yaml("p")), engine(t, one, append(slices.Clone(p), again).yaml("p"))
		for range 6 {
			call := d.arguments()
			if b, a := before(call), after(call); b.Verdict != a.Verdict || b.Rule != a.Rule {
				t.Fatalf("%v by %q became %v by %q", b.Verdict, b.Rule, a.Verdict, a.Rule)
			}
		}
	})
}

// TestMissingNeverLoosens: without an argument, or with null or something of
// another type in its place, a call is decided no milder. Only exists, type and
// length may tell such a call apart, so they are left out here.
func TestMissingNeverLoosens(t *testing.T) {
	t.Parallel()
	one := tool(t, "s/one", "true")
	rapid.Check(t, func(t *rapid.T) {
		d := drawing{t: t, noExists: true}
		p := d.policy()
		decide := engine(t, one, p.yaml("p"))
		for range 4 {
			call := d.arguments()
			before := decide(call)
			for _, name := range slices.Sorted(maps.Keys(call)) {
				for what, put := range map[string]any{"missing": nil, "null": nil, "an object": map[string]any{"odd": "a"}} {
					worse := maps.Clone(call)
					worse[name] = put
					if what == "missing" {
						delete(worse, name)
					}
					// An ask that turns to the default's deny is stricter; so is nothing else.
					if after := decide(worse); after.Verdict > before.Verdict && len(before.Rules) > 0 || after.Verdict == toolverdict.Allow && before.Verdict != toolverdict.Allow {
						t.Fatalf("with %s %s, %v by %q became %v by %q:\n%v\n%s", name, what, before.Verdict, before.Rule, after.Verdict, after.Rule, call, p.yaml("p"))
					}
				}
			}
		}
	})
}
