// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolverdict/toolverdict/effect/sql/internal/truth"
)

// condition turns a WHERE into an expression over the rows that would be
// changed.
type condition struct {
	target   string       // the name that the changed relation is known by
	relation *pg.RangeVar // the changed relation
	twins    []string     // other names beside it that may stand for the same row
	everyRow bool         // all relations are as good as the changed one
	inner    []string     // what queries inside the condition read from
	same     []string     // of those, the ones that are the changed relation again
	work     *truth.Work
}

// chooses reports whether a WHERE chooses rows of the relation, beside the items
// of a FROM list: a row of one that is the relation again may be the row itself.
func chooses(r *pg.RangeVar, where *pg.Node, from ...*pg.Node) bool {
	c := condition{target: knownAs(r), relation: r, work: truth.NewWork()}
	for _, n := range from {
		c.twins = append(c.twins, c.namesOf(n)...)
	}
	return c.chooses(where)
}

// conflicting is chooses for a row that another one has met, which has the values
// of its key.
func conflicting(r *pg.RangeVar, where *pg.Node) bool {
	c := condition{target: knownAs(r), relation: r, twins: []string{"excluded"}, work: truth.NewWork()}
	return c.chooses(where)
}

// namesOf are the names that the changed relation has again in an item of a FROM
// list.
func (c *condition) namesOf(n *pg.Node) []string {
	switch x := n.GetNode().(type) {
	case *pg.Node_RangeVar:
		if c.again(x.RangeVar) {
			return []string{knownAs(x.RangeVar)}
		}
	case *pg.Node_RangeSubselect: // a query of all of its rows
		reads := false
		if s := x.RangeSubselect.Subquery; s != nil && !c.narrows(s.ProtoReflect(), &reads) && reads {
			return nonEmpty(x.RangeSubselect.Alias.GetAliasname())
		}
	case *pg.Node_RangeTableSample:
		return c.namesOf(x.RangeTableSample.Relation)
	case *pg.Node_JoinExpr:
		names := append(c.namesOf(x.JoinExpr.Larg), c.namesOf(x.JoinExpr.Rarg)...)
		if alias := x.JoinExpr.Alias.GetAliasname(); alias != "" && len(names) > 0 {
			return []string{alias} // it hides the names in it
		}
		return names
	}
	return nil
}

func (c *condition) chooses(where *pg.Node) bool {
	if where == nil {
		return false
	}
	e := c.expr(where)
	return !c.work.Spent() && truth.Chooses(e, rules())
}

func rules() truth.Dialect { return truth.Dialect{WholeDivision: true} }

func (c *condition) exprs(list []*pg.Node) []*truth.Expr {
	out := make([]*truth.Expr, len(list))
	for i, n := range list {
		out[i] = c.expr(n)
	}
	return out
}

// once is a value of which nothing is known but how it is written, and whether
// the row has a part in it.
func (c *condition) once(n *pg.Node, parts ...*pg.Node) *truth.Expr {
	own := false
	for _, e := range c.exprs(parts) {
		own = own || e.Depends()
	}
	return truth.Written(c.written(n.ProtoReflect()), own)
}

// written is a text that is the same for messages which say the same, wherever
// in the statement they do.
func (c *condition) written(m protoreflect.Message) string {
	var b strings.Builder
	c.write(&b, m)
	return b.String()
}

func (c *condition) write(b *strings.Builder, m protoreflect.Message) {
	if !c.work.Spend() {
		return
	}
	if n, ok := m.Interface().(*pg.Node); ok {
		if in := inside(n); in != nil {
			c.write(b, in)
		}
		return
	}
	b.WriteString(string(m.Descriptor().Name()))
	b.WriteByte('{')
	for i, fields := 0, m.Descriptor().Fields(); i < fields.Len(); i++ {
		field := fields.Get(i)
		if field.Name() == "location" || !m.Has(field) {
			continue
		}
		b.WriteString(string(field.Name()))
		switch {
		case field.IsList():
			for list, j := m.Get(field).List(), 0; j < list.Len(); j++ {
				b.WriteByte(',')
				c.write(b, list.Get(j).Message())
			}
		case field.Kind() == protoreflect.MessageKind:
			c.write(b, m.Get(field).Message())
		default:
			b.WriteString(strconv.Quote(m.Get(field).String()))
		}
	}
	b.WriteByte('}')
}

