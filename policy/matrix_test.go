// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy"
)

// verdicts is what three rules with one condition say of one call: whether the
// deny, ask and allow rule matches.
type outcome struct{ deny, ask, allow, unknown bool }

// probe compiles one condition into a deny, an ask and an allow rule, each for a
// tool of its own.
func probe(t testing.TB, condition string) func(toolverdict.Request) outcome {
	t.Helper()
	return probeTools(t, catalog{tool(t, "p/deny", "true"), tool(t, "p/ask", "true"), tool(t, "p/allow", "true")}, condition)
}

// crowded is [probe] with each of its rules among twenty others about the same
// argument, so that it has to be found.
func crowded(t testing.TB, condition string) func(toolverdict.Request) outcome {
	t.Helper()
	return probeAmong(t, catalog{tool(t, "p/deny", "true"), tool(t, "p/ask", "true"), tool(t, "p/allow", "true")}, condition, 20)
}

// probeTools is [probe] on three tools of the caller's.
func probeTools(t testing.TB, tools catalog, condition string) func(toolverdict.Request) outcome {
	t.Helper()
	return probeAmong(t, tools, condition, 0)
}

func probeAmong(t testing.TB, tools catalog, condition string, others int) func(toolverdict.Request) outcome {
	t.Helper()
	var b strings.Builder
	b.WriteString("policy: probe\nversion: v1\ntimezone: Asia/Shanghai\nrules:\n")
	for _, v := range []string{"deny", "ask", "allow"} {
		fmt.Fprintf(&b, "  - id: %s\n    verdict: %s\n    reason: measured\n    tools: p/%s\n    %s\n", v, v, v, condition)
		for i := range others {
			fmt.Fprintf(&b, "  - {id: other-%s-%d, verdict: %s, reason: another, tools: p/%s, when: {args.x: other%d}}\n", v, i, v, v, i)
		}
	}
	set, _, err := policy.Compile([]policy.File{{Name: "probe.yaml", Content: []byte(b.String())}}, tools, policy.Options{})
	if err != nil {
		t.Fatalf("%s: %v", condition, err)
	}
	return func(r toolverdict.Request) outcome {
		var o outcome
		for i, matched := range []*bool{&o.deny, &o.ask, &o.allow} {
			r.Tool = tools[i]
			for _, m := range set.Decide(r).Rules {
				if m.Rule == []string{"deny", "ask", "allow"}[i] {
					*matched = true
					o.unknown = o.unknown || i == 0 && m.Unknown
				}
			}
		}
		return o
	}
}

// cells of the fail-open matrix: values of which a predicate is sure that they
// satisfy it, sure that they do not, and all others.
type cells struct {
	name, test string
	yes, no    string   // one value of each kind
	wrong      []string // values of types that the predicate cannot judge
}

