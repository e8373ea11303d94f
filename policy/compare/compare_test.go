// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package compare_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy"
	"github.com/toolverdict/toolverdict/policy/compare"
)

type anything struct{}

func (anything) Clash(tv.Value) (tv.FieldError, bool) { return tv.FieldError{}, false }

func (anything) Validate(tv.Value) []tv.FieldError { return nil }

func file(rules string) []policy.File {
	text := "policy: p\nversion: v1\nrules:\n" + rules
	return []policy.File{{Name: "p.yaml", Content: []byte(text)}}
}

func rule(id, verdict, tools, rest string) string {
	return fmt.Sprintf("  - {id: %s, verdict: %s, reason: r, tools: %s%s}\n", id, verdict, tools, rest)
}

func compared(t testing.TB, before, after []policy.File) compare.Report {
	t.Helper()
	r, err := compare.Policies(before, after, nil, compare.Maker{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestChangesWithWitnesses(t *testing.T) {
	t.Parallel()
	allow := rule("all", "allow", "s/t", "")
	for name, c := range map[string]struct {
		before, after string
		status        compare.Status
		want          []string // "old new" of the witnesses
		holds         string   // in the first witness's call
	}{
		"nothing":                         {before: allow, after: allow, status: compare.Equal},
		"another reason":                  {before: allow, after: strings.Replace(allow, "reason: r", "reason: other", 1), status: compare.Equal},
		"a verdict":                       {before: allow, after: rule("all", "ask", "s/t", ""), status: compare.Differs, want: []string{"allow ask"}},
		"a bound":                         {before: allow + rule("d", "deny", "s/t", ", when: {args.n: {gt: 100}}"), after: allow + rule("d", "deny", "s/t", ", when: {args.n: {gte: 100}}"), status: compare.Differs, want: []string{"allow deny"}, holds: `"n":100}`},
		"a bound by a hair":               {before: allow + rule("d", "deny", "s/t", ", when: {args.n: {gt: 0.01}}"), after: allow + rule("d", "deny", "s/t", ", when: {args.n: {gt: 0.02}}"), status: compare.Differs, want: []string{"deny allow"}, holds: `"n":0.0`},
		"one text of many":                {before: rule("a", "allow", "s/t", ", when: {args.x: [a, b, c]}"), after: rule("a", "allow", "s/t", ", when: {args.x: [a, c]}"), status: compare.Differs, want: []string{"allow deny"}, holds: `"x":"b"`},
		"the same in other words":         {before: rule("a", "allow", "s/t", ", when: {args.x: [a, b]}"), after: rule("a", "allow", "s/t", ", when: {any: [{args.x: b}, {args.x: a}]}"), status: compare.Differs, want: []string{"allow deny"}, holds: `["a","b"]`},
		"the same regex":                  {before: rule("a", "allow", "s/t", ", when: {args.x: {type: string, regex: 'ab*'}}"), after: rule("a", "allow", "s/t", ", when: {args.x: {type: string, regex: 'a|ab+'}}"), status: compare.Equal},
		"a regex with one text more":      {before: rule("a", "allow", "s/t", ", when: {args.x: {type: string, regex: 'a{1,5}'}}"), after: rule("a", "allow", "s/t", ", when: {args.x: {type: string, regex: 'a{1,6}'}}"), status: compare.Differs, want: []string{"deny allow"}, holds: `"aaaaaa"`},
		"a prefix and a glob alike":       {before: rule("a", "allow", "s/t", ", when: {args.x: {type: string, prefix: ab}}"), after: rule("a", "allow", "s/t", ", when: {args.x: {type: string, glob: 'ab*'}}"), status: compare.Equal},
		"a word boundary":                 {before: rule("a", "allow", "s/t", `, when: {args.x: {type: string, regex: "ls.*"}}`), after: rule("a", "allow", "s/t", `, when: {args.x: {type: string, regex: "ls\\b.*"}}`), status: compare.Differs, want: []string{"allow deny"}, holds: `"ls`},
		"two rules in place of one":       {before: rule("a", "allow", "s/t", ", when: {args.n: {between: [0, 10]}}"), after: rule("a", "allow", "s/t", ", when: {args.n: {between: [0, 5]}}") + rule("b", "allow", "s/t", ", when: {args.n: {type: number, between: [5, 10]}}"), status: compare.Differs, want: []string{"allow deny"}, holds: "["},
		"and they leave a gap":            {before: rule("a", "allow", "s/t", ", when: {args.n: {type: number, between: [0, 10]}}"), after: rule("a", "allow", "s/t", ", when: {args.n: {type: number, between: [0, 5]}}") + rule("b", "allow", "s/t", ", when: {args.n: {type: number, between: [6, 10]}}"), status: compare.Differs, want: []string{"allow deny"}, holds: "5.5"},
		"and they leave none":             {before: rule("a", "allow", "s/t", ", when: {args.n: {type: number, between: [0, 10]}}"), after: rule("a", "allow", "s/t", ", when: {args.n: {type: number, between: [0, 5]}}") + rule("b", "allow", "s/t", ", when: {args.n: {type: number, between: [5, 10]}}"), status: compare.Equal},
		"a rule that another covers":      {before: allow + rule("d", "deny", "s/t", ", when: {args.x: {prefix: a}}") + rule("e", "deny", "s/t", ", when: {args.x: {prefix: ab}}"), after: allow + rule("d", "deny", "s/t", ", when: {args.x: {prefix: a}}"), status: compare.Equal},
		"a folder":                        {before: rule("a", "allow", "s/t", ", when: {args.p: {under: /srv/app}}"), after: rule("a", "allow", "s/t", ", when: {args.p: {under: /srv}}"), status: compare.Differs, want: []string{"deny allow"}, holds: `"/srv`},
		"a prefix in place of a folder":   {before: rule("a", "allow", "s/t", ", when: {args.p: {under: /srv/app}}"), after: rule("a", "allow", "s/t", ", when: {args.p: {prefix: /srv/app}}"), status: compare.Differs, want: []string{"deny allow"}},
		"a domain":                        {before: rule("a", "allow", "s/t", ", when: {args.to: {domainIn: example.com}}"), after: rule("a", "allow", "s/t", ", when: {args.to: {domainIn: '*.example.com'}}"), status: compare.Differs, want: []string{"allow deny", "deny allow"}},
		"a host":                          {before: rule("a", "allow", "s/t", ", when: {args.u: {hostIn: [a.example, b.example]}}"), after: rule("a", "allow", "s/t", ", when: {args.u: {hostIn: a.example}}"), status: compare.Differs, want: []string{"allow deny"}, holds: "https://b.example/"},
		"a range of addresses":            {before: rule("a", "allow", "s/t", ", when: {args.ip: {cidr: 10.0.0.0/8}}"), after: rule("a", "allow", "s/t", ", when: {args.ip: {cidr: 10.0.0.0/9}}"), status: compare.Differs, want: []string{"allow deny"}, holds: `"10.`},
		"roles":                           {before: rule("a", "allow", "s/t", ", when: {subject.roles: {any: [ops, dev]}}"), after: rule("a", "allow", "s/t", ", when: {subject.roles: {any: ops}}"), status: compare.Differs, want: []string{"allow deny"}, holds: `"roles":["dev"]`},
		"a fact of the host":              {before: rule("a", "allow", "s/t", ", when: {env.stage: {ne: prod}}"), after: rule("a", "allow", "s/t", ", when: {env.stage: dev}"), status: compare.Differs, want: []string{"allow deny"}, holds: `"stage":`},
		"the hour":                        {before: rule("a", "allow", "s/t", ", when: {time.hour: {between: [8, 17]}}"), after: rule("a", "allow", "s/t", ", when: {time.hour: {between: [8, 18]}}"), status: compare.Differs, want: []string{"deny allow"}, holds: `T18:`},
		"a list":                          {before: rule("a", "allow", "s/t", ", when: {'args.to[*]': [x, y]}"), after: rule("a", "allow", "s/t", ", when: {'args.to[*]': x}"), status: compare.Differs, want: []string{"allow deny"}, holds: `"y"`},
		"a length":                        {before: allow + rule("d", "deny", "s/t", ", when: {args.x: {type: string, length: {gt: 20}}}"), after: allow + rule("d", "deny", "s/t", ", when: {args.x: {type: string, length: {gt: 30}}}"), status: compare.Differs, want: []string{"deny allow"}},
		"an optional argument":            {before: allow + rule("d", "deny", "s/t", ", when: {args.x: {eq: a}}"), after: allow + rule("d", "deny", "s/t", ", when: {args.x: {exists: true, eq: a}}"), status: compare.Differs, want: []string{"deny allow"}, holds: `{"args":{}`},
		"an exception":                    {before: allow + rule("d", "deny", "s/t", ", when: {args.x: {prefix: a}}"), after: allow + rule("d", "deny", "s/t", ", when: {args.x: {prefix: a}}, unless: {args.x: abc}"), status: compare.Differs, want: []string{"deny allow"}, holds: `"abc"`},
		"a limit":                         {before: allow + rule("l", "deny", "s/t", ", limit: {max: 3, per: 1m, by: session}"), after: allow + rule("l", "deny", "s/t", ", limit: {max: 5, per: 1m, by: session}"), status: compare.Differs, want: []string{"deny allow"}, holds: `"dispatched":{"l":"3"}`},
		"an effect":                       {before: allow + rule("d", "deny", "s/t", ", when: {effects.any: {kind: delete}}"), after: allow + rule("d", "deny", "s/t", ", when: {effects.any: {kind: [delete, write]}}"), status: compare.Differs, want: []string{"allow deny"}, holds: `"kind":"write"`},
		"where effects are, one way":      {before: rule("a", "allow", "s/t", ", when: {effects.every: {kind: read, path: {under: /srv}}}"), after: rule("a", "allow", "s/t", ", when: {effects.every: {kind: read, path: {under: /srv/app}}}"), status: compare.Differs, want: []string{"allow deny"}, holds: `"path":"/srv`},
		"the same about effects":          {before: rule("a", "allow", "s/t", ", when: {effects.every: {kind: [read, write]}}"), after: rule("a", "allow", "s/t", ", when: {effects.every: {kind: [write, read]}}"), status: compare.Unknown},
		"what rests on CEL":               {before: rule("a", "allow", "s/t", ", when: {cel: 'args.n > 1'}"), after: rule("a", "allow", "s/t", ", when: {cel: '1 < args.n'}"), status: compare.Unknown},
		"CEL that needs no argument":      {before: rule("a", "allow", "s/t", ", when: {cel: '1 > 0'}"), after: rule("a", "allow", "s/t", ", when: {cel: '1 > 2'}"), status: compare.Differs, want: []string{"allow deny"}},
		"what looks back":                 {before: allow + rule("d", "deny", "s/t", ", when: {history.any: {tools: s/u, within: 1h}}"), after: allow + rule("d", "deny", "s/t", ", when: {history.any: {tools: s/u, within: 2h}}"), status: compare.Unknown},
		"a change beside what looks back": {before: allow + rule("d", "deny", "s/t", ", when: {history.any: {tools: s/u, within: 1h}}") + rule("e", "deny", "s/t", ", when: {args.n: 1}"), after: allow + rule("d", "deny", "s/t", ", when: {history.any: {tools: s/u, within: 1h}}") + rule("e", "deny", "s/t", ", when: {args.n: 2}"), status: compare.Differs, want: []string{"allow deny", "deny allow"}, holds: `"n":1`},
		"a pattern of tools":              {before: rule("a", "allow", "s/*", ""), after: rule("a", "allow", "s/list_*", ""), status: compare.Differs, want: []string{"allow deny"}},
		"a group":                         {before: rule("a", "allow", "'group:x'", ""), after: rule("a", "allow", "'group:y'", ""), status: compare.Differs, want: []string{"allow deny", "deny allow"}},
		"a removed deny of unknown tools": {before: rule("a", "allow", "'*'", "") + rule("d", "deny", "evil/*", ""), after: rule("a", "allow", "'*'", ""), status: compare.Differs, want: []string{"deny allow"}},
		"nested arguments":                {before: rule("a", "allow", "s/t", ", when: {args.a.b: {eq: 1}}"), after: rule("a", "allow", "s/t", ", when: {args.a.b: {eq: 2}}"), status: compare.Differs, want: []string{"allow deny", "deny allow"}, holds: `{"a":{"b":`},
		"conditions on several fields":    {before: rule("a", "allow", "s/t", ", when: {args.x: a, args.y: b}"), after: rule("a", "allow", "s/t", ", when: {args.x: a, args.z: b}"), status: compare.Differs, want: []string{"allow deny", "deny allow"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := compared(t, file(c.before), file(c.after))
			text, err := json.MarshalIndent(r, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != c.status {
				t.Fatalf("%s, want %s\n%s", r.Status, c.status, text)
			}
			pairs := map[string]bool{}
			for _, w := range r.Witnesses {
				pairs[w.Old.Verdict.String()+" "+w.New.Verdict.String()] = true
			}
			for _, p := range c.want {
				if !pairs[p] {
					t.Errorf("no witness for %q\n%s", p, text)
				}
			}
			if len(c.want) > 0 && !strings.Contains(string(r.Witnesses[0].Call), c.holds) {
				t.Errorf("%s does not hold %s", r.Witnesses[0].Call, c.holds)
			}
		})
	}
}

// A rule that does not use a list is not another one because the list is.
func TestListsCountWhereTheyAreUsed(t *testing.T) {
	t.Parallel()
	policyOf := func(a, b string) []policy.File {
		return []policy.File{{Name: "p.yaml", Content: []byte("policy: p\nversion: v1\ndefine: {a: [" + a + "], b: [" + b + "]}\nrules:\n" +
			rule("with-a", "allow", "s/t", ", when: {args.x: {in: [{use: a}, z]}}") + rule("with-b", "allow", "s/t", ", when: {args.y: {in: [{use: b}]}}") + rule("without", "deny", "s/u", ""))}}
	}
	r := compared(t, policyOf("x", "y"), policyOf("x", "y, yy"))
	if len(r.Rules) != 1 || r.Rules[0].Rule != "with-b" || r.Status != compare.Differs {
		t.Errorf("%+v", r.Rules)
	}
	if r := compared(t, policyOf("x", "y"), policyOf("x, xx", "y")); len(r.Rules) != 1 || r.Rules[0].Rule != "with-a" {
		t.Errorf("%+v", r.Rules)
	}
}

// Of several changes at once each is shown, by the rules that decide; what opens
// most comes first.
func TestEachChangeIsShown(t *testing.T) {
	t.Parallel()
	allow := rule("all", "allow", "s/t", "")
	before := allow + rule("d1", "deny", "s/t", ", when: {args.x: {eq: a, exists: true}}") + rule("d2", "deny", "s/t", ", when: {args.y: {eq: b, exists: true}}") +
		rule("k", "ask", "s/t", ", when: {args.z: {eq: c, exists: true}}")
	after := allow + rule("k2", "ask", "s/t", ", when: {args.x: {eq: a, exists: true}}") + rule("n", "deny", "s/t", ", when: {args.v: {eq: d, exists: true}}")
	r := compared(t, file(before), file(after))
	var got []string
	for _, w := range r.Witnesses {
		got = append(got, fmt.Sprintf("%s/%s %s/%s", w.Old.Verdict, w.Old.Rule, w.New.Verdict, w.New.Rule))
	}
	for _, want := range []string{"deny/d1 ask/k2", "deny/d2 allow/all", "ask/k allow/all", "allow/all deny/n"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not shown: %q", want, got)
		}
	}
	if len(got) == 0 || got[0] != "deny/d2 allow/all" || !r.Witnesses[len(got)-1].Stricter {
		t.Errorf("the worst is not first: %q", got)
	}
}

func TestDefaultsAreCompared(t *testing.T) {
	t.Parallel()
	before := file(rule("a", "allow", "s/t", ""))
	after := []policy.File{{Name: "p.yaml", Content: []byte("policy: p\nversion: v1\ndefault: ask\nrules:\n" + rule("a", "allow", "s/t", ""))}}
	r := compared(t, before, after)
	if r.Status != compare.Differs || len(r.Default) != 2 || r.Witnesses[0].Old.Rule != "" || r.Witnesses[0].New.Verdict != tv.Ask {
		t.Errorf("%+v", r)
	}
}

// again says what a rule says in other words: its condition, twice.
func again(rule string) string {
	head, when, _ := strings.Cut(rule, "when: ")
	when, unless, more := strings.Cut(strings.TrimSuffix(when, "}\n"), ", unless: ")
	if more {
		unless = ", unless: " + unless
	}
	return head + "when: {any: [" + when + ", " + when + "]}" + unless + "}\n"
}

// The law: a witness is never false, and "equal" is never said of policies that
// some call tells apart.
func TestEqualIsNeverSaidOfDifferent(t *testing.T) {
	t.Parallel()
	tool, err := tv.NewTool(tv.Definition{Name: "s/t", Server: "s", Safety: tv.Destructive, Risk: tv.LowRisk, Confirmation: tv.ConfirmByRisk, Execution: tv.Parallel}, anything{})
	if err != nil {
		t.Fatal(err)
	}
	tests := []string{
		"{prefix: a}", "{prefix: ab}", "{suffix: b}", "{contains: b}", "{glob: 'a*b'}", "{glob: 'a?b'}", "{regex: 'a[bc]+'}", "{regex: '(?i)ab'}", "{eq: ab}", "[ab, a]", "{ne: ab}", "{notIn: [a, b]}",
		"{gt: 1}", "{lte: 1.5}", "{between: [1, 2]}", "{in: [1, a, true]}", "{exists: true}", "{exists: false}", "{type: string}", "{type: [number, array]}", "{length: 2}", "{length: {gt: 1}}",
		"{not: {prefix: a}}", "{any: {prefix: a}}", "{every: {in: [ab, b]}}", "{any: {not: {eq: ab}}}", "{under: /a}", "{under: [/a/b, /b]}",
	}
	values := []string{`"a"`, `"ab"`, `"b"`, `"acb"`, `"AB"`, `""`, `1`, `1.5`, `2`, `0`, `true`, `null`, `{}`, `[]`, `["a"]`, `["ab","b"]`, `["a","x",1]`, `[1,2]`, `[["a"]]`, `"/a"`, `"/a/b/c"`, `"/A/x"`, `"/b"`, `"/a/../b"`}
	fields := []string{"args.x", "args.y", "'args.x[*]'", "args.x.z"}
	cond := rapid.Custom(func(t *rapid.T) string {
		one := func() string {
			return "{" + rapid.SampledFrom(fields).Draw(t, "field") + ": " + rapid.SampledFrom(tests).Draw(t, "test") + "}"
		}
		switch rapid.IntRange(0, 5).Draw(t, "form") {
		case 0:
			return "{all: [" + one() + ", " + one() + "]}"
		case 1:
			return "{any: [" + one() + ", " + one() + "]}"
		case 2:
			return "{not: " + one() + "}"
		}
		return one()
	})
	one := rapid.Custom(func(t *rapid.T) string {
		rest := ", when: " + cond.Draw(t, "when")
		if rapid.IntRange(0, 3).Draw(t, "more") == 0 {
			rest += ", unless: " + cond.Draw(t, "unless")
		}
		return rule("ID", rapid.SampledFrom([]string{"allow", "ask", "deny"}).Draw(t, "verdict"), "s/t", rest)
	})
	said := map[compare.Status]int{}
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(one, 1, 4).Draw(t, "rules")
		changed := append([]string{}, list...)
		at := rapid.IntRange(0, len(list)-1).Draw(t, "at")
		if changed[at] = one.Draw(t, "change"); rapid.IntRange(0, 2).Draw(t, "same") == 0 {
			changed[at] = again(list[at])
		}
		text := func(list []string) (out string) {
			for i, r := range list {
				out += strings.Replace(r, "ID", fmt.Sprintf("r%d", i), 1)
			}
			return out
		}
		before, after := file(text(list)), file(text(changed))
		a, _, err := policy.Compile(before, nil, policy.Options{Discovery: true})
		b, _, errAfter := policy.Compile(after, nil, policy.Options{Discovery: true})
		if err != nil || errAfter != nil {
			return // such as a test of texts under length
		}
		r, err := compare.Policies(before, after, nil, compare.Maker{})
		if err != nil {
			t.Fatal(err)
		}
		said[r.Status]++
		for _, w := range r.Witnesses {
			var call struct {
				Args json.RawMessage `json:"args"`
			}
			if err := json.Unmarshal(w.Call, &call); err != nil {
				t.Fatal(err)
			}
			args, err := canon.ParseObject(call.Args, canon.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			req := tv.Request{Tool: tool, Arguments: args}
			if x, y := a.Decide(req), b.Decide(req); w.Tool == "s/t" && (x.Verdict != w.Old.Verdict || y.Verdict != w.New.Verdict) {
				t.Fatalf("a false witness %s: %s and %s\n%s\n%s", w.Call, x.Verdict, y.Verdict, text(list), text(changed))
			}
		}
		for range 30 {
			members := []string{}
			for _, name := range []string{"x", "y"} {
				switch rapid.IntRange(0, 4).Draw(t, "has") {
				case 0:
				case 1:
					members = append(members, fmt.Sprintf(`%q: {"z": %s}`, name, rapid.SampledFrom(values).Draw(t, "inner")))
				default:
					members = append(members, fmt.Sprintf("%q: %s", name, rapid.SampledFrom(values).Draw(t, "value")))
				}
			}
			args, err := canon.ParseObject([]byte("{"+strings.Join(members, ", ")+"}"), canon.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			req := tv.Request{Tool: tool, Arguments: args}
			x, y := a.Decide(req), b.Decide(req)
			if x.Verdict != y.Verdict && r.Status == compare.Equal {
				t.Fatalf("said to be equal, and %s is %s and %s\n%s\n%s", args.RawText(), x.Verdict, y.Verdict, text(list), text(changed))
			}
		}
	})
	if said[compare.Equal] == 0 || said[compare.Differs] == 0 {
		t.Errorf("the random policies do not try everything: %v", said)
	}
}
