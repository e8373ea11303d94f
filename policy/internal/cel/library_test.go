// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package cel_test

import (
	"encoding/json"
	"testing"

	library "cel.dev/cel-go/cel"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/cel"
	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// expression draws one that both sides know, over whole numbers, for which
// theirs are exact, too.
func expression(t *rapid.T, depth int, loop string) string {
	if depth == 0 {
		return rapid.SampledFrom([]string{
			"args.n > 2", "args.n == args.m", "args.t.startsWith('a')", "args.t == 'ab'", "has(args.n)", "has(args.o.x)", "args.o.x != 'ab'", "3 in args.l",
			"args.n in [1, 2, 3]", "'n' in args", "size(args.l) >= 2", "args.t.size() < 3", "args.b", "args.n * 2 - args.m <= 4", "args.n % 3 == 1", "args.l[1] == 2",
			"args.t.matches('^a.*b$')", "args.z == null", "args['t'].contains('b')", "args.t + 'c' == 'abc'", "-args.n < 0", "true", "false",
		}).Draw(t, "leaf")
	}
	part := func() string { return "(" + expression(t, depth-1, loop) + ")" }
	switch rapid.IntRange(0, 6).Draw(t, "shape") {
	case 0:
		return part() + " && " + part()
	case 1:
		return part() + " || " + part()
	case 2:
		return "!" + part()
	case 3:
		return part() + " ? " + part() + " : " + part()
	case 4:
		if loop == "" {
			quantifier := rapid.SampledFrom([]string{"all", "exists", "exists_one"}).Draw(t, "quantifier")
			return "args.l." + quantifier + "(i, (" + rapid.SampledFrom([]string{"i > 1", "i == args.n", "i in args.l", "i == 'a'"}).Draw(t, "of each") + ") && " + expression(t, depth-1, "i") + ")"
		}
	}
	return expression(t, 0, loop)
}

func argument(t *rapid.T) map[string]any {
	values := []any{1, 2, 3, 4, -7, "a", "ab", true, false, nil, []any{}, []any{1, 2, 3}, []any{2, "a"}, map[string]any{"x": "ab"}, map[string]any{"x": 5}, map[string]any{}}
	usual := map[string][]any{"n": {1, 2, 3, 4}, "m": {1, 2, -7}, "t": {"a", "ab"}, "o": {map[string]any{"x": "ab"}}, "l": {[]any{1, 2, 3}, []any{3}}, "b": {true, false}, "z": {nil, 1}}
	out := map[string]any{}
	for _, name := range []string{"n", "m", "t", "o", "l", "b", "z"} {
		switch rapid.IntRange(0, 9).Draw(t, "how") {
		case 0:
		case 1, 2:
			out[name] = rapid.SampledFrom(values).Draw(t, name)
		default:
			out[name] = rapid.SampledFrom(usual[name]).Draw(t, name)
		}
	}
	return out
}

// TestLibraryAgrees: what an expression says is what the library's own
// interpreter says, or unknown; and where that fails, it is unknown.
func TestLibraryAgrees(t *testing.T) {
	t.Parallel()
	ours := environment(t)
	theirs, err := library.NewEnv(library.Variable("args", library.MapType(library.StringType, library.DynType)))
	if err != nil {
		t.Fatal(err)
	}
	sure := 0
	rapid.Check(t, func(r *rapid.T) {
		text := expression(r, 3, "")
		x, problems := ours.Compile(source(t, text), false)
		if len(problems) > 0 {
			r.Fatalf("%s: %v", text, problems)
		}
		compiled, issues := theirs.Compile(text)
		if issues.Err() != nil {
			r.Fatalf("%s: %v", text, issues.Err())
		}
		program, err := theirs.Program(compiled)
		if err != nil {
			r.Fatal(err)
		}
		args := argument(r)
		encoded, err := json.Marshal(args)
		if err != nil {
			r.Fatal(err)
		}
		got := eval(t, x, call{args: string(encoded)})
		out, _, err := program.Eval(map[string]any{"args": args})
		want := match.Unknown
		if err == nil {
			if b, ok := out.Value().(bool); ok {
				want = match.Of(b)
			}
		}
		if got != match.Unknown && got != want {
			r.Fatalf("%s of %s is %s, the library says %s (%v)", text, encoded, got, want, err)
		}
		if got != match.Unknown {
			sure++
		}
	})
	if sure < 20 {
		t.Errorf("only %d expressions were told: the test shows nothing", sure)
	}
}

// FuzzCompile: no text breaks the reader, and what it accepts can be evaluated.
func FuzzCompile(f *testing.F) {
	for _, text := range []string{
		"args.a * 2 > 100 && subject.user != ''", "args.l.all(x, x.p in [1, 2.5, 'a'])", "has(args.a) ? args.a.matches('^x') : time.now > timestamp('2025-01-01T00:00:00Z')",
		"effects.exists(e, e.kind == 'query' && e.query.verb == 'drop')", "args['a'][0] == null || !(env.x.size() > 3)", "'x' + args.a == \"y\\n\"", "args.a == - 1.5e3",
	} {
		f.Add(text, `{"a": 1, "l": [{"p": 1}]}`)
	}
	e := environment(f)
	f.Fuzz(func(t *testing.T, text, args string) {
		file, err := json.Marshal(map[string]any{"policy": "p", "version": "v1", "rules": []any{map[string]any{
			"id": "r", "verdict": "deny", "reason": "why", "tools": "a/b", "when": map[string]any{"cel": text}}}})
		if err != nil {
			t.Fatal(err)
		}
		parsed, problems := syntax.Parse("p.json", file)
		if len(problems) > 0 {
			return
		}
		for _, allow := range []bool{false, true} {
			x, problems := e.Compile(parsed.Rules[0].When.(*syntax.CEL), allow)
			for _, p := range problems {
				if p.Line != 1 || p.Column < 1 || p.Column > len(file)+1 || p.Message == "" || p.Hint == "" {
					t.Fatalf("%q: no place or no hint: %v", text, p)
				}
			}
			if len(problems) > 0 {
				continue
			}
			in := cel.Input{At: now}
			in.Arguments, _ = canon.Parse([]byte(args), canon.Limits{}) // not JSON: no arguments
			for _, f := range x.Host {
				in.Host = append(in.Host, host(f))
			}
			if first := x.Eval(&in); first != x.Eval(&in) {
				t.Fatalf("%q: twice, and not the same", text)
			}
		}
	})
}
