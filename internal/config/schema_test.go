// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	invopop "github.com/invopop/jsonschema"
	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/toolverdict/toolverdict/internal/config"
)

var update = flag.Bool("update", false, "write the published schema anew")

// generate makes the schema of the structs that the decoder fills.
func generate(t *testing.T) []byte {
	t.Helper()
	r := invopop.Reflector{
		Anonymous: true,
		Mapper: func(typ reflect.Type) *invopop.Schema {
			if typ == reflect.TypeFor[config.Secret]() {
				return &invopop.Schema{Type: "string", Pattern: "^(env|file|text):.", Description: "A reference: env:NAME or file:PATH; text:VALUE for what is no secret."}
			}
			return nil
		},
	}
	s := r.Reflect(&config.Config{})
	s.ID, s.Title = "urn:toolverdict:schema:config:1", "Toolverdict configuration"
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(b, '\n')
}

func TestSchemaIsThatOfTheStructs(t *testing.T) {
	t.Parallel()
	want := generate(t)
	if *update {
		if err := os.WriteFile("schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("schema.json is not that of the structs; run: go test ./internal/config -update\n%s", diff)
	}
	if !bytes.Equal(config.JSONSchema(), got) {
		t.Error("the embedded schema is another one")
	}
	config.JSONSchema()[0] = 'x'
	if config.JSONSchema()[0] == 'x' {
		t.Error("a caller can change the schema")
	}
}

// TestSchemaAgreesWithLoad holds editors and the program to one answer: what the
// program reads, the schema accepts, and what is wrong in itself, both refuse.
// Files in testdata/invalid are wrong in themselves, those in testdata/meaning
// only together with the rest of the file.
func TestSchemaAgreesWithLoad(t *testing.T) {
	t.Parallel()
	c := santhosh.NewCompiler()
	doc, err := santhosh.UnmarshalJSON(bytes.NewReader(generate(t)))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.AddResource("config.json", doc); err != nil {
		t.Fatal(err)
	}
	schema := c.MustCompile("config.json")
	for folder, want := range map[string]struct{ load, schema bool }{
		"valid": {true, true}, "invalid": {false, false}, "meaning": {false, true},
	} {
		files, err := filepath.Glob(filepath.Join("testdata", folder, "*.yaml"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", folder, files, err)
		}
		for _, file := range files {
			t.Run(file, func(t *testing.T) {
				t.Parallel()
				_, err := config.Load(file)
				if (err == nil) != want.load {
					t.Errorf("load: %v", err)
				}
				b, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				var v any
				if err := yaml.Unmarshal(b, &v); err != nil {
					t.Fatal(err)
				}
				if err := schema.Validate(v); (err == nil) != want.schema {
					t.Errorf("schema: %v", err)
				}
			})
		}
	}
}
