// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package syntax

import (
	"fmt"
	"slices"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// EffectFields returns what rules can test of an effect, as they write it.
func EffectFields() []string {
	return []string{
		"kind", "source", "path", "deep", "names", "program", "argv", "verb", "known", "host", "ip", "port", "scheme", "network",
		"recipient", "domain", "field", "amount", "currency",
		"query.statement", "query.verb", "query.reads", "query.changes", "query.columns", "query.functions", "query.bounded", "query.limit",
	}
}

// EffectKinds returns the kinds of effect.
func EffectKinds() []toolverdict.EffectKind {
	return []toolverdict.EffectKind{
		toolverdict.EffectRead, toolverdict.EffectWrite, toolverdict.EffectDelete, toolverdict.EffectExecute, toolverdict.EffectConnect,
		toolverdict.EffectSend, toolverdict.EffectSpend, toolverdict.EffectQuery, toolverdict.EffectOpaque,
	}
}

// effects reads effects.any and effects.every.
func (d *decoder) effects(k, v *node, which string) Condition {
	if which != "any" && which != "every" {
		d.problem(k.pos, "write effects.any: {…} for one of them, effects.every: {…} for all", "unknown field %q", shorten(k.text))
		return nil
	}
	d.effect = true
	part := d.condition(v, k.text)
	d.effect = false
	return &Effects{Pos: k.pos, Every: which == "every", Part: part}
}

// effectTest reads a test of one field of an effect.
func (d *decoder) effectTest(k, v *node) Condition {
	if !slices.Contains(EffectFields(), k.text) {
		d.problem(k.pos, effectHint(k.text), "an effect has no %q", shorten(k.text))
		return nil
	}
	f := Field{Pos: k.pos, Text: k.text, Root: "effects", Steps: []Step{{Name: k.text}}}
	return &Test{Field: f, Ops: d.ops(v, k.text)}
}

func effectHint(name string) string {
	switch name {
	case "detail":
		return "that is for people; test what the effect does"
	case "pattern", "folded":
		return "a test of path looks at it already"
	case "query":
		return "write query.verb, query.changes and the like"
	}
	if root, _ := cutRoot(name); slices.Contains(roots(), root) || root == "effects" || root == "history" {
		return "a condition on an effect tests that effect only: write this one beside it"
	}
	return didYouMean(name, EffectFields())
}

// effectList reads the effects of an example.
func (d *decoder) effectList(n *node) []toolverdict.Effect {
	if n.kind != list {
		d.problem(n.pos, "write it as a list, [] for none", "effects is %s", n.kind)
		return nil
	}
	out := make([]toolverdict.Effect, 0, len(n.values))
	for _, item := range n.values {
		out = append(out, d.oneEffect(item))
	}
	return out
}

func (d *decoder) oneEffect(n *node) toolverdict.Effect {
	have := d.fields(n, "the effect", "kind", "source", "path", "deep", "pattern", "names", "folded", "program", "argv", "verb", "known",
		"host", "ip", "port", "scheme", "network", "recipient", "domain", "field", "amount", "currency", "query")
	d.need(n, have, "the effect", "kind")
	known := make([]string, 0, len(EffectKinds()))
	for _, k := range EffectKinds() {
		known = append(known, string(k))
	}
	e := toolverdict.Effect{Kind: toolverdict.EffectKind(d.text(have["kind"], "kind"))}
	if k := have["kind"]; k != nil {
		d.oneOf(k.pos, "kind of effect", string(e.Kind), known...)
	}
	e.Source, e.Path, e.Pattern = d.text(have["source"], "source"), d.text(have["path"], "path"), d.text(have["pattern"], "pattern")
	e.Deep, e.Names, e.Folded = d.truth(have["deep"], "deep"), d.truth(have["names"], "names"), d.truth(have["folded"], "folded")
	e.Program, e.Verb, e.Argv = d.text(have["program"], "program"), d.text(have["verb"], "verb"), d.texts(have["argv"], "argv")
	e.Known = d.truth(have["known"], "known")
	e.Host, e.IP, e.Scheme = d.text(have["host"], "host"), d.text(have["ip"], "ip"), d.text(have["scheme"], "scheme")
	e.Port, e.Network = d.whole(have["port"], "port", 65535), d.text(have["network"], "network")
	e.Recipient, e.Domain, e.Field = d.text(have["recipient"], "recipient"), d.text(have["domain"], "domain"), d.text(have["field"], "field")
	e.Amount, e.Currency = d.amount(have["amount"]), d.text(have["currency"], "currency")
	if q := have["query"]; q != nil {
		e.Query = d.query(q)
	}
	return e
}

func (d *decoder) query(n *node) *toolverdict.Query {
	have := d.fields(n, "query", "statement", "verb", "reads", "changes", "columns", "functions", "bounded", "limit")
	if have == nil {
		return nil
	}
	q := &toolverdict.Query{
		Statement: d.whole(have["statement"], "statement", 1<<31-1),
		Verb:      d.text(have["verb"], "verb"), Reads: d.texts(have["reads"], "reads"), Changes: d.texts(have["changes"], "changes"),
		Columns: d.texts(have["columns"], "columns"), Functions: d.texts(have["functions"], "functions"),
		Bounded: d.truth(have["bounded"], "bounded"), Limit: int64(d.whole(have["limit"], "limit", 1<<53)),
	}
	return q
}

// amount reads a decimal, as a number or as text.
func (d *decoder) amount(n *node) string {
	if n == nil {
		return ""
	}
	if n.kind == number {
		return n.number.String()
	}
	if _, err := canon.ParseNumber(n.text); n.kind != text || err != nil {
		d.problem(n.pos, "write a number", "amount is %s", n.kind)
	}
	return n.text
}

// text reads a text that may hold anything.
func (d *decoder) text(n *node, what string) string {
	if n == nil {
		return ""
	}
	if n.kind != text || n.text == "" {
		d.problem(n.pos, fmt.Sprintf("write it as text, or leave %s out where it is not known", what), "%s is %s", what, n.describe())
	}
	return n.text
}

func (n *node) describe() string {
	if n.kind == text && n.text == "" {
		return "empty"
	}
	return n.kind.String()
}

// texts reads a list of texts that may be empty.
func (d *decoder) texts(n *node, what string) []string {
	if n == nil {
		return nil
	}
	if n.kind != list {
		d.problem(n.pos, "write it as a list", "%s is %s", what, n.kind)
	}
	out := []string{}
	for _, item := range n.values {
		if item.kind != text {
			d.problem(item.pos, "write it as text, in quotes if need be", "an entry of %s is %s", what, item.kind)
		}
		out = append(out, item.text)
	}
	return out
}
