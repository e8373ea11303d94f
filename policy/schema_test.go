// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy"
)

func publishedSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(policy.JSONSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("policy.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("policy.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchemaRefuses: what the reader refuses, the published schema refuses too,
// but for what a schema cannot say. Those files are named in the archive's
// comment, so that the list cannot grow by itself.
func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	s := publishedSchema(t)
	refused := 0
	for name, a := range archives(t, "testdata/errors/*.txtar") {
		_, list, _ := strings.Cut(string(a.Comment), "The published schema cannot tell:")
		beyond := strings.Fields(list)
		for i := 0; i < len(a.Files); i += 2 {
			in := a.Files[i]
			doc, ok := document(in.Data)
			if !ok || filepath.Base(name) == "yaml.txtar" {
				continue // no document, or one whose spelling is at fault
			}
			err := s.Validate(doc)
			if listed := slices.Contains(beyond, in.Name); (err == nil) != listed {
				t.Errorf("%s in %s: the schema says %v, listed as beyond it: %v", in.Name, name, err, listed)
			}
			if err != nil {
				refused++
			}
		}
	}
	if refused < 100 {
		t.Errorf("only %d files were refused: is the corpus read?", refused)
	}
}

// TestSchemaAccepts: what the reader accepts, the published schema accepts.
func TestSchemaAccepts(t *testing.T) {
	t.Parallel()
	s := publishedSchema(t)
	names, _ := filepath.Glob("testdata/ok/*")
	names = append(names, "../examples/orders/policy.yaml")
	if len(names) < 3 {
		t.Fatalf("only %v", names)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		// Examples that need an analyser are left to the tests that have one.
		nothing := func(*toolverdict.Tool, toolverdict.Value, map[string]string) []toolverdict.Effect { return nil }
		if _, _, err := policy.Compile([]policy.File{{Name: name, Content: text}}, nil, policy.Options{Discovery: true, Analyse: nothing}); err != nil {
			t.Errorf("%s does not load:\n%v", name, err)
		}
		doc, ok := document(text)
		if !ok {
			t.Fatalf("%s is no document", name)
		}
		if err := s.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	doc, _ := document([]byte(newWorkload(t, 100, "mixed").text))
	if err := s.Validate(doc); err != nil {
		t.Error(err)
	}
}

// document reads YAML or JSON the way an editor does: dates are text.
func document(text []byte) (any, bool) {
	if doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text)); err == nil {
		return doc, true
	}
	var n yaml.Node
	if yaml.Unmarshal(text, &n) != nil || n.Kind != yaml.DocumentNode {
		return nil, false
	}
	return plain(n.Content[0]), true
}

func plain(n *yaml.Node) any {
	switch {
	case n.Kind == yaml.SequenceNode:
		out := []any{}
		for _, c := range n.Content {
			out = append(out, plain(c))
		}
		return out
	case n.Kind == yaml.MappingNode:
		out := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			out[n.Content[i].Value] = plain(n.Content[i+1])
		}
		return out
	case n.ShortTag() == "!!timestamp":
		return n.Value
	}
	var v any
	_ = n.Decode(&v) // an alias or a broken scalar stays nil, which no schema here accepts
	return v
}

// TestSchemaIsACopy: no caller can change it for others.
func TestSchemaIsACopy(t *testing.T) {
	t.Parallel()
	policy.JSONSchema()[0] = 'x'
	if policy.JSONSchema()[0] != '{' {
		t.Error("a caller changed the schema")
	}
}
