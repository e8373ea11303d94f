// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package replay decides calls of the past by another policy and tells what
// would have been different.
//
// A record of the audit log does not tell everything: secrets are redacted, long
// texts are cut, and of the caller it holds no roles and no facts of the host.
// Where a rule looks at something that is not told, the call is decided with
// values that tell the rules apart, and where these do not agree the answer is
// that it cannot be told. It is never guessed.
package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/internal/workbench/calls"
	"github.com/toolverdict/toolverdict/policy"
	"github.com/toolverdict/toolverdict/policy/compare"
)

// Options say by what calls are decided.
type Options struct {
	Known tv.Catalog                         // nil: no tool is known
	Files []policy.File                      // the other policy
	Base  []policy.File                      // decides what has no verdict of its own, nil for none
	Who   func(id string) (tv.Subject, bool) // who a subject of a record is today; nil: nobody is known
	Env   map[string]string                  // facts of the host, where a call does not tell them; nil: not known
}

// Verdict is a verdict, or that it cannot be told.
type Verdict string

// Unknown is the verdict of what cannot be told.
const Unknown Verdict = "unknown"

// Outcome is one call under both.
type Outcome struct {
	Call string  `json:"call"`
	Tool string  `json:"tool"`
	Old  Verdict `json:"old"`
	By   string  `json:"oldRule"`
	New  Verdict `json:"new"`
	Now  string  `json:"newRule"`
	Why  string  `json:"why,omitempty"` // it cannot be told
}

// Group is calls of one tool that change in the same way by the same rules.
type Group struct {
	Tool     string   `json:"tool"`
	Old      Verdict  `json:"old"`
	OldRule  string   `json:"oldRule"`
	New      Verdict  `json:"new"`
	NewRule  string   `json:"newRule"`
	Count    int      `json:"count"`
	Examples []string `json:"examples"` // where such calls stand, at most three
	Why      string   `json:"why,omitempty"`
}

// Report is what a replay found.
type Report struct {
	Version string  `json:"version"`
	Hash    string  `json:"hash"`
	Calls   int     `json:"calls"`
	Same    int     `json:"same"`
	Changed []Group `json:"changed"`
	Unknown []Group `json:"unknown"`
	Limits  bool    `json:"limits"` // the policy counts calls, and a replay counts none
}

// Run decides calls by the policy.
func Run(list []calls.Call, o Options) (Report, error) {
	now, err := o.side(o.Files)
	if err != nil {
		return Report{}, err
	}
	var before *side
	if o.Base != nil {
		if before, err = o.side(o.Base); err != nil {
			return Report{}, fmt.Errorf("the policy of before: %w", err)
		}
	}
	out := Report{Calls: len(list), Changed: []Group{}, Unknown: []Group{}}
	out.Version, out.Hash = now.set.Identity()
	groups := map[Outcome]*Group{}
	for i := range list {
		one, err := o.outcome(&list[i], before, now)
		if err != nil {
			return out, err
		}
		out.Limits = out.Limits || now.limited
		if one.Old == one.New && one.New != Unknown {
			out.Same++
			continue
		}
		key := one
		key.Call = ""
		if groups[key] == nil {
			groups[key] = &Group{Tool: one.Tool, Old: one.Old, OldRule: one.By, New: one.New, NewRule: one.Now, Why: one.Why, Examples: []string{}}
		}
		g := groups[key]
		if g.Count++; len(g.Examples) < 3 {
			g.Examples = append(g.Examples, one.Call)
		}
	}
	for _, g := range groups {
		if g.New == Unknown || g.Old == Unknown {
			out.Unknown = append(out.Unknown, *g)
			continue
		}
		out.Changed = append(out.Changed, *g)
	}
	for _, list := range [][]Group{out.Changed, out.Unknown} {
		slices.SortFunc(list, func(a, b Group) int {
			return cmp.Or(strings.Compare(a.Tool, b.Tool), b.Count-a.Count, strings.Compare(a.NewRule, b.NewRule), strings.Compare(a.OldRule, b.OldRule),
				strings.Compare(string(a.Old)+string(a.New)+a.Why, string(b.Old)+string(b.New)+b.Why))
		})
	}
	return out, nil
}

// side is one policy with the variations of what calls do not tell.
type side struct {
	set     *policy.Set
	probe   *compare.Probe
	limited bool // it counted calls of one that was decided
}

func (o *Options) side(files []policy.File) (*side, error) {
	set, _, err := policy.Compile(files, o.Known, policy.Options{Discovery: true, Analyse: effect.Effects})
	if err != nil {
		return nil, fmt.Errorf("read policy:\n%w", err)
	}
	probe, err := compare.NewProbe(files, o.Known)
	if err != nil {
		return nil, err
	}
	return &side{set: set, probe: probe}, nil
}

