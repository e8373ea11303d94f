// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// Roots of fields that are one thing, whatever is looked at in them.
const (
	Time    = "time"
	Effects = "effects"
)

// Field is one thing that conditions look at, with values of it.
type Field struct {
	Key   string // tells fields apart
	Root  string
	Steps []syntax.Step // of args; the name alone for others
	Fan   int           // of args: which step is [*], -1 for none

	Values  []canon.Value // single values; of a fan, those of one element
	Lengths []int         // of lists
	Times   []time.Time
	Effects []toolverdict.Effect

	Exact bool // one value stands for each outcome that there is
}

// Condition is one condition of a rule, in the zone of its file.
type Condition struct {
	Part syntax.Condition
	Zone *time.Location
}

// sampler collects what conditions look at.
type sampler struct {
	order   []string
	fields  map[string]*Field
	gather  map[string]*gathered
	moments []moment
	effects map[string]*gathered // by the effect's field
	asked   bool                 // for effects
	beyond  Beyond
}

// Beyond says what conditions look at that no sample stands for.
type Beyond struct {
	History bool // earlier calls
	Other   bool // anything, as CEL may
}

// Any reports whether there is something.
func (b Beyond) Any() bool { return b.History || b.Other }

// Fields samples what conditions look at.
func Fields(conditions []Condition) (fields []Field, beyond Beyond) {
	s := sampler{fields: map[string]*Field{}, gather: map[string]*gathered{}, effects: map[string]*gathered{}}
	for _, c := range conditions {
		s.condition(c.Part, c.Zone)
	}
	for _, key := range s.order {
		f := s.fields[key]
		s.fill(f, s.gather[key])
		fields = append(fields, *f)
	}
	if len(s.moments) > 0 {
		found, complete := times(s.moments)
		fields = append(fields, Field{Key: Time, Root: Time, Fan: -1, Times: found, Exact: complete})
	}
	if s.asked {
		fields = append(fields, Field{Key: Effects, Root: Effects, Fan: -1, Effects: s.effectSamples()})
	}
	return fields, s.beyond
}

func (s *sampler) condition(c syntax.Condition, zone *time.Location) {
	switch c := c.(type) {
	case nil:
	case *syntax.All:
		for _, p := range c.Parts {
			s.condition(p, zone)
		}
	case *syntax.Any:
		for _, p := range c.Parts {
			s.condition(p, zone)
		}
	case *syntax.Not:
		s.condition(c.Part, zone)
	case *syntax.Effects:
		s.asked = true
		s.condition(c.Part, zone)
	case *syntax.Test:
		s.test(c, zone)
	case *syntax.History:
		s.beyond.History = true
	default:
		s.beyond.Other = true
	}
}

// Key tells which field a test is about, "" where no sample stands for it.
func Key(c syntax.Condition) string {
	switch c := c.(type) {
	case *syntax.Effects:
		return Effects
	case *syntax.Test:
		if c.Field.Root == Time {
			return Time
		}
		return key(&c.Field)
	}
	return ""
}

func key(f *syntax.Field) string {
	var out strings.Builder
	out.WriteString(f.Root)
	for _, step := range f.Steps {
		switch step.Kind {
		case syntax.Member:
			out.WriteString("/" + string(canon.Quote(step.Name)))
		case syntax.Index:
			out.WriteString("/#" + canon.IntNumber(int64(step.Index)).String())
		case syntax.Every:
			out.WriteString("/*")
		}
	}
	return out.String()
}

func (s *sampler) test(t *syntax.Test, zone *time.Location) {
	switch t.Field.Root {
	case Time:
		s.moments = append(s.moments, moment{t.Field.Steps[0].Name, zone, t.Ops})
		return
	case Effects:
		g := s.effects[t.Field.Text]
		if g == nil {
			g = &gathered{bare: t.Field.Text == "host" || t.Field.Text == "domain"}
			s.effects[t.Field.Text] = g
		}
		g.gather(t.Ops)
		return
	}
	k := key(&t.Field)
	if s.fields[k] == nil {
		fan := slices.IndexFunc(t.Field.Steps, func(step syntax.Step) bool { return step.Kind == syntax.Every })
		s.fields[k] = &Field{Key: k, Root: t.Field.Root, Steps: t.Field.Steps, Fan: fan}
		s.gather[k] = &gathered{}
		s.order = append(s.order, k)
	}
	s.gather[k].gather(t.Ops)
}

func (s *sampler) fill(f *Field, g *gathered) {
	found, exact := g.texts()
	for _, t := range found {
		if v := canon.String(t); !v.IsZero() {
			f.Values = append(f.Values, v)
		}
	}
	f.Exact, f.Lengths = exact, g.lengths
	if f.Root != "args" {
		return
	}
	for _, n := range numbers(g.numbers) {
		f.Values = append(f.Values, n.Value())
	}
	f.Values = append(f.Values, canon.Bool(true), canon.Bool(false), canon.Null(), canon.Object())
	more := slices.ContainsFunc(f.Steps[f.Fan+1:], func(step syntax.Step) bool { return step.Kind == syntax.Every })
	f.Exact = f.Exact && !(f.Fan >= 0 && more)
}

// Names returns names of tools, with their server, for each combination of the
// patterns that cover them.
func Names(globs []string) []string {
	patterns := []string{`[a-z0-9_.-]+/@?[^/ *?]+`}
	for _, g := range globs {
		quoted := "(?s:" + strings.ReplaceAll(regexp.QuoteMeta(g), `\*`, ".*") + ")"
		if g != "*" && !strings.Contains(g, "/") {
			quoted = "[^/]*/" + quoted
		}
		patterns = append(patterns, quoted)
	}
	slices.Sort(patterns)
	found, _ := texts(slices.Compact(patterns))
	var out []string
	for _, list := range found {
		for _, t := range list {
			if server, own, ok := strings.Cut(t, "/"); ok && server != "" && own != "" && !strings.ContainsAny(t, " *?") {
				out = append(out, t)
				break
			}
		}
	}
	return out
}
