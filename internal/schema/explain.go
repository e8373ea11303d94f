// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/near"
	"github.com/toolverdict/toolverdict/internal/schema/internal/pattern"
)

// maxErrors bounds how many errors a caller is told at once.
const maxErrors = 5

const notAllowed = "is not allowed"

// tooCostly is said of arguments whose check would take too long.
const tooCostly = "is too large or too varied to be checked against the schema: send less"

// Validate implements [toolverdict.Schema]. The errors are sorted by place and
// never hold a value of the arguments, only names of their fields and words of
// the schema.
func (s *Schema) Validate(v toolverdict.Value) []toolverdict.FieldError {
	quick := run{steps: maxSteps}
	if quick.valid(s.root, v) {
		return nil
	}
	var found []problem
	full := run{steps: maxSteps, errs: &found}
	if !quick.over {
		full.eval(s.root, v, nil, nil)
	}
	if full.over || len(found) == 0 {
		return []toolverdict.FieldError{{Message: tooCostly}}
	}
	return report(found)
}

// problem is one thing wrong. Its place is a list, for a stable order.
type problem struct {
	path    []string
	message string
	kinds   kinds // the types asked for, when the type is what is wrong
}

// place is where a value stands. It is a list that shares its tail, made only
// when errors are collected.
type place struct {
	up   *place
	name string
}

func (r *run) in(at *place, name string) *place {
	if r.errs == nil {
		return nil
	}
	return &place{at, name}
}

func (r *run) index(at *place, i int) *place {
	if r.errs == nil {
		return nil
	}
	return &place{at, strconv.Itoa(i)}
}

func (p *place) path() []string {
	var path []string
	for ; p != nil; p = p.up {
		path = append(path, p.name)
	}
	slices.Reverse(path)
	return path
}

func (r *run) fail(at *place, message string) bool {
	if r.errs != nil {
		*r.errs = append(*r.errs, problem{path: at.path(), message: message})
	}
	return false
}

func (r *run) failKind(at *place, k kinds) bool {
	if r.errs != nil {
		*r.errs = append(*r.errs, problem{path: at.path(), message: k.phrase(), kinds: k})
	}
	return false
}

// phrase says what a value of these types would be.
func (k kinds) phrase() string {
	var words []string
	for i, name := range kindNames() {
		switch {
		case k&(1<<i) == 0 || k&kindNumber != 0 && name == "integer":
		case name == "null":
			words = append(words, name)
		case strings.ContainsRune("aio", rune(name[0])):
			words = append(words, "an "+name)
		default:
			words = append(words, "a "+name)
		}
	}
	if len(words) > 1 && words[0] == "null" {
		words = append(words[1:], words[0])
	}
	return "must be " + orList(words)
}

func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func (r *run) failCount(at *place, what string, n int, unit string) bool {
	if r.errs == nil {
		return false
	}
	if n != 1 {
		first, rest, _ := strings.Cut(unit, " ")
		unit = strings.TrimSpace(first + "s " + rest)
	}
	return r.fail(at, fmt.Sprintf("%s %d %s", what, n, unit))
}

func (r *run) failBound(at *place, what string, n *canon.Number) bool {
	if r.errs == nil {
		return false
	}
	return r.fail(at, what+" "+n.String())
}

func (r *run) failMissing(at *place, name, because string) bool {
	if r.errs == nil {
		return false
	}
	message := "is required"
	if because != "" {
		message = "is required when " + quoted(because) + " is given"
	}
	return r.fail(r.in(at, name), message)
}

func (r *run) failPattern(at *place, p *pattern.Pattern) bool {
	if r.errs == nil {
		return false
	}
	if len(p.Source) > maxQuoted || !printable(p.Source) {
		return r.fail(at, "does not match the pattern that the schema asks for")
	}
	return r.fail(at, "must match the pattern "+p.Source)
}

func (r *run) failFormat(at *place, f *format) bool {
	if r.errs == nil {
		return false
	}
	return r.fail(at, "is not a valid "+f.name)
}

