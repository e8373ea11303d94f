// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package storetest is what every store must hold, as one suite.
package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/internal/rollout"
	"github.com/toolverdict/toolverdict/internal/shelf"
)

// Store is all that the gate and its parts ask of a store.
type Store interface {
	tv.Store
	tv.Choices
	catalog.Pins
	rollout.Journal
	shelf.Shelf
	Lists
	Nodes
	Keeper
}

// Lists is what approvals and the ledger read.
type Lists interface {
	Approvals(ctx context.Context, q tv.ApprovalQuery) ([]tv.Approval, error)
	Claims(ctx context.Context, q tv.ClaimQuery) ([]tv.Claim, error)
	Grant(ctx context.Context, id string) (tv.Grant, error)
	Grants(ctx context.Context, q tv.GrantQuery) ([]tv.Grant, error)
}

// Nodes tells of the processes that share a store, and of their changes.
type Nodes interface {
	DeadNodes(ctx context.Context) ([]string, error)
	Changed() <-chan struct{}
}

// Keeper is what the program that owns the store does with it.
type Keeper interface {
	SetDisabled(ctx context.Context, user string, tools []string, r tv.Record) error
	Switch(ctx context.Context, user, tool string, off bool, r tv.Record) error
	Healthy(ctx context.Context) error
	Close() error
}

// Log is a view of the audit log.
type Log interface {
	audit.Log
	Key() *audit.Verifier
	Find(ctx context.Context, q audit.Query) ([]audit.Numbered, error)
	View
}

// View is the rest of a view.
type View interface {
	Checkpoint(ctx context.Context) (audit.Stored, error)
	Prove(ctx context.Context, key *audit.Verifier, seq int64) ([]byte, error)
	Close() error
}

// Subject is an implementation under test.
type Subject struct {
	// Open opens the store that lives in a folder, as a node of a name. The
	// clock is the test's.
	Open func(t testing.TB, dir, node string, now func() time.Time) Store
	Log  func(Store) (Log, error)
	// Shared says that several stores may be open on one folder, and that it is
	// all still there when they are closed.
	Shared bool
	// Lose makes a node look dead, where that is not done by closing its store.
	Lose func(s Store, node string)
}

// Run runs the suite.
func Run(t *testing.T, s Subject) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, Subject){
		"claims":        claims,
		"claim steps":   claimSteps,
		"approvals":     approvals,
		"approval ends": approvalEnds,
		"wiping":        wiping,
		"atomic":        atomic,
		"unsound":       unsound,
		"limits":        limits,
		"limit clock":   limitClock,
		"asks":          asks,
		"usage":         usage,
		"past":          past,
		"past moves":    pastMoves,
		"past unsound":  pastUnsound,
		"past races":    pastRaces,
		"past model":    pastModel,
		"lists":         lists,
		"claim lists":   claimLists,
		"choices":       choices,
		"switches":      switches,
		"pins":          pins,
		"policies":      policies,
		"policy notes":  policyNotes,
		"old policies":  oldPolicies,
		"rows":          rows,
		"row races":     rowRaces,
		"grants":        grants,
		"grant steps":   grantSteps,
		"grant uses":    grantUses,
		"grant races":   grantRaces,
		"grant lists":   grantLists,
		"hint":          hint,
		"log":           logs,
		"find":          find,
		"proofs":        proofs,
		"isolation":     isolation,
		"races":         races,
		"limit races":   limitRaces,
		"lazy":          lazy,
		"cancel":        cancel,
		"closed":        closed,
		"dead nodes":    deadNodes,
		"model":         model,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
	if s.Shared {
		t.Run("reopen", func(t *testing.T) {
			t.Parallel()
			reopen(t, s)
		})
		t.Run("two handles", func(t *testing.T) {
			t.Parallel()
			twoHandles(t, s)
		})
	}
}

// start is the time at which every test's clock stands.
var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func still() time.Time { return start }

func (s Subject) open(t *testing.T) Store {
	t.Helper()
	st := s.Open(t, t.TempDir(), "node-1", still)
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return st
}

