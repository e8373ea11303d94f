// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package tools

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Difference is one place in which two definitions differ. A side that is not
// there is nil.
type Difference struct {
	Path          []string // the steps to it
	Before, After []Span
}

// Span is a stretch of a value; Changed says that the other side has another one
// in its place.
type Span struct {
	Text    string
	Changed bool
}

// Differences makes changes readable. They are strangers' text: what would not
// be seen is written out, before both sides are held against each other.
func Differences(changes []catalog.Change) []Difference {
	out := make([]Difference, 0, len(changes))
	for _, c := range changes {
		d := Difference{Path: steps(c.Path)}
		before, after := value(c.Before), value(c.After)
		switch {
		case c.Before == nil:
			d.After = []Span{{after, true}}
		case c.After == nil:
			d.Before = []Span{{before, true}}
		default:
			d.Before, d.After = spans(before, after)
		}
		out = append(out, d)
	}
	return out
}

// Added tells a whole definition as differences to nothing, what a model reads of
// it first.
func Added(definition json.RawMessage) []Difference {
	var all map[string]json.RawMessage
	if json.Unmarshal(definition, &all) != nil {
		return nil
	}
	delete(all, "name")
	names := slices.Sorted(maps.Keys(all))
	order := []string{"title", "description", "annotations", "inputSchema", "outputSchema"}
	slices.SortStableFunc(names, func(a, b string) int { return place(order, a) - place(order, b) })
	var out []Difference
	for _, name := range names {
		out = append(out, Difference{Path: []string{plain.Reveal(name)}, After: []Span{{value(all[name]), true}}})
	}
	return out
}

func place(order []string, name string) int {
	if i := slices.Index(order, name); i >= 0 {
		return i
	}
	return len(order)
}

func steps(pointer string) []string {
	list := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, s := range list {
		list[i] = plain.Reveal(strings.NewReplacer("~1", "/", "~0", "~").Replace(s))
	}
	return list
}

// mostValue bounds one value of a difference, in bytes: the whole definition
// stands beside them.
const mostValue = 16 << 10

// value shows a text as it reads and everything else as JSON.
func value(raw json.RawMessage) string {
	if len(raw) > mostValue {
		return plain.Reveal(string(raw[:mostValue])) + "…"
	}
	var s string
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte(`"`)) && json.Unmarshal(raw, &s) == nil {
		return plain.Reveal(s)
	}
	return document(raw)
}

// spans marks what is between the beginning and the end that two texts share,
// by whole words.
func spans(before, after string) (was, is []Span) {
	a, b := words(before), words(after)
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return marked(a, start, end), marked(b, start, end)
}

func marked(words []string, start, end int) []Span {
	var out []Span
	for _, s := range []Span{
		{strings.Join(words[:start], ""), false},
		{strings.Join(words[start:len(words)-end], ""), true},
		{strings.Join(words[len(words)-end:], ""), false},
	} {
		if s.Text != "" {
			out = append(out, s)
		}
	}
	if out == nil {
		out = []Span{{}} // an empty text is there, too
	}
	return out
}

// words cuts a text where its words begin.
func words(s string) []string {
	var out []string
	from, space := 0, false
	for i, r := range s {
		now := unicode.IsSpace(r)
		if i > 0 && (now != space || !now && !unicode.IsLetter(r) && !unicode.IsDigit(r)) {
			out, from = append(out, s[from:i]), i
		}
		space = now
	}
	return append(out, s[from:])
}
