// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"slices"
	"strings"
	"unicode"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/workbench/calls"
)

// List is an ordered list of rules: the first whose conditions all hold decides,
// else the default.
type List struct {
	rules    []*listed
	fallback tv.Verdict
	fellBack canon.Value // where the default stands
	value    canon.Value
}

// listed is one rule of a list.
type listed struct {
	at      canon.Value
	id      string
	action  tv.Verdict
	reason  string
	names   []string // of tools; nil: any tool
	tests   []test
	inexact bool // a test was left out, because it has no equal here
}

// test is one condition on an argument, true or false for every value.
type test struct {
	at       canon.Value // of the value it compares with
	argument string
	prefix   bool
	value    canon.Value
	text     string // of a prefix
	lost     bool   // it compares with a list or an object
}

// The two ways to write a prefix.
const (
	prefixWord   = "startswith:"
	prefixSuffix = "_startswith"
)

// readList reads an ordered list.
func (r *reader) readList() *List {
	v, ok := r.parse()
	if !ok || !r.members(v, "the list", "rules", "default_action", "name", "version", "description") {
		return nil
	}
	l := &List{value: v, fallback: tv.Deny}
	rules, _ := v.Get("rules")
	if rules.Kind() != canon.KindArray || rules.Len() == 0 {
		r.problem(v, "give it at least one rule", "the list has no rules")
		return nil
	}
	seen := map[string]bool{}
	for _, one := range rules.Items() {
		rule := r.listed(one)
		if rule == nil {
			continue
		}
		if seen[rule.id] {
			r.problem(one, "rename one of them", "the id %q is used twice", show(rule.id))
		}
		seen[rule.id] = true
		l.rules = append(l.rules, rule)
	}
	l.fellBack, ok = v.Get("default_action")
	if !ok {
		r.say(v, "add default_action to the original if that is not what it does", "the list has no default_action: deny is taken")
		return l
	}
	l.fallback = r.action(l.fellBack, "default_action")
	return l
}

func (r *reader) action(v canon.Value, what string) tv.Verdict {
	switch v.Text() {
	case "allow":
		return tv.Allow
	case "ask", "approve", "require_approval", "confirm":
		return tv.Ask
	case "block", "deny":
		return tv.Deny
	}
	r.problem(v, "known are allow, block (or deny) and ask (or approve, require_approval, confirm)", "%s is not known", what)
	return tv.Deny
}

func (r *reader) listed(v canon.Value) *listed {
	if !r.members(v, "a rule", "id", "name", "action", "reason", "description", "conditions") {
		return nil
	}
	out := &listed{at: v}
	id, _ := v.Get("id")
	reason, _ := v.Get("reason")
	out.id, out.reason = id.Text(), reason.Text()
	if !plainID(out.id) {
		r.problem(v, "give it an id of letters, digits, dots, hyphens and underscores", "a rule has no plain id")
	}
	action, _ := v.Get("action")
	if action.IsZero() {
		r.problem(v, "add action: allow, block or ask", "rule %q has no action", show(out.id))
	} else {
		out.action = r.action(action, "the action of rule "+show(out.id))
	}
	conditions, there := v.Get("conditions")
	if !there {
		return out
	}
	if !r.members(conditions, "conditions", "tool_name", "tool_name_in", "parameters") {
		return out
	}
	r.names(conditions, out)
	if parameters, ok := conditions.Get("parameters"); ok {
		r.parameters(parameters, out)
	}
	return out
}

func plainID(s string) bool {
	return s != "" && len(s) <= 120 && alphanumeric(rune(s[0])) && !strings.ContainsFunc(s, func(c rune) bool {
		return !alphanumeric(c) && c != '_' && c != '.' && c != '-'
	})
}

