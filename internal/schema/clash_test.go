// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/internal/schema"
)

func TestClash(t *testing.T) {
	t.Parallel()
	const nested = `{"properties":{"user":{"properties":{"name":{}}},"list":{"items":{"properties":{"id":{}}}},"free":{"type":"object"}}}`
	for name, c := range map[string]struct{ schema, value, path string }{
		"exact":               {nested, `{"user":{"name":1},"list":[{"id":1}]}`, ""},
		"other case":          {nested, `{"User":{}}`, "/User"},
		"deep":                {nested, `{"user":{"NAME":1}}`, "/user/NAME"},
		"in a list":           {nested, `{"list":[{"id":1},{"Id":2}]}`, "/list/1/Id"},
		"long s":              {`{"properties":{"status":{}}}`, `{"ſtatus":1}`, "/ſtatus"},
		"Kelvin sign":         {`{"properties":{"key":{}}}`, `{"\u212Aey":1}`, "/\u212Aey"},
		"full width":          {`{"properties":{"path":{}}}`, `{"ｐath":1}`, "/ｐath"},
		"zero width":          {`{"properties":{"path":{}}}`, `{"pa\u200bth":1}`, "/pa\u200bth"},
		"declared elsewhere":  {nested, `{"free":{"Name":1,"ID":2}}`, ""},
		"not declared at all": {nested, `{"extra":{"Whatever":1}}`, ""},
		"only required":       {`{"required":["path"]}`, `{"Path":1}`, "/Path"},
		"only needed":         {`{"dependentRequired":{"a":["path"]}}`, `{"Path":1}`, "/Path"},
		"branch not taken":    {`{"anyOf":[{"properties":{"kind":{"const":1},"path":{}},"required":["kind"]},{"properties":{"kind":{"const":2}}}]}`, `{"kind":2,"Path":1}`, "/Path"},
		"then":                {`{"if":{"required":["a"]},"then":{"properties":{"path":{}}}}`, `{"Path":1}`, "/Path"},
		"under not":           {`{"not":{"properties":{"path":{}},"required":["path"]}}`, `{"Path":1}`, "/Path"},
		"pattern":             {`{"patternProperties":{"^x":{"properties":{"path":{}}}}}`, `{"x1":{"Path":1}}`, "/x1/Path"},
		"additional":          {`{"additionalProperties":{"properties":{"path":{}}}}`, `{"any":{"Path":1}}`, "/any/Path"},
		"dependent schema":    {`{"dependentSchemas":{"a":{"properties":{"path":{}}}}}`, `{"Path":1}`, "/Path"},
		"recursive":           {`{"properties":{"next":{"$ref":"#"},"path":{}}}`, `{"next":{"next":{"Path":1}}}`, "/next/next/Path"},
		"twins, both right":   {`{"properties":{"a":{"properties":{"name":{}}},"b":{"properties":{"Name":{}}}}}`, `{"a":{"name":1},"b":{"Name":1}}`, ""},
		"twins, one wrong":    {`{"properties":{"a":{"properties":{"name":{}}},"b":{"properties":{"Name":{}}}}}`, `{"a":{"Name":1}}`, "/a/Name"},
		"tuple":               {`{"properties":{"t":{"prefixItems":[{},{"properties":{"path":{}}}]}}}`, `{"t":[{"Path":1},{"Path":2}]}`, "/t/1/Path"},
		"contains":            {`{"properties":{"t":{"contains":{"properties":{"path":{}}}}}}`, `{"t":[{"Path":1}]}`, "/t/0/Path"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, found := compile(t, c.schema).Clash(parse(t, c.value))
			if found != (c.path != "") || e.Path != c.path {
				t.Errorf("got %v %q %q, want %q", found, e.Path, e.Message, c.path)
			}
			if found && !strings.Contains(e.Message, "use exactly that name") {
				t.Errorf("message: %q", e.Message)
			}
		})
	}
}

