// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"bytes"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy"
)

// Shown hides the secrets of a call. An effect that was found in an argument of
// which anything is hidden shows its kind only: the secret may be any part of it.
func Shown(r tv.Redactor, t *tv.Tool, args tv.Value, effects []tv.Effect) policy.Shown {
	out := policy.Shown{Arguments: args}
	hidden, err := canon.Parse(r.Arguments(t, args, true), canon.Limits{MaxBytes: canon.HardMaxBytes, MaxDepth: canon.HardMaxDepth, AllowFoldedSiblings: true})
	if err != nil { // more was hidden than can be told apart
		hidden = canon.Object()
	}
	out.Arguments = hidden
	same := func(a, b tv.Value) bool { return bytes.Equal(canon.Append(nil, a), canon.Append(nil, b)) }
	whole := same(args, hidden)
	for _, e := range effects {
		was, known := args.Pointer(e.Source)
		is, _ := hidden.Pointer(e.Source)
		if !whole && (!known || !same(was, is)) {
			e = tv.Effect{Kind: e.Kind, Source: e.Source, Detail: "not shown: its argument holds a secret"}
		}
		out.Effects = append(out.Effects, clean(r, e))
	}
	return out
}

// clean hides credentials in the texts of an effect.
func clean(r tv.Redactor, e tv.Effect) tv.Effect {
	for _, s := range []*string{&e.Path, &e.Pattern, &e.Program, &e.Verb, &e.Host, &e.Recipient, &e.Detail} {
		*s = r.Text(*s)
	}
	argv := make([]string, len(e.Argv))
	for i, word := range e.Argv {
		argv[i] = r.Text(word)
	}
	if e.Argv != nil {
		e.Argv = argv
	}
	return e
}