func matrix() []cells {
	text := []string{"true", "false", "0", "5", "1.5"}
	number := []string{"true", "false", `""`, `"x"`, `"500"`, `"101"`, `"1e3"`}
	boolean := []string{`"true"`, `"false"`, "1", "0", `""`}
	return []cells{
		{name: "eq text", test: "a", yes: `"a"`, no: `"b"`, wrong: text},
		{name: "eq operator", test: "{eq: a}", yes: `"a"`, no: `"A"`, wrong: text},
		{name: "eq number", test: "100", yes: "1e2", no: "100.5", wrong: number},
		{name: "eq big number", test: "9007199254740993", yes: "9007199254740993", no: "9007199254740992", wrong: number},
		{name: "eq true", test: "true", yes: "true", no: "false", wrong: boolean},
		{name: "eq false", test: "false", yes: "false", no: "true", wrong: boolean},
		{name: "in", test: "[a, b]", yes: `"b"`, no: `"c"`, wrong: text},
		{name: "in numbers", test: "{in: [1, 2]}", yes: "2.0", no: "3", wrong: number},
		{name: "in mixed", test: "[a, 1]", yes: "1", no: `"1"`, wrong: []string{"true"}},
		{name: "ne", test: "{ne: a}", yes: `"b"`, no: `"a"`, wrong: text},
		{name: "ne number", test: "{ne: 1}", yes: "2", no: "1.0", wrong: number},
		{name: "notIn", test: "{notIn: [a, b]}", yes: `"c"`, no: `"a"`, wrong: text},
		{name: "prefix", test: "{prefix: /etc}", yes: `"/etc/passwd"`, no: `"/srv"`, wrong: text},
		{name: "prefixes", test: "{prefix: [x, y]}", yes: `"yz"`, no: `"zx"`, wrong: text},
		{name: "suffix", test: "{suffix: .pem}", yes: `"a.pem"`, no: `"pem"`, wrong: text},
		{name: "contains", test: `{contains: ".."}`, yes: `"a/../b"`, no: `"a.b"`, wrong: text},
		{name: "glob", test: `{glob: "*/.env"}`, yes: `"a/.env"`, no: `"a/.env2"`, wrong: text},
		{name: "regex", test: `{regex: "[A-Z][0-9]+"}`, yes: `"A1001"`, no: `"A1001\n"`, wrong: text},
		{name: "gt", test: "{gt: 100}", yes: "100.00000000000001", no: "100", wrong: number},
		{name: "gte", test: "{gte: 100}", yes: "100.0", no: "99.99999999999999", wrong: number},
		{name: "lt", test: "{lt: 100}", yes: "-1e300", no: "1e2", wrong: number},
		{name: "lte", test: "{lte: 100}", yes: "100", no: "1e30", wrong: number},
		{name: "between", test: "{between: [1, 5]}", yes: "5", no: "5.1", wrong: number},
		{name: "two bounds", test: "{gt: 1, lt: 5}", yes: "2", no: "7", wrong: number},
		{name: "time", test: `{gt: "2025-01-15T00:00:00Z"}`, yes: `"2025-01-15T07:00:00+06:00"`, no: `"2025-01-15T07:00:00+08:00"`, wrong: append(text, `"2025-01-16"`, `"tomorrow"`, `"2025-01-15T07:00:00"`)},
		{name: "date", test: `{lte: "2025-01-15"}`, yes: `"2025-01-15"`, no: `"2025-01-16"`, wrong: append(text, `"2025-1-1"`, `"2025-01-15T00:00:00Z"`)},
		{name: "under", test: "{under: /data}", yes: `"/data/x"`, no: `"/database/x"`, wrong: append(text, `"data/x"`, `"/data/../etc"`, `""`)},
		{name: "domainIn", test: "{domainIn: corp.example}", yes: `"a@corp.example"`, no: `"a@evil.example"`, wrong: append(text, `"a@corp.example,b@evil.example"`, `"corp.example"`)},
		{name: "hostIn", test: "{hostIn: example.com}", yes: `"https://example.com/x"`, no: `"https://evil.example/"`, wrong: append(text, `"https://example.com@evil.example/"`, `"example.com"`)},
		{name: "cidr", test: "{cidr: 10.0.0.0/8}", yes: `"10.1.2.3"`, no: `"11.1.2.3"`, wrong: append(text, `"0x0a010203"`, `"10.1"`)},
		{name: "not", test: "{not: {prefix: a}}", yes: `"b"`, no: `"a"`, wrong: text},
		{name: "not eq", test: "{not: 5}", yes: "6", no: "5", wrong: number},
		{name: "several", test: "{prefix: a, suffix: z, not: {contains: m}}", yes: `"abz"`, no: `"amz"`, wrong: text},
	}
}

