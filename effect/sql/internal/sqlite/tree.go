// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite

// expr is an expression. What the fields mean depends on the operation.
type expr struct {
	op    op
	text  string   // of a literal, a variable, an operator; the name of a function or a type
	names []string // of a column: schema, table and column, as far as given
	quote bool     // of a column: it is one name in double quotes, which may be a text
	args  []*expr
	query *query // of a query, exists, inQuery
	table table  // of inTable
	over  []*expr
	star  bool // of a call: f(*)
}

// op is what an expression is.
type op uint8

const (
	nullLiteral op = iota
	numberLiteral
	textLiteral
	blobLiteral
	parameter
	column
	unary    // text is the operator
	binary   // text is the operator
	call     // names is the function's name
	between  // value, low, high
	inList   // value, …
	inQuery  // value, with query
	inTable  // value, with table; args behind the value are those of a function
	exists   // query
	subquery // query
	choice   // operand or nil, condition, value, …, else or nil
	cast     // to the type in text
	row      // (a, b)
	special  // current_time, raise, …: text
)

// table is a name with its schema, where it is given.
type table struct{ schema, name string }

// query is a SELECT with everything around it.
type query struct {
	with      []cte
	recursive bool
	cores     []*core // one, or the parts of a compound
	order     []*expr
	limit     *expr
	offset    *expr
}

type cte struct {
	name  string
	query *query
}

// core is one SELECT, or the rows of a VALUES.
type core struct {
	values  [][]*expr
	results []result
	from    []*source
	where   *expr
	group   []*expr
	having  *expr
	windows []*expr
}

// result is a column of a query's result.
type result struct {
	value *expr // nil for a star
	as    string
}

// source is an item of a FROM list.
type source struct {
	table    table
	function bool
	args     []*expr
	query    *query
	list     []*source
	as       string
	join     string // the words before it: left natural …
	on       *expr
	using    []string
}

// knownAs is the name that the item's columns are qualified with.
func (s *source) knownAs() string {
	if s.as != "" {
		return s.as
	}
	return s.table.name
}
