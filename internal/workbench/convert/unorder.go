// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/shell"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/workbench/calls"
	"github.com/toolverdict/toolverdict/internal/workbench/draft"
)

// Ordered converts an ordered list. A stricter rule behind a milder one holds
// only where the milder one does not, so it gets that one's conditions as
// exceptions; a milder rule behind a stricter one needs nothing, because deny
// beats ask beats allow.
func Ordered(s Source, o Options) (*List, Converted, error) {
	r := &reader{source: s}
	l := r.readList()
	if len(r.problems) > 0 {
		return nil, Converted{}, r.problems
	}
	u := unorderer{reader: r, options: o, list: l, tools: newTools(o.Tools)}
	u.spellings()
	u.file = draft.File{
		Comments: []string{
			"Converted from an ordered list. There the first rule that holds decides; here the order of",
			"rules means nothing and deny beats ask beats allow. Exceptions under unless keep the meaning.",
		},
		Policy: o.Policy, Version: o.Version, Default: u.fallback(),
	}
	for i := range l.rules {
		u.resolve(l.rules[i])
	}
	for i := range l.rules {
		u.rule(i)
	}
	if len(r.problems) > 0 {
		return nil, Converted{}, r.problems
	}
	if len(u.file.Rules) == 0 {
		r.problem(l.value, "without a rule the default alone would decide", "no rule is left to write")
		return nil, Converted{}, r.problems
	}
	return l, Converted{File: u.file, Findings: r.findings}, nil
}

type unorderer struct {
	*reader
	options Options
	list    *List
	tools   tools
	file    draft.File
}

func (u *unorderer) fallback() tv.Verdict {
	if u.list.fallback == tv.Allow && !u.options.Open {
		u.say(u.list.fellBack, "add allow rules for what is meant to pass; --keep-default-allow keeps it as it is",
			"the list allows what no rule names: the policy denies it")
		return tv.Deny
	}
	return u.list.fallback
}

// spellings tells of prefixes written in two ways: a program that knows one of
// them compares the other as plain text.
func (u *unorderer) spellings() {
	var inKey, inValue *test
	for _, r := range u.list.rules {
		for i := range r.tests {
			switch t := &r.tests[i]; {
			case !t.prefix:
			case strings.HasPrefix(t.at.Text(), prefixWord) && inValue == nil:
				inValue = t
			case inKey == nil:
				inKey = t
			}
		}
	}
	if inKey != nil && inValue != nil {
		line, _ := u.at(inKey.at)
		u.say(inValue.at, fmt.Sprintf("both are read as prefixes here; the other is on line %d", line),
			"prefixes are written in two ways: a program that reads the one takes the other for plain text, and that rule never matches there")
	}
}

// resolve names the tools of a rule as they are known, and repairs values whose
// type cannot match.
func (u *unorderer) resolve(r *listed) {
	for i, name := range r.names {
		r.names[i] = u.full(r, name)
	}
	slices.Sort(r.names)
	r.names = slices.Compact(r.names)
	for i := range r.tests {
		u.types(r, &r.tests[i])
	}
}

// full names a tool with its server where that can be told.
func (u *unorderer) full(r *listed, name string) string {
	found := calls.Named(u.tools.known, name)
	switch {
	case len(found) == 1:
		return found[0].Name()
	case len(found) > 1:
		u.say(r.at, "name the server in the original, or choose one with --server", "rule %q names the tool %q, which several servers have", r.id, name)
	case len(u.tools.known) > 0:
		u.say(r.at, "check the spelling, or take the rule out", "rule %q names the tool %q, which is not known", r.id, name)
	}
	switch {
	case strings.Contains(name, "/"):
	case u.options.Server != "":
		return u.options.Server + "/" + name
	case r.action == tv.Allow:
		u.say(r.at, "name the server with --server", "rule %q allows the tool %q of any server", r.id, name)
	}
	return name
}

// types holds a compared value to what the argument can be.
func (u *unorderer) types(r *listed, t *test) {
	if t.prefix || t.lost {
		return
	}
	have, known := u.argument(r, t.argument)
	kind := t.value.Kind()
	if known && slices.ContainsFunc(have, func(name string) bool { return name == kind.String() || name == "integer" && kind == canon.KindNumber }) {
		return
	}
	meant, ok := otherwise(t.value, have, known)
	if !ok {
		return
	}
	if u.options.Fix {
		u.say(t.at, "", "rule %q: %s is written as %s in place of %s", r.id, show(t.argument), meant.Kind(), kind)
		t.value = meant
		return
	}
	what := "the argument may be " + one(meant.Kind().String())
	if known {
		what = "the argument is " + one(have...) + ", so that the rule never matches"
	}
	u.say(t.at, fmt.Sprintf("--fix compares it with the %s %s", meant.Kind(), meant.RawText()), "rule %q compares %s with %s: %s", r.id, show(t.argument), one(kind.String()), what)
}

