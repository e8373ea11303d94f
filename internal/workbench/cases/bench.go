// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/near"
	"github.com/toolverdict/toolverdict/policy"
)

// Bench is what cases are decided on: a policy with the tools it is about.
type Bench struct {
	Set      *policy.Set
	Catalog  tv.Catalog                                  // nil: none is known, and every name stands for a plain tool
	Subject  func(id string) (tv.Subject, bool)          // of the configuration; nil: there is none
	Analyse  func(t *tv.Tool, args tv.Value) []tv.Effect // nil: by the analysers of the gate
	Warnings []string
	Report   policy.Report
}

// Call is a case made ready: what the policy is asked, or why it is not asked.
type Call struct {
	Request tv.Request
	Past    []policy.Past // the calls before it; nil: not known
	Refused tv.Code       // before the policy is asked; "": it is asked
	Why     string        // of a refusal
}

// Odd reports whether the call is none that a tool would take: that it is denied
// says nothing about a policy.
func (c *Call) Odd() bool {
	return c.Refused == tv.UnknownTool || c.Refused == tv.MalformedCall || c.Refused == tv.InvalidInput
}

// Ready makes a case ready. The error is about the case itself.
func (b *Bench) Ready(c *policy.Case) (Call, error) {
	t, known := b.tool(c.Tool)
	if !known {
		return Call{Refused: tv.UnknownTool, Why: fmt.Sprintf("there is no tool %q%s", c.Tool, b.near(c.Tool))}, nil
	}
	out := Call{Request: tv.Request{
		Tool: t, Arguments: c.Args, Model: c.Model, Session: c.Session, Run: c.Run, Environment: c.Environment, At: c.At, Effects: c.Effects,
	}}
	var err error
	if out.Request.Subject, err = b.subject(c, t); err != nil {
		return out, err
	}
	if !c.Analysed {
		out.Request.Effects = b.effects(t, c.Args)
	}
	if c.Run.ReadOnly && t.Safety() != tv.ReadOnly {
		out.Refused, out.Why = tv.ToolNotAllowed, "the run is read-only and the tool is destructive"
		return out, nil
	}
	if clash, found := t.Schema().Clash(c.Args); found {
		out.Refused, out.Why = tv.MalformedCall, clash.Path+": "+clash.Message
		return out, nil
	}
	if errs := t.Schema().Validate(c.Args); len(errs) > 0 {
		out.Refused, out.Why = tv.InvalidInput, errs[0].Path+": "+errs[0].Message
		return out, nil
	}
	for i := range out.Request.Effects {
		if e := &out.Request.Effects[i]; t.Safety() == tv.ReadOnly && !t.MayDo(e) {
			out.Refused, out.Why = tv.PolicyDenied, fmt.Sprintf("the tool is declared read-only, and this call would do more than read (%s)", e.Kind)
			return out, nil
		}
	}
	if c.History != nil {
		out.Past = b.past(c, &out.Request)
		out.Request.Past = b.Set.Remember(out.Request, out.Past)
	}
	out.Request.Usage = usage(b.Set, out.Request, c.Counts)
	return out, nil
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
			def := standIn(h.Tool)
			def.Groups = h.Groups
			var err error
			if t, err = tv.NewTool(def, anything{}); err != nil {
				continue
			}
		}
		if then.Tool = t; !h.Analysed {
			then.Effects = b.effects(t, h.Args)
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

func (b *Bench) effects(t *tv.Tool, args tv.Value) []tv.Effect {
	if b.Analyse == nil {
		return effect.Effects(t, args)
	}
	return b.Analyse(t, args)
}

// tool finds a tool by its full name, or by a short one that only one server
// has.
func (b *Bench) tool(name string) (*tv.Tool, bool) {
	if b.Catalog == nil {
		t, err := tv.NewTool(standIn(name), anything{})
		return t, err == nil
	}
	if t, ok := b.Catalog.Tool(name); ok {
		return t, true
	}
	var found []*tv.Tool
	for _, t := range b.Catalog.Tools() {
		if own, ok := strings.CutPrefix(t.Name(), t.Server()+"/"); ok && own == name {
			found = append(found, t)
		}
	}
	if len(found) != 1 {
		return nil, false
	}
	return found[0], true
}

// standIn is a tool of which only the name is known.
func standIn(name string) tv.Definition {
	server, _, full := strings.Cut(name, "/")
	if !full {
		server, name = "tools", "tools/"+name
	}
	return tv.Definition{
		Name: name, Server: server, Safety: tv.Destructive, Risk: tv.LowRisk, Confirmation: tv.ConfirmByRisk, Execution: tv.Parallel,
	}
}

// anything is a schema that takes everything.
type anything struct{}

// Clash implements [tv.Schema].
func (anything) Clash(tv.Value) (tv.FieldError, bool) { return tv.FieldError{}, false }

// Validate implements [tv.Schema].
func (anything) Validate(tv.Value) []tv.FieldError { return nil }

func (b *Bench) near(name string) string {
	var known []string
	for _, t := range b.Catalog.Tools() {
		known = append(known, t.Name())
	}
	if meant := near.Word(name, known); meant != "" {
		return fmt.Sprintf(": did you mean %q?", meant)
	}
	return ""
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
	if c.Refused != "" {
		return tv.Decision{Verdict: tv.Deny, Code: c.Refused, Reason: c.Why}
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

// NewCall makes a call of a tool's name and the bytes of its arguments, as
// strictly as the gate would read them.
func NewCall(tool string, arguments []byte) (*policy.Case, error) {
	args, err := canon.Parse(arguments, canon.Limits{})
	if err == nil && args.Kind() != canon.KindObject {
		err = errors.New("a JSON object is wanted")
	}
	if err != nil {
		return nil, fmt.Errorf("read arguments: %w", err)
	}
	out := &policy.Case{}
	out.Tool, out.Args = tool, args
	return out, nil
}
