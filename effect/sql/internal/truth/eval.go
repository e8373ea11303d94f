// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// row gives each term its value.
type row struct {
	dialect  Dialect
	values   map[string]Value
	patterns map[string]*regexp.Regexp
	left     int // steps; with none left nothing is decided any more
}

func newRow(d Dialect) *row {
	return &row{dialect: d, values: map[string]Value{}, patterns: map[string]*regexp.Regexp{}, left: maxWork}
}

// spend takes the steps that something costs, and reports whether there were as
// many left.
func (r *row) spend(steps int) bool {
	r.left -= steps
	return r.left > 0
}

// bytesPerStep is how many bytes of text are worth a step.
const bytesPerStep = 64

func truthOf(b bool) Value { return Value{Kind: Bool, Bool: b} }

// eval computes the expression for one row.
func (r *row) eval(e *Expr) Value {
	if !r.spend(1) {
		return Value{Kind: Undecided}
	}
	switch e.Op {
	case Literal:
		return e.Value
	case Column, Unknown:
		return r.values[e.Name]
	case And, Or:
		return r.chain(e)
	case Xor:
		return r.xor(e)
	case Not:
		return negated(r.condition(e.Args[0]))
	case Equal, Differ, Less, AtMost, More, AtLeast:
		return compared(e.Op, r.compare(r.eval(e.Args[0]), r.eval(e.Args[1])))
	case Same:
		return r.same(r.eval(e.Args[0]), r.eval(e.Args[1]))
	case IsNull:
		return is(r.eval(e.Args[0]), func(v Value) bool { return v.Kind == Null })
	case IsTrue:
		return is(r.condition(e.Args[0]), func(v Value) bool { return v.Kind == Bool && v.Bool })
	case IsFalse:
		return is(r.condition(e.Args[0]), func(v Value) bool { return v.Kind == Bool && !v.Bool })
	case Like:
		return r.like(r.eval(e.Args[0]), r.eval(e.Args[1]))
	case Match:
		return r.match(r.eval(e.Args[0]), r.eval(e.Args[1]))
	case In:
		return r.in(e)
	case Case:
		return r.choose(e)
	case Coalesce:
		return r.coalesce(e)
	case Greatest, Least:
		return r.extreme(e)
	default:
		return r.scalar(e)
	}
}

// is asks something of a value that null has an answer to as well.
func is(v Value, ask func(Value) bool) Value {
	if v.Kind == Undecided {
		return v
	}
	return truthOf(ask(v))
}

func negated(v Value) Value {
	if v.Kind == Bool {
		v.Bool = !v.Bool
	}
	return v
}

// condition is the expression's truth value.
func (r *row) condition(e *Expr) Value {
	v := r.eval(e)
	if v.Guess != Known {
		return Value{Kind: Undecided}
	}
	switch v.Kind {
	case Number:
		if !r.dialect.LooseBool {
			return Value{Kind: Undecided}
		}
		return truthOf(v.Num != 0)
	case Text:
		if r.dialect.LooseBool {
			return truthOf(leadingNumber(v.Text) != 0)
		}
		return boolText(v.Text)
	default:
		return v
	}
}

// boolText reads a text where PostgreSQL wants a truth value.
func boolText(s string) Value {
	s = strings.ToLower(strings.TrimSpace(s))
	if s == "" {
		return Value{Kind: Undecided}
	}
	for _, word := range []string{"true", "yes", "on", "1"} {
		if strings.HasPrefix(word, s) && s != "o" {
			return truthOf(true)
		}
	}
	for _, word := range []string{"false", "no", "off", "0"} {
		if strings.HasPrefix(word, s) && s != "o" {
			return truthOf(false)
		}
	}
	return Value{Kind: Undecided}
}

// leadingNumber reads a text as the loose dialects do: up to where it stops
// being a number.
func leadingNumber(s string) float64 {
	s = strings.TrimLeft(s, " \t\r\n")
	end, digits, dot, exp := 0, false, false, false
scan:
	for ; end < len(s); end++ {
		switch c := s[end]; {
		case c >= '0' && c <= '9':
			digits = true
		case c == '.' && !dot && !exp:
			dot = true
		case (c == '+' || c == '-') && end == 0:
		case (c == 'e' || c == 'E') && digits && !exp && exponentFollows(s[end+1:]):
			exp = true
			end++
		default:
			break scan
		}
	}
	n, err := strconv.ParseFloat(s[:end], 64)
	if err != nil && !math.IsInf(n, 0) {
		return 0
	}
	return n
}

func exponentFollows(s string) bool {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
		return s != "" && s[0] >= '0' && s[0] <= '9'
	}
	return s != "" && s[0] >= '0' && s[0] <= '9'
}

// chain is And or Or. One argument may settle it whatever the others are.
func (r *row) chain(e *Expr) Value {
	settles := e.Op == Or
	rest := truthOf(!settles)
	for _, a := range e.Args {
		v := r.condition(a)
		switch {
		case v.Kind == Bool && v.Bool == settles:
			return v
		case v.Kind == Undecided:
			rest = v
		case v.Kind == Null && rest.Kind == Bool:
			rest = v
		}
	}
	return rest
}

func (r *row) xor(e *Expr) Value {
	a, b := r.condition(e.Args[0]), r.condition(e.Args[1])
	if a.Kind != Bool {
		return a
	}
	if b.Kind != Bool {
		return b
	}
	return truthOf(a.Bool != b.Bool)
}

