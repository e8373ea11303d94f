// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy"
)

// tight draws a rule that often contradicts itself: several tests of one field.
func (d drawing) tight(i int) oRule {
	r := d.rule(i)
	field := rapid.SampledFrom([]oField{{"p"}, {"q"}, {"r", "*"}}).Draw(d.t, "one field")
	test := func() oCond { return oCond{field: field, ops: d.ops(1)} }
	switch rapid.IntRange(0, 4).Draw(d.t, "shape") {
	case 0:
		r.when = &oCond{all: []oCond{test(), test(), test()}}
	case 1:
		r.when = &oCond{all: []oCond{test(), {any: []oCond{test(), test()}}}}
	case 2:
		one, other := test(), test()
		r.when, r.unless = &one, &other
	case 3:
		one := test()
		r.when = &oCond{all: []oCond{test(), {not: &one}}}
	default:
		one := test()
		one.ops = append(one.ops, d.ops(1)...)
		seen := map[string]bool{}
		one.ops = slices.DeleteFunc(one.ops, func(o oOp) bool { twice := seen[o.name]; seen[o.name] = true; return twice })
		r.when = &one
	}
	return r
}

var told = regexp.MustCompile(`^rule "(\w+)" (can never match|is true of no call|never has an effect: rule "(\w+)"|says what rule "(\w+)" says)`)

// TestMeaningIsTrue: what is said of a rule is so for every call.
func TestMeaningIsTrue(t *testing.T) {
	t.Parallel()
	one := tool(t, "s/one", "true")
	said := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		d := drawing{t: t}
		var p oPolicy
		for i := range rapid.IntRange(1, 6).Draw(t, "rules") {
			r := d.tight(2 * i)
			p = append(p, r)
			if rapid.IntRange(0, 4).Draw(t, "again") == 0 {
				r.id = fmt.Sprintf("r%03d", 2*i+1)
				r.verdict = rapid.SampledFrom([]toolverdict.Verdict{toolverdict.Allow, toolverdict.Ask, toolverdict.Deny}).Draw(t, "other verdict")
				p = append(p, r)
			}
		}
		set, report, err := policy.Compile([]policy.File{{Name: "p.yaml", Content: []byte(p.yaml("p"))}}, nil, policy.Options{Meaning: true})
		if err != nil {
			t.Fatal(err)
		}
		for range 30 {
			call := d.arguments()
			for _, name := range []string{"p", "q"} { // most tests are about single values
				if rapid.IntRange(0, 2).Draw(t, "plain") > 0 {
					call[name] = d.scalar()
				}
			}
			matched := map[string]toolverdict.Match{}
			for _, m := range set.Decide(toolverdict.Request{Tool: one, Arguments: fromGo(t, call)}).Rules {
				matched[m.Rule] = m
			}
			for _, w := range report.Warnings {
				m := told.FindStringSubmatch(w.Message)
				if m == nil {
					continue
				}
				hit, is := matched[m[1]]
				_, other := matched[m[3]+m[4]]
				said[m[2][:10]]++
				if m[2] == "can never match" && is || m[2] == "is true of no call" && is && !hit.Unknown || m[3] != "" && is && !other || m[4] != "" && is != other {
					b, _ := json.Marshal(call)
					t.Fatalf("%s\n%s\n%s\nmatched %v", w.Message, p.yaml("p"), b, matched)
				}
			}
		}
	})
	for _, what := range []string{"can never ", "is true of", "never has ", "says what "} {
		if said[what] < 50 {
			t.Errorf("%q was said only %d times: the test shows little", what, said[what])
		}
	}
}
