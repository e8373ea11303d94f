// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package view

import (
	"net"
	"strconv"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/console/words"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Effect is one thing that a call would do, in words: what it does, to what, and
// what else is to be known of it.
type Effect struct {
	Kind   tv.EffectKind
	Does   string
	What   string
	Notes  []string
	Danger bool // look twice: it cannot be told, cannot be undone, or goes where it should not
}

// Effects puts effects into words.
func Effects(l *words.Language, list []tv.Effect) []Effect {
	out := make([]Effect, 0, len(list))
	for i := range list {
		out = append(out, effect(l, &list[i]))
	}
	return out
}

func effect(l *words.Language, e *tv.Effect) Effect {
	out := Effect{Kind: e.Kind, Does: l.W("effect", e.Kind)}
	note := func(is bool, key string, args ...any) {
		if is {
			out.Notes = append(out.Notes, l.T(key, args...))
		}
	}
	switch e.Kind {
	case tv.EffectRead, tv.EffectWrite, tv.EffectDelete:
		out.What = firstOf(e.Pattern, e.Path, l.T("effect.some-file"))
		note(e.Deep && e.Pattern == "", "effect.note.deep")
		note(e.Names, "effect.note.names")
		out.Danger = e.Kind == tv.EffectDelete || e.Path == "" && e.Pattern == ""
	case tv.EffectExecute:
		out.What = firstOf(strings.ReplaceAll(strings.Join(e.Argv, " "), "\x00", "…"), e.Program, l.T("effect.some-program"))
		note(!e.Known, "effect.note.unknown-program")
		out.Danger = !e.Known
	case tv.EffectConnect:
		out.What = firstOf(address(e), l.T("effect.some-host"))
		inside := e.Network != "" && e.Network != "public"
		if inside {
			out.Notes = append(out.Notes, l.W("network", e.Network))
		}
		note(e.IP != "" && e.IP != e.Host, "effect.note.at", e.IP)
		out.Danger = inside || e.Host == ""
	case tv.EffectSend:
		out.What = firstOf(e.Recipient, l.T("effect.somebody"))
		if e.Field != "" && e.Field != "to" {
			out.Notes = append(out.Notes, e.Field)
		}
		out.Danger = e.Recipient == ""
	case tv.EffectSpend:
		out.What, out.Danger = l.Money(firstOf(e.Amount, "?"), e.Currency), true
	case tv.EffectQuery:
		query(l, e.Query, &out)
	case tv.EffectOpaque:
		out.What, out.Danger = firstOf(e.Detail, e.Source), true
	}
	out.What = plain.Reveal(out.What)
	return out
}

func query(l *words.Language, q *tv.Query, out *Effect) {
	if q == nil {
		out.What, out.Danger = l.T("effect.some-query"), true
		return
	}
	out.What = strings.ToUpper(q.Verb)
	if len(q.Changes) > 0 {
		out.What += " " + strings.Join(q.Changes, ", ")
	}
	if len(q.Reads) > 0 {
		out.Notes = append(out.Notes, l.T("effect.note.reads", plain.Reveal(strings.Join(q.Reads, ", "))))
	}
	if len(q.Functions) > 0 {
		out.Notes = append(out.Notes, l.T("effect.note.calls", plain.Reveal(strings.Join(q.Functions, ", "))))
	}
	if !q.Bounded {
		out.Notes = append(out.Notes, l.T("effect.note.unbounded"))
	}
	out.Danger = !q.OnlyReads() && !q.Bounded
}

func address(e *tv.Effect) string {
	if e.Host != "" && e.Port > 0 {
		return net.JoinHostPort(e.Host, strconv.Itoa(e.Port))
	}
	return e.Host
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// Show writes out what would not be seen.
func Show(s string) string { return plain.Reveal(s) }
