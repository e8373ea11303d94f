// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/shell/internal/found"
	"github.com/toolverdict/toolverdict/effect/shell/internal/program"
	"github.com/toolverdict/toolverdict/effect/shell/internal/state"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// apply turns the plan of a command into effects.
func (a *analyser) apply(s *state.State, p *program.Plan) {
	before := len(a.written)
	for _, use := range p.Uses {
		switch use.Kind {
		case program.Host, program.URL:
			a.connect(use)
		case program.Recipient:
			a.send(use.Word)
		case program.Query:
			a.found.Emit(toolverdict.Effect{Kind: toolverdict.EffectQuery})
		case program.Script:
			a.runFile(s, use.Word)
		default:
			a.path(s, use)
		}
	}
	if p.Careful {
		for i := before; i < len(a.written); i++ {
			a.written[i].careful = true
		}
	}
	for _, m := range p.Moves {
		a.move(s, m)
	}
	for _, why := range p.Opaque {
		a.found.Opaque(why)
	}
	if p.Stdin != program.NoShell {
		a.fromStdin(s, p.Stdin)
	}
	for i := range p.Runs {
		a.start(s, &p.Runs[i])
	}
}

// runFile notes a file that is run as a program.
func (a *analyser) runFile(s *state.State, w word.Word) {
	a.path(s, program.Use{Kind: program.Read, Word: w})
	e := toolverdict.Effect{Kind: toolverdict.EffectExecute}
	if targets := a.targets(s, w); len(targets) == 1 && !targets[0].Deep {
		e.Program = targets[0].Path
		if program.SystemFolder(path.Dir(e.Program)) {
			e.Program = path.Base(e.Program)
		}
	}
	if e.Program == "" || isStream(e.Program) {
		a.found.Opaque("a script that is only known when it runs")
	}
	a.found.Emit(e)
	a.wasWritten(s, w, "")
}

func isStream(p string) bool {
	return strings.HasPrefix(p, "/dev/") || strings.HasPrefix(p, "/proc/")
}

// fromStdin runs what a shell reads from its standard input.
func (a *analyser) fromStdin(s *state.State, shell program.Shell) {
	if a.stdin == nil || shell == program.Foreign {
		a.found.Opaque("a shell runs what it reads from its standard input")
		return
	}
	text := *a.stdin
	a.start(s, &program.Run{Text: text, Shell: shell})
}

// start walks a command that a program starts.
func (a *analyser) start(s *state.State, r *program.Run) {
	if !a.found.Enter() {
		a.found.Leave()
		return
	}
	defer a.found.Leave()
	sub := s.Fork()
	sub.Own()
	if r.Away {
		sub.Dirs, sub.Flags.Away = nil, true
	}
	if r.Dir.Text != "" || r.Dir.Many {
		sub.Dirs = a.folders(s, r.Dir)
	}
	for _, env := range r.Env {
		name, _, _ := strings.Cut(env.Prefix(), "=")
		a.environment(sub, name, env.Cut(len(name)+1))
		a.exported(sub, name, env.Cut(len(name)+1))
	}
	if r.Argv != nil {
		a.run(sub, r.Argv)
		return
	}
	a.child(sub, r)
}

// child walks a text in a shell of its own, which has what was exported; what
// that is, is not followed.
func (a *analyser) child(s *state.State, r *program.Run) {
	fresh := &state.State{Dirs: s.Dirs, Links: s.Links, Home: s.Home}
	fresh.Flags.Away, fresh.Flags.Doubt, fresh.Flags.Leads = s.Flags.Away, s.Flags.Doubt, s.Flags.Leads
	if s.Flags.Exported {
		fresh.Funcs = s.Funcs
		fresh = fresh.Fork() // the functions are not its own
	}
	for name := range s.Vars {
		// Whether a variable was exported is not followed.
		fresh.Set(name, state.Scalar(state.Unknown(word.Any)))
	}
	fresh.Flags.LostIFS, fresh.Flags.LostCd = s.Flags.LostIFS, s.Flags.LostCd
	fresh.Flags.LostVars = s.Flags.LostVars
	fresh.Args, fresh.Flags.ArgsKnown = r.Args, true
	if len(r.Args) == 0 {
		fresh.Args = []word.Word{state.Unknown(word.Env)}
	}
	stdin, loops, calls := a.stdin, a.loops, a.funcs.calls
	a.loops, a.funcs.calls = nil, nil
	a.text(fresh, r.Text, r.Shell)
	a.stdin, a.loops, a.funcs.calls = stdin, loops, calls
}

