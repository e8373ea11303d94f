// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/schema"
)

// lines writes errors as an agent reads them.
func lines(errs []toolverdict.FieldError) []string {
	var out []string
	for _, e := range errs {
		out = append(out, e.Path+": "+e.Message)
	}
	return out
}

func TestMessages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		schema, value string
		want          []string
	}{
		"valid":        {typicalSchema, typicalCall, nil},
		"type":         {`{"properties":{"a":{"type":"number"}}}`, `{"a":"1"}`, []string{"/a: must be a number"}},
		"types":        {`{"properties":{"a":{"type":["string","null","integer"]}}}`, `{"a":{}}`, []string{"/a: must be an integer, a string or null"}},
		"number once":  {`{"properties":{"a":{"type":["number","integer"]}}}`, `{"a":"x"}`, []string{"/a: must be a number"}},
		"boolean":      {`{"properties":{"a":{"type":"boolean"}}}`, `{"a":"true"}`, []string{"/a: must be a boolean"}},
		"no text":      {`{"properties":{"a":{"type":"boolean"}}}`, `{"a":1}`, []string{"/a: must be a boolean"}},
		"required":     {`{"required":["b","a"]}`, `{}`, []string{"/a: is required", "/b: is required"}},
		"unknown":      {`{"properties":{"price":{}},"additionalProperties":false}`, `{"prize":1}`, []string{`/prize: is not a known field: did you mean "price"?`}},
		"unknown, far": {`{"properties":{"price":{}},"additionalProperties":false}`, `{"zzzzzz":1}`, []string{"/zzzzzz: is not a known field"}},
		"unevaluated":  {`{"properties":{"price":{}},"unevaluatedProperties":false}`, `{"zzzzzz":1}`, []string{"/zzzzzz: is not a known field"}},
		"enum":         {`{"properties":{"a":{"enum":["x","y",3]}}}`, `{"a":"z"}`, []string{`/a: must be "x", "y" or 3`}},
		"const":        {`{"properties":{"a":{"const":"x"}}}`, `{"a":"z"}`, []string{`/a: must be "x"`}},
		"long enum":    {`{"properties":{"a":{"enum":[1,2,3,4,5,6,7,8,9]}}}`, `{"a":"z"}`, []string{"/a: is not one of the values that the schema lists"}},
		"empty enum":   {`{"properties":{"a":{"enum":[]}}}`, `{"a":"z"}`, []string{"/a: is not allowed"}},
		"hidden enum":  {"{\"properties\":{\"a\":{\"enum\":[\"x\\u202e\"]}}}", `{"a":"z"}`, []string{"/a: is not one of the values that the schema lists"}},
		"bounds": {`{"properties":{"a":{"minimum":1},"b":{"maximum":1},"c":{"exclusiveMinimum":1},"d":{"exclusiveMaximum":1},"e":{"multipleOf":2}}}`,
			`{"a":0,"b":2,"c":1,"d":1,"e":3}`,
			[]string{"/a: must be at least 1", "/b: must be at most 1", "/c: must be more than 1", "/d: must be less than 1", "/e: must be a multiple of 2"}},
		"lengths": {`{"properties":{"a":{"minLength":2},"b":{"maxLength":1},"c":{"pattern":"^x$"},"d":{"minItems":1},"e":{"maxItems":0}}}`,
			`{"a":"é","b":"éé","c":"y","d":[],"e":[1]}`,
			[]string{"/a: must have at least 2 characters", "/b: must have at most 1 character", "/c: must match the pattern ^x$", "/d: must have at least 1 item", "/e: must have at most 0 items"}},
		"objects": {`{"properties":{"a":{"minProperties":1},"b":{"maxProperties":1},"c":{"propertyNames":{"maxLength":1}},"d":{"uniqueItems":true},"e":false}}`,
			`{"a":{},"b":{"x":1,"y":2},"c":{"xy":1},"d":[1,1.0],"e":1}`,
			[]string{"/a: must have at least 1 field", "/b: must have at most 1 field", "/c/xy: is not an allowed name for a field", "/d: must not hold the same item twice", "/e: is not allowed"}},
		"contains": {`{"properties":{"a":{"contains":{"type":"string"},"minContains":2}}}`, `{"a":["x"]}`,
			[]string{"/a: must hold at least 2 items of the kind the schema asks for"}},
		"dependent":     {`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, []string{`/b: is required when "a" is given`}},
		"not":           {`{"properties":{"a":{"not":{"type":"string"}}}}`, `{"a":"x"}`, []string{"/a: is of a kind that the schema rules out"}},
		"forms by type": {`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, `{"a":1}`, []string{"/a: must be a string or null"}},
		"nearest form": {`{"properties":{"a":{"oneOf":[{"type":"string"},{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}]}}}`,
			`{"a":{"n":"x"}}`, []string{"/a/n: must be a number"}},
		"two forms":     {`{"properties":{"a":{"oneOf":[{"type":"number"},{"type":"integer"}]}}}`, `{"a":1}`, []string{"/a: fits more than one of the forms of which the schema allows exactly one"}},
		"only five":     {`{"required":["a","b","c","d","e","f"]}`, `{}`, []string{"/a: is required", "/b: is required", "/c: is required", "/d: is required", "/e: is required"}},
		"order":         {`{"properties":{"l":{"items":{"type":"string"}}}}`, `{"l":["","",1,"","","","","","","",1]}`, []string{"/l/2: must be a string", "/l/10: must be a string"}},
		"escaped path":  {`{"properties":{"a/b":{"properties":{"c~d":{"type":"string"}}}}}`, `{"a/b":{"c~d":1}}`, []string{"/a~1b/c~0d: must be a string"}},
		"said once":     {`{"allOf":[{"required":["a"]},{"required":["a"]}]}`, `{}`, []string{"/a: is required"}},
		"conditional":   {`{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}`, `{"a":1}`, []string{"/b: is required"}},
		"format a note": {`{"properties":{"a":{"format":"email"}}}`, `{"a":"nobody"}`, nil},
		"draft 7 note":  {`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"format":"email"}}}`, `{"a":"nobody"}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := lines(compile(t, c.schema).Validate(parse(t, c.value)))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Patterns are written in the dialect of ECMAScript, as far as RE2 can follow.
func TestPatterns(t *testing.T) {
	t.Parallel()
	for pattern, c := range map[string]struct{ good, bad string }{
		`^\\u0041\\u{1F600}$`: {`A\ud83d\ude00`, `u0041`},
		`^\\cJ$`:              {`\n`, `cJ`},
		`^[^]$`:               {`\n`, ``},
		`^\\d\\w\\/\\-$`:      {`1a/-`, `aa/-`},
		`^\\p{L}+$`:           {`é查`, `1`},
		`b`:                   {`abc`, `ac`},
		`^(?<year>[0-9]{4})$`: {`2026`, `26`},
		`^\\\\u$`:             {`\\u`, `u`},
	} {
		s := compile(t, `{"properties":{"a":{"pattern":"`+pattern+`"}}}`)
		if errs := s.Validate(parse(t, `{"a":"`+c.good+`"}`)); errs != nil {
			t.Errorf("%s refuses %s: %v", pattern, c.good, errs)
		}
		if errs := s.Validate(parse(t, `{"a":"`+c.bad+`"}`)); len(errs) != 1 {
			t.Errorf("%s accepts %s", pattern, c.bad)
		}
	}
	long := strings.Repeat("a?", 60)
	errs := compile(t, `{"properties":{"a":{"pattern":"^`+long+`$"}}}`).Validate(parse(t, `{"a":"b"}`))
	if diff := cmp.Diff([]string{"/a: does not match the pattern that the schema asks for"}, lines(errs)); diff != "" {
		t.Error(diff)
	}
}

// Names are repeated in errors only as far as they are fit to read.
func TestLongNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 500)
	errs := compile(t, `{"properties":{"x":{}},"additionalProperties":false,"dependentRequired":{"x":["y"]}}`).Validate(parse(t, `{"x":1,"`+long+`":1}`))
	want := []string{"/" + long[:120] + "…: is not a known field", `/y: is required when "x" is given`}
	if diff := cmp.Diff(want, lines(errs)); diff != "" {
		t.Error(diff)
	}
	errs = compile(t, `{"dependentRequired":{"`+long+`":["y"]}}`).Validate(parse(t, `{"`+long+`":1}`))
	if len(errs) != 1 || len(errs[0].Message) > 150 {
		t.Errorf("%v", errs)
	}
}

func TestStrict(t *testing.T) {
	t.Parallel()
	s, err := schema.Compile([]byte(`{"properties":{"a":{"format":"email"},"b":{"x-note":1}}}`), schema.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/a: is not a valid email"}, lines(s.Validate(parse(t, `{"a":"nobody"}`)))); diff != "" {
		t.Error(diff)
	}
	for raw, want := range map[string]string{
		`{"requierd":["a"]}`:                       `/requierd: JSON Schema has no keyword "requierd": did you mean "required"?`,
		`{"properties":{"a":{"minimun":1}}}`:       `/properties/a/minimun: JSON Schema has no keyword`,
		`{"anyOf":[{"items":{"nope":1}}]}`:         `/anyOf/0/items/nope: JSON Schema has no keyword "nope"`,
		`{"properties":{"a":{"format":"e-mail"}}}`: `/properties/a/format: JSON Schema has no format "e-mail": did you mean "email"?`,
	} {
		_, err := schema.Compile([]byte(raw), schema.Options{Strict: true})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", raw, err, want)
		}
		if _, err := schema.Compile([]byte(raw), schema.Options{}); err != nil {
			t.Errorf("%s: a stranger's unknown words are notes: %v", raw, err)
		}
	}
}

// What could be read two ways, cannot be checked in bounded time or would have
// to be fetched does not compile.
func TestRefused(t *testing.T) {
	t.Parallel()
	many := func(n int, format string) string {
		var parts []string
		for i := range n {
			parts = append(parts, fmt.Sprintf(format, i))
		}
		return strings.Join(parts, ",")
	}
	for name, c := range map[string]struct{ schema, want string }{
		"no schema":          {`[]`, "a schema is a JSON object"},
		"not JSON":           {`{`, "compile schema"},
		"keyword twice":      {`{"type":"object","type":"string"}`, "twice"},
		"wrong keyword":      {`{"type":"strin"}`, "/type: must be one of array, boolean, integer, null, number, object, string, or a list of them: did you mean string?"},
		"file":               {`{"$ref":"file:///etc/passwd"}`, "nothing is fetched"},
		"network":            {`{"properties":{"a":{"$ref":"http://127.0.0.1/x"}}}`, "nothing is fetched"},
		"dialect":            {`{"$schema":"http://127.0.0.1/x"}`, "nothing is fetched"},
		"nowhere":            {`{"$ref":"#/$defs/a"}`, "not found"},
		"look-around":        {`{"pattern":"(?=x)"}`, "look-around and back-references are not supported"},
		"back-reference":     {`{"pattern":"(a)\\1"}`, "not supported"},
		"long pattern":       {`{"pattern":"` + strings.Repeat("a", schema.MaxPattern+1) + `"}`, "longer than"},
		"pattern bomb":       {`{"pattern":"(a{90}b{90}c{90}d{90}e{90}){10}"}`, "too large"},
		"patterns together":  {`{"properties":{` + many(60, `"p%[1]d":{"pattern":"%[1]d(a{100}b{100}c{100}){3}"}`) + `}}`, "too large together"},
		"itself":             {`{"allOf":[{"$ref":"#"}]}`, "refers to itself"},
		"each other":         {`{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}}}`, "refers to itself"},
		"too large":          {`{"description":"` + strings.Repeat("x", schema.MaxBytes) + `"}`, "larger than the limit"},
		"too deep":           {strings.Repeat(`{"not":`, 70) + "{}" + strings.Repeat("}", 70), "deeper"},
		"too many parts":     {`{"properties":{` + many(schema.MaxSubschemas, `"p%d":{}`) + `}}`, "parts"},
		"too many refs":      {`{"$defs":{"x":{}},"properties":{` + many(schema.MaxRefs+1, `"p%d":{"$ref":"#/$defs/x"}`) + `}}`, "references"},
		"too many odd refs":  {`{"x":{},"properties":{` + many(200, `"p%d":{"$ref":"#/x"}`) + `}}`, "references"},
		"several targets":    {`{"$dynamicRef":"#a","$dynamicAnchor":"a","$defs":{"x":{"$id":"x","$dynamicAnchor":"a"}}}`, "several possible targets"},
		"several, 2019-09":   {`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"items":{"$recursiveRef":"#"},"$defs":{"x":{"$id":"x","$recursiveAnchor":true}}}`, "several possible targets"},
		"number out of hand": {`{"minimum":1e500}`, "compile schema"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := schema.Compile([]byte(c.schema), schema.Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if err != nil && (len(err.Error()) > 600 || strings.ContainsAny(err.Error(), "\n\x1b")) {
				t.Errorf("not fit to show: %q", err)
			}
		})
	}
}

// Numbers are compared exactly, far beyond what a float64 can tell apart.
func TestExactNumbers(t *testing.T) {
	t.Parallel()
	const big = "9007199254740993" // 2^53 + 1
	for _, c := range []struct {
		schema, value string
		valid         bool
	}{
		{`{"properties":{"n":{"const":` + big + `}}}`, `{"n":` + big + `}`, true},
		{`{"properties":{"n":{"const":` + big + `}}}`, `{"n":9007199254740992}`, false},
		{`{"properties":{"n":{"maximum":9007199254740992}}}`, `{"n":` + big + `}`, false},
		{`{"properties":{"n":{"enum":[` + big + `]}}}`, `{"n":9007199254740994}`, false},
		{`{"properties":{"n":{"type":"integer"}}}`, `{"n":123456789012345678901234567890}`, true},
		{`{"properties":{"n":{"type":"integer"}}}`, `{"n":1.0}`, true},
		{`{"properties":{"n":{"type":"integer"}}}`, `{"n":1e2}`, true},
		{`{"properties":{"n":{"type":"integer"}}}`, `{"n":1.5}`, false},
		{`{"properties":{"n":{"multipleOf":0.01}}}`, `{"n":19.99}`, true},
		{`{"properties":{"n":{"multipleOf":0.1}}}`, `{"n":0.3}`, true},
		{`{"properties":{"n":{"multipleOf":3}}}`, `{"n":123456789012345678901234567890}`, true},
		{`{"properties":{"n":{"multipleOf":3}}}`, `{"n":123456789012345678901234567891}`, false},
		{`{"properties":{"n":{"minimum":0.1}}}`, `{"n":0.09999999999999999}`, false},
		{`{"properties":{"n":{"maximum":1.7976931348623157e308}}}`, `{"n":1e300}`, true},
		{`{"properties":{"n":{"uniqueItems":true}}}`, `{"n":[9007199254740992,` + big + `]}`, true},
	} {
		errs := compile(t, c.schema).Validate(parse(t, c.value))
		if (len(errs) == 0) != c.valid {
			t.Errorf("%s %s: want valid %v, got %v", c.schema, c.value, c.valid, errs)
		}
	}
}

// A check that would take too long is refused, whichever way a "not" would turn
// the answer, and so is a clash that cannot be looked for.
func TestBudget(t *testing.T) {
	t.Parallel()
	const doubling = `"$defs":{"n":{"allOf":[{"properties":{"n":{"$ref":"#/$defs/n"}}},{"properties":{"n":{"$ref":"#/$defs/n"}}}]}}`
	deep := parse(t, strings.Repeat(`{"n":`, 60)+"{}"+strings.Repeat("}", 60))
	for name, raw := range map[string]string{
		"plain": `{"$ref":"#/$defs/n",` + doubling + `}`,
		"not":   `{"not":{"not":{"$ref":"#/$defs/n"}},` + doubling + `}`,
		"if":    `{"if":{"$ref":"#/$defs/n"},"then":{},"else":{},` + doubling + `}`,
		"anyOf": `{"anyOf":[{"$ref":"#/$defs/n"},{"minProperties":9}],` + doubling + `}`,
		"oneOf": `{"oneOf":[{"$ref":"#/$defs/n"},{"minProperties":9}],` + doubling + `}`,
		"item":  `{"not":{"contains":{"$ref":"#/$defs/n"}},"$ref":"#/$defs/n",` + doubling + `}`,
	} {
		errs := compile(t, raw).Validate(deep)
		if len(errs) != 1 || !strings.Contains(errs[0].Message, "too large or too varied") {
			t.Errorf("%s: got %v", name, errs)
		}
	}
	long := parse(t, `{"a":"`+strings.Repeat("a", 900_000)+`c"}`)
	slow := compile(t, `{"properties":{"a":{"pattern":"(a{50}|b{50}){20}c$"}}}`)
	if errs := slow.Validate(long); len(errs) != 1 || !strings.Contains(errs[0].Message, "too large or too varied") {
		t.Errorf("slow pattern: got %v", errs)
	}
}

func TestFrozen(t *testing.T) {
	t.Parallel()
	raw := []byte(typicalSchema)
	s, err := schema.Compile(raw, schema.Options{})
	if err != nil {
		t.Fatal(err)
	}
	before := s.Tree()
	for i := range raw {
		raw[i] = 'x'
	}
	tree := s.Tree()
	tree.Fields["order_id"].Types[0] = "number"
	delete(tree.Fields, "amount")
	tree.Closed = false
	tree.Fields["currency"].Enum[0] = parse(t, `"XXX"`)
	if errs := s.Validate(parse(t, typicalCall)); errs != nil {
		t.Errorf("the schema changed: %v", errs)
	}
	if diff := cmp.Diff(flat(before), flat(s.Tree())); diff != "" {
		t.Error(diff)
	}
}

func TestValidCallsCostNoMemory(t *testing.T) {
	s, v := compile(t, typicalSchema), parse(t, typicalCall)
	if n := testing.AllocsPerRun(100, func() { s.Validate(v); s.Clash(v) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
