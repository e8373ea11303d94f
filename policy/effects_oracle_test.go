// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict"
)

// oEffect is an effect as the oracle sees it: its fields by name. A field that
// is not there is not known.
type oEffect map[string]any

// oEffects is effects.any or effects.every.
type oEffects struct {
	every bool
	part  oCond
}

// oFields are the fields of each kind, beside kind and source.
var oFields = map[string][]string{
	"read": {"path", "deep", "names"}, "delete": {"path", "deep"}, "execute": {"program", "argv", "known"},
	"connect": {"host", "port"}, "spend": {"amount"}, "query": {"query.verb", "query.changes", "query.bounded"}, "opaque": nil,
}

func (x *oEffects) yaml() string {
	which := "any"
	if x.every {
		which = "every"
	}
	return "{effects." + which + ": " + x.part.yaml() + "}"
}

func (x *oEffects) eval(call oCall, allow, positive bool) truth {
	switch {
	case call.effects == nil:
		return -1
	case len(call.effects) == 0 && allow:
		return -1
	case len(call.effects) == 0:
		return 0
	}
	var ts []truth
	for _, e := range call.effects {
		t := x.part.of(e, allow, positive)
		if x.every && e["kind"] == "execute" && e["known"] == true && !x.part.speaks() {
			t = 1
		}
		ts = append(ts, t)
	}
	if x.every {
		return all(ts)
	}
	return anyOf(ts)
}

// speaks reports whether a condition is about programs.
func (c *oCond) speaks() bool {
	text := c.yaml()
	return strings.Contains(text, `"execute"`) || strings.Contains(text, "{program:") || strings.Contains(text, "{argv:") || strings.Contains(text, "{known:")
}

// of evaluates a condition on one effect.
func (c *oCond) of(e oEffect, allow, positive bool) truth {
	var ts []truth
	switch {
	case c.all != nil:
		for _, p := range c.all {
			ts = append(ts, p.of(e, allow, positive))
		}
		return all(ts)
	case c.any != nil:
		for _, p := range c.any {
			ts = append(ts, p.of(e, allow, positive))
		}
		return anyOf(ts)
	case c.not != nil:
		return c.not.of(e, allow, !positive).not()
	}
	name := strings.TrimPrefix(c.field[0], "effect:")
	kind, _ := e["kind"].(string)
	switch {
	case name == "kind" && kind == "opaque":
		return opaqueKind(c.ops)
	case name == "kind":
		return single(c.ops, kind)
	case name == "source":
	case kind == "opaque":
		return test(c.ops, misplaced{}, allow, positive, true)
	case !slices.Contains(oFields[kind], name):
		if slices.ContainsFunc(c.ops, func(o oOp) bool { return o.name != "exists" && (o.name != "not" || o.ops[0].name != "exists") }) {
			return 0
		}
		return test(c.ops, missing{}, allow, positive, true)
	}
	v, known := e[name]
	if !known {
		return test(c.ops, missing{}, allow, positive, true)
	}
	list, isList := v.([]any)
	if !isList || len(list) > 0 {
		return test(c.ops, v, allow, positive, true)
	}
	// That the field is a list is known beforehand.
	for _, o := range c.ops {
		if whole(o) {
			ts = append(ts, o.whole(v, allow, positive, true))
		} else if ts = append(ts, 0); allow {
			ts[len(ts)-1] = -1
		}
	}
	return all(ts)
}

func opaqueKind(ops []oOp) truth {
	var ts []truth
	for _, o := range ops {
		named := slices.Contains(o.values, any("opaque"))
		switch {
		case o.name == "not":
			ts = append(ts, opaqueKind(o.ops).not())
		case !named:
			ts = append(ts, -1)
		default:
			ts = append(ts, toTruth(o.name == "eq" || o.name == "in"))
		}
	}
	return all(ts)
}

// kinds returns the kinds of effect, sorted.
func kinds() []string { return slices.Sorted(maps.Keys(oFields)) }

func (d drawing) effectValue(name string) any {
	switch name {
	case "deep", "names", "known", "query.bounded":
		return rapid.Bool().Draw(d.t, "bool")
	case "port":
		return json.Number(d.pick("port", "1", "2", "443"))
	case "amount":
		return json.Number(d.pick("amount", "0", "1", "2.5", "100"))
	case "argv", "query.changes":
		out := []any{}
		for range rapid.IntRange(0, 3).Draw(d.t, "len") {
			out = append(out, d.pick("word", "a", "ab", "b"))
		}
		return out
	}
	return d.pick("text", "a", "ab", "b", "abc")
}

