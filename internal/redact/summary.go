// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

const (
	maxScanned = 64 << 10 // bytes of one string that are looked through
	perLevel   = 48       // room that an object needs to say what it left out
	leftOut    = "…"      // the member that says it
)

// bounds are what a summary may hold: bytes, of text and numbers each, and
// levels.
type bounds struct {
	all, text, scanned, name, number, depth int

	hide func(string) string // what is hidden in texts
}

// short is for records.
func (r *Redactor) short() bounds {
	return bounds{all: r.maxSummary, text: r.maxText, scanned: maxScanned, name: 64, number: 64, depth: 8, hide: r.Text}
}

// whole is for whoever has to decide: nothing of arguments within the gate's
// usual limits is left out. It leaves room for placeholders, which may be longer
// than what they stand for.
func (r *Redactor) whole() bounds {
	const most = 1 << 20
	return bounds{all: 8 * most, text: 4 * most, scanned: 2 * most, name: most, number: most, depth: 512, hide: r.Shown}
}

// Arguments implements [toolverdict.Redactor]. The result is a JSON object of
// at most MaxSummary bytes but for the whole view, the same for the
// same arguments. It may be called
// before the arguments were validated, so a sensitive pointer also covers names
// that only fold onto its steps, and whatever stands where it leads through.
func (r *Redactor) Arguments(t *toolverdict.Tool, v toolverdict.Value, view toolverdict.View) json.RawMessage {
	s := summary{r: r, most: r.short(), out: make([]byte, 0, 512)}
	switch view {
	case toolverdict.WholeView:
		s.most = r.whole()
	case toolverdict.CardView:
		s.most.hide = r.Shown
	default: // a record, and whatever is not known
	}
	var active [][]string
	if t != nil {
		for _, p := range t.Sensitive() {
			active = append(active, pointerSteps(p))
		}
	}
	s.value(v, scope{active: active})
	if s.renamed {
		// Two names may have become one: then no name is shown.
		if _, err := canon.Parse(s.out, canon.Limits{}); err != nil {
			return canon.Append(nil, canon.Object(canon.Member{Name: leftOut, Value: canon.String(r.mark(kindSensitive, v.RawText()))}))
		}
	}
	return s.out
}

// pointerSteps splits a JSON pointer and folds its steps.
func pointerSteps(pointer string) []string {
	steps := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, p := range steps {
		steps[i] = canon.Fold(strings.ReplaceAll(strings.ReplaceAll(p, "~1", "/"), "~0", "~"))
	}
	return steps
}

type summary struct {
	r       *Redactor
	most    bounds
	out     []byte
	renamed bool
}

// scope is what holds for one value.
type scope struct {
	active [][]string // steps left of the sensitive pointers that lead here
	kind   nameKind   // of the nearest name that is not ordinary
	depth  int
}

func (s *summary) value(v canon.Value, in scope) {
	switch v.Kind() {
	case canon.KindObject, canon.KindArray:
		s.container(v, in)
	case canon.KindString:
		s.text(v.Text(), in)
	case canon.KindNumber:
		s.number(v, in)
	case canon.KindBool:
		s.out = strconv.AppendBool(s.out, v.Bool())
	default:
		s.out = append(s.out, "null"...)
	}
}

func (s *summary) quote(text string) { s.out = canon.AppendString(s.out, text) }

func (s *summary) text(text string, in scope) {
	if in.kind != ordinary && text != "" {
		s.quote(s.r.mark(kindNamed, text))
		return
	}
	s.quote(s.most.shorten(text, s.most.text))
}

// shorten redacts a text and cuts it. Cutting comes last, so that no part of a
// secret is left at the edge; of a text too long to be looked through, nothing
// near the end of what was looked at is shown.
func (b bounds) shorten(text string, limit int) string {
	scanned := text[:min(len(text), b.scanned)]
	out := b.hide(scanned)
	switch {
	case len(scanned) == len(text) && len(out) <= limit:
		return out
	case len(scanned) < len(text) && len(out) < b.scanned/2:
		return fmt.Sprintf("[%d bytes]", len(text))
	}
	cut := min(limit, len(out))
	for cut > 0 && !utf8.RuneStart(out[cut]) {
		cut--
	}
	return fmt.Sprintf("%s…[%d bytes]", out[:cut], len(text))
}

