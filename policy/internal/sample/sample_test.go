// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sample_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/sample"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// field is a condition on args.x: one test for each operator.
func field(ops ...syntax.Op) []sample.Condition {
	f := syntax.Field{Text: "args.x", Root: "args", Steps: []syntax.Step{{Name: "x"}}}
	return []sample.Condition{{Part: &syntax.Test{Field: f, Ops: ops}, Zone: time.UTC}}
}

func op(name string, values ...string) syntax.Op {
	o := syntax.Op{Name: name}
	for _, v := range values {
		l := syntax.Literal{Text: v}
		if n, err := canon.ParseNumber(v); err == nil {
			l = syntax.Literal{Kind: syntax.Number, Number: n}
		}
		o.Values = append(o.Values, l)
	}
	return o
}

func texts(t testing.TB, ops ...syntax.Op) (out []string, exact bool) {
	t.Helper()
	fields, beyond := sample.Fields(field(ops...))
	if len(fields) != 1 || beyond.Any() {
		t.Fatalf("%d fields, beyond %+v", len(fields), beyond)
	}
	for _, v := range fields[0].Values {
		if v.Kind() == canon.KindString {
			out = append(out, v.Text())
		}
	}
	return out, fields[0].Exact
}

// The law of the automata: whatever expressions a text matches and does not, some
// sample matches the same.
func TestEveryOutcomeOfExpressionsHasASample(t *testing.T) {
	t.Parallel()
	known := []string{`a*`, `a+b`, `(?i)ab?`, `[a-c]{2,4}`, `.*b.*`, `a|bc|`, `(?s).*`, `\w+\b.*`, `^a$`, `a$`, `(?m)a$\nb`, `[^a]*`, `\d{3}`, `x.y`, `(ab)*`, `é+`, `.`, `\Ba`, `a\z`, `ß|(?i:k)`}
	letters := []string{"a", "b", "c", "x", "y", "1", "A", "K", "\u212a", "é", "\n", " ", "_", "ß", "😀"}
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfNDistinct(rapid.SampledFrom(known), 1, 4, rapid.ID[string]).Draw(t, "expressions")
		compiled := make([]*regexp.Regexp, len(list))
		ops := make([]syntax.Op, len(list))
		for i, e := range list {
			compiled[i], ops[i] = regexp.MustCompile(`\A(?:`+e+`)\z`), syntax.Op{Name: "regex", Values: []syntax.Literal{{Text: e}}}
		}
		outcome := func(s string) (out string) {
			for _, re := range compiled {
				out += map[bool]string{true: "1", false: "0"}[re.MatchString(s)]
			}
			return out
		}
		fields, _ := sample.Fields(field(ops...))
		if !fields[0].Exact {
			t.Fatalf("%q: a bound was met", list)
		}
		found := map[string]bool{}
		for _, v := range fields[0].Values {
			if v.Kind() == canon.KindString {
				found[outcome(v.Text())] = true
			}
		}
		for range 50 {
			s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(letters), 0, 6).Draw(t, "text"), "")
			if !found[outcome(s)] {
				t.Fatalf("%q: no sample has the outcome %s of %q", list, outcome(s), s)
			}
		}
	})
}

