// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// state is what a client carries from one leg of a call to the next. It travels
// sealed, bound to subject, tool and arguments; that it is used once is the
// ledger's work, which the ids in it lead to.
type state struct {
	Approval  string          `json:"a,omitempty"` // the approval that the call waits on
	Continues string          `json:"c,omitempty"` // the paused call that goes on
	Upstream  *string         `json:"u,omitempty"` // the upstream's own state
	Inputs    json.RawMessage `json:"i,omitempty"` // the client's answers to the upstream, kept while the gate asks
	Asked     bool            `json:"q,omitempty"` // this leg answers a question of the gate's
	Form      bool            `json:"f,omitempty"` // that question was a form: its answer may count
	Round     int             `json:"r,omitempty"` // how often the gate asked for the same approval
	Expires   int64           `json:"x"`           // Unix seconds

	forged bool
}

// stateLife is how long an upstream's question may wait for its answer.
const stateLife = time.Hour

func (e *Engine) sealState(c Caller, want call, s state) string {
	b, err := json.Marshal(s)
	if err != nil {
		return "" // opens as invalid
	}
	return e.State.Seal(b, e.owner(c, want)...)
}

// openState returns what a client brought along. What is not the gate's, or not
// for this very call, is marked as forged, so that the gate refuses it.
func (e *Engine) openState(c Caller, want call, sealed mcpwire.Node) *state {
	var s state
	b, err := e.State.Open(sealed.Text(), e.owner(c, want)...)
	if err != nil || json.Unmarshal(b, &s) != nil || e.Now().Unix() >= s.Expires {
		return &state{forged: true}
	}
	return &s
}

// owner is what a state is bound to.
func (e *Engine) owner(c Caller, want call) []string {
	digest := ""
	if v, err := canon.ParseArguments(want.arguments, canon.Limits{}); err == nil {
		sum := sha256.Sum256(canon.Append(nil, v))
		digest = hex.EncodeToString(sum[:])
	}
	return []string{e.server, want.tool, c.Subject.ID, c.Subject.User, c.Subject.Agent, digest}
}

// noConfirmation is an approval id that no approval has: naming it has the gate
// refuse the call, on record.
const noConfirmation = "invalid-state"

// apply puts the state into a proposal.
func (s *state) apply(p *toolverdict.Proposal) {
	switch {
	case s.forged:
		p.Confirmation, p.Via, p.Wait = noConfirmation, refuser{}, 0
		return
	case s.Approval != "":
		p.Confirmation = s.Approval
	}
	p.Continues = s.Continues
}

// unwrap returns the message as the upstream expects it.
func (s *state) unwrap(m *mcpwire.Message) (*mcpwire.Message, error) {
	if s == nil {
		return m, nil
	}
	m, err := m.Edited(s.restored(m.Params()))
	if err != nil || !s.Asked {
		return m, err
	}
	if s.Inputs != nil {
		return m.Edited(mcpwire.SetMember(m.Params(), "inputResponses", s.Inputs))
	}
	if edit, ok := mcpwire.RemoveMember(m.Params(), "inputResponses"); ok {
		return m.Edited(edit)
	}
	return m, nil
}

func (s *state) restored(params mcpwire.Node) canon.Edit {
	if s.Upstream != nil {
		return mcpwire.SetMember(params, "requestState", canon.Quote(*s.Upstream))
	}
	edit, _ := mcpwire.RemoveMember(params, "requestState")
	return edit
}

// refuser is the executor of calls that must not run whatever is decided.
type refuser struct{}

// Execute implements [toolverdict.Executor].
func (refuser) Execute(context.Context, toolverdict.Permit) toolverdict.Outcome {
	return toolverdict.Outcome{Status: toolverdict.NotSent, Code: toolverdict.ToolError, Message: "The call was not sent."}
}