// one names a value of one of some types: an integer or a text.
func one(types ...string) string {
	out := make([]string, len(types))
	for i, t := range types {
		article := "a "
		if t != "" && strings.ContainsRune("aeio", rune(t[0])) {
			article = "an "
		}
		out[i] = article + t
	}
	return strings.Join(out, " or ")
}

// argument returns the types that an argument has in the tools of a rule.
func (u *unorderer) argument(r *listed, name string) (types []string, known bool) {
	for _, tool := range r.names {
		have := u.tools.types[tool][name]
		if len(have) == 0 {
			return nil, false
		}
		types = append(types, have...)
	}
	slices.Sort(types)
	return slices.Compact(types), len(types) > 0
}

// otherwise is the value that was likely meant by one of another type.
func otherwise(v canon.Value, types []string, known bool) (canon.Value, bool) {
	is := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(types, n) })
	}
	text := v.Text()
	switch {
	case text == "true" || text == "false":
		return canon.Bool(text == "true"), !known || is("boolean")
	case v.Kind() == canon.KindString && known && is("number", "integer"):
		n, err := canon.ParseNumber(text)
		return n.Value(), err == nil
	case known && is("string") && (v.Kind() == canon.KindNumber || v.Kind() == canon.KindBool):
		return canon.String(v.RawText()), true
	}
	return v, false
}

// group is a part of a rule: tools that have the same exceptions.
type group struct {
	names []string
	key   string
	cond  []draft.Map
}

// rule writes one rule of the list, in as many parts as its tools need.
func (u *unorderer) rule(at int) {
	r := u.list.rules[at]
	switch {
	case r.names != nil && len(r.names) == 0:
		u.left(r, "it names no tool, so that it never matches")
		return
	case u.never(r):
		u.left(r, "it never matches: a value has another type than the argument")
		return
	case r.inexact && r.action == tv.Allow:
		u.say(r.at, "test the members of the list or object one by one", "rule %q compares a whole list or object, which has no equal here: the rule is left out, and what it allowed falls to the others", r.id)
		u.left(r, "it compares a whole list or object")
		return
	case r.inexact:
		u.say(r.at, "test the members of the list or object one by one", "rule %q compares a whole list or object, which has no equal here: that condition is left out, so that the rule matches more", r.id)
	}
	groups := u.groups(at)
	for i, g := range groups {
		out := draft.Rule{
			ID: r.id, Verdict: r.action, Reason: cmp.Or(strings.Join(strings.Fields(r.reason), " "), "Rule "+r.id+" of the ordered list"),
			Tools: g.names, When: r.when(), Comments: u.meant(r),
		}
		if i > 0 {
			out.ID, out.Comments = u.fresh(r.id, i+1), nil
		}
		if len(g.cond) > 0 {
			out.Unless = draft.Either(g.cond...)
		}
		u.file.Rules = append(u.file.Rules, out)
	}
	if len(groups) == 0 {
		u.left(r, "an earlier rule decides every call of its tools")
	}
}

// fresh makes an id for a part of a rule.
func (u *unorderer) fresh(id string, n int) string {
	for {
		out := fmt.Sprintf("%s.%d", id, n)
		if !slices.ContainsFunc(u.list.rules, func(r *listed) bool { return r.id == out }) {
			return out
		}
		n += len(u.list.rules)
	}
}

func (u *unorderer) left(r *listed, why string) {
	u.file.Left = append(u.file.Left, fmt.Sprintf("Rule %s (%s) is left out: %s.", r.id, r.action, why))
}

// never reports whether a test compares with a type that the argument does not
// have in any tool of the rule.
func (u *unorderer) never(r *listed) bool {
	return slices.ContainsFunc(r.tests, func(t test) bool {
		have, known := u.argument(r, t.argument)
		kind := t.value.Kind().String()
		return known && !t.lost && !slices.Contains(have, kind) && !(kind == "number" && slices.Contains(have, "integer"))
	})
}

// groups finds which tools of a rule have which exceptions.
func (u *unorderer) groups(at int) []group {
	r := u.list.rules[at]
	names := r.names
	if names == nil {
		names = []string{"*"}
	}
	var out []group
	for _, name := range names {
		g, reached := u.exceptions(at, name)
		if !reached {
			if len(names) > 1 {
				u.say(r.at, "", "rule %q is never reached for %s: an earlier rule decides its calls", r.id, show(name))
			}
			continue
		}
		if i := slices.IndexFunc(out, func(other group) bool { return other.key == g.key }); i >= 0 {
			out[i].names = append(out[i].names, name)
			continue
		}
		g.names = []string{name}
		out = append(out, g)
	}
	return out
}

// exceptions are the earlier and milder rules that one tool's calls may meet
// first. It is not reached where one of them takes every call.
func (u *unorderer) exceptions(at int, name string) (g group, reached bool) {
	r := u.list.rules[at]
	for _, earlier := range u.list.rules[:at] {
		// The zero verdict is the strictest.
		if earlier.action <= r.action || earlier.inexact || u.never(earlier) || earlier.apart(r) {
			continue
		}
		whole, some := earlier.covers(name)
		if !whole && len(some) == 0 {
			continue
		}
		cond := earlier.exempts()
		if !whole {
			cond = draft.Both(draft.One("tool.name", nameTest(some)), cond)
		}
		if len(cond) == 0 {
			return g, false
		}
		g.cond = append(g.cond, cond)
		g.key += fmt.Sprint(earlier.id, " ", cond, "\n")
	}
	return g, true
}

