// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package state

import (
	"maps"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// Widen makes unknown whatever still changes from round to round.
func Widen(old, now *State) *State {
	w := now.Fork()
	w.Own()
	for name, v := range w.Vars {
		before, _ := old.Get(name)
		if !slices.Equal(v.Words, before.Words) || v.Array != before.Array {
			w.Vars[name] = Value{Words: []word.Word{Unknown(word.Any)}, Array: v.Array || before.Array, Lost: v.Lost || before.Lost}
		}
	}
	if !slices.Equal(old.Dirs, now.Dirs) {
		w.Dirs = nil
	}
	if !slices.Equal(old.Old, now.Old) {
		w.Old = nil
	}
	if !slices.Equal(old.Args, now.Args) {
		w.Args, w.Flags.ArgsKnown = nil, false
	}
	if len(old.Links) != len(now.Links) {
		w.Links = append(slices.Clip(w.Links), Link{})
	}
	return w
}

// Join returns a state that stands for either.
func Join(a, b *State) *State {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	}
	c := a.Fork()
	c.Own()
	c.Dirs, c.Old = either(a.Dirs, b.Dirs), either(a.Old, b.Old)
	c.joinVars(b)
	c.joinFuncs(b)
	for name, texts := range b.Aliases {
		for _, text := range texts {
			c.Alias(name, text)
		}
	}
	for _, l := range b.Links {
		if !slices.Contains(c.Links, l) {
			c.Links = append(c.Links, l)
		}
	}
	if !slices.Equal(a.Args, b.Args) || a.Flags.ArgsKnown != b.Flags.ArgsKnown {
		c.Args, c.Flags.ArgsKnown = nil, false
	}
	c.Flags.Away = a.Flags.Away || b.Flags.Away
	c.Flags.LostVars = a.Flags.LostVars || b.Flags.LostVars
	c.Flags.LostIFS = a.Flags.LostIFS || b.Flags.LostIFS
	c.Flags.LostCd = a.Flags.LostCd || b.Flags.LostCd
	c.Flags.DotGlob = a.Flags.DotGlob || b.Flags.DotGlob
	c.Flags.Exit = a.Flags.Exit && b.Flags.Exit
	c.Flags.Doubt = a.Flags.Doubt || b.Flags.Doubt
	c.Flags.Leads = a.Flags.Leads || b.Flags.Leads
	c.Flags.Exported = a.Flags.Exported || b.Flags.Exported
	c.Flags.LastPipe = a.Flags.LastPipe || b.Flags.LastPipe
	return c
}

// UnclearAlias is the text of an alias that is not known. It does not parse.
const UnclearAlias = "("

const maxAliasTexts = 8

// Alias notes one more text of an alias.
func (s *State) Alias(name, text string) {
	s.Own()
	if s.Aliases == nil {
		s.Aliases = map[string][]string{}
	}
	texts := s.Aliases[name]
	if len(texts) >= maxAliasTexts {
		text = UnclearAlias
	}
	if !slices.Contains(texts, text) {
		s.Aliases[name] = append(slices.Clip(texts), text)
	}
}

// MaxDirs is how many folders a shell may be in before that is not known.
const MaxDirs = 6

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
	if len(all) > MaxDirs {
		return nil
	}
	return all
}

func (s *State) joinVars(b *State) {
	for name := range s.Vars {
		if _, ok := b.Vars[name]; !ok {
			theirs, _ := b.Get(name)
			s.Vars[name] = JoinValues(s.Vars[name], theirs)
		}
	}
	for name, theirs := range b.Vars {
		mine, _ := s.Get(name)
		if s.Vars == nil {
			s.Vars = map[string]Value{}
		}
		s.Vars[name] = JoinValues(mine, theirs)
	}
}

// JoinValues returns a value that stands for either.
func JoinValues(a, b Value) Value {
	lost, fixed := a.Lost || b.Lost, a.Fixed || b.Fixed
	if a.Array == b.Array && slices.Equal(a.Words, b.Words) {
		a.Lost, a.Fixed = lost, fixed
		return a
	}
	kind := rune(word.Any)
	switch {
	case Numeric(a) && Numeric(b):
		kind = word.Number
	case tame(a) && tame(b):
		kind = word.Env
	}
	return Value{Words: []word.Word{Unknown(kind)}, Array: a.Array || b.Array, Lost: lost, Fixed: fixed}
}

// Numeric reports whether a value is digits and dashes, perhaps none.
func Numeric(v Value) bool {
	return !v.Array && len(v.Words) == 1 && !v.Words[0].Glob && strings.Trim(v.Words[0].Text, "0123456789-"+string(rune(word.Number))) == ""
}

// tame reports whether a value is a number, or what it was before the text.
func tame(v Value) bool {
	return Numeric(v) || !v.Array && len(v.Words) == 1 && v.Words[0].Text == string(rune(word.Env))
}

func (s *State) joinFuncs(b *State) {
	for name, mine := range s.Funcs {
		if _, both := b.Funcs[name]; !both {
			mine.Perhaps = true
			s.Funcs[name] = mine
		}
	}
	for name, theirs := range b.Funcs {
		if s.Funcs == nil {
			s.Funcs = map[string]Binding{}
		}
		mine, both := s.Funcs[name]
		switch {
		case !both:
			theirs.Perhaps = true
		case mine.Function != theirs.Function:
			theirs = Binding{Function: &Function{Name: name}, Perhaps: true}
		default:
			theirs.Perhaps = theirs.Perhaps || mine.Perhaps
		}
		s.Funcs[name] = theirs
	}
}

// Same reports whether going round a loop once more would change nothing.
func Same(a, b *State) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Flags == b.Flags && slices.Equal(a.Dirs, b.Dirs) && slices.Equal(a.Old, b.Old) &&
		slices.Equal(a.Args, b.Args) && slices.Equal(a.Links, b.Links) && maps.Equal(a.Funcs, b.Funcs) &&
		maps.EqualFunc(a.Aliases, b.Aliases, slices.Equal[[]string]) &&
		maps.EqualFunc(a.Vars, b.Vars, func(x, y Value) bool {
			return x.Array == y.Array && x.Lost == y.Lost && slices.Equal(x.Words, y.Words)
		})
}
