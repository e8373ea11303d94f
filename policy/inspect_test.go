// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy"
)

func shownAs(r toolverdict.Request) policy.Shown {
	return policy.Shown{Arguments: r.Arguments, Effects: r.Effects}
}

// kleene joins the parts of a condition as its kind says, where they tell.
func kleene(c policy.ConditionSeen) policy.Truth {
	if c.Text == "not" {
		return c.Parts[0].Truth.Not()
	}
	out := policy.True
	if c.Text == "any" {
		out = policy.False
	}
	for _, p := range c.Parts {
		switch {
		case c.Text == "all" && (p.Truth == policy.False || out == policy.False):
			out = policy.False
		case c.Text == "any" && (p.Truth == policy.True || out == policy.True):
			out = policy.True
		case p.Truth == policy.Unknown:
			out = policy.Unknown
		}
	}
	return out
}

func consistent(t *rapid.T, c *policy.ConditionSeen) {
	if c == nil {
		return
	}
	if got := kleene(*c); len(c.Parts) > 0 && got != c.Truth {
		t.Fatalf("%q is %s, its parts make it %s", c.Text, c.Truth, got)
	}
	for i := range c.Parts {
		consistent(t, &c.Parts[i])
	}
	for i := range c.Effects {
		consistent(t, &c.Effects[i].Condition)
	}
}

func truthOf(c *policy.ConditionSeen, missing policy.Truth) policy.Truth {
	if c == nil {
		return missing
	}
	return c.Truth
}

