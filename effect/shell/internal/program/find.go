// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package program

import (
	"strings"

	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// finding is a find command on its way through its expression.
type finding struct {
	*reading
	starts []word.Word
	name   word.Word // what -name wants, where nothing but conjunctions is around it
	named  bool
	simple bool
}

// find reads "find [options] start... expression".
func (r *reading) find(args []word.Word) bool {
	f := finding{reading: r, simple: true}
	rest := f.readStarts(args)
	for _, w := range rest {
		switch s, _ := w.Static(); s {
		case "-o", "-or", "!", "-not", "(", ")", ",":
			f.simple = false
		}
	}
	for i := 0; i < len(rest); {
		i += f.primary(rest[i], rest[i+1:])
	}
	for _, start := range f.starts {
		r.plan.deep(Names, start)
	}
	return true
}

func (f *finding) readStarts(args []word.Word) []word.Word {
	i := 0
	for ; i < len(args); i++ {
		s, static := args[i].Static()
		switch {
		case static && (s == "-H" || s == "-L" || s == "-P" || s == "-E" || s == "-X" || s == "-s" || s == "-x" || strings.HasPrefix(s, "-O")):
			continue
		case static && (s == "-D" || s == "-f") && i+1 < len(args):
			i++
			if s == "-f" {
				f.starts = append(f.starts, args[i])
			}
			continue
		case static && s == "--":
			continue
		}
		if head := args[i].Prefix(); head != "" && strings.IndexByte("-(!),", head[0]) >= 0 {
			break
		}
		f.loose(args[i].Loose())
		f.starts = append(f.starts, args[i])
	}
	if len(f.starts) == 0 {
		f.starts = []word.Word{word.Lit(".")}
	}
	return args[i:]
}

// primary reads one test or action and returns how many words it is.
func (f *finding) primary(w word.Word, after []word.Word) int {
	name, ok := w.Static()
	if !ok {
		f.loose(w.Loose())
		if w.Loose() == word.Firm {
			f.plan.opaque("part of the expression of find is not known")
		}
		return 1
	}
	arg := func() word.Word {
		if len(after) > 0 {
			return after[0]
		}
		return word.Word{}
	}
	switch name {
	case "-delete":
		for _, found := range f.found() {
			f.plan.use(Delete, found)
		}
	case "-exec", "-ok":
		return 1 + f.exec(after, false)
	case "-execdir", "-okdir":
		return 1 + f.exec(after, true)
	case "-name":
		f.name, f.named = arg(), f.simple
		return 2
	case "-fprint", "-fprint0", "-fls":
		f.plan.use(Write, arg())
		return 2
	case "-fprintf":
		f.plan.use(Write, arg())
		return 3
	case "-files0-from":
		f.applyFile("read", arg())
		f.starts = append(f.starts, word.Unknown())
		return 2
	case "-newer", "-anewer", "-cnewer", "-samefile":
		f.plan.use(Names, arg())
		return 2
	default:
		return f.test(name)
	}
	return 1
}

// test reads a test, which changes nothing.
func (f *finding) test(name string) int {
	switch name {
	case "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-type", "-xtype", "-size",
		"-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-perm", "-user", "-group", "-uid", "-gid", "-links",
		"-inum", "-maxdepth", "-mindepth", "-fstype", "-printf", "-regextype", "-used", "-context", "-lname",
		"-ilname", "-flags", "-newermt", "-newerat", "-newerct", "-newermm", "-Bmin", "-Btime", "-since":
		return 2
	case "-print", "-print0", "-ls", "-prune", "-quit", "-depth", "-d", "-mount", "-xdev", "-x", "-empty",
		"-executable", "-readable", "-writable", "-nouser", "-nogroup", "-true", "-false", "-daystart", "-follow",
		"-noleaf", "-ignore_readdir_race", "-noignore_readdir_race", "-warn", "-nowarn", "-not", "!", "-a", "-and",
		"-o", "-or", "(", ")", ",", "-help", "--help", "-version", "--version", "-X":
		return 1
	}
	if strings.HasPrefix(name, "-") {
		f.plan.Known = false
	}
	return 1
}

// exec reads a command up to its end and runs it over what is found.
func (f *finding) exec(after []word.Word, inFolder bool) int {
	end := -1
	for i, w := range after {
		s, ok := w.Static()
		if ok && s == ";" || ok && s == "+" && i > 0 && after[i-1].Text == "{}" {
			end = i
			break
		}
	}
	if end < 0 {
		f.plan.opaque("the command that find runs does not end")
		return len(after)
	}
	many := after[end].Text == "+"
	found := f.found()
	if inFolder {
		found = []word.Word{word.Unknown()}
	}
	for _, w := range found {
		w.Many = many
		run := Run{Argv: word.Fill(after[:end], "{}", w)}
		if inFolder {
			run.Dir = word.Unknown()
		}
		f.plan.Runs = append(f.plan.Runs, run)
	}
	return end + 1
}

const manyFound = 8

// found returns words that together stand for everything find may come to.
func (f *finding) found() []word.Word {
	patterns := f.namePatterns()
	if len(f.starts)*len(patterns) > manyFound {
		return []word.Word{word.Unknown()}
	}
	var all []word.Word
	for _, start := range f.starts {
		if start.Many && !start.Glob {
			return []word.Word{word.Unknown()}
		}
		for _, pattern := range patterns {
			var b word.Builder
			b.Word(start)
			b.Text("/")
			b.Active('*')
			b.Active('*')
			if pattern.Text != "" {
				b.Text("/")
				b.Word(pattern)
			}
			all = append(all, b.Done())
		}
	}
	return all
}

// namePatterns turns what -name wants into globs as bash reads them, in which
// no star stands for a leading dot.
func (f *finding) namePatterns() []word.Word {
	anything := []word.Word{{}}
	name, ok := f.name.Static()
	if !f.named || !ok || name == "" || strings.ContainsAny(name, `\/`) {
		return anything
	}
	var b word.Builder
	b.Text("")
	for i := range len(name) {
		if strings.IndexByte("*?[]", name[i]) >= 0 {
			b.Active(name[i])
			continue
		}
		b.Text(name[i : i+1])
	}
	pattern := b.Done()
	switch {
	case !pattern.Glob || strings.IndexByte("*?[", name[0]) < 0:
		return []word.Word{pattern}
	case name[0] == '[' || strings.HasPrefix(name, "**"):
		return anything
	}
	dotted := word.Word{Text: "." + pattern.Text, Glob: true}
	rest := word.Word{Text: pattern.Text[1:], Glob: true}
	if name[0] == '?' {
		return []word.Word{pattern, {Text: "." + rest.Text, Glob: true}}
	}
	if strings.HasPrefix(rest.Text, "?") || strings.HasPrefix(rest.Text, "[") {
		return anything
	}
	return []word.Word{pattern, dotted, rest}
}
