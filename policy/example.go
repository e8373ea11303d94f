// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// exampleTool stands in for a tool that is not known: it accepts anything.
type exampleTool struct{}

// Clash implements [toolverdict.Schema].
func (exampleTool) Clash(toolverdict.Value) (toolverdict.FieldError, bool) {
	return toolverdict.FieldError{}, false
}

// Validate implements [toolverdict.Schema].
func (exampleTool) Validate(toolverdict.Value) []toolverdict.FieldError { return nil }

// runExamples holds every rule to its match and noMatch calls. A limit counts
// as reached.
func runExamples(s *Set, c *checker) {
	for _, r := range s.rules {
		for _, e := range r.source.Match {
			if t, ok := s.try(c, r, e); ok && !r.matches(t) {
				c.problem(e.Pos, exampleHint(r, e, t, "change the rule or the example"), "rule %q does not match this example: its condition is %s", r.id, t)
			}
		}
		for _, e := range r.source.NoMatch {
			if t, ok := s.try(c, r, e); ok && r.matches(t) {
				c.problem(e.Pos, exampleHint(r, e, t, noMatchHint(t)), "rule %q matches this example: its condition is %s", r.id, t)
			}
		}
	}
}

// exampleHint tells of effects, or of a history, that an example leaves open.
func exampleHint(r *rule, x syntax.Example, t predicate.Truth, otherwise string) string {
	switch {
	case t != predicate.Unknown:
	case x.History == nil && r.speaks(syntax.IsHistory):
		return "say what was called before: {args: {…}, history: [{tool: web/fetch, ago: 5m}]}, history: [] for nothing"
	case !x.Analysed && r.speaks(syntax.IsEffects):
		return "say what the call would do: {args: {…}, effects: [{kind: delete, path: /srv/a}]}, effects: [] for nothing"
	}
	return otherwise
}

// speaks reports whether the rule has a condition of a kind.
func (r *rule) speaks(kind func(syntax.Condition) bool) bool {
	return syntax.Holds(r.source.When, kind) || syntax.Holds(r.source.Unless, kind)
}

func noMatchHint(t predicate.Truth) string {
	if t == predicate.Unknown {
		return "a value that is missing or of another type counts towards the stricter side; test an optional field with exists: true beside it"
	}
	return "change the rule or the example"
}

// try evaluates one rule on one example.
func (s *Set) try(c *checker, r *rule, x syntax.Example) (predicate.Truth, bool) {
	e, ok := c.ready(r, x)
	if !ok {
		return predicate.Unknown, false
	}
	return r.eval(&e), true
}

// ready makes an example a request to decide.
func (c *checker) ready(r *rule, x syntax.Example) (eval, bool) {
	t := exampleOf(r, x.Tool, c)
	if t == nil || !r.covers(&t.facts) {
		c.problem(x.Pos, "name a tool that the rule's tools cover", "rule %q does not look at the tool of this example", r.id)
		return eval{}, false
	}
	if _, unseen := t.known.Schema().(exampleTool); unseen && c.options.Discovery && !x.Analysed && r.speaks(syntax.IsEffects) {
		return eval{}, false // it is tried once the tool is there, and its roles are known
	}
	if why := t.invalid(x.Args); why != "" {
		c.warn(x.Pos, "such a call never reaches the rules: make the example one that does", "the schema of %s refuses this example: %s", t.name, why)
	}
	req := toolverdict.Request{
		Tool: t.known, Arguments: x.Args, Model: x.Model, Session: x.Session, Run: x.Run,
		Environment: x.Environment, Effects: x.Effects, At: x.At, Subject: toolverdict.Subject{ID: "example"},
	}
	if x.Subject != nil {
		req.Subject = *x.Subject
	}
	if x.History != nil {
		req.Past = c.before(x.History, &req, questions([]*rule{r}))
	}
	known := knownNot
	switch {
	case x.Analysed:
		known = knownListed
	case c.options.Analyse != nil:
		req.Effects, known = c.options.Analyse(t.known, x.Args, x.Environment), knownByRoles
	}
	return eval{req: req, facts: &t.facts, analysis: known, scratch: predicate.Scratch{At: req.At}}, true
}

