// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"reflect"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict/effect/shell/internal/program"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// arithm walks an arithmetic expression. What a variable holds is evaluated
// there as an expression again, and a subscript in it may run a command.
func (a *analyser) arithm(s *state, x syntax.ArithmExpr) {
	if x == nil || reflect.ValueOf(x).IsNil() || !a.step(1) {
		return
	}
	defer a.leave()
	if !a.enter() {
		return
	}
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		a.arithm(s, x.X)
		a.arithm(s, x.Y)
		if name := target(x.X); name != "" && assigns(x.Op) {
			a.assign(s, name, scalar(unknown(word.Number)))
		}
	case *syntax.UnaryArithm:
		a.arithm(s, x.X)
		if name := target(x.X); name != "" && (x.Op == syntax.Inc || x.Op == syntax.Dec) {
			a.assign(s, name, scalar(unknown(word.Number)))
		}
	case *syntax.ParenArithm:
		a.arithm(s, x.X)
	case *syntax.Word:
		a.arithmWord(s, x)
	default:
		a.opaque("a form of arithmetic that is not known")
	}
}

func assigns(op syntax.BinAritOperator) bool {
	switch op {
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn,
		syntax.AndAssgn, syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
		return true
	}
	return false
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

func (a *analyser) arithmWord(s *state, w *syntax.Word) {
	if name := w.Lit(); syntax.ValidName(name) {
		a.evaluated(s, name, 0)
		return
	}
	v := a.single(s, w)
	a.evaluate(s, v, 0)
}

// evaluated looks at what a variable holds as arithmetic would.
func (a *analyser) evaluated(s *state, name string, depth int) {
	v, _ := s.get(name)
	for _, w := range v.words {
		a.evaluate(s, w, depth)
	}
}

func (a *analyser) evaluate(s *state, w word.Word, depth int) {
	text, ok := w.Static()
	switch {
	case ok && syntax.ValidName(text) && depth < 4:
		a.evaluated(s, text, depth+1)
	case ok && strings.ContainsAny(text, "[$`"), w.FromData(), depth >= 4:
		a.opaque("arithmetic evaluates text that may hold a command")
	}
}

// words walks the words of an expression that is not evaluated as arithmetic.
func (a *analyser) words(s *state, x syntax.ArithmExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		a.single(s, x)
	case *syntax.BinaryArithm:
		a.words(s, x.X)
		a.words(s, x.Y)
	case *syntax.UnaryArithm:
		a.words(s, x.X)
	case *syntax.ParenArithm:
		a.words(s, x.X)
	}
}

// test walks [[ ... ]].
func (a *analyser) test(s *state, x syntax.TestExpr) {
	defer a.leave()
	if !a.enter() || !a.step(1) {
		return
	}
	switch x := x.(type) {
	case *syntax.Word:
		a.single(s, x)
	case *syntax.ParenTest:
		a.test(s, x.X)
	case *syntax.UnaryTest:
		a.unaryTest(s, x)
	case *syntax.BinaryTest:
		a.binaryTest(s, x)
	default:
		a.opaque("a form of test that is not known")
	}
}

func (a *analyser) unaryTest(s *state, x *syntax.UnaryTest) {
	w, ok := x.X.(*syntax.Word)
	if !ok {
		a.test(s, x.X)
		return
	}
	v := a.single(s, w)
	switch x.Op {
	case syntax.TsVarSet, syntax.TsRefVar:
		if text, ok := v.Static(); !ok && v.FromData() || strings.ContainsAny(text, "[$`") {
			a.opaque("a test evaluates a subscript")
		}
	case syntax.TsEmpStr, syntax.TsNempStr, syntax.TsOptSet, syntax.TsFdTerm, syntax.TsNot, syntax.TsParen:
	default:
		a.path(s, program.Use{Kind: program.Names, Word: v})
	}
}

func (a *analyser) binaryTest(s *state, x *syntax.BinaryTest) {
	switch x.Op {
	case syntax.AndTest, syntax.OrTest:
		a.test(s, x.X)
		a.test(s, x.Y)
		return
	}
	left, ok1 := x.X.(*syntax.Word)
	right, ok2 := x.Y.(*syntax.Word)
	if !ok1 || !ok2 {
		a.test(s, x.X)
		a.test(s, x.Y)
		return
	}
	l, r := a.single(s, left), a.single(s, right)
	switch x.Op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		a.evaluate(s, l, 0)
		a.evaluate(s, r, 0)
	case syntax.TsNewer, syntax.TsOlder, syntax.TsDevIno:
		a.path(s, program.Use{Kind: program.Names, Word: l})
		a.path(s, program.Use{Kind: program.Names, Word: r})
	}
}
