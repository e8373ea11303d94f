// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package argument reads the arguments of a call in a tree of PostgreSQL: which is
// which, and what a text that stands there is.
package argument

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/toolverdict/toolverdict/effect/sql/internal/fact"
	"github.com/toolverdict/toolverdict/effect/sql/internal/postgres/internal/catalog"
	"github.com/toolverdict/toolverdict/effect/sql/internal/postgres/internal/scan"
)

// List is the arguments of a call, by place and by name.
type List struct {
	Function string // the last part of its name
	Nodes    []*pg.Node
}

// At is the argument for the parameter at the place; nil where none is given, or
// where it is not known which one is.
func (a List) At(place int) *pg.Node {
	if place < len(a.Nodes) && a.Nodes[place].GetNamedArgExpr() == nil {
		return a.Nodes[place]
	}
	for _, n := range a.Nodes {
		if x := n.GetNamedArgExpr(); x != nil && x.Name == catalog.Parameter(a.Function, place) {
			return x.Arg
		}
	}
	return nil
}

// Text is the argument where it is a text that stands in the statement.
func (a List) Text(place int) (string, bool) {
	n := a.At(place)
	for n.GetTypeCast() != nil {
		if !keepsText(n.GetTypeCast().TypeName) {
			return "", false
		}
		n = n.GetTypeCast().Arg
	}
	s := n.GetAConst().GetSval()
	return s.GetSval(), s != nil
}

// keepsText reports whether a cast to the type leaves a text as it is: one to
// varchar(5) cuts it.
func keepsText(t *pg.TypeName) bool {
	names := t.GetNames()
	if len(names) == 0 || len(t.Typmods) > 0 || len(t.ArrayBounds) > 0 || len(names) == 2 && names[0].GetString_().GetSval() != "pg_catalog" {
		return false
	}
	return slices.Contains([]string{"text", "varchar", "bpchar", "regclass"}, names[len(names)-1].GetString_().GetSval())
}

// Relation is the relation that an argument names, as PostgreSQL reads it.
func (a List) Relation(place int) string {
	text, known := a.Text(place)
	var parts []string
	for known {
		part, rest, ok := regpart(text)
		if !ok {
			return fact.All
		}
		parts = append(parts, part)
		if rest == "" {
			return fact.Name(parts[max(len(parts)-2, 0):]...)
		}
		text = rest[1:]
	}
	return fact.All
}

// regpart cuts the first part off a name; what is left starts with a dot.
func regpart(text string) (part, rest string, ok bool) {
	if strings.HasPrefix(text, `"`) {
		end := strings.IndexByte(text[1:], '"') + 1
		if end < 2 {
			return "", "", false
		}
		part, rest = text[1:end], text[end+1:]
		return part, rest, rest == "" || rest[0] == '.'
	}
	end := 0
	for end < len(text) && scan.WordPart(text[end]) {
		end++
	}
	part, rest = strings.ToLower(text[:end]), text[end:]
	return part, rest, end > 0 && scan.WordStart(part[0]) && (rest == "" || rest[0] == '.')
}