func (o *Options) outcome(c *calls.Call, before, now *side) (Outcome, error) {
	t, err := calls.Tool(o.Known, c.Tool)
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", c.At, err)
	}
	out := Outcome{Call: c.At, Tool: t.Name(), Old: Verdict(c.Verdict), By: c.Rule}
	q := o.question(c, t)
	if out.Old == "" {
		out.Old = Unknown
		if before != nil {
			out.Old, out.By, out.Why = before.decide(&q)
		}
	}
	var why string
	if out.New, out.Now, why = now.decide(&q); why != "" {
		out.Why = why
	}
	return out, nil
}

// question is a call with what is not known of it.
type question struct {
	tv.Request
	hidden  []string
	effects bool   // are not known
	holds   []bool // whether the caller has the tool's permission: what is possible
}

// question asks about a call with what is known of its caller.
func (o *Options) question(c *calls.Call, t *tv.Tool) question {
	q := question{Request: c.Request(t)}
	for _, at := range c.Hidden {
		q.hidden = append(q.hidden, "args"+at)
	}
	unknown := slices.Clone(c.Host.Unknown)
	if o.Who != nil && len(unknown) > 0 {
		if s, ok := o.Who(q.Subject.ID); ok {
			q.Subject.Kind, q.Subject.Roles, q.Subject.Permissions = s.Kind, s.Roles, s.Permissions
			unknown = slices.DeleteFunc(unknown, func(f string) bool { return strings.HasPrefix(f, "subject.") })
		}
	}
	if o.Env != nil && q.Environment == nil {
		q.Environment = o.Env
		unknown = slices.DeleteFunc(unknown, func(f string) bool { return f == "env" })
	}
	q.hidden = append(q.hidden, unknown...)
	q.holds = holds(c, q.Subject, t, slices.Contains(unknown, "subject.permissions"))
	roles := false
	for range t.Roles() {
		roles = true
	}
	switch {
	case c.Analysed:
		q.Effects = c.Effects
	case roles && len(c.Hidden) > 0:
		q.effects = true
	case roles:
		q.Effects = effect.Effects(t, q.Arguments, q.Environment)
	}
	return q
}

// holds says whether the caller has the tool's permission, as far as the record
// tells: what was allowed or asked about had it.
func holds(c *calls.Call, s tv.Subject, t *tv.Tool, hidden bool) []bool {
	switch {
	case c.Subject == nil || t.Permission() == "":
		return []bool{true}
	case !hidden:
		return []bool{s.Has(t.Permission())}
	case c.Verdict == tv.Allow.String() || c.Verdict == tv.Ask.String():
		return []bool{true}
	case c.Code == tv.PermissionDenied:
		return []bool{false}
	}
	return []bool{true, false}
}

// decide decides the call with every variation of what is not told. Where they
// do not agree, it cannot be told.
func (s *side) decide(q *question) (v Verdict, rule, why string) {
	found := s.probe.Vary(q.Request, q.hidden, q.effects)
	pasts := s.pasts(q.Request)
	first := s.demanded(pasts[0], q.holds[0])
	for _, r := range pasts {
		if s.demanded(r, q.holds[0]).Verdict != first.Verdict {
			return Unknown, "", "it depends on earlier calls"
		}
	}
	for _, has := range q.holds {
		if s.demanded(pasts[0], has).Verdict != first.Verdict {
			return Unknown, "", "it depends on whether the caller had the permission"
		}
		for _, other := range found.Requests {
			if s.demanded(s.pasts(other)[0], has).Verdict != first.Verdict {
				return Unknown, "", "it depends on what is not told: " + strings.Join(found.Of, ", ")
			}
		}
	}
	if !found.Complete {
		return Unknown, "", "it may depend on what is not told: " + strings.Join(found.Of, ", ")
	}
	return Verdict(first.Verdict.String()), first.Rule, ""
}

// pasts is the request with no call before it, and where rules look back also
// with many, and with nothing known of them.
func (s *side) pasts(r tv.Request) []tv.Request {
	looks := s.set.History(r).Looks
	if len(looks) == 0 {
		return []tv.Request{r}
	}
	none, many := r, r
	none.Past, many.Past = s.set.Remember(r, nil), nil
	for _, l := range looks {
		many.Past = append(many.Past, tv.Seen{Key: l.Key, Count: l.Most, Sum: "1000000000000"})
	}
	return []tv.Request{none, many, r}
}

// demanded adds what the tool's permission and risk demand, as the gate does.
func (s *side) demanded(r tv.Request, has bool) tv.Decision {
	d := s.set.Decide(r)
	s.limited = s.limited || len(d.Limits) > 0
	if p := r.Tool.Permission(); p != "" {
		r.Subject.Permissions = nil
		if has {
			r.Subject.Permissions = []string{p}
		}
	}
	return tv.Demand(r.Tool, r.Subject, d)
}
