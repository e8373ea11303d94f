// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mysql

import (
	"strconv"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"github.com/toolverdict/toolverdict/effect/sql/internal/truth"
)

// condition turns a WHERE into an expression over the rows of one table.
type condition struct {
	walker   *walker
	target   string              // the name the table is known by
	table    sqlparser.TableName // the table itself
	twins    []string            // other names beside it that may stand for the same row
	everyRow bool                // all tables are as good as the one
	joined   map[string]bool     // tables whose rows depend on the one's by an outer join
	inner    []string            // what queries inside the condition read from
	same     []string            // of those, the ones that are the table again
	work     *truth.Work
}

// chooses reports whether a WHERE, and the inner joins beside it, choose rows.
func (c *condition) chooses(w *sqlparser.Where, from []sqlparser.TableExpr) bool {
	c.work = truth.NewWork()
	e := c.where(w, from)
	return !c.work.Spent() && truth.Chooses(e, rules())
}

func rules() truth.Dialect { return truth.Dialect{LooseBool: true, FoldText: true} }

// where is the condition of a WHERE and of the inner joins beside it; nil where
// there is none.
func (c *condition) where(w *sqlparser.Where, from []sqlparser.TableExpr) *truth.Expr {
	c.joined = map[string]bool{}
	for _, s := range everySource(from) {
		if c.again(s.name) && !strings.EqualFold(s.known, c.target) {
			c.twins = append(c.twins, s.known)
		}
	}
	var all []*truth.Expr
	for _, t := range from {
		c.queries(t)
		all = append(all, c.joins(t)...)
	}
	if w != nil {
		all = append(all, c.expr(w.Expr))
	}
	if len(all) == 0 {
		return nil
	}
	return truth.Make(truth.And, all...)
}

// queries notes the queries of an item of a FROM list that are of all rows of the
// table: a row of theirs may be the row itself.
func (c *condition) queries(t sqlparser.TableExpr) {
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		a, ok := n.(*sqlparser.AliasedTableExpr)
		if !ok {
			return true, nil
		}
		unclear := truth.True()
		if d, ok := a.Expr.(*sqlparser.DerivedTable); ok && c.blanket(d.Select, unclear) != unclear {
			c.twins = append(c.twins, a.As.String())
		}
		return false, nil
	}, t)
}

// joins are the conditions of the inner joins of an item of a FROM list.
func (c *condition) joins(t sqlparser.TableExpr) []*truth.Expr {
	switch x := t.(type) {
	case *sqlparser.ParenTableExpr:
		var all []*truth.Expr
		for _, e := range x.Exprs {
			all = append(all, c.joins(e)...)
		}
		return all
	case *sqlparser.JoinTableExpr:
		return c.join(x)
	default:
		return nil
	}
}

func (c *condition) join(x *sqlparser.JoinTableExpr) []*truth.Expr {
	switch x.Join {
	case sqlparser.LeftJoinType, sqlparser.NaturalLeftJoinType:
		c.depend(x.RightExpr)
		return c.joins(x.LeftExpr)
	case sqlparser.RightJoinType, sqlparser.NaturalRightJoinType:
		c.depend(x.LeftExpr)
		return c.joins(x.RightExpr)
	default:
	}
	all := append(c.joins(x.LeftExpr), c.joins(x.RightExpr)...)
	if x.Join == sqlparser.NaturalJoinType {
		if c.meets(x) {
			all = append(all, truth.Written("natural", true))
		}
		return all
	}
	if x.Condition == nil {
		return all
	}
	if x.Condition.On != nil {
		all = append(all, c.expr(x.Condition.On))
	}
	if c.meets(x) {
		for _, name := range x.Condition.Using {
			all = append(all, truth.Make(truth.Equal, column("", name.Lowered(), true), column("using", name.Lowered(), false)))
		}
	}
	return all
}

// meets reports whether a join by common columns is one of the table with others.
func (c *condition) meets(x *sqlparser.JoinTableExpr) bool {
	if c.everyRow {
		return true
	}
	target := false
	for _, s := range sources(x) {
		if has(c.twins, s.known) {
			return false
		}
		target = target || strings.EqualFold(s.known, c.target)
	}
	return target
}

// depend says that a table's row is found by the one's: no row of it is one as
// well.
func (c *condition) depend(t sqlparser.TableExpr) {
	for _, s := range sources(t) {
		if !strings.EqualFold(s.known, c.target) {
			c.joined[strings.ToLower(s.known)] = true
		}
	}
}

