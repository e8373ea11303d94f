// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package view

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/internal/console/words"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Card is an approval as its page and the inbox show it.
type Card struct {
	Name
	What
	Why
	approval.Standing

	People           People
	Created, Expires time.Time
	Edited           *tv.Edited
}

// Name says which approval it is, and where it stands.
type Name struct {
	ID, Code, Digest     string
	Version              int64
	State                tv.ApprovalState
	Replaces, ReplacedBy string
}

// What says what would happen.
type What struct {
	Summary, Tool string
	Risk          tv.Risk
	Safety        tv.Safety
	Impact        string
	Effects       []Effect
	More          int // effects that are not listed
	Arguments     []Argument
	Whole         string // all arguments, as JSON
}

// Why says why a person is asked, and who.
type Why struct {
	Reason, Policy string
	Rules          []Rule
	Needs          []Need
	Votes          []Vote
}

// Standing is how somebody stands to an approval.
type Standing = approval.Standing

// Problem is why an answer was not taken, in a word, or "" where something is
// broken.
func Problem(err error) string {
	switch {
	case errors.Is(err, approval.ErrTogether):
		return "together"
	case errors.Is(err, approval.ErrNotEligible):
		return "not-eligible"
	case errors.Is(err, approval.ErrDecided):
		return "decided"
	case errors.Is(err, approval.ErrNoReason):
		return "reason"
	}
	return ""
}

// People are those behind a call.
type People struct{ Requester, Agent, Session, Run string }

// Argument is one argument of a call.
type Argument struct {
	Name, Value string
	Role        tv.RoleKind // "" where the catalog says nothing of it
	Hidden      bool        // it holds characters that are not seen as they are
}

// Need is one requirement and how far it is met.
type Need struct {
	Rule      string
	Approvers []string
	Later     []string // who may, too, after a time
	After     time.Duration
	Quorum    int
}

// Rule is one rule that matched.
type Rule struct {
	Rule, Verdict string
	Unknown       bool // a value that it needs was missing or of another type
}

// Rules makes rules of matches.
func Rules(matches []tv.Match) []Rule {
	out := make([]Rule, len(matches))
	for i, m := range matches {
		out[i] = Rule{plain.Reveal(m.Rule), m.Verdict.String(), m.Unknown}
	}
	return out
}

// Vote is one answer.
type Vote struct {
	By, Reason string
	Approved   bool
	At         time.Time
}

// Open reports whether it can still be decided or used.
func (c *Card) Open() bool { return c.State == tv.ApprovalPending || c.State == tv.ApprovalApproved }

// NewCard makes a card. The tool is nil where it is not in the catalog now.
func NewCard(l *words.Language, a *tv.Approval, stands approval.Standing, tool *tv.Tool, now time.Time) Card {
	c := Card{
		Name: Name{a.ID, a.Code(), a.Digest, a.Version, a.StateAt(now), a.Replaces, a.ReplacedBy},
		What: What{
			Summary: plain.Reveal(a.Card.Summary), Tool: plain.Reveal(a.Card.Tool), Risk: a.Card.Risk, Safety: a.Card.Safety,
			Impact: plain.Reveal(a.Card.Impact), Effects: Effects(l, a.Card.Effects), More: a.Card.More,
			Arguments: arguments(a.Card.Arguments, tool), Whole: indent(a.Card.Whole, a.Card.Arguments),
		},
		Why:      Why{Reason: plain.Reveal(a.Card.Reason), Policy: plain.Reveal(a.PolicyVersion), Rules: Rules(a.Card.Rules)},
		Standing: stands, Created: a.Created, Expires: a.Expires, Edited: a.Edited,
		People: People{plain.Reveal(a.Card.Requester), plain.Reveal(a.Card.Agent), plain.Reveal(a.Card.Session), plain.Reveal(a.Call.Run.ID)},
	}
	for _, r := range a.Requirements {
		need := Need{Rule: r.Rule, Approvers: r.Approvers, Quorum: max(r.Quorum, 1)}
		if len(r.Escalate.To) > 0 {
			need.Later, need.After = r.Escalate.To, r.Escalate.After
		}
		c.Needs = append(c.Needs, need)
	}
	for _, v := range a.Votes {
		c.Votes = append(c.Votes, Vote{v.By.ID, plain.Reveal(v.Reason), v.Approved, v.At})
	}
	return c
}

// Yes is how many approved so far.
func (c *Card) Yes() int {
	n := 0
	for _, v := range c.Votes {
		if v.Approved {
			n++
		}
	}
	return n
}

// maxArguments bounds the table; the rest is in the whole.
const maxArguments = 24

// arguments lists the members of an object, those that mean something to the
// gate first.
func arguments(raw json.RawMessage, tool *tv.Tool) []Argument {
	names, members := members(raw)
	roles := map[string]tv.Role{}
	if tool != nil {
		roles = tool.Definition().Roles
	}
	out := make([]Argument, 0, len(names))
	for _, name := range names {
		value := text(members[name])
		shown := plain.Reveal(value)
		a := Argument{Name: plain.Reveal(name), Value: shown, Hidden: shown != value}
		pointer := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		for at, role := range roles {
			if at == pointer || strings.HasPrefix(at, pointer+"/") {
				a.Role = role.Kind
			}
		}
		out = append(out, a)
	}
	slices.SortStableFunc(out, func(a, b Argument) int {
		switch {
		case (a.Role != "") == (b.Role != ""):
			return 0
		case a.Role != "":
			return -1
		}
		return 1
	})
	return out[:min(len(out), maxArguments)]
}

// members reads an object's members in the order in which they are written.
func members(raw json.RawMessage) (names []string, values map[string]json.RawMessage) {
	values = map[string]json.RawMessage{}
	if json.Unmarshal(raw, &values) != nil {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return nil, nil
	}
	for d.More() {
		name, err := d.Token()
		var skip json.RawMessage
		if err != nil || d.Decode(&skip) != nil {
			break
		}
		if s, ok := name.(string); ok {
			names = append(names, s)
		}
	}
	return names, values
}

func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil && len(raw) > 0 && raw[0] == '"' {
		return s
	}
	return string(raw)
}

func indent(whole, short json.RawMessage) string {
	if len(whole) == 0 {
		whole = short
	}
	var b bytes.Buffer
	if json.Indent(&b, whole, "", "  ") != nil {
		return plain.Reveal(string(whole))
	}
	return plain.Reveal(b.String())
}