// TestExplanationIsTheDecision: what is explained is what is decided: the same
// decision, the same rules, and conditions that add up to it.
func TestExplanationIsTheDecision(t *testing.T) {
	t.Parallel()
	known, unknown := withRoles(t, "s/one", "shell"), tool(t, "s/one", "true")
	rapid.Check(t, func(t *rapid.T) {
		d := drawing{t: t}
		p := drawEffectPolicy(t, d)
		if len(p) == 0 {
			return
		}
		s, err := tryCompile(p.yaml("p"))
		if err != nil {
			t.Fatal(err)
		}
		inspector := s.Inspect()
		for range 3 {
			r := oCall{tool: "s/one", arguments: d.arguments(), effects: d.effectList()}.request(t, known, unknown)
			seen := inspector.Explain(r, shownAs(r))
			if diff := cmp.Diff(s.Decide(r), seen.Decision); diff != "" {
				t.Fatal(diff)
			}
			var matched []toolverdict.Match
			for _, rule := range seen.Rules {
				all := kleene(policy.ConditionSeen{Text: "all", Parts: []policy.ConditionSeen{
					{Truth: truthOf(rule.When, policy.True)}, {Truth: truthOf(rule.Unless, policy.False).Not()},
				}})
				if all != rule.Truth {
					t.Fatalf("rule %s is %s, its conditions make it %s", rule.ID, rule.Truth, all)
				}
				consistent(t, rule.When)
				consistent(t, rule.Unless)
				if rule.Matched {
					matched = append(matched, toolverdict.Match{Rule: rule.ID, Verdict: rule.Verdict, Unknown: rule.Truth == policy.Unknown})
				}
			}
			if diff := cmp.Diff(seen.Decision.Rules, matched); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

const inspected = `
policy: p
version: v1
default: ask
define: {ours: [corp.example, partner.example]}
rules:
  - id: deny-big
    verdict: deny
    reason: Large sums are finance's
    tools: [s/pay, s/refund]
    when: {args.amount: {gt: 100, lte: 500}, not: {args.kind: [a, b]}}
    unless: {args.to: {domainIn: {use: ours}}}
    match: [{amount: 101, kind: c, to: a@else.example}]
    noMatch: [{amount: 100, kind: c, to: a@else.example}]
  - id: limit-pay
    verdict: deny
    reason: Ten a day
    tools: s/pay
    limit: {max: 10, per: 1d, by: subject}
`

// TestExplainShowsWhatWasSeen names every condition with its place and value,
// and shows nothing but what may be shown.
func TestExplainShowsWhatWasSeen(t *testing.T) {
	t.Parallel()
	pay := tool(t, "s/pay", "true")
	s := compile(t, inspected, catalog{pay, tool(t, "s/refund", "true")})
	r := toolverdict.Request{Tool: pay, Arguments: args(t, `{"amount":200,"kind":"hush","to":"x@corp.example"}`), Subject: toolverdict.Subject{ID: "u"}}
	r.Usage = []toolverdict.Usage{{Key: s.Decide(r).Limits[0].Key, Count: 3}}
	seen := s.Inspect().Explain(r, policy.Shown{Arguments: args(t, `{"amount":200,"kind":"[sensitive]","to":"x@corp.example"}`)})
	var got []string
	var walk func(indent string, c *policy.ConditionSeen)
	walk = func(indent string, c *policy.ConditionSeen) {
		if c == nil {
			return
		}
		got = append(got, indent+c.Text+" | "+c.Value+" | "+c.Truth.String())
		for i := range c.Parts {
			walk(indent+"  ", &c.Parts[i])
		}
	}
	for _, rule := range seen.Rules {
		got = append(got, rule.ID+" "+rule.Truth.String()+" "+rule.Limit)
		walk("  ", rule.When)
		walk("  ", rule.Unless)
	}
	want := []string{
		"deny-big false ",
		"  all |  | true",
		"    args.amount: {gt: 100, lte: 500} | 200 | true",
		"    not |  | true",
		`      args.kind: [a, b] | "[sensitive]" | false`,
		`  args.to: {domainIn: {use: ours}} | "x@corp.example" | true`,
		"limit-pay true 3 of 10 in 1d by subject",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestExplainShowsWhatHistoryIsTestedFor: the value is the one that is tested,
// with the call itself where it counts, and the text tells all that was asked.
func TestExplainShowsWhatHistoryIsTestedFor(t *testing.T) {
	t.Parallel()
	pay := define(t, toolverdict.Definition{Name: "s/pay", Server: "s", Safety: toolverdict.Destructive, Risk: toolverdict.LowRisk, Sensitive: []string{"/secret"}})
	past := before(t, catalog{pay}, "s/pay", time.Minute, func(p *policy.Past) { p.Arguments = args(t, `{"amount":5}`) })
	maybe := past
	maybe.State = toolverdict.PastDispatched
	for name, c := range map[string]struct {
		condition, text, value string
		shown                  string
		past                   []policy.Past
	}{
		"any":             {`history.any: {tools: s/pay, within: 30d}`, `history.any: {tools: [s/pay], within: 30d}`, "0", "", nil},
		"count":           {`history.count: {tools: s/pay, within: 1h, is: {gte: 1}}`, `history.count: {tools: [s/pay], within: 1h, is: {gte: 1}}`, "0", "", nil},
		"count and this":  {`history.count: {tools: s/pay, within: 1h30m, by: anyone, andThis: true, is: {gte: 1}}`, `history.count: {tools: [s/pay], within: 1h30m, by: anyone, andThis: true, is: {gte: 1}}`, "1", "", nil},
		"two and this":    {`history.count: {tools: s/pay, within: 1h, by: [user, session], andThis: true, is: {gte: 1}}`, `history.count: {tools: [s/pay], within: 1h, by: [session, user], andThis: true, is: {gte: 1}}`, "2", "", []policy.Past{past}},
		"perhaps":         {`history.count: {tools: s/pay, within: 1h, what: succeeded, by: subject, andThis: true, is: {gte: 1}}`, `history.count: {tools: [s/pay], within: 1h, by: subject, what: succeeded, andThis: true, is: {gte: 1}}`, "1 to 2", "", []policy.Past{maybe}},
		"of another tool": {`history.count: {tools: s/other, within: 1h, andThis: true, is: {gte: 1}}`, `history.count: {tools: [s/other], within: 1h, andThis: true, is: {gte: 1}}`, "0", "", nil},
		"sum":             {`history.sum: {tools: s/pay, within: 1d, of: args.amount, is: {gt: 1}}`, `history.sum: {tools: [s/pay], within: 1d, of: args.amount, is: {gt: 1}}`, "5", "", []policy.Past{past}},
		"sum and this":    {`history.sum: {tools: s/pay, within: 1d, of: args.amount, andThis: true, is: {gt: 1}}`, `history.sum: {tools: [s/pay], within: 1d, of: args.amount, andThis: true, is: {gt: 1}}`, "12.5", "", []policy.Past{past}},
		"hidden":          {`history.sum: {tools: s/pay, within: 1d, of: args.amount, andThis: true, is: {gt: 1}}`, `history.sum: {tools: [s/pay], within: 1d, of: args.amount, andThis: true, is: {gt: 1}}`, "5, and this call's, which is not shown", `{"amount":"[redacted]"}`, []policy.Past{past}},
		"never kept":      {`history.sum: {tools: s/pay, within: 1d, of: args.secret, andThis: true, is: {gt: 1}}`, `history.sum: {tools: [s/pay], within: 1d, of: args.secret, andThis: true, is: {gt: 1}}`, "not known", "", nil},
		"spent":           {`history.sum: {tools: s/pay, within: 1d, of: spend, currency: EUR, andThis: true, is: {gt: 1}}`, `history.sum: {tools: [s/pay], within: 1d, of: spend, currency: EUR, andThis: true, is: {gt: 1}}`, "3", "", nil},
	} {
		s := compile(t, "{policy: p, version: v1, rules: [{id: r, verdict: deny, reason: why, tools: s/pay, when: {"+c.condition+"}}]}", nil)
		r := request(pay)
		r.Arguments = args(t, `{"amount":7.5,"secret":8}`)
		r.Effects = []toolverdict.Effect{{Kind: toolverdict.EffectSpend, Amount: "3", Currency: "EUR"}}
		r.Past = s.Remember(r, c.past)
		shown := policy.Shown{Arguments: r.Arguments, Effects: r.Effects}
		if c.shown != "" {
			shown.Arguments = args(t, c.shown)
		}
		got := s.Inspect().Explain(r, shown).Rules[0].When
		if diff := cmp.Diff([]string{c.text, c.value}, []string{got.Text, got.Value}); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// TestMutants lists what is changed and decides each by the changed rule.
func TestMutants(t *testing.T) {
	t.Parallel()
	pay, refund := tool(t, "s/pay", "true"), tool(t, "s/refund", "true")
	s := compile(t, inspected, catalog{pay, refund, tool(t, "s/other", "true")})
	at := func(amount, kind, to string) toolverdict.Request {
		return toolverdict.Request{Tool: pay, Subject: toolverdict.Subject{ID: "u"}, Arguments: args(t, `{"amount":`+amount+`,"kind":"`+kind+`","to":"`+to+`"}`)}
	}
	calls := map[string]toolverdict.Request{
		"100": at("100", "c", "a@else.example"), "200": at("200", "c", "a@else.example"), "500": at("500", "c", "a@else.example"), "501": at("501", "c", "a@else.example"),
		"a": at("200", "a", "a@else.example"), "b": at("200", "b", "a@else.example"), "ours": at("200", "c", "a@corp.example"),
	}
	var got []string
	mutants := s.Inspect().Mutants()
	for i := range mutants {
		m := &mutants[i]
		var differ []string
		for _, name := range []string{"100", "200", "500", "501", "a", "b", "ours"} {
			was, is := s.Decide(calls[name]), m.For(pay).Decide(calls[name])
			if was.Verdict != is.Verdict || was.Rule != is.Rule || len(was.Limits) != len(is.Limits) {
				differ = append(differ, name)
			}
		}
		caught := ""
		if m.Caught() {
			caught = " caught"
		}
		got = append(got, m.Rule+" "+m.Change+": "+strings.Join(differ, " ")+caught)
	}
	want := []string{
		"deny-big verdict deny becomes allow: 200 500",
		"deny-big one of its tools is dropped: s/pay: 200 500",
		"deny-big one of its tools is dropped: s/refund: ",
		"deny-big when is dropped: 100 501 a b caught",
		"deny-big all becomes any: 100 501 a b caught",
		"deny-big dropped: args.amount: {gt: 100, lte: 500}: 100 501 caught",
		"deny-big negated: args.amount: {gt: 100, lte: 500}: 100 200 500 501 caught",
		"deny-big args.amount: gt is dropped: 100 caught",
		"deny-big args.amount: gt becomes gte: 100 caught",
		"deny-big args.amount: lte is dropped: 501",
		"deny-big args.amount: lte becomes lt: 500",
		"deny-big dropped: not: a b",
		"deny-big not is dropped: 200 500 a b caught",
		"deny-big negated: args.kind: [a, b]: 200 500 a b caught",
		"deny-big args.kind: in loses a: a",
		"deny-big args.kind: in loses b: b",
		"deny-big unless is dropped: ours",
		"deny-big negated: args.to: {domainIn: {use: ours}}: 200 500 ours caught",
		"limit-pay verdict deny becomes ask: ",
		"limit-pay the limit is one more: ",
		"limit-pay the limit is dropped: 100 501 a b ours",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if m := mutants[0]; m.For(tool(t, "s/third", "true")) != nil {
		t.Error("a mutant speaks of a tool that its rule does not cover")
	}
}
