// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package canary makes calls that must be denied, through each door of a gate, and
// looks for their records. What is called is a tool that cannot exist, so that
// nothing runs even where a door leads past the gate, and no policy can allow it.
//
// A door is proven only where its answer is exactly the refusal in that door's form
// and the decision is in the audit log. It fails towards distrust: any other answer,
// and an answer without a record, is a door that is not guarded.
package canary

import (
	"context"
	"errors"
	"fmt"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/doctor"
	"github.com/toolverdict/toolverdict/internal/plain"
	"github.com/toolverdict/toolverdict/internal/secret"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
)

// Log finds records of decisions.
type Log interface {
	Find(ctx context.Context, q audit.Query) ([]audit.Numbered, error)
}

// Folder is the audit log of a data folder, as it is at each look.
type Folder string

// Find implements [Log].
func (f Folder) Find(ctx context.Context, q audit.Query) (found []audit.Numbered, err error) {
	v, err := sqlite.OpenLog(ctx, string(f))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	return v.Find(ctx, q)
}

// Passed says that a call that must be denied was not refused.
type Passed struct{ Answer string }

// Error implements error.
func (p *Passed) Error() string { return "the answer is no refusal of a gate: " + p.Answer }

// passed is a [Passed] with as much of a stranger's answer as can be shown.
func passed(answer []byte) error {
	const most = 200
	return &Passed{plain.Line(plain.Cut(string(answer), most))}
}

// Untried says why nothing could be found out through a door.
type Untried struct{ Why string }

// Error implements error.
func (u *Untried) Error() string { return u.Why }

// Door is one way in, with the means to make a call through it.
type Door struct {
	Way  string // as people know it
	Tool string // that is called, by its full name
	Rule string // that must have denied it; "" for the tool that there is not
	Log  Log    // of the gate behind it; nil where none can be looked into
	Fix  string // what helps where it is not guarded

	// Knock makes the call, with a mark of its own as its session or id. Nil says
	// that the answer was the refusal.
	Knock func(ctx context.Context, mark string) error
	Now   func() time.Time
}

// Name implements [doctor.Check].
func (d Door) Name() string { return "door " + d.Way }

// Looks implements [doctor.Check].
func (d Door) Looks() string { return "whether a call that must be denied is denied and recorded" }

// early is how much older than this process's clock a record may be.
const early = time.Minute

// Look implements [doctor.Check].
func (d Door) Look(ctx context.Context) []doctor.Finding {
	since, mark := d.Now().Add(-early), "canary-"+secret.NewID()
	err := d.Knock(ctx, mark)
	if p, ok := errors.AsType[*Passed](err); ok {
		return doctor.Failed(d.Fix, "NOT GUARDED: a call that must be denied was not refused: %v", p)
	}
	if u, ok := errors.AsType[*Untried](err); ok {
		return doctor.Unseen("", "not tried: %v", u)
	}
	if err != nil {
		return doctor.Failed(d.Fix, "it could not be shown that it leads to a gate: %v", err)
	}
	if d.Log == nil {
		return doctor.Unseen("name the gate's data folder with --data", "it refuses as it should; whether that was recorded could not be looked for")
	}
	rule, err := d.record(ctx, audit.Query{Since: since, Tool: d.Tool, Kind: tv.RecordDecision}, mark)
	switch {
	case err != nil:
		return doctor.Unseen("", "it refuses as it should; its record could not be looked for: %v", err)
	case rule == "" && d.Rule == "":
		return doctor.Good("a call that must be denied is denied and recorded")
	case rule == d.Rule:
		return doctor.Good("a call against rule %s is denied and recorded", rule)
	}
	return doctor.Failed(d.Fix, "the call was denied by another rule than %s (%s)", d.Rule, rule)
}

// record finds the record of the denial and returns the rule that denied.
func (d Door) record(ctx context.Context, q audit.Query, mark string) (rule string, err error) {
	for _, by := range []func(*audit.Query){func(q *audit.Query) { q.Call = mark }, func(q *audit.Query) { q.Session = mark }} {
		one := q
		by(&one)
		found, err := d.Log.Find(ctx, one)
		if err != nil {
			return "", err
		}
		for i := range found {
			if r := &found[i]; r.Verdict == tv.Deny.String() && (r.CallerID == mark || r.Session == mark) {
				return r.Rule, nil
			}
		}
	}
	return "", fmt.Errorf("there is no record of it in this audit log: another gate, or none, answered")
}