func (s Subject) view(t *testing.T, st Store) Log {
	t.Helper()
	l, err := s.Log(st)
	if err != nil {
		t.Fatalf("view log: %v", err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("close view: %v", err)
		}
	})
	return l
}

// record is a record that says which test wrote it.
func record(call string) tv.Record {
	return tv.Record{
		Kind: tv.RecordDecision, At: start, CallID: call, Subject: "agent:one", Tool: "orders/cancel_order",
		Arguments: json.RawMessage(`{"order_id":"A1001"}`), Verdict: "allow", PolicyHash: "p",
		Rules: []tv.Match{{Rule: "r", Verdict: tv.Allow}}, Took: 42 * time.Microsecond,
	}
}

func claimOf(key string, state tv.ClaimState) tv.Claim {
	return tv.Claim{
		Key: key, State: state, Digest: "digest of " + key, Subject: "agent:one", Tool: "orders/cancel_order",
		CallID: "call of " + key, Node: "node-1", Updated: start, Deadline: start.Add(time.Minute),
	}
}

func approvalOf(id string, state tv.ApprovalState) tv.Approval {
	return tv.Approval{
		ID: id, State: state, Digest: "digest of " + id, Key: "key of " + id,
		Call: tv.StoredCall{
			Tool: "orders/cancel_order", Arguments: []byte(`{"order_id": "A1001", "card": "4000-SECRET"}`),
			Subject: tv.Subject{ID: "agent:one", Roles: []string{"support"}}, Environment: map[string]string{"stage": "prod"},
		},
		Requirements: []tv.Requirement{{Approvers: []string{"role:approver"}, Quorum: 1, Expires: time.Hour}},
		Card:         tv.Card{Tool: "orders/cancel_order", Summary: "Cancel A1001", Arguments: json.RawMessage(`{"order_id":"A1001"}`)},
		Created:      start, Expires: start.Add(15 * time.Minute),
	}
}

func withClaim(from int64, to tv.Claim) tv.Changes {
	return tv.Changes{Records: []tv.Record{record(to.CallID)}, Claims: []tv.ClaimChange{{From: from, To: to}}}
}

func withApproval(from int64, to tv.Approval) tv.Changes {
	return tv.Changes{Records: []tv.Record{record("of " + to.ID)}, Approvals: []tv.ApprovalChange{{From: from, To: to}}}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantConflict wants a change to have met another one.
func wantConflict(t *testing.T, err error, what, key string) {
	t.Helper()
	var conflict *tv.ConflictError
	if !errors.As(err, &conflict) {
		t.Fatalf("got error %v, want a conflict of %s %q", err, what, key)
	}
	if conflict.What != what || conflict.Key != key {
		t.Fatalf("got a conflict of %s %q, want of %s %q", conflict.What, conflict.Key, what, key)
	}
}

// wantRefused wants an error that is no conflict: deciding again would not help.
func wantRefused(t *testing.T, err error, why string) {
	t.Helper()
	var conflict *tv.ConflictError
	if err == nil || errors.As(err, &conflict) {
		t.Fatalf("%s: got %v, want a refusal", why, err)
	}
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// verified wants a log without fault and returns what it holds.
func (s Subject) verified(t testing.TB, st Store) audit.Report {
	t.Helper()
	l, err := s.Log(st)
	if err != nil {
		t.Fatalf("view log: %v", err)
	}
	r, err := audit.Verify(t.Context(), audit.Job{Log: l, Key: l.Key()})
	if err := errors.Join(err, l.Close()); err != nil {
		t.Fatal(err)
	}
	if !r.OK() {
		t.Fatalf("the log has a fault: %v", r.Fault)
	}
	return r
}

func callIDs(found []audit.Numbered) []string {
	var ids []string
	for _, n := range found {
		ids = append(ids, n.CallID)
	}
	return ids
}

func numbered(prefix string, n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("%s-%04d", prefix, i))
	}
	return out
}
