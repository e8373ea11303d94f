// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// History holds where there was such a call before this one, or where the number
// of them, or what a number of theirs comes to, satisfies the test.
type History struct {
	Pos
	Kind     string // any, count, sum
	Tools    []Pattern
	Within   time.Duration
	By       []string // sorted; empty for anyone's calls
	What     string   // attempted, executed, succeeded
	AndThis  bool     // this call counts, too
	Of       *Field   // of a sum: an argument; nil: what was spent in Currency
	Currency string
	Ops      []Op // of a count or a sum
}

func (*History) condition() {}

// Past is a call before that of an example.
type Past struct {
	Example
	Ago    time.Duration
	What   string   // attempted, executed, failed, succeeded
	Groups []string // of a tool that is not known
}

// MostCounted is the largest number that a count can be compared with.
const MostCounted = 10_000

// Countable reports whether a count can be compared with a literal.
func Countable(l Literal) bool {
	return l.Kind == Number && l.Number.Cmp(canon.IntNumber(MostCounted)) <= 0
}

// Hidden reports whether the argument that is added up lies at, or inside of, one
// of some JSON pointers, whose steps are folded as those do who hide what they
// lead to.
func (h *History) Hidden(pointers []string) bool {
	return h.Of != nil && slices.ContainsFunc(pointers, func(pointer string) bool {
		steps := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
		if len(steps) > len(h.Of.Steps) {
			return false
		}
		for i, s := range steps {
			name := h.Of.Steps[i].Name
			if h.Of.Steps[i].Kind == Index {
				name = strconv.Itoa(h.Of.Steps[i].Index)
			}
			if canon.Fold(strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~")) != canon.Fold(name) {
				return false
			}
		}
		return true
	})
}

// State is how far the call came.
func (p *Past) State() toolverdict.PastState {
	switch p.What {
	case "attempted":
		return toolverdict.PastAttempted
	case "executed":
		return toolverdict.PastDispatched
	case "failed":
		return toolverdict.PastFailed
	}
	return toolverdict.PastSucceeded
}

func showHistory(h *History) string {
	tools := make([]string, len(h.Tools))
	for i, p := range h.Tools {
		tools[i] = written(p)
	}
	s := fmt.Sprintf("history.%s: {tools: [%s], within: %s", h.Kind, strings.Join(tools, ", "), Span(h.Within))
	switch {
	case len(h.By) == 0:
		s += ", by: anyone"
	case len(h.By) > 1:
		s += ", by: [" + strings.Join(h.By, ", ") + "]"
	case h.By[0] != "session":
		s += ", by: " + h.By[0]
	}
	if h.What != "executed" {
		s += ", what: " + h.What
	}
	switch {
	case h.Of != nil:
		s += ", of: " + h.Of.Text
	case h.Currency != "":
		s += ", of: spend, currency: " + h.Currency
	}
	if h.AndThis {
		s += ", andThis: true"
	}
	if h.Ops != nil {
		s += ", is: " + showOps(h.Ops)
	}
	return s + "}"
}

// Span writes a length of time as policies do: 1d, 1h30m.
func Span(d time.Duration) string {
	var b strings.Builder
	for _, u := range []struct {
		of   time.Duration
		sign string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}} {
		if n := d / u.of; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, u.sign)
			d %= u.of
		}
	}
	return b.String()
}