func column(table, name string, own bool) *truth.Expr {
	if table != "" {
		name = strings.ToLower(table) + "." + name
	}
	return &truth.Expr{Op: truth.Column, Name: name, Own: own, Never: own && table == "" && truth.NeverNull(name)}
}

func (c *condition) exprs(list []sqlparser.Expr) []*truth.Expr {
	out := make([]*truth.Expr, 0, len(list))
	for _, e := range list {
		out = append(out, c.expr(e))
	}
	return out
}

func (c *condition) expr(e sqlparser.Expr) *truth.Expr {
	if !c.work.Spend() {
		return &truth.Expr{}
	}
	switch x := e.(type) {
	case nil:
		return &truth.Expr{}
	case *sqlparser.Literal:
		return constant(x)
	case *sqlparser.NullVal:
		return &truth.Expr{}
	case sqlparser.BoolVal:
		return truth.Num(map[bool]float64{true: 1}[bool(x)])
	case *sqlparser.Argument:
		return &truth.Expr{Op: truth.Unknown, Name: "?" + x.Name}
	case *sqlparser.Variable:
		return &truth.Expr{Op: truth.Unknown, Name: "@" + x.Name.Lowered()}
	case *sqlparser.ColName:
		return c.column(x)
	case *sqlparser.AndExpr:
		return truth.Make(truth.And, c.expr(x.Left), c.expr(x.Right))
	case *sqlparser.OrExpr:
		return truth.Make(truth.Or, c.expr(x.Left), c.expr(x.Right))
	case *sqlparser.XorExpr:
		return truth.Make(truth.Xor, c.expr(x.Left), c.expr(x.Right))
	case *sqlparser.NotExpr:
		return truth.Make(truth.Not, c.expr(x.Expr))
	case *sqlparser.ComparisonExpr:
		return c.comparison(x)
	case *sqlparser.BetweenExpr:
		v := c.expr(x.Left)
		e := truth.Make(truth.And, truth.Make(truth.AtLeast, v, c.expr(x.From)), truth.Make(truth.AtMost, v, c.expr(x.To)))
		return negatedIf(!x.IsBetween, e)
	case *sqlparser.IsExpr:
		return c.is(x)
	case *sqlparser.BinaryExpr:
		return c.binary(x)
	case *sqlparser.UnaryExpr:
		return c.unary(x)
	default:
		return c.wrapped(e)
	}
}

// wrapped is a call, a query, or an expression whose value is that of the one in
// it.
func (c *condition) wrapped(e sqlparser.Expr) *truth.Expr {
	switch x := e.(type) {
	case *sqlparser.CaseExpr:
		return c.choice(x)
	case *sqlparser.FuncExpr:
		return c.call(x)
	case *sqlparser.LocateExpr:
		if x.Pos == nil {
			return truth.Make(truth.Find, c.expr(x.Str), c.expr(x.SubStr))
		}
		return c.once(e)
	case *sqlparser.CollateExpr:
		return c.expr(x.Expr)
	case *sqlparser.IntroducerExpr:
		return c.expr(x.Expr)
	case *sqlparser.CastExpr:
		return c.expr(x.Expr)
	case *sqlparser.ConvertExpr:
		return c.expr(x.Expr)
	case *sqlparser.ConvertUsingExpr:
		return c.expr(x.Expr)
	case *sqlparser.ExistsExpr:
		return c.exists(x.Subquery.Select, nil)
	case *sqlparser.Subquery:
		return c.value(x)
	case sqlparser.ValTuple:
		return truth.Any("row", c.exprs(x)...)
	default:
		return c.special(e)
	}
}

// once is a value of which nothing is known but how it is written, and whether
// the row has a part in it.
func (c *condition) once(nodes ...sqlparser.SQLNode) *truth.Expr {
	own := false
	var text strings.Builder
	for _, n := range nodes {
		own = own || c.mentions(n)
		text.WriteString(sqlparser.String(n))
		text.WriteByte(0)
	}
	c.work.Take(text.Len() / 16)
	return truth.Written(text.String(), own)
}

func negatedIf(not bool, e *truth.Expr) *truth.Expr {
	if not {
		return truth.Make(truth.Not, e)
	}
	return e
}

