// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package syntax

// Expr is an expression. What the fields mean depends on the operation.
type Expr struct {
	Op     Op
	Text   string   // of a literal, a variable, an operator; the name of a function or a type
	Names  []string // of a column: schema, table and column, as far as given
	Quote  bool     // of a column: it is one name in double quotes, which may be a text
	Args   []*Expr
	Query  *Query // of a query, exists, inQuery
	Table  Table  // of inTable
	Over   []*Expr
	Star   bool    // of a call: f(*)
	Tokens []Token // that it is written with
}

// Op is what an expression is.
type Op uint8

// Operations, and what is none.
const (
	NullLiteral Op = iota
	NumberLiteral
	TextLiteral
	BlobLiteral
	Parameter
	Column
	Unary    // text is the operator
	Binary   // text is the operator
	Call     // names is the function's name
	Between  // value, low, high
	InList   // value, …
	InQuery  // value, with query
	InTable  // value, with table; args behind the value are those of a function
	Exists   // query
	Subquery // query
	Choice   // operand or nil, condition, value, …, else or nil
	Cast     // to the type in text
	Row      // (a, b)
	Special  // current_time, raise, …: text
)

// Table is a name with its schema, where it is given.
type Table struct{ Schema, Name string }

// Query is a SELECT with everything around it.
type Query struct {
	Narrows bool // INTERSECT or EXCEPT takes rows away
	With    []Common
	Cores   []*Core // one, or the parts of a compound
	Order   []*Expr
	Limit   *Expr
	Offset  *Expr
}

// Common is a query of a WITH clause.
type Common struct {
	Name  string
	Query *Query
}

// Core is one SELECT, or the rows of a VALUES.
type Core struct {
	Values  [][]*Expr
	Results []Result
	From    []*Source
	Where   *Expr
	Group   []*Expr
	Having  *Expr
	Windows []*Expr
}

// Result is a column of a query's result.
type Result struct {
	Value *Expr // nil for a star
	As    string
}

// Source is an item of a FROM list.
type Source struct {
	Table    Table
	Function bool
	Args     []*Expr
	Query    *Query
	List     []*Source
	As       string
	Join     string // the words before it: left natural …
	On       *Expr
	Using    []string
}

// KnownAs is the name that the item's columns are qualified with.
func (s *Source) KnownAs() string {
	if s.As != "" {
		return s.As
	}
	return s.Table.Name
}

// Literal is the expression where it is a text, or may be one.
func (e *Expr) Literal() (string, bool) {
	if e.Op == TextLiteral || e.Op == Column && e.Quote {
		return e.Text, true
	}
	return "", false
}
