// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package option knows how programs read their arguments: which words are
// options, spelled in full, cut short or in a cluster, which are their values
// and which are operands. It goes by the rows of the table, and knows nothing of
// what an option does.
//
// An option that is not in its row is noted as such: it may have taken the word
// after it, so that what follows is less certain.
package option

import (
	"strings"

	"github.com/toolverdict/toolverdict/effect/shell/internal/table"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// List is an argument list, read.
type List struct {
	Taken    []Taken
	Operands []word.Word
	Firm     int         // operands from here on stand behind "--", -1 for none
	Spelled  []word.Word // the words, each option by itself and by its full name
	Unlisted bool        // an option is not in the row
	Hidden   bool        // a word, or part of one, that is not known is an option
	Ended    bool        // it prints something and exits
	Command  bool        // an operand is a command of its own
}

// Taken is an option that is in the row.
type Taken struct {
	table.Option
	Key   string
	Value word.Word
	Given bool // it has a value, which may be empty
	Late  bool // it stands behind an operand
}

// reader is an argument list on its way.
type reader struct {
	row  *table.Row
	rest bool // what follows are operands
	List
}

// Read reads arguments as the row says.
func Read(row *table.Row, args []word.Word) List {
	r := reader{row: row}
	r.Firm = -1
	if row.Flags.Raw {
		r.Operands, r.Spelled = args, args
		return r.List
	}
	for i := 0; i < len(args) && !r.Ended; i++ {
		w := args[i]
		head := w.Prefix()
		switch {
		case head == "--" && len(w.Text) == 2:
			r.Firm = len(r.Operands)
			r.Operands = append(r.Operands, args[i+1:]...)
			r.spell(args[i:]...)
			return r.List
		case row.Flags.Pluscmd && len(head) > 0 && head[0] == '+':
			r.Command = r.Command || strings.Trim(head, "+0123456789") != "" || len(head) < len(w.Text)
		case head == "-" && len(w.Text) == 1 && row.Has("-"):
		case len(head) < 2 || head[0] != '-':
			r.operand(w)
			if r.stopsAt(head) {
				r.end(args[i+1:])
				return r.List
			}
		default:
			i += r.option(w, head, args[i+1:])
			if r.rest {
				r.Operands = append(r.Operands, args[i+1:]...)
				return r.List
			}
		}
	}
	return r.List
}

// stopsAt reports whether no option follows an operand.
func (r *reader) stopsAt(operand string) bool {
	flags := r.row.Flags
	return (flags.Stop || flags.Verbs) && !(flags.Assigns && strings.Contains(operand, "="))
}

// end takes what follows the last option.
func (r *reader) end(words []word.Word) {
	r.Operands = append(r.Operands, words...)
	if !r.row.Flags.Verbs { // else the subcommand's row goes on with it
		r.spell(words...)
	}
}

func (r *reader) operand(w word.Word) {
	r.Operands = append(r.Operands, w)
	r.spell(w)
}

func (r *reader) spell(words ...word.Word) { r.Spelled = append(r.Spelled, words...) }

// option reads one word of options and returns how many words after it are
// values.
func (r *reader) option(w word.Word, head string, after []word.Word) int {
	name, _, attached := strings.Cut(head, "=")
	if !attached && len(head) < len(w.Text) && strings.HasPrefix(head, "--") {
		// --out$x: which option this is depends on what is not known.
		r.Unlisted, r.Hidden = true, true
		r.spell(w)
		return 0
	}
	if _, whole := w.Static(); !whole && !attached {
		return r.cluster(w, head, after)
	}
	if r.row.Flags.Words && !r.row.Flags.Joins && strings.HasPrefix(name, "--") && !r.row.Has(name) {
		name, head, w = name[1:], head[1:], w.Cut(1) // one dash or two
	}
	if o, key, ok := r.row.Find(name); ok {
		// A flag that is given a value is not the flag that the row means.
		r.Unlisted = r.Unlisted || attached && o.Value == table.NoValue
		value := word.Word{}
		if attached {
			value = w.Cut(len(name) + 1)
		}
		if attached && len(name) == 2 && !r.row.Flags.Builds && o.Value != table.NoValue {
			// To some -o=a gives the value "=a", to others "a".
			r.Taken = append(r.Taken, Taken{Option: o, Key: key, Value: w.Cut(2), Given: true})
		}
		return r.take(key, o, value, attached, after)
	}
	return r.unlisted(w, name, head, after)
}

// unlisted reads a word that is not an option of the row as it stands.
func (r *reader) unlisted(w word.Word, name, head string, after []word.Word) int {
	short := !strings.HasPrefix(head, "--")
	switch {
	case r.row.Flags.Passes:
		r.operand(w)
		return 0
	case r.negates(name):
		r.spell(w)
		return 0
	case r.row.Flags.Joins && short:
		if o, ok := r.row.Options[head[:2]]; ok && o.Value != table.NoValue {
			return r.take(head[:2], o, w.Cut(2), true, after)
		}
	case short && !r.row.Flags.Words:
		return r.cluster(w, head, after)
	}
	r.Unlisted = true
	r.spell(w)
	return 0
}

// negates reports whether an option takes back one that is in the table and
// changes nothing: where it changes something, what is without it counts.
func (r *reader) negates(name string) bool {
	positive, ok := strings.CutPrefix(name, "--no-")
	o, has := r.row.Options["--"+positive]
	return ok && has && o.Instead == nil && o.Tag == "" && (o.Use == "" || o.Use == "data")
}

// cluster reads -abc: flags, and perhaps one with a value at the end.
func (r *reader) cluster(w word.Word, head string, after []word.Word) int {
	for i := 1; i < len(head); i++ {
		key := "-" + head[i:i+1]
		o, ok := r.row.Options[key]
		switch {
		case !ok:
			r.Unlisted = true
			r.spell(word.Lit(key))
			return 0
		case o.Value == table.NoValue:
			r.take(key, o, word.Word{}, false, nil)
		default:
			rest := w.Cut(i + 1)
			return r.take(key, o, rest, rest.Text != "", after)
		}
	}
	if len(head) < len(w.Text) {
		r.Unlisted, r.Hidden = true, true
		r.spell(word.Unknown())
	}
	return 0
}

// take notes an option and returns how many words it took as values.
func (r *reader) take(key string, o table.Option, value word.Word, attached bool, after []word.Word) int {
	t := Taken{Option: o, Key: key, Late: len(r.Operands) > 0}
	taken := 0
	switch {
	case o.Value == table.NoValue || o.Value == table.MayHaveValue && !attached:
	case o.Value == table.TwoValues:
		taken = min(2, len(after))
		if taken == 2 {
			t.Value, t.Given = after[1], true
		}
	case attached:
		t.Value, t.Given = value, true
	case len(after) > 0:
		t.Value, t.Given, taken = after[0], after[0].Text != "", 1
	}
	r.spell(word.Lit(key))
	r.spell(after[:taken]...)
	if t.Given && taken == 0 {
		r.spell(t.Value)
	}
	switch o.Tag {
	case "ends": // unless it is an operand, or the value of an option that nobody knows
		r.Ended = r.Ended || !r.Unlisted && !t.Late
	case "rest":
		r.rest = true
	}
	r.Taken = append(r.Taken, t)
	if t.Value.Many && o.Value != table.TwoValues {
		// It may be several words, of which all but the first are operands or options.
		r.Operands = append(r.Operands, t.Value)
	}
	return taken
}