// values returns what a field may hold, by what a predicate must make of it.
func (c cells) values() (sureYes, sureNo, mixed, hostile []string) {
	sureYes = []string{c.yes, "[" + c.yes + "]", "[" + c.yes + "," + c.yes + "]"}
	sureNo = []string{c.no, "[" + c.no + "]", "[" + c.no + "," + c.no + "]"}
	mixed = []string{"[" + c.yes + "," + c.no + "]", "[" + c.no + "," + c.yes + "]", "[" + c.yes + ",null]", "[[]," + c.yes + "]"}
	hostile = append([]string{"", "null", "{}", "[]", "[null]", "[[]]", "[{}]"}, c.wrong...)
	for _, v := range []string{c.yes, c.no} {
		hostile = append(hostile, "[["+v+"]]", `{"x":`+v+`}`, `[{"x":`+v+`}]`, `{"0":`+v+`,"length":1}`)
	}
	for _, w := range c.wrong {
		hostile = append(hostile, "["+w+"]")
	}
	return sureYes, sureNo, mixed, append(hostile, "["+c.no+",null]", "["+c.no+",["+c.no+"]]", "["+c.no+",{}]")
}

// TestFailOpenMatrix: no value escapes a deny or ask rule, and none satisfies an
// allow rule, but one of which the predicate is sure. That holds for every
// predicate, in when, under not and in unless.
func TestFailOpenMatrix(t *testing.T) {
	t.Parallel()
	count := 0
	for _, c := range matrix() {
		sureYes, sureNo, mixed, hostile := c.values()
		rows := []struct {
			kind   string
			values []string
			// whether strict rules and allow rules match: when, and when not
			strict, allow, strictNot, allowNot bool
		}{
			{"sure yes", sureYes, true, true, false, false},
			{"sure no", sureNo, false, false, true, true},
			{"mixed", mixed, true, false, true, false},
			{"hostile", hostile, true, false, true, false},
		}
		when := probe(t, "when: {args.x: "+c.test+"}")
		not := probe(t, "when: {not: {args.x: "+c.test+"}}")
		unless := probe(t, "unless: {args.x: "+c.test+"}")
		among := crowded(t, "when: {args.x: "+c.test+"}")
		for _, row := range rows {
			for _, v := range row.values {
				call := `{"x":` + v + `}`
				if v == "" {
					call = `{}`
				}
				r := toolverdict.Request{Arguments: args(t, call)}
				for name, got := range map[string]outcome{"when": when(r), "when, among others": among(r), "not": not(r), "unless": unless(r)} {
					strict, allow := row.strict, row.allow
					if name == "not" || name == "unless" {
						strict, allow = row.strictNot, row.allowNot
					}
					count++
					if got.deny != strict || got.ask != strict || got.allow != allow {
						t.Errorf("%s, %s, %s (%s): deny %v, ask %v, allow %v; want %v, %v, %v", c.name, name, call, row.kind, got.deny, got.ask, got.allow, strict, strict, allow)
					}
				}
			}
		}
	}
	t.Logf("%d cells", count)
}

