// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// state is what a shell would remember between two commands, as far as the
// text decides it. A nil state is one that is never reached.
type state struct {
	dirs    []string // folders it may be in; none when that is not known
	old     []string // the same for "cd -"
	vars    map[string]value
	funcs   map[string]*function
	aliases map[string]string
	args    []word.Word // $0, $1, ...; from a word on that stands for many, all are that
	home    string      // "" is not known
	links   []link
	flags   stateFlags
	shared  bool // the maps belong to another state too
}

type stateFlags struct {
	argsKnown bool // args say what they are
	away      bool // paths are another machine's
	lostVars  bool // any variable may have changed
	lostIFS   bool // words are split in a way that is not known
	lostCd    bool // cd goes where CDPATH says
	dotGlob   bool // * picks hidden names too
	exit      bool // a failing command ends the shell
	doubt     bool // a variable changes what programs load
	exported  bool // functions go to the shells below
	lastPipe  bool // the last command of a pipeline runs in this shell
}

// value is what a variable holds.
type value struct {
	words []word.Word
	array bool
	lost  bool // an attribute changes what is assigned to it
	fixed bool // it is read-only, so that an assignment may fail
}

// function is a declared function; body is nil where bodies differ.
type function struct {
	name string
	body *syntax.Stmt
	text *source
}

// link is a name that the text made for another.
type link struct{ name, target string }

func scalar(w word.Word) value { return value{words: []word.Word{w}} }

func unknown(kind rune) word.Word { return word.Word{Text: string(kind)} }

// fork returns a state that can change without changing s.
func (s *state) fork() *state {
	if s == nil {
		return nil
	}
	s.shared = true
	c := *s
	return &c
}

// own makes the maps safe to change.
func (s *state) own() {
	if s.shared {
		s.vars, s.funcs, s.aliases = maps.Clone(s.vars), maps.Clone(s.funcs), maps.Clone(s.aliases)
		s.links = slices.Clip(s.links)
		s.shared = false
	}
}

func (s *state) set(name string, v value) {
	s.own()
	if s.vars == nil {
		s.vars = map[string]value{}
	}
	if old, ok := s.vars[name]; ok {
		v.lost = v.lost || old.lost
		if old.fixed {
			v = joinValues(old, v)
			v.fixed = true
		}
	}
	s.vars[name] = v
	if name == "IFS" {
		s.flags.lostIFS = true
	}
	if name == "CDPATH" {
		s.flags.lostCd = true
	}
}

func (s *state) unset(name string) {
	s.own()
	s.set(name, scalar(word.Word{}))
}

// forget makes everything unknown that a command of unknown content in the
// same shell could change.
func (s *state) forget() {
	s.own()
	s.vars = nil
	s.dirs, s.old = nil, nil
	s.args = nil
	s.flags.lostVars, s.flags.argsKnown, s.flags.lostIFS = true, false, true
}

// get returns what a variable holds, and whether the text set it.
func (s *state) get(name string) (value, bool) {
	v, ok := s.vars[name]
	switch {
	case ok && v.lost:
		return value{words: []word.Word{unknown(word.Any)}, array: v.array, lost: true}, true
	case ok:
		return v, true
	case s.flags.lostVars:
		return scalar(unknown(word.Any)), true
	}
	return scalar(s.environment(name)), false
}

// environment returns what a variable holds that the text never set.
func (s *state) environment(name string) word.Word {
	switch name {
	case "IFS":
		return word.Lit(" \t\n")
	case "PWD":
		if len(s.dirs) == 1 && !s.flags.away {
			return word.Lit(s.dirs[0])
		}
		return somePath()
	case "OLDPWD":
		if len(s.old) == 1 && !s.flags.away {
			return word.Lit(s.old[0])
		}
		return somePath()
	case "HOME":
		if s.home != "" && !s.flags.away {
			return word.Lit(s.home)
		}
		return somePath()
	case "TMPDIR":
		return somePath()
	case "RANDOM", "SRANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID", "BASHPID", "EPOCHSECONDS", "COLUMNS",
		"LINES", "OPTIND", "SHLVL":
		return unknown(word.Number)
	case "REPLY", "MAPFILE", "COPROC", "OPTARG", "_", "BASH_REMATCH":
		return unknown(word.Any)
	}
	return unknown(word.Env)
}

// somePath is an absolute path that is not known.
func somePath() word.Word { return word.Word{Text: "/" + string(rune(word.Env))} }

