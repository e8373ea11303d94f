// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policies

import (
	"context"
	"fmt"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/bundle"
	"github.com/toolverdict/toolverdict/internal/plain"
	"github.com/toolverdict/toolverdict/internal/rollout"
)

// maxTries bounds how often a change is made again because another process made
// one first.
const maxTries = 8

// adopt takes what the sources came to. Where that is what a person went back
// from, the older version stays; otherwise it is put in force.
func (k *Keeper) adopt(ctx context.Context, own Set, b *bundle.Signed, tag string) error {
	c, err := k.Gate.Build(ctx, own.with(b))
	if err != nil {
		return err
	}
	for range maxTries {
		if err = k.tryAdopt(ctx, c, own, b); !isConflict(err) {
			break
		}
		if k.standing, k.revision, err = rollout.ReadStanding(ctx, k.Journal, k.Place); err != nil {
			return err
		}
	}
	if err == nil {
		k.own, k.bundle, k.tag = own, b, tag
	}
	return err
}

func (k *Keeper) tryAdopt(ctx context.Context, c Candidate, own Set, b *bundle.Signed) error {
	version, hash := c.Identity()
	point := rollout.Point{Hash: hash, Version: version, Origin: k.origin(own, b), At: k.Now()}
	mark, err := k.mark(ctx, b)
	if err != nil {
		return err
	}
	change := rollout.Change{Notes: mark, Version: &rollout.Version{Point: point, Files: own.kept()}}
	if b != nil {
		change.Version.Bundle = b.Envelope
	}
	if k.standing.Hold != nil && k.standing.Source.Hash == hash {
		err := k.keepHold(ctx, own, b, change)
		if err == nil || isConflict(err) {
			return err
		}
		k.Log.Error("the policy that somebody went back to cannot be used; going on to what the sources say", "error", err)
	}
	next := k.standing.Sourced(point)
	if k.standing.Source.Hash == hash && k.standing.Hold == nil {
		next.Source.At = k.standing.Source.At
	}
	stays := k.active.Hash == hash && k.held == "" && k.standing.Source.Hash == hash && k.standing.Hold == nil
	if stays && len(mark) == 0 && k.standing.Refused == nil {
		k.enforce(c, force{own.with(b), k.active, ""}, b) // nothing is new but, perhaps, the catalog
		return nil
	}
	change.Record = k.record("", "policy put in force from "+point.Origin)
	if stays {
		point.At = k.active.At
		change.Record.Detail = "policy stays in force; it is now from " + point.Origin
	}
	if err := k.write(ctx, change, &next, point); err != nil {
		return err
	}
	k.enforce(c, force{own.with(b), point, ""}, b)
	k.told = ""
	return nil
}

// mark judges a bundle by the highest serial that any gate on this store
// accepted, and returns what raises it. It is written together with the rest, on
// the condition that nobody raised it meanwhile.
func (k *Keeper) mark(ctx context.Context, b *bundle.Signed) ([]rollout.NoteChange, error) {
	if b == nil {
		return nil, nil
	}
	m, revision, err := rollout.ReadMark(ctx, k.Journal, b.Name)
	if err != nil {
		return nil, err
	}
	if err := m.Judge(b.Serial, b.Digest); err != nil {
		if k.bundle != nil && k.bundle.Digest == b.Digest {
			return nil, nil // it was accepted here; another gate has a newer one, which comes here too
		}
		return nil, fmt.Errorf("judge bundle: %w", err)
	}
	if m.Serial == b.Serial {
		return nil, nil
	}
	n, err := rollout.WriteNote(rollout.MarkKey(b.Name), revision, rollout.Mark{Serial: b.Serial, Digest: b.Digest})
	return []rollout.NoteChange{n}, err
}

