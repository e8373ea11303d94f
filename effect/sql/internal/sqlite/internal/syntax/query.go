// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package syntax

// Query reads a SELECT with its WITH clause.
func (p *Parser) Query() *Query {
	p.enter()
	defer p.leave()
	q := &Query{}
	p.With(q)
	q.Cores = []*Core{p.core()}
	for p.Why == "" {
		if p.Accept("union") {
			p.Accept("all")
		} else if p.AcceptAny("intersect", "except") != "" {
			q.Narrows = true
		} else {
			break
		}
		q.Cores = append(q.Cores, p.core())
	}
	if p.Accept("order", "by") {
		q.Order = p.Sorting()
	}
	q.Limit, q.Offset = p.Limits()
	return q
}

// Limits reads LIMIT and OFFSET, where they are.
func (p *Parser) Limits() (limit, offset *Expr) {
	if !p.Accept("limit") {
		return nil, nil
	}
	limit = p.Expr()
	switch {
	case p.Accept("offset"):
		offset = p.Expr()
	case p.AcceptSymbol(","):
		limit, offset = p.Expr(), limit
	}
	return limit, offset
}

// With reads a WITH clause, where there is one.
func (p *Parser) With(q *Query) {
	if !p.Keyword("with") || !p.withQuery() {
		return
	}
	p.Next()
	if t := p.Ahead(1); p.Keyword("recursive") && Named(t) && !(t.Kind == Word && t.Text == "as") {
		p.Next()
	}
	for {
		c := Common{Name: p.Name()}
		if p.Symbol("(") {
			p.Eidlist()
		}
		p.Expect("as")
		if !p.Accept("materialized") {
			p.Accept("not", "materialized")
		}
		p.ExpectSymbol("(")
		c.Query = p.Query()
		p.ExpectSymbol(")")
		q.With = append(q.With, c)
		if !p.AcceptSymbol(",") {
			return
		}
	}
}

// Eidlist reads names in brackets with what an index may say of them.
func (p *Parser) Eidlist() []string {
	p.ExpectSymbol("(")
	var list []string
	for {
		list = append(list, p.Name())
		if p.Accept("collate") {
			p.Name()
		}
		p.AcceptAny("asc", "desc")
		if !p.AcceptSymbol(",") {
			p.ExpectSymbol(")")
			return list
		}
	}
}

func (p *Parser) core() *Core {
	c := &Core{}
	if p.Accept("values") {
		for {
			p.ExpectSymbol("(")
			values := p.list()
			if len(values) == 0 {
				p.Fail(NotSQLite)
			}
			c.Values = append(c.Values, values)
			if !p.AcceptSymbol(",") {
				return c
			}
		}
	}
	p.Expect("select")
	p.AcceptAny("distinct", "all")
	c.Results = p.Results()
	if p.Accept("from") {
		c.From = p.Sources()
	}
	if p.Accept("where") {
		c.Where = p.Expr()
	}
	if p.Accept("group", "by") {
		c.Group = append(c.Group, p.Expr())
		for p.AcceptSymbol(",") {
			c.Group = append(c.Group, p.Expr())
		}
	}
	if p.Accept("having") {
		c.Having = p.Expr()
	}
	if p.Keyword("window") {
		c.Windows = p.windows()
	}
	return c
}

func (p *Parser) windows() []*Expr {
	p.Next()
	var parts []*Expr
	for {
		p.Name()
		p.Expect("as")
		p.ExpectSymbol("(")
		parts = append(parts, p.window()...)
		if !p.AcceptSymbol(",") {
			return parts
		}
	}
}

// Results reads the list of what a query gives.
func (p *Parser) Results() []Result {
	var list []Result
	for {
		list = append(list, p.result())
		if !p.AcceptSymbol(",") {
			return list
		}
	}
}

func (p *Parser) result() Result {
	if p.AcceptSymbol("*") {
		return Result{}
	}
	if Named(p.Peek()) && p.Ahead(1).Kind == Symbol && p.Ahead(1).Text == "." && p.Ahead(2).Kind == Symbol && p.Ahead(2).Text == "*" {
		p.At += 3
		return Result{}
	}
	r := Result{Value: p.Expr()}
	if p.Accept("as") {
		r.As = p.Name()
		return r
	}
	if t := p.Peek(); t.Kind == Name || t.Kind == Bracket || t.Kind == Text ||
		t.Kind == Word && !Reserved(t.Text) && !joinWord(t.Text) && t.Text != "indexed" && !p.windowClause() {
		r.As = p.Name()
	}
	return r
}

func (p *Parser) windowClause() bool {
	return p.Keyword("window") && Named(p.Ahead(1)) && p.Ahead(2).Kind == Word && p.Ahead(2).Text == "as"
}

// Sources reads a FROM list.
func (p *Parser) Sources() []*Source {
	p.enter()
	defer p.leave()
	var list []*Source
	join := ""
	for p.Why == "" {
		s := p.source()
		s.Join = join
		list = append(list, s)
		var more bool
		if join, more = p.join(); !more {
			return list
		}
	}
	return list
}

// join reads the words between two items of a FROM list.
func (p *Parser) join() (string, bool) {
	if p.AcceptSymbol(",") {
		return "", true
	}
	words := ""
	for i := 0; ; i++ {
		t := p.Ahead(i)
		switch {
		case t.Kind == Word && t.Text == "join":
			p.At += i + 1
			return words, true
		case t.Kind == Word && joinWord(t.Text) && i < 3:
			words += t.Text + " "
		case words != "":
			p.Fail(NotSQLite)
			return "", false
		default:
			return "", false
		}
	}
}

func (p *Parser) source() *Source {
	s := &Source{}
	switch {
	case p.AcceptSymbol("("):
		if p.QueryNext() {
			s.Query = p.Query()
		} else {
			s.List = p.Sources()
		}
		p.ExpectSymbol(")")
	default:
		s.Table = p.Table()
		if p.AcceptSymbol("(") {
			s.Function = true
			s.Args = p.list()
		}
	}
	s.As = p.alias()
	p.Indexed()
	if p.Accept("on") {
		s.On = p.Expr()
	} else if p.Keyword("using") {
		p.Next()
		s.Using = p.Names()
	}
	return s
}

// Indexed skips what says which index to use.
func (p *Parser) Indexed() {
	if p.Accept("indexed", "by") {
		p.Name()
		return
	}
	p.Accept("not", "indexed")
}

// Sorting reads the list of an ORDER BY.
func (p *Parser) Sorting() []*Expr {
	var list []*Expr
	for {
		list = append(list, p.Expr())
		p.AcceptAny("asc", "desc")
		if p.Accept("nulls") && p.AcceptAny("first", "last") == "" {
			p.Fail(NotSQLite)
		}
		if !p.AcceptSymbol(",") {
			return list
		}
	}
}
