// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package syntax

// call reads a call behind the function's name.
func (p *Parser) call(function string) *Expr {
	p.enter()
	defer p.leave()
	e := &Expr{Op: Call, Names: []string{function}}
	p.Next()
	switch {
	case p.AcceptSymbol("*"):
		e.Star = true
		p.ExpectSymbol(")")
	default:
		if p.AcceptAny("distinct", "all") != "" && p.Symbol(")") {
			p.Fail(NotSQLite)
		}
		e.Args = p.arguments(e)
	}
	if p.Keyword("filter") && p.Ahead(1).Text == "(" && p.Ahead(1).Kind == Symbol {
		p.Next()
		p.Next()
		p.Expect("where")
		e.Over = append(e.Over, p.Expr())
		p.ExpectSymbol(")")
	}
	if p.Keyword("over") && (p.Ahead(1).Text == "(" && p.Ahead(1).Kind == Symbol || Named(p.Ahead(1))) {
		p.Next()
		e.Text = "over"
		if p.AcceptSymbol("(") {
			e.Over = append(e.Over, p.window()...)
		} else {
			p.Name()
		}
	}
	return e
}

// arguments reads a call's arguments, and an ORDER BY among them.
func (p *Parser) arguments(e *Expr) []*Expr {
	if p.AcceptSymbol(")") {
		return nil
	}
	args := []*Expr{p.Expr()}
	for p.AcceptSymbol(",") {
		args = append(args, p.Expr())
	}
	if p.Accept("order", "by") {
		e.Over = append(e.Over, p.Sorting()...)
	}
	p.ExpectSymbol(")")
	return args
}

// window reads a window's definition behind its opening bracket.
func (p *Parser) window() []*Expr {
	var parts []*Expr
	if t := p.Peek(); Named(t) && !(t.Kind == Word && (t.Text == "partition" || t.Text == "rows" || t.Text == "range" || t.Text == "groups")) {
		p.Name()
	}
	if p.Accept("partition", "by") {
		parts = append(parts, p.Expr())
		for p.AcceptSymbol(",") {
			parts = append(parts, p.Expr())
		}
	}
	if p.Accept("order", "by") {
		parts = append(parts, p.Sorting()...)
	}
	if p.AcceptAny("rows", "range", "groups") != "" {
		parts = append(parts, p.frame()...)
	}
	p.ExpectSymbol(")")
	return parts
}

func (p *Parser) frame() []*Expr {
	var parts []*Expr
	if p.Accept("between") {
		parts = append(parts, p.bound()...)
		p.Expect("and")
	}
	parts = append(parts, p.bound()...)
	if p.Accept("exclude") {
		switch {
		case p.Accept("no", "others"), p.Accept("current", "row"), p.Accept("group"), p.Accept("ties"):
		default:
			p.Fail(NotSQLite)
		}
	}
	return parts
}

func (p *Parser) bound() []*Expr {
	if p.Accept("current", "row") {
		return nil
	}
	var parts []*Expr
	if !p.Accept("unbounded") {
		parts = []*Expr{p.Expr()}
	}
	if p.AcceptAny("preceding", "following") == "" {
		p.Fail(NotSQLite)
	}
	return parts
}
