// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/plain"
	"github.com/toolverdict/toolverdict/policy"
)

// Rules writes what each rule made of a call. Those that did not match are named
// in one line each, but for the ones that open says to show with their conditions.
func Rules(to io.Writer, rules []policy.RuleSeen, effects []tv.Effect, open func(rule string) bool) error {
	w := &writer{to: to, effects: effects}
	for i := range rules {
		w.rule(&rules[i], rules[i].Matched || open(rules[i].ID))
	}
	return w.err
}

// writer writes lines and keeps the first error.
type writer struct {
	to      io.Writer
	effects []tv.Effect
	err     error
}

func (w *writer) line(indent int, format string, args ...any) {
	if w.err == nil {
		text := strings.TrimRight(plain.Line(fmt.Sprintf(format, args...)), " ")
		_, w.err = fmt.Fprintln(w.to, strings.Repeat("  ", indent)+text)
	}
}

func (w *writer) rule(r *policy.RuleSeen, open bool) {
	w.line(1, "%s: %s, %s, %s:%d", r.ID, r.Verdict, matching(r), r.File, r.Line)
	if !open {
		return
	}
	w.line(2, "%q", r.Reason)
	if r.Limit != "" {
		w.line(2, "limit: %s", r.Limit)
	}
	w.named("when", r.When)
	w.named("unless", r.Unless)
}

// matching says whether a rule matches, and why where that is not plain.
func matching(r *policy.RuleSeen) string {
	switch {
	case r.Matched && r.Truth == policy.Unknown:
		return "matches, because its condition is unknown"
	case r.Matched:
		return "matches"
	case r.Truth == policy.Unknown:
		return "does not match, because its condition is unknown"
	case r.Truth == policy.True && r.Limit != "":
		return "does not match: its limit is not used up"
	}
	return "does not match"
}

func (w *writer) named(name string, c *policy.ConditionSeen) {
	if c == nil {
		return
	}
	w.line(2, "%s is %s:", name, c.Truth)
	w.condition(3, c)
}

func (w *writer) condition(indent int, c *policy.ConditionSeen) {
	text := c.Truth.String() + "  " + c.Text
	switch {
	case c.Value != "":
		text += "  (" + c.Value + ")"
	case strings.HasPrefix(c.Text, "effects.") && len(w.effects) == 0:
		text += "  (no effects)"
	}
	w.line(indent, "%s", text)
	for i := range c.Parts {
		w.condition(indent+1, &c.Parts[i])
	}
	for _, e := range telling(c) {
		w.line(indent+1, "%s  %s", e.Condition.Truth, w.effect(e.Effect))
		w.condition(indent+2, &e.Condition)
	}
}

func (w *writer) effect(i int) string {
	if i >= len(w.effects) {
		return "effect " + strconv.Itoa(i+1)
	}
	return fmt.Sprintf("effect %d: %s", i+1, Effect(&w.effects[i]))
}

// mostTelling bounds how many effects are written under one condition.
const mostTelling = 3

// telling picks the effects that make effects.any or effects.every what it is:
// those with its own truth, or else all.
func telling(c *policy.ConditionSeen) []policy.EffectSeen {
	var out []policy.EffectSeen
	for _, e := range c.Effects {
		if e.Condition.Truth == c.Truth {
			out = append(out, e)
		}
	}
	if len(out) == 0 {
		out = c.Effects
	}
	return out[:min(len(out), mostTelling)]
}

// Effect says in a line what an effect is.
func Effect(e *tv.Effect) string {
	words := []string{string(e.Kind)}
	add := func(name, value string) {
		if value != "" {
			words = append(words, strings.TrimSpace(name+" "+strings.ReplaceAll(value, "\x00", "…")))
		}
	}
	add("", e.Path)
	add("matching", e.Pattern)
	if e.Deep && e.Pattern == "" {
		add("", "and all below")
	}
	if e.Names {
		add("", "(names only)")
	}
	run(e, add)
	add("", e.Scheme)
	add("", e.Host)
	if e.Port != 0 {
		add("port", strconv.Itoa(e.Port))
	}
	if e.IP != e.Host {
		add("at", e.IP)
	}
	add("network", e.Network)
	add(e.Field, e.Recipient)
	if e.Recipient == "" {
		add("", e.Domain)
	}
	add("", e.Amount)
	add("", e.Currency)
	query(e.Query, add)
	if e.Detail != "" {
		words = append(words, "("+e.Detail+")")
	}
	if e.Source != "" {
		words = append(words, "from "+e.Source)
	}
	return strings.Join(words, " ")
}

func run(e *tv.Effect, add func(name, value string)) {
	if e.Kind != tv.EffectExecute {
		return
	}
	if len(e.Argv) > 1 {
		add("", strings.Join(e.Argv, " "))
	} else {
		add("", e.Program)
	}
	if !e.Known {
		add("", "(what it touches is not known)")
	}
}

func query(q *tv.Query, add func(name, value string)) {
	if q == nil {
		return
	}
	add("", q.Verb)
	add("changes", strings.Join(q.Changes, ", "))
	add("reads", strings.Join(q.Reads, ", "))
	add("calls", strings.Join(q.Functions, ", "))
	if !q.Bounded {
		add("", "without a bound")
	}
	if q.Limit > 0 {
		add("limit", strconv.FormatInt(q.Limit, 10))
	}
}
