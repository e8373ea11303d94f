// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/shell/internal/program"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

func (a *analyser) emit(e toolverdict.Effect) {
	if len(a.effects) >= maxEffects {
		a.limit("the command does too much to list")
		return
	}
	if e.Kind == toolverdict.EffectOpaque {
		if a.where != "" {
			e.Detail += ", at " + a.where
		}
	} else if e.Detail == "" {
		e.Detail = a.where
	}
	a.effects = append(a.effects, e)
}

func (a *analyser) opaque(why string) {
	a.emit(toolverdict.Effect{Kind: toolverdict.EffectOpaque, Detail: why})
}

// limit stops the analysis; what was not looked at is opaque.
func (a *analyser) limit(why string) {
	if a.full {
		return
	}
	a.full = true
	a.effects = append(a.effects, toolverdict.Effect{Kind: toolverdict.EffectOpaque, Detail: why})
}

// finish returns each effect once, in the order they were met.
func (a *analyser) finish() []toolverdict.Effect {
	const few = 24
	out := a.effects[:0]
	seen := map[string]bool(nil)
	if len(a.effects) > few {
		seen = make(map[string]bool, len(a.effects))
	}
	for _, e := range a.effects {
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

func alike(a, b *toolverdict.Effect) bool {
	return a.Kind == b.Kind && a.Path == b.Path && a.Program == b.Program && a.Detail == b.Detail && a.Host == b.Host &&
		a.Recipient == b.Recipient && slices.Equal(a.Argv, b.Argv) && keyOf(a) == keyOf(b)
}

func keyOf(e *toolverdict.Effect) string {
	var b strings.Builder
	for _, part := range []string{string(e.Kind), e.Detail, e.Path, e.Pattern, e.Program, e.Verb, e.Host, e.IP, e.Scheme, e.Recipient} {
		b.WriteString(part)
		b.WriteByte('\x1f')
	}
	for _, flag := range []bool{e.Deep, e.Names, e.Known, e.Query != nil} {
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

// apply turns the plan of a command into effects.
func (a *analyser) apply(s *state, p *program.Plan) {
	for _, use := range p.Uses {
		switch use.Kind {
		case program.Host, program.URL:
			a.connect(s, use)
		case program.Recipient:
			a.send(use.Word)
		case program.Query:
			a.emit(toolverdict.Effect{Kind: toolverdict.EffectQuery})
		case program.Script:
			a.runFile(s, use.Word)
		default:
			a.path(s, use)
		}
	}
	for _, m := range p.Moves {
		a.move(s, m)
	}
	for _, why := range p.Opaque {
		a.opaque(why)
	}
	if p.Stdin != program.NoShell {
		a.fromStdin(s, p.Stdin)
	}
	for i := range p.Runs {
		a.start(s, &p.Runs[i])
	}
}

// runFile notes a file that is run as a program.
func (a *analyser) runFile(s *state, w word.Word) {
	a.path(s, program.Use{Kind: program.Read, Word: w})
	e := toolverdict.Effect{Kind: toolverdict.EffectExecute}
	if targets := a.targets(s, w); len(targets) == 1 && !targets[0].Deep {
		e.Program = targets[0].Path
		if systemFolder(path.Dir(e.Program)) {
			e.Program = path.Base(e.Program)
		}
	}
	if e.Program == "" || isStream(e.Program) {
		a.opaque("a script that is only known when it runs")
	}
	a.emit(e)
	a.wasWritten(s, w, "")
}

func isStream(p string) bool {
	return strings.HasPrefix(p, "/dev/") || strings.HasPrefix(p, "/proc/")
}

// fromStdin runs what a shell reads from its standard input.
func (a *analyser) fromStdin(s *state, shell program.Shell) {
	if a.stdin == nil || shell == program.Foreign {
		a.opaque("a shell runs what it reads from its standard input")
		return
	}
	text := *a.stdin
	a.start(s, &program.Run{Text: text, Shell: shell})
}

// start walks a command that a program starts.
func (a *analyser) start(s *state, r *program.Run) {
	if !a.enter() {
		a.leave()
		return
	}
	defer a.leave()
	sub := s.fork()
	sub.own()
	if r.Away {
		sub.dirs, sub.flags.away = nil, true
	}
	if r.Dir.Text != "" || r.Dir.Many {
		sub.dirs = a.folders(s, r.Dir)
	}
	for _, env := range r.Env {
		name, _, _ := strings.Cut(env.Prefix(), "=")
		a.environment(sub, name, env.Cut(len(name)+1))
	}
	if r.Argv != nil {
		a.run(sub, r.Argv)
		return
	}
	a.child(sub, r)
}

// child walks a text in a shell of its own, which has what was exported; what
// that is, is not followed.
func (a *analyser) child(s *state, r *program.Run) {
	fresh := &state{dirs: s.dirs, links: s.links, home: s.home}
	fresh.flags.away, fresh.flags.doubt = s.flags.away, s.flags.doubt
	if s.flags.exported {
		fresh.funcs = s.funcs
		fresh.shared = true
	}
	for name := range s.vars {
		// Whether a variable was exported is not followed.
		fresh.set(name, scalar(unknown(word.Any)))
	}
	fresh.flags.lostIFS, fresh.flags.lostCd = s.flags.lostIFS, s.flags.lostCd
	fresh.flags.lostVars = s.flags.lostVars
	fresh.args, fresh.flags.argsKnown = r.Args, true
	if len(r.Args) == 0 {
		fresh.args = []word.Word{unknown(word.Env)}
	}
	stdin, loops, calls := a.stdin, a.loops, a.calls
	a.loops, a.calls = nil, nil
	a.text(fresh, r.Text, r.Shell)
	a.stdin, a.loops, a.calls = stdin, loops, calls
}

// targets returns what a word names, in each folder the shell may be in.
func (a *analyser) targets(s *state, w word.Word) []word.Target {
	if s.flags.away {
		return []word.Target{{}}
	}
	dirs := s.dirs
	if len(dirs) == 0 {
		dirs = []string{""}
	}
	var all []word.Target
	add := func(t word.Target) {
		if s.flags.dotGlob {
			t.Pattern = ""
		}
		if !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	for _, dir := range dirs {
		add(word.Resolve(dir, w, nil))
		if len(s.links) > 0 {
			add(word.Resolve(dir, w, s))
		}
	}
	return all
}

// path notes what becomes of a path.
func (a *analyser) path(s *state, use program.Use) {
	for _, t := range a.targets(s, use.Word) {
		if use.Kind == program.Repository {
			t = a.repository(t)
		}
		a.file(use, t)
	}
}

// repository returns where the git repository of a folder is: in the workspace
// where the folder is part of it, else in the folder.
func (a *analyser) repository(t word.Target) word.Target {
	if t.Path == "" || t.Deep {
		return word.Target{}
	}
	if root := a.opts.Root; root != "" && under(t.Path, path.Clean(root)) {
		t.Path = root
	}
	return word.Target{Path: path.Join(t.Path, ".git"), Deep: true}
}

func (a *analyser) file(use program.Use, t word.Target) {
	if t.Stream {
		return
	}
	e := toolverdict.Effect{Path: t.Path, Deep: t.Deep || use.Deep, Pattern: t.Pattern}
	if use.Deep && e.Pattern != "" && !strings.HasSuffix(e.Pattern, "/**") {
		e.Pattern += "/**"
	}
	switch use.Kind {
	case program.Read:
		e.Kind = toolverdict.EffectRead
	case program.Names:
		e.Kind, e.Names = toolverdict.EffectRead, true
	case program.Delete:
		e.Kind = toolverdict.EffectDelete
	case program.Write, program.Repository:
		e.Kind = toolverdict.EffectWrite
		a.written = append(a.written, word.Target{Path: t.Path, Deep: e.Deep})
	default:
		e.Kind = toolverdict.EffectWrite
	}
	a.emit(e)
}

// move notes a file that gets another name. One that leaves the workspace is
// gone from it.
func (a *analyser) move(s *state, m program.Move) {
	from := a.targets(s, m.From)
	to := a.targets(s, m.To)
	if m.Link {
		a.linked(s, m)
		return
	}
	inside := true
	for _, t := range append(slices.Clip(from), to...) {
		inside = inside && t.Path != "" && a.inWorkspace(t.Path)
	}
	kind := program.Delete
	if inside {
		kind = program.Attribute
	}
	a.path(s, program.Use{Kind: program.Read, Word: m.From, Deep: true})
	a.path(s, program.Use{Kind: kind, Word: m.From, Deep: true})
}

// linked remembers a link, so that a path through it leads where it leads.
func (a *analyser) linked(s *state, m program.Move) {
	target := m.From
	folder := word.Lit(path.Dir(m.To.Prefix()))
	if text, ok := m.From.Static(); ok && !strings.HasPrefix(text, "/") {
		// The target is seen from the folder of the link.
		target = program.Join(folder, m.From)
		a.path(s, program.Use{Kind: program.Read, Word: m.From, Deep: true})
	}
	a.path(s, program.Use{Kind: program.Read, Word: target, Deep: true})
	var targets []string
	for _, w := range []word.Word{target, m.From} {
		for _, t := range a.targets(s, w) {
			if t.Deep {
				t.Path = ""
			}
			targets = append(targets, t.Path)
		}
	}
	for _, w := range []word.Word{m.To, program.Inside(m.To, m.From)} {
		for _, t := range a.targets(s, w) {
			if t.Deep {
				t.Path = ""
			}
			for _, to := range targets {
				s.own()
				s.links = append(s.links, link{name: t.Path, target: to})
			}
		}
	}
	if len(s.links) > 64 {
		s.links = []link{{}}
	}
}
