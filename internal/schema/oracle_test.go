// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	library "github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/schema"
	"github.com/toolverdict/toolverdict/internal/schema/internal/format"
	"github.com/toolverdict/toolverdict/internal/schema/internal/pattern"
)

// oracle reads a schema with the library that this package is held against, set
// up as this package reads: nothing is fetched, formats are notes, and regular
// expressions are ours, so that all else can be compared.
func oracle(doc canon.Value) (s *library.Schema, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	c := library.NewCompiler()
	c.DefaultDraft(library.Draft2020)
	c.UseLoader(nowhere{})
	c.UseRegexpEngine(func(s string) (library.Regexp, error) {
		p, err := pattern.Compile(s)
		return libraryPattern{p}, err
	})
	for _, name := range format.Names() {
		c.RegisterFormat(&library.Format{Name: name, Validate: func(any) error { return nil }})
	}
	if err := c.AddResource("toolverdict:///schema.json", doc.Go()); err != nil {
		return nil, err
	}
	return c.Compile("toolverdict:///schema.json")
}

type nowhere struct{}

func (nowhere) Load(string) (any, error) { return nil, errors.New("offline") }

type libraryPattern struct{ *pattern.Pattern }

func (p libraryPattern) String() string { return p.Source }

// stated are the kinds of schemas that are refused here though the library reads
// them, by what is said of them.
func stated(err error) bool {
	for _, why := range []string{
		"not supported",      // several targets or drafts, names in odd places, numbers that are spelt or sized oddly
		"nothing is fetched", // the library carries the metaschemas, and reads dialects that name their vocabularies
		"refers to itself",   // no check would end
		"which is no schema", // the library takes the lists under items and dependencies for schemas
		"references: simplify",
		"parts: split",
		"regular expression",
		"/additionalItems", // of 2020-12, which looks for addresses there, must be a schema
	} {
		if strings.Contains(err.Error(), why) {
			return true
		}
	}
	return false
}

// agree holds the reading of a schema, and checks by it, against the library:
// what that refuses is refused, what it reads is read alike or refused for a
// stated kind.
func agree(t interface{ Fatalf(string, ...any) }, raw []byte, values ...canon.Value) {
	doc, err := canon.Parse(raw, canon.Limits{MaxBytes: schema.MaxBytes, MaxDepth: schema.MaxDepth, AllowFoldedSiblings: true})
	if err != nil {
		return
	}
	theirs, refused := oracle(doc)
	ours, err := schema.Compile(raw, schema.Options{})
	switch {
	case err != nil && refused == nil && !stated(err):
		t.Fatalf("schema %s\nonly refused here: %v", raw, err)
	case misread(doc):
		return
	case err == nil && refused != nil:
		t.Fatalf("schema %s\nonly refused by the library: %v", raw, refused)
	case err != nil:
		return
	}
	for _, v := range values {
		errs := ours.Validate(v)
		if tooCostly(errs) || strings.Contains(string(raw), `"regex"`) {
			continue // the library has no budget, and holds to that format where it can
		}
		if verdict := theirs.Validate(v.Go()); (verdict == nil) != (len(errs) == 0) {
			t.Fatalf("schema %s\nvalue %s\nlibrary: %v\nhere: %v", raw, v.RawText(), verdict, errs)
		}
	}
}

// misread reports whether the library takes words beside a $ref for more than
// nothing, which they are in drafts 6 and 7. It forgets so for those that came
// after draft 4.
func misread(doc canon.Value) bool {
	if draft, _ := doc.Get("$schema"); !strings.Contains(draft.Text(), "draft-06") && !strings.Contains(draft.Text(), "draft-07") {
		return false
	}
	var look func(v canon.Value) bool
	look = func(v canon.Value) bool {
		_, ref := v.Get("$ref")
		for name, m := range v.Fields() {
			if ref && slices.Contains(strings.Fields("const contains propertyNames if then else"), name) || look(m) {
				return true
			}
		}
		return slices.ContainsFunc(v.Elems(), look)
	}
	return look(doc)
}

func tooCostly(errs []toolverdict.FieldError) bool {
	return len(errs) == 1 && strings.Contains(errs[0].Message, "too large or too varied")
}

