// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"context"
	"fmt"
	"slices"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Late is the outcome of a call that its host ran itself, told by another process
// than the one that asked.
type Late struct {
	Door    tv.Door
	By      tv.Subject
	Session string
	Call    string // the host's own id
	Outcome tv.Outcome
}

// Report writes down a late outcome, once: of the call that was dispatched with
// just this handle. ErrNotFound says that there is none that still runs. Where two
// calls at once have one handle, it is the older one's.
func (b *Book) Report(ctx context.Context, l Late) error {
	handle := tv.Handle(l.Door, l.By, l.Session, l.Call)
	if handle == "" {
		return fmt.Errorf("report outcome: %w: door, caller, session and the call's own id are needed", ErrIncomplete)
	}
	open, err := b.c.Store.Claims(ctx, tv.ClaimQuery{State: tv.ClaimDispatched, Handle: handle})
	if err != nil {
		return fmt.Errorf("report outcome: read ledger: %w", err)
	}
	i := slices.IndexFunc(open, func(c tv.Claim) bool { return c.Subject == l.By.ID })
	if i < 0 {
		return fmt.Errorf("report outcome: no such call is running: %w", tv.ErrNotFound)
	}
	if err := b.conclude(ctx, open[i], &l); err != nil {
		return fmt.Errorf("report outcome: %w", err)
	}
	return nil
}

// conclude moves the entry as the outcome says. It is forgotten at once: the host
// has the tool's answer, and a repeat of the call is another act.
func (b *Book) conclude(ctx context.Context, c tv.Claim, l *Late) error {
	now := b.c.Now()
	from := c.Epoch
	switch l.Outcome.Status {
	case tv.Succeeded:
		c.State, c.Deadline = tv.ClaimSucceeded, now
	case tv.Failed, tv.NotSent:
		c.State, c.Deadline = tv.ClaimFailed, now
	default: // unknown, paused, or a word that is none
		c.State = tv.ClaimUnknown
	}
	if c.State != tv.ClaimUnknown {
		c.Reconcile = nil // nobody will have to ask
	}
	c.Updated = now
	r := tv.Record{
		Kind: tv.RecordOutcome, At: now, CallID: c.CallID, CallerID: b.mark(l.Call), Session: b.mark(l.Session),
		Subject: l.By.ID, User: l.By.User, Agent: l.By.Agent, Door: l.Door, Tool: c.Tool, Approval: c.Approval, Key: c.Key, Claim: c.State,
		Code: l.Outcome.Code, Detail: b.mark(l.Outcome.Message),
	}
	changes := tv.Changes{Claims: []tv.ClaimChange{{From: from, To: c}}, Settled: settled(&c)}
	if a, ok, err := b.used(ctx, c, c.State); err != nil {
		return err
	} else if ok {
		r.ApprovalState = a.To.State
		changes.Approvals = []tv.ApprovalChange{a}
	}
	changes.Records = []tv.Record{r}
	return b.c.Store.Commit(ctx, changes)
}

// mark makes text of a host fit for a record.
func (b *Book) mark(s string) string {
	const most = 256
	if s = plain.Mark(b.c.Text(s)); len(s) > most {
		return plain.Mark(s[:most])
	}
	return s
}
