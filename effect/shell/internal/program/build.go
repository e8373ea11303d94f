// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package program

import (
	"strings"

	"github.com/toolverdict/toolverdict/effect/shell/internal/argument"
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
	if rest, ok := strings.CutPrefix(head, ":"); ok { // a stage, or a path with magic
		if magic, path, long := strings.Cut(rest, ")"); long && strings.HasPrefix(magic, "(") {
			rest = path
		}
		r.trackedAt(w.Cut(len(head)-len(strings.TrimLeft(rest, "0123:/!^"))), kind)
		return
	}
	if len(head) < len(w.Text) || !argument.Commit(head) {
		r.plan.Uses = append(r.plan.Uses, Use{Kind: kind, Word: w, Deep: use == "trackeds"})
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
