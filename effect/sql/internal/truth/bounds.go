// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import "slices"

// Limits of a search. They are far above what a condition written to choose
// rows needs: mostly the first row tried is not chosen.
const (
	maxTerms     = 64      // more are not tried: the answer is that it does not choose
	maxNodes     = 4096    // of the expression
	maxConstants = 6       // of each type that samples are made around
	maxRows      = 512     // tried for one world
	maxWorlds    = 64      // of values that do not depend on the row
	maxWork      = 400_000 // steps of computing; a step is a node, or some bytes of text
	maxBytes     = 1 << 16 // of a text that is computed
)

// Chooses reports whether the condition holds for some rows only: whether a row
// can be told for which it does not, whatever else is in the database. False
// where there is no condition (nil), and where none is found.
func Chooses(e *Expr, d Dialect) bool {
	if e == nil || e.size() > maxNodes {
		return false
	}
	if hasText(e) {
		return choosesAs(e, d) && choosesAs(asTexts(e), d)
	}
	return choosesAs(e, d)
}

func choosesAs(e *Expr, d Dialect) bool {
	if selective(e) {
		return true
	}
	e = settle(e, d, true)
	s := newSearch(e, d)
	if len(s.own)+len(s.others) > maxTerms {
		return false
	}
	return s.everyWorld()
}

// hasText reports whether a column may be a text.
func hasText(e *Expr) bool { return e.Text != nil || slices.ContainsFunc(e.Args, hasText) }

// asTexts reads every column that may be a text as one.
func asTexts(e *Expr) *Expr {
	if e.Text != nil {
		return Str(*e.Text)
	}
	if len(e.Args) == 0 {
		return e
	}
	args := make([]*Expr, len(e.Args))
	for i, a := range e.Args {
		args[i] = asTexts(a)
	}
	return Make(e.Op, args...)
}

// selective recognises what most conditions are: one among several that must
// hold compares a column with something else for equality.
func selective(e *Expr) bool {
	switch e.Op {
	case And:
		return slices.ContainsFunc(e.Args, selective)
	case Equal:
		a, b := e.Args[0], e.Args[1]
		return ownColumn(a) && !b.Depends() || ownColumn(b) && !a.Depends()
	case In:
		return ownColumn(e.Args[0]) && !slices.ContainsFunc(e.Args[1:], (*Expr).Depends)
	default:
		return false
	}
}

func ownColumn(e *Expr) bool { return e.Op == Column && e.Own && e.Text == nil }

// settle replaces each condition that does not depend on the row by what lets
// more rows through: holds says whether that is true, or (under a negation)
// false. Values that do not depend on the row become terms of their own.
func settle(e *Expr, d Dialect, holds bool) *Expr {
	switch {
	case e.constant():
		if v := newRow(d).condition(e); v.Kind == Bool && v.Bool != holds {
			return e
		}
		return &Expr{Value: truthOf(holds)}
	case !e.Depends():
		return &Expr{Value: truthOf(holds)}
	case e.Op == And, e.Op == Or, e.Op == Not:
		args := make([]*Expr, len(e.Args))
		for i, a := range e.Args {
			args[i] = settle(a, d, holds != (e.Op == Not))
		}
		return Make(e.Op, args...)
	default:
		return condense(e, d)
	}
}

// condense makes one term of each value that does not depend on the row.
func condense(e *Expr, d Dialect) *Expr {
	if e.Op == Literal || e.Op == Column || e.Op == Unknown {
		return e
	}
	if e.Depends() {
		args := make([]*Expr, len(e.Args))
		for i, a := range e.Args {
			args[i] = condense(a, d)
		}
		return Make(e.Op, args...)
	}
	if e.constant() {
		if v := newRow(d).eval(e); v.Kind != Undecided {
			return &Expr{Value: v}
		}
	}
	return Any("value", e)
}
