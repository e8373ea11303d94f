// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import "slices"

// search tries a condition on rows.
type search struct {
	condition *Expr
	row       *row
	own       []term // what depends on the row
	others    []term // what does not: a world is one value for each
}

// term is a name with the values that it is tried with.
type term struct {
	name    string
	uses    uses
	samples []Value
}

// uses are the ways in which a term appears in the condition.
type uses uint8

const (
	asCondition uses = 1 << iota
	withNumbers
	withTexts
	withNulls // something asks whether it is null
	asPattern // of LIKE
)

func newSearch(e *Expr, d Dialect) *search {
	s := &search{condition: e, row: newRow(d)}
	c := collector{own: map[string]bool{}, never: map[string]bool{}, used: map[string]uses{}, guesses: map[string]Guess{}}
	c.visit(e, asCondition)
	for range 2 { // types travel from term to term over comparisons
		c.spread(e)
	}
	for _, name := range c.names {
		t := term{name: name, uses: c.used[name], samples: c.samples(c.used[name], c.never[name])}
		if g := c.guesses[name]; g != Known {
			t.samples = guessed(c.used[name], g)
		}
		if c.own[name] {
			s.own = append(s.own, t)
		} else {
			s.others = append(s.others, t)
		}
	}
	return s
}

// collector gathers the terms and constants of a condition.
type collector struct {
	names   []string
	own     map[string]bool
	never   map[string]bool // null
	used    map[string]uses
	guesses map[string]Guess
	numbers []float64
	texts   []string
}

// visit walks the expression; use is how its value is used.
func (c *collector) visit(e *Expr, use uses) {
	switch e.Op {
	case Literal:
		c.constant(e.Value)
		return
	case Column, Unknown:
		if !slices.Contains(c.names, e.Name) {
			c.names = append(c.names, e.Name)
		}
		c.own[e.Name] = c.own[e.Name] || e.Own
		c.never[e.Name] = c.never[e.Name] || e.Never
		c.used[e.Name] |= use
		c.guesses[e.Name] = max(c.guesses[e.Name], e.Guess)
		return
	default:
	}
	if e.Op == Like && e.Args[1].Op == Literal && e.Args[1].Value.Kind == Text {
		c.constant(Value{Kind: Text, Text: example(e.Args[1].Value.Text)})
	}
	for i, a := range e.Args {
		c.visit(a, use&(withNulls|asPattern)|argumentUse(e, i))
	}
}

func argumentUse(e *Expr, i int) uses {
	switch e.Op {
	case And, Or, Xor, Not, IsTrue, IsFalse:
		return asCondition
	case Case:
		if i%2 == 0 && i+1 < len(e.Args) {
			return asCondition | withNulls
		}
		return withNulls
	case IsNull, Same, Coalesce, NullIf:
		return withNulls
	case Add, Subtract, Multiply, Divide, Modulo, Negate, Abs:
		return withNumbers
	case Like:
		if i == 1 {
			return withTexts | asPattern
		}
		return withTexts
	case Match, Concat, Length, Lower, Upper, Trim, Find:
		return withTexts
	default:
		return 0
	}
}

func (c *collector) constant(v Value) {
	switch {
	case v.Kind == Number && len(c.numbers) < maxConstants && !slices.Contains(c.numbers, v.Num):
		c.numbers = append(c.numbers, v.Num)
	case v.Kind == Text && len(c.texts) < maxConstants && !slices.Contains(c.texts, v.Text):
		c.texts = append(c.texts, v.Text)
	}
}

// spread gives all terms of a comparison the types of what they are compared
// with.
func (c *collector) spread(e *Expr) {
	if e.Op >= Equal && e.Op <= Same || e.Op == In || e.Op == NullIf || e.Op == Coalesce {
		var all uses
		for _, a := range e.Args {
			all |= c.typeOf(a)
		}
		for _, a := range e.Args {
			c.mark(a, all)
		}
	}
	for _, a := range e.Args {
		c.spread(a)
	}
}

func (c *collector) typeOf(e *Expr) uses {
	switch e.Op {
	case Literal:
		return typeOfValue(e.Value.Kind)
	case Column, Unknown:
		return c.used[e.Name] & (withNumbers | withTexts | asCondition)
	case Add, Subtract, Multiply, Divide, Modulo, Negate, Abs, Length, Find:
		return withNumbers
	case Concat, Lower, Upper, Trim:
		return withTexts
	default:
		return 0
	}
}

