// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Bounds of every grant, whatever the configuration says.
const (
	MaxGrantTime = 8 * time.Hour
	MaxGrantUses = 100
)

// Grant is a person's answer to calls that are like one that was asked about:
// of one tool, by one caller, within bounds, for a while and so many times. It
// can turn an ask into an allow, never a deny. The zero Grant covers nothing.
type Grant struct {
	ID           string          `json:"id"`
	Version      int64           `json:"version"`  // raised by every change and every use
	Approval     string          `json:"approval"` // the question it was given at
	Tool         string          `json:"tool"`
	ToolHash     string          `json:"toolHash"`
	PolicyHash   string          `json:"policyHash"`
	Requirements []Requirement   `json:"requirements"`   // the asks that its maker could answer alone
	Scope        GrantScope      `json:"scope"`          // whose calls
	When         json.RawMessage `json:"when,omitempty"` // a policy's condition over arguments and effects; none once it has ended
	Label        string          `json:"label"`          // the same in words, redacted
	By           Subject         `json:"by"`
	Reason       string          `json:"reason,omitempty"`
	Created      time.Time       `json:"created"`
	Expires      time.Time       `json:"expires"`
	MaxUses      int             `json:"maxUses"`
	Used         int             `json:"used"`
	Revoked      *Revocation     `json:"revoked,omitempty"`
}

// GrantScope is whose calls a grant is about: those of one subject, in one run or
// session where they are named, under the same facts of the host.
type GrantScope struct {
	Subject     string            `json:"subject"`
	User        string            `json:"user,omitempty"`
	Agent       string            `json:"agent,omitempty"`
	Run         string            `json:"run,omitempty"`
	Session     string            `json:"session,omitempty"`
	Environment map[string]string `json:"environment,omitempty"`
}

// Revocation says who took a grant back.
type Revocation struct {
	By     string    `json:"by"`
	At     time.Time `json:"at"`
	Reason string    `json:"reason,omitempty"`
}

// Grants knows which grants there are, and what their conditions say.
type Grants interface {
	// Covering returns the grants of the request's tool and caller whose
	// conditions surely hold of it, in the order in which they are to be used.
	// What cannot be told is left out. All else about them is the gate's to check.
	Covering(ctx context.Context, r Request) ([]Grant, error)
}

// Open reports whether the grant can still be used at a time.
func (g *Grant) Open(at time.Time) bool {
	return g.Revoked == nil && g.Used < g.MaxUses && at.Before(g.Expires) && !at.Before(g.Created)
}

// holds reports whether a call is the caller's that the scope names.
func (s *GrantScope) holds(c *Call) bool {
	return c.Subject.Authenticated() && s.Subject == c.Subject.ID && s.User == c.Subject.User && s.Agent == c.Subject.Agent &&
		(s.Run == "" || s.Run == c.Run.ID) && (s.Session == "" || s.Session == c.Session) &&
		maps.Equal(s.Environment, c.Environment)
}

// answers reports whether the grant is a yes to what this call is asked about
// now, given that its condition holds. Whoever gave it could have said that yes
// to each of the asks, under this policy, for this definition of the tool.
func (g *Grant) answers(t *trail, at time.Time) bool {
	return g.ID != "" && g.Open(at) && g.Tool == t.tool.Name() && g.ToolHash == t.tool.Hash() &&
		g.PolicyHash == t.decision.PolicyHash && g.Scope.holds(t.call) && len(t.decision.Asks) > 0 &&
		!slices.ContainsFunc(t.decision.Asks, func(need Requirement) bool {
			return need.Quorum > 1 || !slices.ContainsFunc(g.Requirements, func(r Requirement) bool { return r.Rule == need.Rule && r.Quorum <= 1 })
		})
}

// request is the question that a policy, or a grant, is asked about this call.
func (t *trail) request() Request {
	c := t.call
	return Request{
		Tool: t.tool, Arguments: c.Arguments, Subject: c.Subject, Model: c.Model, Session: c.Session,
		Run: c.Run, Environment: c.Environment, At: c.At, Effects: t.analysis.Effects,
	}
}

// offer looks for a grant that answers the ask. An approval that was given is
// used before any grant, a no stays a no, what a person changed waits for a person,
// a grant says nothing of what files hold that are run, and nobody's reaches high
// risk.
func (g *Gate) offer(ctx context.Context, c *claimed) error {
	c.grant = nil
	given := c.approval != nil && c.approval.State != ApprovalPending
	if g.Grants == nil || given || c.edited != nil || len(c.call.Files) > 0 || c.decision.Verdict != Ask || c.tool.Risk() == HighRisk {
		return nil
	}
	found, err := g.Grants.Covering(ctx, c.request())
	if err != nil {
		return fmt.Errorf("read grants: %w", err)
	}
	i := slices.IndexFunc(found, func(one Grant) bool { return one.answers(c.trail, g.Now()) })
	if i < 0 {
		return nil
	}
	c.grant = &found[i]
	if free := c.prior.Epoch == 0 || g.lapsed(&c.prior) || c.prior.State == ClaimSucceeded || c.prior.State == ClaimFailed; free &&
		c.approval == nil && strings.HasPrefix(c.key, "digest:") {
		// Under a grant, as under an allow, each call is its own act: what was done
		// is done again. What waits, runs, or was lost is not passed by.
		c.key, c.prior = "call:"+c.call.ID, Claim{}
	}
	return nil
}

// granted reports whether the call runs under its grant.
func (c *claimed) granted() bool { return c.grant != nil }

// use makes a granted call's use of its grant a part of the write that records
// the intent. A question that still waits for a person ends with it.
func (g *Gate) use(ctx context.Context, c *confirmed, out *cleared, changes *Changes) error {
	if c.grant == nil || c.approval != nil {
		return nil
	}
	stored, at := c.call.Store(), changes.Records[0].At
	changes.Uses = []string{c.grant.ID}
	changes.Unasked = []Unasked{{Asker: stored.Asker(), Digest: c.digest, Since: at.Add(-g.room(&stored).Remember)}}
	changes.Records[0].Grant = c.grant.ID
	out.decision.Verdict, out.decision.Code, out.decision.Grant = Allow, "", c.grant.ID
	return g.supersede(ctx, &c.claimed, changes, at)
}