// What is read by its draft, and where references go.
func TestReads(t *testing.T) {
	t.Parallel()
	const d4, d6, d7 = `"$schema":"http://json-schema.org/draft-04/schema#",`, `"$schema":"http://json-schema.org/draft-06/schema#",`, `"$schema":"http://json-schema.org/draft-07/schema#",`
	const d2019 = `"$schema":"https://json-schema.org/draft/2019-09/schema",`
	for name, c := range map[string]struct{ schema, good, bad string }{
		"exclusive, draft 4":        {`{` + d4 + `"minimum":1,"exclusiveMinimum":true,"maximum":3,"exclusiveMaximum":true}`, `2`, `1`},
		"true and false, draft 4":   {`{` + d4 + `"items":[{}],"additionalItems":false,"allOf":[{"$ref":"#/definitions/a"}],"definitions":{"a":{"additionalProperties":false}}}`, `[1]`, `[1,2]`},
		"contains, 2019-09":         {`{` + d2019 + `"contains":{"type":"null"},"unevaluatedItems":{"type":"boolean"},"minContains":0}`, `[true]`, `[null]`},
		"contains, 2020-12":         {`{"contains":{"type":"null"},"unevaluatedItems":{"type":"boolean"}}`, `[null,true]`, `[1,null]`},
		"not exclusive, draft 4":    {`{` + d4 + `"minimum":1,"exclusiveMinimum":false}`, `1`, `0`},
		"const is none of draft 4":  {`{` + d4 + `"const":1,"type":"integer"}`, `2`, `1.5`},
		"if is none of draft 6":     {`{` + d6 + `"if":true,"then":false,"type":"integer"}`, `2`, `1.5`},
		"$ref alone, draft 7":       {`{` + d7 + `"$ref":"#/definitions/a","type":"null","definitions":{"a":{"type":"string"}}}`, `"a"`, `null`},
		"$ref and others, 2019-09":  {`{` + d2019 + `"$ref":"#/$defs/a","maxLength":1,"$defs":{"a":{"type":"string"}}}`, `"a"`, `"ab"`},
		"id beside $ref, draft 7":   {`{` + d7 + `"definitions":{"a":{"$id":"http://h/x","$ref":"#/definitions/b"},"b":{"type":"null"}},"$ref":"#/definitions/a"}`, `null`, `1`},
		"list of items, draft 7":    {`{` + d7 + `"items":[{"type":"null"}],"additionalItems":{"type":"string"}}`, `[null,"a"]`, `[null,1]`},
		"additionalItems by itself": {`{` + d7 + `"items":{"type":"null"},"additionalItems":false}`, `[null,null]`, `[1]`},
		"additionalItems, 2020-12":  {`{"prefixItems":[{"type":"null"}],"additionalItems":false}`, `[null,1]`, `[1]`},
		"prefixItems, 2019-09":      {`{` + d2019 + `"prefixItems":[false],"maxItems":1}`, `[1]`, `[1,2]`},
		"dependencies, 2020-12":     {`{"dependencies":{"a":["b"],"b":{"required":["c"]}}}`, `{"a":1,"b":1,"c":1}`, `{"a":1,"b":1}`},
		"$defs in draft 7":          {`{` + d7 + `"$ref":"#/$defs/a","$defs":{"a":{"type":"null"}}}`, `null`, `1`},
		"address":                   {`{"$ref":"http://h/b","$defs":{"a":{"$id":"http://h/a","$defs":{"b":{"$id":"b","type":"null"}}}}}`, `null`, `1`},
		"urn":                       {`{"$id":"urn:x:y","$ref":"#/$defs/a","$defs":{"a":{"type":"null"}}}`, `null`, `1`},
		"pointer in a resource":     {`{"$ref":"a#/properties/p","$defs":{"a":{"$id":"a","properties":{"p":{"type":"null"}}}}}`, `null`, `1`},
		"anchor":                    {`{"$ref":"#a","$defs":{"x":{"$anchor":"a","type":"null"}}}`, `null`, `1`},
		"anchor in an id, draft 7":  {`{` + d7 + `"allOf":[{"$ref":"#a"}],"definitions":{"x":{"$id":"#a","type":"null"}}}`, `null`, `1`},
		"escapes":                   {`{"$ref":"#/$defs/a~1b~0c%25%22","$defs":{"a/b~c%\"":{"type":"null"}}}`, `null`, `1`},
		"odd place":                 {`{"$ref":"#/x/y","x":{"y":{"properties":{"a":{"$ref":"#/x/z"}}},"z":{"type":"null"}}}`, `{"a":null}`, `{"a":1}`},
		"odd place in a resource":   {`{"$ref":"#/$defs/r/x","$defs":{"r":{"$id":"r","x":{"$ref":"#/$defs/n"},"$defs":{"n":{"type":"null"}}},"n":true}}`, `null`, `1`},
		"dynamic, one target":       {`{"$dynamicRef":"#n","$defs":{"x":{"$dynamicAnchor":"n","type":"null"}}}`, `null`, `1`},
		"recursive":                 {`{` + d2019 + `"$recursiveAnchor":true,"properties":{"a":{"$recursiveRef":"#"}},"type":"object"}`, `{"a":{}}`, `{"a":1}`},
		"$recursiveRef, 2020-12":    {`{"properties":{"a":{"$recursiveRef":"#"}},"type":"object"}`, `{"a":{}}`, `{"a":1}`},
		"dead branch":               {`{"if":true,"then":{"type":"null"},"else":{"$ref":"#/nowhere"}}`, `null`, `1`},
		"nobody comes there":        {`{"$defs":{"a":{"$ref":"#/nowhere"}},"type":"null"}`, `null`, `1`},
		"vocabulary is a note":      {`{"$vocabulary":{"http://h/v":true},"type":"null"}`, `null`, `1`},
		"schema of no own draft":    {`{"properties":{"a":{"$schema":"http://json-schema.org/draft-04/schema#","const":1}}}`, `{"a":1}`, `{"a":2}`},
		"whole numbers":             {`{"minLength":1.0,"maxLength":2e0}`, `"a"`, `"abc"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			good, bad := parse(t, c.good), parse(t, c.bad)
			s := compile(t, c.schema)
			if errs := s.Validate(good); errs != nil {
				t.Errorf("refuses %s: %v", c.good, errs)
			}
			if s.Validate(bad) == nil {
				t.Errorf("accepts %s", c.bad)
			}
			agree(t, []byte(c.schema), good, bad)
		})
	}
}

// genDocument draws a schema of any draft, with addresses, anchors, references
// to them and to other places, and now and then a keyword with any value.
func genDocument() *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		doc, ok := genPart(3).Draw(t, "document").(map[string]any)
		if !ok {
			doc = map[string]any{}
		}
		if draft := rapid.SampledFrom(drafts).Draw(t, "draft"); draft != "" {
			doc["$schema"] = draft
		}
		for _, word := range []string{"definitions", "$defs", "x"} {
			if rapid.IntRange(0, 3).Draw(t, word) > 0 {
				doc[word] = map[string]any{"a": genPart(2).Draw(t, "a"), "b": genPart(2).Draw(t, "b")}
			}
		}
		raw, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	})
}

var (
	drafts = []string{
		"", "https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema",
		"http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-06/schema", "http://json-schema.org/draft-04/schema#",
	}
	// Those that mostly go somewhere, or mostly are in order, come first and more often.
	goodRefs = []string{"#", "#/$defs/a", "#/$defs/b", "#/definitions/a", "#/definitions/b", "#/x/a", "#/properties/a", "#a", "x"}
	someRefs = []string{
		"", "#b", "#/properties", "#/items", "#/items/0", "#/x", "#/x/b/properties/a", "#/$defs/a/properties/b", "#/allOf/0", "#/allOf/00",
		"#/dependencies/a", "#/additionalItems", "x#a", "x#/properties/a", "x#/$defs/a", "y", "http://h/x", "urn:a:b", "urn:a:b#a", "schema.json", "#/nowhere",
		"toolverdict:///schema.json", "#/$defs/a%62", "#/$defs/a~2", "%zz", `\`, "/x", "?q",
	}
	goodIDs = []string{"x", "y", "http://h/x", "http://h/", "urn:a:b", "x/"}
	someIDs = []string{"#a", "#", "", "x#a", "x#b", "/x", "schema.json", "toolverdict:///schema.json", "?q", "a b", "%zz", `\`, "#%zz", "#/a", "x/../y"}
)

func genPart(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		if depth == 0 || rapid.IntRange(0, 9).Draw(t, "leaf") == 0 {
			return rapid.SampledFrom([]any{true, false, map[string]any{"type": "string"}, map[string]any{}, map[string]any{"$ref": "#/$defs/a"}}).Draw(t, "simple")
		}
		out := map[string]any{}
		for range rapid.IntRange(1, 4).Draw(t, "keywords") {
			addPart(t, out, depth)
		}
		return out
	})
}

func addPart(t *rapid.T, out map[string]any, depth int) {
	sub := func() any { return genPart(depth-1).Draw(t, "sub") }
	subs := func() []any { return rapid.SliceOfN(genPart(depth-1), 1, 3).Draw(t, "subs") }
	switch k := rapid.SampledFrom(strings.Fields(`plain plain plain plain ref ref ref id anchor named named items one one list exclusive
		dependencies $recursiveAnchor $schema wild`)).Draw(t, "kind"); k {
	case "plain":
		addKeyword(t, out, depth)
	case "ref":
		out[rapid.SampledFrom([]string{"$ref", "$ref", "$dynamicRef", "$recursiveRef"}).Draw(t, k)] = rapid.SampledFrom(slices.Concat(goodRefs, goodRefs, goodRefs, goodRefs, someRefs)).Draw(t, "to")
	case "id":
		out[rapid.SampledFrom([]string{"$id", "id"}).Draw(t, k)] = rapid.SampledFrom(slices.Concat(goodIDs, goodIDs, goodIDs, someIDs)).Draw(t, "is")
	case "anchor":
		out[rapid.SampledFrom([]string{"$anchor", "$dynamicAnchor"}).Draw(t, k)] = rapid.SampledFrom([]string{"a", "a", "b", "b", "a:", "_a"}).Draw(t, "is")
	case "named":
		word := rapid.SampledFrom(strings.Fields("properties patternProperties $defs definitions dependentSchemas dependencies")).Draw(t, k)
		out[word] = rapid.MapOfN(rapid.SampledFrom(someNames), genPart(depth-1), 1, 3).Draw(t, "parts")
	case "items":
		out[k] = subs()
		out["additionalItems"] = sub()
	case "one":
		word := rapid.SampledFrom(strings.Fields(`items contains additionalItems additionalProperties propertyNames not if then else contentSchema
			unevaluatedItems unevaluatedProperties`)).Draw(t, k)
		out[word] = sub()
	case "list":
		out[rapid.SampledFrom(strings.Fields("allOf anyOf oneOf prefixItems")).Draw(t, k)] = subs()
	case "exclusive":
		out["maximum"], out["exclusiveMaximum"] = 2, rapid.SampledFrom([]any{1, 1, 2, true, false}).Draw(t, k)
	case "dependencies":
		out[k] = map[string]any{"a": rapid.SliceOfN(rapid.SampledFrom(someNames), 0, 2).Draw(t, k)}
	case "$recursiveAnchor":
		out[k] = rapid.SampledFrom([]any{true, true, false, "a"}).Draw(t, k)
	case "$schema":
		out[k] = rapid.SampledFrom(slices.Concat(drafts[1:], drafts[1:], drafts[1:], []string{"", "http://h/schema"})).Draw(t, k)
	case "wild":
		word := rapid.SampledFrom(strings.Fields(`$id $ref $anchor $schema type enum required minLength multipleOf properties allOf items
			additionalProperties pattern dependentRequired title default $comment readOnly examples format`)).Draw(t, k)
		out[word] = genValue(2).Draw(t, "any")
	}
}

// Every draft is read as the library reads it.
func TestReadsLikeTheLibrary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		agree(t, genDocument().Draw(t, "schema"), drawValue(t), drawValue(t), drawValue(t))
	})
}
