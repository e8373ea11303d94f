// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"strconv"
	"strings"
)

// Call is a function whose value this package does not compute: the same
// arguments give the same value.
func Call(name string, args ...*Expr) *Expr {
	e := &Expr{Op: Unknown, Args: nil}
	var b strings.Builder
	b.WriteString(name)
	b.WriteByte('(')
	for _, a := range args {
		a.key(&b)
		b.WriteByte(',')
		e.Own = e.Own || a.Depends()
	}
	e.Name = b.String()
	return e
}

// Once is a value that is equal to no other. Own says that it depends on the
// row, n tells it from others of the condition.
func Once(n int, own bool) *Expr {
	return &Expr{Op: Unknown, Name: "#" + strconv.Itoa(n), Own: own}
}

// key writes what tells the expression from others.
func (e *Expr) key(b *strings.Builder) {
	b.WriteByte('0' + byte(e.Op))
	switch e.Op {
	case Column, Unknown:
		b.WriteString(strconv.Quote(e.Name))
	case Literal:
		b.WriteByte('0' + byte(e.Value.Kind))
		b.WriteString(strconv.FormatFloat(e.Value.Num, 'g', -1, 64))
		b.WriteString(strconv.FormatBool(e.Value.Bool))
		b.WriteString(strconv.Quote(e.Value.Text))
	default:
	}
	b.WriteByte('(')
	for _, a := range e.Args {
		a.key(b)
		b.WriteByte(',')
	}
	b.WriteByte(')')
}
