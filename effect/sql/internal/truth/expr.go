// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package truth tells whether a condition chooses rows or holds for all of
// them. It knows nothing of SQL's syntax: each dialect translates its own tree
// into [Expr] first.
//
// A condition is tried on sample rows: values around every constant in it, for
// every column. One row for which it does not hold proves that it chooses. What
// does not depend on the row (a parameter, the clock, another table) is taken
// to be whatever lets most rows through. Where no row can be found the answer is
// that it does not choose, so an error of this package makes a careful rule
// match, never the opposite.
package truth

// Op is what an expression does with its arguments.
type Op uint8

// Operations. The comparisons, And, Or, Add and the like take two arguments;
// In, Coalesce, Case and the like any number.
const (
	Literal  Op = iota // Value
	Column             // the term Name, of the row where Own
	Unknown            // a value that only its Name tells from others
	And                // any number of arguments
	Or                 //
	Xor                // two
	Not                // one
	Equal              // two, as the ones below
	Differ             //
	Less               //
	AtMost             //
	More               //
	AtLeast            //
	Same               // equal, or both null
	IsNull             // one, as the ones below
	IsTrue             //
	IsFalse            //
	Like               // text, pattern; a pattern's escape is a backslash
	Match              // text, regular expression
	In                 // the first is one of the others
	Add                // two, as the ones below
	Subtract           //
	Multiply           //
	Divide             //
	Modulo             //
	Concat             //
	Negate             // one
	Coalesce           // the first that is not null
	NullIf             // two
	Case               // condition, value, …; a last one without condition is the else
	Abs                // one
	Length             // one
	Lower              // one
	Upper              // one
	Trim               // one: without the blanks at its ends
	Find               // two: where the second text starts in the first, from 1; 0 where it is not there
	Greatest           // any number
	Least              //
)

// Expr is one node of a condition. Its zero value is the literal null.
type Expr struct {
	Op   Op
	Args []*Expr
	Name string // of Column and Unknown: equal names are equal values
	// Own says of Column and Unknown that the value depends on the row that
	// would be changed.
	Own   bool
	Never bool  // of Column: it is never null
	Value Value // of Literal
	// Guess says of Unknown how little is known of its value.
	Guess Guess
	// Text is the other reading of a Column: SQLite reads a quoted name that
	// is no column as text.
	Text *string

	depends bool // an argument depends on the row
	varies  bool // an argument holds a term
	nodes   int  // of all arguments, up to many
}

// Kind is the type of a value.
type Kind uint8

// Kinds of value. Undecided is the result of what the dialects or this package
// do not agree about.
const (
	Null Kind = iota
	Bool
	Number
	Text
	Undecided
)

// Value is the value of an expression for one row.
type Value struct {
	Kind  Kind
	Bool  bool
	Num   float64
	Text  string
	Guess Guess // it stands for a value that is not known
}

// Guess is how little is known of a value that is not computed.
type Guess uint8

// Guesses. What they stand for may be any value but null that is not named in the
// condition.
const (
	Known   Guess = iota
	Ordered       // as small and as large as anything
	Some          // nobody knows how large
	Vague         // it may be one and the same for all rows
)

// Dialect is what the dialects differ in.
type Dialect struct {
	// LooseBool takes numbers for conditions, and text for numbers.
	LooseBool bool
	// FoldText compares text without regard to case.
	FoldText bool
	// WholeDivision drops the fraction where two whole numbers are divided.
	WholeDivision bool
	// LiteralTypes keeps a number and a text apart even where the text looks
	// like the number.
	LiteralTypes bool
}

// True and False are the constants.
func True() *Expr { return &Expr{Value: Value{Kind: Bool, Bool: true}} }

// False is the constant false.
func False() *Expr { return &Expr{Value: Value{Kind: Bool}} }

// Num is a number.
func Num(n float64) *Expr { return &Expr{Value: Value{Kind: Number, Num: n}} }

// Str is a text.
func Str(s string) *Expr { return &Expr{Value: Value{Kind: Text, Text: s}} }

// Never reports whether the condition holds for no row, and no term is needed to
// see it.
func Never(e *Expr, d Dialect) bool {
	if !e.constant() || e.size() > maxNodes {
		return false
	}
	v := newRow(d).condition(e)
	return v.Kind == Null || v.Kind == Bool && !v.Bool
}

// NeverNull reports whether a column has a name that only keys and what
// databases keep for themselves have: it is taken for one that is never null.
func NeverNull(column string) bool {
	switch column {
	case "id", "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid", "oid", "rowid", "_rowid_":
		return true
	default:
		return false
	}
}

// End is which end of all rows a row cannot pass in a comparison: no row is less
// than the least, on its right side, or more than the most. Left is the end for
// a comparison that has it on its left side; both are empty for all others.
func End(op Op) (right, left string) {
	switch op {
	case AtLeast:
		return "min", "max"
	case AtMost:
		return "max", "min"
	default:
		return "", ""
	}
}

// Make is an operation on arguments. It is the only way to make one.
func Make(op Op, args ...*Expr) *Expr {
	e := &Expr{Op: op, Args: args}
	for _, a := range args {
		e.depends = e.depends || a.Depends()
		e.varies = e.varies || !a.constant()
		e.nodes = min(e.nodes+a.size(), maxNodes+1)
	}
	return e
}

// size is the number of nodes, up to many.
func (e *Expr) size() int { return e.nodes + 1 }

// Depends reports whether any part of the expression depends on the row.
func (e *Expr) Depends() bool { return e.Own || e.depends }

// constant reports whether the expression holds no term.
func (e *Expr) constant() bool { return e.Op != Column && e.Op != Unknown && !e.varies }