// flat writes a tree as one line for each place.
func flat(f *schema.Field) []string {
	var out []string
	var walk func(f *schema.Field, at string)
	walk = func(f *schema.Field, at string) {
		if f == nil {
			return
		}
		types := "any"
		if f.Types != nil {
			types = strings.Join(f.Types, "|")
		}
		line := fmt.Sprintf("%s %s", at, types)
		for _, e := range f.Enum {
			line += " " + e.RawText()
		}
		if f.Required {
			line += " required"
		}
		if f.Closed {
			line += " closed"
		}
		out = append(out, line)
		for name, m := range f.Fields {
			walk(m, at+"/"+name)
		}
		walk(f.Other, at+"/~other")
		walk(f.Items, at+"/~items")
	}
	walk(f, "")
	slices.Sort(out)
	return out
}

func TestTree(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		schema string
		want   []string
	}{
		"plain": {
			`{"type":"object","properties":{"a":{"type":"string","enum":["x","y"]},"b":{"type":["integer","null"]}},"required":["a"],"additionalProperties":false}`,
			[]string{" object closed", `/a string "x" "y" required`, "/b null|integer"},
		},
		"nothing said": {`{}`, []string{" any"}},
		"never":        {`false`, []string{" "}},
		"open":         {`{"properties":{"a":true},"additionalProperties":{"type":"number"}}`, []string{" any", "/a any", "/~other number"}},
		"patterns":     {`{"patternProperties":{"^x":{}},"additionalProperties":false}`, []string{" any"}},
		"items":        {`{"properties":{"a":{"type":"array","items":{"type":"string"}}}}`, []string{" any", "/a array", "/a/~items string"}},
		"tuple":        {`{"properties":{"a":{"prefixItems":[{"type":"string"}],"items":{"type":"null"}}}}`, []string{" any", "/a any", "/a/~items null|string"}},
		"all":          {`{"allOf":[{"properties":{"a":{"type":["string","number"]}}},{"properties":{"a":{"type":["number","null"]}},"required":["a"]}]}`, []string{" any", "/a number required"}},
		"ref":          {`{"$ref":"#/$defs/x","$defs":{"x":{"properties":{"a":{"type":"boolean"}}}}}`, []string{" any", "/a boolean"}},
		"forms, closed": {
			`{"oneOf":[{"type":"object","properties":{"k":{"const":"a"},"x":{"type":"string"}},"required":["k","x"],"additionalProperties":false},
				{"type":"object","properties":{"k":{"const":"b"}},"required":["k"],"additionalProperties":false}]}`,
			[]string{" object closed", `/k string "a" "b" required`, "/x string"},
		},
		"forms, open": {`{"anyOf":[{"properties":{"x":{"type":"string"}},"required":["x"]},{"properties":{"y":{"type":"string"}}}]}`, []string{" any", "/x any", "/y any"}},
		"sometimes":   {`{"if":{"required":["a"]},"then":{"properties":{"b":{"type":"string"}}},"else":{"properties":{"b":{"type":"null"}}}}`, []string{" any", "/a any", "/b null|string"}},
		"unevaluated": {`{"properties":{"a":{}},"allOf":[{"properties":{"b":{}}}],"unevaluatedProperties":false}`, []string{" any closed", "/a any", "/b any"}},
		"number":      {`{"properties":{"a":{"allOf":[{"type":"number"},{"type":"integer"}]}}}`, []string{" any", "/a integer"}},
		"enum only":   {`{"properties":{"a":{"enum":[1,"x",null]}}}`, []string{" any", `/a null|integer|string 1 "x" null`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, flat(compile(t, c.schema).Tree())); diff != "" {
				t.Error(diff)
			}
		})
	}
	recursive := flat(compile(t, `{"properties":{"next":{"$ref":"#"}},"additionalProperties":false}`).Tree())
	if len(recursive) < 10 || len(recursive) > 100 {
		t.Errorf("a recursive schema unfolds into %d places", len(recursive))
	}
}
