// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

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

// hostField says what a field that the host fills can be, in the terms of a
// schema.
func hostField(f syntax.Field) *schema.Field {
	str := &schema.Field{Types: []string{"string"}}
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

// has reports whether a value there can be of the type.
func has(f *schema.Field, typeName string) bool {
	if f == nil || f.Types == nil || slices.Contains(f.Types, typeName) {
		return true
	}
	return typeName == "integer" && slices.Contains(f.Types, "number")
}

func onlyList(f *schema.Field) bool {
	return f != nil && len(f.Types) == 1 && f.Types[0] == "array"
}

func describe(f *schema.Field) string {
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

// spreads reports whether operators look at the elements of a list without the
// policy saying that it is one.
func spreads(ops []syntax.Op) bool {
	return slices.ContainsFunc(ops, func(o syntax.Op) bool {
		switch o.Name {
		case "exists", "type", "length", "any", "every":
			return false
		case "not":
			return spreads(o.Ops)
		}
		return true
	})
}

// mismatch is an operator or literal that cannot fit.
type mismatch struct {
	at    syntax.Pos
	what  string
	hint  string
	tool  *tool
	field *schema.Field
}

// mismatches finds what in a test cannot fit a field.
func mismatches(ops []syntax.Op, f *schema.Field) []mismatch {
	var out []mismatch
	for _, o := range ops {
		out = append(out, mismatched(o, f)...)
	}
	return out
}

func mismatched(o syntax.Op, f *schema.Field) []mismatch {
	switch o.Name {
	case "exists":
		return nil
	case "type":
		return impossible(o, f)
	case "length":
		if !has(f, "string") && !has(f, "array") && !has(f, "object") {
			return []mismatch{{at: o.Pos, what: "has no length", hint: "compare the value itself"}}
		}
		return nil // what it is compared with is checked for all fields alike
	case "any", "every":
		if f != nil && !has(f, "array") {
			return []mismatch{{at: o.Pos, what: o.Name + " is for lists", hint: "test it without " + o.Name}}
		}
		if f == nil {
			return nil
		}
		return mismatches(o.Ops, f.Items)
	case "not":
		return mismatches(o.Ops, f)
	case "eq", "ne", "in", "notIn":
		return unequal(o, element(f))
	case "gt", "gte", "lt", "lte", "between":
		return unordered(o, element(f))
	}
	if e := element(f); !has(e, "string") {
		return []mismatch{{at: o.Pos, what: o.Name + " is for text", hint: "use eq, in or a comparison"}}
	}
	return nil
}

func impossible(o syntax.Op, f *schema.Field) []mismatch {
	var out []mismatch
	for _, l := range o.Values {
		if !has(f, l.Text) && (l.Text != "number" || !has(f, "integer")) {
			out = append(out, mismatch{at: l.Pos, what: "is never of type " + l.Text, hint: "leave it out"})
		}
	}
	return out
}

// unequal finds literals that the field can never equal.
func unequal(o syntax.Op, f *schema.Field) []mismatch {
	var out []mismatch
	for _, l := range o.Values {
		if what, hint := unlike(l, f); what != "" {
			out = append(out, mismatch{at: l.Pos, what: what, hint: hint})
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
	case l.Kind == syntax.Bool && !has(f, "boolean"):
		return fmt.Sprintf("%t is a boolean", l.Bool), "compare it with a value of its own type; quote text"
	case l.Kind == syntax.Number && !has(f, "integer"):
		return l.Text + " is a number", "compare it with a value of its own type; quote text"
	case l.Kind == syntax.Number && !has(f, "number") && !l.Number.IsInteger():
		return l.Text + " is no whole number", "compare it with a whole number"
	case l.Kind == syntax.Text && !has(f, "string"):
		return fmt.Sprintf("%q is text", l.Text), textHint(l.Text, f)
	case f.Enum != nil && !slices.ContainsFunc(f.Enum, func(v canon.Value) bool { return equalLiteral(v, l) }):
		return "it is never " + quoteLiteral(l), enumHint(l, f)
	}
	return "", ""
}

func textHint(text string, f *schema.Field) string {
	if has(f, "boolean") && (text == "true" || text == "false") {
		return "write " + text + " without quotes: true and \"true\" are different values"
	}
	return "compare it with a value of its own type; numbers and booleans stand without quotes"
}

func enumHint(l syntax.Literal, f *schema.Field) string {
	var words []string
	for _, v := range f.Enum {
		words = append(words, strings.Trim(v.RawText(), `"`))
	}
	if near := syntax.Nearest(l.Text, words); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "use one of " + listed(words)
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
func unordered(o syntax.Op, f *schema.Field) []mismatch {
	if f == nil || f.Types == nil {
		return nil
	}
	l := o.Values[0]
	switch {
	case timeField(f):
		if l.Kind != syntax.Text || match.ParseMoment(l.Text).Kind.String() != f.Types[0] {
			return []mismatch{{at: l.Pos, what: "this is no " + f.Types[0], hint: "write it like " + timeForm(f.Types[0])}}
		}
	case l.Kind == syntax.Number && !has(f, "integer"):
		return []mismatch{{at: o.Pos, what: o.Name + " compares numbers", hint: "a number written as text is no number: test it with regex, or have the tool take a number"}}
	case l.Kind == syntax.Text && !has(f, "string"):
		return []mismatch{{at: o.Pos, what: o.Name + " compares times written as text here", hint: "write the bound as a number"}}
	}
	return nil
}
