// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/schema"
)

// The alphabets are small, so that schemas and values meet.
var (
	someNames  = []string{"a", "b", "ab", "c"}
	someTypes  = []string{"null", "boolean", "number", "integer", "string", "array", "object"}
	someValues = []any{nil, true, false, 0, 1, 2, json.Number("1.5"), json.Number("9007199254740993"), "", "a", "ab", "é", "secret-value"}
)

// genSchema draws a schema of any keywords, sensible or not.
func genSchema(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		if depth == 0 || rapid.IntRange(0, 9).Draw(t, "leaf") == 0 {
			return rapid.SampledFrom([]any{true, false, map[string]any{"type": "string"}, map[string]any{}}).Draw(t, "simple")
		}
		out := map[string]any{}
		for range rapid.IntRange(1, 4).Draw(t, "keywords") {
			addKeyword(t, out, depth)
		}
		return out
	})
}

func addKeyword(t *rapid.T, out map[string]any, depth int) {
	sub := func() any { return genSchema(depth-1).Draw(t, "sub") }
	subs := func() []any { return rapid.SliceOfN(genSchema(depth-1), 1, 3).Draw(t, "subs") }
	named := func() map[string]any {
		return rapid.MapOfN(rapid.SampledFrom(someNames), genSchema(depth-1), 1, 3).Draw(t, "named")
	}
	names := func() []string {
		return rapid.SliceOfNDistinct(rapid.SampledFrom(someNames), 1, 3, rapid.ID).Draw(t, "names")
	}
	small := rapid.IntRange(0, 3)
	switch k := rapid.SampledFrom(strings.Fields(`type types enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf
		minLength maxLength pattern minItems maxItems uniqueItems items prefixItems contains minContains maxContains unevaluatedItems
		minProperties maxProperties required properties patternProperties additionalProperties propertyNames dependentRequired
		dependentSchemas unevaluatedProperties allOf anyOf oneOf not if then else $ref`)).Draw(t, "keyword"); k {
	case "type":
		out[k] = rapid.SampledFrom(someTypes).Draw(t, "type")
	case "types":
		out["type"] = rapid.SliceOfNDistinct(rapid.SampledFrom(someTypes), 1, 3, rapid.ID).Draw(t, "types")
	case "enum":
		out[k] = rapid.SliceOfN(genValue(1), 1, 3).Draw(t, "enum")
	case "const":
		out[k] = genValue(1).Draw(t, "const")
	case "pattern":
		out[k] = rapid.SampledFrom([]string{"^a", "b$", ".", "^$"}).Draw(t, "pattern")
	case "uniqueItems":
		out[k] = true
	case "multipleOf":
		out[k] = rapid.SampledFrom([]any{1, 2, 0.5}).Draw(t, "multiple")
	case "required":
		out[k] = names()
	case "dependentRequired":
		out[k] = map[string]any{rapid.SampledFrom(someNames).Draw(t, "name"): names()}
	case "properties", "dependentSchemas":
		out[k] = named()
	case "patternProperties":
		out[k] = map[string]any{rapid.SampledFrom([]string{"^a", "b"}).Draw(t, "pattern"): sub()}
	case "allOf", "anyOf", "oneOf", "prefixItems":
		out[k] = subs()
	case "items", "contains", "unevaluatedItems", "additionalProperties", "propertyNames", "unevaluatedProperties", "not", "if", "then", "else":
		out[k] = sub()
	case "$ref":
		out[k] = "#/$defs/" + rapid.SampledFrom(someNames[:2]).Draw(t, "ref")
	default:
		out[k] = small.Draw(t, "bound")
	}
}

// genRoot adds the definitions that references need.
func genRoot() *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		root := map[string]any{"allOf": []any{genSchema(3).Draw(t, "root")}}
		if m, ok := genSchema(3).Draw(t, "plain").(map[string]any); ok && rapid.Bool().Draw(t, "direct") {
			root = m
		}
		root["$defs"] = map[string]any{"a": genSchema(2).Draw(t, "a"), "b": genSchema(2).Draw(t, "b")}
		b, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		return b
	})
}