func (r *run) failEnum(at *place, e *enum) bool {
	if r.errs == nil {
		return false
	}
	if len(e.listed) == 0 {
		return r.fail(at, notAllowed)
	}
	var words []string
	for _, v := range e.listed {
		text := string(canon.Append(nil, v))
		if len(e.listed) > maxListed || len(text) > maxQuoted || !printable(text) {
			return r.fail(at, "is not one of the values that the schema lists")
		}
		words = append(words, text)
	}
	return r.fail(at, "must be "+orList(words))
}

// failUnknown names the field that may have been meant.
func (r *run) failUnknown(at *place, name string, o *objectRules) bool {
	if r.errs == nil {
		return false
	}
	message := "is not a known field"
	if meant := nearest(name, o.propertyOrder); meant != "" {
		message += ": did you mean " + quoted(meant) + "?"
	}
	return r.fail(r.in(at, name), message)
}

// failForms explains why no branch fits: the types that would, where each fails
// by its type, else what is wrong with the branch that comes closest.
func (r *run) failForms(list []*node, v canon.Value, at *place) bool {
	if r.errs == nil || r.over {
		return false
	}
	outer := r.errs
	defer func() { r.errs = outer }()
	here := len(at.path())
	var types kinds
	var best []problem
	for _, n := range list {
		var found []problem
		r.errs = &found
		r.eval(n, v, at, nil)
		if len(found) == 1 && found[0].kinds != 0 && len(found[0].path) == here {
			types |= found[0].kinds
			continue
		}
		if best == nil || len(found) < len(best) {
			best = found
		}
	}
	r.errs = outer
	if best == nil && types != 0 {
		return r.failKind(at, types)
	}
	if len(best) == 0 {
		return r.fail(at, "fits none of the forms that the schema allows")
	}
	*r.errs = append(*r.errs, best...)
	return false
}

// Bounds of what is repeated of the schema's own words.
const (
	maxQuoted = 80 // bytes
	maxListed = 8
	maxName   = 120 // bytes of one name in a path
)

func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// quoted is a name of the schema in quotes, short and printable.
func quoted(name string) string {
	if len(name) > maxQuoted {
		name = name[:maxQuoted] + "…"
	}
	return strconv.QuoteToGraphic(name)
}

// report sorts, drops doubles and keeps the first few.
func report(found []problem) []toolverdict.FieldError {
	slices.SortFunc(found, func(a, b problem) int {
		return cmp.Or(slices.CompareFunc(a.path, b.path, compareSteps), cmp.Compare(a.message, b.message))
	})
	var out []toolverdict.FieldError
	for _, p := range found {
		e := toolverdict.FieldError{Path: pointer(p.path), Message: p.message}
		if len(out) > 0 && out[len(out)-1] == e {
			continue
		}
		if out = append(out, e); len(out) == maxErrors {
			break
		}
	}
	return out
}

// compareSteps orders indexes, as numbers, before names.
func compareSteps(a, b string) int {
	i, errA := strconv.ParseUint(a, 10, 32)
	j, errB := strconv.ParseUint(b, 10, 32)
	switch {
	case errA == nil && errB == nil:
		return cmp.Or(cmp.Compare(i, j), cmp.Compare(a, b))
	case errA == nil:
		return -1
	case errB == nil:
		return 1
	}
	return cmp.Compare(a, b)
}

// pointer writes a JSON pointer (RFC 6901). Very long names, which no schema
// has, are cut.
func pointer(path []string) string {
	var b strings.Builder
	for _, name := range path {
		if len(name) > maxName {
			name = strings.ToValidUTF8(name[:maxName], "") + "…"
		}
		b.WriteByte('/')
		if strings.ContainsAny(name, "~/") {
			name = strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		}
		b.WriteString(name)
	}
	return b.String()
}

// nearest finds the known name that was probably meant: one that reads like it,
// else one that it may be a slip of.
func nearest(name string, known []string) string {
	if len(name) > maxQuoted {
		return ""
	}
	folded := canon.Fold(name)
	for _, k := range known {
		if canon.Fold(k) == folded {
			return k
		}
	}
	return near.Word(name, known)
}