func (r *row) choose(e *Expr) Value {
	for i := 0; i+1 < len(e.Args); i += 2 {
		v := r.condition(e.Args[i])
		if v.Kind == Undecided {
			return v
		}
		if v.Kind == Bool && v.Bool {
			return r.eval(e.Args[i+1])
		}
	}
	if len(e.Args)%2 == 1 {
		return r.eval(e.Args[len(e.Args)-1])
	}
	return Value{}
}

func (r *row) coalesce(e *Expr) Value {
	for _, a := range e.Args {
		if v := r.eval(a); v.Kind != Null {
			return v
		}
	}
	return Value{}
}

func (r *row) extreme(e *Expr) Value {
	var best Value
	for _, a := range e.Args {
		v := r.eval(a)
		if v.Kind == Null {
			if r.dialect.LooseBool {
				return v
			}
			continue
		}
		outcome := r.compare(v, best)
		switch {
		case outcome == notSaid:
			return Value{Kind: Undecided}
		case outcome == withNull, outcome == after && e.Op == Greatest, outcome == before && e.Op == Least:
			best = v
		}
	}
	return best
}

// scalar is arithmetic and functions of values.
func (r *row) scalar(e *Expr) Value {
	a := r.eval(e.Args[0])
	b := a
	if len(e.Args) > 1 {
		b = r.eval(e.Args[1])
	}
	if a.Kind == Undecided || b.Kind == Undecided {
		return Value{Kind: Undecided}
	}
	if e.Op == NullIf {
		return r.nullIf(a, b)
	}
	if a.Kind == Null || b.Kind == Null {
		return Value{}
	}
	if g := max(a.Guess, b.Guess); g != Known {
		return r.ofGuess(e.Op, g, a, b)
	}
	return r.computed(e.Op, a, b)
}

// ofGuess is what is computed of a guess: another, of which less is known.
func (r *row) ofGuess(op Op, g Guess, a, b Value) Value {
	if op == Length || op == Find || op == Trim {
		return Value{Kind: Undecided}
	}
	v := r.computed(op, a, b)
	v.Guess = g
	if op != Lower && op != Upper && op != Negate {
		v.Guess = Some
	}
	return v
}

func (r *row) computed(op Op, a, b Value) Value {
	switch op {
	case Concat, Length, Lower, Upper, Trim:
		if n := len(a.Text) + len(b.Text); n > maxBytes || !r.spend(n/bytesPerStep) {
			return Value{Kind: Undecided}
		}
		return text(op, a, b)
	case Find:
		return r.find(a, b)
	default:
	}
	if !r.numeric(&a) || !r.numeric(&b) {
		return Value{Kind: Undecided}
	}
	if op == Divide && r.dialect.WholeDivision && whole(a.Num) && whole(b.Num) && !whole(a.Num/b.Num) {
		return Value{Kind: Undecided} // it depends on the columns' types
	}
	return arithmetic(op, a.Num, b.Num)
}

func whole(n float64) bool { return n == math.Trunc(n) }

func (r *row) nullIf(a, b Value) Value {
	v := r.same(a, b)
	switch {
	case v.Kind == Undecided:
		return v
	case v.Bool:
		return Value{}
	}
	return a
}

func text(op Op, a, b Value) Value {
	s, ok := asText(a)
	more, alsoOK := asText(b)
	if !ok || !alsoOK {
		return Value{Kind: Undecided}
	}
	switch op {
	case Concat:
		return Value{Kind: Text, Text: s + more}
	case Length:
		return Value{Kind: Number, Num: float64(len([]rune(s)))}
	case Trim:
		return Value{Kind: Text, Text: strings.Trim(s, " ")}
	case Lower:
		return Value{Kind: Text, Text: strings.ToLower(s)}
	default:
		return Value{Kind: Text, Text: strings.ToUpper(s)}
	}
}

// find is where the second text starts in the first.
func (r *row) find(a, b Value) Value {
	s, ok := asText(a)
	part, alsoOK := asText(b)
	if !r.spend((len(s) + len(part)) / bytesPerStep) {
		return Value{Kind: Undecided}
	}
	before, _, found := strings.Cut(s, part)
	switch {
	case !ok || !alsoOK, !found && r.dialect.FoldText && strings.Contains(strings.ToLower(s), strings.ToLower(part)):
		return Value{Kind: Undecided}
	case !found:
		return Value{Kind: Number}
	default:
		return Value{Kind: Number, Num: float64(len([]rune(before)) + 1)}
	}
}

func asText(v Value) (string, bool) {
	switch v.Kind {
	case Text:
		return v.Text, true
	case Number:
		return strconv.FormatFloat(v.Num, 'f', -1, 64), true
	default:
		return "", false
	}
}

// numeric turns the value into a number where the dialect does.
func (r *row) numeric(v *Value) bool {
	switch v.Kind {
	case Text:
		n, err := strconv.ParseFloat(strings.TrimSpace(v.Text), 64)
		if r.dialect.LooseBool {
			n, err = leadingNumber(v.Text), nil
		}
		if err != nil {
			return false
		}
		v.Num = n
	case Bool:
		if !r.dialect.LooseBool {
			return false
		}
		v.Num = asNumber(*v)
	default:
	}
	v.Kind = Number
	return true
}

func arithmetic(op Op, a, b float64) Value {
	var n float64
	switch op {
	case Add:
		n = a + b
	case Subtract:
		n = a - b
	case Multiply:
		n = a * b
	case Divide:
		n = a / b
	case Modulo:
		n = math.Mod(a, b)
	case Negate:
		n = -a
	case Abs:
		n = math.Abs(a)
	default:
		return Value{Kind: Undecided}
	}
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return Value{Kind: Undecided}
	}
	return Value{Kind: Number, Num: n}
}