func genValue(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kind := rapid.IntRange(0, 3).Draw(t, "kind")
		switch {
		case depth == 0 || kind == 0:
			return rapid.SampledFrom(someValues).Draw(t, "scalar")
		case kind == 1:
			return rapid.SliceOfN(genValue(depth-1), 0, 3).Draw(t, "items")
		}
		return rapid.MapOfN(rapid.SampledFrom(someNames), genValue(depth-1), 0, 3).Draw(t, "members")
	})
}

func drawValue(t *rapid.T) canon.Value {
	v, err := canon.FromGo(genValue(3).Draw(t, "value"))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The evaluator of this package and the library agree on everything that both
// accept as a schema.
func TestAgreesWithLibrary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		agree(t, genRoot().Draw(t, "schema"), drawValue(t), drawValue(t))
	})
}

// Errors come at most five at a time, in a stable order, and never tell a value.
func TestErrorsAreFitToShow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw, v := genRoot().Draw(t, "schema"), drawValue(t)
		if strings.Contains(string(raw), "secret-value") {
			return // then it is a word of the schema
		}
		s, err := schema.Compile(raw, schema.Options{})
		if err != nil {
			return
		}
		errs := s.Validate(v)
		if len(errs) > 5 {
			t.Fatalf("%d errors", len(errs))
		}
		for _, e := range errs {
			if e.Message == "" || strings.Contains(e.Message, "secret-value") {
				t.Fatalf("schema %s\nvalue %s\n%v", raw, v.RawText(), e)
			}
		}
		again, err := schema.Compile(slices.Clone(raw), schema.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := again.Validate(v); !slices.Equal(got, errs) {
			t.Fatalf("schema %s\nvalue %s\nfirst %v\nthen %v", raw, v.RawText(), errs, got)
		}
	})
}

// Whatever is valid under a schema fits its tree: a policy check that relies on
// the tree never calls a possible argument impossible.
func TestTreeIsTrue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw, v := genRoot().Draw(t, "schema"), drawValue(t)
		s, err := schema.Compile(raw, schema.Options{})
		if err != nil || s.Validate(v) != nil {
			return
		}
		if why := misfit(s.Tree(), v, ""); why != "" {
			t.Fatalf("schema %s\nvalue %s\nis valid, but the tree says: %s", raw, v.RawText(), why)
		}
	})
}

// misfit says where a value does not fit a tree, "" if it does.
func misfit(f *schema.Field, v canon.Value, at string) string {
	if f == nil {
		return ""
	}
	if f.Types != nil && !slices.ContainsFunc(f.Types, func(name string) bool {
		return v.Kind().String() == name || name == "integer" && v.Kind() == canon.KindNumber && v.Number().IsInteger()
	}) {
		return at + ": not of types " + strings.Join(f.Types, ",")
	}
	if f.Enum != nil && !slices.ContainsFunc(f.Enum, func(e canon.Value) bool { return canon.Equal(e, v) }) {
		return at + ": not listed"
	}
	for i, e := range v.Items() {
		if why := misfit(f.Items, e, at+"/"+string(rune('0'+i))); why != "" {
			return why
		}
	}
	if v.Kind() != canon.KindObject {
		return ""
	}
	for name, sub := range f.Fields {
		if _, present := v.Get(name); sub.Required && !present {
			return at + "/" + name + ": missing"
		}
	}
	for name, m := range v.Fields() {
		sub, known := f.Fields[name]
		if !known {
			sub = f.Other
			if f.Closed {
				return at + "/" + name + ": not allowed"
			}
		}
		if why := misfit(sub, m, at+"/"+name); why != "" {
			return why
		}
	}
	return ""
}
