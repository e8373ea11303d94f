// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package read_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	library "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/schema/internal/pattern"
	"github.com/toolverdict/toolverdict/internal/schema/internal/read"
)

func drafts() map[read.Draft]string {
	return map[read.Draft]string{
		read.Draft4: "http://json-schema.org/draft-04/schema", read.Draft6: "http://json-schema.org/draft-06/schema",
		read.Draft7: "http://json-schema.org/draft-07/schema", read.Draft2019: "https://json-schema.org/draft/2019-09/schema",
		read.Draft2020: "https://json-schema.org/draft/2020-12/schema",
	}
}

func parse(t *testing.T, raw string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(raw), canon.Limits{AllowFoldedSiblings: true})
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

func readText(t *testing.T, raw string) (*read.Document, error) {
	t.Helper()
	return read.Read(parse(t, raw), pattern.NewSet(1_000))
}

// words are the keywords of all drafts, and some of none.
const words = `$schema id $id $ref $anchor $recursiveRef $recursiveAnchor $dynamicRef $dynamicAnchor $vocabulary $comment $defs
	definitions title description default deprecated readOnly writeOnly examples format contentEncoding contentMediaType contentSchema
	type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems
	uniqueItems maxContains minContains maxProperties minProperties required dependentRequired items additionalItems prefixItems
	contains unevaluatedItems properties patternProperties additionalProperties propertyNames unevaluatedProperties dependencies
	dependentSchemas allOf anyOf oneOf not if then else discriminator x-note`

// values are of every shape that a metaschema tells from another.
func values() []string {
	scalars := strings.Fields(`null true false 0 1 -1 1.0 1.5 -0.5 1e3 12345678901234567890123 "" "a" "string" "integer" "^a$" "(" "#a" "a#" "a#b" "a:b" "a\u0020b"
		"_a" "-a" "a.b:c" "http://h/x" "http://h/x#" "http://[::1]/" "http://[x]/" "%zz" "\\\\" "uuid" "\u00e9"`)
	lists := strings.Fields(`[] [1] [1,1.0] [1,"1"] ["a"] ["a","a"] ["a","b"] ["string"] ["string","string"] ["string","null"] ["string","text"] [{}] [{},{}]
		[true] [{"type":1}] [[]] [null]`)
	objects := strings.Fields(`{} {"a":true} {"a":{}} {"a":1} {"a":[]} {"a":["b"]} {"a":["b","b"]} {"a":[1]} {"a":{"type":"string"}} {"a":{"type":1}} {"(":{}}
		{"http://h/v":true} {"http://h/v":1} {"type":"string"} {"type":"text"} {"minLength":-1} {"not":[]} {"properties":{"a":1}} {"properties":{"type":{}}}`)
	return append(append(scalars, lists...), objects...)
}

// Each keyword has, in each draft, exactly the form that the metaschema of the
// draft asks for. Where none of them looks, everything is taken.
func TestFormsAreThoseOfTheMetaschemas(t *testing.T) {
	t.Parallel()
	for draft, address := range drafts() {
		t.Run(fmt.Sprint(draft), func(t *testing.T) {
			t.Parallel()
			c := library.NewCompiler()
			c.AssertFormat()
			meta, err := c.Compile(address)
			if err != nil {
				t.Fatal(err)
			}
			checked := 0
			for word := range strings.FieldsSeq(words) {
				for _, v := range values() {
					raw := fmt.Sprintf(`{"$schema":%q,"definitions":{"p":{%q:%s}}}`, address, word, v)
					if word == "definitions" {
						raw = fmt.Sprintf(`{"$schema":%q,"definitions":%s}`, address, v)
					}
					_, err := readText(t, raw)
					if mayDiffer(word, draft, err) {
						continue
					}
					checked++
					if want := meta.Validate(parse(t, raw).Go()); (want == nil) != (err == nil) {
						t.Errorf("%s: metaschema: %v, here: %v", raw, want, err)
					}
				}
			}
			if checked < 4_000 {
				t.Errorf("only %d forms were compared", checked)
			}
		})
	}
}

