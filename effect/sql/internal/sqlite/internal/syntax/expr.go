// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package syntax

import "strings"

// Levels of binding, the loosest first.
const (
	loosest = iota
	orLevel
	andLevel
	notLevel
	equalLevel
	orderLevel
	bitLevel
	sumLevel
	productLevel
	joinLevel
	collateLevel
)

// Expr reads an expression.
func (p *Parser) Expr() *Expr { return p.binary(loosest) }

// binary reads operators that bind tighter than the level.
func (p *Parser) binary(level int) *Expr {
	p.enter()
	defer p.leave()
	start := p.At
	e := p.prefix()
	p.written(e, start)
	for p.Why == "" {
		next := p.infix(e, level)
		if next == nil {
			break
		}
		e = next
		p.written(e, start)
	}
	return e
}

// written notes the tokens of an expression, without brackets around it.
func (p *Parser) written(e *Expr, start int) {
	if e.Tokens == nil && start < p.At {
		e.Tokens = p.Tokens[start:p.At]
	}
}

// prefix reads an operator in front, or what is no operation.
func (p *Parser) prefix() *Expr {
	if p.Accept("not") {
		return &Expr{Op: Unary, Text: "not", Args: []*Expr{p.binary(notLevel)}}
	}
	for _, s := range []string{"-", "+", "~"} {
		if p.AcceptSymbol(s) {
			return &Expr{Op: Unary, Text: s, Args: []*Expr{p.binary(collateLevel)}}
		}
	}
	return p.Primary()
}

// infix reads one operation with e on its left side; nil where none follows
// that binds tighter than the level.
func (p *Parser) infix(e *Expr, level int) *Expr {
	t := p.Peek()
	switch t.Kind {
	case Symbol:
		return p.symbolic(e, level)
	case Word:
		return p.worded(e, level)
	default:
		return nil
	}
}

func (p *Parser) symbolic(e *Expr, level int) *Expr {
	t := p.Peek()
	own := levelOf(t.Text)
	if own <= level {
		return nil
	}
	p.Next()
	return &Expr{Op: Binary, Text: normal(t.Text), Args: []*Expr{e, p.binary(own)}}
}

// levelOf is the level of an operator; 0 where it is none.
func levelOf(s string) int {
	switch s {
	case "=", "==", "<>", "!=":
		return equalLevel
	case "<", "<=", ">", ">=":
		return orderLevel
	case "&", "|", "<<", ">>":
		return bitLevel
	case "+", "-":
		return sumLevel
	case "*", "/", "%":
		return productLevel
	case "||", "->", "->>":
		return joinLevel
	default:
		return loosest
	}
}

func normal(s string) string {
	switch s {
	case "==":
		return "="
	case "!=":
		return "<>"
	default:
		return s
	}
}

// worded reads an operation that is written with words.
func (p *Parser) worded(e *Expr, level int) *Expr {
	t := p.Peek()
	switch t.Text {
	case "or":
		return p.connect(e, "or", orLevel, level)
	case "and":
		return p.connect(e, "and", andLevel, level)
	case "collate":
		if level >= collateLevel {
			return nil
		}
		p.Next()
		p.Name()
		return e
	}
	if level >= equalLevel {
		return nil
	}
	switch t.Text {
	case "isnull", "notnull":
		p.Next()
		return p.isNull(e, t.Text == "notnull")
	case "is":
		return p.is(e)
	case "not":
		return p.negated(e)
	case "like", "glob", "regexp", "match", "between", "in":
		return p.matching(e, false)
	default:
		return nil
	}
}

func (p *Parser) connect(e *Expr, operator string, own, level int) *Expr {
	if own <= level {
		return nil
	}
	p.Next()
	return &Expr{Op: Binary, Text: operator, Args: []*Expr{e, p.binary(own)}}
}

func (p *Parser) isNull(e *Expr, not bool) *Expr {
	e = &Expr{Op: Unary, Text: "isnull", Args: []*Expr{e}}
	if not {
		return &Expr{Op: Unary, Text: "not", Args: []*Expr{e}}
	}
	return e
}

