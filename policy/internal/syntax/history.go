// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package syntax

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

func historyKinds() []string { return []string{"history.any", "history.count", "history.sum"} }

func (d *decoder) history(k, v *node) Condition {
	h := &History{Pos: k.pos, Kind: strings.TrimPrefix(k.text, "history."), By: []string{"session"}, What: "executed"}
	keys := []string{"tools", "within", "by", "what"}
	needed := []string{"tools", "within", "is"}
	switch k.text {
	case "history.any":
		needed = needed[:2]
	case "history.count":
		keys = append(keys, "andThis", "is")
	case "history.sum":
		keys = append(keys, "andThis", "is", "of", "currency")
		needed = append(needed, "of")
	default:
		d.problem(k.pos, didYouMean(k.text, historyKinds()), "unknown condition %q", shorten(k.text))
		return nil
	}
	have := d.fields(v, k.text, keys...)
	d.need(v, have, k.text, needed...)
	for _, p := range d.values(have["tools"], "tools") {
		h.Tools = append(h.Tools, d.pattern(p))
	}
	if n := have["within"]; n != nil {
		if h.Within = d.duration(n, "within"); h.Within > toolverdict.MaxLookBack {
			d.problem(n.pos, "what is older is forgotten", "within is longer than %d days", toolverdict.MaxLookBack/(24*time.Hour))
		}
	}
	if n := have["by"]; n != nil && n.kind == text && n.text == "anyone" {
		h.By = nil
	} else if n != nil {
		h.By = d.by(n)
	}
	if n := have["what"]; n != nil {
		h.What = n.text
		d.oneOf(n.pos, "kind of call", n.text, "attempted", "executed", "succeeded")
	}
	h.AndThis = d.truth(have["andThis"], "andThis")
	d.sumOf(h, have)
	if n := have["is"]; n != nil {
		h.Ops = d.ops(n, k.text)
	}
	return h
}

var currencyForm = regexp.MustCompile(`^[A-Z]{3,10}$`)

// sumOf reads what is added up.
func (d *decoder) sumOf(h *History, have map[string]*node) {
	of, currency := have["of"], have["currency"]
	switch {
	case of == nil:
		return
	case h.What == "attempted":
		d.problem(h.Pos, "leave what out, or write what: succeeded", "only what was executed is added up")
	case of.text == "spend" && currency == nil:
		d.problem(of.pos, "add currency: EUR, or another; each is added up by itself", "the currency is missing")
		return
	case of.text == "spend":
		if h.Currency = currency.text; !currencyForm.MatchString(h.Currency) {
			d.problem(currency.pos, "write it like EUR", "%q is no currency", shorten(h.Currency))
		}
		return
	case currency != nil:
		d.problem(currency.pos, "write of: spend, or leave it out", "only what was spent has a currency")
	}
	f, ok := d.field(of)
	if ok && (f.Root != "args" || slices.ContainsFunc(f.Steps, func(s Step) bool { return s.Kind == Every })) {
		d.problem(of.pos, "write one argument, such as args.amount, or spend", "%q is no number of a call", shorten(of.text))
	}
	h.Of = &f
}

// pastCalls reads the calls before that of an example.
func (d *decoder) pastCalls(n *node) []Past {
	if n.kind != list {
		d.problem(n.pos, "write it as a list, [] for none", "history is %s", n.kind)
		return nil
	}
	out := []Past{}
	for _, item := range n.values {
		have := d.fields(item, "an earlier call", "tool", "ago", "what", "args", "effects", "session", "run", "subject", "groups")
		d.need(item, have, "an earlier call", "tool", "ago")
		p := Past{Ago: d.duration(have["ago"], "ago"), What: "succeeded", Groups: d.words(have["groups"], "groups")}
		p.Pos, p.Args = item.pos, canon.Object()
		if args := have["args"]; args != nil {
			p.Args = d.json(args)
		}
		if what := have["what"]; what != nil {
			p.What = what.text
			d.oneOf(what.pos, "kind of call", p.What, "attempted", "executed", "failed", "succeeded")
		}
		d.circumstances(&p.Example, have)
		out = append(out, p)
	}
	return out
}
