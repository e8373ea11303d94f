// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package typing

import (
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/internal/schema"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// effectField says what a field of an effect can be, in the terms of a schema.
func effectField(name string) *schema.Field {
	str := &schema.Field{Types: []string{"string"}}
	switch name {
	case "kind":
		return enumField(syntax.EffectKinds()...)
	case "network":
		return enumField("public", "private", "loopback", "link-local", "metadata", "reserved")
	case "field":
		return enumField("to", "cc", "bcc")
	case "deep", "names", "known", "query.bounded":
		return &schema.Field{Types: []string{"boolean"}}
	case "port", "query.statement", "query.limit":
		return &schema.Field{Types: []string{"integer"}}
	case "amount":
		return &schema.Field{Types: []string{"number"}}
	case "argv", "query.reads", "query.changes", "query.columns", "query.functions":
		return &schema.Field{Types: []string{"array"}, Items: str}
	}
	return str
}

// EffectMismatches finds what in a test cannot fit a field of an effect.
func EffectMismatches(t *syntax.Test) []Mismatch {
	f := effectField(t.Field.Text)
	return append(Mismatches(t.Ops, f), unfit(t.Ops, t.Field.Text, f)...)
}

// unfit finds operators that have no meaning for the field.
func unfit(ops []syntax.Op, name string, f *schema.Field) []Mismatch {
	var out []Mismatch
	for _, o := range ops {
		what, hint := "", ""
		switch fields := fieldsOf(o.Name); {
		case name == "kind" && !slices.Contains([]string{"eq", "ne", "in", "notIn", "not"}, o.Name):
			what, hint = o.Name+" does not apply to words", "name the kinds: kind: [write, delete]"
		case fields != nil && Has(element(f), "string") && !slices.Contains(fields, name):
			what, hint = o.Name+" is for another field", o.Name+" is for "+list(fields)
		case o.Name == "gt" || o.Name == "gte" || o.Name == "lt" || o.Name == "lte" || o.Name == "between":
			if Has(element(f), "string") {
				what, hint = o.Name+" compares numbers", "use eq, in, prefix or glob"
			}
		case o.Name == "length":
			for _, wrong := range Mismatches(o.Ops, &schema.Field{Types: []string{"integer"}}) {
				out = append(out, Mismatch{At: wrong.At, What: "its length is a whole number: " + wrong.What, Hint: wrong.Hint})
			}
		default:
			out = append(out, unfit(o.Ops, name, f)...)
		}
		if what != "" {
			out = append(out, Mismatch{At: o.Pos, What: what, Hint: hint})
		}
	}
	return out
}

// fieldsOf returns what an operator with a meaning of its own can be used on.
func fieldsOf(operator string) []string {
	switch operator {
	case "under":
		return []string{"path"}
	case "cidr":
		return []string{"ip"}
	case "hostIn":
		return []string{"host"}
	case "domainIn":
		return []string{"domain", "recipient", "host"}
	}
	return nil
}

func list(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