func (p *Parser) is(e *Expr) *Expr {
	p.Next()
	not := p.Accept("not")
	if p.Accept("distinct") {
		p.Expect("from")
		not = !not
	}
	operator := "is"
	if not {
		operator = "isnot"
	}
	return &Expr{Op: Binary, Text: operator, Args: []*Expr{e, p.binary(equalLevel)}}
}

// negated reads NOT NULL, NOT LIKE and the like.
func (p *Parser) negated(e *Expr) *Expr {
	switch after := p.Ahead(1); {
	case after.Kind != Word:
		return nil
	case after.Text == "null":
		p.Next()
		p.Next()
		return p.isNull(e, true)
	case after.Text == "like", after.Text == "glob", after.Text == "regexp", after.Text == "match", after.Text == "between", after.Text == "in":
		p.Next()
		return p.matching(e, true)
	}
	return nil
}

func (p *Parser) matching(e *Expr, not bool) *Expr {
	switch t := p.Next(); t.Text {
	case "between":
		low := p.binary(equalLevel)
		p.Expect("and")
		e = &Expr{Op: Between, Args: []*Expr{e, low, p.binary(equalLevel)}}
	case "in":
		e = p.in(e)
	default:
		e = &Expr{Op: Binary, Text: t.Text, Args: []*Expr{e, p.binary(equalLevel)}}
		if p.Accept("escape") {
			e.Args = append(e.Args, p.binary(orderLevel))
		}
	}
	if not {
		return &Expr{Op: Unary, Text: "not", Args: []*Expr{e}}
	}
	return e
}

func (p *Parser) in(e *Expr) *Expr {
	if !p.AcceptSymbol("(") {
		in := &Expr{Op: InTable, Table: p.Table(), Args: []*Expr{e}}
		if p.AcceptSymbol("(") {
			in.Text = "function"
			in.Args = append(in.Args, p.list()...)
		}
		return in
	}
	if p.QueryNext() {
		in := &Expr{Op: InQuery, Args: []*Expr{e}, Query: p.Query()}
		p.ExpectSymbol(")")
		return in
	}
	return &Expr{Op: InList, Args: append([]*Expr{e}, p.list()...)}
}

// list reads expressions up to the closing bracket, which it takes; there may
// be none.
func (p *Parser) list() []*Expr {
	if p.AcceptSymbol(")") {
		return nil
	}
	list := []*Expr{p.Expr()}
	for p.AcceptSymbol(",") {
		list = append(list, p.Expr())
	}
	p.ExpectSymbol(")")
	return list
}

// QueryNext reports whether a query is next.
func (p *Parser) QueryNext() bool {
	return p.Keyword("select") || p.Keyword("values") || p.Keyword("with") && p.withQuery()
}

// withQuery tells WITH from a name.
func (p *Parser) withQuery() bool {
	i := 1
	if t := p.Ahead(i); t.Kind == Word && t.Text == "recursive" && Named(p.Ahead(i+1)) {
		i++
	}
	return Named(p.Ahead(i)) && (p.Ahead(i+1).Text == "(" || p.Ahead(i+1).Kind == Word && p.Ahead(i+1).Text == "as")
}

// Primary reads what is no operation.
func (p *Parser) Primary() *Expr {
	t := p.Peek()
	switch t.Kind {
	case Number:
		return &Expr{Op: NumberLiteral, Text: p.Next().Text}
	case Blob:
		return &Expr{Op: BlobLiteral, Text: p.Next().Text}
	case Variable:
		return &Expr{Op: Parameter, Text: p.Next().Text}
	case Text:
		if after := p.Ahead(1); after.Kind != Symbol || after.Text != "." {
			return &Expr{Op: TextLiteral, Text: p.Next().Text}
		}
	case Symbol:
		if t.Text == "(" {
			return p.bracketed()
		}
	case Word:
		if e := p.special(t.Text); e != nil {
			return e
		}
	default:
	}
	return p.reference()
}

// bracketed reads a query, a row or an expression in brackets.
func (p *Parser) bracketed() *Expr {
	p.enter()
	defer p.leave()
	p.Next()
	if p.QueryNext() {
		e := &Expr{Op: Subquery, Query: p.Query()}
		p.ExpectSymbol(")")
		return e
	}
	list := []*Expr{p.Expr()}
	for p.AcceptSymbol(",") {
		list = append(list, p.Expr())
	}
	p.ExpectSymbol(")")
	if len(list) == 1 {
		return list[0]
	}
	return &Expr{Op: Row, Args: list}
}

