// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package typing says whether a test can fit what a tool's schema, or the host,
// lets a field be. It judges one schema at a time and reports nothing itself.
package typing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/schema"
	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// Field is what a schema says of one place.
type Field = schema.Field

// Arguments returns what a tool's arguments can be, nil where nothing is known.
func Arguments(compiled toolverdict.Schema, text []byte) *Field {
	if s, ok := compiled.(interface{ Tree() *Field }); ok {
		return s.Tree()
	}
	if s, err := schema.Compile(text, schema.Options{}); err == nil {
		return s.Tree()
	}
	return nil
}

// HostField says what a field that the host fills can be, in the terms of a
// schema.
func HostField(f syntax.Field) *schema.Field {
	str := &schema.Field{Types: []string{"string"}}
	if f.Root == "effects" {
		return effectField(f.Text)
	}
	switch strings.Join([]string{f.Root, f.Steps[0].Name}, ".") {
	case "subject.authenticated", "run.readOnly":
		return &schema.Field{Types: []string{"boolean"}}
	case "subject.roles", "subject.permissions", "tool.groups":
		return &schema.Field{Types: []string{"array"}, Items: str}
	case "time.hour", "time.minute":
		return &schema.Field{Types: []string{"integer"}}
	case "time.now":
		return &schema.Field{Types: []string{match.Instant.String()}}
	case "time.date":
		return &schema.Field{Types: []string{match.Date.String()}}
	case "time.clock":
		return &schema.Field{Types: []string{match.Clock.String()}}
	case "time.weekday":
		return enumField("mon", "tue", "wed", "thu", "fri", "sat", "sun")
	case "tool.safety":
		return enumField(toolverdict.ReadOnly, toolverdict.Destructive)
	case "tool.risk":
		return enumField(toolverdict.LowRisk, toolverdict.MediumRisk, toolverdict.HighRisk)
	case "tool.confirmation":
		return enumField(toolverdict.ConfirmByRisk, toolverdict.ConfirmAlways, toolverdict.ConfirmNever)
	case "tool.execution":
		return enumField(toolverdict.Parallel, toolverdict.Sequential)
	case "subject.kind":
		return enumField(toolverdict.Person, toolverdict.Agent, toolverdict.Service)
	}
	return str
}

func enumField[T ~string](words ...T) *schema.Field {
	f := &schema.Field{Types: []string{"string"}}
	for _, w := range words {
		f.Enum = append(f.Enum, canon.String(string(w)))
	}
	return f
}

// Has reports whether a value there can be of the type.
func Has(f *schema.Field, typeName string) bool {
	if f == nil || f.Types == nil || slices.Contains(f.Types, typeName) {
		return true
	}
	return typeName == "integer" && slices.Contains(f.Types, "number")
}

// OnlyList reports whether a value there is always a list.
func OnlyList(f *schema.Field) bool {
	return f != nil && len(f.Types) == 1 && f.Types[0] == "array"
}

// Describe names what a value there can be.
func Describe(f *schema.Field) string {
	switch {
	case f == nil || f.Types == nil:
		return "anything"
	case len(f.Types) == 0:
		return "never there"
	}
	words := make([]string, len(f.Types))
	for i, t := range f.Types {
		words[i] = inWords(t)
	}
	return strings.Join(words, " or ")
}

func inWords(typeName string) string {
	switch typeName {
	case "string":
		return "text"
	case "integer":
		return "a whole number"
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "null":
		return "null"
	case match.Instant.String():
		return "an RFC 3339 time"
	}
	return "a " + typeName
}

// element is what operators on single values meet: the value itself, or the
// elements where it can be a list.
func element(f *schema.Field) *schema.Field {
	if f == nil || !slices.Contains(f.Types, "array") {
		return f
	}
	if f.Items == nil {
		return nil
	}
	if len(f.Types) == 1 {
		return f.Items
	}
	if f.Items.Types == nil {
		return nil
	}
	out := &schema.Field{}
	for _, t := range slices.Concat(f.Types, f.Items.Types) {
		if t != "array" {
			out.Types = append(out.Types, t)
		}
	}
	return out
}