// TestNestedFields: what stands on the way to a field counts as well.
func TestNestedFields(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		condition, call string
		deny, allow     bool
	}{
		{"args.a.b: x", `{"a":{"b":"x"}}`, true, true},
		{"args.a.b: x", `{"a":{"b":"y"}}`, false, false},
		{"args.a.b: x", `{"a":{}}`, true, false},
		{"args.a.b: x", `{"a":null}`, true, false},
		{"args.a.b: x", `{"a":"b"}`, true, false},
		{"args.a.b: x", `{"a":[{"b":"y"}]}`, true, false},
		{"args.a[0]: x", `{"a":["x","y"]}`, true, true},
		{"args.a[1]: x", `{"a":["x","y"]}`, false, false},
		{"args.a[2]: x", `{"a":["x","y"]}`, true, false},
		{"args.a[0]: x", `{"a":{"0":"y"}}`, true, false},
		{`args["a b"]["c.d"]: x`, `{"a b":{"c.d":"x"}}`, true, true},
		{`args["a b"]["c.d"]: x`, `{"a b":{"c.d":"y"}}`, false, false},
		{"args.a[*].p: {gt: 5}", `{"a":[{"p":1},{"p":9}]}`, true, false},
		{"args.a[*].p: {gt: 5}", `{"a":[{"p":8},{"p":9}]}`, true, true},
		{"args.a[*].p: {gt: 5}", `{"a":[{"p":1},{"p":2}]}`, false, false},
		{"args.a[*].p: {gt: 5}", `{"a":[{"p":1},{}]}`, true, false},
		{"args.a[*].p: {gt: 5}", `{"a":[{"p":1},7]}`, true, false},
		{"args.a[*].p: {gt: 5}", `{"a":{"p":1}}`, true, false},
		{"args.a[*].p: {gt: 5}", `{}`, true, false},
		{"args.a[*].p: {gt: 5}", `{"a":"x"}`, true, false},
		{"args.a[*][*]: x", `{"a":[["x"],["y"]]}`, true, false},
		{"args.a[*][*]: x", `{"a":[["x"],["x","x"]]}`, true, true},
		{"args.a[*][*]: x", `{"a":[["y"],"x"]}`, true, false},
		{"args.a[*]: x", `{"a":[["x"]]}`, true, false},
		{"args.a[*]: {any: x}", `{"a":[["x","y"]]}`, true, true},
		{"args.a[*]: {any: x}", `{"a":[["y"]]}`, false, false},
		{"args.a[*]: {length: {lte: 1}}", `{"a":["x","yy"]}`, true, false},
		{"args.a[*]: {length: {lte: 2}}", `{"a":["x","yy"]}`, true, true},
	} {
		got := probe(t, "when: {'"+strings.Replace(c.condition, ": ", "': ", 1)+"}")(toolverdict.Request{Arguments: args(t, c.call)})
		if got.deny != c.deny || got.ask != c.deny || got.allow != c.allow {
			t.Errorf("%s on %s: deny %v, ask %v, allow %v; want %v, %v", c.condition, c.call, got.deny, got.ask, got.allow, c.deny, c.allow)
		}
	}
}

