// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package records checks what a gate keeps: its database, its audit log, and what
// in them waits for a person. It reads only, beside a gate that runs or without one.
package records

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/doctor"
	"github.com/toolverdict/toolverdict/internal/secret"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
)

// look opens the log of a data folder, and tells what there is where it cannot.
func look(ctx context.Context, dir string, do func(v *sqlite.View) []doctor.Finding) []doctor.Finding {
	v, err := sqlite.OpenLog(ctx, dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return doctor.Noted("no gate has run on %s yet", dir)
	case err != nil:
		return doctor.Failed("see docs/audit.md; the files are evidence: copy them before anything else", "%v", err)
	}
	found := do(v)
	if err := v.Close(); err != nil {
		found = append(found, doctor.Unseen("", "close the database: %v", err)...)
	}
	return found
}

// Latest is the newest time that the gate of a data folder wrote down.
func Latest(ctx context.Context, dir string) (latest time.Time, err error) {
	v, err := sqlite.OpenLog(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return latest, nil
	}
	if err != nil {
		return latest, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	return v.Latest(ctx)
}

// Store checks the database.
type Store struct{ Dir string }

// Name implements [doctor.Check].
func (Store) Name() string { return "store" }

// Looks implements [doctor.Check].
func (Store) Looks() string { return "whether the database opens, is whole, and fits this program" }

// Look implements [doctor.Check].
func (s Store) Look(ctx context.Context) []doctor.Finding {
	return look(ctx, s.Dir, func(v *sqlite.View) []doctor.Finding {
		e, err := v.Examine(ctx)
		switch {
		case ctx.Err() != nil:
			return doctor.Unseen("give it more time: --each 10m", "the database is too large to be read in time")
		case err != nil:
			return doctor.Failed("stop the gate, keep the files of "+s.Dir+", and start from a copy", "the database cannot be read: %v", err)
		case len(e.Damage) > 0:
			return doctor.Failed("stop the gate, keep the files of "+s.Dir+", and start from a copy", "the database is damaged: %s", strings.Join(e.Damage, "; "))
		case e.Schema > e.Knows:
			return doctor.Failed("use the newer toolverdict that wrote it", "the database has version %d, this program knows %d", e.Schema, e.Knows)
		case e.Schema < e.Knows:
			return doctor.Noted("the database is whole; it has version %d, and the next start brings it to %d", e.Schema, e.Knows)
		}
		return doctor.Good("the database is whole, version %d", e.Schema)
	})
}

// Log checks the audit log.
type Log struct{ Dir string }

// Name implements [doctor.Check].
func (Log) Name() string { return "audit-log" }

// Looks implements [doctor.Check].
func (Log) Looks() string {
	return "whether the audit log verifies, with the signature of its checkpoints"
}

// Look implements [doctor.Check].
func (l Log) Look(ctx context.Context) []doctor.Finding {
	return look(ctx, l.Dir, func(v *sqlite.View) []doctor.Finding {
		if v.Key() == nil {
			return doctor.Failed("put the public key back from the copy that you keep elsewhere", "there is no readable %s beside the log", audit.PublicFile)
		}
		if text, err := secret.ReadFile(l.Dir + "/" + audit.KeyFile); err == nil {
			if signer, err := audit.ParseSigner(strings.TrimSpace(string(text))); err == nil && signer.Verifier().String() != v.Key().String() {
				return doctor.Failed("compare both with the copy of the public key that you keep elsewhere", "%s and %s are not of one pair", audit.PublicFile, audit.KeyFile)
			}
		}
		report, err := audit.Verify(ctx, audit.Job{Log: v, Key: v.Key()})
		switch {
		case ctx.Err() != nil:
			return doctor.Unseen("give it more time: --each 10m", "the log is too long to be verified in time")
		case err != nil:
			return doctor.Failed("toolverdict audit verify --data "+l.Dir, "the log cannot be read: %v", err)
		case !report.OK():
			return doctor.Failed("keep the data folder as evidence, start with a new one, and see 'toolverdict audit verify --data "+l.Dir+"'",
				"the log does not verify: %s (the %d records before are good)", report.Fault.Error(), report.Records)
		}
		return doctor.Good("%d records verify, %d of them under a signature", report.Records, report.Signed)
	})
}

// Waiting checks what waits for a person.
type Waiting struct {
	Dir string
	Now func() time.Time
}

// Name implements [doctor.Check].
func (Waiting) Name() string { return "waiting" }

// Looks implements [doctor.Check].
func (Waiting) Looks() string {
	return "calls whose outcome nobody knows, and approvals that are left waiting"
}

// longest is how long an approval may wait before nobody seems to look.
const longest = 24 * time.Hour

// Look implements [doctor.Check].
func (w Waiting) Look(ctx context.Context) []doctor.Finding {
	return look(ctx, w.Dir, func(v *sqlite.View) []doctor.Finding {
		unknown, waiting, err := v.Backlogs(ctx)
		if err != nil {
			return doctor.Unseen("", "%v", err)
		}
		var found []doctor.Finding
		if unknown.Count > 0 {
			found = append(found, doctor.Warned("toolverdict ledger list --state unknown, then 'ledger settle' or 'ledger reconcile'",
				"nobody knows what came of %d calls, since %s: they are not run again until somebody says", unknown.Count, unknown.Oldest.UTC().Format(time.RFC3339))...)
		}
		if waiting.Count > 0 && w.Now().Sub(waiting.Oldest) > longest {
			found = append(found, doctor.Warned("toolverdict serve, which ends them, or 'toolverdict approvals list --state pending'",
				"of %d approvals that wait the oldest is of %s, longer than any may wait: no gate is looking after them", waiting.Count, waiting.Oldest.UTC().Format(time.RFC3339))...)
		}
		if len(found) == 0 {
			return doctor.Good("no outcome is unknown, and no approval is left waiting")
		}
		return found
	})
}