func alphanumeric(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// names reads which tools a rule is about. Both keys together mean what is in
// both.
func (r *reader) names(v canon.Value, out *listed) {
	if list, ok := v.Get("tool_name_in"); ok {
		if list.Kind() != canon.KindArray {
			r.problem(list, "write a list of names", "tool_name_in is %s", list.Kind())
		}
		out.names = []string{}
		for _, one := range list.Items() {
			out.names = append(out.names, r.toolName(one))
		}
	}
	one, ok := v.Get("tool_name")
	if !ok {
		return
	}
	name := r.toolName(one)
	if out.names == nil || slices.Contains(out.names, name) {
		out.names = []string{name}
		return
	}
	out.names = []string{}
}

// toolName reads a name, which is compared as it stands there: what would be a
// pattern here is refused.
func (r *reader) toolName(v canon.Value) string {
	name := v.Text()
	if name == "" || len(name) > 200 || strings.ContainsFunc(name, func(c rune) bool {
		return unicode.IsSpace(c) || !unicode.IsPrint(c) || strings.ContainsRune(`*!?[]{},\:`, c)
	}) {
		r.problem(v, "a name is compared as it stands, so that *, ? and the like are no patterns: name the tools", "this is no plain name of a tool")
	}
	return name
}

func (r *reader) parameters(v canon.Value, out *listed) {
	if v.Kind() != canon.KindObject {
		r.problem(v, "write an object of argument names and values", "parameters is %s", v.Kind())
		return
	}
	for key, value := range v.Fields() {
		t := test{at: value, argument: key, value: value}
		word, inValue := strings.CutPrefix(value.Text(), prefixWord)
		name, inKey := strings.CutSuffix(key, prefixSuffix)
		switch {
		case inKey && name != "" && value.Kind() != canon.KindString:
			r.problem(value, "write a text", "the prefix of %q is %s", show(name), value.Kind())
		case inKey && name != "":
			t.argument, t.prefix, t.text = name, true, value.Text()
		case inValue:
			t.prefix, t.text = true, word
		case value.Kind() == canon.KindArray || value.Kind() == canon.KindObject:
			t.lost = true
		}
		if t.argument == "" || len(t.argument) > 200 {
			r.problem(value, "name an argument", "a parameter has no plain name")
		}
		out.inexact = out.inexact || t.lost
		out.tests = append(out.tests, t)
	}
}

// Decide evaluates the list as its own program does: in order, and what is
// missing or of another type is not equal. The tool may be named with its
// server or without.
func (l *List) Decide(tool string, arguments canon.Value) (v tv.Verdict, rule string) {
	for _, r := range l.rules {
		if r.about(tool) && r.holds(arguments) {
			return r.action, r.id
		}
	}
	return l.fallback, ""
}

func (r *listed) about(tool string) bool {
	return r.names == nil || slices.Contains(r.names, tool) || slices.Contains(r.names, calls.OwnName(tool))
}

func (r *listed) holds(arguments canon.Value) bool {
	return !slices.ContainsFunc(r.tests, func(t test) bool { return !t.holds(arguments) })
}

func (t *test) holds(arguments canon.Value) bool {
	v, there := arguments.Get(t.argument)
	switch {
	case !there:
		return false
	case t.prefix:
		return v.Kind() == canon.KindString && strings.HasPrefix(v.Text(), t.text)
	}
	return canon.Equal(v, t.value)
}

// apart reports whether no arguments satisfy both rules' tests.
func (r *listed) apart(other *listed) bool {
	return slices.ContainsFunc(r.tests, func(t test) bool {
		return slices.ContainsFunc(other.tests, func(u test) bool { return t.apart(&u) })
	})
}

func (t *test) apart(u *test) bool {
	switch {
	case t.argument != u.argument || t.lost || u.lost:
		return false
	case t.prefix && u.prefix:
		return !strings.HasPrefix(t.text, u.text) && !strings.HasPrefix(u.text, t.text)
	case u.prefix:
		return u.apart(t)
	case t.prefix:
		return u.value.Kind() != canon.KindString || !strings.HasPrefix(u.value.Text(), t.text)
	}
	return !canon.Equal(t.value, u.value)
}
