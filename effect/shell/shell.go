// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"cmp"
	"path"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/shell/internal/expand"
	"github.com/toolverdict/toolverdict/effect/shell/internal/found"
	"github.com/toolverdict/toolverdict/effect/shell/internal/parse"
	"github.com/toolverdict/toolverdict/effect/shell/internal/program"
	"github.com/toolverdict/toolverdict/effect/shell/internal/state"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// Platform says which shell reads the text.
type Platform string

// Platforms. POSIX is /bin/sh, which may be any shell, so a text counts as
// everything that bash or a plain POSIX shell would make of it.
const (
	Bash  Platform = "bash"
	POSIX Platform = "posix"
)

// Options say where a command would run. The zero value knows nothing: every
// relative path and every "~" is then a path that is not known.
type Options struct {
	Dir      string   // working directory, absolute; "" is Root
	Home     string   // home folder, absolute; "" is not known
	Root     string   // the workspace, absolute: what moves inside it is renamed, what leaves it is gone
	Platform Platform // "" is Bash
}

// maxText is how long a text may be, in bytes and with all texts inside it;
// what goes beyond is opaque.
const maxText = 64 << 10

// Analyse returns what the text would do. It never fails: what cannot be
// understood is an opaque effect. No effects at all means that nothing is run
// and nothing touched. It is safe for concurrent use.
func Analyse(text string, o Options) []toolverdict.Effect {
	return guarded(func() []toolverdict.Effect { return analyse(text, o) })
}

// guarded turns a fault of the analysis into an effect that could be anything.
func guarded(analysis func() []toolverdict.Effect) (effects []toolverdict.Effect) {
	defer func() {
		if recover() != nil {
			effects = notUnderstood("the analysis of the command failed")
		}
	}()
	return analysis()
}

func analyse(text string, o Options) []toolverdict.Effect {
	table, err := programs()
	if err != nil {
		return notUnderstood("the table of programs cannot be read")
	}
	a := newAnalyser(o, table)
	shell := program.Bash
	switch o.Platform {
	case "", Bash:
	case POSIX:
		shell = program.POSIX
	default:
		a.found.Opaque("a shell that is not known")
	}
	a.text(startOf(o), word.Lit(text), shell)
	a.leftovers()
	return a.found.All()
}

func notUnderstood(why string) []toolverdict.Effect {
	return []toolverdict.Effect{{Kind: toolverdict.EffectOpaque, Detail: why}}
}

//nolint:gochecknoglobals // a table too large to write as a constant, read once; nothing changes it
var programs = sync.OnceValues(program.Load)

// startOf returns the state of a shell that starts.
func startOf(o Options) *state.State {
	s := &state.State{}
	if dir := cmp.Or(o.Dir, o.Root); path.IsAbs(dir) {
		s.Dirs = []string{path.Clean(dir)}
	}
	if path.IsAbs(o.Home) {
		s.Home = path.Clean(o.Home)
	}
	return s
}

// analyser is one analysis on its way.
type analyser struct {
	opts   Options
	table  *program.Table
	found  found.List
	words  expand.Expander
	parser parse.Parser
	read   int // bytes of texts that were parsed

	guarded  int // how many conditions are around, in which set -e does not count
	loops    []*loop
	funcs    functions
	aliasing []string
	stdin    *word.Word // what a here-document gives the command at hand
	written  []written
}

// written is a file that an earlier command wrote.
type written struct {
	path    string // "" is not known
	deep    bool   // or something below it
	careful bool   // by a program that puts no settings there
}

func newAnalyser(o Options, table *program.Table) *analyser {
	a := &analyser{opts: o, table: table}
	a.words.Found, a.words.Shell = &a.found, a
	return a
}

// text walks a text as a shell would that starts where s is, and returns what
// is left of s for a shell that goes on.
func (a *analyser) text(s *state.State, w word.Word, shell program.Shell) flow {
	if shell == program.Foreign {
		a.found.Opaque("a text in another shell's language")
		return straight(s)
	}
	text, static := w.Static()
	if shell == program.Korn && (!static || !parse.Plain(text)) {
		a.found.Opaque("a text in another shell's language")
	}
	if !static {
		a.found.Opaque("a command that is only known when it runs")
		text = placeholders(w)
	}
	a.read += len(text)
	if a.read > maxText {
		a.found.Limit("the command is too long")
		return straight(s)
	}
	if why := parse.Screen(text); why != "" {
		a.found.Opaque(why)
	}
	if shell == program.Bash || shell == program.Korn {
		return a.parse(s, &parse.Source{Text: text, Lang: syntax.LangBash})
	}
	if !strings.ContainsAny(text, "$&{[(<>`") {
		return a.parse(s, &parse.Source{Text: text, Lang: syntax.LangBash, POSIX: true})
	}
	// Where the dialects differ, either may be meant.
	other := s.Fork()
	mark := a.found.Mark()
	first := a.parse(s, &parse.Source{Text: text, Lang: syntax.LangBash, POSIX: true})
	failed := a.found.Mark()
	second := a.parse(other, &parse.Source{Text: text, Lang: syntax.LangPOSIX, POSIX: true})
	// What the parser says against a text as a plain POSIX shell would read it is
	// no matter where bash can read it: such a shell runs nothing. That bash cannot
	// is the parser's word alone.
	a.found.Settle(mark, failed, parse.Refused)
	return flow{ok: state.Join(first.ok, second.ok), fail: state.Join(first.fail, second.fail)}
}

// placeholders fills holes so that the text around them can still be read.
func placeholders(w word.Word) string {
	if w.Glob || w.Text == "" {
		return ""
	}
	return strings.NewReplacer("\x00", "$_hole", "\x01", "$_hole", "\x02", "0").Replace(w.Text)
}

// parse walks the statements up to where the text stops making sense: a shell
// runs each line before it reads the next.
func (a *analyser) parse(s *state.State, src *parse.Source) flow {
	defer func(old *parse.Source) { a.words.Src = old }(a.words.Src)
	a.words.Src = src
	list, err := a.parser.Statements(src)
	f := a.stmts(s, list)
	if err != nil {
		why, where := parse.Why(src, err)
		defer func(old string) { a.found.Where = old }(a.found.Where)
		a.found.Where = cmp.Or(a.found.Where, where)
		a.found.Opaque(why)
	}
	return f
}
