// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Every port is required: there is no nil or no-op port that could mean allow.
// All are called from many goroutines at once.

// Schema checks arguments against a tool's input schema.
type Schema interface {
	// Clash finds a member of the arguments that folds onto one of the schema's
	// properties without being equal to it: two parsers could read it differently.
	Clash(arguments Value) (FieldError, bool)
	// Validate returns at most five errors, none when the arguments are valid.
	Validate(arguments Value) []FieldError
}

// Analyser reads what a call would do out of the arguments that have roles. It
// is total: what it cannot tell is an opaque effect. It may look at the host's
// files and ask its name servers, within bounds, and must stop when ctx ends. The
// facts are those that the host says of the call.
type Analyser interface {
	Analyse(ctx context.Context, t *Tool, arguments Value, facts map[string]string) Analysis
}

// Catalog is one immutable set of tools that may be called.
type Catalog interface {
	// Tool finds a tool by its full name, byte for byte.
	Tool(name string) (*Tool, bool)
	// Tools returns all of them, by name.
	Tools() []*Tool
}

// Policy decides. It is pure and total: the same request gives the same
// decision, and what it cannot tell counts towards the stricter side.
type Policy interface {
	Decide(Request) Decision
	// History says what a decision about the request asks of earlier calls, and
	// what of this one later decisions may ask for. It is pure. Without the
	// answers, Decide takes what it would ask as unknown.
	History(r Request) Hindsight
	// Identity returns the version label and the content hash.
	Identity() (version, hash string)
}

// Snapshot is what one call is decided under, from its first step to its last.
type Snapshot struct {
	Catalog Catalog
	Policy  Policy
	Expires time.Time // every call is refused from then on; zero means never
}

// current refuses to decide by what has ended: whoever keeps a newer policy
// away must not gain by it.
func (s *Snapshot) current(at time.Time) error {
	if !s.Expires.IsZero() && !at.Before(s.Expires) {
		return fmt.Errorf("decide call: the policy in force ended at %s: a newer one is needed", s.Expires.Format(time.RFC3339))
	}
	return nil
}

// Snapshots hands out the snapshot in force, by one atomic load.
type Snapshots interface {
	Current() *Snapshot
}

// Choices keeps what users decided about tools.
type Choices interface {
	// Disabled returns the tools that a user switched off, by full name.
	Disabled(ctx context.Context, user string) ([]string, error)
}

// Confirmations knows how humans are asked.
type Confirmations interface {
	// Draft makes a pending approval for a question. It does no I/O.
	Draft(q Question) Approval
	// Await returns the approval once it is no longer pending, or as it stands
	// when ctx ends. Decisions taken on other nodes are seen too.
	Await(ctx context.Context, id string) (Approval, error)
	// MayEdit says why somebody may not change what is asked now, or nil.
	MayEdit(by Subject, a *Approval) error
}

// Counters tells what was dispatched before.
type Counters interface {
	// Usage reads the counters of limits at a time.
	Usage(ctx context.Context, limits []Limit, at time.Time) ([]Usage, error)
	// Seen answers looks at earlier calls, in their order.
	Seen(ctx context.Context, looks []Look, at time.Time) ([]Seen, error)
}

// Store keeps what must outlive the process and is shared by every node.
type Store interface {
	Counters
	// Claim returns the ledger entry of a key, or ErrNotFound.
	Claim(ctx context.Context, key string) (Claim, error)
	// Approval returns an approval, or ErrNotFound.
	Approval(ctx context.Context, id string) (Approval, error)
	// Commit writes all changes or none, durably before it returns. A failed
	// expectation, a full limit, or a history that no longer holds, is a *ConflictError.
	Commit(ctx context.Context, c Changes) error
}

// Executor runs a permitted call. It must refuse a permit that is not Valid,
// and must stop when ctx ends.
type Executor interface {
	Execute(ctx context.Context, p Permit) Outcome
}

// View is how much a [Redactor] leaves. No view has a secret in it.
type View uint8

// The views.
const (
	// RecordView is for records: short, and without the names of home folders,
	// which are people's.
	RecordView View = iota
	// CardView is for a person who has to decide: short, with every path as it is.
	CardView
	// WholeView is a [CardView] from which nothing is left out for its length.
	WholeView
)

// Texts hides secrets in texts.
type Texts interface {
	// Text is for records, logs and what an agent is told, so home folders lose
	// their names as well.
	Text(s string) string
	// Shown is for a person who has to decide, and has to see which path is meant.
	Shown(s string) string
}

// Redactor makes what may be kept and shown of a call.
type Redactor interface {
	Texts
	// Arguments hides secrets and sensitive fields.
	Arguments(t *Tool, arguments Value, v View) json.RawMessage
	// MAC returns a keyed digest of the arguments, so that equal calls can be
	// found without keeping them.
	MAC(arguments Value) string
	// Content hides held secrets in a tool's answer, leaving it valid JSON.
	Content(content json.RawMessage) json.RawMessage
}

// ErrNotFound is returned by a [Store] for an entry that does not exist.
var ErrNotFound = errors.New("not found")

func errUnknownWord(field, words string) error {
	return fmt.Errorf("unknown %s: use one of %s", field, words)
}