// targets returns what a word names, in each folder the shell may be in.
func (a *analyser) targets(s *state.State, w word.Word) []word.Target {
	if s.Flags.Away {
		return []word.Target{{}}
	}
	dirs := s.Dirs
	if len(dirs) == 0 {
		dirs = []string{""}
	}
	var all []word.Target
	add := func(t word.Target) {
		if s.Flags.DotGlob {
			t.Pattern = word.Loosened(t.Pattern)
		}
		if !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	for _, dir := range dirs {
		add(word.Resolve(dir, w, nil))
		if len(s.Links) > 0 {
			add(word.Resolve(dir, w, s))
		}
	}
	return all
}

// path notes what becomes of a path.
func (a *analyser) path(s *state.State, use program.Use) {
	if use.Top.Text != "" {
		for _, folder := range a.targets(s, use.Top) {
			for _, repository := range a.repositories(folder) {
				top := path.Dir(repository.Path)
				if repository.Path == "" {
					top = ""
				}
				a.file(use, word.Resolve(top, use.Word, nil))
			}
		}
		return
	}
	for _, t := range a.targets(s, use.Word) {
		if use.Kind != program.Repository {
			if use.Deep && a.isNamed(s, t) {
				itself := use
				itself.Deep = false
				a.file(itself, t) // it may be a file
			}
			if near, ok := word.Nearest(t); ok {
				a.file(use, near)
			}
			a.file(use, t)
			continue
		}
		for _, repository := range a.repositories(t) {
			a.file(use, repository)
		}
	}
}

// isNamed reports whether a command names the path, and does not just start at
// the folder it is in.
func (a *analyser) isNamed(s *state.State, t word.Target) bool {
	return t.Path != "" && (!t.Deep || t.Pattern != "") && !(t.Pattern == "" && slices.Contains(s.Dirs, t.Path))
}

// repositories returns where the git repository of a folder may be: in the
// folder, or in the workspace or a folder of it that the folder is part of.
func (a *analyser) repositories(t word.Target) []word.Target {
	if t.Path == "" || t.Deep {
		return []word.Target{{}}
	}
	dir, root := t.Path, path.Clean(a.opts.Root)
	found := []word.Target{{Path: path.Join(dir, ".git"), Deep: true}}
	if a.opts.Root == "" || !under(dir, root) {
		return found
	}
	for ; dir != root; dir = path.Dir(dir) {
		if len(found) > maxRepositories {
			return []word.Target{{Path: root, Deep: true}}
		}
		found = append(found, word.Target{Path: path.Join(path.Dir(dir), ".git"), Deep: true})
	}
	return found
}

const maxRepositories = 6

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
	case program.Write:
		e.Kind = toolverdict.EffectWrite
		a.written = append(a.written, written{path: t.Path, deep: e.Deep})
	default: // git changes its repository by its own rules, others change no content
		e.Kind = toolverdict.EffectWrite
	}
	a.found.Emit(e)
}

// move notes a file that gets another name. One that leaves the workspace is
// gone from it.
func (a *analyser) move(s *state.State, m program.Move) {
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
func (a *analyser) linked(s *state.State, m program.Move) {
	target := m.From
	folder := word.Lit(path.Dir(m.To.Prefix()))
	if text, ok := m.From.Static(); ok && !strings.HasPrefix(text, "/") {
		// The target is seen from the folder of the link.
		target = word.Join(folder, m.From)
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
	for _, w := range []word.Word{m.To, word.Inside(m.To, m.From)} {
		for _, t := range a.targets(s, w) {
			if t.Deep {
				t.Path = ""
			}
			for _, to := range targets {
				s.Own()
				s.Links = append(s.Links, state.Link{Name: t.Path, Target: to})
			}
		}
	}
	if len(s.Links) > 64 {
		s.Links = []state.Link{{}}
	}
}

// connect notes a connection to where a word says.
func (a *analyser) connect(use program.Use) {
	text, ok := use.Word.Static()
	if use.Kind == program.URL && use.Scheme == "" && ok {
		use.Scheme = "http"
	}
	e := toolverdict.Effect{Kind: toolverdict.EffectConnect, Scheme: use.Scheme, Port: found.PortOf(use.Scheme)}
	switch {
	case !ok && use.Kind == program.URL:
		text = word.KnownHost(use.Word)
	case !ok:
		text = ""
	}
	found.SetHost(&e, text)
	if port, ok := use.Port.Static(); ok && port != "" {
		e.Port, _ = strconv.Atoi(port)
	} else if use.Port.Text != "" {
		e.Port = 0
	}
	a.found.Emit(e)
}

// send notes a message to an address.
func (a *analyser) send(w word.Word) {
	e := toolverdict.Effect{Kind: toolverdict.EffectSend}
	if text, ok := w.Static(); ok {
		local, domain, at := strings.Cut(text, "@")
		if at && local != "" && found.PlainHost(strings.ToLower(domain)) && !strings.ContainsAny(local, " ,;:<>()\"\\") {
			e.Domain = strings.ToLower(strings.TrimSuffix(domain, "."))
			e.Recipient = local + "@" + e.Domain
		}
	}
	a.found.Emit(e)
}

// Look implements [expand.Shell].
func (a *analyser) Look(s *state.State, w word.Word) {
	a.path(s, program.Use{Kind: program.Names, Word: w})
}
