// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"maps"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/effects"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// perKind bounds the effects of one kind.
const perKind = 300

// effectSamples returns single effects of every kind that the tests could tell
// apart, and one that is opaque. They are many and not all.
func (s *sampler) effectSamples() []toolverdict.Effect {
	var out []toolverdict.Effect
	for _, kind := range syntax.EffectKinds() {
		out = append(out, s.kind(kind)...)
	}
	return out
}

// kind varies the fields of one kind that are tested.
func (s *sampler) kind(kind toolverdict.EffectKind) []toolverdict.Effect {
	list := []toolverdict.Effect{plainEffect(kind)}
	if kind == toolverdict.EffectOpaque {
		return list
	}
	for _, name := range slices.Sorted(maps.Keys(s.effects)) {
		f, known := effects.Named(name)
		if !known || name == "kind" || name == "source" || !effects.Has(kind, f) {
			continue
		}
		var next []toolverdict.Effect
		for _, e := range list {
			next = append(next, varied(e, name, s.effects[name])...)
		}
		if len(next) > perKind {
			next = thinned(list, next)
		}
		list = next
	}
	return list
}

// thinned keeps every variation of the first effect, and of the others some.
func thinned(before, after []toolverdict.Effect) []toolverdict.Effect {
	each := max(len(after)/len(before), 1)
	out := slices.Clone(after[:min(each, perKind)])
	for i := each; i < len(after) && len(out) < perKind; i += max(len(after)/perKind, 1) {
		out = append(out, after[i])
	}
	return out
}

// plainEffect is an effect of which everything is known.
func plainEffect(kind toolverdict.EffectKind) toolverdict.Effect {
	e := toolverdict.Effect{Kind: kind}
	switch kind {
	case toolverdict.EffectRead, toolverdict.EffectWrite, toolverdict.EffectDelete:
		e.Path = "/elsewhere/x"
	case toolverdict.EffectExecute:
		e.Program, e.Argv, e.Known = "x", []string{"x"}, true
	case toolverdict.EffectConnect:
		e.Host, e.Port, e.Scheme, e.Network = "elsewhere.example", 443, "https", "public"
	case toolverdict.EffectSend:
		e.Recipient, e.Domain, e.Field = "ann@elsewhere.example", "elsewhere.example", "to"
	case toolverdict.EffectSpend:
		e.Amount, e.Currency = "1", "EUR"
	case toolverdict.EffectQuery:
		e.Query = &toolverdict.Query{Statement: 1, Verb: "select", Bounded: true}
	case toolverdict.EffectOpaque:
	}
	return e
}

// varied returns the effect with each value of one field, and without it.
func varied(e toolverdict.Effect, name string, g *gathered) []toolverdict.Effect {
	out := []toolverdict.Effect{e}
	with := func(change func(*toolverdict.Effect)) {
		one := e
		if one.Query != nil {
			q := *one.Query
			one.Query = &q
		}
		change(&one)
		out = append(out, one)
	}
	switch name {
	case "deep", "names", "known", "query.bounded":
		for _, b := range []bool{true, false} {
			with(func(e *toolverdict.Effect) { setTruth(e, name, b) })
		}
		return out
	case "port", "query.limit", "query.statement", "amount":
		for _, n := range numbers(g.numbers) {
			if i, ok := n.Int64(); ok || name == "amount" {
				with(func(e *toolverdict.Effect) { setNumber(e, name, i, n.String()) })
			}
		}
		return out
	}
	found, _ := g.texts()
	for _, t := range append(found, "") {
		if name == "path" && t != "" && !strings.HasPrefix(t, "/") {
			continue // an analyser's path is absolute
		}
		with(func(e *toolverdict.Effect) { setText(e, name, t) })
		if name == "path" && t != "" {
			with(func(e *toolverdict.Effect) { e.Path, e.Deep = t, true })
		}
	}
	return out
}

func setTruth(e *toolverdict.Effect, name string, b bool) {
	switch name {
	case "deep":
		e.Deep = b
	case "names":
		e.Names = b
	case "known":
		e.Known = b
	default:
		e.Query.Bounded = b
	}
}

func setNumber(e *toolverdict.Effect, name string, i int64, text string) {
	switch name {
	case "port":
		e.Port = int(max(min(i, 65535), 0))
	case "amount":
		e.Amount = text
	case "query.limit":
		e.Query.Limit = i
	default:
		e.Query.Statement = int(max(min(i, 1<<30), 1))
	}
}

func setText(e *toolverdict.Effect, name, t string) {
	one := []string{t}
	if t == "" {
		one = nil
	}
	switch name {
	case "path":
		e.Path = t
	case "program":
		e.Program = t
		e.Argv = append([]string{t}, e.Argv[min(len(e.Argv), 1):]...)
	case "argv":
		e.Argv = append([]string{e.Program}, one...)
	case "verb":
		e.Verb = t
	case "host":
		e.Host = t
	case "ip":
		e.IP = t
	case "scheme":
		e.Scheme = t
	case "network":
		e.Network = t
	case "recipient":
		e.Recipient = t
	case "domain":
		e.Domain = t
	case "field":
		e.Field = t
	case "currency":
		e.Currency = t
	case "query.verb":
		e.Query.Verb = t
	case "query.reads":
		e.Query.Reads = one
	case "query.changes":
		e.Query.Changes = one
	case "query.columns":
		e.Query.Columns = one
	case "query.functions":
		e.Query.Functions = one
	}
}
