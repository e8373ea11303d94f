// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// Bounds of an overlay file. Aliases are refused, so size bounds the work.
const (
	maxOverlayBytes = 1 << 20
	maxOverlayDepth = 64
	maxProblems     = 20 // reported at once
)

// problem is one thing wrong in a file.
type problem struct {
	line, column int
	text         string
}

// reader takes a YAML tree apart and collects everything that is wrong, so that
// a writer sees all mistakes at once.
type reader struct {
	file     string
	problems []problem
}

func (r *reader) at(n *yaml.Node, format string, args ...any) {
	r.problems = append(r.problems, problem{n.Line, n.Column, fmt.Sprintf(format, args...)})
}

// err joins the problems, in the order of the file.
func (r *reader) err() error {
	slices.SortStableFunc(r.problems, func(a, b problem) int {
		return cmp.Or(a.line-b.line, a.column-b.column)
	})
	var errs []error
	for i, p := range r.problems {
		if i == maxProblems {
			errs = append(errs, fmt.Errorf("%s: and %d more", r.file, len(r.problems)-i))
			break
		}
		errs = append(errs, fmt.Errorf("%s:%d:%d: %s", r.file, p.line, p.column, p.text))
	}
	return errors.Join(errs...)
}

// document parses exactly one YAML document of plain values.
func (r *reader) document(src []byte) *yaml.Node {
	if len(src) > maxOverlayBytes {
		r.at(&yaml.Node{Line: 1, Column: 1}, "the file is larger than %d bytes: split it", maxOverlayBytes)
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(src))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); err != nil {
		r.syntax(err)
		return nil
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		if err != nil {
			r.syntax(err)
		} else {
			r.at(&more, "a second document: keep one document in a file")
		}
		return nil
	}
	if len(doc.Content) != 1 || !r.plain(doc.Content[0], 0) {
		return nil
	}
	return doc.Content[0]
}

// syntax reports what the YAML library found; it tells the line only.
func (r *reader) syntax(err error) {
	if errors.Is(err, io.EOF) {
		r.at(&yaml.Node{Line: 1, Column: 1}, "the file is empty: write at least \"tools: {}\"")
		return
	}
	line := 1
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
	}
	r.at(&yaml.Node{Line: line, Column: 1}, "not valid YAML: %s", text)
}

// plain refuses what makes YAML more than a notation for values: aliases, merge
// keys, tags, keys that are not text, and keys given twice.
func (r *reader) plain(n *yaml.Node, depth int) bool {
	switch {
	case depth > maxOverlayDepth:
		r.at(n, "nested deeper than %d", maxOverlayDepth)
		return false
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		r.at(n, "anchors and aliases are not accepted: write the value out")
		return false
	case n.Style&yaml.TaggedStyle != 0:
		r.at(n, "tags are not accepted: write a plain value")
		return false
	}
	ok := true
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			ok = r.key(n, i) && ok
			continue
		}
		ok = r.plain(c, depth+1) && ok
	}
	return ok
}

func (r *reader) key(n *yaml.Node, i int) bool {
	k := n.Content[i]
	switch {
	case k.Kind == yaml.AliasNode || k.Anchor != "" || k.Tag == "!!merge":
		r.at(k, "anchors, aliases and merge keys are not accepted: write the value out")
	case k.Kind != yaml.ScalarNode || k.Tag != "!!str":
		r.at(k, "a key must be text: put it in quotes")
	default:
		for j := 0; j < i; j += 2 {
			if n.Content[j].Value == k.Value {
				r.at(k, "%q is given twice, first in line %d", k.Value, n.Content[j].Line)
				return false
			}
		}
		return true
	}
	return false
}

// mapping visits the entries of a mapping. A key that is not known is reported
// with the nearest one; known nil accepts any.
func (r *reader) mapping(n *yaml.Node, what string, known []string, visit func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		r.at(n, "%s must be a mapping of keys to values", what)
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if known != nil && !slices.Contains(known, k.Value) {
			r.at(k, "%s: unknown key %q%s", what, k.Value, suggest(k.Value, known))
			continue
		}
		visit(k, n.Content[i+1])
	}
}

// text reads a string that is not empty.
func (r *reader) text(n *yaml.Node, what string) string {
	switch {
	case n.Kind != yaml.ScalarNode || n.Tag == "!!null":
		r.at(n, "%s must be text", what)
	case n.Tag != "!!str":
		r.at(n, "%s must be text: put it in quotes", what)
	case strings.TrimSpace(n.Value) == "":
		r.at(n, "%s is empty: leave the key out, or say something", what)
	default:
		return n.Value
	}
	return ""
}

// word reads one of a few words.
func (r *reader) word(n *yaml.Node, what string, words ...string) string {
	s := r.text(n, what)
	if s != "" && !slices.Contains(words, s) {
		r.at(n, "%s: %q is none of %s%s", what, s, strings.Join(words, ", "), suggest(s, words))
		return ""
	}
	return s
}

// texts reads a list of different strings that is not empty.
func (r *reader) texts(n *yaml.Node, what string) []string {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		r.at(n, "%s must be a list with at least one element: leave the key out for none", what)
		return nil
	}
	var out []string
	for _, e := range n.Content {
		s := r.text(e, "an element of "+what)
		if s != "" && slices.Contains(out, s) {
			r.at(e, "%s: %q is listed twice", what, s)
		}
		out = append(out, s)
	}
	return out
}

// duration reads a positive time span such as 30s or 24h.
func (r *reader) duration(n *yaml.Node, what string) time.Duration {
	s := r.text(n, what)
	if s == "" {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		r.at(n, "%s: %q is not a time span: write it like 30s, 5m or 24h", what, s)
		return 0
	}
	return d
}

// json turns a YAML value into JSON text, exactly.
func (r *reader) json(n *yaml.Node, what string) []byte {
	failed := len(r.problems)
	text := r.appendJSON(nil, n, what)
	if len(r.problems) > failed {
		return nil
	}
	return text
}

func (r *reader) appendJSON(dst []byte, n *yaml.Node, what string) []byte {
	switch n.Kind {
	case yaml.MappingNode:
		dst = append(dst, '{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(canon.AppendString(dst, n.Content[i].Value), ':')
			dst = r.appendJSON(dst, n.Content[i+1], what)
		}
		return append(dst, '}')
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, e := range n.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = r.appendJSON(dst, e, what)
		}
		return append(dst, ']')
	default:
		return r.appendScalar(dst, n, what)
	}
}

func (r *reader) appendScalar(dst []byte, n *yaml.Node, what string) []byte {
	switch n.Tag {
	case "!!null":
		return append(dst, "null"...)
	case "!!bool":
		return append(dst, strings.ToLower(n.Value)...)
	case "!!int", "!!float":
		number, err := canon.ParseNumber(n.Value)
		if err != nil {
			r.at(n, "%s: %q is not a plain decimal number: write it like 10 or 0.5, or put text in quotes", what, n.Value)
			return dst
		}
		return append(dst, number.String()...)
	case "!!str", "!!timestamp":
		return canon.AppendString(dst, n.Value)
	}
	r.at(n, "%s: this kind of value has no JSON form", what)
	return dst
}

// suggest names the known word that was probably meant.
func suggest(word string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least && d < len(k) {
			best, least = k, d
		}
	}
	if best == "" {
		return ": use " + strings.Join(known, ", ")
	}
	return fmt.Sprintf(": did you mean %q?", best)
}

// distance is the number of bytes to insert, delete or replace.
func distance(a, b string) int {
	if max(len(a), len(b)) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
