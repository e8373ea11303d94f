// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/schema"
)

// FuzzCompile feeds hostile schemas and arguments: whatever compiles must check
// any value without a crash, tell the same twice, and agree with the library.
func FuzzCompile(f *testing.F) {
	for _, seed := range [][2]string{
		{typicalSchema, typicalCall},
		{`{"$ref":"#"}`, `{}`},
		{`{"$ref":"#/$defs/n","$defs":{"n":{"allOf":[{"properties":{"n":{"$ref":"#/$defs/n"}}},{"properties":{"n":{"$ref":"#/$defs/n"}}}]}}}`, `{"n":{"n":{"n":{}}}}`},
		{`{"pattern":"(a|b)*c","properties":{"a":{"pattern":"\\u0041\\cJ[^]"}}}`, `{"a":"A\nx"}`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":false}`, `["a",1]`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true}`, `1`},
		{`{"$dynamicRef":"#n","$defs":{"x":{"$dynamicAnchor":"n","type":"object"}}}`, `{}`},
		{`{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"properties":{"a":{"$recursiveRef":"#"}},"unevaluatedProperties":false}`, `{"a":{"b":1}}`},
		{`{"enum":[1.0,{"a":[]}],"const":{"a":[]},"uniqueItems":true,"multipleOf":0.1}`, `{"a":[]}`},
		{`{"$id":"http://x/","$defs":{"a":{"$id":"b","$anchor":"c"}},"$ref":"b#c"}`, `1`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, raw, text string) {
		v, err := canon.Parse([]byte(text), canon.Limits{AllowFoldedSiblings: true})
		if err != nil {
			return
		}
		s, err := schema.Compile([]byte(raw), schema.Options{})
		if err != nil {
			agree(t, []byte(raw))
			if !strings.HasPrefix(err.Error(), "compile schema: ") {
				t.Fatalf("%q: error without a step: %v", raw, err)
			}
			return
		}
		s.Tree()
		s.Clash(v)
		errs := s.Validate(v)
		if len(errs) > 5 {
			t.Fatalf("%d errors", len(errs))
		}
		if len(text) > 64 {
			return // the library has no budget
		}
		agree(t, []byte(raw), v)
	})
}
