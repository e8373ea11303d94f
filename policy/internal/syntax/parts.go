// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package syntax

import (
	"slices"
	"strings"
	"unicode"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// maxPattern bounds an entry of tools in bytes.
const maxPattern = 256

// pattern reads one entry of tools.
func (d *decoder) pattern(n *node) Pattern {
	p := Pattern{Pos: n.pos, Text: n.text}
	switch {
	case n.kind != text || n.text == "":
		d.problem(n.pos, "write a tool's name, a pattern like orders/list_*, group:NAME, safety:read-only or risk:high", "a tool is %s", n.kind)
		return p
	case strings.ContainsFunc(n.text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune(`!?[]{},\`, r)
	}):
		d.problem(n.pos, "name tools exactly, with * for any run of characters; exceptions belong in unless", "%q holds a character that no tool pattern has", shorten(n.text))
		return p
	}
	if len(n.text) > maxPattern {
		d.problem(n.pos, "shorten it", "the tool has more than %d bytes", maxPattern)
	}
	kind, rest, prefixed := strings.Cut(n.text, ":")
	if prefixed {
		return d.selector(p, kind, rest)
	}
	p.Glob = strings.Contains(n.text, "*")
	p.Full = n.text == "*" || n.text[0] != '@' && strings.Contains(n.text, "/")
	p.Meta = n.text[0] == '@' || strings.Contains(n.text, "/@")
	if strings.Contains(n.text, "**") {
		d.problem(n.pos, "one * already crosses slashes", "** is not used here")
	}
	return p
}

func (d *decoder) selector(p Pattern, kind, rest string) Pattern {
	p.Text = rest
	switch kind {
	case "group":
		p.Kind = ByGroup
		if rest == "" || strings.ContainsAny(rest, "*:") {
			d.problem(p.Pos, "write group:NAME with the exact name", "the group has no plain name")
		}
		return p
	case "safety":
		p.Kind = BySafety
		d.oneOf(p.Pos, kind, rest, string(toolverdict.ReadOnly), string(toolverdict.Destructive))
	case "risk":
		p.Kind = ByRisk
		d.oneOf(p.Pos, kind, rest, string(toolverdict.LowRisk), string(toolverdict.MediumRisk), string(toolverdict.HighRisk))
	default:
		d.problem(p.Pos, didYouMean(kind, []string{"group", "safety", "risk"}), "unknown selector %q", shorten(kind))
	}
	return p
}

func (d *decoder) oneOf(at Pos, what, word string, known ...string) {
	if !slices.Contains(known, word) {
		d.problem(at, didYouMean(word, known), "unknown %s %q", what, shorten(word))
	}
}

func exampleKeys() []string {
	return []string{"args", "tool", "subject", "env", "run", "session", "model", "time", "effects", "history"}
}

// examples reads the calls of match and noMatch.
func (d *decoder) examples(n *node, what string) []Example {
	var out []Example
	for _, item := range d.items(n, what, false) {
		if e, ok := d.example(item, what); ok {
			out = append(out, e)
		}
	}
	return out
}

// example reads a whole call where the mapping has the key args, else the
// call's arguments.
func (d *decoder) example(n *node, what string) (Example, bool) {
	e := Example{Pos: n.pos}
	if n.kind != object {
		d.problem(n.pos, "write the arguments as a mapping, or a call with args: {…}", "an entry of %s is %s", what, n.kind)
		return e, false
	}
	whole, only := false, len(n.keys) > 0
	for _, k := range n.keys {
		known := slices.Contains(exampleKeys(), k.text)
		whole, only = whole || k.text == "args", only && known
	}
	if !whole {
		if only {
			d.problem(n.pos, "add args: {…} (args: {} for none); arguments of those names go inside it", "this entry of %s could be a call or its arguments", what)
			return e, false
		}
		e.Args = d.json(n)
		return e, true
	}
	e = d.call(n, d.fields(n, "the example", exampleKeys()...))
	return e, true
}

// call reads a whole call.
func (d *decoder) call(n *node, have map[string]*node) Example {
	e := Example{Pos: n.pos, Args: canon.Object()}
	if args := have["args"]; args != nil && args.kind == object {
		e.Args = d.json(args)
	} else if args != nil {
		d.problem(args.pos, "write them as a mapping", "args is %s", args.kind)
	}
	d.circumstances(&e, have)
	e.Environment, e.Model = d.environment(have["env"]), d.word(have["model"], "model", 256)
	if list := have["history"]; list != nil {
		e.History = d.pastCalls(list)
	}
	if at := have["time"]; at != nil {
		if err := e.At.UnmarshalText([]byte(at.text)); err != nil || at.kind != text {
			d.problem(at.pos, "write it like 2025-01-15T22:30:00+08:00", "time is no RFC 3339 time")
		}
	}
	return e
}

// circumstances reads what earlier calls have, too.
func (d *decoder) circumstances(e *Example, have map[string]*node) {
	if tool := have["tool"]; tool != nil {
		e.Tool = d.word(tool, "tool", maxPattern)
	}
	if s := have["subject"]; s != nil {
		e.Subject = d.subject(s)
	}
	e.Run, e.Session = d.run(have["run"]), d.word(have["session"], "session", 256)
	if list := have["effects"]; list != nil {
		e.Effects, e.Analysed = d.effectList(list), true
	}
}

func (d *decoder) subject(n *node) *toolverdict.Subject {
	have := d.fields(n, "subject", "id", "kind", "user", "agent", "roles", "permissions")
	if have == nil {
		return nil
	}
	s := &toolverdict.Subject{
		ID: d.word(have["id"], "id", 256), Kind: toolverdict.SubjectKind(d.word(have["kind"], "kind", 32)),
		User: d.word(have["user"], "user", 256), Agent: d.word(have["agent"], "agent", 256),
	}
	s.Roles, s.Permissions = d.words(have["roles"], "roles"), d.words(have["permissions"], "permissions")
	return s
}

// words reads a list of texts that may be empty: a subject may have no roles.
// It is nil only where nothing is said.
func (d *decoder) words(n *node, what string) []string {
	if n == nil {
		return nil
	}
	if n.kind != list {
		d.problem(n.pos, "write it as a list", "%s is %s", what, n.kind)
	}
	out := []string{}
	for _, item := range n.values {
		out = append(out, d.word(item, "an entry of "+what, 256))
	}
	return out
}

func (d *decoder) environment(n *node) map[string]string {
	if n == nil {
		return nil
	}
	if n.kind != object {
		d.problem(n.pos, "write it as a mapping of texts", "env is %s", n.kind)
		return nil
	}
	env := map[string]string{}
	for i, k := range n.keys {
		if _, twice := env[k.text]; twice {
			d.problem(k.pos, "keep one of them", "the key %q is given twice", shorten(k.text))
		}
		env[k.text] = d.word(n.values[i], "env."+k.text, 4096)
	}
	return env
}

func (d *decoder) run(n *node) toolverdict.Run {
	if n == nil {
		return toolverdict.Run{}
	}
	have := d.fields(n, "run", "id", "readOnly")
	return toolverdict.Run{ID: d.word(have["id"], "id", 256), ReadOnly: d.truth(have["readOnly"], "readOnly")}
}

// json turns example arguments into what a call would hold.
func (d *decoder) json(n *node) canon.Value {
	v, err := canon.Parse(n.appendJSON(nil), canon.Limits{MaxBytes: MaxBytes})
	if err != nil {
		d.problem(n.pos, "a call with such arguments would be refused as malformed", "the arguments are not strict JSON")
	}
	return v
}
