// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package cel_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/cel"
	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// source reads an expression as a policy has it.
func source(t testing.TB, text string) *syntax.CEL {
	t.Helper()
	file := "policy: p\nversion: v1\nrules: [{id: r, verdict: deny, reason: why, tools: a/b, when: {cel: " + strconv.Quote(text) + "}}]\n"
	f, problems := syntax.Parse("p.yaml", []byte(file))
	if len(problems) > 0 {
		t.Fatalf("%s: %v", text, problems)
	}
	return f.Rules[0].When.(*syntax.CEL)
}

func environment(t testing.TB) *cel.Environment {
	t.Helper()
	e, err := cel.NewEnvironment()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// call is a call as the cases below see it.
type call struct {
	args    string
	effects []toolverdict.Effect
	known   bool
}

var now = time.Date(2025, 1, 15, 14, 30, 5, 0, time.UTC)

// host answers for the fields of the host; others are missing.
func host(f syntax.Field) (v predicate.Value) {
	switch f.Text {
	case "subject.user":
		v.SetText("ada")
	case "subject.roles":
		v.Kind, v.List = predicate.Texts, []string{"ops", "dev"}
	case "subject.authenticated":
		v.Kind, v.Truth = predicate.Boolean, true
	case "env.stage":
		v.SetText("prod")
	case "time.hour":
		v.Kind, v.N = predicate.Whole, 14
	case "time.now":
		v.Kind, v.Form, v.Zone = predicate.Moment, match.Instant, time.UTC
	case "time.clock":
		v.Kind, v.Form, v.Zone = predicate.Moment, match.Clock, time.UTC
	case "time.date":
		v.Kind, v.Form, v.Zone = predicate.Moment, match.Date, time.UTC
	}
	return v
}

func eval(t testing.TB, x *cel.Expression, c call) match.Truth {
	t.Helper()
	args, err := canon.Parse([]byte(c.args), canon.Limits{MaxBytes: canon.HardMaxBytes})
	if err != nil {
		t.Fatalf("%.100s: %v", c.args, err)
	}
	in := cel.Input{Arguments: args, At: now, Effects: c.effects, Known: c.known}
	for _, f := range x.Host {
		in.Host = append(in.Host, host(f))
	}
	return x.Eval(&in)
}

const arguments = `{"n": 60, "half": 50.5, "cents": 19.99, "big": 9007199254740993, "huge": 123456789012345678901234567890, "text": "abc", "number": "60",
	"yes": true, "nothing": null, "list": [1, 2, 3], "mixed": [1, "a", null], "empty": [], "deep": {"a": {"b": "c"}}, "odd name": 1,
	"items": [{"price": 1, "id": "x"}, {"price": 9, "id": "y"}], "at": "2025-01-15T14:00:00Z", "path": "/home/ada/x"}`

func TestEval(t *testing.T) {
	t.Parallel()
	e := environment(t)
	for text, want := range map[string]match.Truth{
		// Numbers are exact decimals, whatever they are written as.
		"args.n * 2 > 100": match.True, "args.half * 2 > 100": match.True, "args.half * 2 == 101": match.True, "2 * args.half > 100.5": match.True,
		"args.cents * 3 == 59.97": match.True, "args.cents + 0.01 == 20": match.True, "0.1 + 0.2 == 0.3": match.True, "args.n - 60 == 0": match.True,
		"args.big == 9007199254740992": match.False, "args.big > 9007199254740992.0": match.True, "args.huge > 1e29": match.True, "args.huge - args.huge == 0": match.True,
		"args.n % 7 == 4": match.True, "-args.n == -60": match.True, "-args.half == -50.5": match.True, "args.half % 2 == 0": match.Unknown, "args.n % 0 == 0": match.Unknown,
		"args.huge * args.huge * args.huge * args.huge * args.huge * args.huge * args.huge * args.huge * args.huge * args.huge * args.huge * args.huge * args.huge * args.huge > 0": match.Unknown,
		"1e300 * 1e300 > 1.0": match.Unknown, "-1.5 < - 1.25": match.True, "args.n % -1 == 0": match.True,
		// Another type is unknown, never unequal.
		"args.number == 60": match.Unknown, "args.number > 5": match.Unknown, "args.number * 2 > 100": match.Unknown, "args.yes == 'true'": match.Unknown,
		"args.list == 1": match.Unknown, "args.text != 5": match.Unknown, "!(args.number == 60)": match.Unknown, "args.deep == args.deep": match.Unknown,
		"args.text < args.number": match.Unknown, "args.text == 'abc'": match.True, "args.text != 'abc'": match.False, "args.yes": match.True, "!args.yes": match.False,
		"args.text": match.Unknown, "args.text && true": match.Unknown, "args.yes == true": match.True,
		"args.nothing == null": match.True, "args.text == null": match.False, "args.nothing != null": match.False, "args.nothing == 5": match.Unknown, "null == args.text": match.False, "null == args.gone": match.Unknown, "args.nothing == args.nothing": match.True, "args.text == args.nothing": match.Unknown, "args.text in [null]": match.Unknown, "args.deep == null": match.False, "args.nothing > 5": match.Unknown,
		// Missing is unknown.
		"args.gone == 5": match.Unknown, "args.gone.x == 5": match.Unknown, "has(args.gone)": match.False, "has(args.n)": match.True, "has(args.gone.x)": match.Unknown,
		"has(args.text.x)": match.Unknown, "has(args.nothing)": match.True, "has(args.nothing.x)": match.Unknown, "has(args.gone) && args.gone > 5": match.False,
		"!has(args.gone) || args.gone > 5": match.True, "args.gone == null": match.Unknown,
		// Kleene.
		"args.gone == 5 || true": match.True, "true || args.gone == 5": match.True, "args.gone == 5 && false": match.False, "args.gone == 5 || false": match.Unknown,
		"args.yes ? args.n == 60 : false": match.True, "args.gone ? true : true": match.Unknown, "!args.yes ? false : args.n == 60": match.True,
		// Paths.
		"args.deep.a.b == 'c'": match.True, "args['odd name'] == 1": match.True, "args['deep'].a['b'] == 'c'": match.True, "args.items[1].price == 9": match.True,
		"args.items[2].price == 9": match.Unknown, "args.items[-1].price == 9": match.Unknown, "args.list[0.5] == 1": match.Unknown, "args.text[0] == 'a'": match.Unknown,
		"args.list['a'] == 1": match.Unknown, "args[args.gone] == 1": match.Unknown, "args[args.text] == 1": match.Unknown, "args.deep[1] == 1": match.Unknown,
		// Lists.
		"2 in args.list": match.True, "5 in args.list": match.False, "'a' in args.mixed": match.True, "'z' in args.mixed": match.Unknown, "5 in args.empty": match.False,
		"args.n in [59, 60]": match.True, "args.text in ['x', 'y']": match.False, "args.n in ['x', 'y']": match.Unknown, "args.gone in [1]": match.Unknown,
		"1 in args.text": match.Unknown, "'n' in args": match.True, "'gone' in args": match.False, "args.n in args": match.Unknown, "args.n in []": match.False, "args.n in [args.n]": match.True,
		"args.list.all(x, x > 0)": match.True, "args.list.all(x, x > 1)": match.False, "args.list.exists(x, x > 2)": match.True, "args.list.exists(x, x > 3)": match.False,
		"args.list.exists_one(x, x > 2)": match.True, "args.list.exists_one(x, x > 1)": match.False, "args.list.exists_one(x, x > 3)": match.False,
		"args.mixed.all(x, x == 1)": match.Unknown, "args.mixed.all(x, x != 5)": match.Unknown, "args.mixed.exists(x, x == 1)": match.True, "args.mixed.exists(x, x == 2)": match.Unknown, "args.mixed.exists_one(x, x == 1)": match.Unknown,
		"args.empty.all(x, x > 0)": match.Unknown, "args.empty.exists(x, x > 0)": match.False, "args.empty.exists_one(x, x > 0)": match.False,
		"args.text.all(x, x == 'a')": match.Unknown, "args.gone.exists(x, x == 'a')": match.Unknown, "args.deep.exists(x, x == 'a')": match.Unknown,
		"args.exists(k, k == 'text')": match.True, "args.all(k, size(k) > 0)": match.True, "args.exists(k, k == 'gone')": match.False,
		"args.items.exists(i, i.price > 5 && i.id == 'y')": match.True, "args.items.all(i, i.price > 5)": match.False, "args.items.all(i, args.list.exists(x, x <= i.price))": match.True,
		"args.list.exists(x, x > 2) && args.list.all(x, x > 0)": match.True,
		// Text.
		"args.text.startsWith('ab')": match.True, "args.text.endsWith('x')": match.False, "args.text.contains('b')": match.True, "args.n.contains('b')": match.Unknown,
		"args.text.matches('^a.c$')": match.True, "args.text.matches('b')": match.True, "args.text.matches('^b')": match.False, "args.n.matches('6')": match.Unknown,
		"size(args.text) == 3": match.True, "args.text.size() == 3": match.True, "size('äöü') == 3": match.True, "size(args.list) == 3": match.True, "size(args.deep) == 1": match.True, "size(args.n) == 1": match.Unknown,
		"args.path.startsWith('/home/' + subject.user + '/')": match.True, "args.path == '/home/' + args.gone": match.Unknown, "args.n + args.text == 'x'": match.Unknown,
		// The host.
		"subject.user == 'ada'": match.True, "subject.id == ''": match.Unknown, "has(subject.user)": match.True, "has(subject.id)": match.False, "'ops' in subject.roles": match.True,
		"subject.roles.exists(r, r.startsWith('d'))": match.True, "subject.authenticated": match.True, "size(subject.roles) == 2": match.True,
		"env.stage == 'prod'": match.True, "env['stage'] == 'prod'": match.True, "env.other == 'x'": match.Unknown, "has(env.stage)": match.True, "has(env.other)": match.False,
		// Time.
		"time.hour >= 9 && time.hour < 17": match.True, "time.clock == '14:30:05'": match.True, "time.date == '2025-01-15'": match.True, "time.weekday == 'wed'": match.Unknown,
		"time.now > timestamp('2025-01-01T00:00:00Z')": match.True, "time.now - timestamp(args.at) < duration('1h')": match.True, "time.now - duration('1h') < timestamp(args.at)": match.True,
		"timestamp(args.at) + duration('1h') <= time.now": match.False, "timestamp(args.text) < time.now": match.Unknown, "timestamp(args.n) < time.now": match.Unknown, "timestamp(args.at) == time.now": match.False,
		"duration('60s') == duration('1m')": match.True, "timestamp('9999-01-01T00:00:00Z') - timestamp('0001-01-01T00:00:00Z') > duration('1s')": match.Unknown, "args.at < time.now": match.Unknown,
		"duration('2m') > duration('1m')": match.True, "duration('1m') >= duration('1m')": match.True, "args.n - args.at > 1": match.Unknown,
	} {
		x, problems := e.Compile(source(t, text), false)
		if len(problems) > 0 {
			t.Errorf("%s: %v", text, problems)
			continue
		}
		if got := eval(t, x, call{args: arguments}); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// TestEmptyLists: nothing in a list is no reason to allow.
func TestEmptyLists(t *testing.T) {
	t.Parallel()
	e := environment(t)
	for text, want := range map[string][2]match.Truth{ // to deny, to allow
		"args.empty.all(x, x > 0)":         {match.Unknown, match.Unknown},
		"args.empty.exists(x, x > 0)":      {match.False, match.Unknown},
		"!args.empty.exists(x, x > 0)":     {match.True, match.Unknown},
		"args.empty.exists_one(x, x > 0)":  {match.False, match.Unknown},
		"args.list.all(x, x > 0)":          {match.True, match.True},
		"effects.all(e, e.kind == 'read')": {match.Unknown, match.Unknown},
	} {
		for i, allow := range []bool{false, true} {
			x, problems := e.Compile(source(t, text), allow)
			if len(problems) > 0 {
				t.Fatalf("%s: %v", text, problems)
			}
			if got := eval(t, x, call{args: arguments, known: true}); got != want[i] {
				t.Errorf("%s, allow %v: %s, want %s", text, allow, got, want[i])
			}
		}
	}
}

func TestEffects(t *testing.T) {
	t.Parallel()
	e := environment(t)
	some := []toolverdict.Effect{
		{Kind: toolverdict.EffectDelete, Path: "/srv/a"},
		{Kind: toolverdict.EffectQuery, Query: &toolverdict.Query{Statement: 1, Verb: "delete", Reads: []string{"users"}, Bounded: true}},
		{Kind: toolverdict.EffectSpend, Amount: "19.99", Currency: "EUR"},
	}
	argv := func(words ...string) []toolverdict.Effect {
		return []toolverdict.Effect{{Kind: toolverdict.EffectExecute, Program: "git", Argv: words}}
	}
	for _, c := range []struct {
		text  string
		call  call
		truth match.Truth
	}{
		{"effects.exists(e, e.kind == 'delete')", call{effects: some, known: true}, match.True},
		{"effects.exists(e, e.kind == 'write')", call{effects: some, known: true}, match.False},
		{"effects.exists(e, e.kind == 'write')", call{}, match.Unknown},
		{"effects.exists(e, e.kind == 'write')", call{known: true}, match.False},
		{"effects.exists(e, e.kind == 'write')", call{effects: []toolverdict.Effect{{Kind: toolverdict.EffectOpaque}}, known: true}, match.Unknown},
		{"effects.exists(e, has(e.path))", call{effects: []toolverdict.Effect{{Kind: toolverdict.EffectOpaque}}, known: true}, match.Unknown},
		{"effects.exists(e, e.kind == 'delete' && e.path.startsWith('/srv/'))", call{effects: some, known: true}, match.True},
		{"effects.exists(e, e.kind == 'delete' && e.path.startsWith('/etc/'))", call{effects: some, known: true}, match.False},
		{"effects.exists(e, e.path == '/etc')", call{effects: []toolverdict.Effect{{Kind: toolverdict.EffectDelete, Path: "/etc/a", Deep: true}}, known: true}, match.Unknown},
		{"effects.exists(e, has(e.query.verb) && e.query.verb == 'delete' && e.query.bounded)", call{effects: some, known: true}, match.True},
		{"effects.exists(e, e.kind == 'query' && 'accounts' in e.query.reads)", call{effects: some, known: true}, match.Unknown},
		{"effects.exists(e, e.kind == 'spend' && e.amount * 3 > 59.96 && e.currency == 'EUR')", call{effects: some, known: true}, match.True},
		{"effects.exists(e, '--force' in e.argv)", call{effects: argv("git", "push", "--force"), known: true}, match.True},
		{"effects.exists(e, '--force' in e.argv)", call{effects: argv("git", "push"), known: true}, match.False},
		{"effects.exists(e, '--force' in e.argv)", call{effects: argv("git", "push", "--f\x00"), known: true}, match.Unknown},
		{"effects.exists(e, size(e.argv) == 2)", call{effects: argv("git", "\x00"), known: true}, match.Unknown},
		{"size(effects) > 2", call{effects: some, known: true}, match.True},
		{"effects[0].kind == 'delete'", call{effects: some, known: true}, match.True},
		{"has(effects[1].path)", call{effects: some, known: true}, match.False},
	} {
		x, problems := e.Compile(source(t, c.text), false)
		if len(problems) > 0 {
			t.Fatalf("%s: %v", c.text, problems)
		}
		c.call.args = "{}"
		if got := eval(t, x, c.call); got != c.truth {
			t.Errorf("%s is %s, want %s", c.text, got, c.truth)
		}
	}
}

// TestBounds: what a call can make an expression do is bounded, and what is
// beyond the bounds is unknown.
func TestBounds(t *testing.T) {
	t.Parallel()
	e := environment(t)
	numbers := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("1,", n), ",") + "]" }
	long := strings.Repeat("a", 1<<20)
	for _, c := range []struct {
		text, args string
		want       match.Truth
	}{
		{"args.l.all(x, x == 1)", `{"l": ` + numbers(10_000) + `}`, match.True},
		{"args.l.all(x, x == 1)", `{"l": ` + numbers(10_001) + `}`, match.Unknown},
		{"args.l.exists(x, x == 1)", `{"l": ` + numbers(10_001) + `}`, match.Unknown},
		{"1 in args.l", `{"l": ` + numbers(10_001) + `}`, match.Unknown},
		{"args.l.all(x, args.l.all(y, x == y))", `{"l": ` + numbers(100) + `}`, match.True},
		{"args.l.all(x, args.l.all(y, x == y))", `{"l": ` + numbers(1000) + `}`, match.Unknown},
		{"args.l.exists(x, x == 1) || args.l.all(x, args.l.all(y, x == y))", `{"l": ` + numbers(1000) + `}`, match.True},
		{"args.l.all(x, args.l.all(y, x == y)) || args.l.exists(x, x == 1)", `{"l": ` + numbers(1000) + `}`, match.Unknown},
		{"args.l.all(x, !args.t.contains('b'))", `{"l": ` + numbers(10) + `, "t": "` + long + `"}`, match.Unknown},
		{"args.l.all(x, size(args.t) > 5)", `{"l": ` + numbers(100) + `, "t": "` + long + `"}`, match.Unknown},
		{"args.t.matches('^(a|b|c|d)*$')", `{"t": "` + long + `"}`, match.Unknown},
		{"size(args.t + args.t) > 5", `{"t": "` + long[:1<<15] + `"}`, match.True},
		{"size(args.t + args.t) > 5", `{"t": "` + long[:1<<15+1] + `"}`, match.Unknown},
	} {
		x, problems := e.Compile(source(t, c.text), false)
		if len(problems) > 0 {
			t.Fatalf("%s: %v", c.text, problems)
		}
		if got := eval(t, x, call{args: c.args}); got != c.want {
			t.Errorf("%s of %d bytes is %s, want %s", c.text, len(c.args), got, c.want)
		}
	}
}

// TestAsked: what an expression asks of arguments is known at load.
func TestAsked(t *testing.T) {
	t.Parallel()
	e := environment(t)
	for text, want := range map[string]string{
		"args.a.b == 5": "args.a.b eq 5",
		"5 < args.a":    "args.a gt 5",
		"args.a <= 1.50 || 2 >= args.b || 'x' != args.c":    "args.a lte 1.5; args.b lte 2; args.c ne x",
		"args.a in ['x', 'y']":                              "args.a in x y",
		"has(args.a) && args.a.startsWith('x')":             "args.a present; args.a prefix x",
		"args.l.all(i, i.p > 5 && i.q.endsWith('x'))":       "args.l; args.l[*].p gt 5; args.l[*].q suffix x",
		"args['odd name'][3] == args.b * 2":                 `args.b arithmetic; args["odd name"][3]`,
		"args.a + args.b == 'x' || args.c + 'x' == 'y'":     "args.a; args.b; args.c",
		"args.a + 1 > args.b - args.c % 2":                  "args.a arithmetic; args.c arithmetic; args.b arithmetic",
		"args.a.matches('^x') && args.b.contains('y')":      "args.a regex ^x; args.b contains y",
		"size(args.a) > 3 && args[args.b] == 1":             "args.a; args.b",
		"args.a == null":                                    "args.a",
		"args.all(k, k != 'x')":                             "",
		"subject.user == 'x' && args.l.exists(u, u == 'y')": "args.l; args.l[*] eq y",
	} {
		x, problems := e.Compile(source(t, text), false)
		if len(problems) > 0 {
			t.Fatalf("%s: %v", text, problems)
		}
		var got []string
		for _, a := range x.Arguments {
			one := a.Field.Text
			if a.Presence {
				one += " present"
			}
			for _, o := range a.Ops {
				one += " " + o.Name
				for _, v := range o.Values {
					one += " " + v.Text
				}
			}
			got = append(got, one)
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s asks %q, want %q", text, strings.Join(got, "; "), want)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	e := environment(t)
	for text, want := range map[string]string{
		"args.a >":                               "this is not CEL: Syntax error: mismatched input '<EOF>'",
		"args.a + 1":                             "the expression is no condition",
		"'x'":                                    "the expression is no condition",
		"size(args)":                             "the expression is no condition",
		"[true]":                                 "the expression is no condition",
		"now() > 1":                              "undeclared reference to 'now'",
		"args.a.map(x, x) == 1":                  "undeclared reference to 'map'",
		"args.a.filter(x, x).size()":             "undeclared reference to 'filter'",
		"args.a / 2 > 1":                         "undeclared reference to '/'",
		"int(args.a) > 1":                        "undeclared reference to 'int'",
		"subject.usr == 'x'":                     "undefined field 'usr'",
		"subject == subject":                     "subject alone has no value",
		"args.l == [1]":                          "no matching overload for '=='",
		"subject.user == 5":                      "no matching overload for '=='",
		"subject.user == null":                   "no matching overload for '=='",
		"time.clock < '22:00'":                   "no matching overload for '<'",
		"env == env":                             "no matching overload for '=='",
		"env[subject.user] == 'x'":               "name the fact",
		"size(env) > 1":                          "env alone has no value",
		"args.a in [1u]":                         "bytes and unsigned numbers",
		"args.a in [b'x']":                       "bytes and unsigned numbers",
		"args.a == {'x': 1}.x":                   "this is not used here",
		"args.a == .5":                           "this number is not one that every program reads alike",
		"args.a == 1.00000000000000000000000001": "this number is not one that every program reads alike",
		"args.a.matches(args.b)":                 "the expression that matches looks for is not written here",
		"args.a.matches('(')":                    "matches cannot use this",
		"args.a.matches('((a{100}){100}){100}')": "matches cannot use this",
		"timestamp('noon') < time.now":           "this is no RFC 3339 time",
		"duration('soon') < duration('1h')":      "the length of time is not one",
		"duration(args.a) < duration('1h')":      "the length of time is not one",
		"duration('90000h') < duration('1h')":    "the length of time is not one",
		"args.l.all(args, true)":                 `the name "args" is taken`,
		"args.l.all(x, x.all(x, true))":          `the name "x" is taken`,
		"args.l.all(x, x.all(y, y.all(z, z)))":   "stand inside each other more than 2 deep",
		"effects.all(e, e.query == 'x')":         "no matching overload",
		"effects.all(e, has(e.query))":           "query is no value",
		"effects.all(e, e.pth == 'x')":           "undefined field 'pth'",
		"(true ? subject : subject).user == 'x'": "the fields of subject are read from it directly",
		strings.Repeat("(", 200) + "true" + strings.Repeat(")", 200):                                         "",
		"args.l.all(x, args.l.all(y, " + strings.TrimSuffix(strings.Repeat("x == y && ", 20), " && ") + "))": "it would often be unknown",
		strings.TrimSuffix(strings.Repeat("args.a == 1 || ", 200), " || "):                                   "parts, at most 500",
	} {
		_, problems := e.Compile(source(t, text), false)
		if len(problems) == 0 || !strings.Contains(problems.Error(), want) {
			t.Errorf("%.60s: %v\nwant %s", text, problems, want)
		}
		for _, p := range problems {
			if p.Line != 3 || p.Column < 60 || p.Hint == "" {
				t.Errorf("%.60s: no place or no hint: %v", text, p)
			}
		}
	}
}

// TestPlaces: an error in an expression has its place in the file, however YAML
// writes it.
func TestPlaces(t *testing.T) {
	t.Parallel()
	e := environment(t)
	for written, want := range map[string]string{
		`{cel: "true && foo"}`:                            "p.yaml:4:74",
		`{cel: 'true && foo'}`:                            "p.yaml:4:74",
		`{cel: true && foo}`:                              "p.yaml:4:73",
		`{cel: 'args.a == ''it'' && foo'}`:                "p.yaml:4:86",
		`{cel: "args.a == \"it\" && foo"}`:                "p.yaml:4:86",
		"\n      cel: |\n        true\n        && foo":    "p.yaml:7:12",
		"\n      cel: >-\n        true\n\n        && foo": "p.yaml:8:12",
		"\n      cel: \"true\n        && foo\"":           "p.yaml:6:12",
		"\n      cel: args.a == 'ä' && foo":               "p.yaml:5:29",
	} {
		head := "policy: p\nversion: v1\nrules:\n  - {id: r, verdict: deny, reason: why, tools: a/b, when: " + written + "}\n"
		if strings.HasPrefix(written, "\n") {
			head = "policy: p\nversion: v1\nrules:\n  - when:" + written + "\n    id: r\n    verdict: deny\n    reason: why\n    tools: a/b\n"
		}
		f, problems := syntax.Parse("p.yaml", []byte(head))
		if len(problems) > 0 {
			t.Fatalf("%s: %v", written, problems)
		}
		_, problems = e.Compile(f.Rules[0].When.(*syntax.CEL), false)
		if len(problems) != 1 || fmt.Sprintf("%s:%d:%d", problems[0].File, problems[0].Line, problems[0].Column) != want {
			t.Errorf("%s: %v, want %s", written, problems, want)
		}
	}
}

// TestNothingFailsOpen: a value that is missing or of another type than a
// predicate is for is unknown to it, to what is not it, and beside what is
// false; no form of it tells for certain.
func TestNothingFailsOpen(t *testing.T) {
	t.Parallel()
	e := environment(t)
	values := map[string]string{
		"missing": `{}`, "null": `{"x": null}`, "true": `{"x": true}`, "number": `{"x": 5}`, "fraction": `{"x": 5.5}`, "text": `{"x": "a"}`, "number as text": `{"x": "5"}`,
		"empty text": `{"x": ""}`, "object": `{"x": {"y": 5}}`, "empty object": `{"x": {}}`, "list": `{"x": ["a"]}`, "numbers": `{"x": [5]}`, "empty list": `{"x": []}`, "nested": `{"x": [["a"], [5]]}`,
	}
	for text, fits := range map[string]string{ // values whose type the predicate is for
		"args.x == 'a'": "text, number as text, empty text", "args.x != 'a'": "text, number as text, empty text", "'a' == args.x": "text, number as text, empty text",
		"args.x == 5": "number, fraction", "args.x == 5.5": "number, fraction", "args.x == true": "true", "args.x": "true",
		"args.x > 4": "number, fraction", "4 >= args.x": "number, fraction", "args.x * 2 < 11": "number, fraction", "-args.x < 0": "number, fraction", "args.x + 1 == 6": "number, fraction", "args.x % 2 == 1": "number",
		"args.x + 'b' == 'ab'": "text, number as text, empty text", "args.x in ['a', 'b']": "text, number as text, empty text", "args.x in [5, 6]": "number, fraction",
		"args.x.startsWith('a')": "text, number as text, empty text", "args.x.endsWith('a')": "text, number as text, empty text", "args.x.contains('a')": "text, number as text, empty text", "args.x.matches('a')": "text, number as text, empty text",
		"'a' in args.x": "list, object, empty object, empty list", "5 in args.x": "numbers, empty list", "args.x.exists(i, i == 'a')": "list, empty list", "args.x.all(i, i == 'a')": "list", "args.x.exists_one(i, i == 5)": "numbers, empty list",
		"args.x.y == 5": "object", "args.x['y'] > 4": "object", "args.x[0] == 'a'": "list", "has(args.x.y)": "object, empty object",
		"size(args.x) > 0": "text, number as text, empty text, object, empty object, list, numbers, empty list, nested", "timestamp(args.x) < time.now": "",
		"args.x[0][0] == 'a'": "nested", "args.x.exists(i, i.exists(j, j == 'a'))": "empty list, nested", "subject.user == args.x": "text, number as text, empty text", "time.hour > args.x": "number, fraction",
	} {
		for _, form := range []string{"%s", "!(%s)", "(%s) || 1 == 2", "1 == 1 && (%s)", "(%s) ? true : false"} {
			x, problems := e.Compile(source(t, fmt.Sprintf(form, text)), false)
			if len(problems) > 0 {
				t.Fatalf("%s: %v", text, problems)
			}
			for name, args := range values {
				known := eval(t, x, call{args: args}) != match.Unknown
				if want := slices.Contains(strings.Split(fits, ", "), name); known != want {
					t.Errorf(form+" of %s: told %v, want %v", text, name, known, want)
				}
			}
		}
	}
}
