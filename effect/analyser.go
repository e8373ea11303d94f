// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package effect

import (
	"context"
	"net/netip"
	"slices"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/email"
	"github.com/toolverdict/toolverdict/effect/internal/argument"
	"github.com/toolverdict/toolverdict/effect/internal/command"
	"github.com/toolverdict/toolverdict/effect/money"
	"github.com/toolverdict/toolverdict/effect/url"
)

// Analyser is the [tv.Analyser] of all roles. It is safe for concurrent use.
type Analyser struct {
	// Names resolves names for roles that ask for it. Nil looks nothing up: the
	// network that a name leads to is then not known.
	Names url.Resolver

	// Operands has the files read that a call would run, where the gate sees
	// them: what is approved is then bound to what they say.
	Operands bool
}

var _ tv.Analyser = (*Analyser)(nil)

// System returns an analyser that resolves names as this machine does, and reads
// files that would be run.
func System() *Analyser { return &Analyser{Names: &url.System{}, Operands: true} }

// Effects returns what a call would do by its text and the host's facts alone: it
// looks up nothing.
func Effects(t *tv.Tool, arguments tv.Value, facts map[string]string) []tv.Effect {
	return new(Analyser).Analyse(context.Background(), t, arguments, facts).Effects
}

// Warm readies what the tools' roles need, where the first use would be slow: a
// second and 250 MiB for a moment, 40 MiB to stay, for PostgreSQL.
func Warm(tools []*tv.Tool) {
	for _, t := range tools {
		for _, role := range t.Roles() {
			if role.Kind == tv.RoleSQL {
				command.Warm(role.Dialect)
			}
		}
	}
}

// Bounds of one call. What lies beyond them is opaque.
const (
	maxValues  = 1000
	maxEffects = 10_000 // policies read no more
)

// Analyse implements [tv.Analyser]. The effects come in the order of the
// pointers that have roles, each argument's as its analyser found them.
func (a *Analyser) Analyse(ctx context.Context, t *tv.Tool, arguments tv.Value, facts map[string]string) tv.Analysis {
	r := reading{ctx: ctx, names: a.Names, place: t.Place(), args: arguments, facts: facts, reads: t.Safety() == tv.ReadOnly}
	for at, role := range t.Roles() {
		r.argument(at, role)
		if len(r.found.Effects) > maxEffects {
			r.found.Effects = append(r.found.Effects[:maxEffects], opaque(at, "more effects than are looked at: do less in one call"))
			break
		}
	}
	if a.Operands {
		r.operands()
	}
	return r.found
}

// reading is the analysis of one call on its way.
type reading struct {
	ctx   context.Context //nolint:containedctx // lives as long as one call of Analyse
	names url.Resolver
	place tv.Place
	args  tv.Value
	facts map[string]string
	reads bool // the tool is declared read-only
	found tv.Analysis
}

// located is a value with the JSON pointer to it.
type located struct {
	value tv.Value
	at    string
}

// argument reads what one role is about: one value, or with a * several.
func (r *reading) argument(at string, role tv.Role) {
	f := argument.Find(r.args, at, maxValues)
	for _, v := range f.Found {
		r.add(r.value(located{v.Value, v.Pointer}, role)...)
	}
	if f.Missing != "" {
		r.absent(f.Missing, role)
	}
	if f.Cut {
		r.add(opaque(at, "more values than are looked at: use fewer"))
	}
}

// absent is what a call does that leaves the argument out.
func (r *reading) absent(at string, role tv.Role) {
	switch {
	case role.Default != "":
		r.add(r.value(located{argument.Default(role.Default), at}, role)...)
	case role.Optional, role.Kind == tv.RoleEmail, role.Kind == tv.RoleHeader:
	default:
		r.add(opaque(at, "the argument is left out, and what the tool then does is not declared"))
	}
}

// value has one value read. A panic in an analyser is an opaque effect.
func (r *reading) value(v located, role tv.Role) (effects []tv.Effect) {
	defer func() {
		if recover() != nil {
			effects = []tv.Effect{opaque(v.at, "the analyser failed on this argument")}
		}
	}()
	switch role.Kind {
	case tv.RolePath:
		return r.path(v, role)
	case tv.RolePatch:
		return r.patch(v, role)
	case tv.RoleURL:
		return r.url(v, role)
	case tv.RoleEmail:
		return email.AnalyseValue(v.value, email.Options{Source: v.at, Field: role.Field, Single: role.Single})
	case tv.RoleHeader:
		return email.AnalyseHeaderValue(v.value, email.Options{Source: v.at})
	case tv.RoleMoney:
		return r.money(v, role)
	case tv.RoleShell:
		return command.Shell(v.value, v.at, role.Dialect, r.folder(role))
	case tv.RoleSQL:
		return command.SQL(v.value, v.at, role.Dialect)
	case tv.RoleCode:
		return []tv.Effect{opaque(v.at, "a program in a language that is not analysed")}
	}
	return []tv.Effect{opaque(v.at, "a role that this version does not know")}
}

func (r *reading) add(effects ...tv.Effect) { r.found.Effects = append(r.found.Effects, effects...) }

func (r *reading) url(v located, role tv.Role) []tv.Effect {
	o := url.Options{Source: v.at, Base: role.Base}
	if !role.Resolve || r.names == nil {
		return url.AnalyseValue(v.value, o)
	}
	effects, answers := url.AnalyseResolved(r.ctx, v.value, o, r.names)
	for name, answer := range answers {
		if answer.Problem == "" {
			r.pin(name, answer.Addrs)
		}
	}
	return effects
}

// pin keeps what a name resolved to. Where two look-ups in one call differ, each
// address was decided on, and all are kept.
func (r *reading) pin(name string, addrs []netip.Addr) {
	if r.found.Addresses == nil {
		r.found.Addresses = map[string][]netip.Addr{}
	}
	for _, ip := range addrs {
		if !slices.Contains(r.found.Addresses[name], ip) {
			r.found.Addresses[name] = append(r.found.Addresses[name], ip)
		}
	}
}

func (r *reading) money(v located, role tv.Role) []tv.Effect {
	o := money.Options{Source: v.at, Currency: role.Currency, Minor: role.Minor, Negative: role.Negative}
	if role.CurrencyFrom != "" {
		code, given := argument.Text(r.args, role.CurrencyFrom)
		if !given {
			return []tv.Effect{opaque(v.at, "the argument that names the currency is missing, or no text")}
		}
		o.Currency = code
	}
	return money.AnalyseValue(v.value, o)
}

func opaque(source, why string) tv.Effect {
	return tv.Effect{Kind: tv.EffectOpaque, Source: source, Detail: why}
}
