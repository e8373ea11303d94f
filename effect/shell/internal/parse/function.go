// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package parse

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// Unswallow puts right how the parser reads "f() { a; } && b": to it what
// follows the body is part of the body, to a shell the function ends before it.
func Unswallow(stmt *syntax.Stmt) {
	for _, l := range unswallow(stmt) {
		left := &syntax.Stmt{Position: stmt.Position, Cmd: stmt.Cmd, Negated: stmt.Negated, Redirs: stmt.Redirs}
		stmt.Cmd, stmt.Negated, stmt.Redirs = l.with(left), false, nil
	}
}

// link is what follows a command: "&& b".
type link struct{ *syntax.BinaryCmd }

// with returns the command with another one before it.
func (l link) with(left *syntax.Stmt) *syntax.BinaryCmd {
	l.X = left
	return l.BinaryCmd
}

// unswallow takes the "&& b" and "|| b" out of the functions at the end of a
// command, and returns them; a "| b" stays, behind its function.
func unswallow(stmt *syntax.Stmt) []link {
	switch c := stmt.Cmd.(type) {
	case *syntax.BinaryCmd:
		return unswallow(c.Y)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return unswallow(c.Stmt)
		}
	case *syntax.CoprocClause:
		return unswallow(c.Stmt)
	case *syntax.FuncDecl:
		lists := takeLinks(c, func(b *syntax.BinaryCmd) bool { return b.Op == syntax.AndStmt || b.Op == syntax.OrStmt })
		pipes := takeLinks(c, func(b *syntax.BinaryCmd) bool { return true })
		for _, l := range pipes {
			left := &syntax.Stmt{Position: stmt.Position, Cmd: stmt.Cmd}
			stmt.Cmd = l.with(left)
		}
		// The last one may end in a function again.
		last := append(slices.Clone(pipes), lists...)
		if len(last) == 0 {
			return nil
		}
		return append(lists, unswallow(last[len(last)-1].Y)...)
	}
	return nil
}

// takeLinks takes the links of some kind off the end of a function's body.
func takeLinks(f *syntax.FuncDecl, is func(*syntax.BinaryCmd) bool) []link {
	var links []link
	for f.Body != nil {
		b, ok := f.Body.Cmd.(*syntax.BinaryCmd)
		if !ok || !is(b) {
			break
		}
		links = append(links, link{b})
		f.Body = b.X
	}
	slices.Reverse(links)
	return links
}
