// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// maxName is how long the name of a call may be.
const maxName = 200

// Call is a function whose value nobody knows: the same arguments give the same
// value, and others may as well. What depends on the row by such a value is not
// said to choose.
func Call(name string, args ...*Expr) *Expr {
	e := Any(name, args...)
	if e.Own {
		e.Guess = Vague
	}
	return e
}

// Any is a function which may have any value, if its arguments may.
func Any(name string, args ...*Expr) *Expr {
	e := &Expr{Op: Unknown, Args: nil}
	var b strings.Builder
	b.WriteString(name)
	b.WriteByte('(')
	for _, a := range args {
		a.key(&b)
		b.WriteByte(',')
		e.Own = e.Own || a.Depends()
	}
	name = b.String()
	if len(name) > maxName {
		// Names of calls in calls would grow without end. Nobody can make two
		// calls with one sum, so as to make them pass for equal.
		sum := sha256.Sum256([]byte(name))
		name = hex.EncodeToString(sum[:])
	}
	e.Name = name
	return e
}

// Written is a value that is known by how it is written alone. Own says that it
// depends on the row.
func Written(text string, own bool) *Expr {
	e := Any("#", Str(text))
	e.Own = own
	return e
}

// Doubtful is a value of which not even that is known: it may be one for all rows.
func Doubtful(text string, own bool) *Expr {
	e := Written(text, own)
	if own {
		e.Guess = Vague
	}
	return e
}

// key writes what tells the expression from others.
func (e *Expr) key(b *strings.Builder) {
	b.WriteByte('0' + byte(e.Op))
	switch e.Op {
	case Column, Unknown:
		writeText(b, e.Name)
	case Literal:
		b.WriteByte('0' + byte(e.Value.Kind))
		b.WriteString(strconv.FormatFloat(e.Value.Num, 'g', -1, 64))
		b.WriteString(strconv.FormatBool(e.Value.Bool))
		writeText(b, e.Value.Text)
	default:
	}
	b.WriteByte('(')
	for _, a := range e.Args {
		a.key(b)
		b.WriteByte(',')
	}
	b.WriteByte(')')
}

// writeText writes a text so that it cannot pass for what follows it.
func writeText(b *strings.Builder, s string) {
	b.WriteString(strconv.Itoa(len(s)))
	b.WriteByte(':')
	b.WriteString(s)
}