// TestWholeValues: exists, type and length look at the value itself.
func TestWholeValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		test, value string // value "" means missing
		deny, allow bool
	}{
		{"{exists: true}", "", false, false},
		{"{exists: true}", "null", true, true},
		{"{exists: true}", "[]", true, true},
		{"{exists: true}", `""`, true, true},
		{"{exists: false}", "", true, true},
		{"{exists: false}", "null", false, false},
		{"{exists: false}", "0", false, false},
		{"{not: {exists: true}}", "", true, true},
		{"{not: {exists: true}}", "1", false, false},
		{"{exists: true, prefix: a}", "", false, false},
		{"{exists: true, prefix: a}", "null", true, false},
		{"{exists: true, not: {prefix: a}}", "", false, false},
		{"{exists: true, not: {prefix: a}}", `"b"`, true, true},
		{"{type: string}", `"x"`, true, true},
		{"{type: string}", "1", false, false},
		{"{type: string}", `["x"]`, false, false},
		{"{type: string}", "", true, false},
		{"{type: array}", `["x"]`, true, true},
		{"{type: [array, object]}", `{}`, true, true},
		{"{type: integer}", "1.0", true, true},
		{"{type: integer}", "1.5", false, false},
		{"{type: number}", "1", true, true},
		{"{type: boolean}", "false", true, true},
		{`{type: "null"}`, "null", true, true},
		{`{type: null}`, "0", false, false},
		{"{length: 2}", `"ab"`, true, true},
		{"{length: 2}", `"éé"`, true, true},
		{"{length: 2}", `[1,2]`, true, true},
		{"{length: 2}", `{"a":1,"b":2}`, true, true},
		{"{length: 2}", `"abc"`, false, false},
		{"{length: 2}", "12", true, false},
		{"{length: 2}", "null", true, false},
		{"{length: 2}", "", true, false},
		{"{length: 0}", "[]", true, true},
		{"{length: [0, 1]}", `"a"`, true, true},
		{"{length: {gt: 200}}", `"` + strings.Repeat("退", 200) + `"`, false, false},
		{"{length: {gt: 200}}", `"` + strings.Repeat("退", 201) + `"`, true, true},
		{"{length: {lte: 1}, prefix: a}", `["ab","ac"]`, false, false},
		{"{length: {lte: 2}, prefix: a}", `["ab","ac"]`, true, true},
		{"{length: {lte: 2}, prefix: a}", `["ab","bc"]`, true, false},
		{"{not: {length: {lte: 1}, prefix: a}}", `["ab","bc"]`, true, true},
		{"{not: {length: {lte: 9}, prefix: a}}", `["ab","bc"]`, true, false},
		{"{not: {length: {lte: 9}, prefix: a}}", `["ab","ac"]`, false, false},
	} {
		call := `{"x":` + c.value + `}`
		if c.value == "" {
			call = `{}`
		}
		got := probe(t, "when: {args.x: "+c.test+"}")(toolverdict.Request{Arguments: args(t, call)})
		if got.deny != c.deny || got.ask != c.deny || got.allow != c.allow {
			t.Errorf("%s on %s: deny %v, ask %v, allow %v; want %v, %v", c.test, call, got.deny, got.ask, got.allow, c.deny, c.allow)
		}
	}
	// exists is unsure only of what is inside of something else.
	for call, want := range map[string]outcome{
		`{}`:                       {allow: true, deny: true, ask: true},
		`{"o":null}`:               {allow: true, deny: true, ask: true},
		`{"o":{}}`:                 {allow: true, deny: true, ask: true},
		`{"o":{"force":false}}`:    {},
		`{"o":"force"}`:            {deny: true, ask: true, unknown: true},
		`{"o":[{"force":true}]}`:   {deny: true, ask: true, unknown: true},
		`{"o":[["force",true]]}`:   {deny: true, ask: true, unknown: true},
		`{"o":"{\"force\":true}"}`: {deny: true, ask: true, unknown: true},
	} {
		if got := probe(t, "when: {args.o.force: {exists: false}}")(toolverdict.Request{Arguments: args(t, call)}); got != want {
			t.Errorf("exists: false on %s: %+v, want %+v", call, got, want)
		}
	}
}

// TestLists is the table of the reference: how a list, an empty list and no list
// are taken by each way to write a test.
func TestLists(t *testing.T) {
	t.Parallel()
	const in = `[a, b]`
	forms := map[string]string{
		"bare":  "args.x: " + in,
		"star":  "args.x[*]: " + in,
		"any":   "args.x: {any: " + in + "}",
		"every": "args.x: {every: " + in + "}",
	}
	type want struct{ denyWhen, denyUnless, allowWhen, allowUnless bool }
	for value, row := range map[string]map[string]want{
		`["a","b"]`: {
			"bare": {true, false, true, false}, "star": {true, false, true, false},
			"any": {true, false, true, false}, "every": {true, false, true, false},
		},
		`["a","c"]`: {
			"bare": {true, true, false, false}, "star": {true, true, false, false},
			"any": {true, false, true, false}, "every": {false, true, false, true},
		},
		`["c"]`: {
			"bare": {false, true, false, true}, "star": {false, true, false, true},
			"any": {false, true, false, true}, "every": {false, true, false, true},
		},
		`[]`: {
			"bare": {true, true, false, false}, "star": {false, true, false, false},
			"any": {false, true, false, false}, "every": {false, true, false, false},
		},
		`"a"`: {
			"bare": {true, false, true, false}, "star": {true, true, false, false},
			"any": {true, false, true, false}, "every": {true, false, true, false},
		},
		`"c"`: {
			"bare": {false, true, false, true}, "star": {true, true, false, false},
			"any": {false, true, false, true}, "every": {false, true, false, true},
		},
		`null`: {
			"bare": {true, true, false, false}, "star": {true, true, false, false},
			"any": {true, true, false, false}, "every": {true, true, false, false},
		},
		``: {
			"bare": {true, true, false, false}, "star": {true, true, false, false},
			"any": {true, true, false, false}, "every": {true, true, false, false},
		},
	} {
		call := `{"x":` + value + `}`
		if value == "" {
			call = `{}`
		}
		r := toolverdict.Request{Arguments: args(t, call)}
		for form, w := range row {
			field, test, _ := strings.Cut(forms[form], ": ")
			when := probe(t, "when: {'"+field+"': "+test+"}")(r)
			unless := probe(t, "unless: {'"+field+"': "+test+"}")(r)
			got := want{when.deny, unless.deny, when.allow, unless.allow}
			if got != w || when.ask != when.deny || unless.ask != unless.deny {
				t.Errorf("%s on %s: %+v, want %+v", form, call, got, w)
			}
		}
	}
}

