// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package remote has a gate asked over HTTP before a program runs its own tools.
// A gate that cannot be reached, or whose answer is none, gives no leave.
package remote

import (
	"context"
	"errors"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/guard"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

// Gate asks as the owner of the client's key: who calls, the gate knows.
type Gate struct {
	Client *client.Client
	Model  string
	Run    string // the id of a run that was started at the gate, or ""
}

var (
	_ guard.Source = Gate{}
	_ guard.Lister = Gate{}
)

// Claim implements [guard.Source].
func (g Gate) Claim(ctx context.Context, c guard.Call) (guard.Leave, tv.Result, error) {
	if g.Client == nil {
		return nil, unavailable(), errors.New("claim call: there is no gate to ask")
	}
	v, err := g.Client.Claim(ctx, client.Call{
		ID: c.ID, Tool: c.Tool, Arguments: c.Arguments, Confirmation: c.Confirmation, IdempotencyKey: c.Key, Session: c.Session, Wait: c.Wait,
		Model: g.Model, Run: g.Run,
	})
	if err != nil {
		return nil, unavailable(), err
	}
	if v.Claim == nil {
		return nil, v.Result, nil
	}
	return leave{g.Client, v}, v.Result, nil
}

// Visible implements [guard.Lister].
func (g Gate) Visible(ctx context.Context) ([]string, error) {
	if g.Client == nil {
		return nil, errors.New("list tools: there is no gate to ask")
	}
	tools, err := g.Client.Tools(ctx, false)
	names := make([]string, len(tools))
	for i := range tools {
		names[i] = tools[i].Name
	}
	return names, err
}

func unavailable() tv.Result {
	trait := tv.GateUnavailable.Trait()
	return tv.Result{
		Error: &tv.Refusal{
			Code: tv.GateUnavailable, Message: "The gate could not be asked about this call, so it was not run.",
			Retryable: trait.Retryable, RecommendedAction: trait.Advice,
		},
		StateChanged: tv.Unchanged, SecurityBlocked: trait.SecurityBlocked, Decision: tv.Decision{Code: tv.GateUnavailable},
	}
}

type leave struct {
	client  *client.Client
	verdict client.Verdict
}

// Terms implements [guard.Leave].
func (l leave) Terms() guard.Terms {
	v := &l.verdict
	return guard.Terms{
		Verdict: v.Verdict.String(), Tool: v.Tool, Arguments: v.Claim.Arguments, Edited: v.Edited != nil, Digest: v.Digest,
		CallID: v.CallID, Key: v.Claim.Key, Deadline: v.Claim.Deadline,
	}
}

// Report implements [guard.Leave].
func (l leave) Report(ctx context.Context, o tv.Outcome) (tv.Result, error) {
	out := client.Outcome{
		Claim: l.verdict.Claim.ID, Token: l.verdict.Claim.Token, Status: word(o.Status), Result: o.Content, Message: o.Message,
	}
	if o.Status != tv.Succeeded {
		out.Code = o.Code
	}
	return l.client.Tell(ctx, out)
}

// word is the status as a request has it. What is no status reads as unknown.
func word(s tv.OutcomeStatus) string {
	switch s {
	case tv.Succeeded, tv.Failed, tv.NotSent:
		return string(s)
	case tv.Paused: // a claim over HTTP cannot be carried on: the call is made anew
		return string(tv.Failed)
	default:
		return "unknown"
	}
}
