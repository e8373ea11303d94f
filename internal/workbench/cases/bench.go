// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/internal/near"
	"github.com/toolverdict/toolverdict/internal/plain"
	"github.com/toolverdict/toolverdict/internal/workbench/calls"
	"github.com/toolverdict/toolverdict/policy"
)

// Bench is what cases are decided on: a policy with the tools it is about.
type Bench struct {
	Set      *policy.Set
	Catalog  tv.Catalog                                                           // nil: none is known, and every name stands for a plain tool
	Subject  func(id string) (tv.Subject, bool)                                   // of the configuration; nil: there is none
	Analyse  func(t *tv.Tool, args tv.Value, facts map[string]string) []tv.Effect // nil: by the analysers of the gate
	Warnings []string
	Report   policy.Report
}

// Call is a case made ready: what the policy is asked, or why it is not asked.
type Call struct {
	Request tv.Request
	Past    []policy.Past // the calls before it; nil: not known
	Refused *tv.Refusal   // before the policy is asked, in the gate's words; nil: it is asked
	Meant   []string      // tools that may have been meant where there is none of that name
}

// Asked reports whether the rules are asked.
func (c *Call) Asked() bool { return c.Refused == nil }

// Odd reports whether the call is none that a tool would take: that it is denied
// says nothing about a policy.
func (c *Call) Odd() bool {
	return c.Refused != nil && slices.Contains([]tv.Code{tv.UnknownTool, tv.MalformedCall, tv.InvalidInput}, c.Refused.Code)
}

// Ready makes a case ready. The error is about the case itself.
func (b *Bench) Ready(c *policy.Case) (Call, error) {
	t, known := b.tool(c.Tool)
	if !known {
		return Call{Refused: tv.RefuseName(), Meant: near.Names(c.Tool, names(b.Catalog))}, nil
	}
	if err := b.counted(c.Counts); err != nil {
		return Call{}, err
	}
	out := Call{Request: tv.Request{
		Tool: t, Arguments: c.Args, Model: c.Model, Session: c.Session, Run: c.Run, Environment: c.Environment, At: c.At, Effects: c.Effects,
	}}
	var err error
	if out.Request.Subject, err = b.subject(c, t); err != nil {
		return out, err
	}
	if !c.Analysed {
		out.Request.Effects = b.effects(t, c.Args, c.Environment)
	}
	if out.refuse() {
		return out, nil
	}
	if c.History != nil {
		out.Past = b.past(c, &out.Request)
		out.Request.Past = b.Set.Remember(out.Request, out.Past)
	}
	out.Request.Usage = usage(b.Set, out.Request, c.Counts)
	return out, nil
}

// refuse has the gate say what it says to a call before it asks the rules, and
// reports whether that ends it.
func (c *Call) refuse() bool {
	r := &c.Request
	for _, no := range []*tv.Refusal{
		tv.RefuseRun(r.Tool, r.Run, nil), tv.RefuseArguments(r.Tool, r.Arguments), tv.RefuseEffects(r.Tool, r.Effects, plain.Mark),
	} {
		if no != nil {
			r.Tool.Guided(no)
			c.Refused = no
			return true
		}
	}
	return false
}

// counted refuses a count that nothing reads: a name that is misspelt would seem
// to prove that a limit holds.
func (b *Bench) counted(counts map[string]int) error {
	for _, id := range slices.Sorted(maps.Keys(counts)) {
		i := slices.IndexFunc(b.Report.Rules, func(r policy.RuleInfo) bool { return r.ID == id })
		if i >= 0 && b.Report.Rules[i].Limited {
			continue
		}
		if i >= 0 {
			return fmt.Errorf("counts: rule %q has no limit", id)
		}
		var limited []string
		for _, r := range b.Report.Rules {
			if r.Limited {
				limited = append(limited, r.ID)
			}
		}
		if meant := near.Word(id, limited); meant != "" {
			return fmt.Errorf("counts: the policy has no rule %q: did you mean %q?", id, meant)
		}
		return fmt.Errorf("counts: the policy has no rule %q", id)
	}
	return nil
}

