// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package read

import (
	"iter"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// form is what the value of a keyword must look like. It is also what tells
// where in it schemas stand.
type form uint8

const (
	unknown       form = iota // no keyword of the draft
	anything                  // any value
	text                      // a string
	flag                      // true or false
	number                    // a number
	above                     // a number above 0
	count                     // a whole number, 0 or more
	list                      // a list
	values                    // a list of at least one value, none twice
	names                     // a list of strings, none twice
	someNames                 // the same, at least one
	namesByName               // lists of names, by name
	typeNames                 // one of the types, or a list of them
	regex                     // a regular expression
	dialect                   // what $schema holds
	reference                 // an address, absolute or relative
	ownAddress                // the same, without a fragment
	anchor                    // a name for a place
	vocabulary                // true or false, by address
	exclusive                 // draft 4: makes maximum or minimum exclusive
	schema                    // a schema
	schemaOrFlag              // draft 4 has no schemas true and false, but here
	schemas                   // a list of at least one schema
	schemaOrList              // a schema or such a list
	byName                    // schemas by name
	byPattern                 // schemas by regular expression
	byNameOrNames             // schemas, or lists of names, by name
)

// from is a form that a keyword has since a draft.
func from(first, d Draft, f form) form {
	if d < first {
		return unknown
	}
	return f
}

// formOf is the form that the draft's metaschema asks of a keyword.
func formOf(word string, d Draft) form {
	switch word {
	case "title", "description", "format":
		return text
	case "default":
		return anything
	case "$comment", "contentMediaType", "contentEncoding":
		return from(Draft7, d, text)
	case "readOnly", "writeOnly":
		return from(Draft7, d, flag)
	case "examples":
		return from(Draft7, d, list)
	case "deprecated":
		return from(Draft2019, d, flag)
	}
	if f := identityForm(word, d); f != unknown {
		return f
	}
	if f := assertionForm(word, d); f != unknown {
		return f
	}
	return applicatorForm(word, d)
}

// identityForm knows the words of the core: who a schema is, and where others are.
func identityForm(word string, d Draft) form {
	switch word {
	case "$schema":
		return dialect
	case "id":
		if d == Draft4 {
			return text
		}
	case "$id":
		if d >= Draft2019 {
			return ownAddress
		}
		return from(Draft6, d, reference)
	case "$ref":
		if d == Draft4 {
			return text
		}
		return reference
	case "$anchor":
		return from(Draft2019, d, anchor)
	case "$recursiveRef":
		return from(Draft2019, d, reference)
	case "$recursiveAnchor":
		if d >= Draft2020 {
			return anchor
		}
		return from(Draft2019, d, flag)
	case "$dynamicRef":
		return from(Draft2020, d, reference)
	case "$dynamicAnchor":
		return from(Draft2020, d, anchor)
	case "$vocabulary":
		return from(Draft2019, d, vocabulary)
	}
	return unknown
}

// assertionForm knows the words that say something of a value by themselves.
func assertionForm(word string, d Draft) form {
	switch word {
	case "type":
		return typeNames
	case "enum":
		if d >= Draft2019 {
			return list
		}
		return values
	case "const":
		return from(Draft6, d, anything)
	case "multipleOf":
		return above
	case "maximum", "minimum":
		return number
	case "exclusiveMaximum", "exclusiveMinimum":
		if d == Draft4 {
			return exclusive
		}
		return number
	case "maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties":
		return count
	case "maxContains", "minContains":
		return from(Draft2019, d, count)
	case "pattern":
		return regex
	case "uniqueItems":
		return flag
	case "required":
		if d == Draft4 {
			return someNames
		}
		return names
	case "dependentRequired":
		return from(Draft2019, d, namesByName)
	}
	return unknown
}

// applicatorForm knows the words that hold schemas. Two are stricter than the
// metaschemas: additionalItems is no word of 2020-12, but programs look into it
// for addresses, and drafts 4 and 6 forget that patternProperties are patterns.
func applicatorForm(word string, d Draft) form {
	switch word {
	case "not":
		return schema
	case "allOf", "anyOf", "oneOf":
		return schemas
	case "properties", "definitions":
		return byName
	case "patternProperties":
		return byPattern
	case "dependencies":
		return byNameOrNames
	case "items":
		if d >= Draft2020 {
			return schema
		}
		return schemaOrList
	case "additionalItems", "additionalProperties":
		if d == Draft4 {
			return schemaOrFlag
		}
		return schema
	case "contains", "propertyNames":
		return from(Draft6, d, schema)
	case "if", "then", "else":
		return from(Draft7, d, schema)
	case "unevaluatedItems", "unevaluatedProperties", "contentSchema":
		return from(Draft2019, d, schema)
	case "$defs", "dependentSchemas":
		return from(Draft2019, d, byName)
	case "prefixItems":
		return from(Draft2020, d, schemas)
	}
	return unknown
}

// parts ranges over the schemas in the value of a keyword that has its form.
func (f form) parts(v canon.Value) iter.Seq[canon.Value] {
	return func(yield func(canon.Value) bool) {
		switch {
		case f == schema, f == schemaOrFlag, f == schemaOrList && v.Kind() != canon.KindArray:
			yield(v)
		case f == schemas, f == schemaOrList:
			for _, part := range v.Items() {
				if !yield(part) {
					return
				}
			}
		case f == byName, f == byPattern, f == byNameOrNames:
			for _, part := range v.Fields() {
				if f == byNameOrNames && part.Kind() == canon.KindArray {
					continue
				}
				if !yield(part) {
					return
				}
			}
		}
	}
}
