// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// Config holds the parts a gate is made of. All ports but Grants are required.
type Config struct {
	Snapshots     Snapshots
	Choices       Choices
	Analyser      Analyser
	Confirmations Confirmations
	Store         Store
	Executor      Executor
	Redactor      Redactor
	Now           func() time.Time
	NewID         func() string // unguessable ids
	Node          string        // names this process in the ledger
	Limits        canon.Limits  // of the arguments; zero fields mean 1 MiB and depth 64
	Timeout       time.Duration // of a tool that sets none; 0 means 60 s

	// Grants answers asks in the name of people. Nil means that nobody does.
	Grants Grants

	// OpenAsks is how many questions of one run may wait for a person at a time.
	// 0 means 5; a negative one is no limit.
	OpenAsks int

	// Observe passes over what the policy says, and writes down what would have
	// been decided. False, which enforces, is what a gate is for.
	Observe bool
}

// Gate is the one choke point: every call of every front door goes through
// [Gate.Do], or through [Gate.Check] and [Gate.Report]. It is safe for
// concurrent use and keeps nothing that another process would need.
type Gate struct {
	Config
}

// New checks that no part is missing.
func New(c Config) (*Gate, error) {
	for name, missing := range map[string]bool{
		"Snapshots": c.Snapshots == nil, "Choices": c.Choices == nil, "Analyser": c.Analyser == nil, "Confirmations": c.Confirmations == nil,
		"Store": c.Store == nil, "Executor": c.Executor == nil, "Redactor": c.Redactor == nil,
		"Now": c.Now == nil, "NewID": c.NewID == nil, "Node": c.Node == "",
	} {
		if missing {
			return nil, fmt.Errorf("make gate: %s is missing: a gate without it could not fail closed", name)
		}
	}
	if c.Timeout <= 0 {
		c.Timeout = time.Minute
	}
	if c.OpenAsks == 0 {
		c.OpenAsks = defaultOpenAsks
	}
	return &Gate{Config: c}, nil
}

// Do decides a proposed call and, if it is cleared, runs it. The result says
// everything the caller needs. The error is for the host's log: it is set when
// a part of the gate was at fault, and the result is then a refusal too.
func (g *Gate) Do(ctx context.Context, p Proposal) (Result, error) {
	c, refused, err := g.attempt(ctx, p)
	if c == nil {
		return refused, err
	}
	return g.conclude(ctx, c, g.dispatch(ctx, p.Via, c))
}

// Check stops after the record of intent is durable, for hosts that run the
// tool themselves. The permit is valid only where the result is a success; the
// host must then run the call once and [Gate.Report] what came of it.
func (g *Gate) Check(ctx context.Context, p Proposal) (Permit, Result, error) {
	c, refused, err := g.attempt(ctx, p)
	if c == nil {
		return Permit{}, refused, err
	}
	return Permit{c}, Result{Success: true, CallID: c.call.ID, StateChanged: Unchanged, Decision: c.decision, Edited: c.changes()}, nil
}

// Report takes the outcome of a checked call, once.
func (g *Gate) Report(ctx context.Context, p Permit, o Outcome) (Result, error) {
	if !p.Valid() {
		return Result{}, errors.New("report outcome: the permit is not from this gate: use the one that Check returned")
	}
	return g.conclude(ctx, p.c, o)
}

// attempt clears a proposal or explains why not. Whatever goes wrong on the
// way, a panic included, is a refusal.
func (g *Gate) attempt(ctx context.Context, p Proposal) (c *cleared, refused Result, err error) {
	t := &trail{proposal: p, started: g.Now()}
	defer func() {
		if v := recover(); v != nil {
			c = nil
			refused, err = g.refuse(ctx, t, fmt.Errorf("decide call: panic: %v", v))
		}
	}()
	c, err = g.clear(ctx, t)
	if err != nil {
		refused, err = g.refuse(ctx, t, err)
		return nil, refused, err
	}
	return c, Result{}, nil
}

// maxRounds bounds how often one call is decided again because another call
// changed what it depends on.
const maxRounds = 8

// clear is the pipeline up to the durable record of intent. Every step takes
// what the one before it made, so that none can be left out or swapped. A call
// that waited for a human, or lost a race, starts over under the policy of now.
func (g *Gate) clear(ctx context.Context, t *trail) (*cleared, error) {
	if err := g.recall(ctx, t); err != nil {
		return nil, err
	}
	decoded, err := g.decode(t)
	if err != nil {
		return nil, err
	}
	until := t.started.Add(t.proposal.Wait)
	for range maxRounds {
		decided, err := g.judge(ctx, decoded)
		if err != nil {
			return nil, err
		}
		c, err := g.secure(ctx, decided, until)
		if !again(err) {
			return c, err
		}
	}
	return nil, errors.New("decide call: other calls kept changing what it depends on: try again later")
}

// judge decides a call under the policy and the catalog of now, and changes
// nothing.
func (g *Gate) judge(ctx context.Context, c decoded) (decided, error) {
	snap := g.Snapshots.Current()
	c.decision.PolicyVersion, c.decision.PolicyHash = snap.Policy.Identity()
	if err := snap.current(g.Now()); err != nil {
		return decided{}, err
	}
	resolved, err := resolve(snap, c)
	if err != nil {
		return decided{}, err
	}
	admitted, err := g.admit(ctx, resolved)
	if err != nil {
		return decided{}, err
	}
	valid, err := validate(admitted)
	if err != nil {
		return decided{}, err
	}
	analysed, err := g.analyse(ctx, valid)
	if err != nil {
		return decided{}, err
	}
	return g.decide(ctx, snap, analysed)
}

// secure takes a decided call through everything that another call, or a human,
// may change meanwhile.
func (g *Gate) secure(ctx context.Context, d decided, until time.Time) (*cleared, error) {
	claimed, err := g.claim(ctx, d)
	if err != nil {
		return nil, err
	}
	confirmed, err := g.confirm(ctx, claimed, until)
	if err != nil {
		return nil, err
	}
	return g.intend(ctx, confirmed)
}

// errAgain says that a human answered, or that another call is to be decided in
// this one's place.
var errAgain = errors.New("to be decided again")

// again reports whether the call must be decided anew.
func again(err error) bool {
	var conflict *ConflictError
	return errors.Is(err, errAgain) || errors.As(err, &conflict)
}
