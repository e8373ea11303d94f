// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/toolverdict/toolverdict/internal/plain"
	"github.com/toolverdict/toolverdict/internal/rollout"
)

// Load reads what Rollback, Resume and Status need beside a gate, or without one.
func (k *Keeper) Load(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.load(ctx); err != nil {
		return err
	}
	k.active = k.standing.Active()
	if k.standing.Hold != nil {
		k.held = k.standing.Hold.Hash
	}
	return nil
}

// Versions are the policies that can be gone back to, the newest first.
func (k *Keeper) Versions(ctx context.Context) ([]rollout.Point, error) {
	return k.Journal.PolicyVersions(ctx)
}

// Rollback goes back to a kept policy, by its label or the start of its hash. It
// stays in force, over restarts too, until the sources say something new or a
// person ends it. Going back to what the sources say is going on.
func (k *Keeper) Rollback(ctx context.Context, by, name, reason string) (rollout.Point, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.active.Hash == "" {
		return rollout.Point{}, rollout.ErrStranger
	}
	kept, err := k.Journal.PolicyVersions(ctx)
	if err != nil {
		return rollout.Point{}, err
	}
	p, err := rollout.Find(kept, name)
	if err != nil {
		return rollout.Point{}, err
	}
	if p.Hash == k.active.Hash {
		return rollout.Point{}, fmt.Errorf("roll back to %s: %w", p.Version, rollout.ErrInForce)
	}
	if p.Hash == k.standing.Source.Hash {
		return k.resume(ctx, by)
	}
	set, v, err := k.heldSet(ctx, p.Hash)
	if err != nil {
		return rollout.Point{}, fmt.Errorf("roll back to %s: %w: %w", p.Version, rollout.ErrUnusable, err)
	}
	c, err := k.Gate.Build(ctx, set)
	if err != nil {
		return rollout.Point{}, fmt.Errorf("roll back to %s: %w: %w", p.Version, rollout.ErrUnusable, err)
	}
	if _, hash := c.Identity(); hash != p.Hash {
		return rollout.Point{}, fmt.Errorf("roll back to %s: %w: this program reads it differently", p.Version, rollout.ErrUnusable)
	}
	v.At = k.Now()
	hold := rollout.Hold{Point: v.Point, By: by, Reason: k.words(reason)}
	change := rollout.Change{Version: v, Record: k.record(by, "policy rolled back, from "+k.active.Version+" "+k.active.Hash)}
	if hold.Reason != "" {
		change.Record.Detail += ": " + hold.Reason
	}
	err = k.retry(ctx, func() error {
		next := k.standing.Held(hold)
		return k.write(ctx, change, &next, hold.Point)
	})
	if err != nil {
		return rollout.Point{}, err
	}
	k.enforce(c, force{set, hold.Point, hold.Hash}, k.bundle)
	return hold.Point, nil
}

// Resume goes on to what the sources say.
func (k *Keeper) Resume(ctx context.Context, by string) (rollout.Point, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.resume(ctx, by)
}

func (k *Keeper) resume(ctx context.Context, by string) (rollout.Point, error) {
	if k.active.Hash == "" {
		return rollout.Point{}, rollout.ErrStranger
	}
	if k.standing.Hold == nil {
		return rollout.Point{}, rollout.ErrNoRollback
	}
	if k.Beside {
		err := k.retry(ctx, func() error {
			next := k.standing.Released()
			next.Source.At = k.Now() // it is in force from now on, and was not until now
			return k.write(ctx, rollout.Change{Record: k.record(by, "rollback ended")}, &next, next.Source)
		})
		if err == nil {
			k.active, k.held = k.standing.Source, ""
		}
		return k.standing.Source, err
	}
	set := k.own.with(k.bundle)
	c, err := k.Gate.Build(ctx, set)
	if err != nil {
		return rollout.Point{}, fmt.Errorf("resume: %w: %w", rollout.ErrUnusable, err)
	}
	version, hash := c.Identity()
	p := rollout.Point{Hash: hash, Version: version, Origin: k.origin(k.own, k.bundle), At: k.Now()}
	v := &rollout.Version{Point: p, Files: k.own.kept()}
	if k.bundle != nil {
		v.Bundle = k.bundle.Envelope
	}
	err = k.retry(ctx, func() error {
		next := k.standing.Released()
		next.Source = p
		return k.write(ctx, rollout.Change{Version: v, Record: k.record(by, "rollback ended; policy put in force from "+p.Origin)}, &next, p)
	})
	if err != nil {
		return rollout.Point{}, err
	}
	k.enforce(c, force{set, p, ""}, k.bundle)
	return p, nil
}

// retry makes a change again where another process made one first.
func (k *Keeper) retry(ctx context.Context, do func() error) error {
	var err error
	for range maxTries {
		if err = do(); !isConflict(err) {
			return err
		}
		if k.standing, k.revision, err = rollout.ReadStanding(ctx, k.Journal, k.Place); err != nil {
			return err
		}
	}
	return err
}

const maxWords = 500

// words makes what a person wrote fit for records.
func (k *Keeper) words(s string) string {
	s = plain.Line(k.Text(s))
	for len(s) > maxWords || !utf8.ValidString(s) {
		s = s[:min(maxWords, len(s)-1)]
	}
	return s
}

// Refusals counts the updates that were refused since the start, a reason that
// comes up again included.
func (k *Keeper) Refusals() uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.refused
}

// Status is what there is to know.
func (k *Keeper) Status(context.Context) (rollout.Status, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := rollout.Status{Active: k.active, Source: k.standing.Source, Refused: k.standing.Refused}
	if h := k.standing.Hold; h != nil && h.Hash == k.held {
		s.Hold = h
	}
	if k.Source == nil {
		return s, nil
	}
	s.Bundle = k.Source.Status(k.bundle, k.checked)
	return s, nil
}