func typeOfValue(k Kind) uses {
	switch k {
	case Number:
		return withNumbers
	case Text:
		return withTexts
	case Bool:
		return asCondition
	default:
		return 0
	}
}

func (c *collector) mark(e *Expr, types uses) {
	switch e.Op {
	case Column, Unknown:
		c.used[e.Name] |= types
	case Coalesce, NullIf, Case, Greatest, Least:
		for _, a := range e.Args {
			c.mark(a, types)
		}
	default:
	}
}

// samples are the values that a term is tried with, those first that few
// conditions hold for.
func (c *collector) samples(u uses, never bool) []Value {
	var values []Value
	if u&asPattern != 0 {
		values = append(values, Value{Kind: Text, Text: "%"}) // lets every row through
	}
	if u&asCondition != 0 {
		values = append(values, truthOf(false), truthOf(true))
	}
	if u&withNumbers != 0 || u&(asCondition|withTexts) == 0 {
		values = append(values, c.aroundNumbers()...)
	}
	if u&withTexts != 0 {
		values = append(values, c.aroundTexts()...)
	}
	if u&withNulls != 0 && !never {
		values = append(values, Value{})
	}
	return values
}

// guessed are the samples of a value that is not known: none of them is a value
// that the condition names, see [row.compare].
func guessed(u uses, g Guess) []Value {
	if g == Vague {
		return []Value{{Kind: Undecided}}
	}
	var values []Value
	if u&withTexts != 0 {
		values = append(values, Value{Kind: Text, Text: "zzzzz9", Guess: g}, Value{Kind: Text, Text: "0", Guess: g})
	}
	if u&withNumbers != 0 || u&withTexts == 0 {
		values = append(values, Value{Kind: Number, Num: 4 * far, Guess: g}, Value{Kind: Number, Num: -4 * far, Guess: g})
	}
	return values
}

// far is further than the numbers that conditions name.
const far = 1 << 40

func (c *collector) aroundNumbers() []Value {
	points := []float64{far + 1, -far - 1, 0}
	for _, n := range c.numbers {
		points = append(points, n, n-1, n+1)
	}
	points = append(points, 1, -1)
	values := make([]Value, 0, len(points))
	for i, n := range points {
		if !slices.Contains(points[:i], n) {
			values = append(values, Value{Kind: Number, Num: n})
		}
	}
	return values
}

func (c *collector) aroundTexts() []Value {
	values := []Value{{Kind: Text, Text: "zzzz9"}, {Kind: Text}, {Kind: Text, Text: "a"}, {Kind: Text, Text: "1"}}
	for _, s := range c.texts {
		values = append(values, Value{Kind: Text, Text: s}, Value{Kind: Text, Text: s + "0"})
	}
	return values
}

// everyWorld reports whether, whatever the other terms are, there is a row for
// which the condition does not hold.
func (s *search) everyWorld() bool {
	return assignments(s.others, maxWorlds, func(world []Value) bool {
		s.set(s.others, world)
		return s.someRow() && s.row.left > 0
	})
}

// someRow reports whether there is a row for which the condition does not hold.
func (s *search) someRow() bool {
	return !assignments(s.own, maxRows, func(values []Value) bool {
		s.set(s.own, values)
		v := s.row.condition(s.condition)
		return v.Kind == Undecided || v.Kind == Bool && v.Bool
	})
}

func (s *search) set(terms []term, values []Value) {
	for i, t := range terms {
		s.row.values[t.name] = values[i]
	}
}

// assignments calls try with values for the terms: all combinations where they
// are few, else those in which all terms have their first value, their second
// and so on, and a fixed choice of others. It stops at the first that try does
// not accept, and reports whether there was none.
func assignments(terms []term, limit int, try func([]Value) bool) bool {
	values := make([]Value, len(terms))
	total, longest := 1, 0
	for _, t := range terms {
		total = min(total*len(t.samples), limit+1)
		longest = max(longest, len(t.samples))
	}
	for i := range longest {
		for j, t := range terms {
			values[j] = t.samples[i%len(t.samples)]
		}
		if !try(values) {
			return false
		}
	}
	all := total <= limit
	state := uint32(1)
	for n := range min(total, limit) {
		rest := n
		for j, t := range terms {
			if !all {
				state = state*1664525 + 1013904223
				rest = int(state >> 8)
			}
			values[j] = t.samples[rest%len(t.samples)]
			rest /= len(t.samples)
		}
		if !try(values) {
			return false
		}
	}
	return true
}
