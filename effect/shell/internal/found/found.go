// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package found

import (
	"slices"
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict"
)

// Limits of one analysis.
const (
	maxDepth   = 120    // commands inside commands
	maxSteps   = 20_000 // commands and words looked at, again for each time round
	maxEffects = 4_000
)

// List is what was found so far. The zero value is ready.
type List struct {
	Where string // what the text at hand stands in, for people
	Full  bool   // a limit was met: nothing more is looked at

	why          string // which
	effects      []toolverdict.Effect
	steps, depth int
}

// Mark is a point to which a list can be taken back.
type Mark struct{ effects, steps int }

// Mark returns where the list stands.
func (l *List) Mark() Mark { return Mark{len(l.effects), l.steps} }

// Drop forgets the effects found since the mark; the work stays counted.
func (l *List) Drop(m Mark) { l.effects = l.effects[:min(m.effects, len(l.effects))] }

// Undo forgets the effects found since the mark, and the work.
func (l *List) Undo(m Mark) {
	l.Drop(m)
	l.steps = m.steps
}

// Settle removes the refusals found since second when there are none between
// first and second. refusal is how their text starts.
func (l *List) Settle(first, second Mark, refusal string) {
	is := func(e toolverdict.Effect) bool {
		return e.Kind == toolverdict.EffectOpaque && strings.HasPrefix(e.Detail, refusal)
	}
	if !slices.ContainsFunc(l.effects[first.effects:second.effects], is) {
		l.effects = append(l.effects[:second.effects], slices.DeleteFunc(l.effects[second.effects:], is)...)
	}
}

// Spent reports whether most of the work that is allowed would be done with n
// steps more.
func (l *List) Spent(n int) bool { return l.steps+n >= maxSteps/2 }

// Emit adds an effect.
func (l *List) Emit(e toolverdict.Effect) {
	if len(l.effects) >= maxEffects {
		l.Limit("the command does too much to list")
		return
	}
	if e.Kind == toolverdict.EffectOpaque {
		if l.Where != "" {
			e.Detail += ", at " + l.Where
		}
	} else if e.Detail == "" {
		e.Detail = l.Where
	}
	l.effects = append(l.effects, e)
}

// Opaque adds that something was not understood, and why.
func (l *List) Opaque(why string) {
	l.Emit(toolverdict.Effect{Kind: toolverdict.EffectOpaque, Detail: why})
}

// Limit stops the analysis; what was not looked at is opaque, whatever is
// dropped or undone.
func (l *List) Limit(why string) {
	if l.Full {
		return
	}
	l.Full, l.why = true, why
}

// All returns each effect once, in the order they were met.
func (l *List) All() []toolverdict.Effect {
	if l.Full {
		l.effects = append(l.effects, toolverdict.Effect{Kind: toolverdict.EffectOpaque, Detail: l.why})
	}
	const few = 24
	out := l.effects[:0]
	seen := map[string]bool(nil)
	if len(l.effects) > few {
		seen = make(map[string]bool, len(l.effects))
	}
	for _, e := range l.effects {
		switch {
		case seen == nil:
			if !slices.ContainsFunc(out, func(o toolverdict.Effect) bool { return alike(&o, &e) }) {
				out = append(out, e)
			}
		default:
			if key := keyOf(&e); !seen[key] {
				seen[key] = true
				out = append(out, e)
			}
		}
	}
	return out
}

// alike compares the fields that effects of a shell have.
func alike(a, b *toolverdict.Effect) bool {
	return a.Kind == b.Kind && a.Path == b.Path && a.Pattern == b.Pattern && a.Deep == b.Deep && a.Names == b.Names &&
		a.Program == b.Program && a.Verb == b.Verb && a.Known == b.Known && a.Detail == b.Detail &&
		a.Host == b.Host && a.IP == b.IP && a.Port == b.Port && a.Scheme == b.Scheme && a.Recipient == b.Recipient &&
		slices.Equal(a.Argv, b.Argv)
}

func keyOf(e *toolverdict.Effect) string {
	var b strings.Builder
	for _, part := range []string{string(e.Kind), e.Detail, e.Path, e.Pattern, e.Program, e.Verb, e.Host, e.IP, e.Scheme, e.Recipient} {
		b.WriteString(part)
		b.WriteByte('\x1f')
	}
	for _, flag := range []bool{e.Deep, e.Names, e.Known} {
		if flag {
			b.WriteByte('1')
		}
		b.WriteByte('\x1f')
	}
	b.WriteString(strconv.Itoa(e.Port))
	for _, w := range e.Argv {
		b.WriteByte('\x1e')
		b.WriteString(w)
	}
	return b.String()
}

// Step counts work and reports whether there may be more.
func (l *List) Step(n int) bool {
	l.steps += n
	if l.steps > maxSteps {
		l.Limit("the command is too large")
	}
	return !l.Full
}

// Enter goes one command deeper and reports whether it may; [List.Leave] follows
// in either case.
func (l *List) Enter() bool {
	l.depth++
	if l.depth > maxDepth {
		l.Limit("the command is nested too deeply")
	}
	return !l.Full
}

// Leave comes back from [List.Enter].
func (l *List) Leave() { l.depth-- }
