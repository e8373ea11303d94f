// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package truth_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/effect/sql/internal/truth"
)

func own(name string) *truth.Expr   { return &truth.Expr{Op: truth.Column, Name: name, Own: true} }
func other(name string) *truth.Expr { return &truth.Expr{Op: truth.Unknown, Name: name} }
func asText(name string) *truth.Expr {
	return &truth.Expr{Op: truth.Column, Name: name, Own: true, Text: &name}
}

func eq(a, b *truth.Expr) *truth.Expr { return truth.Make(truth.Equal, a, b) }
func or(a, b *truth.Expr) *truth.Expr { return truth.Make(truth.Or, a, b) }
func not(a *truth.Expr) *truth.Expr   { return truth.Make(truth.Not, a) }

func TestChooses(t *testing.T) {
	t.Parallel()
	id, note := own("id"), own("note")
	for name, c := range map[string]struct {
		e    *truth.Expr
		want bool
	}{
		"nothing":                         {nil, false},
		"a key":                           {eq(id, truth.Num(7)), true},
		"not a key":                       {not(eq(id, truth.Num(7))), true},
		"a range":                         {truth.Make(truth.More, id, truth.Num(100)), true},
		"two ranges that leave a gap":     {or(truth.Make(truth.Less, id, truth.Num(5)), truth.Make(truth.More, id, truth.Num(5))), true},
		"two ranges that meet":            {or(truth.Make(truth.Less, id, truth.Num(5)), truth.Make(truth.AtLeast, id, truth.Num(5))), false},
		"two ranges that overlap":         {or(truth.Make(truth.Less, id, truth.Num(5)), truth.Make(truth.More, id, truth.Num(3))), false},
		"a key or not":                    {or(eq(id, truth.Num(7)), not(eq(id, truth.Num(7)))), false},
		"a key or another":                {or(eq(id, truth.Num(7)), truth.Make(truth.Differ, id, truth.Num(8))), true},
		"all but two keys":                {truth.Make(truth.And, truth.Make(truth.Differ, id, truth.Num(7)), truth.Make(truth.Differ, id, truth.Num(8))), true},
		"itself":                          {eq(id, id), false},
		"itself in order":                 {truth.Make(truth.AtMost, id, id), false},
		"itself, less":                    {truth.Make(truth.Less, id, id), true},
		"itself and one":                  {truth.Make(truth.More, truth.Make(truth.Add, id, truth.Num(1)), id), false},
		"itself by nothing":               {eq(truth.Make(truth.Multiply, id, truth.Num(0)), truth.Num(0)), false},
		"two columns":                     {eq(id, own("user_id")), true},
		"a remainder":                     {eq(truth.Make(truth.Modulo, id, truth.Num(7)), truth.Num(3)), true},
		"a price with tax":                {truth.Make(truth.More, truth.Make(truth.Multiply, id, truth.Num(1.1)), truth.Num(100)), true},
		"size of anything":                {truth.Make(truth.AtLeast, truth.Make(truth.Length, note), truth.Num(0)), false},
		"amount of anything":              {truth.Make(truth.AtLeast, truth.Make(truth.Abs, id), truth.Num(0)), false},
		"anything like anything":          {truth.Make(truth.Like, note, truth.Str("%%")), false},
		"like something":                  {truth.Make(truth.Like, note, truth.Str("%cart%")), true},
		"not like something":              {not(truth.Make(truth.Like, note, truth.Str("cart%"))), true},
		"not like itself":                 {not(truth.Make(truth.Like, note, note)), true},
		"matching all":                    {truth.Make(truth.Match, note, truth.Str("^(.*)$")), false},
		"matching the empty text":         {truth.Make(truth.Match, note, truth.Str("^$")), true},
		"matching something":              {truth.Make(truth.Match, note, truth.Str("^ab.*")), true},
		"null":                            {truth.Make(truth.IsNull, note), true},
		"not null":                        {not(truth.Make(truth.IsNull, note)), true},
		"null or not":                     {or(truth.Make(truth.IsNull, note), not(truth.Make(truth.IsNull, note))), false},
		"itself or null":                  {or(eq(id, id), truth.Make(truth.IsNull, id)), false},
		"coalesced with itself":           {eq(truth.Make(truth.Coalesce, id, truth.Num(0)), truth.Make(truth.Coalesce, id, truth.Num(0))), false},
		"coalesced with something":        {eq(truth.Make(truth.Coalesce, note, truth.Str("")), truth.Str("")), true},
		"a list":                          {truth.Make(truth.In, id, truth.Num(1), truth.Num(2)), true},
		"not in a list":                   {not(truth.Make(truth.In, id, truth.Num(1), truth.Num(2))), true},
		"in a list with itself":           {truth.Make(truth.In, id, truth.Num(1), id), false},
		"true":                            {truth.True(), false},
		"false":                           {truth.False(), true},
		"one is one":                      {eq(truth.Num(1), truth.Num(1)), false},
		"one is two":                      {eq(truth.Num(1), truth.Num(2)), true},
		"texts":                           {eq(truth.Str("a"), truth.Str("a")), false},
		"texts in an order that varies":   {truth.Make(truth.Less, truth.Str("a"), truth.Str("B")), false},
		"a tenth and two":                 {eq(truth.Make(truth.Add, truth.Num(0.1), truth.Num(0.2)), truth.Num(0.3)), false},
		"or true":                         {or(eq(id, truth.Num(7)), truth.True()), false},
		"and true":                        {truth.Make(truth.And, eq(id, truth.Num(7)), truth.True()), true},
		"true, and the clock":             {truth.Make(truth.More, other("now()"), truth.Str("2000-01-01")), false},
		"a parameter":                     {eq(id, other("$1")), true},
		"a parameter that may be absent":  {or(eq(id, other("$1")), truth.Make(truth.IsNull, other("$1"))), false},
		"only a parameter":                {other("$1"), false},
		"older than the clock":            {truth.Make(truth.Less, own("at"), other("now()")), true},
		"unlike a parameter":              {truth.Make(truth.Differ, id, other("$1")), true},
		"anything but a parameter, twice": {or(truth.Make(truth.Differ, id, other("$1")), truth.Make(truth.Differ, id, other("$2"))), false},
		"another table has rows":          {other("exists"), false},
		"a condition of the row":          {own("open"), true},
		"a condition of the row or not":   {or(own("open"), not(own("open"))), false},
		"a case":                          {truth.Make(truth.Case, eq(id, truth.Num(1)), truth.True(), truth.False()), true},
		"a case without choice":           {truth.Make(truth.Case, eq(id, truth.Num(1)), truth.True(), truth.True()), false},
		"null unless":                     {truth.Make(truth.IsNull, truth.Make(truth.NullIf, id, id)), false},
		"greatest":                        {truth.Make(truth.AtLeast, truth.Make(truth.Greatest, id, truth.Num(5)), truth.Num(5)), false},
		"least":                           {truth.Make(truth.AtLeast, truth.Make(truth.Least, id, truth.Num(5)), truth.Num(5)), true},
		"one or the other":                {truth.Make(truth.Xor, eq(id, truth.Num(1)), not(eq(id, truth.Num(1)))), false},
		"distinct from itself":            {truth.Make(truth.Same, id, id), false},
		"same as a value":                 {truth.Make(truth.Same, id, truth.Num(1)), true},
		"joined words":                    {eq(truth.Make(truth.Concat, note, truth.Str("x")), truth.Make(truth.Concat, note, truth.Str("x"))), false},
		"is true":                         {truth.Make(truth.IsTrue, eq(id, truth.Num(1))), true},
		"is true of itself":               {truth.Make(truth.IsTrue, eq(id, id)), false},
		"half":                            {truth.Make(truth.More, truth.Make(truth.Divide, id, truth.Num(2)), truth.Num(50)), true},
		"not a number":                    {truth.Make(truth.More, truth.Make(truth.Add, note, truth.Num(1)), truth.Str("x")), false},
	} {
		if got := truth.Chooses(c.e, truth.Dialect{}); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestDialects(t *testing.T) {
	t.Parallel()
	loose := truth.Dialect{LooseBool: true, FoldText: true}
	for name, c := range map[string]struct {
		e    *truth.Expr
		d    truth.Dialect
		want bool
	}{
		"a number":                       {truth.Num(1), loose, false},
		"zero":                           {truth.Num(0), loose, true},
		"a text that starts with one":    {truth.Str(" 1x"), loose, false},
		"a text that is no number":       {truth.Str("x"), loose, true},
		"a text with an exponent":        {eq(truth.Str("1e2"), truth.Num(100)), loose, false},
		"a number is no condition":       {truth.Num(1), truth.Dialect{}, false},
		"a word for true":                {truth.Str("yes"), truth.Dialect{}, false},
		"a word for false":               {truth.Str("off"), truth.Dialect{}, true},
		"letters of another case":        {eq(truth.Str("A"), truth.Str("a")), loose, false},
		"letters of another case, exact": {eq(truth.Str("A"), truth.Str("a")), truth.Dialect{}, true},
		"a text like a number":           {eq(truth.Str("1"), truth.Num(1)), truth.Dialect{}, false},
		"kept apart":                     {eq(truth.Str("1"), truth.Num(1)), truth.Dialect{LiteralTypes: true}, false},
		"whole division":                 {eq(truth.Make(truth.Divide, truth.Num(1), truth.Num(2)), truth.Num(0)), truth.Dialect{WholeDivision: true}, false},
		"exact division":                 {eq(truth.Make(truth.Divide, truth.Num(1), truth.Num(2)), truth.Num(0)), loose, true},
		"a column of numbers as text":    {or(truth.Make(truth.More, own("id"), truth.Str("0")), truth.Make(truth.AtMost, own("id"), truth.Str("0"))), loose, false},
		"a name that may be a text":      {asText("1"), truth.Dialect{LooseBool: true}, false},
		"a name that is a column":        {eq(asText("status"), truth.Str("open")), truth.Dialect{LooseBool: true}, true},
		"greatest of nothing":            {truth.Make(truth.IsNull, truth.Make(truth.Greatest, own("a"), &truth.Expr{})), loose, false},
		"accents":                        {eq(truth.Str("é"), truth.Str("e")), loose, false},
	} {
		if got := truth.Chooses(c.e, c.d); got != c.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// TestLimits gives up where a condition is too large, and says that it does not
// choose.
func TestLimits(t *testing.T) {
	t.Parallel()
	var wide []*truth.Expr
	for i := range 100 {
		wide = append(wide, truth.Make(truth.More, own(string(rune('a'+i%26))+string(rune('a'+i/26))), truth.Num(1)))
	}
	if truth.Chooses(truth.Make(truth.Or, wide...), truth.Dialect{}) {
		t.Error("100 columns were tried")
	}
	if !truth.Chooses(truth.Make(truth.And, append(wide, eq(own("id"), truth.Num(1)))...), truth.Dialect{}) {
		t.Error("a key among 100 conditions does not choose")
	}
	deep := eq(own("id"), truth.Num(1))
	for range 5000 {
		deep = not(deep)
	}
	if truth.Chooses(deep, truth.Dialect{}) {
		t.Error("an endless condition was tried")
	}
}

// TestAlwaysTrueIsFound builds conditions that hold for every row by
// construction, and none of them may be said to choose.
func TestAlwaysTrueIsFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := anyCondition(t, 3)
		for name, always := range map[string]*truth.Expr{
			"e or not e":    or(truth.Make(truth.IsTrue, e), not(truth.Make(truth.IsTrue, e))),
			"e or true":     or(e, truth.True()),
			"itself":        truth.Make(truth.Same, e, e),
			"not (e and 0)": not(truth.Make(truth.And, e, truth.False())),
		} {
			if truth.Chooses(always, truth.Dialect{}) {
				t.Fatalf("%s: %s is said to choose", name, show(always))
			}
		}
	})
}

// TestKeyChooses holds what a careful rule needs: adding a key to any condition
// makes it choose.
func TestKeyChooses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := truth.Make(truth.And, anyCondition(t, 3), eq(own("id"), truth.Num(7)))
		if !truth.Chooses(e, truth.Dialect{}) {
			t.Fatalf("%s is said not to choose", show(e))
		}
	})
}

