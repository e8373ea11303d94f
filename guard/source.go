// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package guard

import (
	"context"
	"errors"
	"time"

	tv "github.com/toolverdict/toolverdict"
)

// Call is one call as a model asked for it. ID, Tool and Arguments are hostile;
// the rest comes from the host.
type Call struct {
	ID        string // the framework's id of the call: recorded, never trusted to be unique
	Tool      string // as the framework knows it: see [Guard]
	Arguments []byte // the bytes the model produced; none means that there are none

	Confirmation string        // of an approval that this call was paused for, or ""
	Continues    string        // what [Refused.Resume] of a paused call holds, when this call goes on with it. The host must keep it from being made up
	Key          string        // the host's idempotency key: calls with one key are one call
	Session      string        // filled in by the guard
	Wait         time.Duration // so is this
}

// Terms are what leave was given for.
type Terms struct {
	Verdict   string // nothing but "allow" is leave
	Tool      string // full name
	Arguments []byte // what may run. They must not be changed
	Edited    bool   // an approver changed what was asked for
	Digest    string // of the exact call
	CallID    string // the gate's own
	Key       string // for tools that take an idempotency key, or ""
	Deadline  time.Time
}

// Leave is leave to run one call, once, and to tell what came of it.
type Leave interface {
	Terms() Terms
	// Report tells the outcome. It must go on when ctx has ended. The result holds
	// what the model may be told of the answer.
	Report(ctx context.Context, o tv.Outcome) (tv.Result, error)
}

// Source is where leave comes from.
type Source interface {
	// Claim asks for leave. Where there is none, leave is nil and the result says
	// why, or holds the answer of a call that was run before. The error is for the
	// host's log.
	Claim(ctx context.Context, c Call) (Leave, tv.Result, error)
}

// Lister is a source that knows which tools the caller may see, by full name.
type Lister interface {
	Visible(ctx context.Context) ([]string, error)
}

// Gate is what [Local] needs of a *toolverdict.Gate.
type Gate interface {
	Check(ctx context.Context, p tv.Proposal) (tv.Permit, tv.Result, error)
	Report(ctx context.Context, p tv.Permit, o tv.Outcome) (tv.Result, error)
	Visible(ctx context.Context, s tv.Subject, r tv.Run) ([]*tv.Tool, error)
}

// Local asks a gate in this program. It may be copied and changed for each
// caller.
type Local struct {
	Gate        Gate
	Subject     tv.Subject // who calls, as the host authenticated it
	Run         tv.Run
	Model       string
	Environment map[string]string // facts that rules read as env.*
	Door        tv.Door           // "" is [tv.DoorLibrary]
}

var (
	_ Source = Local{}
	_ Lister = Local{}
)

// toolTime is how long a tool may take that sets no time of its own.
const toolTime = time.Minute

// Claim implements [Source].
func (l Local) Claim(ctx context.Context, c Call) (Leave, tv.Result, error) {
	if l.Gate == nil {
		return nil, unavailable(), errors.New("claim call: there is no gate to ask")
	}
	p := tv.Proposal{
		Door: l.Door, ID: c.ID, Tool: c.Tool, Arguments: c.Arguments, Subject: l.Subject, Model: l.Model, Run: l.Run, Session: c.Session,
		Environment: l.Environment, Confirmation: c.Confirmation, Continues: c.Continues, IdempotencyKey: c.Key, Wait: c.Wait,
	}
	if p.Door == "" {
		p.Door = tv.DoorLibrary
	}
	permit, res, err := l.Gate.Check(ctx, p)
	if !permit.Valid() {
		return nil, res, err
	}
	return localLeave{l.Gate, permit, res}, res, err
}

// Visible implements [Lister].
func (l Local) Visible(ctx context.Context) ([]string, error) {
	if l.Gate == nil {
		return nil, errors.New("list tools: there is no gate to ask")
	}
	tools, err := l.Gate.Visible(ctx, l.Subject, l.Run)
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name()
	}
	return names, err
}

type localLeave struct {
	gate   Gate
	permit tv.Permit
	res    tv.Result
}

// Terms implements [Leave].
func (l localLeave) Terms() Terms {
	return Terms{
		Verdict: l.res.Decision.Verdict.String(), Tool: l.permit.Tool().Name(), Arguments: l.permit.Arguments(), Edited: l.res.Edited != nil,
		Digest: l.permit.Digest(), CallID: l.permit.CallID(), Key: l.permit.IdempotencyKey(),
		Deadline: now().Add(l.permit.Tool().Timeout(toolTime)),
	}
}

// Report implements [Leave].
func (l localLeave) Report(ctx context.Context, o tv.Outcome) (tv.Result, error) {
	return l.gate.Report(ctx, l.permit, o)
}

// now is the machine's clock, of which the deadline of a context is.
func now() time.Time { return time.Now() } //nolint:forbidigo // functions of this machine run by no other clock
