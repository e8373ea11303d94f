// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package grants_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/grants"
)

// values are what an argument of the wide tool is drawn from: few, so that calls
// are often alike, and of every type.
var values = []string{`"A1"`, `"A10"`, `"B"`, `""`, `"1"`, `1`, `1.0`, `5`, `-1`, `true`, `false`, `null`, `[]`, `["A1"]`, `["A1","B"]`, `[1]`, `{}`, `{"a":1}`, `{"a":1,"b":"A1"}`, `"A\u0000"`, `"A\u202e1"`}

func drawArgs(rt *rapid.T, name string) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, key := range []string{"a", "b", "c"} {
		if v := rapid.IntRange(-3, len(values)-1).Draw(rt, name+" "+key); v >= 0 {
			out[key] = json.RawMessage(values[v])
		}
	}
	return out
}

func encoded(args map[string]json.RawMessage) canon.Value {
	b, _ := json.Marshal(args)
	v, _ := canon.Parse(b, canon.Limits{})
	return v
}

// oracle says in plain words whether a value is one that a form lets through.
func oracle(f grants.Free, was, is canon.Value, length int) bool {
	in := func(list []canon.Value, v canon.Value) bool {
		return slices.ContainsFunc(list, func(e canon.Value) bool { return canon.Equal(e, v) })
	}
	switch {
	case f.Between != nil:
		return is.Kind() == canon.KindNumber && is.Number().Cmp(f.Between[0]) >= 0 && is.Number().Cmp(f.Between[1]) <= 0
	case f.In != nil:
		return in(f.In, is)
	case f.Prefix != "":
		plain := !strings.ContainsFunc(is.Text(), func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) })
		return is.Kind() == canon.KindString && strings.HasPrefix(is.Text(), f.Prefix) && len([]rune(is.Text())) <= length && plain
	case f.Either:
		return is.Kind() == canon.KindBool
	case f.Subset != nil:
		return is.Kind() == canon.KindArray && is.Len() > 0 && is.Len() <= len(f.Subset) &&
			!slices.ContainsFunc(is.Elems(), func(e canon.Value) bool { return !in(f.Subset, e) })
	}
	return canon.Equal(was, is)
}

func drawFree(rt *rapid.T, key string, was canon.Value) (grants.Free, bool) {
	parse := func(text string) canon.Value { v, _ := canon.Parse([]byte(text), canon.Limits{}); return v }
	switch was.Kind() {
	case canon.KindNumber:
		if rapid.Bool().Draw(rt, "listed "+key) {
			return grants.Free{In: []canon.Value{was, parse(`5`)}}, true
		}
		return grants.Free{Between: []canon.Number{canon.IntNumber(-1), canon.IntNumber(1)}}, true
	case canon.KindString:
		if rapid.Bool().Draw(rt, "listed "+key) {
			return grants.Free{In: []canon.Value{was, parse(`"B"`)}}, true
		}
		return grants.Free{Prefix: "A", Length: 2}, true
	case canon.KindBool:
		return grants.Free{Either: true}, true
	case canon.KindArray:
		return grants.Free{Subset: []canon.Value{parse(`"A1"`), parse(`"B"`)}}, true
	}
	return grants.Free{}, false
}

// TestClassesAgainstAnOracle grants calls like a random one, with random freedoms,
// and holds what is covered to what plain code says: never more, never less. A
// missing, a mistyped, another or a further value is never covered.
func TestClassesAgainstAnOracle(t *testing.T) {
	t.Parallel()
	wide := tool(t, "two-wide", `{"type":"object"}`, nil)
	rapid.Check(t, func(rt *rapid.T) {
		base := drawArgs(rt, "base")
		choice := grants.Choice{Free: map[string]grants.Free{}}
		for _, key := range []string{"a", "b", "c"} {
			raw, there := base[key]
			if !there || !rapid.Bool().Draw(rt, "free "+key) {
				continue
			}
			was, _ := encoded(map[string]json.RawMessage{"x": raw}).Get("x")
			if f, ok := drawFree(rt, key, was); ok {
				choice.Free["/"+key] = f
			}
		}
		covers, err := grants.Judge(t.Context(), wide, encoded(base), choice)
		was := encoded(base)
		own := true
		for at, f := range choice.Free {
			v, _ := was.Pointer(at)
			own = own && oracle(f, v, v, f.Length)
		}
		if (err == nil) != own {
			rt.Fatalf("%s with %+v: %v; the call at hand is in the class: %v", was, choice, err, own)
		}
		if err != nil {
			return
		}
		for range 8 {
			other := drawArgs(rt, "other")
			for key := range base { // close to the call at hand more often than not
				if rapid.IntRange(0, 2).Draw(rt, "keep "+key) > 0 {
					other[key] = base[key]
				}
			}
			is := encoded(other)
			want := is.Len() == was.Len()
			for name, v := range was.Fields() {
				now, there := is.Get(name)
				want = want && there && oracle(choice.Free["/"+name], v, now, choice.Free["/"+name].Length)
			}
			if got := covers(is); got != want {
				rt.Fatalf("base %s\nfree %+v\ncall %s\ncovered %v, want %v", canon.Append(nil, was), choice.Free, canon.Append(nil, is), got, want)
			}
		}
	})
}

// FuzzChoice takes any choice for any of a few calls: whatever it is, it is
// refused, or makes a class that the call at hand is in and whose words a person
// can read.
func FuzzChoice(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"free":{"/amount":{"between":[1,2]}},"uses":1,"expires":"5m","scope":"run","reason":"x"}`,
		`{"free":{"/order":{"prefix":"A","length":9},"/status":{"in":["open"]}}}`, `{"free":{"/order":{"glob":"A*"}}}`,
		`{"free":{"/path":{"under":["/srv/app"]}}}`, `{"free":{"/command":{"does":[{"kind":"execute","programs":["cat"],"verbs":["x"]},{"kind":"read","under":["/srv"]}]}}}`,
		`{"free":{"/q":{"does":[{"kind":"query","verbs":["select"],"reads":["t"],"changes":["t"]}]}}}`, `{"free":{"/url":{"hosts":["a.example"]}}}`,
		`{"free":{"/to":{"domains":["a.example"]}}}`, `{"free":{"/tags":{"subset":["a",1]}}}`, `{"free":{"/dry":{"either":true}}}`,
	} {
		f.Add(uint8(0), seed)
	}
	calls := []struct{ tool, args string }{
		{"refund", `{"order":"A1","amount":1,"status":"open","tags":["a"],"dry":true}`}, {"run", `{"command":"cat /srv/app/a"}`},
		{"sql", `{"q":"select a from t"}`}, {"file", `{"path":"/srv/app/a"}`}, {"fetch", `{"url":"https://a.example/"}`}, {"mail", `{"to":"x@a.example"}`},
	}
	cat := tools(f)
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		c, err := grants.ParseChoice([]byte(text))
		if err != nil {
			return
		}
		one := calls[int(which)%len(calls)]
		made, _ := cat.Tool("s/" + one.tool)
		args, err := canon.Parse([]byte(one.args), canon.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		covers, err := grants.Judge(t.Context(), made, args, c)
		if err != nil {
			return
		}
		if !covers(args) {
			t.Errorf("%s: the call at hand is not in its own class", text)
		}
		if covers(encoded(map[string]json.RawMessage{"other": json.RawMessage(`1`)})) {
			t.Errorf("%s: another call is", text)
		}
	})
}
