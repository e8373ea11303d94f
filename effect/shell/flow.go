// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// flow is where a command leaves the shell: when it succeeds and when it
// fails. Both may be one state, and then must be forked before use.
type flow struct {
	ok, fail *state
	soft     bool // failing does not end a shell with set -e
}

func straight(s *state) flow { return flow{ok: s, fail: s} }

// any returns the state after the command, however it ended.
func (f flow) any() *state { return join(f.ok, f.fail) }

// after returns the state in which the next command of a list starts.
func (a *analyser) after(f flow) *state {
	if a.guarded == 0 && !f.soft && f.ok != nil && f.ok.flags.exit && f.fail != nil && f.fail.flags.exit {
		return f.ok
	}
	return f.any()
}

// loop collects the states of break and continue; call those of return.
type loop struct{ out, again *state }

type call struct {
	fn     *function
	out    *state
	locals []string
}

// step counts work and reports whether there may be more.
func (a *analyser) step(n int) bool {
	a.steps += n
	if a.steps > maxSteps {
		a.limit("the command is too large")
	}
	return !a.full
}

func (a *analyser) sequence(f flow, stmt *syntax.Stmt) flow {
	next := a.after(f)
	if next != nil {
		return a.stmt(next, stmt)
	}
	// Behind an exit nothing runs, but a mistake about that must not hide anything.
	if last := join(f.ok, f.fail); last != nil {
		a.stmt(last.fork(), stmt)
	} else {
		a.stmt(&state{flags: stateFlags{lostVars: true}}, stmt)
	}
	return flow{}
}

func (a *analyser) stmts(s *state, list []*syntax.Stmt) flow {
	f := straight(s)
	for _, stmt := range list {
		f = a.sequence(f, stmt)
	}
	return f
}

// inside walks statements in a shell of their own, whose state is lost.
func (a *analyser) inside(s *state, list []*syntax.Stmt) {
	if !a.enter() {
		return
	}
	defer a.leave()
	loops, calls := a.loops, a.calls
	a.stmts(s.fork(), list)
	a.loops, a.calls = loops, calls
}

func (a *analyser) enter() bool {
	a.depth++
	if a.depth > maxDepth {
		a.limit("the command is nested too deeply")
	}
	return !a.full
}

func (a *analyser) leave() { a.depth-- }

func (a *analyser) stmt(s *state, stmt *syntax.Stmt) flow {
	defer a.leave()
	if !a.enter() || !a.step(1) {
		return straight(s)
	}
	if stmt.Background || stmt.Coprocess || stmt.Disown {
		a.command(s.fork(), stmt)
		return straight(s)
	}
	if stmt.Negated {
		a.guarded++
		defer func() { a.guarded-- }()
	}
	f := a.command(s, stmt)
	if stmt.Negated {
		f.ok, f.fail = f.fail, f.ok
	}
	_, call := stmt.Cmd.(*syntax.CallExpr)
	f.soft = !call || stmt.Negated
	return f
}

// command walks a command with its redirections.
func (a *analyser) command(s *state, stmt *syntax.Stmt) flow {
	if len(stmt.Redirs) == 0 {
		return a.compound(s, stmt.Cmd)
	}
	stdin := a.stdin
	for _, r := range stmt.Redirs {
		a.redirect(s, r)
	}
	before := s.fork()
	f := a.compound(s, stmt.Cmd)
	a.stdin = stdin
	f.fail = join(f.fail, before) // a redirection that fails keeps the command from running
	return f
}

func (a *analyser) compound(s *state, cmd syntax.Command) flow {
	switch c := cmd.(type) {
	case nil:
		return straight(s)
	case *syntax.CallExpr:
		return a.simple(s, c)
	case *syntax.BinaryCmd:
		return a.chain(s, c)
	case *syntax.Block:
		return a.stmts(s, c.Stmts)
	case *syntax.Subshell:
		a.inside(s, c.Stmts)
		return straight(s)
	case *syntax.IfClause:
		return a.ifClause(s, c)
	case *syntax.WhileClause:
		return a.while(s, c)
	case *syntax.ForClause:
		return a.forClause(s, c)
	case *syntax.CaseClause:
		return a.caseClause(s, c)
	case *syntax.FuncDecl:
		return a.declare(s, c)
	case *syntax.ArithmCmd:
		a.arithm(s, c.X)
		return straight(s)
	case *syntax.TestClause:
		a.test(s, c.X)
		return straight(s)
	case *syntax.DeclClause:
		return a.declClause(s, c)
	case *syntax.LetClause:
		return a.let(s, c)
	case *syntax.TimeClause:
		return a.timed(s, c.Stmt)
	case *syntax.CoprocClause:
		a.stmt(s.fork(), c.Stmt)
		return straight(s)
	}
	a.opaque("a kind of command that is not known")
	return straight(s)
}

