// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package grants

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Proposal is a class of calls as an approver sees it before it is granted.
// Everything in it is redacted.
type Proposal struct {
	Approval  string     `json:"approval"`
	Tool      string     `json:"tool"`
	Label     string     `json:"label"`
	Arguments []Argument `json:"arguments"`
	Admits    []Example  `json:"admits"`  // calls that would run, each of them tried
	Refuses   []Example  `json:"refuses"` // calls close by that would ask, each of them tried
	Scope     string     `json:"scope"`
	Scopes    []string   `json:"scopes"` // that there are to choose from, the narrowest first
	For       string     `json:"expires"`
	Uses      int        `json:"uses"`
	MostFor   string     `json:"mostExpires"`
	MostUses  int        `json:"mostUses"`
}

// Argument is one argument of the call at hand, and what can be done about it.
type Argument struct {
	At     string          `json:"at"`
	Value  json.RawMessage `json:"value"`
	Role   tv.RoleKind     `json:"role,omitempty"`
	Free   string          `json:"free,omitempty"`   // within what bounds; none where it is fixed
	Forms  []string        `json:"forms,omitempty"`  // in which it could be freed
	Does   []Doing         `json:"does,omitempty"`   // how a program could be
	Limits *limits         `json:"limits,omitempty"` // what the tool takes
}

// Example is one call that was tried.
type Example struct {
	Arguments json.RawMessage `json:"arguments"`
	Differs   string          `json:"differs,omitempty"` // the argument in which it is another call
}

// View is a grant as it is shown: never its condition, which holds arguments as
// they came.
type View struct {
	ID       string         `json:"id"`
	State    string         `json:"status"` // open, used up, expired or revoked
	Approval string         `json:"approval"`
	Tool     string         `json:"tool"`
	Label    string         `json:"label"`
	Scope    string         `json:"scope"`
	Subject  string         `json:"subject"`
	By       string         `json:"by"`
	Reason   string         `json:"reason,omitempty"`
	Created  time.Time      `json:"created"`
	Expires  time.Time      `json:"expires"`
	MaxUses  int            `json:"maxUses"`
	Used     int            `json:"used"`
	Revoked  *tv.Revocation `json:"revoked,omitempty"`
}

// Show makes a grant fit to be shown at a time.
func Show(g *tv.Grant, now time.Time) View {
	v := View{
		ID: g.ID, State: "open", Approval: g.Approval, Tool: g.Tool, Label: g.Label, Scope: ScopeSubject, Subject: g.Scope.Subject,
		By: g.By.ID, Reason: g.Reason, Created: g.Created, Expires: g.Expires, MaxUses: g.MaxUses, Used: g.Used, Revoked: g.Revoked,
	}
	switch {
	case g.Scope.Run != "":
		v.Scope = ScopeRun
	case g.Scope.Session != "":
		v.Scope = ScopeSession
	}
	switch {
	case g.Revoked != nil:
		v.State = "revoked"
	case g.Used >= g.MaxUses:
		v.State = "used up"
	case !g.Open(now):
		v.State = "expired"
	}
	return v
}

// forms are the ways in which an argument could be freed. Each is one that the
// argument's own value would pass.
func (p *place) forms() []string {
	kind, role := p.value.Kind(), p.role.Kind
	understood := len(p.effects) > 0 && !slices.ContainsFunc(p.effects, func(e tv.Effect) bool { return e.Kind == tv.EffectOpaque })
	switch {
	case p.hidden || p.mixed || role == tv.RoleCode || role != "" && role != tv.RoleHeader && !understood:
		return nil
	case p.program():
		return []string{"does"}
	case role == tv.RolePath && kind == canon.KindArray:
		return []string{"under"}
	case role == tv.RolePath:
		return []string{"under", "in"}
	case role == tv.RoleURL && kind == canon.KindString:
		return []string{"hosts", "in"}
	case role == tv.RoleEmail && kind == canon.KindArray:
		return []string{"domains"}
	case role == tv.RoleEmail:
		return []string{"domains", "in"}
	case role == tv.RoleMoney:
		return []string{"between", "in"}
	case kind == canon.KindNumber:
		return []string{"between", "in"}
	case kind == canon.KindString:
		return []string{"in", "prefix", "glob"}
	case kind == canon.KindBool:
		return []string{"either"}
	case kind == canon.KindArray && p.value.Len() > 0 && role == "" && scalars(p.value):
		return []string{"subset"}
	}
	return nil
}

func scalars(list canon.Value) bool {
	for _, e := range list.Items() {
		if k := e.Kind(); k == canon.KindArray || k == canon.KindObject || k == canon.KindNull {
			return false
		}
	}
	return true
}

