// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

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

// Write writes the account for a person. With all, rules that do not match are
// shown with their conditions, too.
func (a *Account) Write(to io.Writer, all bool) error {
	w := &writer{to: to, effects: a.Effects}
	w.line(0, "%s: %s", a.Verdict, a.why())
	if a.Told != nil {
		w.line(1, "told to the caller: %s: %s", a.Told.Code, a.Told.Message)
		w.line(1, "next: %s", a.Told.RecommendedAction)
	}
	if len(a.Meant) > 0 {
		w.line(1, "did you mean %s?", strings.Join(a.Meant, ", "))
	}
	for _, need := range a.Asks {
		w.line(1, "asked: %s", asked(&need))
	}
	if a.Decided == "decoding" { // nothing more is known of the call
		w.line(0, "policy: %s %s", a.Policy.Version, a.Policy.Hash)
		return w.err
	}
	w.line(0, "call: %s %s", a.Call.Tool, a.Call.Arguments)
	w.line(0, "caller: %s", caller(&a.Call))
	w.line(0, "policy: %s %s", a.Policy.Version, a.Policy.Hash)
	w.line(0, "%s", "effects"+map[bool]string{true: ": none that its arguments tell of", false: ", as far as its arguments tell:"}[len(a.Effects) == 0])
	for i := range a.Effects[:min(len(a.Effects), mostListed)] {
		w.line(1, "%d. %s", i+1, Effect(&a.Effects[i]))
	}
	if more := len(a.Effects) - mostListed; more > 0 {
		w.line(1, "and %d more", more)
	}
	if a.Decided == "catalog" {
		return w.err
	}
	heading := "rules that look at this tool"
	if a.Decided == "run" || a.Decided == "schema" || a.Decided == "read-only" {
		heading += ", had they been asked"
	}
	w.line(0, "%s: %d; %d others do not", heading, len(a.Rules), a.Others)
	if w.err != nil {
		return w.err
	}
	return Rules(to, a.Rules, a.Effects, func(string) bool { return all })
}

// mostListed bounds how many effects are listed.
const mostListed = 30

// why says in words what decided.
func (a *Account) why() string {
	switch a.Decided {
	case "rule":
		return fmt.Sprintf("rule %q: %s", a.Rule, a.Reason)
	case "default":
		return "no rule matches: the policy's default"
	}
	return a.Reason
}

func asked(need *tv.Requirement) string {
	who := "the gate's approvers"
	if len(need.Approvers) > 0 {
		who = strings.Join(need.Approvers, ", ")
	}
	if need.Quorum > 1 {
		who = fmt.Sprintf("%d of %s", need.Quorum, who)
	}
	if need.Rule != "" {
		who += fmt.Sprintf(" (rule %q)", need.Rule)
	}
	return who
}

func caller(c *CallShown) string {
	s := c.Subject
	words := []string{cmp.Or(s.ID, "nobody")}
	for _, part := range []struct{ name, value string }{
		{"", string(s.Kind)}, {"for ", s.User}, {"agent ", s.Agent}, {"roles ", strings.Join(s.Roles, " ")}, {"session ", c.Session},
		{"model ", c.Model}, {"run ", c.Run.ID},
	} {
		if part.value != "" {
			words = append(words, part.name+part.value)
		}
	}
	if c.Run.ReadOnly {
		words = append(words, "in a read-only run")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		words = append(words, fmt.Sprintf("env.%s %s", name, c.Env[name]))
	}
	if !c.Time.IsZero() {
		words = append(words, "at "+c.Time.Format(time.RFC3339))
	}
	return strings.Join(words, ", ")
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
	rests := ""
	if r.CEL {
		rests = "rests on CEL, "
	}
	w.line(1, "%s: %s, %s, %s%s:%d", r.ID, r.Verdict, matching(r), rests, r.File, r.Line)
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
// those with its own truth, or else all that it does not pass over.
func telling(c *policy.ConditionSeen) []policy.EffectSeen {
	looked := slices.DeleteFunc(slices.Clone(c.Effects), func(e policy.EffectSeen) bool { return e.Passed })
	out := slices.DeleteFunc(slices.Clone(looked), func(e policy.EffectSeen) bool { return e.Condition.Truth != c.Truth })
	if len(out) == 0 {
		out = looked
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
	switch {
	case len(e.Argv) > 1:
		add("", strings.Join(e.Argv, " "))
	default:
		add("", cmp.Or(e.Program, "some program"))
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
