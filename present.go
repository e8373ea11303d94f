// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"bytes"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// maxShownEffects bounds how many effects a record or a card holds.
const maxShownEffects = 64

// presentable is what records and cards may hold of effects, and how many more
// there are.
func (g *Gate) presentable(t *trail, v View) (shown []Effect, left int) {
	effects := t.analysis.Effects
	left = max(len(effects)-maxShownEffects, 0)
	return Present(g.Redactor, t.tool, t.call.Arguments, effects[:len(effects)-left], v), left
}

// notShown stands for a text of an effect that may be, or hold, a secret.
const notShown = "[not shown]"

// Present returns effects as they may be shown: no secrets, nothing of sensitive
// arguments, nothing that a terminal would act on. Where something is hidden in
// the argument that an effect was found in, it shows nothing that is not shown of
// the argument: what looks like a secret in a whole command (the word behind
// --password) looks like any other word by itself.
func Present(r Redactor, t *Tool, arguments Value, effects []Effect, v View) []Effect {
	if len(effects) == 0 {
		return []Effect{}
	}
	text := r.Text
	if v != RecordView {
		text = r.Shown
	}
	plainly := func(s string) string { return quote(text, strings.ReplaceAll(s, "\x00", "…")) } // what is not known before it runs
	seen := whatIsShown(r, t, arguments)
	out := make([]Effect, len(effects))
	for i, e := range effects {
		if slices.ContainsFunc(t.def.Sensitive, func(p string) bool { return overlaps(p, e.Source) }) {
			out[i] = Effect{Kind: e.Kind, Source: plainly(e.Source), Detail: "of an argument that is not shown"}
			continue
		}
		left, whole := leftOf(arguments, seen, e.Source)
		if whole {
			out[i] = e.MapText(plainly)
			continue
		}
		source := e.Source
		e.Source, e.Detail = "", ""
		out[i] = e.MapText(func(s string) string {
			if strings.Contains(left, strings.ToLower(s)) {
				return plainly(s)
			}
			return notShown
		})
		out[i].Source, out[i].Detail = plainly(source), "its argument holds a secret"
	}
	return out
}

// whatIsShown is what is left of arguments when secrets are hidden. Where more is
// hidden than can be told apart, it is nothing.
func whatIsShown(r Redactor, t *Tool, arguments Value) Value {
	hidden := r.Arguments(t, arguments, WholeView)
	if bytes.Equal(hidden, arguments.Raw()) {
		return arguments
	}
	seen, err := canon.Parse(hidden, canon.Limits{MaxBytes: canon.HardMaxBytes, MaxDepth: canon.HardMaxDepth, AllowFoldedSiblings: true})
	if err != nil {
		return canon.Object()
	}
	return seen
}

// leftOf is the text, in lower case, that is shown of the argument at a pointer,
// and whether that is all of it.
func leftOf(arguments, seen Value, pointer string) (text string, whole bool) {
	was, known := arguments.Pointer(pointer)
	is, found := seen.Pointer(pointer)
	if !known && !found { // it was found in an argument that is missing
		was, is = arguments, seen
	}
	if bytes.Equal(canon.Append(nil, was), canon.Append(nil, is)) {
		return "", true
	}
	return strings.ToLower(is.Text()), false
}