// label says the class in words.
func (s *Service) label(o *offer) string {
	var parts []string
	for _, p := range o.places {
		name := strings.TrimPrefix(p.at, "/")
		if b, free := o.bounds[p.at]; free {
			parts = append(parts, name+" "+b.words)
			continue
		}
		text := "as it is"
		if v, ok := o.shown.Pointer(p.at); ok {
			text = string(canon.Append(nil, v))
		}
		parts = append(parts, name+" = "+plain.Clip(text, maxShown))
	}
	if len(parts) == 0 {
		parts = []string{"no arguments"}
	}
	return plain.Mark(s.Redactor.Shown(plain.Clip(o.tool.Name()+": "+strings.Join(parts, ", "), maxLabel)))
}

// Bounds of what is shown, in characters.
const (
	maxShown = 80
	maxLabel = 2000
)

// view makes a proposal fit to be shown.
func (s *Service) view(o *offer, admits, refuses []example) Proposal {
	v := Proposal{
		Approval: o.approval.ID, Tool: o.tool.Name(), Label: s.label(o), Arguments: []Argument{},
		Admits: s.shown(o, admits), Refuses: s.shown(o, refuses), Scope: o.named, Scopes: scopes(&o.approval.Call),
		For: short(o.lasts), Uses: o.uses, MostFor: short(s.Longest), MostUses: s.MostUses,
	}
	for _, p := range o.places {
		a := Argument{At: p.at, Role: p.role.Kind, Free: plain.Mark(s.Redactor.Shown(o.bounds[p.at].words)), Forms: p.forms()}
		if value, ok := o.shown.Pointer(p.at); ok {
			a.Value = canon.Append(nil, value)
		} else {
			a.Value = json.RawMessage(`"[hidden]"`)
		}
		if p.program() && len(a.Forms) > 0 {
			a.Does = s.hide(suggested(p))
		}
		if l := p.limits; len(a.Forms) > 0 && (l.Minimum != nil || l.Maximum != nil || l.MaxLength > 0 || len(l.Enum) > 0) {
			a.Limits = &l
		}
		v.Arguments = append(v.Arguments, a)
	}
	return v
}

// hide leaves out a suggestion that holds a secret: what would be taken up is not
// what is shown.
func (s *Service) hide(list []Doing) []Doing {
	for _, d := range list {
		for _, text := range slices.Concat(d.Programs, d.Verbs, d.Under, d.Hosts, d.Reads, d.Changes) {
			if s.Redactor.Shown(text) != text {
				return nil
			}
		}
	}
	return list
}

func (s *Service) shown(o *offer, list []example) []Example {
	out := make([]Example, len(list))
	for i, e := range list {
		out[i] = Example{Arguments: s.Redactor.Arguments(o.tool, e.args, tv.WholeView), Differs: e.differs}
	}
	return out
}

// offer is what a grant would be, before it is given.
type offer struct {
	*proposal
	approval tv.Approval
	shown    canon.Value // the arguments, as the approver sees them
	scope    tv.GrantScope
	named    string // the scope
	lasts    time.Duration
	uses     int
}

// scopes are those that a call can be granted in, the narrowest first.
func scopes(c *tv.StoredCall) []string {
	var out []string
	if c.Run.ID != "" {
		out = append(out, ScopeRun)
	}
	if c.Session != "" {
		out = append(out, ScopeSession)
	}
	return append(out, ScopeSubject)
}

// terms takes what a choice says of scope, time and number.
func (s *Service) terms(o *offer, c Choice) error {
	call := &o.approval.Call
	there := scopes(call)
	o.named, o.lasts, o.uses = cmp.Or(c.Scope, there[0]), cmp.Or(c.For, min(defaultFor, s.Longest)), cmp.Or(c.Uses, min(defaultUses, s.MostUses))
	if !slices.Contains(there, o.named) {
		return refused("scope must be one of %s for this call", strings.Join(there, ", "))
	}
	if o.lasts > s.Longest || o.uses > s.MostUses {
		return refused("a grant lasts %s at most here, and for %d calls", short(s.Longest), s.MostUses)
	}
	o.scope = tv.GrantScope{Subject: call.Subject.ID, User: call.Subject.User, Agent: call.Subject.Agent, Environment: maps.Clone(call.Environment)}
	switch o.named {
	case ScopeRun:
		o.scope.Run = call.Run.ID
	case ScopeSession:
		o.scope.Session = call.Session
	}
	return nil
}

// short writes a duration without what is zero in it: 30m, not 30m0s.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// words say when a grant ends.
func words(g *tv.Grant) string {
	return fmt.Sprintf("for %d calls until %s", g.MaxUses, g.Expires.UTC().Format(time.RFC3339))
}
