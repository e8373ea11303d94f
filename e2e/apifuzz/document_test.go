// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package apifuzz_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
)

type object = map[string]any

// document is what the gate says of itself.
type document struct {
	schemas    object
	operations []operation
	problem    *santhosh.Schema
}

type operation struct {
	method, path string
	body         object // the schema of its body; nil: it has none
	params       []param
	answer       *santhosh.Schema
}

type param struct {
	name, in string
	schema   object
}

func readDocument(t testing.TB, text []byte) *document {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters []struct {
				Name, In string
				Schema   object
			}
			RequestBody struct {
				Content map[string]struct{ Schema object }
			}
		}
		Components struct{ Schemas object }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	whole, err := santhosh.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := santhosh.NewCompiler()
	if err := c.AddResource("doc.json", whole); err != nil {
		t.Fatal(err)
	}
	d := &document{schemas: doc.Components.Schemas, problem: c.MustCompile("doc.json#/components/schemas/Problem")}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(doc.Paths[path])) {
			in := doc.Paths[path][method]
			at := strings.NewReplacer("{", "%7B", "}", "%7D").Replace(strings.ReplaceAll(path, "/", "~1"))
			op := operation{
				method: strings.ToUpper(method), path: path, body: in.RequestBody.Content["application/json"].Schema,
				answer: c.MustCompile("doc.json#/paths/" + at + "/" + method + "/responses/200/content/application~1json/schema"),
			}
			for _, p := range in.Parameters {
				op.params = append(op.params, param{p.Name, p.In, p.Schema})
			}
			d.operations = append(d.operations, op)
		}
	}
	if len(d.operations) < 30 {
		t.Fatalf("the document has %d operations", len(d.operations))
	}
	return d
}

// resolve follows references.
func (d *document) resolve(schema object) object {
	for {
		ref, ok := schema["$ref"].(string)
		if !ok {
			return schema
		}
		schema, _ = d.schemas[strings.TrimPrefix(ref, "#/components/schemas/")].(object)
	}
}

// fits checks JSON against a schema.
func fits(schema *santhosh.Schema, text []byte) error {
	v, err := santhosh.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(v)
}