// timed walks the command behind time, which may have a "--" before it that the
// parser takes for the command.
func (a *analyser) timed(s *state, stmt *syntax.Stmt) flow {
	if stmt == nil {
		return straight(s)
	}
	if call, ok := stmt.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && strings.HasPrefix(call.Args[0].Lit(), "-") {
		if call.Args = call.Args[1:]; len(call.Args) == 0 {
			return straight(s)
		}
		return a.timed(s, stmt)
	}
	return a.stmt(s, stmt)
}

// chain walks a && b || c and a | b | c without recursing into the left: a
// chain may be as long as the text.
func (a *analyser) chain(s *state, c *syntax.BinaryCmd) flow {
	links := []*syntax.BinaryCmd{c}
	first := c.X
	for {
		left, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok || len(first.Redirs) > 0 || first.Negated || first.Background || isPipe(left) != isPipe(c) {
			break
		}
		links = append(links, left)
		first = left.X
	}
	slices.Reverse(links)
	if isPipe(c) {
		return a.pipeline(s, first, links)
	}
	a.guarded++
	f := a.stmt(s, first)
	for i, l := range links {
		if !a.step(1) {
			break
		}
		if i == len(links)-1 {
			a.guarded--
		}
		f = a.andOr(f, l)
	}
	if a.full {
		a.guarded = 0
	}
	return f
}

func isPipe(c *syntax.BinaryCmd) bool { return c.Op == syntax.Pipe || c.Op == syntax.PipeAll }

func (a *analyser) andOr(f flow, l *syntax.BinaryCmd) flow {
	start, other := f.ok, f.fail
	if l.Op == syntax.OrStmt {
		start, other = f.fail, f.ok
	}
	if start == nil {
		start = other // it cannot run; what it would do counts all the same
		if start != nil {
			a.stmt(start.fork(), l.Y)
		}
		return f
	}
	if start == other {
		other = start.fork()
	}
	g := a.stmt(start, l.Y)
	if l.Op == syntax.OrStmt {
		return flow{ok: join(other, g.ok), fail: g.fail}
	}
	return flow{ok: g.ok, fail: join(other, g.fail)}
}

// pipeline walks commands side by side, each in a shell of its own; some
// shells run the last in this one.
func (a *analyser) pipeline(s *state, first *syntax.Stmt, links []*syntax.BinaryCmd) flow {
	stdin := a.stdin
	a.piped(s, first)
	a.stdin = nil
	last := s
	for _, l := range links {
		last = a.piped(s, l.Y)
	}
	a.stdin = stdin
	if !s.flags.lastPipe && a.src.lang != syntax.LangPOSIX {
		last = s
	}
	return straight(join(s, last))
}

func (a *analyser) piped(s *state, stmt *syntax.Stmt) *state {
	loops, calls := a.loops, a.calls
	defer func() { a.loops, a.calls = loops, calls }()
	out := a.stmt(s.fork(), stmt).any()
	if out == nil {
		return s
	}
	return out
}

func (a *analyser) ifClause(s *state, c *syntax.IfClause) flow {
	var out flow
	for c != nil {
		if len(c.Cond) == 0 { // else
			f := a.stmts(s, c.Then)
			return flow{ok: join(out.ok, f.ok), fail: join(out.fail, f.fail)}
		}
		cond := a.condition(s, c.Cond)
		then := a.stmts(cond.ok.orDead(), c.Then)
		if cond.ok != nil {
			out = flow{ok: join(out.ok, then.ok), fail: join(out.fail, then.fail)}
		}
		s, c = cond.fail.orDead(), c.Else
		if cond.fail == nil && c == nil {
			return out
		}
	}
	return flow{ok: join(out.ok, s), fail: out.fail}
}

