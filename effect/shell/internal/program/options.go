// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package program

import (
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/effect/shell/internal/table"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// reading is an argument list on its way through a row.
type reading struct {
	table    *Table
	row      *table.Row
	name     string
	plan     *Plan
	operands []word.Word
	firm     int // operands from here on stand behind "--"
	instead  []*table.Operands
	base     []word.Word // folders to start from, each relative to the one before
	env      []word.Word // NAME=VALUE for the command that it runs

	into    word.Word   // where an archive is unpacked
	spelled []word.Word // for [Plan.Spelled]
	heard
}

// heard is what options said about the command as a whole.
type heard struct {
	deep      bool // into folders
	coded     bool // an option gave the code to run
	ended     bool // it prints something and exits
	noPattern bool // an option gave the pattern
	follow    bool // it goes where an answer sends it
	suffix    bool // what it would write over is copied first
	purge     bool // what the source does not have is deleted
	drain     bool // sources are deleted
	local     bool // it does not connect
	link      bool // it makes links
	listed    bool // a file names more operands
}

// readOptions takes the options out of args.
func (r *reading) readOptions(args []word.Word) {
	r.firm = -1
	for i := 0; i < len(args) && !r.ended; i++ {
		w := args[i]
		head := w.Prefix()
		switch {
		case head == "--" && len(w.Text) == 2:
			r.firm = len(r.operands)
			r.operands = append(r.operands, args[i+1:]...)
			r.spell(args[i:]...)
			return
		case r.row.Flags.Pluscmd && len(head) > 0 && head[0] == '+':
			if strings.Trim(head, "+0123456789") != "" || len(head) < len(w.Text) {
				r.plan.opaque(r.name + " is given a command of its own")
			}
		case head == "-" && len(w.Text) == 1 && r.row.Has("-"):
		case len(head) < 2 || head[0] != '-':
			r.operands = append(r.operands, w)
			r.spell(w)
			if r.stopsAt(head) {
				r.operands = append(r.operands, args[i+1:]...)
				r.spellRest(args[i+1:])
				return
			}
		default:
			i += r.readOption(w, head, args[i+1:])
		}
	}
}

// stopsAt reports whether no option follows an operand.
func (r *reading) stopsAt(operand string) bool {
	flags := r.row.Flags
	return (flags.Stop || flags.Verbs) && !(flags.Assigns && strings.Contains(operand, "="))
}

// spellRest adds what follows the last option, unless the subcommand's row goes
// on with it.
func (r *reading) spellRest(words []word.Word) {
	if !r.row.Flags.Verbs {
		r.spell(words...)
	}
}

// spell adds words to what is spelled out; only commands with subcommands are.
func (r *reading) spell(words ...word.Word) {
	if r.row.Flags.Verbs || r.plan.Verb != "" {
		r.spelled = append(r.spelled, words...)
	}
}

// readOption reads one word of options and returns how many words after it are
// values.
func (r *reading) readOption(w word.Word, head string, after []word.Word) int {
	name, _, attached := strings.Cut(head, "=")
	if !attached && len(head) < len(w.Text) && strings.HasPrefix(head, "--") {
		// --out$x: which option this is depends on what is not known.
		r.spell(w)
		r.unknownOption(true)
		return 0
	}
	if _, whole := w.Static(); !whole && !attached {
		return r.readCluster(w, head, after)
	}
	if o, key, ok := r.row.Find(name); ok {
		value := word.Word{}
		if attached {
			value = w.Cut(len(name) + 1)
		}
		return r.take(key, o, value, attached, after)
	}
	if strings.HasPrefix(head, "--") || r.row.Flags.Words {
		r.spell(w)
		r.unknownOption(false)
		return 0
	}
	return r.readCluster(w, head, after)
}

// readCluster reads -abc: flags, and perhaps one with a value at the end.
func (r *reading) readCluster(w word.Word, head string, after []word.Word) int {
	for i := 1; i < len(head); i++ {
		key := "-" + head[i:i+1]
		o, ok := r.row.Options[key]
		switch {
		case !ok:
			r.spell(word.Lit(key))
			r.unknownOption(false)
			if !r.row.Flags.Any {
				return 0
			}
		case o.Value == table.NoValue:
			r.take(key, o, word.Word{}, false, nil)
		default:
			rest := w.Cut(i + 1)
			return r.take(key, o, rest, rest.Text != "", after)
		}
	}
	if len(head) < len(w.Text) {
		r.spell(word.Unknown())
		r.unknownOption(true)
	}
	return 0
}

// take does what an option does and returns how many words it took as values.
func (r *reading) take(key string, o table.Option, value word.Word, attached bool, after []word.Word) int {
	if o.Instead != nil {
		r.instead = append(r.instead, o.Instead)
	}
	r.tag(key, o.Tag)
	r.spell(word.Lit(key))
	taken := 0
	switch {
	case o.Value == table.NoValue || o.Value == table.MayHaveValue && !attached:
		if o.Value == table.MayHaveValue && o.Use != "" && o.Use != "data" {
			r.apply(o.Use, word.Word{}, key)
		}
		return 0
	case o.Value == table.TwoValues:
		if len(after) < 2 {
			return len(after)
		}
		r.spell(after[:2]...)
		r.apply(o.Use, after[1], key)
		return 2
	case !attached:
		if len(after) == 0 {
			return 0
		}
		value, taken = after[0], 1
	}
	r.spell(value)
	if value.Many {
		// It may be several words, of which all but the first are operands or options.
		r.operands = append(r.operands, value)
	}
	if value.Text != "" || attached {
		r.apply(o.Use, value, key)
	}
	return taken
}

func (r *reading) tag(key, tag string) {
	switch tag {
	case "more":
		r.plan.Known = false
	case "opaque":
		r.plan.opaque(key + " of " + r.name + " changes what it does")
	case "code":
		r.coded = true
		r.plan.opaque(r.name + " runs code that was not analysed")
	case "net":
		r.plan.connect()
	case "ends":
		r.ended = true
	case "deep":
		r.deep = true
	case "link":
		r.link = true
	case "backup":
		r.suffix = true
	case "follow":
		r.follow = true
	case "login":
		r.base = append(r.base, word.Unknown())
	case "purge":
		r.purge = true
	case "drain":
		r.drain = true
	case "stdin":
		r.coded = true
		r.plan.opaque(r.name + " reads commands from its standard input")
	}
}

// unknownOption notes an option that the row does not have; loose when not
// even its name is known.
func (r *reading) unknownOption(loose bool) {
	switch {
	case r.runs():
		r.plan.opaque("an option of " + r.name + " is not in the table, so what it runs is not certain")
	case loose && r.row.Sharp:
		r.plan.opaque("an option of " + r.name + " is not known and could write, delete or run something")
	case !r.row.Flags.Any:
		r.plan.Known = false
	}
}

// runs reports whether operands are a command.
func (r *reading) runs() bool {
	o := r.row.Operands
	isCode := func(use string) bool { return use == "run" || use == "sh" }
	return isCode(o.Rest) || slices.ContainsFunc(o.Uses, isCode)
}

// loose notes a word that could turn out to be an option.
func (r *reading) loose(how word.Looseness) {
	if !r.row.Sharp || how == word.Firm {
		return
	}
	if how == word.LooseGlob {
		r.plan.Known = false // a file could be named like an option
		return
	}
	r.plan.opaque("a word that is not known could be an option of " + r.name + " that writes, deletes or runs something")
}
