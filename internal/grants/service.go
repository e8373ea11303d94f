// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package grants

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Store is what grants need of durable state.
type Store interface {
	// Grant returns one grant, or toolverdict.ErrNotFound.
	Grant(ctx context.Context, id string) (tv.Grant, error)
	// Grants lists grants, oldest first.
	Grants(ctx context.Context, q tv.GrantQuery) ([]tv.Grant, error)
	// Commit writes all or nothing.
	Commit(ctx context.Context, c tv.Changes) error
}

// Desk is who answers approvals: an *approval.Desk.
type Desk interface {
	Get(ctx context.Context, by tv.Subject, id string) (tv.Approval, error)
	// Alone says why one person's yes is not enough for calls like this.
	Alone(by tv.Subject, a *tv.Approval) error
	Approve(ctx context.Context, by tv.Subject, id, reason string) (tv.Approval, error)
}

// Config is what the service is made of. All but the last three are required.
type Config struct {
	Store     Store
	Desk      Desk
	Snapshots tv.Snapshots
	Analyser  tv.Analyser
	Redactor  tv.Redactor
	Now       func() time.Time
	NewID     func() string

	Off      bool          // nobody may grant, and no grant counts
	Longest  time.Duration // how long a grant may last; 0 means an hour, and toolverdict.MaxGrantTime is the most
	MostUses int           // how many calls it may cover; 0 means 20, and toolverdict.MaxGrantUses is the most
}

// What a grant is where the approver says nothing.
const (
	defaultFor  = 30 * time.Minute
	defaultUses = 5

	defaultLongest  = time.Hour
	defaultMostUses = 20

	maxOpen = 100 // open grants of one tool and subject
)

// Service makes, judges and takes back grants. It is safe for concurrent use.
type Service struct {
	Config

	mu       sync.Mutex
	compiled map[string]*class // by the grant's id; only what can be made again
}

var _ tv.Grants = (*Service)(nil)

// New checks the parts and fills in the defaults.
func New(c Config) (*Service, error) {
	if c.Store == nil || c.Desk == nil || c.Snapshots == nil || c.Analyser == nil || c.Redactor == nil || c.Now == nil || c.NewID == nil {
		return nil, errors.New("open grants: every part is needed")
	}
	if c.Longest <= 0 {
		c.Longest = defaultLongest
	}
	if c.MostUses <= 0 {
		c.MostUses = defaultMostUses
	}
	c.Longest, c.MostUses = min(c.Longest, tv.MaxGrantTime), min(c.MostUses, tv.MaxGrantUses)
	return &Service{Config: c, compiled: map[string]*class{}}, nil
}

// Covering implements [tv.Grants]. A grant whose condition cannot be read covers
// nothing.
func (s *Service) Covering(ctx context.Context, r tv.Request) ([]tv.Grant, error) {
	if s.Off {
		return nil, nil
	}
	open, err := s.Store.Grants(ctx, tv.GrantQuery{Tool: r.Tool.Name(), Subject: r.Subject.ID, OpenAt: s.Now(), Limit: maxOpen})
	if err != nil {
		return nil, err
	}
	open = slices.DeleteFunc(open, func(g tv.Grant) bool {
		if g.ToolHash != r.Tool.Hash() {
			return true
		}
		c, err := s.class(r.Tool, &g)
		return err != nil || !c.holds(r)
	})
	slices.SortStableFunc(open, func(a, b tv.Grant) int { return a.Expires.Compare(b.Expires) }) // what ends first is used first
	return open, nil
}

// class compiles a grant's condition, once.
func (s *Service) class(t *tv.Tool, g *tv.Grant) (*class, error) {
	s.mu.Lock()
	known := s.compiled[g.ID]
	s.mu.Unlock()
	if known != nil && known.tool == t {
		return known, nil
	}
	made, err := compile(t, g.When)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.compiled) >= 4*maxOpen {
		clear(s.compiled)
	}
	s.compiled[g.ID] = made
	return made, nil
}

// Preview shows what a choice comes to, and writes nothing.
func (s *Service) Preview(ctx context.Context, by tv.Subject, id string, c Choice) (Proposal, error) {
	o, err := s.prepare(ctx, by, id, c)
	if err != nil {
		return Proposal{}, err
	}
	admits, refuses := o.examples(ctx)
	return s.view(o, admits, refuses), nil
}

