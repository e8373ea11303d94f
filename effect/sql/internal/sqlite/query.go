// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

// query reads a SELECT with its WITH clause.
func (p *parser) query() *query {
	p.enter()
	defer p.leave()
	q := &query{}
	p.with(q)
	q.cores = []*core{p.core()}
	for p.why == "" {
		if p.accept("union") {
			p.accept("all")
		} else if p.acceptAny("intersect", "except") == "" {
			break
		}
		q.cores = append(q.cores, p.core())
	}
	if p.accept("order", "by") {
		q.order = p.sorting()
	}
	q.limit, q.offset = p.limits()
	return q
}

func (p *parser) limits() (limit, offset *expr) {
	if !p.accept("limit") {
		return nil, nil
	}
	limit = p.expr()
	switch {
	case p.accept("offset"):
		offset = p.expr()
	case p.acceptSymbol(","):
		limit, offset = p.expr(), limit
	}
	return limit, offset
}

// with reads a WITH clause, where there is one.
func (p *parser) with(q *query) {
	if !p.keyword("with") || !p.withQuery() {
		return
	}
	p.next()
	if t := p.ahead(1); p.keyword("recursive") && named(t) && !(t.kind == word && t.text == "as") {
		p.next()
		q.recursive = true
	}
	for {
		c := cte{name: p.name()}
		if p.symbol("(") {
			p.eidlist()
		}
		p.expect("as")
		if !p.accept("materialized") {
			p.accept("not", "materialized")
		}
		p.expectSymbol("(")
		c.query = p.query()
		p.expectSymbol(")")
		q.with = append(q.with, c)
		if !p.acceptSymbol(",") {
			return
		}
	}
}

// eidlist reads names in brackets with what an index may say of them.
func (p *parser) eidlist() []string {
	p.expectSymbol("(")
	var list []string
	for {
		list = append(list, p.name())
		if p.accept("collate") {
			p.name()
		}
		p.acceptAny("asc", "desc")
		if !p.acceptSymbol(",") {
			p.expectSymbol(")")
			return list
		}
	}
}

func (p *parser) core() *core {
	c := &core{}
	if p.accept("values") {
		for {
			p.expectSymbol("(")
			values := p.list(")")
			if len(values) == 0 {
				p.fail(notSQLite)
			}
			c.values = append(c.values, values)
			if !p.acceptSymbol(",") {
				return c
			}
		}
	}
	p.expect("select")
	p.acceptAny("distinct", "all")
	c.results = p.results()
	if p.accept("from") {
		c.from = p.sources()
	}
	if p.accept("where") {
		c.where = p.expr()
	}
	if p.accept("group", "by") {
		c.group = append(c.group, p.expr())
		for p.acceptSymbol(",") {
			c.group = append(c.group, p.expr())
		}
	}
	if p.accept("having") {
		c.having = p.expr()
	}
	if p.keyword("window") {
		c.windows = p.windows()
	}
	return c
}

func (p *parser) windows() []*expr {
	p.next()
	var parts []*expr
	for {
		p.name()
		p.expect("as")
		p.expectSymbol("(")
		parts = append(parts, p.window()...)
		if !p.acceptSymbol(",") {
			return parts
		}
	}
}

func (p *parser) results() []result {
	var list []result
	for {
		list = append(list, p.result())
		if !p.acceptSymbol(",") {
			return list
		}
	}
}

func (p *parser) result() result {
	if p.acceptSymbol("*") {
		return result{}
	}
	if named(p.peek()) && p.ahead(1).kind == symbol && p.ahead(1).text == "." && p.ahead(2).kind == symbol && p.ahead(2).text == "*" {
		p.at += 3
		return result{}
	}
	r := result{value: p.expr()}
	if p.accept("as") {
		r.as = p.name()
		return r
	}
	if t := p.peek(); t.kind == name || t.kind == bracket || t.kind == text ||
		t.kind == word && !reserved(t.text) && !joinWord(t.text) && t.text != "indexed" && !p.windowClause() {
		r.as = p.name()
	}
	return r
}

func (p *parser) windowClause() bool {
	return p.keyword("window") && named(p.ahead(1)) && p.ahead(2).kind == word && p.ahead(2).text == "as"
}

// sources reads a FROM list.
func (p *parser) sources() []*source {
	p.enter()
	defer p.leave()
	var list []*source
	join := ""
	for p.why == "" {
		s := p.source()
		s.join = join
		list = append(list, s)
		var more bool
		if join, more = p.join(); !more {
			return list
		}
	}
	return list
}

// join reads the words between two items of a FROM list.
func (p *parser) join() (string, bool) {
	if p.acceptSymbol(",") {
		return "", true
	}
	words := ""
	for i := 0; ; i++ {
		t := p.ahead(i)
		switch {
		case t.kind == word && t.text == "join":
			p.at += i + 1
			return words, true
		case t.kind == word && joinWord(t.text) && i < 3:
			words += t.text + " "
		case words != "":
			p.fail(notSQLite)
			return "", false
		default:
			return "", false
		}
	}
}

func (p *parser) source() *source {
	s := &source{}
	switch {
	case p.acceptSymbol("("):
		if p.queryNext() {
			s.query = p.query()
		} else {
			s.list = p.sources()
		}
		p.expectSymbol(")")
	default:
		s.table = p.table()
		if p.acceptSymbol("(") {
			s.function = true
			s.args = p.list(")")
		}
	}
	s.as = p.alias()
	p.indexed()
	if p.accept("on") {
		s.on = p.expr()
	} else if p.keyword("using") {
		p.next()
		s.using = p.names()
	}
	return s
}

func (p *parser) indexed() {
	if p.accept("indexed", "by") {
		p.name()
		return
	}
	p.accept("not", "indexed")
}

// sorting reads the list of an ORDER BY.
func (p *parser) sorting() []*expr {
	var list []*expr
	for {
		list = append(list, p.expr())
		p.acceptAny("asc", "desc")
		if p.accept("nulls") && p.acceptAny("first", "last") == "" {
			p.fail(notSQLite)
		}
		if !p.acceptSymbol(",") {
			return list
		}
	}
}
