// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Title names a condition in a line: a test as it could be written, of the
// others what they join.
func Title(c Condition) string {
	switch c := c.(type) {
	case *All:
		return "all"
	case *Any:
		return "any"
	case *Not:
		return "not"
	case *Effects:
		if c.Every {
			return "effects.every"
		}
		return "effects.any"
	case *History:
		return showHistory(c)
	case *CEL:
		return "cel: " + strings.Join(strings.Fields(c.Text), " ")
	case *Test:
		return c.Field.Text + ": " + showOps(c.Ops)
	}
	return "a condition"
}

// Place is where a condition stands, as far as it has one.
func Place(c Condition) Pos {
	switch c := c.(type) {
	case *All:
		return firstPlace(c.Parts)
	case *Any:
		return firstPlace(c.Parts)
	case *Not:
		return Place(c.Part)
	case *Effects:
		return c.Pos
	case *History:
		return c.Pos
	case *CEL:
		return c.Pos
	case *Test:
		return c.Field.Pos
	}
	return Pos{}
}

func firstPlace(parts []Condition) Pos {
	if len(parts) == 0 {
		return Pos{}
	}
	return Place(parts[0])
}

func showOps(ops []Op) string {
	if len(ops) == 1 && (ops[0].Name == "eq" || ops[0].Name == "in") {
		return ops[0].operand()
	}
	parts := make([]string, len(ops))
	for i, o := range ops {
		parts[i] = o.Name + ": " + o.operand()
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// mostShown bounds how many values of one operator are shown.
const mostShown = 8

func (o *Op) operand() string {
	switch {
	case o.Name == "exists":
		return strconv.FormatBool(o.Bool)
	case len(o.Ops) > 0:
		return showOps(o.Ops)
	}
	var parts []string
	for _, l := range o.Values {
		text := l.show()
		if l.List != "" {
			text = "{use: " + l.List + "}"
		}
		if !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	if len(parts) == 1 && o.Name != "between" {
		return parts[0]
	}
	if more := len(parts) - mostShown; more > 0 {
		parts = append(parts[:mostShown], fmt.Sprintf("… %d more", more))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// bare are texts that need no quotes to be told from numbers and the like.
var bare = regexp.MustCompile(`^[A-Za-z_/@*.][A-Za-z0-9_/@*.~-]*$`)

func (l *Literal) show() string {
	switch l.Kind {
	case Number:
		return l.Number.String()
	case Bool:
		return strconv.FormatBool(l.Bool)
	case Text:
	}
	if bare.MatchString(l.Text) && l.Text != "true" && l.Text != "false" && l.Text != "null" {
		return l.Text
	}
	return string(canon.AppendString(nil, cut(l.Text)))
}

func cut(s string) string {
	const longest = 40
	return plain.Cut(s, longest)
}
