// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"encoding/json"
	"strings"
	"time"
	"unicode"
)

// trail is what is known of a call so far; it grows from step to step and is
// what records are made of.
type trail struct {
	proposal Proposal
	started  time.Time
	call     *Call
	tool     *Tool
	decision Decision
	digest   string
	key      string
	approval string
	shown    json.RawMessage // redacted arguments
	mac      string
	recorded bool // the verdict is already in the log
}

// record starts a record of this call.
func (g *Gate) record(t *trail, kind RecordKind, at time.Time) Record {
	p, d := &t.proposal, &t.decision
	r := Record{
		Kind: kind, At: at, CallerID: g.quote(p.ID), Trace: g.quote(p.Trace),
		Session: p.Session, Run: p.Run.ID, ReadOnlyRun: p.Run.ReadOnly,
		Subject: p.Subject.ID, User: p.Subject.User, Agent: p.Subject.Agent, Model: p.Model,
		Door: p.Door, Tool: g.quote(p.Tool), Arguments: t.shown, ArgumentsMAC: t.mac,
		Verdict: d.Verdict.String(), Code: d.Code, Rule: d.Rule, Rules: d.Rules,
		PolicyVersion: d.PolicyVersion, PolicyHash: d.PolicyHash,
		Approval: t.approval, Key: t.key,
	}
	if t.call != nil {
		r.CallID = t.call.ID
	}
	if t.tool != nil {
		r.ToolHash = t.tool.Hash()
	}
	return r
}

// maxQuoted bounds what a record keeps of text that the caller chose, in bytes.
const maxQuoted = 256

// quote makes hostile text fit for a record: short, on one line, printable.
func (g *Gate) quote(s string) string {
	if s == "" {
		return ""
	}
	if len(s) > maxQuoted {
		s = s[:maxQuoted]
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	return g.Redactor.Text(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, s))
}
