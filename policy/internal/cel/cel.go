// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package cel reads conditions in the Common Expression Language and evaluates
// them. The library parses and checks the types; what an expression means is
// said here, in the terms of the rest of the policy: three-valued, with exact
// decimals, bounded in steps, and without any access to the outside.
//
// Nothing here fails at run time. Whatever cannot be told is unknown: a member
// that is missing, a value of another type than the operator is for, a number
// that does not fit, too many steps. Unknown spreads as Kleene has it.
package cel

import (
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// Expression is one compiled condition. It never changes and is safe for
// concurrent use.
type Expression struct {
	root  *node
	allow bool
	// Host are the fields of the host that it reads. Their values are handed in
	// in this order.
	Host []syntax.Field
	// Arguments is what it asks of arguments, as tests that say the same as far
	// as they go.
	Arguments []Asked
	// Effects says that it looks at the effects of the call.
	Effects bool
}

// Asked is one place where an expression looks at an argument. The test may have
// no operators: then it is only read.
type Asked struct {
	syntax.Test
	Presence bool // it asks whether it is there
}

// Input is what one evaluation sees.
type Input struct {
	Arguments canon.Value
	At        time.Time
	Host      []predicate.Value
	Effects   []toolverdict.Effect
	Known     bool // the effects are all there are
}

// Eval evaluates the expression.
func (x *Expression) Eval(in *Input) match.Truth {
	r := run{in: in, allow: x.allow, left: maxSteps, host: make([]value, len(in.Host))}
	for i := range in.Host {
		r.host[i] = ofHost(&in.Host[i], in.At)
	}
	if x.Effects {
		r.effects = effectsOf(in)
	}
	v := r.eval(x.root)
	if r.left < 0 {
		return match.Unknown // what was found before the end may hang on the order
	}
	return v.truthOf()
}

// Bounds of one expression.
const (
	maxSteps   = 100_000
	maxNodes   = 500
	maxNesting = 2       // of all, exists and exists_one
	maxText    = 1 << 16 // bytes of a text that is put together
	typical    = 100     // elements of a list, for the estimate at load
)
