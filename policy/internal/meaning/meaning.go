// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package meaning finds rules that load and are not what their writer can have
// meant: that can never match, that another rule overrides, that reach further
// than those which hold them to account, that compare paths and hosts letter by
// letter. What it says of a rule is so for every call; what it does not see, it
// passes over.
package meaning

import (
	"fmt"

	"github.com/toolverdict/toolverdict/policy/internal/syntax"
	"github.com/toolverdict/toolverdict/policy/internal/typing"
)

// Rule is a rule with the known tools that it covers.
type Rule struct {
	*syntax.Rule
	Tools []*typing.Tool
}

// Find returns what is odd about rules that are loaded together, in no order.
func Find(rules []Rule) syntax.Problems {
	f := finder{}
	for _, r := range rules {
		f.never(r)
		f.texts(r, r.When, true)
		f.texts(r, r.Unless, false)
	}
	f.pairs(rules)
	f.wide(rules)
	return f.found
}

type finder struct{ found syntax.Problems }

func (f *finder) warn(at syntax.Pos, hint, format string, args ...any) {
	f.found = append(f.found, syntax.Problem{Pos: at, Message: fmt.Sprintf(format, args...), Hint: hint})
}
