// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/internal/near"
	"github.com/toolverdict/toolverdict/internal/strictyaml"
)

// maxProblems are reported of one file at once.
const maxProblems = 20

// document is a whole file as strictyaml read it, with places and nothing that
// is more than a value.
type document struct{ root strictyaml.Node }

// FromYAML implements [strictyaml.Custom].
func (d *document) FromYAML(n strictyaml.Node) error {
	d.root = n
	return nil
}

// reader takes a file apart and collects everything that is wrong, so that a
// writer sees all mistakes at once.
type reader struct {
	file     string
	problems strictyaml.Problems
}

func (r *reader) at(n strictyaml.Node, format string, args ...any) {
	r.problems = append(r.problems, strictyaml.Problem{File: r.file, Line: n.Line, Column: n.Column, Message: fmt.Sprintf(format, args...)})
}

// open reads the file's one document.
func (r *reader) open(src []byte) (root strictyaml.Node, ok bool) {
	var d document
	err := strictyaml.Decode(r.file, src, &d)
	if errors.As(err, &r.problems) {
		return root, false
	}
	if err != nil {
		r.at(strictyaml.Node{Line: 1, Column: 1}, "%v", err)
	}
	return d.root, err == nil
}

// err joins the problems, in the order of the file.
func (r *reader) err() error {
	slices.SortStableFunc(r.problems, func(a, b strictyaml.Problem) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column)
	})
	var errs []error
	for i, p := range r.problems {
		if i == maxProblems {
			errs = append(errs, fmt.Errorf("%s: and %d more", r.file, len(r.problems)-i))
			break
		}
		errs = append(errs, p)
	}
	return errors.Join(errs...)
}

// mapping visits the entries of a mapping. A key that is not known is reported
// with the nearest one; known nil accepts any.
func (r *reader) mapping(n strictyaml.Node, what string, known []string, visit func(key, value strictyaml.Node)) {
	if n.Kind != strictyaml.Map {
		r.at(n, "%s must be a mapping of keys to values", what)
		return
	}
	for i, k := range n.Keys {
		if known != nil && !slices.Contains(known, k.Text) {
			r.at(k, "%s: unknown key %q%s", what, k.Text, suggest(k.Text, known, ": use "+strings.Join(known, ", ")))
			continue
		}
		visit(k, n.Values[i])
	}
}

// text reads a string that is not empty.
func (r *reader) text(n strictyaml.Node, what string) string {
	switch {
	case n.Kind != strictyaml.Scalar:
		r.at(n, "%s must be text", what)
	case n.Tag != "str":
		r.at(n, "%s must be text: put it in quotes", what)
	case strings.TrimSpace(n.Text) == "":
		r.at(n, "%s is empty: leave the key out, or say something", what)
	default:
		return n.Text
	}
	return ""
}

// word reads one of a few words.
func (r *reader) word(n strictyaml.Node, what string, words ...string) string {
	s := r.text(n, what)
	if s != "" && !slices.Contains(words, s) {
		r.at(n, "%s: %q is none of %s%s", what, s, strings.Join(words, ", "), suggest(s, words, ""))
		return ""
	}
	return s
}

// texts reads a list of different strings that is not empty.
func (r *reader) texts(n strictyaml.Node, what string) []string {
	if n.Kind != strictyaml.List || len(n.Items) == 0 {
		r.at(n, "%s must be a list with at least one element: leave the key out for none", what)
		return nil
	}
	var out []string
	for _, e := range n.Items {
		s := r.text(e, "an element of "+what)
		if s != "" && slices.Contains(out, s) {
			r.at(e, "%s: %q is listed twice", what, s)
		}
		out = append(out, s)
	}
	return out
}

// duration reads a positive time span such as 30s or 24h.
func (r *reader) duration(n strictyaml.Node, what string) time.Duration {
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

// suggest names the known word that was probably meant, or else says other.
func suggest(word string, known []string, other string) string {
	if best := near.Word(word, known); best != "" {
		return fmt.Sprintf(": did you mean %q?", best)
	}
	return other
}
