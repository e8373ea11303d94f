// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package read

import (
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/near"
	"github.com/toolverdict/toolverdict/internal/schema/internal/format"
)

const (
	notSchema   = "must be a schema: an object, or true or false"
	namedInData = "has an address or an anchor, in a place that is a schema only because something refers to it, " +
		"which is not supported: keep it where its draft keeps schemas ($defs, before 2019-09 definitions)"
)

func unknownDraft(name canon.Value) string {
	if name.Kind() != canon.KindString {
		return "must be a string"
	}
	return "names the dialect " + quoted(name.Text()) + ", which is not known, and nothing is fetched: " +
		"name a draft, such as https://json-schema.org/draft/2020-12/schema"
}

func badAddress(id, wrong string) string {
	return "has an address that " + wrong + ": " + quoted(id)
}

// wrong says what is wrong with the value of a keyword, "" for nothing. It does
// not look into schemas.
func (d *Document) wrong(f form, v canon.Value) string {
	switch f {
	case unknown, anything:
		return ""
	case text, regex, dialect, reference, ownAddress, anchor:
		return d.wrongText(f, v)
	case flag, exclusive:
		return unless(v.Kind() == canon.KindBool, "must be true or false")
	case number:
		return unless(v.Kind() == canon.KindNumber, "must be a number")
	case above:
		return unless(v.Kind() == canon.KindNumber && v.Number().Sign() > 0, "must be a number above 0")
	case count:
		return wrongCount(v)
	case list:
		return unless(v.Kind() == canon.KindArray, "must be a list")
	case values:
		return unless(v.Len() > 0 && v.Kind() == canon.KindArray && allDiffer(v), "must be a list of at least one value, none twice")
	case names, someNames, namesByName, typeNames:
		return d.wrongNames(f, v)
	case vocabulary:
		for name, m := range v.Fields() {
			if !format.URI(name) || m.Kind() != canon.KindBool {
				return "must hold true or false for each address"
			}
		}
		return unless(v.Kind() == canon.KindObject, "must be an object")
	default:
		return d.wrongParts(f, v)
	}
}

func unless(right bool, wrong string) string {
	if right {
		return ""
	}
	return wrong
}

func (d *Document) wrongText(f form, v canon.Value) string {
	if v.Kind() != canon.KindString {
		return "must be a string"
	}
	switch s := v.Text(); f {
	case regex:
		return d.wrongPattern(s)
	case reference:
		return unless(format.Reference(s), "must be an address, absolute or relative")
	case ownAddress:
		return unless(format.Reference(s) && strings.IndexByte(s+"#", '#') >= len(s)-1, "must be an address without a fragment: a part is named by $anchor")
	case anchor:
		return unless(isAnchor(s, d.draft), "must be a name: a letter, then letters, digits, - . _")
	default:
		return ""
	}
}

func (d *Document) wrongPattern(s string) string {
	if _, err := d.patterns.Compile(s); err != nil {
		return "not a regular expression that can be checked: " + err.Error()
	}
	return ""
}

func isAnchor(s string, d Draft) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	first, others := letters+"_", letters+"0123456789-._"
	if d < Draft2020 {
		first, others = letters, others+":"
	}
	return s != "" && strings.IndexByte(first, s[0]) >= 0 && strings.Trim(s, others) == ""
}

func wrongCount(v canon.Value) string {
	n := v.Number()
	if v.Kind() != canon.KindNumber || !n.IsInteger() || n.Sign() < 0 {
		return "must be a whole number, 0 or more"
	}
	_, fits := n.Int64()
	return unless(fits, "is a larger number than can be counted to, which is not supported: leave it out")
}

// allDiffer compares canonical forms, so that 1 and 1.0 are the same.
func allDiffer(list canon.Value) bool {
	seen := make(map[string]struct{}, list.Len())
	var buf []byte
	for _, v := range list.Items() {
		buf = canon.Append(buf[:0], v)
		if _, twice := seen[string(buf)]; twice {
			return false
		}
		seen[string(buf)] = struct{}{}
	}
	return true
}

func (d *Document) wrongNames(f form, v canon.Value) string {
	switch f {
	case typeNames:
		return wrongTypes(v)
	case namesByName:
		for _, m := range v.Fields() {
			if !areNames(m) {
				return "must hold lists of names, none twice"
			}
		}
		return unless(v.Kind() == canon.KindObject, "must be an object of lists of names")
	case someNames:
		return unless(areNames(v) && v.Len() > 0, "must be a list of at least one name, none twice")
	default:
		return unless(areNames(v), "must be a list of names, none twice")
	}
}

func areNames(v canon.Value) bool {
	for _, e := range v.Items() {
		if e.Kind() != canon.KindString {
			return false
		}
	}
	return v.Kind() == canon.KindArray && allDiffer(v)
}

// types are the names of the types, as the metaschemas list them.
func types() []string {
	return []string{"array", "boolean", "integer", "null", "number", "object", "string"}
}

func wrongTypes(v canon.Value) string {
	given := v.Elems()
	if v.Kind() == canon.KindString {
		given = []canon.Value{v}
	}
	for _, t := range given {
		if !slices.Contains(types(), t.Text()) {
			wrong := "must be one of " + strings.Join(types(), ", ") + ", or a list of them"
			if meant := near.Word(t.Text(), types()); meant != "" {
				wrong += ": did you mean " + meant + "?"
			}
			return wrong
		}
	}
	return unless(len(given) > 0 && (v.Kind() == canon.KindString || allDiffer(v)), "must be a type or a list of at least one, none twice")
}

// wrongParts looks at what holds schemas.
func (d *Document) wrongParts(f form, v canon.Value) string {
	switch f {
	case schemas:
		return unless(v.Kind() == canon.KindArray && v.Len() > 0, "must be a list of at least one schema")
	case schemaOrList:
		return unless(v.Kind() != canon.KindArray || v.Len() > 0, "must be a schema or a list of at least one")
	case schema:
		return unless(v.Kind() != canon.KindArray, notSchema+"; a list of schemas for the first items is prefixItems in 2020-12, items before")
	case byName, byNameOrNames, byPattern:
		if v.Kind() != canon.KindObject {
			return "must be an object of schemas by name"
		}
	default:
	}
	for name, m := range v.Fields() {
		if f == byPattern {
			if wrong := d.wrongPattern(name); wrong != "" {
				return quoted(name) + " is " + wrong
			}
		}
		if f == byNameOrNames && m.Kind() == canon.KindArray && (!areNames(m) || d.draft == Draft4 && m.Len() == 0) {
			return "must hold schemas, or lists of names, none twice"
		}
	}
	return ""
}
