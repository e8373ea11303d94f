// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package remote has a gate asked over HTTP before a program runs its own tools.
// A gate that cannot be reached, or whose answer is none, gives no leave.
package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

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

// patience is how long the gate is given to answer, besides the time for which a
// call is held open.
const patience = 10 * time.Second

// Claim implements [guard.Source]. When ctx ends first, the answer is awaited all
// the same, and leave that it gives is given back: a claim whose answer nobody
// reads would keep the call from being made again.
func (g Gate) Claim(ctx context.Context, c guard.Call) (guard.Leave, tv.Result, error) {
	if g.Client == nil {
		return nil, unavailable(), errors.New("claim call: there is no gate to ask")
	}
	if err := ctx.Err(); err != nil {
		return nil, unavailable(), fmt.Errorf("claim call: %w", err)
	}
	type answer struct {
		verdict client.Verdict
		err     error
	}
	answers := make(chan answer)
	go func() {
		v, err := g.ask(context.WithoutCancel(ctx), c)
		select {
		case answers <- answer{v, err}: // somebody is there to take it
		case <-ctx.Done():
			if v.Claim != nil {
				giveBack(context.WithoutCancel(ctx), leave{g.Client, v})
			}
		}
	}()
	select {
	case a := <-answers:
		switch {
		case a.err != nil:
			return nil, unavailable(), a.err
		case a.verdict.Claim == nil:
			return nil, a.verdict.Result, nil
		}
		return leave{g.Client, a.verdict}, a.verdict.Result, nil
	case <-ctx.Done():
		return nil, unavailable(), fmt.Errorf("claim call: %w", ctx.Err())
	}
}

func (g Gate) ask(ctx context.Context, c guard.Call) (client.Verdict, error) {
	ctx, cancel := context.WithTimeout(ctx, max(c.Wait, 0)+patience)
	defer cancel()
	return g.Client.Claim(ctx, client.Call{
		ID: c.ID, Tool: c.Tool, Arguments: c.Arguments, Confirmation: c.Confirmation, IdempotencyKey: c.Key, Session: c.Session, Wait: c.Wait,
		Model: g.Model, Run: g.Run,
	})
}

// giveBack tells that nothing was run.
func giveBack(ctx context.Context, l leave) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	// Where this is lost, the gate ends the claim at its deadline.
	_, _ = l.Report(ctx, tv.Outcome{Status: tv.NotSent, Code: tv.ToolTimeout, Message: "The caller went away before the tool was run."})
}

// Visible implements [guard.Lister].
func (g Gate) Visible(ctx context.Context) ([]string, error) {
	if g.Client == nil {
		return nil, errors.New("list tools: there is no gate to ask")
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
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

// Report implements [guard.Leave]. The gate keeps no paused call that it did not
// run itself: to it this one failed, and the next is a call of its own, which a
// person is asked about anew. The tool goes on all the same: its answer is that of
// a paused call, with nothing to carry it on by.
func (l leave) Report(ctx context.Context, o tv.Outcome) (tv.Result, error) {
	out := client.Outcome{
		Claim: l.verdict.Claim.ID, Token: l.verdict.Claim.Token, Status: word(o.Status), Result: o.Content, Message: o.Message,
	}
	if o.Status != tv.Succeeded {
		out.Code = o.Code
	}
	if o.Status == tv.Paused {
		out.Message = "The tool wants more input, and will be called again."
	}
	res, err := l.tell(ctx, out)
	if o.Status == tv.Paused && err == nil && !res.Success && res.Error != nil && res.Error.Code == tv.ToolError && len(res.Content) > 0 {
		res.Success, res.Paused, res.Error = true, true, nil
	}
	return res, err
}

// maxResult is how large a result may be that a gate is told, in bytes.
const maxResult = 16 << 20

// tell tells an outcome. A result that is too large for the gate, or for a proxy
// before it, is left out: that the tool was run must be known all the same.
func (l leave) tell(ctx context.Context, o client.Outcome) (tv.Result, error) {
	if len(o.Result) <= maxResult {
		res, err := l.client.Tell(ctx, o)
		if p, ok := errors.AsType[*client.Problem](err); !ok || p.Status != http.StatusRequestEntityTooLarge {
			return res, err
		}
	}
	o.Result = nil
	res, err := l.client.Tell(ctx, o)
	if err != nil || !res.Success {
		return res, err
	}
	res.Success, res.Error = false, &tv.Refusal{Code: tv.ToolError, Message: "The call was run, and its answer is too large to be shown.", RecommendedAction: "Do not repeat the call. Ask for less."}
	return res, nil
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
