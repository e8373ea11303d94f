// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package program

import (
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/effect/shell/internal/table"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// Table knows the programs of [table.Table]. It does not change.
type Table struct{ rows *table.Table }

// Load reads the table.
func Load() (*Table, error) {
	rows, err := table.Load()
	return &Table{rows: rows}, err
}

// Plan returns what the program of that base name does with the arguments. A
// program that has no row makes a plan that is not known.
func (t *Table) Plan(name string, args []word.Word) Plan {
	var p Plan
	if e, ok := t.rows.Find(name); ok {
		p.Known = true
		t.read(&p, e.Row, name, args)
	}
	return p
}

// Has reports whether the table has a row for the program.
func (t *Table) Has(name string) bool {
	_, ok := t.rows.Find(name)
	return ok
}

func (t *Table) read(p *Plan, row *table.Row, name string, args []word.Word) {
	if row.Flags.More && !row.Flags.Verbs {
		p.Known = false
	}
	p.Settings, p.Builds = p.Settings || row.Flags.Settings, p.Builds || row.Flags.Builds
	p.Careful = name == "git" || strings.HasPrefix(name, "git ")
	r := &reading{table: t, row: row, name: name, plan: p}
	if row.Special != "" && r.special(args) {
		return
	}
	r.readOptions(args)
	if r.ended {
		*p = Plan{Verb: p.Verb, Known: true}
		return
	}
	if row.Alone != "" && len(r.operands) == 0 {
		r.operands = []word.Word{word.Lit(row.Alone)}
	}
	p.Spelled = append(p.Spelled, r.spelled...)
	if row.Flags.Verbs && len(r.operands) > 0 {
		if r.readVerb() {
			return // its row says all there is to say
		}
	} else {
		r.useOperands()
	}
	if row.Flags.More {
		p.Known = false
	}
	if row.Flags.Asks && !r.coded && len(r.instead) == 0 && len(p.Runs) == 0 {
		p.opaque(name + " reads commands from its standard input")
	}
	r.finish()
}

// finish applies what holds for all uses of the command.
func (r *reading) finish() {
	p := r.plan
	if r.follow {
		p.connect()
	}
	if r.row.Flags.Net && !r.local && !slices.ContainsFunc(p.Uses, func(u Use) bool { return u.Kind == Host || u.Kind == URL }) {
		p.connect()
	}
	for i := range p.Runs {
		p.Runs[i].Away = p.Runs[i].Away || r.row.Flags.Away
	}
	if r.row.Flags.Login {
		p.start(word.Unknown())
	}
	for _, dir := range slices.Backward(r.base) {
		p.start(dir)
	}
}

// start makes everything relative start from a folder.
func (p *Plan) start(dir word.Word) {
	for i := range p.Uses {
		switch kind := p.Uses[i].Kind; {
		case kind == Host || kind == URL || kind == Recipient || kind == Query:
		case p.Uses[i].Top.Text != "":
			p.Uses[i].Top = word.Join(dir, p.Uses[i].Top)
		default:
			p.Uses[i].Word = word.Join(dir, p.Uses[i].Word)
		}
	}
	for i := range p.Moves {
		p.Moves[i].From, p.Moves[i].To = word.Join(dir, p.Moves[i].From), word.Join(dir, p.Moves[i].To)
	}
	for i := range p.Runs {
		p.Runs[i].Dir = word.Join(dir, p.Runs[i].Dir)
	}
}

// readVerb hands the rest to the row of the subcommand, and reports whether
// there is one.
func (r *reading) readVerb() bool {
	if head := r.operands[0].Prefix(); r.name == "cargo" && strings.HasPrefix(head, "+") {
		r.apply("plain", r.operands[0], "the toolchain") // rustup reads it
		r.operands = r.operands[1:]
		if len(r.operands) == 0 {
			return true
		}
		r.plan.Spelled = append(r.plan.Spelled, r.operands[0])
	}
	verb, ok := r.operands[0].Static()
	if !ok {
		r.plan.opaque("the subcommand of " + r.name + " is not known")
		return false
	}
	if r.name == "git" && len(r.operands) > 1 && r.operands[1].Text == "--help" && !r.operands[1].Glob {
		r.plan.addVerb("help")
		return true
	}
	sub, ok := r.table.rows.Find(r.name + " " + verb)
	if !ok {
		r.plan.Known = false
		r.plan.addVerb(verb)
		if r.row.Flags.Builds {
			r.plan.opaque("the subcommand " + verb + " of " + r.name + " is not in the table")
			return false
		}
		if r.row.Operands.Rest != "" || len(r.row.Operands.Uses) > 0 {
			r.useOperands()
		}
		return false
	}
	r.plan.addVerb(sub.Verb)
	r.table.read(r.plan, sub.Row, r.name+" "+sub.Verb, r.operands[1:])
	for _, dir := range slices.Backward(r.base) {
		r.plan.start(dir)
	}
	return true
}

func (p *Plan) addVerb(verb string) {
	if p.Verb != "" {
		verb = p.Verb + " " + verb
	}
	p.Verb = verb
}

func (r *reading) useOperands() {
	for _, use := range r.row.Operands.Also {
		r.apply(use, word.Lit("."), "")
	}
	if r.coded && len(r.row.Operands.Uses) > 0 && r.row.Operands.Uses[0] == "script" {
		return // the code is given, so these are its arguments
	}
	for i, w := range r.operands {
		if r.row.Flags.Stop && i > 0 || r.firm >= 0 && i >= r.firm {
			break
		}
		r.loose(w.Loose())
	}
	if len(r.instead) == 0 {
		r.useOperandsAs(r.row.Operands)
	}
	for _, o := range r.instead {
		r.useOperandsAs(*o)
	}
}

// useOperandsAs notes what becomes of the operands when they are used so.
func (r *reading) useOperandsAs(o table.Operands) {
	args := r.operands
	if r.row.Flags.Assigns {
		args = r.takeAssignments(args)
	}
	if r.noPattern {
		o.Uses = slices.DeleteFunc(slices.Clone(o.Uses), isPattern)
	}
	if r.listed {
		r.useAnyWay(append(slices.Clone(o.Uses), o.Rest, o.Last), []word.Word{word.Unknown()})
	} else {
		r.useHere(&o, len(args))
	}
	if o.All {
		r.showsAll(&o)
	}
	for i, w := range args {
		if w.Many && !(i >= len(o.Uses) && (o.Last == "" || i < len(args)-1)) {
			// It may be any number of words: from here on each may be used in any way.
			r.useAnyWay(append(slices.Clone(o.Uses[min(i, len(o.Uses)):]), o.Rest, o.Last), args[i:])
			return
		}
		switch use := o.UseOf(i, len(args)); use {
		case "run":
			r.runOperands(args[i:])
			return
		case "self", "selfrun":
			r.runAgain(use, args[i:])
			return
		case "sh":
			r.plan.Runs = append(r.plan.Runs, Run{Text: word.Text(args[i:]), Shell: POSIX})
			return
		default:
			r.apply(use, w, "")
		}
	}
}

// useHere notes what becomes of the working directory when n operands leave it
// to that.
func (r *reading) useHere(o *table.Operands, n int) {
	if n <= 1 && o.One != "" {
		r.apply(o.One, word.Lit("."), "")
	}
	patterns := 0
	for _, use := range o.Uses {
		if isPattern(use) {
			patterns++
		}
	}
	if n > patterns {
		return
	}
	here := o.Here
	if r.deep && here == "" {
		here = o.Deep
	}
	r.apply(here, word.Lit("."), "")
}

// runOperands runs operands as a command: "kubectl exec pod -c name -- command".
func (r *reading) runOperands(args []word.Word) {
	at := slices.IndexFunc(args, func(w word.Word) bool { return w.Text == "--" && !w.Glob })
	if at == 0 || at > 0 && r.row.Flags.Away {
		args = args[at+1:]
	}
	if len(args) > 0 {
		r.plan.Runs = append(r.plan.Runs, Run{Argv: args, Env: r.env})
	}
}

func (r *reading) useAnyWay(uses []string, args []word.Word) {
	for i, use := range uses {
		if use == "" || slices.Contains(uses[:i], use) {
			continue
		}
		if use == "run" || use == "sh" || use == "self" || use == "selfrun" {
			r.plan.opaque("the command that " + r.name + " runs is not known")
			continue
		}
		for _, w := range args {
			r.apply(use, w, "")
		}
	}
}

// takeAssignments keeps the NAME=VALUE words before a command for it.
func (r *reading) takeAssignments(args []word.Word) []word.Word {
	for len(args) > 0 && strings.IndexByte(args[0].Prefix(), '=') > 0 {
		r.env, args = append(r.env, args[0]), args[1:]
	}
	return args
}