// condition walks statements whose success is asked for; set -e does not
// count in them.
func (a *analyser) condition(s *state, list []*syntax.Stmt) flow {
	a.guarded++
	f := a.stmts(s, list)
	a.guarded--
	if f.ok == f.fail {
		f.fail = f.fail.fork()
	}
	return f
}

// orDead returns the state, or one that knows nothing where it cannot be
// reached.
func (s *state) orDead() *state {
	if s != nil {
		return s
	}
	return &state{flags: stateFlags{lostVars: true, lostIFS: true}}
}

func (a *analyser) caseClause(s *state, c *syntax.CaseClause) flow {
	a.single(s, c.Word)
	var out flow
	var through *state
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			a.single(s, p)
		}
		f := a.stmts(join(s.fork(), through), item.Stmts)
		through = nil
		if item.Op != syntax.Break {
			through = f.any()
		}
		out = flow{ok: join(out.ok, f.ok), fail: join(out.fail, f.fail)}
	}
	return flow{ok: join(out.ok, s), fail: out.fail}
}

// again walks the body of a loop until another round would change nothing,
// and returns the state in which a round starts. The effects that stay are
// those of the last round.
func (a *analyser) again(s *state, body func(*state) (end *state)) (head *state) {
	head = s
	for round := 0; ; round++ {
		mark := len(a.effects)
		end := body(head.fork())
		next := join(head, end)
		if same(next, head) || a.full || round > 6 {
			return head
		}
		switch {
		case round == 6:
			next = next.fork()
			next.forget()
		case round >= 2:
			next = widen(head, next)
		}
		a.effects = a.effects[:min(mark, len(a.effects))]
		head = next
	}
}

// widen makes unknown whatever still changes from round to round.
func widen(old, now *state) *state {
	w := now.fork()
	w.own()
	for name, v := range w.vars {
		before, _ := old.get(name)
		if !slices.Equal(v.words, before.words) || v.array != before.array {
			w.vars[name] = value{words: []word.Word{unknown(word.Any)}, array: v.array || before.array, lost: v.lost || before.lost}
		}
	}
	if !slices.Equal(old.dirs, now.dirs) {
		w.dirs = nil
	}
	if !slices.Equal(old.old, now.old) {
		w.old = nil
	}
	if !slices.Equal(old.args, now.args) {
		w.args, w.flags.argsKnown = nil, false
	}
	if len(old.links) != len(now.links) {
		w.links = append(slices.Clip(w.links), link{})
	}
	return w
}

func (a *analyser) while(s *state, c *syntax.WhileClause) flow {
	l := &loop{}
	a.loops = append(a.loops, l)
	var out *state
	a.again(s, func(head *state) *state {
		*l = loop{}
		cond := a.condition(head, c.Cond)
		do, done := cond.ok, cond.fail
		if c.Until {
			do, done = done, do
		}
		out = done
		return join(a.stmts(do.orDead(), c.Do).any(), l.again)
	})
	a.loops = a.loops[:len(a.loops)-1]
	return straight(join(out, l.out))
}

// maxUnrolled is how many items of a list are walked one by one.
const maxUnrolled = 12

func (a *analyser) forClause(s *state, c *syntax.ForClause) flow {
	l := &loop{}
	a.loops = append(a.loops, l)
	defer func() { a.loops = a.loops[:len(a.loops)-1] }()
	switch iter := c.Loop.(type) {
	case *syntax.CStyleLoop:
		a.arithm(s, iter.Init)
		var out *state
		a.again(s, func(head *state) *state {
			*l = loop{}
			a.arithm(head, iter.Cond)
			out = head.fork()
			end := join(a.stmts(head, c.Do).any(), l.again)
			if end != nil {
				a.arithm(end, iter.Post)
			}
			return end
		})
		return straight(join(out, l.out))
	case *syntax.WordIter:
		return a.forWords(s, c, iter, l)
	}
	return straight(s)
}

func (a *analyser) forWords(s *state, c *syntax.ForClause, iter *syntax.WordIter, l *loop) flow {
	items := a.items(s, iter)
	if c.Select {
		a.stdin = nil
	}
	few := !c.Select && len(items) <= maxUnrolled && !slices.ContainsFunc(items, func(w word.Word) bool { return w.Many && !w.Glob })
	if few && a.steps+len(items)*len(c.Do)*20 < maxSteps/2 {
		return a.unroll(s, c, iter.Name.Value, items)
	}
	item := value{words: []word.Word{oneOf(items)}}
	var out *state
	a.again(s, func(head *state) *state {
		*l = loop{}
		out = head.fork()
		a.assign(head, iter.Name.Value, item)
		return join(a.stmts(head, c.Do).any(), l.again)
	})
	return straight(join(out, l.out))
}

