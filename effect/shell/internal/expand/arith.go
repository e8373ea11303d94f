// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package expand

import (
	"reflect"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict/effect/shell/internal/state"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// Arithm walks an arithmetic expression. What a variable holds is evaluated
// there as an expression again, and a subscript in it may run a command.
func (a *Expander) Arithm(s *state.State, x syntax.ArithmExpr) {
	if x == nil || reflect.ValueOf(x).IsNil() || !a.Found.Step(1) {
		return
	}
	defer a.Found.Leave()
	if !a.Found.Enter() {
		return
	}
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		a.Arithm(s, x.X)
		a.Arithm(s, x.Y)
		if name := target(x.X); name != "" && assigns(x.Op) {
			a.Shell.Assign(s, name, state.Scalar(state.Unknown(word.Number)))
		}
	case *syntax.UnaryArithm:
		a.Arithm(s, x.X)
		if name := target(x.X); name != "" && (x.Op == syntax.Inc || x.Op == syntax.Dec) {
			a.Shell.Assign(s, name, state.Scalar(state.Unknown(word.Number)))
		}
	case *syntax.ParenArithm:
		a.Arithm(s, x.X)
	case *syntax.Word:
		a.arithmWord(s, x)
	default:
		a.Found.Opaque("a form of arithmetic that is not known")
	}
}

func assigns(op syntax.BinAritOperator) bool {
	switch op {
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn,
		syntax.AndAssgn, syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn,
		syntax.PowAssgn, syntax.AndBoolAssgn, syntax.OrBoolAssgn:
		return true
	default:
		return false
	}
}

// target returns the variable that an operand names.
func target(x syntax.ArithmExpr) string {
	w, ok := x.(*syntax.Word)
	if !ok {
		return ""
	}
	if name := w.Lit(); syntax.ValidName(name) {
		return name
	}
	if len(w.Parts) == 1 {
		if p, ok := w.Parts[0].(*syntax.ParamExp); ok && p.Param != nil {
			return p.Param.Value
		}
	}
	return ""
}

func (a *Expander) arithmWord(s *state.State, w *syntax.Word) {
	if name := w.Lit(); syntax.ValidName(name) {
		a.evaluated(s, name, 0)
		return
	}
	v := a.Single(s, w)
	a.Evaluate(s, v, 0)
}

// evaluated looks at what a variable holds as arithmetic would.
func (a *Expander) evaluated(s *state.State, name string, depth int) {
	v, _ := s.Get(name)
	for _, w := range v.Words {
		a.Evaluate(s, w, depth)
	}
}

// Evaluate looks at text that arithmetic evaluates; depth counts the variables
// that led to it.
func (a *Expander) Evaluate(s *state.State, w word.Word, depth int) {
	text, ok := w.Static()
	switch {
	case ok && syntax.ValidName(text) && depth < 4:
		a.evaluated(s, text, depth+1)
	case ok && strings.ContainsAny(text, "[$`"), w.FromData(), depth >= 4:
		a.Found.Opaque("arithmetic evaluates text that may hold a command")
	}
}

// words walks the words of an expression that is not evaluated as arithmetic.
func (a *Expander) words(s *state.State, x syntax.ArithmExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		a.Single(s, x)
	case *syntax.BinaryArithm:
		a.words(s, x.X)
		a.words(s, x.Y)
	case *syntax.UnaryArithm:
		a.words(s, x.X)
	case *syntax.ParenArithm:
		a.words(s, x.X)
	}
}
