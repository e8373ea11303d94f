// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/toolverdict/toolverdict/internal/plain"
)

// trail is what is known of a call so far; it grows from step to step and is
// what records are made of.
type trail struct {
	act
	proposal Proposal
	started  time.Time
	call     *Call
	tool     *Tool
	decision Decision
	approval string
	recorded bool      // the verdict is already in the log
	edited   *Approval // asks about this call as an approver changed it; nil where nobody did
	analysis Analysis
	shown    shown
	back     hindsight
}

// act is what the call is to those who tell calls apart.
type act struct {
	digest string // of the exact call
	key    string // of its entry in the ledger
}

// shown is what records may hold of the arguments.
type shown struct {
	arguments json.RawMessage // redacted
	mac       string
	effects   []Effect
	left      int // effects that are not among them
}

// record starts a record of this call.
func (g *Gate) record(t *trail, kind RecordKind, at time.Time) Record {
	p, d := &t.proposal, &t.decision
	r := Record{
		Kind: kind, At: at, CallerID: g.quote(p.ID), Trace: g.quote(p.Trace),
		Session: g.quote(p.Session), Run: g.quote(p.Run.ID), ReadOnlyRun: p.Run.ReadOnly,
		Subject: p.Subject.ID, User: p.Subject.User, Agent: p.Subject.Agent, Model: g.quote(p.Model),
		Door: p.Door, Tool: g.quote(p.Tool), Arguments: t.shown.arguments, ArgumentsMAC: t.shown.mac,
		Verdict: d.Verdict.String(), Code: d.Code, Rule: d.Rule, Rules: d.Rules, Observed: d.Observed,
		PolicyVersion: d.PolicyVersion, PolicyHash: d.PolicyHash,
		Approval: t.approval, Key: t.key, Effects: t.shown.effects, EffectsLeft: t.shown.left,
	}
	if t.call != nil {
		r.CallID = t.call.ID
	}
	if t.tool != nil {
		r.ToolHash = t.tool.Hash()
	}
	return r
}

// Bytes kept of a caller's text, quoted of a tool's error, looked through for secrets.
const maxQuoted, maxMessage, maxScanned = 256, 2000, 8 << 10

// quote makes hostile text fit for a record: no secrets, short, printable.
func (g *Gate) quote(s string) string { return quote(g.Redactor.Text, s) }

func quote(text func(string) string, s string) string { return printable(hide(text, s, maxQuoted)) }

func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, s)
}

// hide takes secrets out and then cuts: the other way round would leave a part of
// one. Nothing is shown near the end of what was looked through.
func hide(text func(string) string, s string, most int) string {
	scanned := s[:min(len(s), maxScanned)]
	out := text(strings.ToValidUTF8(scanned, "\uFFFD"))
	if len(scanned) < len(s) && len(out) < maxScanned/2 {
		return fmt.Sprintf("[%d bytes]", len(s))
	}
	return plain.Cut(out, most)
}