func constant(x *sqlparser.Literal) *truth.Expr {
	switch x.Type {
	case sqlparser.StrVal:
		return truth.Str(x.Val)
	case sqlparser.IntVal, sqlparser.DecimalVal, sqlparser.FloatVal:
		if n, err := strconv.ParseFloat(x.Val, 64); err == nil {
			return truth.Num(n)
		}
	case sqlparser.HexNum:
		if n, err := strconv.ParseUint(x.Val, 0, 64); err == nil {
			return truth.Num(float64(n))
		}
	default:
	}
	return &truth.Expr{Value: truth.Value{Kind: truth.Undecided}}
}

// column tells the table's columns from all others. One without a table is taken
// for the one's, but in a query inside that reads from somewhere.
func (c *condition) column(x *sqlparser.ColName) *truth.Expr {
	name, table := x.Name.Lowered(), x.Qualifier.Name.String()
	if table == "" {
		return column("", name, c.everyRow || len(c.inner) == len(c.same))
	}
	switch {
	case has(c.same, table):
		return column("", name, true)
	case has(c.inner, table):
		return column(table, name, false)
	case c.everyRow, strings.EqualFold(table, c.target), has(c.twins, table):
		return column("", name, true)
	}
	return column(table, name, c.joined[strings.ToLower(table)])
}

func has(list []string, name string) bool {
	for _, s := range list {
		if strings.EqualFold(s, name) {
			return true
		}
	}
	return false
}

func (c *condition) is(x *sqlparser.IsExpr) *truth.Expr {
	arg := c.expr(x.Left)
	switch x.Right {
	case sqlparser.IsNullOp:
		return truth.Make(truth.IsNull, arg)
	case sqlparser.IsNotNullOp:
		return truth.Make(truth.Not, truth.Make(truth.IsNull, arg))
	case sqlparser.IsTrueOp:
		return truth.Make(truth.IsTrue, arg)
	case sqlparser.IsNotTrueOp:
		return truth.Make(truth.Not, truth.Make(truth.IsTrue, arg))
	case sqlparser.IsFalseOp:
		return truth.Make(truth.IsFalse, arg)
	default:
		return truth.Make(truth.Not, truth.Make(truth.IsFalse, arg))
	}
}

func (c *condition) choice(x *sqlparser.CaseExpr) *truth.Expr {
	var args []*truth.Expr
	for _, w := range x.Whens {
		test := c.expr(w.Cond)
		if x.Expr != nil {
			test = truth.Make(truth.Equal, c.expr(x.Expr), test)
		}
		args = append(args, test, c.expr(w.Val))
	}
	if x.Else != nil {
		args = append(args, c.expr(x.Else))
	}
	return truth.Make(truth.Case, args...)
}

func (c *condition) call(x *sqlparser.FuncExpr) *truth.Expr {
	args := c.exprs(x.Exprs)
	name := x.Name.Lowered()
	switch {
	case !x.Qualifier.IsEmpty():
		name = x.Qualifier.String() + "." + name
	case name == "if" && len(args) == 3:
		return truth.Make(truth.Case, args...)
	case name == "ifnull" && len(args) == 2, name == "coalesce" && len(args) > 0:
		return truth.Make(truth.Coalesce, args...)
	case name == "nullif" && len(args) == 2:
		return truth.Make(truth.NullIf, args...)
	case name == "isnull" && len(args) == 1:
		return truth.Make(truth.IsNull, args...)
	case name == "greatest" && len(args) > 0:
		return truth.Make(truth.Greatest, args...)
	case name == "least" && len(args) > 0:
		return truth.Make(truth.Least, args...)
	case name == "instr" && len(args) == 2:
		return truth.Make(truth.Find, args...)
	case name == "concat" && len(args) > 0:
		e := args[0]
		for _, a := range append(args[1:], truth.Str("")) {
			e = truth.Make(truth.Concat, e, a)
		}
		return e
	case len(args) == 1:
		if op, ok := computed(name); ok {
			return truth.Make(op, args...)
		}
	}
	return truth.Function(name, args...)
}

// computed are the functions of one value whose result is computed.
func computed(name string) (truth.Op, bool) {
	switch name {
	case "abs":
		return truth.Abs, true
	case "lower", "lcase":
		return truth.Lower, true
	case "upper", "ucase":
		return truth.Upper, true
	case "length", "char_length", "character_length", "octet_length":
		return truth.Length, true
	default:
		return 0, false
	}
}
