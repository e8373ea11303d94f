// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package program

import (
	"strings"

	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// runsEnv reads "env [options] [NAME=VALUE...] [command [arguments]]". What -S
// splits stands in its place, and may hold options itself.
func (r *reading) runsEnv(args []word.Word) bool {
	for i := 0; i < len(args) && i < maxSplits; i++ {
		head := args[i].Prefix()
		if len(head) < 2 || head[0] != '-' {
			break
		}
		text, after, is := splitOption(args[i], args[i+1:])
		if !is {
			continue
		}
		s, ok := text.Static()
		if !ok || strings.ContainsAny(s, "\"'\\$#") {
			r.plan.opaque("the text that env splits is not plain")
			return true
		}
		split := append([]word.Word{}, args[:i]...)
		for field := range strings.FieldsSeq(s) {
			split = append(split, word.Lit(field))
		}
		args = append(split, after...)
		i-- // the first of the new words may be an option too
	}
	r.readOptions(args)
	if r.ended {
		*r.plan = Plan{Known: true}
		return true
	}
	r.useOperands()
	r.finish()
	return true
}

const maxSplits = 64

// splitOption returns the text of env's -S, and what follows it.
func splitOption(w word.Word, after []word.Word) (text word.Word, rest []word.Word, is bool) {
	head := w.Prefix()
	const long = "--split-string"
	if name, _, attached := strings.Cut(head, "="); len(name) > 3 && strings.HasPrefix(long, name) {
		if attached {
			return w.Cut(len(name) + 1), after, true
		}
		return next(after)
	}
	at := strings.IndexByte(head, 'S')
	if at < 0 || strings.HasPrefix(head, "--") || strings.ContainsAny(head[:at], "uCaP") {
		return word.Word{}, nil, false
	}
	if text = w.Cut(at + 1); text.Text != "" {
		return text, after, true
	}
	return next(after)
}

func next(words []word.Word) (first word.Word, rest []word.Word, ok bool) {
	if len(words) == 0 {
		return word.Word{}, nil, false
	}
	return words[0], words[1:], true
}

// makeVariables reads the NAME=VALUE words of make: a recipe is shell text, and values
// become part of it.
func (r *reading) makeVariables(args []word.Word) bool {
	for _, w := range args {
		name, _, ok := strings.Cut(w.Prefix(), "=")
		if !ok || strings.HasPrefix(name, "-") {
			continue
		}
		value := w.Cut(len(name) + 1)
		if strings.HasSuffix(name, "!") {
			r.applyCode("sh", value)
			continue
		}
		r.makeVariable(strings.TrimRight(name, ":+?"), value)
	}
	return false
}

func (r *reading) makeVariable(name string, value word.Word) {
	text, ok := value.Static()
	switch name {
	case "SHELL", ".SHELLFLAGS", "MAKEFLAGS", "GNUMAKEFLAGS", "MAKEFILES", "MAKE":
		r.plan.opaque(name + " changes what make runs")
	case "CC", "CXX", "CPP", "LD", "AR", "AS", "FC", "LEX", "YACC", "RM", "INSTALL", "PKG_CONFIG", "PYTHON":
		r.applyCode("sh+", value)
	default:
		if ok && strings.ContainsAny(text, "$`;&|<>()\n") {
			r.plan.opaque("a variable of make becomes shell text")
		}
	}
}

// fd reads "fd [options] [pattern [folder...]] [-x command...]".
func (r *reading) fd(args []word.Word) bool {
	var command []word.Word
	each := false
	for i, w := range args {
		s, _ := w.Static()
		switch {
		case s == "-x" || s == "--exec", s == "-X" || s == "--exec-batch":
			each = true
			args, command = args[:i], args[i+1:]
		case strings.HasPrefix(s, "-x"), strings.HasPrefix(s, "-X"), strings.HasPrefix(s, "--exec"):
			r.plan.opaque("the command that fd runs is not read")
			return true
		}
		if each {
			break
		}
	}
	if !each {
		return false
	}
	r.readOptions(args)
	r.useOperands()
	found := word.Unknown()
	argv := make([]word.Word, 0, len(command)+1)
	filled := false
	for _, w := range command {
		if s, ok := w.Static(); ok && s == ";" {
			break // another -x may follow; fd takes all to the end for the first
		}
		if strings.Contains(w.Text, "{") {
			w, filled = found, true
		}
		argv = append(argv, w)
	}
	if !filled {
		argv = append(argv, found)
	}
	r.plan.Runs = append(r.plan.Runs, Run{Argv: argv})
	return true
}

// capsh reads "capsh [options] -- [arguments of bash]".
func (r *reading) capsh(args []word.Word) bool {
	for i, w := range args {
		switch s, ok := w.Static(); {
		case !ok:
			r.plan.opaque("an argument of capsh is not known")
			return true
		case s == "--" || s == "==" || s == "+" || s == "=+":
			bash := append([]word.Word{word.Lit("bash")}, args[i+1:]...)
			r.plan.Runs = append(r.plan.Runs, Run{Argv: bash})
			return true
		case strings.HasPrefix(s, "--shell="):
			r.plan.opaque("capsh runs a shell of its own choice")
		}
	}
	return true
}

// socat reads "socat [options] ADDRESS ADDRESS".
func (r *reading) socat(args []word.Word) bool {
	r.plan.Known = false
	for _, w := range args {
		head := w.Prefix()
		if strings.HasPrefix(head, "-") && len(head) > 1 && !strings.Contains(head, ":") {
			continue
		}
		for part := range strings.SplitSeq(head, "!!") {
			r.socatAddress(part, len(head) == len(w.Text))
		}
	}
	return true
}

func (r *reading) socatAddress(text string, known bool) {
	kind, rest, _ := strings.Cut(text, ":")
	rest, _, _ = strings.Cut(rest, ",")
	what := word.Lit(rest)
	if !known {
		what = word.Unknown()
	}
	p := r.plan
	switch kind = strings.ToUpper(kind); {
	case kind == "-" || strings.HasPrefix(kind, "STD") || kind == "FD":
	case kind == "EXEC" && known && !strings.ContainsAny(rest, "\"'\\"):
		r.splitCommand(what)
	case kind == "SYSTEM" && known, kind == "SHELL" && known:
		r.applyCode("sh", what)
	case kind == "OPEN" || kind == "FILE" || kind == "GOPEN" || kind == "CREATE" || kind == "CREAT" || kind == "PIPE":
		p.use(Read, what)
		p.use(Write, what)
	case strings.Contains(kind, "LISTEN") || strings.Contains(kind, "RECV"):
		p.connect()
	case strings.HasPrefix(kind, "TCP"), strings.HasPrefix(kind, "UDP"), strings.HasPrefix(kind, "SCTP"),
		strings.HasPrefix(kind, "OPENSSL"), strings.HasPrefix(kind, "SSL"), strings.HasPrefix(kind, "SOCKS"), kind == "PROXY":
		p.Uses = append(p.Uses, Use{Kind: Host, Word: what})
	case strings.Contains(kind, "/") && rest == "":
		p.use(Read, word.Lit(text))
		p.use(Write, word.Lit(text))
	default:
		p.opaque("an address of socat is not in the table")
	}
}