func (c *condition) expr(n *pg.Node) *truth.Expr {
	if !c.work.Spend() {
		return &truth.Expr{}
	}
	switch x := n.GetNode().(type) {
	case *pg.Node_AConst:
		return constant(x.AConst)
	case *pg.Node_ColumnRef:
		return c.column(x.ColumnRef)
	case *pg.Node_ParamRef:
		return &truth.Expr{Op: truth.Unknown, Name: "$" + strconv.Itoa(int(x.ParamRef.Number))}
	case *pg.Node_BoolExpr:
		return truth.Make(connective(x.BoolExpr.Boolop), c.exprs(x.BoolExpr.Args)...)
	case *pg.Node_AExpr:
		return c.operation(n, x.AExpr)
	case *pg.Node_NullTest:
		return negatedIf(x.NullTest.Nulltesttype == pg.NullTestType_IS_NOT_NULL, truth.Make(truth.IsNull, c.expr(x.NullTest.Arg)))
	case *pg.Node_BooleanTest:
		return c.booleanTest(x.BooleanTest)
	case *pg.Node_TypeCast:
		return c.cast(x.TypeCast)
	case *pg.Node_CollateClause:
		return c.expr(x.CollateClause.Arg)
	case *pg.Node_CoalesceExpr:
		return truth.Make(truth.Coalesce, c.exprs(x.CoalesceExpr.Args)...)
	case *pg.Node_MinMaxExpr:
		return truth.Make(extreme(x.MinMaxExpr.Op), c.exprs(x.MinMaxExpr.Args)...)
	case *pg.Node_CaseExpr:
		return c.choice(x.CaseExpr)
	case *pg.Node_FuncCall:
		return c.call(n, x.FuncCall)
	case *pg.Node_SubLink:
		return c.subquery(n, x.SubLink)
	case *pg.Node_SqlvalueFunction:
		return &truth.Expr{Op: truth.Unknown, Name: x.SqlvalueFunction.Op.String()}
	case *pg.Node_CurrentOfExpr:
		return truth.Written("current of", true) // the row that a cursor stands on
	case *pg.Node_RowExpr:
		return truth.Any("row", c.exprs(x.RowExpr.Args)...)
	case *pg.Node_AArrayExpr:
		return truth.Any("array", c.exprs(x.AArrayExpr.Elements)...)
	case *pg.Node_AIndirection:
		return c.once(n, x.AIndirection.Arg)
	case *pg.Node_List:
		return truth.Any("list", c.exprs(x.List.Items)...)
	default:
		return c.unknown(n)
	}
}

// unknown is an expression of a kind that is not computed.
func (c *condition) unknown(n *pg.Node) *truth.Expr {
	return truth.Doubtful(c.written(n.ProtoReflect()), c.mentions(inside(n)))
}

func negatedIf(not bool, e *truth.Expr) *truth.Expr {
	if not {
		return truth.Make(truth.Not, e)
	}
	return e
}

func connective(op pg.BoolExprType) truth.Op {
	switch op {
	case pg.BoolExprType_AND_EXPR:
		return truth.And
	case pg.BoolExprType_OR_EXPR:
		return truth.Or
	default:
		return truth.Not
	}
}

func extreme(op pg.MinMaxOp) truth.Op {
	if op == pg.MinMaxOp_IS_LEAST {
		return truth.Least
	}
	return truth.Greatest
}

func constant(x *pg.A_Const) *truth.Expr {
	switch v := x.Val.(type) {
	case *pg.A_Const_Ival:
		return truth.Num(float64(v.Ival.Ival))
	case *pg.A_Const_Fval:
		if f, err := strconv.ParseFloat(v.Fval.Fval, 64); err == nil {
			return truth.Num(f)
		}
		return &truth.Expr{Value: truth.Value{Kind: truth.Undecided}}
	case *pg.A_Const_Boolval:
		if v.Boolval.Boolval {
			return truth.True()
		}
		return truth.False()
	case *pg.A_Const_Sval:
		return truth.Str(v.Sval.Sval)
	default:
		if x.Isnull {
			return &truth.Expr{}
		}
		return &truth.Expr{Value: truth.Value{Kind: truth.Undecided}}
	}
}

// column tells the changed row's columns from all others. One without a
// relation is taken for the changed row's, but in a query inside that reads
// from somewhere: there it is taken for that query's.
func (c *condition) column(x *pg.ColumnRef) *truth.Expr {
	parts := texts(x.Fields)
	if len(parts) < len(x.Fields) { // a star: the whole row
		parts = append(parts, "*")
	}
	name := parts[len(parts)-1]
	if len(parts) == 1 {
		own := c.everyRow || len(c.inner) == 0 || slices.Equal(c.inner, c.same)
		return columnOf("", name, own)
	}
	table := parts[len(parts)-2]
	switch {
	case slices.Contains(c.same, table):
		return columnOf(table, name, true)
	case slices.Contains(c.inner, table):
		return columnOf(table, name, false)
	}
	return columnOf(table, name, c.everyRow || table == c.target || slices.Contains(c.twins, table))
}

