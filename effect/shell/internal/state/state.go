// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package state

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict/effect/shell/internal/parse"
	"github.com/toolverdict/toolverdict/effect/shell/internal/setting"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// State is what a shell would remember between two commands, as far as the
// text decides it. A nil state is one that is never reached.
type State struct {
	Dirs    []string // folders it may be in; none when that is not known
	Old     []string // the same for "cd -"
	Vars    map[string]Value
	Funcs   map[string]Binding
	Aliases map[string][]string // all the texts a name had: which one counts depends on when the line was read
	Args    []word.Word         // $0, $1, ...; from a word on that stands for many, all are that
	Home    string              // "" is not known
	Links   []Link
	Flags   Flags
	shared  bool // the maps belong to another state too
}

// Flags are what else is known of a shell.
type Flags struct {
	ArgsKnown bool // args say what they are
	Away      bool // paths are another machine's
	LostVars  bool // any variable may have changed
	LostIFS   bool // words are split in a way that is not known
	LostCd    bool // cd may go elsewhere than the word says: CDPATH, cdable_vars
	DotGlob   bool // globs may pick hidden names too, or other letters' case
	Exit      bool // a failing command ends the shell
	Doubt     bool // a variable changes what programs load
	Leads     bool // a variable in the environment names a place elsewhere
	Exported  bool // functions go to the shells below
	LastPipe  bool // the last command of a pipeline runs in this shell
}

// Shopt notes that an option of that name is switched, on or off. One that is
// not known may be any of those that count.
func (f *Flags) Shopt(name string) {
	switch {
	case setting.Shell(name):
	case name == "dotglob", name == "nocaseglob":
		f.DotGlob = true
	case name == "lastpipe":
		f.LastPipe = true
	case name == "cdable_vars", name == "cdspell":
		f.LostCd = true
	default:
		f.DotGlob, f.LastPipe, f.LostCd = true, true, true
	}
}

// Value is what a variable holds.
type Value struct {
	Words []word.Word
	Array bool
	Lost  bool // an attribute changes what is assigned to it
	Fixed bool // it is read-only, so that an assignment may fail
}

// Function is a declared function; body is nil where bodies differ.
type Function struct {
	Name string
	Body *syntax.Stmt
	Text *parse.Source
}

// Binding is what a name calls; Perhaps when it may also not be declared.
type Binding struct {
	*Function
	Perhaps bool
}

// Link is a name that the text made for another.
type Link struct{ Name, Target string }

// Scalar returns the value of a variable that holds one word.
func Scalar(w word.Word) Value { return Value{Words: []word.Word{w}} }

// Unknown returns a word of one hole.
func Unknown(kind rune) word.Word { return word.Word{Text: string(kind)} }

// Fork returns a state that can change without changing s.
func (s *State) Fork() *State {
	if s == nil {
		return nil
	}
	s.shared = true
	c := *s
	return &c
}

// OrDead returns the state, or one that knows nothing where it cannot be
// reached.
func (s *State) OrDead() *State {
	if s != nil {
		return s
	}
	return &State{Flags: Flags{LostVars: true, LostIFS: true}}
}

// Own makes the maps safe to change.
func (s *State) Own() {
	if s.shared {
		s.Vars, s.Funcs, s.Aliases = maps.Clone(s.Vars), maps.Clone(s.Funcs), maps.Clone(s.Aliases)
		s.Links = slices.Clip(s.Links)
		s.shared = false
	}
}

// Set notes an assignment.
func (s *State) Set(name string, v Value) {
	s.Own()
	if s.Vars == nil {
		s.Vars = map[string]Value{}
	}
	if old, ok := s.Vars[name]; ok {
		v.Lost = v.Lost || old.Lost
		if old.Fixed {
			v = JoinValues(old, v)
			v.Fixed = true
		}
	}
	s.Vars[name] = v
	switch name {
	case "IFS":
		s.Flags.LostIFS = true
	case "CDPATH":
		s.Flags.LostCd = true
	}
}

// Unset notes that a variable is taken away.
func (s *State) Unset(name string) {
	s.Own()
	s.Set(name, Scalar(word.Word{}))
}

// Forget makes everything unknown that a command of unknown content in the
// same shell could change.
func (s *State) Forget() {
	s.Own()
	s.Vars = nil
	s.Dirs, s.Old = nil, nil
	s.Args = nil
	s.Flags.LostVars, s.Flags.ArgsKnown, s.Flags.LostIFS = true, false, true
}

// Get returns what a variable holds, and whether the text set it.
func (s *State) Get(name string) (Value, bool) {
	v, ok := s.Vars[name]
	switch {
	case ok && v.Lost:
		return Value{Words: []word.Word{Unknown(word.Any)}, Array: v.Array, Lost: true}, true
	case ok:
		return v, true
	case s.Flags.LostVars:
		return Scalar(Unknown(word.Any)), true
	}
	return Scalar(s.Environment(name)), false
}

// Text returns what a variable stands for where one word is wanted, and whether
// the text set it.
func (s *State) Text(name string) (word.Word, bool) {
	v, set := s.Get(name)
	if len(v.Words) == 0 {
		return Unknown(word.Any), set
	}
	return v.Words[0], set
}

// Environment returns what a variable holds that the text never set.
func (s *State) Environment(name string) word.Word {
	switch name {
	case "IFS":
		return word.Lit(" \t\n")
	case "PWD":
		if len(s.Dirs) == 1 && !s.Flags.Away {
			return word.Lit(s.Dirs[0])
		}
		return SomePath()
	case "OLDPWD":
		if len(s.Old) == 1 && !s.Flags.Away {
			return word.Lit(s.Old[0])
		}
		return SomePath()
	case "HOME":
		if s.Home != "" && !s.Flags.Away {
			return word.Lit(s.Home)
		}
		return SomePath()
	case "TMPDIR":
		return SomePath()
	case "RANDOM", "SRANDOM", "SECONDS", "LINENO", "UID", "EUID", "PPID", "BASHPID", "EPOCHSECONDS", "COLUMNS",
		"LINES", "OPTIND", "SHLVL":
		return Unknown(word.Number)
	case "REPLY", "MAPFILE", "COPROC", "OPTARG", "_", "BASH_REMATCH":
		return Unknown(word.Any)
	}
	return Unknown(word.Env)
}

// SomePath is an absolute path that is not known.
func SomePath() word.Word { return word.Word{Text: "/" + string(rune(word.Env))} }

// Follow implements [word.Links].
func (s *State) Follow(p string) (string, bool) {
	for _, l := range slices.Backward(s.Links) {
		if l.Name == p {
			return l.Target, true
		}
	}
	return "", false
}

// Below implements [word.Links].
func (s *State) Below(dir string) bool {
	return slices.ContainsFunc(s.Links, func(l Link) bool {
		return l.Name == "" || l.Name == dir || strings.HasPrefix(l.Name, strings.TrimSuffix(dir, "/")+"/")
	})
}