// Follow implements [word.Links].
func (s *state) Follow(p string) (string, bool) {
	for _, l := range slices.Backward(s.links) {
		if l.name == p {
			return l.target, true
		}
	}
	return "", false
}

// Below implements [word.Links].
func (s *state) Below(dir string) bool {
	return slices.ContainsFunc(s.links, func(l link) bool {
		return l.name == "" || l.name == dir || strings.HasPrefix(l.name, strings.TrimSuffix(dir, "/")+"/")
	})
}

// join returns a state that stands for either.
func join(a, b *state) *state {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	}
	c := a.fork()
	c.own()
	c.dirs, c.old = either(a.dirs, b.dirs), either(a.old, b.old)
	c.joinVars(b)
	c.joinFuncs(b)
	for name, text := range b.aliases {
		if c.aliases == nil {
			c.aliases = map[string]string{}
		}
		if mine, ok := c.aliases[name]; !ok {
			c.aliases[name] = text
		} else if mine != text {
			c.aliases[name] = unclearAlias
		}
	}
	for _, l := range b.links {
		if !slices.Contains(c.links, l) {
			c.links = append(c.links, l)
		}
	}
	if !slices.Equal(a.args, b.args) || a.flags.argsKnown != b.flags.argsKnown {
		c.args, c.flags.argsKnown = nil, false
	}
	c.flags.away = a.flags.away || b.flags.away
	c.flags.lostVars = a.flags.lostVars || b.flags.lostVars
	c.flags.lostIFS = a.flags.lostIFS || b.flags.lostIFS
	c.flags.lostCd = a.flags.lostCd || b.flags.lostCd
	c.flags.dotGlob = a.flags.dotGlob || b.flags.dotGlob
	c.flags.exit = a.flags.exit && b.flags.exit
	c.flags.doubt = a.flags.doubt || b.flags.doubt
	c.flags.exported = a.flags.exported || b.flags.exported
	c.flags.lastPipe = a.flags.lastPipe || b.flags.lastPipe
	return c
}

// unclearAlias is the text of an alias that branches define differently. It
// does not parse.
const unclearAlias = "("

const maxDirs = 6

func either(a, b []string) []string {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	all := slices.Clip(a)
	for _, d := range b {
		if !slices.Contains(all, d) {
			all = append(all, d)
		}
	}
	if len(all) > maxDirs {
		return nil
	}
	return all
}

func (s *state) joinVars(b *state) {
	for name := range s.vars {
		if _, ok := b.vars[name]; !ok {
			theirs, _ := b.get(name)
			s.vars[name] = joinValues(s.vars[name], theirs)
		}
	}
	for name, theirs := range b.vars {
		mine, _ := s.get(name)
		if s.vars == nil {
			s.vars = map[string]value{}
		}
		s.vars[name] = joinValues(mine, theirs)
	}
}

func joinValues(a, b value) value {
	lost := a.lost || b.lost
	if a.array == b.array && slices.Equal(a.words, b.words) {
		a.lost = lost
		return a
	}
	kind := rune(word.Any)
	switch {
	case numeric(a) && numeric(b):
		kind = word.Number
	case tame(a) && tame(b):
		kind = word.Env
	}
	return value{words: []word.Word{unknown(kind)}, array: a.array || b.array, lost: lost}
}

func numeric(v value) bool {
	return !v.array && len(v.words) == 1 && !v.words[0].Glob && strings.Trim(v.words[0].Text, "0123456789-"+string(rune(word.Number))) == ""
}

// tame reports whether a value is a number, or what it was before the text.
func tame(v value) bool {
	return numeric(v) || !v.array && len(v.words) == 1 && v.words[0].Text == string(rune(word.Env))
}

func (s *state) joinFuncs(b *state) {
	for name, f := range b.funcs {
		if s.funcs == nil {
			s.funcs = map[string]*function{}
		}
		if mine := s.funcs[name]; mine == nil {
			s.funcs[name] = f
		} else if mine != f {
			s.funcs[name] = &function{name: name}
		}
	}
}

// same reports whether going round a loop once more would change nothing.
func same(a, b *state) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.flags == b.flags && slices.Equal(a.dirs, b.dirs) && slices.Equal(a.old, b.old) &&
		slices.Equal(a.args, b.args) && slices.Equal(a.links, b.links) && maps.Equal(a.funcs, b.funcs) &&
		maps.Equal(a.aliases, b.aliases) &&
		maps.EqualFunc(a.vars, b.vars, func(x, y value) bool {
			return x.array == y.array && x.lost == y.lost && slices.Equal(x.words, y.words)
		})
}
