// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/toolverdict/toolverdict/internal/rollout"
)

const followEvery = time.Second // what another process decided is taken up

// Run fetches the bundle and follows other processes until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	var all sync.WaitGroup
	if k.Source != nil {
		all.Go(func() { every(ctx, k.pause, func() { _ = k.Pull(ctx) }) }) // it says itself what is wrong
	}
	all.Go(func() { every(ctx, func() time.Duration { return followEvery }, func() { k.Follow(ctx) }) })
	all.Wait()
}

func every(ctx context.Context, pause func() time.Duration, do func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause()):
			do()
		}
	}
}

// pause is an interval that differs from time to time, so that gates which
// start together do not all ask at once.
func (k *Keeper) pause() time.Duration {
	i := k.Source.Interval()
	return i - i/10 + rand.N(i/5+1) //nolint:gosec // nothing depends on it being hard to guess
}

// Look compares the files with those that were read last, and reads them where
// they changed. It wants to see the same files twice, because one that is being
// written may well be a policy without its last rules.
func (k *Keeper) Look(ctx context.Context) (again bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := Digest(k.Paths)
	switch {
	case now == k.seen:
		k.next = ""
		return false
	case now != k.next:
		k.next = now
		return true
	}
	return k.reload(ctx) != nil // they may have changed again meanwhile
}

// Pull asks for the newest bundle and puts it in force. On any error what was in
// force stays.
func (k *Keeper) Pull(ctx context.Context) error {
	if k.Source == nil {
		return nil
	}
	k.mu.Lock()
	known, tag := k.bundle, k.tag
	k.mu.Unlock()
	got, err := k.Source.Fetch(ctx, known, tag) // may take long: no call waits for it, and no other change
	k.mu.Lock()
	defer k.mu.Unlock()
	if err == nil {
		k.checked = k.Now()
		switch wrong := k.standing.Refused != nil && k.standing.Refused.Origin == k.Source.Origin(); {
		case got.Signed != nil:
			err = k.adopt(ctx, k.own, got.Signed, got.Tag)
		case wrong: // and right again
			err = k.adopt(ctx, k.own, k.bundle, got.Tag)
		default:
			k.tag = got.Tag
		}
	}
	if err != nil {
		k.refuse(ctx, k.Source.Origin(), err)
	}
	return err
}

// Follow takes up what another process decided: that somebody went back to a
// version, or on to what the sources say.
func (k *Keeper) Follow(ctx context.Context) {
	k.mu.Lock()
	standing, revision, err := rollout.ReadStanding(ctx, k.Journal, k.Place)
	news := err == nil && revision != k.revision
	moved := news && standing.Source.Hash != k.standing.Source.Hash
	k.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil {
			k.Log.Error("which policy is meant to be in force could not be read; trying again", "error", err)
		}
		return
	}
	if !news {
		return
	}
	if moved {
		_ = k.Pull(ctx) // the other one may have a newer bundle
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.standing, k.revision, err = rollout.ReadStanding(ctx, k.Journal, k.Place); err != nil {
		return // the next time it differs again
	}
	hold := ""
	if k.standing.Hold != nil {
		hold = k.standing.Hold.Hash
	}
	switch {
	case hold == k.held:
	case hold == "":
		k.released(ctx)
	default:
		if err := k.keepHold(ctx, k.own, k.bundle, rollout.Change{}); err != nil {
			k.refuse(ctx, "rollback", err)
		}
	}
}

// released goes on to what the sources say. Where the files are wrong by now, it
// is what they said last, and the status goes on to say that they are.
func (k *Keeper) released(ctx context.Context) {
	own, wrong := k.read()
	if wrong == nil {
		wrong = k.adopt(ctx, own, k.bundle, k.tag)
	}
	if wrong == nil {
		return
	}
	if err := k.adopt(ctx, k.own, k.bundle, k.tag); err != nil {
		k.refuse(ctx, "end of rollback", err)
		return
	}
	k.told = "" // it is news again: what was written of it is gone
	k.refuse(ctx, originFiles, wrong)
}
