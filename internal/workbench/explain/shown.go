// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy"
)

// Shown hides the secrets of a call, in its arguments and in what was found in
// them.
func Shown(r tv.Redactor, t *tv.Tool, args tv.Value, effects []tv.Effect) policy.Shown {
	hidden, err := canon.Parse(r.Arguments(t, args, tv.WholeView), canon.Limits{MaxBytes: canon.HardMaxBytes, MaxDepth: canon.HardMaxDepth, AllowFoldedSiblings: true})
	if err != nil { // more was hidden than can be told apart
		hidden = canon.Object()
	}
	return policy.Shown{Arguments: hidden, Effects: tv.Present(r, t, args, effects, tv.WholeView)}
}