func anyCondition(t *rapid.T, depth int) *truth.Expr {
	if depth == 0 || rapid.IntRange(0, 3).Draw(t, "leaf") == 0 {
		op := rapid.SampledFrom([]truth.Op{truth.Equal, truth.Differ, truth.Less, truth.AtMost, truth.More, truth.AtLeast, truth.Same}).Draw(t, "op")
		return truth.Make(op, anyValue(t), anyValue(t))
	}
	switch op := rapid.SampledFrom([]truth.Op{truth.And, truth.Or, truth.Not, truth.IsTrue, truth.IsNull}).Draw(t, "op"); op {
	case truth.And, truth.Or:
		return truth.Make(op, anyCondition(t, depth-1), anyCondition(t, depth-1))
	default:
		return truth.Make(op, anyCondition(t, depth-1))
	}
}

func anyValue(t *rapid.T) *truth.Expr {
	switch rapid.IntRange(0, 4).Draw(t, "value") {
	case 0:
		return own(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "column"))
	case 1:
		return other("p")
	case 2:
		return truth.Make(truth.Add, own("a"), truth.Num(1))
	case 3:
		return &truth.Expr{}
	default:
		return truth.Num(float64(rapid.IntRange(-2, 2).Draw(t, "number")))
	}
}

func show(e *truth.Expr) string {
	s := string(rune('0'+e.Op)) + e.Name
	for _, a := range e.Args {
		s += "(" + show(a) + ")"
	}
	return s
}
