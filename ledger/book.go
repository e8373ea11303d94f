// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Store is what the book needs of durable state.
type Store interface {
	Entries
	// DeadNodes returns the gate processes that dispatched calls and are gone.
	DeadNodes(ctx context.Context) ([]string, error)
	// Approval returns one approval, or toolverdict.ErrNotFound.
	Approval(ctx context.Context, id string) (tv.Approval, error)
	// Commit writes all or nothing.
	Commit(ctx context.Context, c tv.Changes) error
}

// Entries finds ledger entries.
type Entries interface {
	// Claim returns one entry, or toolverdict.ErrNotFound.
	Claim(ctx context.Context, key string) (tv.Claim, error)
	// Claims lists entries, oldest change first.
	Claims(ctx context.Context, q tv.ClaimQuery) ([]tv.Claim, error)
}

// Config is what a book is made of. All parts are required.
type Config struct {
	Store Store
	Now   func() time.Time
	Text  func(string) string // hides secrets in free text
}

// Book looks after the ledger. It is safe for concurrent use, also by several
// processes on one store.
type Book struct{ c Config }

// New checks the parts.
func New(c Config) (*Book, error) {
	if c.Store == nil || c.Now == nil || c.Text == nil {
		return nil, errors.New("open ledger: Store, Now and Text are needed")
	}
	return &Book{c}, nil
}

// page is how many entries are looked at in one go.
const page = 500

// Recover marks the calls that nobody will report any more as unknown: those of
// processes that are gone, at once, and those past their deadline. A paused
// call that nobody carried on in time has failed. It returns how many entries
// it ended.
func (b *Book) Recover(ctx context.Context) (int, error) {
	dead, err := b.c.Store.DeadNodes(ctx)
	if err != nil {
		return 0, fmt.Errorf("recover ledger: find lost processes: %w", err)
	}
	const lost = "the answer was lost: the process that ran the call is gone or out of time"
	const abandoned = "the tool asked for more input and nobody carried the call on in time"
	now, marked := b.c.Now(), 0
	jobs := []job{
		{tv.ClaimQuery{State: tv.ClaimDispatched, DeadlineBy: now, Limit: page}, tv.ClaimUnknown, lost},
		{tv.ClaimQuery{State: tv.ClaimPaused, DeadlineBy: now, Limit: page}, tv.ClaimFailed, abandoned},
	}
	for _, node := range dead {
		jobs = append(jobs, job{tv.ClaimQuery{State: tv.ClaimDispatched, Node: node, Limit: page}, tv.ClaimUnknown, lost})
	}
	for _, j := range jobs {
		n, err := b.markAll(ctx, j)
		marked += n
		if err != nil {
			return marked, fmt.Errorf("recover ledger: %w", err)
		}
	}
	return marked, nil
}

// job is one kind of entry to end, and how.
type job struct {
	query tv.ClaimQuery
	to    tv.ClaimState
	why   string
}

// markAll works through a query until a pass changes nothing.
func (b *Book) markAll(ctx context.Context, j job) (int, error) {
	marked := 0
	for {
		found, err := b.c.Store.Claims(ctx, j.query)
		if err != nil {
			return marked, err
		}
		before := marked
		for _, c := range found {
			if j.query.Node != "" && c.Handle != "" {
				continue // another process tells the outcome
			}
			err := b.write(ctx, c, j.to, tv.Subject{}, j.why)
			var conflict *tv.ConflictError
			switch {
			case errors.As(err, &conflict): // its own process reported after all
			case err != nil:
				return marked, err
			default:
				marked++
			}
		}
		if marked == before || len(found) < j.query.Limit {
			return marked, nil
		}
	}
}

// Errors that a caller can tell apart.
var (
	ErrNotUnknown = errors.New("its outcome is not unknown") // there is nothing to settle
	ErrIncomplete = errors.New("the answer is not complete") // the caller has to say more
)

// maxEvidence bounds what a person writes down, in bytes.
const maxEvidence = 2000

