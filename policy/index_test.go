// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict"
)

// indexed draws one test of an argument that rules are found by, over few
// values, so that calls come close.
func (d drawing) indexed() string {
	word := func() string { return d.pick("word", "a", "ab", "abc", "b", "ba", "x1", "abcab") }
	list := func(of func() string) string {
		var out []string
		for range rapid.IntRange(1, 3).Draw(d.t, "several") {
			out = append(out, of())
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	number := func() string { return d.pick("bound", "-1", "0", "0.5", "1", "2", "1e3", "9007199254740993") }
	quoted := func(of ...string) func() string {
		return func() string { return "'" + d.pick("value", of...) + "'" }
	}
	patterns := quoted("(ab){300}.*", "a.*", ".*b", "a?b+", "(ab|ba)c?", "[ab]c", "(?i)ab", "x[0-9]", ".*bca.*", "a{2,3}", "", "(a|b|)", "^ab$", "a\\b.*", "\uFFFD.*")
	globs := quoted("a*", "*b", "*bc*", "a?c", "?b*", "abc", "*a?c*", "\uFFFD?*")
	folders := quoted("/", "/data", "/data/a", "/Data", "/proc", "/dev", "/straße", "/data/K")
	domains := quoted("a.example", "*.a.example", "b.a.example", "*.example")
	hosts := quoted("a.example", "*.a.example", "10.0.0.1", "::1", "*.example")
	ranges := quoted("10.0.0.0/8", "10.0.0.0/24", "10.0.0.1", "::/0", "fd00::/8", "0.0.0.0/0")
	switch rapid.IntRange(0, 14).Draw(d.t, "test") {
	case 0:
		return list(word)
	case 1:
		return "{prefix: " + list(word) + "}"
	case 2:
		return "{suffix: " + list(word) + "}"
	case 3:
		return "{contains: " + list(word) + "}"
	case 4:
		return "{glob: " + list(globs) + "}"
	case 5:
		return "{regex: " + list(patterns) + "}"
	case 6:
		return "{under: " + list(folders) + "}"
	case 7:
		return "{domainIn: " + list(domains) + "}"
	case 8:
		return "{hostIn: " + list(hosts) + "}"
	case 9:
		return "{cidr: " + list(ranges) + "}"
	case 10:
		return "{" + d.pick("order", "gt", "gte", "lt", "lte", "eq", "ne") + ": " + number() + "}"
	case 11:
		return "{gte: " + number() + ", lt: " + number() + "}"
	case 12:
		return d.pick("mixed", "true", "[false, a]", "[a, 1, 0.5]", "{in: [true, 1e3]}", "{exists: true}", "{not: {prefix: a}}", "{notIn: [a, b]}", "{type: string}")
	case 13:
		return "{" + d.pick("spread", "any", "every") + ": {" + d.pick("op", "prefix: a", "in: [a, 1]", "under: /data", "gt: 0", "regex: a.*") + "}}"
	}
	return "{prefix: a, suffix: b}"
}

// condition nests tests.
func (d drawing) condition(depth int) string {
	part := func() string { return d.condition(depth - 1) }
	switch k := rapid.IntRange(0, 9).Draw(d.t, "condition"); {
	case depth > 0 && k == 0:
		return "{all: [" + part() + ", " + part() + "]}"
	case depth > 0 && k <= 2:
		return "{any: [" + part() + ", " + part() + "]}"
	case depth > 0 && k == 3:
		return "{not: " + part() + "}"
	case k == 4:
		return "{'args.p[*]': " + d.indexed() + "}"
	}
	return "{args." + d.pick("field", "p", "p", "q") + ": " + d.indexed() + "}"
}

// odd is what an argument may hold that comes close to what rules look for.
func (d drawing) odd(depth int) any {
	if k := rapid.IntRange(0, 9).Draw(d.t, "kind"); depth > 0 && k < 3 {
		out := []any{}
		for range rapid.IntRange(0, 3).Draw(d.t, "elements") {
			out = append(out, d.odd(depth-1))
		}
		return out
	}
	return rapid.SampledFrom([]any{
		"a", "ab", "abc", "b", "ba", "abcab", "x1", "X1", "AB", "", "aa", "bc", "\uFFFDa", "a\n",
		"/", "/data", "/data/a/b", "/DATA/x", "/database", "/data/../etc", "//data", "/proc/1/root/data", "/dev/fd/3", "/data/./a", "/straße/x", "/STRAßE/x", "/data/\u212A", "/data/k", "data",
		"u@a.example", "u@A.example", "u@b.a.example", "u@c.b.a.example", "u@xa.example", "U <u@a.example>", "u@.example",
		"https://a.example/x", "http://B.A.example:80", "https://10.0.0.1/", "https://[::1]/", "https://u@a.example/", "https://example/",
		"10.0.0.1", "10.1.0.1", "11.0.0.1", "::1", "fd00::1", "::ffff:10.0.0.1",
		json.Number("0"), json.Number("0.5"), json.Number("0.50"), json.Number("1"), json.Number("1000"), json.Number("-1"), json.Number("9007199254740993"), json.Number("9007199254740992"),
		true, false, nil, map[string]any{"x": "a"}, strings.Repeat("ab", 2500),
	}).Draw(d.t, "odd")
}

// TestIndexLosesNoRule: many rules together, most of them found by what they
// need, match what each of them matches alone, where nothing is looked up.
func TestIndexLosesNoRule(t *testing.T) {
	t.Parallel()
	one := tool(t, "s/one", "true")
	rapid.Check(t, func(t *rapid.T) {
		d := drawing{t: t}
		var rules []string
		for i := range rapid.IntRange(12, 40).Draw(t, "rules") {
			r := fmt.Sprintf("  - {id: r%02d, verdict: %s, reason: drawn, tools: s/one, when: %s", i, d.pick("verdict", "deny", "allow", "ask"), d.condition(2))
			if rapid.IntRange(0, 4).Draw(t, "unless") == 0 {
				r += ", unless: " + d.condition(1)
			}
			rules = append(rules, r+"}\n")
		}
		const head = "policy: p\nversion: v1\nrules:\n"
		together := engine(t, one, head+strings.Join(rules, ""))
		alone := make([]func(any) toolverdict.Decision, len(rules))
		for i, r := range rules {
			alone[i] = engine(t, one, head+r)
		}
		for range 6 {
			call := map[string]any{"p": d.odd(2), "q": d.odd(1)}
			for _, name := range []string{"p", "q"} {
				if rapid.IntRange(0, 7).Draw(t, "missing") == 0 {
					delete(call, name)
				}
			}
			var want []toolverdict.Match
			for _, decide := range alone {
				want = append(want, decide(call).Rules...)
			}
			if got := together(call).Rules; !slices.Equal(got, want) {
				t.Fatalf("%s\n%.300v\ntogether %v\nalone    %v", strings.Join(rules, ""), call, got, want)
			}
		}
	})
}

// TestIndexEdges puts one rule among many like it, and a value at which it says
// something else than "no" for an uncommon reason.
func TestIndexEdges(t *testing.T) {
	t.Parallel()
	one := tool(t, "s/one", "true")
	for _, c := range []struct{ name, test, others, value string }{
		{"text too long for a regex", "{regex: '(ab){300}.*b'}", "{regex: 'x%d(ab){300}.*b'}", `"` + strings.Repeat("ab", 5000) + `"`},
		{"text too long for a finite regex", "{regex: '(ab|cd){1}'}", "{regex: 'x%d'}", `"` + strings.Repeat("ab", 500_000) + `"`},
		{"text too long for a glob", "{glob: 'a?a*" + strings.Repeat("b", 50) + "'}", "{glob: 'x%d?*'}", `"` + strings.Repeat("ab", 500_000) + `"`},
		{"a folder of /proc", "{under: /data}", "{under: /other%d}", `"/proc/1/root/data"`},
		{"a folder in another case", "{under: /data/K}", "{under: /other%d}", "\"/DATA/\u212A/x\""},
		{"a folder with dots", "{under: /data}", "{under: /other%d}", `"/x/../data"`},
		{"the root", "{under: /}", "{under: /other%d}", `"/"`},
		{"a folder spelt with detours", "{under: /data/a}", "{under: /other%d}", `"/data/.//a/b"`},
		{"a mail address in quotes", "{domainIn: a.example}", "{domainIn: b%d.example}", `"\"u\"@c.example"`},
		{"a subdomain", "{domainIn: '*.example'}", "{domainIn: b%d.example}", `"u@b.c.example"`},
		{"a host in capitals", "{hostIn: a.example}", "{hostIn: b%d.example}", `"https://A.Example/"`},
		{"an address as host", "{hostIn: '10.0.0.1'}", "{hostIn: '10.0.1.%d'}", `"https://10.0.0.1/"`},
		{"a wide range", "{cidr: '0.0.0.0/0'}", "{cidr: '10.0.%d.0/24'}", `"11.0.0.1"`},
		{"an address within IPv6", "{cidr: '10.0.0.0/8'}", "{cidr: '10.0.%d.0/24'}", `"::ffff:11.0.0.1"`},
		{"numbers that floats cannot tell apart", "{gte: 9007199254740993}", "{gte: 900719925474099%d}", "9007199254740993"},
		{"just below such a number", "{lt: 9007199254740993}", "{lt: 900719925474099%d}", "9007199254740992"},
		{"a range of one number", "{between: [0.1, 0.1]}", "{between: [-9, -1.%d]}", "1e-1"},
		{"another type", "{gt: 5}", "{gt: 1%d}", `"6"`},
		{"a list of lists", "{prefix: a}", "{prefix: b%d}", `[["a"]]`},
		{"an empty list", "{prefix: a}", "{prefix: b%d}", `[]`},
		{"a list with one that fits", "{prefix: a}", "{prefix: b%d}", `["x", "y", "ab"]`},
		{"a boolean", "true", "[false, 'b%d']", "true"},
		{"a byte pair", "{contains: '..'}", "{contains: 'b%d.'}", `"a/../b"`},
		{"a letter", "{contains: '|'}", "{contains: 'b%d'}", `"a|b"`},
		{"the end of a word", "{suffix: rd}", "{suffix: 'b%d'}", `"word"`},
		{"folded letters", "{regex: '(?i)abc'}", "{regex: 'b%d'}", `"aBC"`},
		{"an optional start", "{regex: 'x?abc'}", "{regex: 'b%d'}", `"abc"`},
	} {
		const head = "policy: p\nversion: v1\nrules:\n"
		for _, verdict := range []string{"deny", "allow"} {
			var rules strings.Builder
			for i := range 20 {
				others := c.others
				if strings.Contains(others, "%d") {
					others = fmt.Sprintf(others, i%10)
				}
				fmt.Fprintf(&rules, "  - {id: r%02d, verdict: %s, reason: another, tools: s/one, when: {args.p: %s}}\n", i, verdict, others)
			}
			target := fmt.Sprintf("  - {id: target, verdict: %s, reason: found, tools: s/one, when: {args.p: %s}}\n", verdict, c.test)
			call := toolverdict.Request{Tool: one, Arguments: args(t, `{"p": `+c.value+`}`)}
			find := func(text string) (found []toolverdict.Match) {
				for _, m := range compile(t, text, catalog{one}).Decide(call).Rules {
					if m.Rule == "target" {
						found = append(found, m)
					}
				}
				return found
			}
			want, got := find(head+target), find(head+rules.String()+target)
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s: among others %v, alone %v", c.name, verdict, got, want)
			}
			if verdict == "deny" && len(want) == 0 {
				t.Errorf("%s: the value tells nothing: the rule does not match alone", c.name)
			}
		}
	}
}
