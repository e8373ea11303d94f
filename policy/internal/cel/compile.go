// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"slices"
	"strings"

	library "cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"

	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// Compile reads an expression of a rule that allows, or of one that does not.
// Where there are problems the expression is not to be used.
func (e *Environment) Compile(source *syntax.CEL, allow bool) (x *Expression, problems syntax.Problems) {
	l := &lowering{
		source: source, roots: map[string]bool{}, variables: map[string]variable{}, hosts: map[string]int{},
		x: &Expression{allow: allow, root: &node{}},
	}
	// The library is someone else's: what it does not survive is no policy.
	defer func() {
		if recover() != nil {
			l.problem(0, "write it in another way", "the expression cannot be read")
			x, problems = l.x, l.problems
		}
	}()
	checked, issues := e.library.Compile(source.Text)
	if issues != nil && issues.Err() != nil {
		for _, one := range issues.Errors() {
			if !strings.Contains(one.Message, "!error!") { // what comes of another one
				l.problems = append(l.problems, tell(source, one))
			}
		}
		return l.x, l.problems
	}
	for _, v := range e.library.Variables() {
		l.roots[v.Name()] = true
	}
	l.ast = checked.NativeRep()
	l.x.root = l.whole(l.ast.Expr())
	return l.x, l.problems
}

// tell puts an error of the library in this product's words.
func tell(source *syntax.CEL, e *library.Error) syntax.Problem {
	line, column := e.Location.Line(), e.Location.Column()
	at := 0
	for i := 1; i < line; i++ {
		rest := []rune(source.Text)[at:]
		at += len([]rune(strings.SplitAfterN(string(rest), "\n", 2)[0]))
	}
	message, _, _ := strings.Cut(e.Message, "\n")
	message, _, _ = strings.Cut(message, " expecting ")
	message, _, _ = strings.Cut(message, " (in container")
	hint := "check the expression here"
	for _, c := range []struct{ part, hint string }{
		{"undeclared reference", "name args, tool, subject, agent, session, run, env, time or effects; the functions are in the reference"},
		{"undefined field", "the fields are those of other conditions, such as subject.user or time.hour"},
		{"no matching overload", "the types do not fit: text has no order, text and numbers are never equal, and lists are asked with in, all or exists"},
	} {
		if strings.Contains(message, c.part) {
			hint = c.hint
		}
	}
	for name, sign := range map[string]string{
		"_==_": "==", "_!=_": "!=", "_<_": "<", "_<=_": "<=", "_>_": ">", "_>=_": ">=", "_+_": "+", "_-_": "-", "_*_": "*", "_/_": "/", "_%_": "%",
		"-_": "-", "!_": "!", "_&&_": "&&", "_||_": "||", "_?_:_": "?:", "_[_]": "[]", "@in": "in",
	} {
		message = strings.ReplaceAll(message, "'"+name+"'", "'"+sign+"'")
	}
	return syntax.Problem{Pos: source.At(at + column), Message: "this is not CEL: " + message, Hint: hint}
}

// lowering turns the library's tree into ours.
type lowering struct {
	source    *syntax.CEL
	ast       *ast.AST
	x         *Expression
	problems  syntax.Problems
	roots     map[string]bool // names that no loop may take
	variables map[string]variable
	hosts     map[string]int // by the field's text: its place in x.Host
	nodes     int
	nested    int
}

// variable is what a loop counts with.
type variable struct {
	at   int
	path *path // where its values come from, nil where they are not arguments
}

// path is where in the arguments a value stands.
type path struct {
	text  string
	steps []syntax.Step
	id    int64 // of the expression that it starts with
}

func (p *path) step(s syntax.Step) *path {
	if p == nil {
		return nil
	}
	text := p.text
	switch {
	case s.Kind == syntax.Every:
		text += "[*]"
	case s.Kind == syntax.Index:
		text += fmt.Sprintf("[%d]", s.Index)
	case plain(s.Name):
		text += "." + s.Name
	default:
		text += fmt.Sprintf("[%q]", s.Name)
	}
	return &path{text, append(slices.Clip(p.steps), s), p.id}
}

func plain(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

func (l *lowering) problem(id int64, hint, format string, args ...any) {
	l.problems = append(l.problems, syntax.Problem{Pos: l.pos(id), Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (l *lowering) pos(id int64) syntax.Pos {
	if l.ast == nil {
		return l.source.At(0)
	}
	r, _ := l.ast.SourceInfo().GetOffsetRange(id)
	return l.source.At(int(r.Start))
}

// whole lowers the whole expression and holds it to its bounds.
func (l *lowering) whole(e ast.Expr) *node {
	if t := l.ast.GetType(e.ID()); t.Kind() != types.BoolKind && t.Kind() != types.DynKind {
		l.problem(e.ID(), "compare it with something", "the expression is no condition: its value is never true or false")
	}
	n := l.read(e)
	switch n.op {
	case opAdd, opSubtract, opMultiply, opRemainder, opNegate, opList:
		if len(l.problems) == 0 {
			l.problem(e.ID(), "compare it with something", "the expression is no condition: its value is never true or false")
		}
	default:
	}
	if l.nodes > maxNodes {
		l.problem(e.ID(), "split it: all, any and not combine several", "the expression has %d parts, at most %d", l.nodes, maxNodes)
	}
	if steps := estimate(n); len(l.problems) == 0 && steps > maxSteps {
		l.problem(e.ID(), "ask less of each element", "the expression takes about %d steps for lists of %d elements, at most %d: it would often be unknown", steps, typical, maxSteps)
	}
	return n
}

// estimate is how many steps an expression takes where no list is longer than
// usual and nothing is left out.
func estimate(n *node) int {
	sum := 1
	for i, p := range n.parts {
		steps := estimate(p)
		if i == 1 && (n.op == opAll || n.op == opExists || n.op == opOne) {
			steps *= typical
		}
		sum += steps
	}
	return sum
}