// effect draws an effect of which some fields are not known. Booleans that are
// false stand for themselves, but for a path's depth where there is no path.
func (d drawing) effect() oEffect {
	e := oEffect{"kind": d.pick("kind", kinds()...)}
	fields := oFields[e["kind"].(string)]
	for _, name := range append([]string{"source"}, fields...) {
		if rapid.IntRange(0, 3).Draw(d.t, "known") > 0 {
			e[name] = d.effectValue(name)
		}
	}
	for _, name := range fields {
		if name == "names" || name == "known" || name == "deep" {
			e[name] = e[name] == true
		}
	}
	if e["deep"] == true {
		delete(e, "path") // what lies below is another test's
	}
	if _, known := e["path"]; !known && e["deep"] == false {
		delete(e, "deep")
	}
	if e["kind"] == "query" && e["query.verb"] != nil {
		e["query.bounded"] = e["query.bounded"] == true
		if e["query.changes"] == nil {
			e["query.changes"] = []any{}
		}
	} else {
		delete(e, "query.bounded")
		delete(e, "query.changes")
	}
	return e
}

func (d drawing) effectList() []oEffect {
	out := []oEffect{}
	for range rapid.IntRange(0, 3).Draw(d.t, "effects") {
		out = append(out, d.effect())
	}
	return out
}

// real turns an effect into what the engine is given.
func (e oEffect) real() toolverdict.Effect {
	text := func(name string) string { s, _ := e[name].(string); return s }
	words := func(name string) []string {
		list, known := e[name].([]any)
		if !known {
			return nil
		}
		out := []string{}
		for _, w := range list {
			out = append(out, w.(string))
		}
		return out
	}
	number := func(name string) json.Number { n, _ := e[name].(json.Number); return n }
	port, _ := number("port").Int64()
	out := toolverdict.Effect{
		Kind: toolverdict.EffectKind(text("kind")), Source: text("source"), Path: text("path"), Deep: e["deep"] == true, Names: e["names"] == true,
		Program: text("program"), Argv: words("argv"), Known: e["known"] == true, Host: text("host"), Port: int(port), Amount: string(number("amount")),
	}
	if verb := text("query.verb"); verb != "" {
		out.Query = &toolverdict.Query{Verb: verb, Changes: words("query.changes"), Bounded: e["query.bounded"] == true}
	}
	return out
}

// effectTest draws a test of one field that the checker lets through.
func (d drawing) effectTest() oCond {
	name := d.pick("field", "kind", "kind", "kind", "source", "path", "path", "deep", "names", "program", "program", "argv", "known", "host", "port", "amount", "query.verb", "query.changes", "query.bounded")
	c := oCond{field: oField{"effect:" + name}}
	if !d.noExists && name != "kind" && rapid.IntRange(0, 7).Draw(d.t, "exists") == 0 {
		c.ops = []oOp{{name: "exists", values: []any{rapid.Bool().Draw(d.t, "want")}}}
		return c
	}
	var o oOp
	switch v := d.effectValue(name).(type) {
	case bool:
		o = oOp{name: d.pick("op", "eq", "ne"), values: []any{v}}
	case json.Number:
		o = oOp{name: d.pick("op", "eq", "gt", "gte", "lt", "lte", "ne"), values: []any{v}}
	case []any:
		o = oOp{name: d.pick("op", "any", "every", "bare"), ops: []oOp{d.textOp()}}
		if o.name == "bare" {
			o = o.ops[0]
		}
		if !d.noExists && rapid.IntRange(0, 4).Draw(d.t, "length") == 0 {
			o = oOp{name: "length", ops: []oOp{{name: "gt", values: []any{json.Number("0")}}}}
		}
	default:
		o = d.textOp()
	}
	if name == "kind" {
		allowed := slices.DeleteFunc(kinds(), func(k string) bool { return k == "opaque" && d.noExists })
		o = oOp{name: d.pick("op", "in", "in", "notIn"), values: d.values(func() any { return d.pick("kind", allowed...) })}
	}
	if rapid.IntRange(0, 5).Draw(d.t, "not") == 0 {
		o = oOp{name: "not", ops: []oOp{o}}
	}
	c.ops = []oOp{o}
	return c
}

func (d drawing) textOp() oOp {
	return oOp{name: d.pick("op", "in", "notIn", "prefix", "suffix", "contains"), values: d.values(func() any { return d.pick("text", "a", "ab", "b", "abc") })}
}

func (d drawing) effectCond(depth int) oCond {
	k := rapid.IntRange(0, 9).Draw(d.t, "effect cond")
	switch {
	case depth == 0 || k > 4:
		return d.effectTest()
	case k == 4:
		part := d.effectCond(depth - 1)
		return oCond{not: &part}
	case k == 3:
		return oCond{any: []oCond{d.effectCond(depth - 1), d.effectCond(depth - 1)}}
	}
	return oCond{all: []oCond{d.effectCond(depth - 1), d.effectCond(depth - 1)}}
}