// unroll walks the body once for each item, as the shell does.
func (a *analyser) unroll(s *state, c *syntax.ForClause, name string, items []word.Word) flow {
	l := a.loops[len(a.loops)-1]
	var left *state
	for _, item := range items {
		*l = loop{}
		before := s.fork()
		item.Many = false
		a.assign(s, name, scalar(item))
		s = join(a.stmts(s, c.Do).any(), l.again)
		left = join(left, l.out)
		if item.Glob { // it may match several names, or with nullglob none
			s = join(s, before)
		}
		if s == nil {
			break
		}
	}
	return straight(join(s, left))
}

func (a *analyser) items(s *state, iter *syntax.WordIter) []word.Word {
	if iter.InPos.IsValid() {
		var items []word.Word
		for _, w := range iter.Items {
			items = append(items, a.fields(s, w)...)
		}
		return items
	}
	if s.flags.argsKnown && len(s.args) > 0 {
		return s.args[1:]
	}
	return []word.Word{{Text: string(rune(word.Env)), Many: true}}
}

// oneOf returns a word that stands for any of the items.
func oneOf(items []word.Word) word.Word {
	kind := rune(word.Number)
	for _, w := range items {
		switch {
		case w.FromData() || w.Glob:
			return unknown(word.Any)
		case w.Many || w.Open():
			kind = word.Env
		case !numeric(scalar(w)):
			return unknown(word.Any)
		}
	}
	return unknown(kind)
}

// declare notes a function; its body counts where it is called, and at the
// end of the text if it never was.
func (a *analyser) declare(s *state, c *syntax.FuncDecl) flow {
	if c.Name == nil {
		a.opaque("a function without one name")
		return straight(s)
	}
	f := a.functionOf(c)
	s.own()
	if s.funcs == nil {
		s.funcs = map[string]*function{}
	}
	s.funcs[c.Name.Value] = f
	return straight(s)
}

// functionOf returns the one value that stands for a declaration, so that
// walking it again, in a loop, is no change.
func (a *analyser) functionOf(c *syntax.FuncDecl) *function {
	for _, f := range a.declared {
		if f.body == c.Body {
			return f
		}
	}
	f := &function{name: c.Name.Value, body: c.Body, text: a.src}
	a.declared = append(a.declared, f)
	return f
}

// callFunction walks the body of a function with its arguments.
func (a *analyser) callFunction(s *state, f *function, argv []word.Word) flow {
	if f.body == nil {
		a.opaque("a function that is declared in more than one way")
		s.forget()
		return straight(s)
	}
	if a.called == nil {
		a.called = map[*function]bool{}
	}
	a.called[f] = true
	active := 0
	for _, c := range a.calls {
		if c.fn == f {
			active++
		}
	}
	if active > 0 {
		// What a recursive call does is covered by a body in which nothing is known.
		s.forget()
		if active > 1 {
			return straight(s)
		}
	}
	defer func(src *source) { a.src = src }(a.src)
	a.src = f.text
	args, known := s.args, s.flags.argsKnown
	if active == 0 {
		s.args = append([]word.Word{unknown(word.Env)}, argv[1:]...)
		s.flags.argsKnown = true
	}
	c := &call{fn: f}
	before := s.fork()
	a.calls = append(a.calls, c)
	out := a.stmt(s, f.body)
	a.calls = a.calls[:len(a.calls)-1]
	end := join(out.any(), c.out)
	if end == nil {
		return flow{}
	}
	end = end.fork()
	end.own()
	end.args, end.flags.argsKnown = args, known
	for _, name := range c.locals {
		outer, _ := before.get(name)
		inner, _ := end.get(name)
		end.vars[name] = joinValues(outer, inner)
	}
	return straight(end)
}

// leftovers walks the functions that nothing called: a later command may.
func (a *analyser) leftovers() {
	for i := 0; i < len(a.declared); i++ {
		if f := a.declared[i]; !a.called[f] && !a.full {
			s := &state{}
			s.forget()
			a.callFunction(s, f, []word.Word{word.Lit(f.name)})
		}
	}
}
