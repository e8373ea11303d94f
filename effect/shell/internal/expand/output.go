// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package expand

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict/effect/shell/internal/parse"
	"github.com/toolverdict/toolverdict/effect/shell/internal/state"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// substitute walks $(...) and returns what it prints, where that is certain.
func (a *Expander) substitute(s *state.State, c *syntax.CmdSubst) list {
	if c.Backquotes && a.unclearBackquotes(c) {
		a.Found.Opaque("backquotes inside backquotes, which shells and parsers read differently")
	}
	a.Shell.Inside(s, c.Stmts)
	if c.TempFile || c.ReplyVar { // ${ command; } runs in this shell
		s.Forget()
	}
	return one(a.printed(s, c.Stmts))
}

// unclearBackquotes reports whether a backquote is inside, which to a shell
// ends the command, be it quoted or not.
func (a *Expander) unclearBackquotes(c *syntax.CmdSubst) bool {
	from, to := parse.Offset(c.Left)+1, parse.Offset(c.Right)
	if from > to || to > len(a.Src.Text) {
		return true
	}
	inner := a.Src.Text[from:to]
	for i := 0; i < len(inner); i++ {
		switch inner[i] {
		case '\\':
			i++
		case '`':
			return true
		}
	}
	return false
}

// printed returns the output of the few commands whose output is certain.
func (a *Expander) printed(s *state.State, stmts []*syntax.Stmt) word.Word {
	some := state.Unknown(word.Any)
	if len(stmts) != 1 {
		return some
	}
	stmt := stmts[0]
	if c, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && c.Op == syntax.Pipe {
		call, ok := c.Y.Cmd.(*syntax.CallExpr)
		if ok && len(c.Y.Redirs) == 0 && a.counts(call) {
			return state.Unknown(word.Number)
		}
		return some
	}
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || stmt.Negated || stmt.Background || len(call.Assigns) > 0 || len(call.Args) == 0 {
		return some
	}
	var argv []string
	for _, w := range call.Args {
		mark := a.Found.Mark()
		fields := a.Fields(s.Fork(), w)
		a.Found.Undo(mark)
		if len(fields) != 1 {
			return some
		}
		text, ok := fields[0].Static()
		if !ok {
			return some
		}
		argv = append(argv, text)
	}
	if s.Funcs[argv[0]].Function != nil || len(s.Aliases[argv[0]]) > 0 {
		return some
	}
	if len(stmt.Redirs) > 0 {
		if a.counts(call) && stmt.Redirs[0].Op == syntax.RdrIn {
			return state.Unknown(word.Number)
		}
		return some
	}
	return a.output(s, argv)
}

// counts reports whether a command prints a number of what it is fed.
func (a *Expander) counts(call *syntax.CallExpr) bool {
	if len(call.Args) < 2 || len(call.Assigns) > 0 {
		return false
	}
	name, option := call.Args[0].Lit(), call.Args[1].Lit()
	switch name {
	case "wc":
		return len(call.Args) == 2 && (option == "-l" || option == "-w" || option == "-c" || option == "-m")
	case "grep":
		return len(call.Args) == 3 && option == "-c"
	}
	return false
}

func (a *Expander) output(s *state.State, argv []string) word.Word {
	rest := argv[1:]
	switch argv[0] {
	case "pwd":
		if len(rest) == 0 && len(s.Dirs) == 1 && !s.Flags.Away {
			return word.Lit(s.Dirs[0])
		}
		return state.SomePath()
	case "echo":
		text := strings.Join(rest, " ")
		if len(rest) > 0 && !strings.HasPrefix(text, "-") && !strings.Contains(text, `\`) {
			return word.Lit(strings.TrimRight(text, "\n"))
		}
	case "printf":
		if len(rest) == 1 && !strings.ContainsAny(rest[0], `\%`) && !strings.HasPrefix(rest[0], "-") {
			return word.Lit(strings.TrimRight(rest[0], "\n"))
		}
	case "dirname", "basename":
		return nameOf(argv)
	case "nproc":
		return state.Unknown(word.Number)
	case "id":
		if len(rest) == 1 && (rest[0] == "-u" || rest[0] == "-g") {
			return state.Unknown(word.Number)
		}
	case "date":
		if len(rest) == 1 && len(rest[0]) > 1 && rest[0][0] == '+' && digitsOnly(rest[0][1:]) {
			return state.Unknown(word.Number)
		}
	}
	return state.Unknown(word.Any)
}

func nameOf(argv []string) word.Word {
	if len(argv) != 2 || strings.HasPrefix(argv[1], "-") || argv[1] == "" {
		return state.Unknown(word.Any)
	}
	if argv[0] == "basename" {
		return word.Lit(path.Base(argv[1]))
	}
	dir := strings.TrimRight(argv[1], "/")
	if dir == "" {
		return word.Lit("/")
	}
	return word.Lit(path.Dir(dir))
}

// digitsOnly reports whether a format of date prints digits and dashes alone.
func digitsOnly(format string) bool {
	for i := 0; i < len(format); i++ {
		switch {
		case format[i] == '%' && i+1 < len(format) && strings.IndexByte("sYmdHMSFyjNuwVGUWgC", format[i+1]) >= 0:
			i++
		case format[i] == '-', format[i] >= '0' && format[i] <= '9':
		default:
			return false
		}
	}
	return true
}