func (s *summary) number(v canon.Value, in scope) {
	text := v.RawText()
	_, _, secret, held := s.r.held.find(text, 0)
	switch {
	case held:
		s.quote(s.r.held.mark[secret])
	case in.kind == secretName:
		s.quote(s.r.mark(kindNamed, string(canon.Append(nil, v))))
	case len(text) > s.most.number:
		s.quote(fmt.Sprintf("[a number of %d characters]", len(text)))
	default:
		s.out = canon.Append(s.out, v)
	}
}

// container writes an object or array as far as there is room.
func (s *summary) container(v canon.Value, in scope) {
	if in.depth >= s.most.depth {
		s.quote(fmt.Sprintf("[%s, %d inside]", v.Kind(), v.Len()))
		return
	}
	if v.Kind() == canon.KindObject {
		s.out = append(s.out, '{')
		i := 0
		for name, m := range v.Fields() {
			if !s.entry(entry{name, i, v.Len() - i, true}, m, in) {
				break
			}
			i++
		}
		s.out = append(s.out, '}')
		return
	}
	s.out = append(s.out, '[')
	for i, e := range v.Items() {
		if !s.entry(entry{strconv.Itoa(i), i, v.Len() - i, false}, e, in) {
			break
		}
	}
	s.out = append(s.out, ']')
}

// entry is the place of one member or item.
type entry struct {
	name   string
	i      int
	left   int // it and those after it
	member bool
}

// entry writes one member or item, or, where there is no room, how many are
// left out.
func (s *summary) entry(e entry, v canon.Value, in scope) (goOn bool) {
	before := len(s.out)
	if e.i > 0 {
		s.out = append(s.out, ',')
	}
	if e.member {
		s.name(e.name, e.i)
		s.out = append(s.out, ':')
	}
	s.child(e, v, in)
	if len(s.out) <= s.most.all-perLevel*(in.depth+1) {
		return true
	}
	s.out = s.out[:before]
	s.rest(e.left, e.i > 0, e.member)
	return false
}

// rest says how much was left out.
func (s *summary) rest(n int, comma, object bool) {
	if comma {
		s.out = append(s.out, ',')
	}
	if object {
		s.quote(leftOut)
		s.out = append(s.out, ':')
	}
	s.quote(fmt.Sprintf("[%d more]", n))
}

func (s *summary) name(name string, i int) {
	shown := s.most.shorten(name, s.most.name)
	if shown != name || name == leftOut {
		s.renamed = true
		shown += " #" + strconv.Itoa(i)
	}
	s.quote(shown)
}

// child writes one member or item, or its placeholder.
func (s *summary) child(e entry, v canon.Value, in scope) {
	next := scope{kind: in.kind, depth: in.depth + 1}
	if e.member {
		if kind := kindOfName(e.name); kind != ordinary {
			next.kind = kind
		}
	}
	active, hidden := advance(in.active, e.name, e.member)
	next.active = active
	scalar := v.Kind() != canon.KindObject && v.Kind() != canon.KindArray
	if hidden || scalar && len(next.active) > 0 {
		s.quote(s.r.mark(kindSensitive, string(canon.Append(nil, v))))
		return
	}
	s.value(v, next)
}

// advance takes the sensitive pointers one step on. Hidden means that one ends
// here. A list where a pointer names a member is looked through.
func advance(active [][]string, name string, object bool) (next [][]string, hidden bool) {
	if len(active) == 0 {
		return nil, false
	}
	folded := canon.Fold(name)
	for _, steps := range active {
		switch {
		case steps[0] == "*" || steps[0] == folded:
			if len(steps) == 1 {
				return nil, true
			}
			next = append(next, steps[1:])
		case !object && !isIndex(steps[0]):
			next = append(next, steps)
		}
	}
	return next, false
}

func isIndex(step string) bool {
	return step != "" && strings.Trim(step, "0123456789") == ""
}