func TestWhatSamplesHold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ops   []syntax.Op
		holds []string
		exact bool
	}{
		"literals, and another text":     {ops: []syntax.Op{op("in", "x", "y")}, holds: []string{"x", "y", "x1", ""}, exact: true},
		"a literal inside of a prefix":   {ops: []syntax.Op{op("eq", "a"), op("prefix", "a")}, holds: []string{"a", "aa"}, exact: true},
		"a length":                       {ops: []syntax.Op{{Name: "length", Ops: []syntax.Op{op("gt", "2")}}}, holds: []string{"", "aa", "aaa"}, exact: true},
		"a length nobody tries":          {ops: []syntax.Op{{Name: "length", Ops: []syntax.Op{op("gt", "5000")}}}, exact: false},
		"a folder and its neighbour":     {ops: []syntax.Op{op("under", "/srv/app")}, holds: []string{"/srv/app", "/srv/app/x", "/srv/appx", "/srv/other", "/srv/APP/x", "/srv/app/../x"}, exact: true},
		"a folder with a regex":          {ops: []syntax.Op{op("under", "/srv"), op("regex", ".*txt")}, holds: []string{"/srv/x"}, exact: false},
		"the ends of a range":            {ops: []syntax.Op{op("cidr", "10.1.0.0/16")}, holds: []string{"10.1.0.0", "10.1.255.255", "10.0.255.255", "10.2.0.0"}, exact: true},
		"hosts below a domain":           {ops: []syntax.Op{op("hostIn", "*.a.example")}, holds: []string{"https://a.example/", "https://sub.a.example/"}, exact: true},
		"mail at a domain, and not":      {ops: []syntax.Op{op("domainIn", "a.example")}, holds: []string{"ann@a.example", "ann@sub.a.example", "ann@elsewhere.example"}, exact: true},
		"times of day around one":        {ops: []syntax.Op{op("gt", "22:00")}, holds: []string{"22:00", "21:59:59", "22:00:01"}, exact: true},
		"inside of not, any and lengths": {ops: []syntax.Op{{Name: "not", Ops: []syntax.Op{{Name: "any", Ops: []syntax.Op{op("prefix", "q")}}}}}, holds: []string{"q"}, exact: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, exact := texts(t, c.ops...)
			if exact != c.exact {
				t.Errorf("exact %v, want %v", exact, c.exact)
			}
			for _, want := range c.holds {
				if !slices.Contains(found, want) {
					t.Errorf("%q is not among %q", want, found)
				}
			}
		})
	}
}

func TestNumbersBetweenAndAround(t *testing.T) {
	t.Parallel()
	fields, _ := sample.Fields(field(op("gt", "1"), op("lt", "2"), op("eq", "10")))
	var got []string
	for _, v := range fields[0].Values {
		if v.Kind() == canon.KindNumber {
			got = append(got, v.Number().String())
		}
	}
	if diff := cmp.Diff([]string{"0", "0.5", "1", "1.5", "2", "6", "2.5", "10", "11", "10.5"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestEffectsOfEveryKindThatIsTested(t *testing.T) {
	t.Parallel()
	test := func(name string, o syntax.Op) syntax.Condition {
		return &syntax.Test{Field: syntax.Field{Text: name, Root: "effects", Steps: []syntax.Step{{Name: name}}}, Ops: []syntax.Op{o}}
	}
	part := &syntax.All{Parts: []syntax.Condition{test("path", op("under", "/srv")), test("query.verb", op("eq", "drop")), test("port", op("lt", "1024"))}}
	fields, _ := sample.Fields([]sample.Condition{{Part: &syntax.Effects{Part: part}, Zone: time.UTC}})
	if len(fields) != 1 || fields[0].Exact {
		t.Fatalf("%+v", fields)
	}
	for name, is := range map[string]func(*tv.Effect) bool{
		"a write below it":          func(e *tv.Effect) bool { return e.Kind == tv.EffectWrite && e.Path == "/srv/x" },
		"a delete of all of it":     func(e *tv.Effect) bool { return e.Kind == tv.EffectDelete && e.Path == "/srv" && e.Deep },
		"a path that is not known":  func(e *tv.Effect) bool { return e.Kind == tv.EffectRead && e.Path == "" },
		"a drop":                    func(e *tv.Effect) bool { return e.Query != nil && e.Query.Verb == "drop" },
		"a port below":              func(e *tv.Effect) bool { return e.Kind == tv.EffectConnect && e.Port == 1023 },
		"what is not understood":    func(e *tv.Effect) bool { return e.Kind == tv.EffectOpaque },
		"a kind that has no fields": func(e *tv.Effect) bool { return e.Kind == tv.EffectSpend },
	} {
		found := false
		for i := range fields[0].Effects {
			found = found || is(&fields[0].Effects[i])
		}
		if !found {
			t.Errorf("no sample is %s", name)
		}
	}
}