// before answers what a rule asks of the calls before an example. They are of one
// session, and of the same caller, unless it says otherwise.
func (c *checker) before(history []syntax.Past, r *toolverdict.Request, asked []*predicate.Question) []toolverdict.Seen {
	if r.Session == "" {
		r.Session = "example"
	}
	calls := make([]toolverdict.Past, 0, len(history))
	for _, p := range history {
		then := toolverdict.Request{Arguments: p.Args, Subject: r.Subject, Session: cmp.Or(p.Session, r.Session), Run: r.Run, Effects: p.Effects, At: r.At.Add(-p.Ago)}
		if p.Subject != nil {
			then.Subject = *p.Subject
		}
		if p.Run.ID != "" {
			then.Run = p.Run
		}
		t := toolverdict.PastTool{Name: p.Tool, Groups: p.Groups}
		if known := c.tools.byText[p.Tool]; len(known) > 0 {
			t = known[0].past()
		} else if !strings.Contains(p.Tool, "/") {
			t.Name = "example/" + p.Tool
		}
		one, f := pastOf(&then, t, p.State()), factsOf(t)
		for _, q := range asked {
			if q.Sum != "" {
				one.Numbers = append(one.Numbers, kept{q, hides(&f, q)}.number(&then, p.Analysed))
			}
		}
		calls = append(calls, one)
	}
	looks := make([]toolverdict.Look, len(asked))
	for i, q := range asked {
		looks[i] = q.Look(r)
	}
	return answer(looks, calls, r)
}

// exampleOf finds the tool an example is about, or makes one that the rule's
// first pattern covers.
func exampleOf(r *rule, name string, c *checker) *tool {
	for _, t := range c.covered[r] {
		if name == "" || t.name == name || t.short == name {
			return t
		}
	}
	for _, t := range c.tools.byText[name] {
		if t.name == name {
			return t
		}
	}
	def := toolverdict.Definition{
		Name: "example/example", Server: "example", Safety: toolverdict.Destructive, Risk: toolverdict.HighRisk,
		Permission: "example", Confirmation: toolverdict.ConfirmByRisk, Execution: toolverdict.Parallel,
	}
	p := r.patterns[0]
	switch {
	case name != "":
		def.Name = name
		i := slices.IndexFunc(r.patterns, func(p pattern) bool { return p.Kind != syntax.ByName })
		if i >= 0 {
			p = r.patterns[i]
		}
	case p.Kind == syntax.ByName:
		def.Name = spell(p)
	}
	switch p.Kind {
	case syntax.ByGroup:
		def.Groups = []string{p.Text}
	case syntax.BySafety:
		def.Safety = toolverdict.Safety(p.Text)
	case syntax.ByRisk:
		def.Risk = toolverdict.Risk(p.Text)
	case syntax.ByName:
	}
	if server, _, found := strings.Cut(def.Name, "/"); found {
		def.Server = server
	}
	known, err := toolverdict.NewTool(def, exampleTool{})
	if err != nil {
		return nil
	}
	return &tool{facts: newFacts(known), hash: known.Hash(), known: known}
}

// spell makes a tool's name that a pattern of names covers.
func spell(p pattern) string {
	name := []byte{}
	for _, c := range []byte(p.Text) {
		if c == '*' {
			name = append(name, 'x')
			continue
		}
		name = append(name, c)
	}
	if !p.Full {
		return "example/" + string(name)
	}
	if p.Text == "*" {
		return "example/example"
	}
	return string(name)
}

// invalid says why a known tool would refuse an example's arguments.
func (t *tool) invalid(args toolverdict.Value) string {
	if errs := t.known.Schema().Validate(args); len(errs) > 0 {
		return fmt.Sprintf("%s: %s", errs[0].Path, errs[0].Message)
	}
	return ""
}