func columnOf(table, name string, own bool) *truth.Expr {
	if own {
		return &truth.Expr{Op: truth.Column, Name: name, Own: true, Never: truth.NeverNull(name)}
	}
	return &truth.Expr{Op: truth.Column, Name: table + "." + name}
}

func (c *condition) booleanTest(x *pg.BooleanTest) *truth.Expr {
	arg := c.expr(x.Arg)
	switch x.Booltesttype {
	case pg.BoolTestType_IS_TRUE:
		return truth.Make(truth.IsTrue, arg)
	case pg.BoolTestType_IS_NOT_TRUE:
		return truth.Make(truth.Not, truth.Make(truth.IsTrue, arg))
	case pg.BoolTestType_IS_FALSE:
		return truth.Make(truth.IsFalse, arg)
	case pg.BoolTestType_IS_NOT_FALSE:
		return truth.Make(truth.Not, truth.Make(truth.IsFalse, arg))
	case pg.BoolTestType_IS_UNKNOWN:
		return truth.Make(truth.IsNull, arg)
	default:
		return truth.Make(truth.Not, truth.Make(truth.IsNull, arg))
	}
}

// cast is taken not to change a value, but for a text that is written as a
// number.
func (c *condition) cast(x *pg.TypeCast) *truth.Expr {
	e := c.expr(x.Arg)
	if e.Op != truth.Literal {
		return e
	}
	names := texts(x.TypeName.GetNames())
	if len(names) == 0 {
		return truth.Call("cast", e)
	}
	switch names[len(names)-1] {
	case "bool":
		return truth.Make(truth.Not, truth.Make(truth.Not, e))
	case "int2", "int4", "int8", "float4", "float8", "numeric":
		if n, err := strconv.ParseFloat(strings.TrimSpace(e.Value.Text), 64); e.Value.Kind == truth.Text && err == nil {
			return truth.Num(n)
		}
	case "text", "varchar", "date", "timestamp", "timestamptz", "time", "uuid":
		if e.Value.Kind == truth.Text {
			return e
		}
	}
	if e.Value.Kind == truth.Number || e.Value.Kind == truth.Null {
		return e
	}
	return truth.Call("cast", e)
}

func (c *condition) choice(x *pg.CaseExpr) *truth.Expr {
	var args []*truth.Expr
	for _, n := range x.Args {
		when := n.GetCaseWhen()
		test := c.expr(when.GetExpr())
		if x.Arg != nil {
			test = truth.Make(truth.Equal, c.expr(x.Arg), test)
		}
		args = append(args, test, c.expr(when.GetResult()))
	}
	if x.Defresult != nil {
		args = append(args, c.expr(x.Defresult))
	}
	return truth.Make(truth.Case, args...)
}

func (c *condition) call(n *pg.Node, x *pg.FuncCall) *truth.Expr {
	name, _ := functionName(x.Funcname)
	args := c.exprs(x.Args)
	if op, ok := computed(name); ok && len(args) == 1 {
		return truth.Make(op, args...)
	}
	switch {
	case len(args) == 2 && (name == "strpos" || name == "position"):
		return truth.Make(truth.Find, args...)
	case name == "concat" && len(args) > 0 && !x.FuncVariadic: // which leaves out what is null
		e := truth.Str("")
		for _, a := range args {
			e = truth.Make(truth.Concat, e, truth.Make(truth.Coalesce, a, truth.Str("")))
		}
		return e
	case name == "like_escape" && len(args) == 2:
		return escapedLike(args[0], args[1])
	case len(args) == 2 && name == "starts_with":
		return truth.Make(truth.Equal, truth.Make(truth.Find, args...), truth.Num(1))
	}
	if x.Over != nil || x.AggFilter != nil {
		return c.once(n, x.Args...)
	}
	return truth.Function(name, args...)
}

// escapedLike is the pattern of LIKE … ESCAPE.
func escapedLike(pattern, escape *truth.Expr) *truth.Expr {
	if pattern.Value.Kind == truth.Text && escape.Value.Kind == truth.Text {
		if p, ok := truth.Escaped(pattern.Value.Text, escape.Value.Text); ok {
			return truth.Str(p)
		}
	}
	return &truth.Expr{Value: truth.Value{Kind: truth.Undecided}}
}

// computed are the functions whose value is computed.
func computed(name string) (truth.Op, bool) {
	switch name {
	case "abs":
		return truth.Abs, true
	case "lower":
		return truth.Lower, true
	case "upper":
		return truth.Upper, true
	case "length", "char_length", "character_length":
		return truth.Length, true
	default:
		return 0, false
	}
}