// prepare finds out whether a person may grant calls like one, and makes the
// class.
func (s *Service) prepare(ctx context.Context, by tv.Subject, id string, c Choice) (*offer, error) {
	o := &offer{}
	var err error
	if o.approval, err = s.Desk.Get(ctx, by, id); err != nil {
		return nil, err
	}
	if err := s.Desk.Alone(by, &o.approval); err != nil {
		return nil, err
	}
	tool, err := s.grantable(&o.approval)
	if err != nil {
		return nil, err
	}
	if err := s.terms(o, c); err != nil {
		return nil, err
	}
	q, err := ask(ctx, tool, o.approval.Call, s.Analyser)
	if err != nil {
		return nil, err
	}
	q.request.At = s.Now()
	s.veil(o, q)
	o.proposal, err = q.propose(ctx, c)
	return o, err
}

// veil marks what the approver does not see as it is. Nobody can free that, and no
// example may be made of it: a secret with another letter in it is known as one to
// nobody.
func (s *Service) veil(o *offer, q *question) {
	o.shown, _ = canon.Parse(s.Redactor.Arguments(q.tool, q.args, tv.WholeView), canon.Limits{MaxBytes: canon.HardMaxBytes, MaxDepth: canon.HardMaxDepth})
	for _, p := range q.places {
		v, there := o.shown.Pointer(p.at)
		p.hidden = p.hidden || !there || !canon.Equal(v, p.value)
	}
}

// grantable finds the tool of an approval as it is now, if calls like this can be
// granted at all.
func (s *Service) grantable(a *tv.Approval) (*tv.Tool, error) {
	if s.Off {
		return nil, refused("the configuration switches grants off")
	}
	if a.State != tv.ApprovalPending || !s.Now().Before(a.Expires) {
		return nil, fmt.Errorf("grant calls like approval %q: %w", a.ID, approval.ErrDecided)
	}
	snap := s.Snapshots.Current()
	tool, ok := snap.Catalog.Tool(a.Call.Tool)
	switch _, hash := snap.Policy.Identity(); {
	case !ok || tool.Hash() != a.ToolHash:
		return nil, refused("the tool is no longer what it was when the call was asked about")
	case hash != a.PolicyHash:
		return nil, refused("the policy is no longer what it was when the call was asked about")
	case tool.Risk() == tv.HighRisk:
		return nil, refused("calls of high risk are approved one by one")
	}
	return tool, nil
}

// Give approves the call at hand and grants calls like it. Where the grant cannot
// be written after that, the call is approved and nothing is granted.
func (s *Service) Give(ctx context.Context, by tv.Subject, id string, c Choice) (View, error) {
	o, err := s.prepare(ctx, by, id, c)
	if err != nil {
		return View{}, err
	}
	open, err := s.Store.Grants(ctx, tv.GrantQuery{Tool: o.tool.Name(), Subject: o.scope.Subject, OpenAt: s.Now(), Limit: maxOpen})
	if err != nil {
		return View{}, err
	}
	if len(open) >= maxOpen {
		return View{}, refused("there are %d open grants for this tool and caller already: revoke some", maxOpen)
	}
	given, err := s.Desk.Approve(ctx, by, id, c.Reason)
	if err != nil {
		return View{}, err
	}
	if given.State != tv.ApprovalApproved {
		return View{}, fmt.Errorf("grant calls like approval %q: %w", id, approval.ErrTogether)
	}
	now := s.Now()
	g := tv.Grant{
		ID: s.NewID(), Approval: id, Tool: o.tool.Name(), ToolHash: o.tool.Hash(), PolicyHash: o.approval.PolicyHash,
		Requirements: o.approval.Requirements, Scope: o.scope, When: o.when, Label: s.label(o), By: by, Reason: s.free(c.Reason),
		Created: now, Expires: now.Add(o.lasts), MaxUses: o.uses,
	}
	r := s.record(&g, by, "granted calls like it, "+words(&g)+": "+s.Redactor.Text(g.Label))
	if err := s.Store.Commit(ctx, tv.Changes{Records: []tv.Record{r}, Grants: []tv.GrantChange{{To: g}}}); err != nil {
		return View{}, fmt.Errorf("keep grant: the call is approved, and nothing else is: %w", err)
	}
	return Show(&g, now), nil
}

// free makes a person's text fit for a record.
func (s *Service) free(text string) string {
	return plain.Mark(plain.Clip(s.Redactor.Text(text), maxText))
}

func (s *Service) record(g *tv.Grant, by tv.Subject, detail string) tv.Record {
	return tv.Record{
		Kind: tv.RecordAdmin, At: s.Now(), Subject: by.ID, User: by.User, Agent: by.Agent, Tool: g.Tool, ToolHash: g.ToolHash,
		PolicyHash: g.PolicyHash, Approval: g.Approval, Grant: g.ID, Detail: detail,
	}
}