// covers says whether a rule is about every tool that a name stands for, or
// which of its own names are some of them.
func (r *listed) covers(name string) (whole bool, some []string) {
	if r.names == nil || slices.Contains(r.names, name) || name != "*" && slices.Contains(r.names, calls.OwnName(name)) {
		return true, nil
	}
	if name == "*" {
		return false, r.names
	}
	for _, own := range r.names {
		if calls.OwnName(own) == name {
			some = append(some, own)
		}
	}
	return false, some
}

// nameTest tests a tool's full name. One without a server is that tool of any.
func nameTest(names []string) any {
	if !slices.ContainsFunc(names, func(n string) bool { return !strings.Contains(n, "/") }) {
		return draft.Texts(names...)
	}
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = regexp.QuoteMeta(n)
		if !strings.Contains(n, "/") {
			parts[i] = "[^/]*/" + parts[i]
		}
	}
	return draft.One("regex", strings.Join(parts, "|"))
}

// when is the condition of a rule. A list compares a missing value, or one of
// another type, as not equal; here that would be unknown, so the rule asks for
// both.
func (r *listed) when() draft.Map {
	var parts []draft.Map
	for _, t := range r.tests {
		if !t.lost {
			parts = append(parts, draft.One(draft.Argument(t.argument), t.ops(r.action != tv.Allow)))
		}
	}
	return draft.Both(parts...)
}

// exempts is the same condition for an exception, where unknown already counts
// as not exempt.
func (r *listed) exempts() draft.Map {
	var parts []draft.Map
	for _, t := range r.tests {
		parts = append(parts, draft.One(draft.Argument(t.argument), t.ops(false)))
	}
	return draft.Both(parts...)
}

// ops are the operators of a test. The type keeps a list from being taken
// element by element.
func (t *test) ops(exists bool) draft.Map {
	kind := t.value.Kind().String()
	out := draft.Map{}
	if exists {
		out = append(out, draft.Entry{Key: "exists", Value: true})
	}
	out = append(out, draft.Entry{Key: "type", Value: kind})
	switch {
	case t.prefix && t.text == "" || t.value.Kind() == canon.KindNull:
	case t.prefix:
		out = append(out, draft.Entry{Key: "prefix", Value: t.text})
	default:
		out = append(out, draft.Entry{Key: "eq", Value: draft.Value(t.value)})
	}
	return out
}

// meant suggests, beside a prefix of a command, the effect that it is about.
func (u *unorderer) meant(r *listed) []string {
	if r.action == tv.Allow {
		return nil
	}
	for _, t := range r.tests {
		if !t.prefix || !u.isCommand(r, t.argument) {
			continue
		}
		words := strings.Fields(t.text)
		if len(words) == 0 {
			continue
		}
		p := strings.Join(words, " ")
		u.say(t.at, "say what the command does: the policy holds a suggestion as a comment", "rule %q stops a command by how it begins: another spelling of it passes", r.id)
		return []string{
			fmt.Sprintf("The prefix stops %q, and not %q, %q, %q or %q.", p, " "+p, "/bin/"+p, "sudo "+p, "true; "+p),
			"Rather say what the call does, in place of when (the argument needs the role shell):",
			"  when: " + draft.Inline(effectOf(p)),
		}
	}
	return nil
}

// isCommand reports whether an argument is a shell command: the catalog says so,
// or, where no tool is known, its name.
func (u *unorderer) isCommand(r *listed, argument string) bool {
	if len(u.tools.known) == 0 {
		return slices.Contains([]string{"command", "cmd", "script", "shell", "commandline", "command_line"}, strings.ToLower(argument))
	}
	roles := u.tools.withRole("shell")
	return slices.ContainsFunc(r.names, func(name string) bool { return slices.Contains(roles[name], argument) })
}

// effectOf is what a command does to the world, as far as it is understood, else
// the program it runs.
func effectOf(command string) draft.Map {
	kinds := harms(command)
	if len(kinds) > 0 {
		return draft.One("effects.any", draft.One("kind", draft.Texts(append(kinds, string(tv.EffectOpaque))...)))
	}
	return draft.One("effects.any", draft.One("program", program(command)))
}

// harms are the kinds of effect that a command with an argument has beside
// reading and running.
func harms(command string) []string {
	var out []string
	for _, e := range shell.Analyse(command+" x", shell.Options{}) {
		switch e.Kind {
		case tv.EffectRead, tv.EffectExecute, tv.EffectOpaque:
		default:
			out = append(out, string(e.Kind))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// program is the name of the program that a plain command starts with.
func program(command string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	return first[strings.LastIndexByte(first, '/')+1:]
}