// withEffects puts a condition on effects into most rules of a policy.
func (d drawing) withEffects(p oPolicy) oPolicy {
	for i := range p {
		for range rapid.IntRange(0, 2).Draw(d.t, "conditions") {
			c := &oCond{effects: &oEffects{every: rapid.Bool().Draw(d.t, "every"), part: d.effectCond(2)}}
			switch slot := &p[i].when; rapid.IntRange(0, 4).Draw(d.t, "where") {
			case 0:
				p[i].unless = c
			case 1:
				*slot = &oCond{not: c}
			case 2:
				if *slot != nil {
					*slot = &oCond{any: []oCond{**slot, *c}}
				}
			default:
				if *slot != nil {
					c = &oCond{all: []oCond{**slot, *c}}
				}
				*slot = c
			}
		}
	}
	return p
}

// satisfiable leaves out rules that the checker refuses, because no effect has
// all that a condition asks.
func (p oPolicy) satisfiable(t *rapid.T) oPolicy {
	return slices.DeleteFunc(p, func(r oRule) bool {
		_, err := tryCompile(oPolicy{r}.yaml("p"))
		if err != nil && !strings.Contains(err.Error(), "no effect has all of this") {
			t.Fatal(err)
		}
		return err != nil
	})
}

func (c oCall) request(t *rapid.T, known, unknown *toolverdict.Tool) toolverdict.Request {
	r := toolverdict.Request{Tool: known, Arguments: fromGo(t, c.arguments)}
	if c.effects == nil {
		r.Tool = unknown
	}
	for _, e := range c.effects {
		r.Effects = append(r.Effects, e.real())
	}
	return r
}

// drawEffectPolicy draws a policy of rules about effects, and calls.
func drawEffectPolicy(t *rapid.T, d drawing) oPolicy {
	p := d.policy()
	return d.withEffects(p[:min(len(p), 12)]).satisfiable(t)
}

// TestEffectOracle: the compiled policy decides about effects like the oracle,
// with the same matching rules.
func TestEffectOracle(t *testing.T) {
	t.Parallel()
	known, unknown := withRoles(t, "s/one", "shell"), tool(t, "s/one", "true")
	rapid.Check(t, func(t *rapid.T) {
		d := drawing{t: t}
		p := drawEffectPolicy(t, d)
		if len(p) == 0 {
			return
		}
		set, err := tryCompile(p.yaml("p"))
		if err != nil {
			t.Fatal(err)
		}
		for range 6 {
			call := oCall{tool: "s/one", arguments: d.arguments()}
			if rapid.IntRange(0, 9).Draw(t, "analysed") > 0 {
				call.effects = d.effectList()
			}
			verdict, matched := p.decideCall(call)
			got := set.Decide(call.request(t, known, unknown))
			if got.Verdict != verdict || !slices.Equal(got.Rules, matched) {
				t.Fatalf("%s\n%v\nengine %s %v\noracle %s %v", p.yaml("p"), call, got.Verdict, got.Rules, verdict, matched)
			}
		}
	})
}

// TestEffectsNeverLoosen: a call of which less is known is decided no milder: a
// field of an effect that is not known, an effect that was not understood, a
// tool of which nothing is known. Only exists, length and a rule that names
// opaque effects may tell such a call apart, so they are left out here.
func TestEffectsNeverLoosen(t *testing.T) {
	t.Parallel()
	known, unknown := withRoles(t, "s/one", "shell"), tool(t, "s/one", "true")
	rapid.Check(t, func(t *rapid.T) {
		d := drawing{t: t, noExists: true}
		p := drawEffectPolicy(t, d)
		if len(p) == 0 {
			return
		}
		set, err := tryCompile(p.yaml("p"))
		if err != nil {
			t.Fatal(err)
		}
		call := oCall{tool: "s/one", arguments: d.arguments(), effects: d.effectList()}
		before := set.Decide(call.request(t, known, unknown))
		check := func(what string, worse oCall) {
			after := set.Decide(worse.request(t, known, unknown))
			// An ask that turns to the default's deny is stricter; so is nothing else.
			if after.Verdict > before.Verdict && len(before.Rules) > 0 || after.Verdict == toolverdict.Allow && before.Verdict != toolverdict.Allow {
				t.Fatalf("with %s, %v by %q became %v by %q:\n%v\n%v\n%s", what, before.Verdict, before.Rule, after.Verdict, after.Rule, call, worse, p.yaml("p"))
			}
		}
		check("no roles", oCall{tool: call.tool, arguments: call.arguments})
		for i, e := range call.effects {
			worse := call
			worse.effects = slices.Clone(call.effects)
			worse.effects[i] = oEffect{"kind": "opaque"}
			check("an opaque effect", worse)
			for name := range e {
				if name == "kind" || name == "known" || name == "names" || strings.HasPrefix(name, "query.") && name != "query.verb" {
					continue // a value that is false, or none, is known
				}
				less := maps.Clone(e)
				delete(less, name)
				if name == "query.verb" {
					delete(less, "query.changes")
					delete(less, "query.bounded")
				}
				if name == "path" && less["deep"] == false {
					delete(less, "deep")
				}
				worse.effects[i] = less
				check("no "+name, worse)
			}
		}
	})
}
