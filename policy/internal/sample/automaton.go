// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"
)

// Bounds of one search for texts.
const (
	maxStates   = 4000
	maxWork     = 4 << 20 // steps of single automata
	maxOutcomes = 256
	perOutcome  = 3 // texts that are kept for one combination of outcomes
)

// machine is one expression as an automaton.
type machine struct{ prog *syntax.Prog }

func newMachine(expression string) (machine, bool) {
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return machine{}, false
	}
	prog, err := syntax.Compile(tree.Simplify())
	return machine{prog}, err == nil
}

// spread is a search for texts through all machines at once.
type spread struct {
	machines []machine
	alphabet []rune
	work     int
	stack    []uint32
}

// state is where all machines are after a text: the places before they look at
// what comes next.
type state struct {
	at   [][]uint32
	prev rune // for what looks behind: the start is -1
	text string
}

// texts returns, for each combination of which expressions match, a few texts.
// Exact is false where a bound was met.
func texts(expressions []string) (found [][]string, exact bool) {
	s := &spread{}
	for _, e := range expressions {
		m, ok := newMachine(e)
		if !ok {
			return nil, false
		}
		s.machines = append(s.machines, m)
	}
	s.alphabet = alphabetOf(s.machines)
	return s.search()
}

func (s *spread) search() (found [][]string, exact bool) {
	first := state{prev: -1, at: make([][]uint32, len(s.machines))}
	for i, m := range s.machines {
		first.at[i] = []uint32{uint32(m.prog.Start)} //nolint:gosec // a program's size is bounded by the expression's
	}
	seen := map[string]bool{first.key(): true}
	outcomes := map[string]int{}
	queue := []state{first}
	for at := 0; at < len(queue); at++ {
		now := queue[at]
		outcome := s.outcome(&now)
		i, known := outcomes[outcome]
		if !known {
			if len(found) == maxOutcomes {
				return found, false
			}
			i = len(found)
			outcomes[outcome], found = i, append(found, nil)
		}
		if len(found[i]) < perOutcome {
			found[i] = append(found[i], now.text)
		}
		for _, r := range s.alphabet {
			next := s.step(&now, r)
			if s.work > maxWork {
				return found, false
			}
			if key := next.key(); !seen[key] {
				if len(queue) == maxStates {
					return found, false
				}
				seen[key] = true
				queue = append(queue, next)
			}
		}
	}
	return found, true
}

func (s *state) key() string {
	b := []byte(string(class(s.prev)))
	for _, places := range s.at {
		b = binary.AppendUvarint(b, uint64(len(places)))
		for _, p := range places {
			b = binary.AppendUvarint(b, uint64(p))
		}
	}
	return string(b)
}

// class is what a look behind can tell of a character.
func class(r rune) rune {
	switch {
	case r == -1:
		return 's'
	case r == '\n':
		return 'n'
	case syntax.IsWordChar(r):
		return 'w'
	}
	return 'o'
}

func (s *spread) step(now *state, r rune) state {
	next := state{prev: r, text: now.text + string(r), at: make([][]uint32, len(s.machines))}
	for i := range s.machines {
		prog := s.machines[i].prog
		s.follow(i, now, r, func(pc uint32) {
			inst := &prog.Inst[pc]
			if inst.Op != syntax.InstMatch && inst.MatchRune(r) {
				next.at[i] = append(next.at[i], inst.Out)
			}
		})
		slices.Sort(next.at[i])
		next.at[i] = slices.Compact(next.at[i])
	}
	return next
}

// outcome tells which machines would accept the text if it ended here.
func (s *spread) outcome(now *state) string {
	b := make([]byte, len(s.machines))
	for i := range s.machines {
		prog := s.machines[i].prog
		s.follow(i, now, -1, func(pc uint32) {
			if prog.Inst[pc].Op == syntax.InstMatch {
				b[i] = 1
			}
		})
	}
	return string(b)
}

// follow visits the places that one machine can be at before it reads a
// character, or the end.
func (s *spread) follow(i int, now *state, next rune, visit func(pc uint32)) {
	prog := s.machines[i].prog
	context := syntax.EmptyOpContext(now.prev, next)
	seen := map[uint32]bool{}
	s.stack = append(s.stack[:0], now.at[i]...)
	for len(s.stack) > 0 {
		pc := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		s.work++
		switch inst := &prog.Inst[pc]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			s.stack = append(s.stack, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			s.stack = append(s.stack, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^context == 0 { //nolint:gosec // a set of six flags
				s.stack = append(s.stack, inst.Out)
			}
		case syntax.InstFail:
		default:
			visit(pc)
		}
	}
}

// alphabetOf returns one character for each class of characters that no machine
// tells apart, such as read well first.
func alphabetOf(machines []machine) []rune {
	cuts := []rune{0, '\n', '\n' + 1, '0', '9' + 1, 'A', 'Z' + 1, '_', '_' + 1, 'a', 'z' + 1, 0x80, unicode.MaxRune + 1, 0xd800, 0xe000}
	for _, m := range machines {
		for i := range m.prog.Inst {
			cuts = cutsOf(cuts, &m.prog.Inst[i])
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var out []rune
	for i := 0; i+1 < len(cuts); i++ {
		if lo := cuts[i]; lo < 0xd800 || lo >= 0xe000 {
			out = append(out, pick(lo, cuts[i+1]))
		}
	}
	slices.SortStableFunc(out, func(a, b rune) int { return rank(a) - rank(b) })
	return out
}

func cutsOf(cuts []rune, inst *syntax.Inst) []rune {
	switch inst.Op {
	case syntax.InstRune1, syntax.InstRune:
	default:
		return cuts
	}
	if len(inst.Rune) == 1 {
		r := inst.Rune[0]
		cuts = append(cuts, r, r+1)
		if syntax.Flags(inst.Arg)&syntax.FoldCase != 0 { //nolint:gosec // flags are stored there
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				cuts = append(cuts, f, f+1)
			}
		}
		return cuts
	}
	for i := 0; i+1 < len(inst.Rune); i += 2 {
		cuts = append(cuts, inst.Rune[i], inst.Rune[i+1]+1)
	}
	return cuts
}

// pick chooses a character of a class that reads well.
func pick(lo, end rune) rune {
	for _, r := range "ax01-. " {
		if r >= lo && r < end {
			return r
		}
	}
	for r := max(lo, '!'); r < end && r < 0x7f; r++ {
		return r
	}
	for r := lo; r < end && r < lo+256; r++ {
		if unicode.IsPrint(r) {
			return r
		}
	}
	return lo
}

func rank(r rune) int {
	switch {
	case r >= 'a' && r <= 'z':
		return 0
	case r > ' ' && r < 0x7f:
		return 1
	case r == ' ':
		return 2
	case unicode.IsPrint(r):
		return 3
	}
	return 4
}