// Spreads reports whether operators look at the elements of a list without the
// policy saying that it is one.
func Spreads(ops []syntax.Op) bool {
	return slices.ContainsFunc(ops, func(o syntax.Op) bool {
		switch o.Name {
		case "exists", "type", "length", "any", "every", "arithmetic":
			return false
		case "not":
			return Spreads(o.Ops)
		}
		return true
	})
}

// Mismatch is an operator or literal that cannot fit.
type Mismatch struct {
	At   syntax.Pos
	Of   string // the literal, where it is one: several may stand in one place
	What string
	Hint string
}

// Mismatches finds what in a test cannot fit a field.
func Mismatches(ops []syntax.Op, f *schema.Field) []Mismatch {
	var out []Mismatch
	for _, o := range ops {
		out = append(out, mismatched(o, f)...)
	}
	return out
}

func mismatched(o syntax.Op, f *schema.Field) []Mismatch {
	switch o.Name {
	case "exists":
		return nil
	case "type":
		return impossible(o, f)
	case "length":
		if !Has(f, "string") && !Has(f, "array") && !Has(f, "object") {
			return []Mismatch{{At: o.Pos, What: "has no length", Hint: "compare the value itself"}}
		}
		return nil // what it is compared with is checked for all fields alike
	case "any", "every":
		if f != nil && !Has(f, "array") {
			return []Mismatch{{At: o.Pos, What: o.Name + " is for lists", Hint: "test it without " + o.Name}}
		}
		if f == nil {
			return nil
		}
		return Mismatches(o.Ops, f.Items)
	case "not":
		return Mismatches(o.Ops, f)
	case "eq", "ne", "in", "notIn":
		return unequal(o, element(f))
	case "gt", "gte", "lt", "lte", "between":
		return unordered(o, element(f))
	case "arithmetic": // of an expression
		if !Has(f, "number") && !Has(f, "integer") {
			return []Mismatch{{At: o.Pos, What: "only numbers are reckoned with", Hint: "name an argument that is a number"}}
		}
		return nil
	}
	if e := element(f); !Has(e, "string") {
		return []Mismatch{{At: o.Pos, What: o.Name + " is for text", Hint: "use eq, in or a comparison"}}
	}
	return nil
}

func impossible(o syntax.Op, f *schema.Field) []Mismatch {
	var out []Mismatch
	for _, l := range o.Values {
		if !Has(f, l.Text) && (l.Text != "number" || !Has(f, "integer")) {
			out = append(out, Mismatch{At: l.Pos, Of: l.Text, What: "is never of type " + l.Text, Hint: "leave it out"})
		}
	}
	return out
}

// unequal finds literals that the field can never equal.
func unequal(o syntax.Op, f *schema.Field) []Mismatch {
	var out []Mismatch
	for _, l := range o.Values {
		if what, hint := unlike(l, f); what != "" {
			out = append(out, Mismatch{At: l.Pos, Of: l.Text, What: what, Hint: hint})
		}
	}
	return out
}

func unlike(l syntax.Literal, f *schema.Field) (what, hint string) {
	switch {
	case f == nil || f.Types == nil && f.Enum == nil:
		return "", ""
	case timeField(f):
		if l.Kind == syntax.Text && match.ParseMoment(l.Text).Kind.String() == f.Types[0] {
			return "", ""
		}
		return "this is no " + f.Types[0], "write it like " + timeForm(f.Types[0])
	case l.Kind == syntax.Bool && !Has(f, "boolean"):
		return fmt.Sprintf("%t is a boolean", l.Bool), "compare it with a value of its own type; quote text"
	case l.Kind == syntax.Number && !Has(f, "integer"):
		return l.Text + " is a number", "compare it with a value of its own type; quote text"
	case l.Kind == syntax.Number && !Has(f, "number") && !l.Number.IsInteger():
		return l.Text + " is no whole number", "compare it with a whole number"
	case l.Kind == syntax.Text && !Has(f, "string"):
		return fmt.Sprintf("%q is text", l.Text), textHint(l.Text, f)
	case f.Enum != nil && !slices.ContainsFunc(f.Enum, func(v canon.Value) bool { return equalLiteral(v, l) }):
		return "it is never " + quoteLiteral(l), enumHint(l, f)
	}
	return "", ""
}

