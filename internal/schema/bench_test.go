// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"testing"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/schema"
)

// typicalSchema and typicalCall have the size and features of most tools.
const typicalSchema = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
	"properties": {
		"order_id": {"type": "string", "pattern": "^A[0-9]{4}$"},
		"amount": {"type": "number", "exclusiveMinimum": 0, "maximum": 10000},
		"currency": {"type": "string", "enum": ["EUR", "USD", "CNY"]},
		"reason": {"type": "string", "minLength": 1, "maxLength": 500},
		"notify": {"type": "boolean"},
		"lines": {"type": "array", "maxItems": 20, "items": {
			"type": "object", "properties": {"sku": {"type": "string"}, "count": {"type": "integer", "minimum": 1}},
			"required": ["sku", "count"], "additionalProperties": false}},
		"note": {"anyOf": [{"type": "string"}, {"type": "null"}]}
	},
	"required": ["order_id", "amount", "currency"], "additionalProperties": false}`

const typicalCall = `{"order_id": "A1001", "amount": 129.5, "currency": "EUR", "reason": "The parcel arrived damaged.",
	"notify": true, "lines": [{"sku": "SKU-1", "count": 1}, {"sku": "SKU-22", "count": 3}], "note": null}`

func compile(t testing.TB, raw string) *schema.Schema {
	t.Helper()
	s, err := schema.Compile([]byte(raw), schema.Options{})
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return s
}

func parse(t testing.TB, raw string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(raw), canon.Limits{AllowFoldedSiblings: true})
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

func BenchmarkValidate(b *testing.B) {
	s, v := compile(b, typicalSchema), parse(b, typicalCall)
	if errs := s.Validate(v); errs != nil {
		b.Fatal(errs)
	}
	b.ReportAllocs()
	for b.Loop() {
		s.Validate(v)
	}
}

func BenchmarkClash(b *testing.B) {
	s, v := compile(b, typicalSchema), parse(b, typicalCall)
	b.ReportAllocs()
	for b.Loop() {
		s.Clash(v)
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		compile(b, typicalSchema)
	}
}
