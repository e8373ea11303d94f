// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package transcripts

import (
	"bufio"
	"errors"
	"io"
	"time"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// liner reads lines. One that is longer than any is passed over, without keeping it.
type liner struct {
	in   io.Reader
	most int
	r    *bufio.Reader
}

// next returns a line without its end, and whether it is all of it. The error is
// io.EOF after the last one.
func (l *liner) next() (line []byte, whole bool, err error) {
	if l.r == nil {
		l.r = bufio.NewReaderSize(l.in, 64<<10)
	}
	whole = true
	for {
		part, err := l.r.ReadSlice('\n')
		if len(line)+len(part) > l.most {
			whole = false
		}
		if whole {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, whole, err
		}
	}
}

// text is a member that is text, "" where it is none.
func text(v canon.Value, path ...string) string {
	m, ok := v.Lookup(path...)
	if !ok || m.Kind() != canon.KindString {
		return ""
	}
	return m.Text()
}

// is reports whether a member is true.
func is(v canon.Value, path ...string) bool {
	m, ok := v.Lookup(path...)
	return ok && m.Kind() == canon.KindBool && m.Bool()
}

// object is a member as it stands there, nil where it is no object.
func object(v canon.Value, path ...string) []byte {
	m, ok := v.Lookup(path...)
	if !ok || m.Kind() != canon.KindObject {
		return nil
	}
	return m.Raw()
}

// list are the elements of a member, none where it is no list.
func list(v canon.Value, path ...string) []canon.Value {
	m, ok := v.Lookup(path...)
	if !ok || m.Kind() != canon.KindArray {
		return nil
	}
	return m.Elems()
}

// raw is a member as it is written, whatever it is.
func raw(v canon.Value, path ...string) string {
	m, ok := v.Lookup(path...)
	if !ok {
		return ""
	}
	return m.RawText()
}

// moment is a member that is a time, or the zero time.
func moment(v canon.Value, path ...string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text(v, path...))
	if err != nil {
		return time.Time{}
	}
	return t
}

// millis is a member that is a time in milliseconds of Unix, or the zero time.
func millis(v canon.Value, path ...string) time.Time {
	m, ok := v.Lookup(path...)
	if !ok || m.Kind() != canon.KindNumber {
		return time.Time{}
	}
	n, exact := m.Number().Int64()
	if !exact {
		return time.Time{}
	}
	return time.UnixMilli(n)
}
