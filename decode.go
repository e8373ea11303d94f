// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import "context"

type decoded struct{ *trail }

// recall fills in the stored call of a proposal that names only a confirmation.
func (g *Gate) recall(ctx context.Context, t *trail) error {
	p := &t.proposal
	if p.Confirmation == "" || p.Tool != "" {
		return nil
	}
	named, err := g.ownApproval(ctx, t)
	if err != nil {
		return err
	}
	a, err := g.follow(ctx, named)
	if err != nil {
		return err
	}
	if len(a.Editors) > 0 {
		p.Confirmation, t.edited = a.ID, &a
	}
	p.Tool, p.Arguments = a.Call.Tool, a.Call.Arguments
	if p.Session == "" {
		p.Session = a.Call.Session
	}
	// An approval that has ended keeps no arguments: say how it ended instead of
	// reading what is not there.
	return g.usable(ctx, &a)
}

// decode reads the arguments strictly and makes the one shape of a call.
func (g *Gate) decode(t *trail) (decoded, error) {
	p := &t.proposal
	args, refused := RefuseBytes(p.Arguments, g.Limits)
	if refused != nil {
		return decoded{}, refused
	}
	t.call = &Call{
		ID: g.NewID(), CallerID: p.ID, Door: p.Door, Tool: p.Tool, Arguments: args, Bytes: args.Raw(),
		Subject: p.Subject, Model: p.Model, Run: p.Run, Session: p.Session,
		Environment: p.Environment, Trace: p.Trace, At: t.started,
	}
	t.decision.ID = t.call.ID
	return decoded{t}, nil
}