// special reads an expression that starts with a keyword.
func (p *Parser) special(s string) *Expr {
	called := p.Ahead(1).Kind == Symbol && p.Ahead(1).Text == "("
	switch s {
	case "null":
		p.Next()
		return &Expr{Op: NullLiteral}
	case "case":
		return p.choice()
	case "cast":
		if called {
			return p.cast()
		}
	case "exists":
		p.Next()
		p.ExpectSymbol("(")
		e := &Expr{Op: Exists, Query: p.Query()}
		p.ExpectSymbol(")")
		return e
	case "raise":
		if called {
			return p.raise()
		}
	case "current_time", "current_date", "current_timestamp":
		p.Next()
		return &Expr{Op: Special, Text: s}
	}
	return nil
}

func (p *Parser) choice() *Expr {
	p.enter()
	defer p.leave()
	p.Next()
	var operand, otherwise *Expr
	if !p.Keyword("when") {
		operand = p.Expr()
	}
	args := []*Expr{operand}
	for p.Accept("when") {
		args = append(args, p.Expr())
		p.Expect("then")
		args = append(args, p.Expr())
	}
	if p.Accept("else") {
		otherwise = p.Expr()
	}
	p.Expect("end")
	if len(args) == 1 {
		p.Fail(NotSQLite)
	}
	return &Expr{Op: Choice, Args: append(args, otherwise)}
}

func (p *Parser) cast() *Expr {
	p.Next()
	p.Next()
	e := &Expr{Op: Cast, Args: []*Expr{p.Expr()}}
	p.Expect("as")
	e.Text = p.TypeName()
	p.ExpectSymbol(")")
	return e
}

func (p *Parser) raise() *Expr {
	p.Next()
	p.Next()
	e := &Expr{Op: Special, Text: "raise"}
	if !p.Accept("ignore") {
		if p.AcceptAny("rollback", "abort", "fail") == "" {
			p.Fail(NotSQLite)
		}
		p.ExpectSymbol(",")
		e.Args = []*Expr{p.Expr()}
	}
	p.ExpectSymbol(")")
	return e
}

// TypeName reads a type: words, and one or two numbers in brackets.
func (p *Parser) TypeName() string {
	var words []string
	for t := p.Peek(); t.Kind == Text || Named(t) && !p.columnWord(t); t = p.Peek() {
		words = append(words, Lower(p.Next().Text))
	}
	if len(words) > 0 && p.AcceptSymbol("(") {
		p.Signed()
		if p.AcceptSymbol(",") {
			p.Signed()
		}
		p.ExpectSymbol(")")
	}
	return strings.Join(words, " ")
}

// columnWord are words that end a type, though they may be names elsewhere.
func (p *Parser) columnWord(t Token) bool {
	return t.Kind == Word && (t.Text == "generated" && p.Ahead(1).Kind == Word && p.Ahead(1).Text == "always")
}

// Signed takes a number with or without a sign.
func (p *Parser) Signed() {
	if !p.AcceptSymbol("-") {
		p.AcceptSymbol("+")
	}
	if p.Next().Kind != Number {
		p.Fail(NotSQLite)
	}
}

// reference reads a column or a call.
func (p *Parser) reference() *Expr {
	t := p.Peek()
	if !Named(t) {
		p.Fail(NotSQLite)
		return &Expr{}
	}
	first := p.Next()
	if t.Kind != Text && p.Symbol("(") && (t.Kind != Word || !joinWord(t.Text)) {
		return p.call(Lower(first.Text))
	}
	e := &Expr{Op: Column, Names: []string{Lower(first.Text)}, Quote: first.Kind == Name, Text: first.Text}
	for len(e.Names) < 3 && p.AcceptSymbol(".") {
		e.Names = append(e.Names, p.Name())
		e.Quote = false
	}
	if len(e.Names) == 1 && first.Kind == Word && (first.Text == "true" || first.Text == "false") {
		return &Expr{Op: Column, Names: e.Names, Text: first.Text}
	}
	return e
}