// TestHostFields: what the host says is compared like an argument, and what it
// does not say is missing, never empty.
func TestHostFields(t *testing.T) {
	t.Parallel()
	night := time.Date(2025, 1, 15, 14, 0, 0, 0, time.UTC) // Wednesday, 22:00 in Shanghai
	full := toolverdict.Request{
		Subject: toolverdict.Subject{ID: "s1", Kind: toolverdict.Agent, User: "u1", Agent: "a1", Roles: []string{"support", "ops"}, Permissions: []string{"orders.read"}},
		Model:   "m1", Session: "x1", Run: toolverdict.Run{ID: "r1", ReadOnly: true},
		Environment: map[string]string{"stage": "prod", "odd key": "1", "empty": ""}, At: night,
	}
	for _, c := range []struct {
		condition   string
		deny, allow bool // of the full request
		missing     outcome
	}{
		{"subject.id: s1", true, true, outcome{deny: true, ask: true, unknown: true}},
		{"subject.id: s2", false, false, outcome{deny: true, ask: true, unknown: true}},
		{"subject.kind: agent", true, true, outcome{deny: true, ask: true, unknown: true}},
		{"subject.user: u1", true, true, outcome{deny: true, ask: true, unknown: true}},
		{"subject.authenticated: true", true, true, outcome{}},
		{"subject.authenticated: false", false, false, outcome{deny: true, ask: true, allow: true}},
		{"subject.roles: {any: ops}", true, true, outcome{}},
		{"subject.roles: {any: finance}", false, false, outcome{}},
		{"subject.roles: {every: ops}", false, false, outcome{}},
		{"subject.roles: ops", true, false, outcome{}},
		{"subject.roles: {length: 2}", true, true, outcome{}},
		{"subject.roles: {type: array}", true, true, outcome{deny: true, ask: true, allow: true}},
		{"subject.roles: {exists: true}", true, true, outcome{deny: true, ask: true, allow: true}},
		{"subject.permissions: {any: {prefix: orders.}}", true, true, outcome{}},
		{"agent.id: a1", true, true, outcome{deny: true, ask: true, unknown: true}},
		{"agent.id: {exists: false}", false, false, outcome{deny: true, ask: true, allow: true}},
		{"agent.model: m1", true, true, outcome{deny: true, ask: true, unknown: true}},
		{"session.id: x1", true, true, outcome{deny: true, ask: true, unknown: true}},
		{"run.id: r1", true, true, outcome{deny: true, ask: true, unknown: true}},
		{"run.readOnly: true", true, true, outcome{}},
		{"env.stage: prod", true, true, outcome{deny: true, ask: true, unknown: true}},
		{"env.stage: {ne: prod}", false, false, outcome{deny: true, ask: true, unknown: true}},
		{"env.stage: {exists: true}", true, true, outcome{}},
		{`'env["odd key"]': "1"`, true, true, outcome{deny: true, ask: true, unknown: true}},
		{`env.empty: ""`, true, true, outcome{deny: true, ask: true, unknown: true}},
		{"time.hour: {gte: 22}", true, true, outcome{deny: true, ask: true, unknown: true}},
		{"time.hour: 22", true, true, outcome{deny: true, ask: true, unknown: true}},
		{"time.hour: {type: integer}", true, true, outcome{deny: true, ask: true, unknown: true}},
		{"time.minute: {gt: 0}", false, false, outcome{deny: true, ask: true, unknown: true}},
		{"time.weekday: wed", true, true, outcome{deny: true, ask: true, unknown: true}},
		{"time.weekday: [sat, sun]", false, false, outcome{deny: true, ask: true, unknown: true}},
		{`time.date: "2025-01-15"`, true, true, outcome{deny: true, ask: true, unknown: true}},
		{`time.date: {gt: "2025-01-15"}`, false, false, outcome{deny: true, ask: true, unknown: true}},
		{`time.date: {in: ["2025-01-14", "2025-01-15"]}`, true, true, outcome{deny: true, ask: true, unknown: true}},
		{`time.clock: {gte: "22:00"}`, true, true, outcome{deny: true, ask: true, unknown: true}},
		{`time.clock: {lt: "22:00"}`, false, false, outcome{deny: true, ask: true, unknown: true}},
		{`time.clock: "22:00:00"`, true, true, outcome{deny: true, ask: true, unknown: true}},
		{`time.now: {lt: "2025-01-15T22:00:01+08:00"}`, true, true, outcome{deny: true, ask: true, unknown: true}},
		{`time.now: "2025-01-15T14:00:00Z"`, true, true, outcome{deny: true, ask: true, unknown: true}},
		{"tool.server: orders", true, true, outcome{deny: true, ask: true, allow: true}},
		{"tool.name: {prefix: p/}", true, true, outcome{deny: true, ask: true, allow: true}},
		{"tool.safety: read-only", false, false, outcome{}},
		{"tool.risk: low", true, true, outcome{deny: true, ask: true, allow: true}},
		{"tool.confirmation: never", true, true, outcome{deny: true, ask: true, allow: true}},
		{"tool.execution: sequential", false, false, outcome{}},
		{"tool.permission: x", true, false, outcome{deny: true, ask: true, unknown: true}},
		{"tool.groups: {any: g}", false, false, outcome{}},
		{"any: [{env.stage: prod}, {args.x: 1}]", true, true, outcome{deny: true, ask: true, unknown: true}},
		{"all: [{env.stage: prod}, {args.x: 1}]", true, false, outcome{deny: true, ask: true, unknown: true}},
		{"all: [{env.stage: dev}, {args.x: 1}]", false, false, outcome{deny: true, ask: true, unknown: true}},
		{"not: {all: [{env.stage: dev}, {args.x: 1}]}", true, true, outcome{deny: true, ask: true, unknown: true}},
	} {
		p := probe(t, "when: {"+c.condition+"}")
		got := p(full)
		if got.deny != c.deny || got.ask != c.deny || got.allow != c.allow {
			t.Errorf("%s: deny %v, ask %v, allow %v; want %v, %v", c.condition, got.deny, got.ask, got.allow, c.deny, c.allow)
		}
		if got := p(toolverdict.Request{}); got != c.missing {
			t.Errorf("%s where the host says nothing: %+v, want %+v", c.condition, got, c.missing)
		}
	}
	// An agent that acts by itself is its own agent; a person never is.
	agent := toolverdict.Request{Subject: toolverdict.Subject{ID: "bot", Kind: toolverdict.Agent}}
	person := toolverdict.Request{Subject: toolverdict.Subject{ID: "bot", Kind: toolverdict.Person}}
	p := probe(t, "when: {agent.id: bot}")
	if !p(agent).allow || p(person).allow {
		t.Error("agent.id is not the agent that acts")
	}
}
