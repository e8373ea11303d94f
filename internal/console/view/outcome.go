// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package view

import (
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/console/words"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Outcome is an entry of the ledger of which nobody knows what came of it.
type Outcome struct {
	At            string // the key, as a part of an address
	Key           string
	Epoch         int64
	Tool, Subject string
	Call          string
	Approval      string
	Since         time.Time
	Asks          string // the tool that could tell what came of it, "" for none
}

// NewOutcome makes one of an entry; at names it in addresses.
func NewOutcome(c *tv.Claim, at string) Outcome {
	asks := ""
	if c.Reconcile != nil {
		asks = plain.Reveal(c.Reconcile.Tool)
	}
	return Outcome{
		At: at, Asks: asks, Key: plain.Reveal(c.Key), Epoch: c.Epoch, Tool: plain.Reveal(c.Tool), Subject: plain.Reveal(c.Subject),
		Call: plain.Reveal(c.CallID), Approval: c.Approval, Since: c.Updated,
	}
}

// Asked is what a tool answered that did not tell what came of a call.
type Asked struct{ Doubt, Detail, Answer string }

// shownAnswer bounds what is shown of an answer, in bytes: it is no report.
const shownAnswer = 2000

// NewAsked makes one of it.
func NewAsked(doubt, detail string, answer []byte) *Asked {
	return &Asked{doubt, plain.Reveal(detail), plain.Cut(plain.Reveal(string(answer)), shownAnswer)}
}

// Past is a call as the log has it, redacted when it was written.
type Past struct {
	At        time.Time
	People    People
	Effects   []Effect
	More      int // effects that are not listed
	Arguments []Argument
}

// NewPast makes one of the record of a decision. The tool is nil where it is not
// in the catalog now.
func NewPast(l *words.Language, r *tv.Record, tool *tv.Tool) *Past {
	return &Past{
		At: r.At, People: People{plain.Reveal(r.User), plain.Reveal(r.Agent), plain.Reveal(r.Session), plain.Reveal(r.Run)},
		Effects: Effects(l, r.Effects), More: r.EffectsLeft, Arguments: arguments(r.Arguments, tool),
	}
}
