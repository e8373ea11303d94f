// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

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

func (p *parser) expr() *expr { return p.binary(loosest) }

// binary reads operators that bind tighter than the level.
func (p *parser) binary(level int) *expr {
	p.enter()
	defer p.leave()
	e := p.prefix()
	for p.why == "" {
		next := p.infix(e, level)
		if next == nil {
			break
		}
		e = next
	}
	return e
}

// prefix reads an operator in front, or what is no operation.
func (p *parser) prefix() *expr {
	if p.accept("not") {
		return &expr{op: unary, text: "not", args: []*expr{p.binary(notLevel)}}
	}
	for _, s := range []string{"-", "+", "~"} {
		if p.acceptSymbol(s) {
			return &expr{op: unary, text: s, args: []*expr{p.binary(collateLevel)}}
		}
	}
	return p.primary()
}

// infix reads one operation with e on its left side; nil where none follows
// that binds tighter than the level.
func (p *parser) infix(e *expr, level int) *expr {
	t := p.peek()
	switch t.kind {
	case symbol:
		return p.symbolic(e, level)
	case word:
		return p.worded(e, level)
	default:
		return nil
	}
}

func (p *parser) symbolic(e *expr, level int) *expr {
	t := p.peek()
	own := levelOf(t.text)
	if own <= level {
		return nil
	}
	p.next()
	return &expr{op: binary, text: normal(t.text), args: []*expr{e, p.binary(own)}}
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
func (p *parser) worded(e *expr, level int) *expr {
	t := p.peek()
	switch t.text {
	case "or":
		return p.connect(e, "or", orLevel, level)
	case "and":
		return p.connect(e, "and", andLevel, level)
	case "collate":
		if level >= collateLevel {
			return nil
		}
		p.next()
		p.name()
		return e
	}
	if level >= equalLevel {
		return nil
	}
	switch t.text {
	case "isnull", "notnull":
		p.next()
		return p.isNull(e, t.text == "notnull")
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

func (p *parser) connect(e *expr, operator string, own, level int) *expr {
	if own <= level {
		return nil
	}
	p.next()
	return &expr{op: binary, text: operator, args: []*expr{e, p.binary(own)}}
}

func (p *parser) isNull(e *expr, not bool) *expr {
	e = &expr{op: unary, text: "isnull", args: []*expr{e}}
	if not {
		return &expr{op: unary, text: "not", args: []*expr{e}}
	}
	return e
}

func (p *parser) is(e *expr) *expr {
	p.next()
	not := p.accept("not")
	if p.accept("distinct") {
		p.expect("from")
		not = !not
	}
	operator := "is"
	if not {
		operator = "isnot"
	}
	return &expr{op: binary, text: operator, args: []*expr{e, p.binary(equalLevel)}}
}

// negated reads NOT NULL, NOT LIKE and the like.
func (p *parser) negated(e *expr) *expr {
	switch after := p.ahead(1); {
	case after.kind != word:
		return nil
	case after.text == "null":
		p.next()
		p.next()
		return p.isNull(e, true)
	case after.text == "like", after.text == "glob", after.text == "regexp", after.text == "match", after.text == "between", after.text == "in":
		p.next()
		return p.matching(e, true)
	}
	return nil
}

func (p *parser) matching(e *expr, not bool) *expr {
	switch t := p.next(); t.text {
	case "between":
		low := p.binary(equalLevel)
		p.expect("and")
		e = &expr{op: between, args: []*expr{e, low, p.binary(equalLevel)}}
	case "in":
		e = p.in(e)
	default:
		e = &expr{op: binary, text: t.text, args: []*expr{e, p.binary(equalLevel)}}
		if p.accept("escape") {
			e.args = append(e.args, p.binary(orderLevel))
		}
	}
	if not {
		return &expr{op: unary, text: "not", args: []*expr{e}}
	}
	return e
}

func (p *parser) in(e *expr) *expr {
	if !p.acceptSymbol("(") {
		in := &expr{op: inTable, table: p.table(), args: []*expr{e}}
		if p.acceptSymbol("(") {
			in.text = "function"
			in.args = append(in.args, p.list(")")...)
		}
		return in
	}
	if p.queryNext() {
		in := &expr{op: inQuery, args: []*expr{e}, query: p.query()}
		p.expectSymbol(")")
		return in
	}
	return &expr{op: inList, args: append([]*expr{e}, p.list(")")...)}
}

// list reads expressions up to the closing bracket, which it takes; there may
// be none.
func (p *parser) list(closing string) []*expr {
	if p.acceptSymbol(closing) {
		return nil
	}
	list := []*expr{p.expr()}
	for p.acceptSymbol(",") {
		list = append(list, p.expr())
	}
	p.expectSymbol(closing)
	return list
}

func (p *parser) queryNext() bool {
	return p.keyword("select") || p.keyword("values") || p.keyword("with") && p.withQuery()
}

// withQuery tells WITH from a name.
func (p *parser) withQuery() bool {
	i := 1
	if t := p.ahead(i); t.kind == word && t.text == "recursive" && named(p.ahead(i+1)) {
		i++
	}
	return named(p.ahead(i)) && (p.ahead(i+1).text == "(" || p.ahead(i+1).kind == word && p.ahead(i+1).text == "as")
}

// primary reads what is no operation.
func (p *parser) primary() *expr {
	t := p.peek()
	switch t.kind {
	case number:
		return &expr{op: numberLiteral, text: p.next().text}
	case blob:
		return &expr{op: blobLiteral, text: p.next().text}
	case variable:
		return &expr{op: parameter, text: p.next().text}
	case text:
		if after := p.ahead(1); after.kind != symbol || after.text != "." {
			return &expr{op: textLiteral, text: p.next().text}
		}
	case symbol:
		if t.text == "(" {
			return p.bracketed()
		}
	case word:
		if e := p.special(t.text); e != nil {
			return e
		}
	}
	return p.reference()
}

// bracketed reads a query, a row or an expression in brackets.
func (p *parser) bracketed() *expr {
	p.enter()
	defer p.leave()
	p.next()
	if p.queryNext() {
		e := &expr{op: subquery, query: p.query()}
		p.expectSymbol(")")
		return e
	}
	list := []*expr{p.expr()}
	for p.acceptSymbol(",") {
		list = append(list, p.expr())
	}
	p.expectSymbol(")")
	if len(list) == 1 {
		return list[0]
	}
	return &expr{op: row, args: list}
}

// special reads an expression that starts with a keyword.
func (p *parser) special(s string) *expr {
	called := p.ahead(1).kind == symbol && p.ahead(1).text == "("
	switch s {
	case "null":
		p.next()
		return &expr{op: nullLiteral}
	case "case":
		return p.choice()
	case "cast":
		if called {
			return p.cast()
		}
	case "exists":
		p.next()
		p.expectSymbol("(")
		e := &expr{op: exists, query: p.query()}
		p.expectSymbol(")")
		return e
	case "raise":
		if called {
			return p.raise()
		}
	case "current_time", "current_date", "current_timestamp":
		p.next()
		return &expr{op: special, text: s}
	}
	return nil
}

func (p *parser) choice() *expr {
	p.enter()
	defer p.leave()
	p.next()
	var operand, otherwise *expr
	if !p.keyword("when") {
		operand = p.expr()
	}
	args := []*expr{operand}
	for p.accept("when") {
		args = append(args, p.expr())
		p.expect("then")
		args = append(args, p.expr())
	}
	if p.accept("else") {
		otherwise = p.expr()
	}
	p.expect("end")
	if len(args) == 1 {
		p.fail(notSQLite)
	}
	return &expr{op: choice, args: append(args, otherwise)}
}

func (p *parser) cast() *expr {
	p.next()
	p.next()
	e := &expr{op: cast, args: []*expr{p.expr()}}
	p.expect("as")
	e.text = p.typeName()
	p.expectSymbol(")")
	return e
}

func (p *parser) raise() *expr {
	p.next()
	p.next()
	e := &expr{op: special, text: "raise"}
	if !p.accept("ignore") {
		if p.acceptAny("rollback", "abort", "fail") == "" {
			p.fail(notSQLite)
		}
		p.expectSymbol(",")
		e.args = []*expr{p.expr()}
	}
	p.expectSymbol(")")
	return e
}

// typeName reads a type: words, and one or two numbers in brackets.
func (p *parser) typeName() string {
	s := ""
	for t := p.peek(); t.kind == text || named(t) && !p.columnWord(t); t = p.peek() {
		s += lower(p.next().text) + " "
	}
	if s != "" && p.acceptSymbol("(") {
		p.signed()
		if p.acceptSymbol(",") {
			p.signed()
		}
		p.expectSymbol(")")
	}
	return s
}

// columnWord are words that end a type, though they may be names elsewhere.
func (p *parser) columnWord(t token) bool {
	return t.kind == word && (t.text == "generated" && p.ahead(1).kind == word && p.ahead(1).text == "always")
}

func (p *parser) signed() {
	if !p.acceptSymbol("-") {
		p.acceptSymbol("+")
	}
	if p.next().kind != number {
		p.fail(notSQLite)
	}
}

// reference reads a column or a call.
func (p *parser) reference() *expr {
	t := p.peek()
	if !named(t) {
		p.fail(notSQLite)
		return &expr{}
	}
	first := p.next()
	if t.kind != text && p.symbol("(") && (t.kind != word || !joinWord(t.text)) {
		return p.call(lower(first.text))
	}
	e := &expr{op: column, names: []string{lower(first.text)}, quote: first.kind == name, text: first.text}
	for len(e.names) < 3 && p.acceptSymbol(".") {
		e.names = append(e.names, p.name())
		e.quote = false
	}
	if len(e.names) == 1 && first.kind == word && (first.text == "true" || first.text == "false") {
		return &expr{op: column, names: e.names, text: first.text}
	}
	return e
}

func (p *parser) call(function string) *expr {
	p.enter()
	defer p.leave()
	e := &expr{op: call, names: []string{function}}
	p.next()
	switch {
	case p.acceptSymbol("*"):
		e.star = true
		p.expectSymbol(")")
	default:
		if p.acceptAny("distinct", "all") != "" && p.symbol(")") {
			p.fail(notSQLite)
		}
		e.args = p.arguments(e)
	}
	if p.keyword("filter") && p.ahead(1).text == "(" && p.ahead(1).kind == symbol {
		p.next()
		p.next()
		p.expect("where")
		e.over = append(e.over, p.expr())
		p.expectSymbol(")")
	}
	if p.keyword("over") && (p.ahead(1).text == "(" && p.ahead(1).kind == symbol || named(p.ahead(1))) {
		p.next()
		e.text = "over"
		if p.acceptSymbol("(") {
			e.over = append(e.over, p.window()...)
		} else {
			p.name()
		}
	}
	return e
}

// arguments reads a call's arguments, and an ORDER BY among them.
func (p *parser) arguments(e *expr) []*expr {
	if p.acceptSymbol(")") {
		return nil
	}
	args := []*expr{p.expr()}
	for p.acceptSymbol(",") {
		args = append(args, p.expr())
	}
	if p.accept("order", "by") {
		e.over = append(e.over, p.sorting()...)
	}
	p.expectSymbol(")")
	return args
}

// window reads a window's definition behind its opening bracket.
func (p *parser) window() []*expr {
	var parts []*expr
	if t := p.peek(); named(t) && !(t.kind == word && (t.text == "partition" || t.text == "rows" || t.text == "range" || t.text == "groups")) {
		p.name()
	}
	if p.accept("partition", "by") {
		parts = append(parts, p.expr())
		for p.acceptSymbol(",") {
			parts = append(parts, p.expr())
		}
	}
	if p.accept("order", "by") {
		parts = append(parts, p.sorting()...)
	}
	if p.acceptAny("rows", "range", "groups") != "" {
		parts = append(parts, p.frame()...)
	}
	p.expectSymbol(")")
	return parts
}

func (p *parser) frame() []*expr {
	var parts []*expr
	if p.accept("between") {
		parts = append(parts, p.bound()...)
		p.expect("and")
	}
	parts = append(parts, p.bound()...)
	if p.accept("exclude") {
		switch {
		case p.accept("no", "others"), p.accept("current", "row"), p.accept("group"), p.accept("ties"):
		default:
			p.fail(notSQLite)
		}
	}
	return parts
}

func (p *parser) bound() []*expr {
	if p.accept("current", "row") {
		return nil
	}
	var parts []*expr
	if !p.accept("unbounded") {
		parts = []*expr{p.expr()}
	}
	if p.acceptAny("preceding", "following") == "" {
		p.fail(notSQLite)
	}
	return parts
}
