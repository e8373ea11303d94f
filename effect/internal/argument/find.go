// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package argument finds the arguments of a call that a catalog points at.
package argument

import (
	"strconv"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// Found is a value inside of another, with the JSON pointer to it.
type Found struct {
	Value   tv.Value
	Pointer string
}

// Finding is what a JSON pointer led to.
type Finding struct {
	Found   []Found
	Missing string // the first place that the pointer needs and that is not there, or ""
	Cut     bool   // there was more than was looked at
}

// Find returns what a JSON pointer (RFC 6901) leads to; a step * leads to every
// item or member. An empty list under a * misses nothing. At no step it goes on
// with more than most values.
func Find(v tv.Value, pointer string, most int) Finding {
	if !strings.Contains(pointer, "*") { // the usual case
		if got, ok := v.Pointer(pointer); ok {
			return Finding{Found: []Found{{got, pointer}}}
		}
		return Finding{Missing: pointer}
	}
	f := Finding{Found: []Found{{v, ""}}}
	for _, step := range strings.Split(pointer, "/")[1:] {
		from := f.Found
		f.Found = nil
		for _, at := range from {
			if !at.step(step, func(next Found) bool {
				if len(f.Found) >= most {
					f.Cut = true
					return false
				}
				f.Found = append(f.Found, next)
				return true
			}) && f.Missing == "" {
				f.Missing = at.Pointer + "/" + step
			}
		}
	}
	return f
}

// step goes one step, which is a name, an index, or * for all, and reports
// whether it could.
func (f Found) step(step string, yield func(Found) bool) bool {
	if step != "*" {
		v, ok := f.Value.Pointer("/" + step)
		if ok {
			yield(Found{v, f.Pointer + "/" + step})
		}
		return ok
	}
	switch f.Value.Kind() {
	case canon.KindArray:
		for i, item := range f.Value.Items() {
			if !yield(Found{item, f.Pointer + "/" + strconv.Itoa(i)}) {
				break
			}
		}
	case canon.KindObject:
		for name, member := range f.Value.Fields() {
			if !yield(Found{member, f.Pointer + "/" + escape(name)}) {
				break
			}
		}
	default:
		return false
	}
	return true
}

// escape writes a name as a step of a JSON pointer.
func escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// Text returns the text that a JSON pointer leads to, and whether it is one; ""
// leads to the value itself.
func Text(v tv.Value, pointer string) (text string, ok bool) {
	got, there := v.Pointer(pointer)
	if !there || got.Kind() != canon.KindString {
		return "", false
	}
	return got.Text(), true
}

// Default makes the value of a text that a catalog declares.
func Default(text string) tv.Value { return canon.String(text) }
