// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package program

import (
	"slices"

	"github.com/toolverdict/toolverdict/effect/shell/internal/option"
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

// readOptions takes the options out of args and does what they do.
func (r *reading) readOptions(args []word.Word) {
	list := option.Read(r.row, args)
	r.operands, r.firm, r.ended = list.Operands, list.Firm, list.Ended
	if r.row.Flags.Verbs || r.plan.Verb != "" {
		r.spelled = list.Spelled
	}
	if list.Command {
		r.plan.opaque(r.name + " is given a command of its own")
	}
	if list.Unlisted {
		r.unknownOption(list.Hidden)
	}
	for i := range list.Taken {
		r.take(&list.Taken[i])
	}
}

// take does what an option does.
func (r *reading) take(t *option.Taken) {
	if t.Instead != nil {
		r.instead = append(r.instead, t.Instead)
		if t.Late && !r.plan.Careful {
			// Where options end at the first operand, this is another operand.
			r.instead = append(r.instead, &r.row.Operands)
		}
	}
	r.tag(t.Key, t.Tag)
	switch {
	case t.Given:
		r.apply(t.Use, t.Value, t.Key)
	case t.Option.Value == table.MayHaveValue && t.Use != "" && t.Use != "data":
		r.apply(t.Use, word.Word{}, t.Key)
	}
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
	case r.row.Flags.Builds:
		r.plan.opaque("an option of " + r.name + " is not in the table and may reach elsewhere")
	case r.runs():
		r.plan.opaque("an option of " + r.name + " is not in the table, so what it runs is not certain")
	case loose && r.row.Sharp:
		r.plan.opaque("an option of " + r.name + " is not known and could write, delete or run something")
	default:
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