// keepHold puts the version in force that a person went back to. What the
// sources came to, the same as before, is kept as it came now: a bundle that was
// only signed anew lasts longer.
func (k *Keeper) keepHold(ctx context.Context, own Set, b *bundle.Signed, change rollout.Change) error {
	hold := k.standing.Hold
	before := k.own
	k.own = own // whose catalog counts
	set, _, err := k.heldSet(ctx, hold.Hash)
	k.own = before
	if err != nil {
		return err
	}
	c, err := k.Gate.Build(ctx, set)
	if err != nil {
		return err
	}
	if _, hash := c.Identity(); hash != hold.Hash {
		return fmt.Errorf("build policy %s: this program reads it differently", hold.Hash)
	}
	var next *rollout.Standing
	if change.Version != nil && (len(change.Notes) > 0 || k.standing.Refused != nil) {
		known := k.standing.WithRefusal(nil)
		known.Source.Origin = change.Version.Origin
		next = &known
	} else {
		change.Version = nil
	}
	if k.held != hold.Hash || next != nil {
		change.Record = k.record("", "policy put in force: "+hold.By+" went back to it")
		if k.held == hold.Hash {
			change.Record.Detail = "policy that " + hold.By + " went back to stays in force; the sources say " + change.Version.Origin
		}
		if err := k.write(ctx, change, next, hold.Point); err != nil {
			return err
		}
	}
	k.enforce(c, force{set, hold.Point, hold.Hash}, b)
	return nil
}

// write writes a change with its record, and the standing where that is new.
func (k *Keeper) write(ctx context.Context, change rollout.Change, next *rollout.Standing, in rollout.Point) error {
	standing := k.standing
	if next != nil {
		standing = *next
		note, err := rollout.WriteNote(k.Place, k.revision, standing)
		if err != nil {
			return err
		}
		change.Notes = append(change.Notes, note)
	}
	change.Spare = []string{standing.Source.Hash, standing.Active().Hash, k.active.Hash}
	change.Record.PolicyVersion, change.Record.PolicyHash = in.Version, in.Hash
	if err := k.Journal.KeepPolicy(ctx, change); err != nil {
		return fmt.Errorf("record the policy: %w", err)
	}
	if next != nil {
		k.standing, k.revision = standing, k.revision+1
	}
	return nil
}

func (k *Keeper) record(by, detail string) tv.Record {
	return tv.Record{Kind: tv.RecordAdmin, At: k.Now(), Subject: by, Detail: detail}
}

// enforce puts a candidate in force. Its record is written.
func (k *Keeper) enforce(c Candidate, f force, newest *bundle.Signed) {
	if f.active.Hash != k.active.Hash {
		k.Log.Info("policy in force", "version", f.active.Version, "hash", f.active.Hash, "from", f.active.Origin, "rollback", f.held != "")
	}
	k.force = f
	c.Enforce(ends(newest))
}

// maxReason bounds what is kept of why an update was refused, in bytes.
const maxReason = 4 << 10

// refuse leaves word of an update that was refused while a policy is in force:
// in the log, the store and the status, once for each reason. The record does
// not quote the reason, which may name files.
func (k *Keeper) refuse(ctx context.Context, origin string, cause error) {
	if k.active.Hash != "" && ctx.Err() == nil {
		k.refused++
	}
	reason := plain.Text(cause.Error())
	if len(reason) > maxReason {
		reason = plain.Text(reason[:maxReason]) + "…"
	}
	if k.active.Hash == "" || k.told == origin+"\n"+reason || ctx.Err() != nil {
		return
	}
	k.told = origin + "\n" + reason
	k.Log.Error("a policy update was refused; what was in force stays", "from", origin, "error", reason)
	for range maxTries {
		next := k.standing.WithRefusal(&rollout.Refusal{Origin: origin, Reason: reason, At: k.Now()})
		change := rollout.Change{Record: k.record("", "a reload was refused; this policy stays in force")}
		err := k.write(ctx, change, &next, k.active)
		if err == nil {
			return
		}
		if isConflict(err) {
			k.standing, k.revision, err = rollout.ReadStanding(ctx, k.Journal, k.Place)
		}
		if err != nil {
			k.Log.Error("the refused policy update was not recorded", "error", err)
			return
		}
	}
}