// Settle writes down what a person found out about an unknown outcome: done or
// failed, with evidence. The settled entry then counts like any other.
func (b *Book) Settle(ctx context.Context, by tv.Subject, key string, as tv.ClaimState, evidence string) error {
	if by.Kind != tv.Person || !by.Authenticated() {
		return fmt.Errorf("settle %q: %w: only a signed-in person can", key, ErrIncomplete)
	}
	if as != tv.ClaimSucceeded && as != tv.ClaimFailed {
		return fmt.Errorf("settle %q: %w: say succeeded or failed", key, ErrIncomplete)
	}
	if evidence == "" || len(evidence) > maxEvidence {
		return fmt.Errorf("settle %q: %w: say how you know, in at most %d bytes", key, ErrIncomplete, maxEvidence)
	}
	c, err := b.c.Store.Claim(ctx, key)
	if err != nil {
		return fmt.Errorf("settle %q: %w", key, err)
	}
	if c.State != tv.ClaimUnknown {
		return fmt.Errorf("settle %q: %w: it is %s", key, ErrNotUnknown, c.State)
	}
	if err := b.write(ctx, c, as, by, evidence); err != nil {
		return fmt.Errorf("settle %q: %w", key, err)
	}
	return nil
}

// settledFor is how long a settled entry still answers repeats.
const settledFor = 24 * time.Hour

// write moves an entry, and the approval that was used for it, with a record.
func (b *Book) write(ctx context.Context, c tv.Claim, to tv.ClaimState, by tv.Subject, why string) error {
	now := b.c.Now()
	from := c.Epoch
	c.State, c.Updated = to, now
	if to != tv.ClaimUnknown {
		c.Deadline = now.Add(settledFor)
		c.Reconcile = nil
	}
	r := tv.Record{
		Kind: tv.RecordAdmin, At: now, CallID: c.CallID, Subject: by.ID, User: by.User, Tool: c.Tool,
		Approval: c.Approval, Key: c.Key, Claim: to, Detail: plain.Mark(b.c.Text(why)),
	}
	if by.ID == "" { // the clock, not a person
		r.Kind, r.Subject = tv.RecordOutcome, c.Subject
	}
	if to == tv.ClaimUnknown {
		r.Code = tv.OutcomeUnknown
	}
	changes := tv.Changes{Claims: []tv.ClaimChange{{From: from, To: c}}, Settled: settled(&c)}
	if a, ok, err := b.used(ctx, c, to); err != nil {
		return err
	} else if ok {
		r.ApprovalState = a.To.State
		changes.Approvals = []tv.ApprovalChange{a}
	}
	changes.Records = []tv.Record{r}
	return b.c.Store.Commit(ctx, changes)
}

// settled is what the history keeps of what was found out.
func settled(c *tv.Claim) []tv.Settled {
	id := tv.PastID(c.Approval, c.Digest, c.CallID)
	switch c.State {
	case tv.ClaimSucceeded:
		return []tv.Settled{{ID: id, State: tv.PastSucceeded}}
	case tv.ClaimFailed:
		return []tv.Settled{{ID: id, State: tv.PastFailed}}
	default:
		return nil
	}
}

// used is the step of the approval that the entry was dispatched under.
func (b *Book) used(ctx context.Context, c tv.Claim, to tv.ClaimState) (tv.ApprovalChange, bool, error) {
	if c.Approval == "" {
		return tv.ApprovalChange{}, false, nil
	}
	a, err := b.c.Store.Approval(ctx, c.Approval)
	if errors.Is(err, tv.ErrNotFound) {
		return tv.ApprovalChange{}, false, nil
	}
	if err != nil {
		return tv.ApprovalChange{}, false, fmt.Errorf("read approval: %w", err)
	}
	next := map[tv.ClaimState]tv.ApprovalState{
		tv.ClaimUnknown: tv.ApprovalUnknown, tv.ClaimSucceeded: tv.ApprovalDone, tv.ClaimFailed: tv.ApprovalFailed,
	}[to]
	if !a.State.CanBecome(next) {
		return tv.ApprovalChange{}, false, nil
	}
	from := a.Version
	a.State = next
	return tv.ApprovalChange{From: from, To: a}, true, nil
}

// List returns entries, oldest change first.
func (b *Book) List(ctx context.Context, q tv.ClaimQuery) ([]tv.Claim, error) {
	all, err := b.c.Store.Claims(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("list ledger: %w", err)
	}
	return slices.Clip(all), nil
}