// mayDiffer tells the refusals that are no metaschema's.
func mayDiffer(word string, draft read.Draft, err error) bool {
	if err == nil {
		return false
	}
	switch word {
	case "$schema":
		return strings.Contains(err.Error(), "nothing is fetched")
	case "id", "$id":
		return strings.Contains(err.Error(), "cannot be read")
	case "patternProperties":
		return draft < read.Draft7 && strings.Contains(err.Error(), "not a regular expression")
	case "additionalItems":
		return draft == read.Draft2020
	}
	return strings.Contains(err.Error(), "larger number than can be counted to")
}

// Two words of draft 4 stand only beside another.
func TestExclusiveBounds(t *testing.T) {
	t.Parallel()
	const draft4 = `"$schema":"http://json-schema.org/draft-04/schema#"`
	for raw, want := range map[string]string{
		`{` + draft4 + `,"exclusiveMaximum":true,"maximum":1}`:  "",
		`{` + draft4 + `,"exclusiveMaximum":true,"minimum":1}`:  "/exclusiveMaximum: means nothing without maximum in draft 4",
		`{` + draft4 + `,"exclusiveMinimum":false,"maximum":1}`: "/exclusiveMinimum: means nothing without minimum in draft 4",
		`{"exclusiveMinimum":1}`:                                "",
	} {
		_, err := readText(t, raw)
		if got := message(err); got != want {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Refusals say where, what is wrong, and mostly what to do.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"properties":{"a":{"type":"strng"}}}`:                            `/properties/a/type: must be one of array, boolean, integer, null, number, object, string, or a list of them: did you mean string?`,
		`{"items":[{}]}`:                                                   `/items: must be a schema: an object, or true or false; a list of schemas for the first items is prefixItems in 2020-12, items before`,
		`{"allOf":[{"minLength":-1}]}`:                                     `/allOf/0/minLength: must be a whole number, 0 or more`,
		`{"maxLength":1e30}`:                                               `/maxLength: is a larger number than can be counted to, which is not supported: leave it out`,
		`{"properties":{"a":1}}`:                                           `/properties/a: must be a schema: an object, or true or false`,
		`{"required":true}`:                                                `/required: must be a list of names, none twice`,
		`{"$schema":"http://h/x"}`:                                         `/$schema: names the dialect "http://h/x", which is not known, and nothing is fetched: name a draft, such as https://json-schema.org/draft/2020-12/schema`,
		`{"$schema":7}`:                                                    `/$schema: must be a string`,
		`{"$ref":"http://h/x"}`:                                            `/$ref: refers to "http://h/x", which is outside of the schema, and nothing is fetched: put the definition under $defs`,
		`{"$ref":"#/$defs/a"}`:                                             `/$ref: refers to "#/$defs/a", which is not found: nothing stands there`,
		`{"$ref":"#a"}`:                                                    `/$ref: refers to "#a", which is not found: no part has that anchor`,
		`{"$ref":"#/x~y"}`:                                                 `/$ref: refers to "#/x~y", which is not a JSON pointer: a ~ in a name is written ~0`,
		`{"allOf":[true],"$ref":"#/allOf/00"}`:                             `/$ref: refers to "#/allOf/00", which spells a number in a way that is not supported: write it without sign and leading zeros`,
		`{"x":[1],"$ref":"#/x/1"}`:                                         `/$ref: refers to "#/x/1", which is not found: nothing stands there`,
		`{"x":1,"$ref":"#/x"}`:                                             `/$ref: refers to "#/x", which is no schema`,
		`{"x":{"type":"text"},"$ref":"#/x"}`:                               `/x/type: must be one of array, boolean, integer, null, number, object, string, or a list of them`,
		`{"x":{"$id":"y"},"$ref":"#/x"}`:                                   `/x: has an address or an anchor, in a place that is a schema only because something refers to it, which is not supported: keep it where its draft keeps schemas ($defs, before 2019-09 definitions)`,
		`{"x":{"items":{"$anchor":"y"}},"$ref":"#/x"}`:                     `/x/items: has an address or an anchor, in a place that is a schema only because something refers to it, which is not supported: keep it where its draft keeps schemas ($defs, before 2019-09 definitions)`,
		`{"$defs":{"a":{"$id":"x"},"b":{"$id":"x"}}}`:                      `/$defs/b: has the address "x" that another part has: give each its own`,
		`{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}`:              `/$defs/b: has the anchor "x" that another part has: give each its own`,
		`{"$id":"` + strings.Repeat("a", 2_000) + `"}`:                     `has an address that is too long, which is not supported: "` + strings.Repeat("a", 99) + "…",
		`{"$defs":{"a":{"$id":"%zz"}}}`:                                    `/$defs/a: has an address that cannot be read: "%zz"`,
		`{"$defs":{"a":{"$id":"x","$schema":"` + draft7 + `"}}}`:           `/$defs/a/$schema: names another draft than the document, which is not supported: write all of it in one`,
		`{"$defs":{"a":{"$schema":"http://h/x"}}}`:                         `/$defs/a/$schema: names the dialect "http://h/x", which is not known, and nothing is fetched: name a draft, such as https://json-schema.org/draft/2020-12/schema`,
		`{"a\nb\u202e":{},"properties":{"a\nb\u202e/~":{"minLength":""}}}`: "/properties/a\ufffdb\ufffd~1~0/minLength: must be a whole number, 0 or more",
		`{"$ref":"#/\u001b\u202e` + strings.Repeat("x", 200) + `"}`:        `/$ref: refers to "#/\x1b\u202e` + strings.Repeat("x", 87) + `…, which is not found: nothing stands there`,
	} {
		_, err := readText(t, raw)
		if diff := cmp.Diff(want, message(err)); diff != "" {
			t.Errorf("%s:\n%s", raw, diff)
		}
	}
}

