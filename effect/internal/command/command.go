// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package command reads the arguments that are written in a language: commands
// of a shell and statements of a database.
package command

import (
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/internal/argument"
	"github.com/toolverdict/toolverdict/effect/shell"
	"github.com/toolverdict/toolverdict/effect/sql"
)

// Place is where a command runs, as far as it is known.
type Place struct {
	tv.Place
	Dir   string // the folder it starts in, absolute
	Known bool   // Dir is known
}

// Shell returns what a command does: a text, or the words of one program in a
// list, which no shell expands.
func Shell(v tv.Value, at, dialect string, p Place) []tv.Effect {
	text, ok := commandText(v)
	switch {
	case !ok:
		return []tv.Effect{opaque(at, "no command where one is expected: a text, or a list of words")}
	case p.Windows:
		return []tv.Effect{opaque(at, "commands on Windows are not analysed")}
	}
	o := shell.Options{Home: p.Home, Platform: shell.Platform(dialect)}
	if p.Known {
		o.Root, o.Dir = p.Root, p.Dir // a root alone would be taken for the folder it starts in
	}
	return sourced(at, shell.Analyse(text, o))
}

// commandText writes a list of words as the text that a shell reads as just
// them.
func commandText(v tv.Value) (string, bool) {
	if text, ok := argument.Text(v, ""); ok {
		return text, true
	}
	var quoted []string
	for _, item := range v.Items() {
		word, ok := argument.Text(item, "")
		if !ok {
			return "", false
		}
		quoted = append(quoted, "'"+strings.ReplaceAll(word, "'", `'\''`)+"'")
	}
	return strings.Join(quoted, " "), len(quoted) > 0
}

// SQL returns what the statements of a text do.
func SQL(v tv.Value, at, dialect string) []tv.Effect {
	text, ok := argument.Text(v, "")
	if !ok {
		return []tv.Effect{opaque(at, "no text where SQL is expected")}
	}
	return sourced(at, sql.Analyse(sql.Dialect(dialect), text))
}

// Warm readies the parsers of dialects whose first use is slow.
func Warm(dialect string) {
	if sql.Dialect(dialect) == sql.PostgreSQL {
		sql.Warm()
	}
}

// sourced says where effects were found.
func sourced(at string, effects []tv.Effect) []tv.Effect {
	for i := range effects {
		effects[i].Source = at
	}
	return effects
}

func opaque(source, why string) tv.Effect {
	return tv.Effect{Kind: tv.EffectOpaque, Source: source, Detail: why}
}
