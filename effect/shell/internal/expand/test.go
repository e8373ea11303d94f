// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package expand

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict/effect/shell/internal/state"
)

// Test walks [[ ... ]].
func (a *Expander) Test(s *state.State, x syntax.TestExpr) {
	defer a.Found.Leave()
	if !a.Found.Enter() || !a.Found.Step(1) {
		return
	}
	switch x := x.(type) {
	case *syntax.Word:
		a.Single(s, x)
	case *syntax.ParenTest:
		a.Test(s, x.X)
	case *syntax.UnaryTest:
		a.unaryTest(s, x)
	case *syntax.BinaryTest:
		a.binaryTest(s, x)
	default:
		a.Found.Opaque("a form of test that is not known")
	}
}

func (a *Expander) unaryTest(s *state.State, x *syntax.UnaryTest) {
	w, ok := x.X.(*syntax.Word)
	if !ok {
		a.Test(s, x.X)
		return
	}
	v := a.Single(s, w)
	switch x.Op {
	case syntax.TsVarSet, syntax.TsRefVar:
		if text, ok := v.Static(); !ok && v.FromData() || strings.ContainsAny(text, "[$`") {
			a.Found.Opaque("a test evaluates a subscript")
		}
	case syntax.TsEmpStr, syntax.TsNempStr, syntax.TsOptSet, syntax.TsFdTerm, syntax.TsNot, syntax.TsParen:
	default:
		a.Shell.Look(s, v)
	}
}

func (a *Expander) binaryTest(s *state.State, x *syntax.BinaryTest) {
	left, ok1 := x.X.(*syntax.Word)
	right, ok2 := x.Y.(*syntax.Word)
	if !ok1 || !ok2 || x.Op == syntax.AndTest || x.Op == syntax.OrTest {
		a.Test(s, x.X)
		a.Test(s, x.Y)
		return
	}
	l, r := a.Single(s, left), a.Single(s, right)
	switch x.Op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		a.Evaluate(s, l, 0)
		a.Evaluate(s, r, 0)
	case syntax.TsNewer, syntax.TsOlder, syntax.TsDevIno:
		a.Shell.Look(s, l)
		a.Shell.Look(s, r)
	default: // comparisons of text
	}
}
