// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
	formats "github.com/toolverdict/toolverdict/internal/schema/internal/format"
)

// holds says what the value of a keyword is made of.
type holds uint8

const (
	data        holds = iota
	oneSchema         // a schema, or a list of schemas
	namedOnes         // schemas by name
	formatNames       // the name of a format
)

// keywords are those of drafts 4 to 2020-12.
func keywords() map[string]holds {
	words := map[string]holds{"format": formatNames}
	for w := range strings.FieldsSeq(`$schema $id id $ref $anchor $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor
		$vocabulary $comment type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength
		pattern maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required dependentRequired
		contentEncoding contentMediaType title description default deprecated readOnly writeOnly examples`) {
		words[w] = data
	}
	for w := range strings.FieldsSeq(`allOf anyOf oneOf not if then else prefixItems items additionalItems contains
		additionalProperties propertyNames unevaluatedItems unevaluatedProperties contentSchema`) {
		words[w] = oneSchema
	}
	for w := range strings.FieldsSeq("properties patternProperties $defs definitions dependentSchemas dependencies") {
		words[w] = namedOnes
	}
	return words
}

// checkKeywords finds words that an operator did not mean: JSON Schema ignores
// what it does not know, and a misspelt rule would check nothing.
func checkKeywords(doc canon.Value) error {
	c := keywordCheck{known: keywords()}
	c.names = slices.Sorted(maps.Keys(c.known))
	return c.schema(doc, "")
}

type keywordCheck struct {
	known map[string]holds
	names []string
}

func (c *keywordCheck) schema(v canon.Value, at string) error {
	for name, m := range v.Fields() {
		if strings.HasPrefix(name, "x-") {
			continue
		}
		here := at + pointer([]string{name})
		what, ok := c.known[name]
		if !ok {
			return unknownWord(here, "keyword", name, c.names)
		}
		if err := c.value(what, m, here); err != nil {
			return err
		}
	}
	return nil
}

func (c *keywordCheck) value(what holds, v canon.Value, at string) error {
	switch {
	case what == formatNames && !slices.Contains(formats.Names(), v.Text()):
		return unknownWord(at, "format", v.Text(), formats.Names())
	case what == oneSchema && v.Kind() == canon.KindArray:
		for i, e := range v.Items() {
			if err := c.schema(e, fmt.Sprintf("%s/%d", at, i)); err != nil {
				return err
			}
		}
	case what == oneSchema:
		return c.schema(v, at)
	case what == namedOnes:
		for name, s := range v.Fields() {
			if err := c.schema(s, at+pointer([]string{name})); err != nil {
				return err
			}
		}
	}
	return nil
}

func unknownWord(at, what, word string, known []string) error {
	if meant := nearest(word, known); meant != "" {
		return fmt.Errorf("%s: JSON Schema has no %s %s: did you mean %s?", at, what, quoted(word), quoted(meant))
	}
	return fmt.Errorf("%s: JSON Schema has no %s %s: begin its name with x- if it is a note", at, what, quoted(word))
}
