// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// History implements [toolverdict.Policy]: what the rules about the tool ask of
// earlier calls, and the numbers of this one that any rule adds up.
func (s *Set) History(r toolverdict.Request) toolverdict.Hindsight {
	var out toolverdict.Hindsight
	if r.Tool == nil {
		return out
	}
	t := s.find(r.Tool)
	for _, q := range t.program.looks {
		out.Looks = append(out.Looks, q.Look(&r))
	}
	for _, k := range t.kept {
		out.Numbers = append(out.Numbers, k.number(&r, len(t.def.Roles) > 0))
	}
	return out
}

// Past is a call before the one that is decided, for examples and tests.
type Past struct {
	toolverdict.Request // as it was made, at its own time
	State               toolverdict.PastState
}

// Remember answers what the rules ask about a request from a list of earlier
// calls, as a gate's store would.
func (s *Set) Remember(r toolverdict.Request, past []Past) []toolverdict.Seen {
	calls := make([]toolverdict.Past, 0, len(past))
	for _, p := range past {
		if p.Tool == nil {
			continue
		}
		t := s.find(p.Tool)
		one := pastOf(&p.Request, t.past(), p.State)
		one.Numbers = s.History(p.Request).Numbers
		calls = append(calls, one)
	}
	return answer(s.History(r).Looks, calls, &r)
}

func pastOf(r *toolverdict.Request, t toolverdict.PastTool, state toolverdict.PastState) toolverdict.Past {
	return toolverdict.Past{
		State: state, At: r.At, Tool: t, Session: r.Session, Subject: r.Subject.ID, User: r.Subject.User,
		Agent: r.Subject.Acting(), Run: r.Run.ID,
	}
}

func answer(looks []toolverdict.Look, calls []toolverdict.Past, r *toolverdict.Request) []toolverdict.Seen {
	out := make([]toolverdict.Seen, len(looks))
	for i := range looks {
		out[i] = looks[i].Answer(calls, r.At)
	}
	return out
}

// past is a tool as the history keeps it.
func (f *facts) past() toolverdict.PastTool {
	return toolverdict.PastTool{Name: f.name, Groups: f.def.Groups, Safety: f.def.Safety, Risk: f.def.Risk}
}

func factsOf(t toolverdict.PastTool) facts {
	f := facts{name: t.Name, short: t.Name, def: toolverdict.Definition{Groups: t.Groups, Safety: t.Safety, Risk: t.Risk}}
	if _, short, found := strings.Cut(f.name, "/"); found {
		f.short = short
	}
	f.meta = strings.HasPrefix(f.short, "@")
	return f
}

func (b *builder) history(h *syntax.History, positive bool) cond {
	patterns := make([]pattern, len(h.Tools))
	for i, p := range h.Tools {
		patterns[i] = b.pattern(p)
	}
	covers := func(t toolverdict.PastTool) bool {
		f := factsOf(t)
		return slices.ContainsFunc(patterns, func(p pattern) bool { return p.matches(&f) })
	}
	return cond{kind: condHistory, history: b.compiler().Question(h, covers, positive)}
}

// lookBack tests what was answered of earlier calls.
func (e *eval) lookBack(q *predicate.Question) predicate.Truth {
	return q.Eval(&e.scratch, e.req.Past, e.own(q))
}

// own is the number of the call itself, nil where it does not count.
func (e *eval) own(q *predicate.Question) *toolverdict.Number {
	if !q.AndThis() || !q.Covers(e.facts.past()) {
		return nil
	}
	var this toolverdict.Number
	if q.Sum != "" {
		this = kept{q, hides(e.facts, q)}.number(&e.req, e.analysed())
	}
	return &this
}

// kept is a number of a tool's calls that some rule adds up.
type kept struct {
	*predicate.Question
	hidden bool // the tool calls it sensitive
}

func (k kept) number(r *toolverdict.Request, analysed bool) toolverdict.Number {
	if k.hidden {
		return toolverdict.Number{Name: k.Sum}
	}
	return k.Number(r.Arguments, r.Effects, analysed)
}

func hides(f *facts, q *predicate.Question) bool {
	return q.Hidden(f.def.Sensitive)
}

// keeps returns what rules add up of a tool's calls, each number once.
func (s *Set) keeps(f *facts) []kept {
	var out []kept
	for _, q := range s.sums {
		if q.Covers(f.past()) && !slices.ContainsFunc(out, func(k kept) bool { return k.Sum == q.Sum }) {
			out = append(out, kept{q, hides(f, q)})
		}
	}
	return out
}

// questions returns what rules ask of earlier calls, each question once, and so
// that its answer is enough for all of them.
func questions(rules []*rule) []*predicate.Question {
	var out []*predicate.Question
	places := map[string]int{}
	var walk func(*cond)
	walk = func(c *cond) {
		if c == nil {
			return
		}
		if q := c.history; q != nil {
			switch at, asked := places[q.Key]; {
			case !asked:
				out, places[q.Key] = append(out, q), len(out)
			case q.Wider(out[at]):
				out[at] = q
			}
		}
		for i := range c.parts {
			walk(&c.parts[i])
		}
	}
	for _, r := range rules {
		walk(r.when)
		walk(r.unless)
	}
	return out
}

func sums(rules []*rule) []*predicate.Question {
	return slices.DeleteFunc(questions(rules), func(q *predicate.Question) bool { return q.Sum == "" })
}