// past is what was called before a case, in one session and by the same caller
// unless it says otherwise.
func (b *Bench) past(c *policy.Case, r *tv.Request) []policy.Past {
	r.Session = cmp.Or(r.Session, "before")
	out := make([]policy.Past, 0, len(c.History))
	for _, h := range c.History {
		then := tv.Request{Arguments: h.Args, Effects: h.Effects, Subject: r.Subject, Session: cmp.Or(h.Session, r.Session), Run: r.Run, At: r.At.Add(-h.Ago)}
		if h.Subject != nil {
			then.Subject = *h.Subject
		}
		if h.Run.ID != "" {
			then.Run = h.Run
		}
		t, known := b.tool(h.Tool)
		if !known || b.Catalog == nil {
			var err error
			if t, err = calls.StandIn(h.Tool, h.Groups...); err != nil {
				continue
			}
		}
		if then.Tool = t; !h.Analysed {
			then.Effects = b.effects(t, h.Args, then.Environment)
		}
		out = append(out, policy.Past{Request: then, State: h.State()})
	}
	return out
}

// subject is who calls. Where a case does not say what a subject may do, it has
// the permission of the tool: cases are about rules.
func (b *Bench) subject(c *policy.Case, t *tv.Tool) (tv.Subject, error) {
	if c.As != "" {
		if b.Subject == nil {
			return tv.Subject{}, fmt.Errorf("as: there is no configuration whose subjects could be named: write subject: {id: …}")
		}
		s, ok := b.Subject(c.As)
		if !ok {
			return tv.Subject{}, fmt.Errorf("as: the configuration has no subject %q", c.As)
		}
		return s, nil
	}
	s := tv.Subject{ID: "somebody"}
	if c.Subject != nil {
		s = *c.Subject
	}
	if p := t.Permission(); s.Permissions == nil && p != "" {
		s.Permissions = []string{p}
	}
	return s, nil
}

func (b *Bench) effects(t *tv.Tool, args tv.Value, facts map[string]string) []tv.Effect {
	if b.Analyse == nil {
		return effect.Effects(t, args, facts)
	}
	return b.Analyse(t, args, facts)
}

// tool finds a tool by its full name, or by a short one that only one server
// has.
func (b *Bench) tool(name string) (*tv.Tool, bool) {
	if b.Catalog == nil {
		t, err := calls.StandIn(name)
		return t, err == nil
	}
	return calls.Find(b.Catalog, name)
}

func names(known tv.Catalog) []string {
	var out []string
	for _, t := range known.Tools() {
		out = append(out, t.Name())
	}
	return out
}

// usage makes counters hold what a case says of them. A limit that it does not
// name is not used up at all.
func usage(p *policy.Set, r tv.Request, counts map[string]int) []tv.Usage {
	if len(counts) == 0 {
		return nil
	}
	var out []tv.Usage
	for _, l := range p.Decide(r).Limits {
		if n, ok := counts[l.Rule]; ok {
			u := tv.Usage{Key: l.Key, Count: n}
			if n > 0 && !r.At.IsZero() {
				u.Oldest = r.At.Add(-l.Per / 2)
			}
			out = append(out, u)
		}
	}
	return out
}

// Decide decides a call as the gate would: by the policy, or one with a rule
// changed, and by what the definition of the tool demands.
func Decide(p *policy.Set, c *Call) tv.Decision {
	if c.Refused != nil {
		return tv.Decision{Verdict: tv.Deny, Code: c.Refused.Code, Reason: strings.TrimSuffix(c.Refused.Message, ".")}
	}
	r := c.Request
	if c.Past != nil {
		r.Past = p.Remember(r, c.Past) // a changed rule may ask something else
	}
	d := tv.Demand(r.Tool, r.Subject, p.Decide(r))
	if d.Verdict == tv.Deny {
		d.Code = cmp.Or(d.Code, tv.PolicyDenied)
	}
	return d
}