func textHint(text string, f *schema.Field) string {
	if Has(f, "boolean") && (text == "true" || text == "false") {
		return "write " + text + " without quotes: true and \"true\" are different values"
	}
	return "compare it with a value of its own type; numbers and booleans stand without quotes"
}

// maxNamed bounds how many allowed values a hint names.
const maxNamed = 10

func enumHint(l syntax.Literal, f *schema.Field) string {
	var words []string
	for _, v := range f.Enum {
		words = append(words, strings.Trim(v.RawText(), `"`))
	}
	if near := syntax.Nearest(l.Text, words); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "use one of " + strings.Join(words[:min(len(words), maxNamed)], ", ")
}

func quoteLiteral(l syntax.Literal) string {
	if l.Kind == syntax.Text {
		return fmt.Sprintf("%q", l.Text)
	}
	return fmt.Sprint(literalValue(l).RawText())
}

func literalValue(l syntax.Literal) canon.Value {
	switch l.Kind {
	case syntax.Number:
		return l.Number.Value()
	case syntax.Bool:
		return canon.Bool(l.Bool)
	case syntax.Text:
	}
	return canon.String(l.Text)
}

func equalLiteral(v canon.Value, l syntax.Literal) bool { return canon.Equal(v, literalValue(l)) }

func timeField(f *schema.Field) bool {
	return len(f.Types) == 1 && timeForm(f.Types[0]) != ""
}

func timeForm(typeName string) string {
	switch typeName {
	case match.Instant.String():
		return `"2025-01-15T22:30:00+08:00"`
	case match.Date.String():
		return `"2025-01-15"`
	case match.Clock.String():
		return `"22:30"`
	}
	return ""
}

// unordered finds comparisons of values that have no order.
func unordered(o syntax.Op, f *schema.Field) []Mismatch {
	if f == nil || f.Types == nil {
		return nil
	}
	l := o.Values[0]
	switch {
	case timeField(f):
		if l.Kind != syntax.Text || match.ParseMoment(l.Text).Kind.String() != f.Types[0] {
			return []Mismatch{{At: l.Pos, What: "this is no " + f.Types[0], Hint: "write it like " + timeForm(f.Types[0])}}
		}
	case l.Kind == syntax.Number && !Has(f, "integer"):
		return []Mismatch{{At: o.Pos, What: o.Name + " compares numbers", Hint: "a number written as text is no number: test it with regex, or have the tool take a number"}}
	case l.Kind == syntax.Text && !Has(f, "string"):
		return []Mismatch{{At: o.Pos, What: o.Name + " compares times written as text here", Hint: "write the bound as a number"}}
	}
	return nil
}

// Place is what a schema says of a field.
type Place struct {
	Field    *schema.Field // nil: nothing is known of it
	Declared bool
	Optional bool
	Why      string   // it cannot be there
	Near     []string // names that are there instead
}

// Locate follows a path through a schema.
func Locate(f *schema.Field, steps []syntax.Step) Place {
	p := Place{Declared: true}
	text := "args"
	for i := range steps {
		s := &steps[i]
		if f == nil {
			return Place{}
		}
		if s.Kind != syntax.Member {
			if !Has(f, "array") {
				return Place{Why: fmt.Sprintf("%s is %s, not a list", text, Describe(f))}
			}
			p.Optional = p.Optional || s.Kind == syntax.Index
			text, f = text+"[…]", f.Items
			continue
		}
		if !Has(f, "object") {
			return Place{Why: fmt.Sprintf("%s is %s and has no members", text, Describe(f))}
		}
		next, named := f.Fields[s.Name]
		switch {
		case named:
			p.Optional = p.Optional || !next.Required
			f = next
		case f.Closed || len(f.Fields) > 0 && f.Other == nil:
			return Place{Why: fmt.Sprintf("%s has no %q", text, s.Name), Near: keys(f.Fields)}
		default:
			p.Declared, p.Optional, f = false, true, f.Other
		}
		text += "." + s.Name
	}
	p.Field = f
	return p
}

func keys(m map[string]*schema.Field) []string {
	out := make([]string, 0, len(m))
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