const draft7 = "http://json-schema.org/draft-07/schema#"

// A pointer in a message is cut where the names of a schema are long.
func TestLongPlaces(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 500)
	_, err := readText(t, `{"properties":{"`+long+`":{"properties":{"`+long+`":{"properties":{"`+long+`":{"type":1}}}}}}}`)
	if got := message(err); len(got) > 300 || !strings.HasPrefix(got, "/properties/nnn") {
		t.Errorf("got %q", got)
	}
}

// Words tells only what means something where it stands.
func TestWords(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"type":"null","x":1,"$defs":{},"definitions":{},"contentSchema":{},"title":""}`: "type title",
		`{"$schema":"` + draft7 + `","const":1,"$anchor":"a","dependentRequired":{}}`:     "$schema const",
		`{"$schema":"` + draft7 + `","$ref":"#","const":1}`:                               "",
		`{"$ref":"#/$defs/a","const":1,"$defs":{"a":{}}}`:                                 "$ref const",
		`{"$schema":"` + draft7 + `","items":{},"additionalItems":{}}`:                    "$schema items",
		`{"$schema":"` + draft7 + `","items":[{}],"additionalItems":{}}`:                  "$schema items additionalItems",
		`{"additionalItems":{}}`:           "",
		`{"then":{},"else":{}}`:            "",
		`{"if":{},"then":{},"else":{}}`:    "if then else",
		`{"if":true,"then":{},"else":{}}`:  "if then",
		`{"if":false,"then":{},"else":{}}`: "if else",
		`true`:                             "",
	} {
		doc := parse(t, raw)
		d, err := read.Read(doc, pattern.NewSet(1_000))
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		var got []string
		for word := range d.Words(doc) {
			got = append(got, word)
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s:\n%s", raw, diff)
		}
	}
}
