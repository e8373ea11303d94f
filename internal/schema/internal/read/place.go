// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package read

import (
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Bounds of what is repeated of a document.
const (
	maxName    = 80  // bytes of one name in a pointer
	maxPointer = 160 // bytes of a pointer
	maxQuoted  = 100 // bytes of a text in quotes
)

// pointerTo is the JSON pointer of a part, fit to be shown. It is looked for
// only when something is wrong, so that reading need not remember it.
func pointerTo(doc, part canon.Value) string {
	var b strings.Builder
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for doc != part {
		name, inner, found := towards(doc, part)
		if !found {
			break
		}
		b.WriteByte('/')
		b.WriteString(escape.Replace(plain.Cut(name, maxName)))
		doc = inner
	}
	return plain.Cut(plain.Mark(b.String()), maxPointer)
}

// towards finds the member or the item of v that is or holds the part.
func towards(v, part canon.Value) (name string, inner canon.Value, found bool) {
	at, _ := part.Span()
	for member, m := range v.Fields() {
		if start, end := m.Span(); start <= at && at < end {
			return member, m, true
		}
	}
	for i, e := range v.Items() {
		if start, end := e.Span(); start <= at && at < end {
			return strconv.Itoa(i), e, true
		}
	}
	return "", canon.Value{}, false
}

// quoted is a text of the document, fit to be shown.
func quoted(s string) string {
	return plain.Cut(strconv.Quote(plain.Cut(s, maxQuoted)), maxQuoted)
}
