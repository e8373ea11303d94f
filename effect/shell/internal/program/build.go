// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package program

import (
	"strings"

	"github.com/toolverdict/toolverdict/effect/shell/internal/argument"
	"github.com/toolverdict/toolverdict/effect/shell/internal/table"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// applyBuild notes an argument of a program that builds what is in the folder.
func (r *reading) applyBuild(use string, w word.Word, of string) {
	text := w.Text
	if w.Open() {
		r.plan.opaque("an argument of " + r.name + " that is not known could lead elsewhere")
		return
	}
	if of == "" {
		of = "an argument"
	}
	ok := true
	switch use {
	case "plain":
		ok = argument.Plain(text)
	case "within":
		ok = argument.Within(text)
	case "phase":
		ok = argument.Phase(text)
	case "ldflags":
		ok = argument.Linker(text)
	case "lintarg":
		ok = argument.Lint(text)
	case "target":
		ok = r.target(w)
	case "folder": // of cmake; behind "--" stand options of what it runs
		ok = !strings.HasPrefix(text, "-") && !strings.Contains(text, "=") || strings.HasPrefix(text, "-j") && argument.Plain(text)
		r.plan.deep(Read, w)
	case "fetch":
		if text != "" && text[0] != '.' && text[0] != '/' {
			r.plan.connect()
			return
		}
		r.plan.deep(Read, w)
	case "gopkg":
		switch {
		case strings.Contains(text, "@"):
			r.plan.connect()
		case strings.HasPrefix(text, "/") || strings.HasPrefix(text, ".") || strings.HasSuffix(text, ".go"):
			r.plan.deep(Read, w)
		}
	}
	if !ok {
		r.plan.opaque(of + " of " + r.name + " may lead elsewhere or run another program")
	}
}

// Leads reports whether a variable may make a program that builds reach a place
// that is not fine.
func Leads(name string, w word.Word, fine func(place string) bool) bool {
	return w.Open() || !argument.Variable(name, w.Text, fine)
}

// target notes what make or ninja is to bring about. A rule that is built in
// makes any file from one beside it.
func (r *reading) target(w word.Word) bool {
	switch {
	case strings.HasPrefix(w.Text, "-"):
		return false
	case strings.Contains(w.Text, "="): // a variable of make
	case strings.Contains(w.Text, "/"):
		r.plan.use(Write, w)
	}
	return true
}

// runAgain runs a command of the same program: "yarn workspace NAME add x".
func (r *reading) runAgain(use string, args []word.Word) {
	name, _, _ := strings.Cut(r.name, " ")
	argv := []word.Word{word.Lit(name)}
	if use == "selfrun" {
		argv = append(argv, word.Lit("run"))
	}
	r.plan.Runs = append(r.plan.Runs, Run{Argv: append(argv, args...)})
}

// applyTracked notes a file that git shows: by its path, or by a commit and its
// path from the top of the repository.
func (r *reading) applyTracked(use string, w word.Word) {
	kind := Read
	if use == "tracknames" {
		kind = Names
	}
	head := w.Prefix()
	if commit, path, ok := strings.Cut(head, ":"); ok && !strings.HasPrefix(head, ":") {
		if path == "" && len(head) == len(w.Text) {
			return // the whole of it
		}
		r.trackedAt(w.Cut(len(commit)+1), kind)
		return
	}
	at, folder, all := argument.Pathspec(head)
	switch {
	case all:
		r.wholeRepository(kind)
	case folder != "": // git's * goes into folders and picks hidden names
		r.plan.Uses = append(r.plan.Uses, Use{Kind: kind, Word: word.Lit(folder), Deep: true, Top: word.Lit(".")})
		if near := argument.Nearest(head[at:]); near != "" {
			r.trackedAt(word.Lit(folder+near), kind)
		}
	case at > 0:
		r.trackedAt(w.Cut(at), kind)
	case len(head) < len(w.Text) || !argument.Commit(head):
		r.plan.Uses = append(r.plan.Uses, Use{Kind: kind, Word: w, Deep: use == "trackeds"})
	}
}

// wholeRepository notes what becomes of all files that git tracks.
func (r *reading) wholeRepository(kind Kind) {
	r.plan.Uses = append(r.plan.Uses, Use{Kind: kind, Word: word.Lit("."), Deep: true, Top: word.Lit(".")})
}

// showsAll notes that everything is shown where no operand surely is a file.
func (r *reading) showsAll(o *table.Operands) {
	shown, commits := 0, false
	for i, w := range r.operands {
		switch o.UseOf(i, len(r.operands)) {
		case "tracked", "trackeds":
		default:
			continue
		}
		shown++
		if r.firm >= 0 && i >= r.firm || !w.Open() && argument.SurelyPath(w.Text) || w.Glob {
			return
		}
		_, path, object := strings.Cut(w.Prefix(), ":")
		commits = commits || !object || path == ""
	}
	if commits || shown == 0 && o.Here == "" {
		r.wholeRepository(Read)
	}
}

// trackedAt notes a path that starts at the top of the repository, or here.
func (r *reading) trackedAt(w word.Word, kind Kind) {
	use := Use{Kind: kind, Word: w, Top: word.Lit(".")}
	if head := w.Prefix(); strings.HasPrefix(head, "./") || strings.HasPrefix(head, "../") {
		use.Top = word.Word{}
	}
	r.plan.Uses = append(r.plan.Uses, use)
}
