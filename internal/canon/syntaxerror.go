// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Reason says in one stable machine word why input was refused. The list is
// append-only: records and tests refer to these words.
type Reason string

// The reasons.
const (
	ReasonEmpty         Reason = "empty input"
	ReasonTooLarge      Reason = "too large"
	ReasonTooDeep       Reason = "too deep"
	ReasonByteOrderMark Reason = "byte order mark"
	ReasonInvalidUTF8   Reason = "invalid utf-8"
	ReasonLoneSurrogate Reason = "lone surrogate"
	ReasonControl       Reason = "control character"
	ReasonEscape        Reason = "invalid escape"
	ReasonTruncated     Reason = "unexpected end"
	ReasonUnexpected    Reason = "unexpected character"
	ReasonTrailing      Reason = "trailing data"
	ReasonDuplicateKey  Reason = "duplicate key"
	ReasonFoldedKey     Reason = "folded key"
	ReasonNumber        Reason = "invalid number"
	ReasonNumberLong    Reason = "number too long"
	ReasonInexact       Reason = "inexact number"
	ReasonNegativeZero  Reason = "negative zero"
	ReasonNotObject     Reason = "not an object"
	ReasonNestedString  Reason = "nested string"
)

// Reasons returns every reason in its stable order.
func Reasons() []Reason {
	return []Reason{
		ReasonEmpty, ReasonTooLarge, ReasonTooDeep, ReasonByteOrderMark, ReasonInvalidUTF8,
		ReasonLoneSurrogate, ReasonControl, ReasonEscape, ReasonTruncated, ReasonUnexpected,
		ReasonTrailing, ReasonDuplicateKey, ReasonFoldedKey, ReasonNumber, ReasonNumberLong,
		ReasonInexact, ReasonNegativeZero, ReasonNotObject, ReasonNestedString,
	}
}

// Advice says what the sender should do about the reason. It never depends on
// the input.
func (r Reason) Advice() string {
	switch r {
	case ReasonEmpty:
		return "there is no JSON here: send one JSON value"
	case ReasonTooLarge:
		return "the JSON is larger than the limit: send less, or refer to the data by name"
	case ReasonTooDeep:
		return "arrays and objects are nested deeper than the limit: flatten them"
	case ReasonByteOrderMark:
		return "the JSON starts with a byte order mark: send UTF-8 without one"
	case ReasonInvalidUTF8:
		return "the bytes here are not UTF-8: encode the text as UTF-8"
	case ReasonLoneSurrogate:
		return "half of a surrogate pair is escaped here: escape both halves, or write the character itself"
	case ReasonControl:
		return `a raw control character stands in a string: escape it, as in \n or \u0000`
	case ReasonEscape:
		return `this backslash escape is not JSON: use \" \\ \/ \b \f \n \r \t or \u and four hexadecimal digits`
	case ReasonTruncated:
		return "the JSON stops before it is complete: send all of it"
	case ReasonUnexpected:
		return "this character is not allowed here: send strict JSON (RFC 8259), with double quotes around keys and text"
	case ReasonTrailing:
		return "something follows the JSON value: send exactly one value"
	case ReasonDuplicateKey:
		return "this key is given twice in one object: keep one of them"
	case ReasonFoldedKey:
		return "this key differs from another one only in case, width or invisible characters: keep one of them, spelled as the tool's schema spells it"
	case ReasonNumber:
		return "this is not a JSON number: write digits, without a plus sign, leading zeros or a bare point"
	case ReasonNumberLong:
		return "this number has more than " + strconv.Itoa(MaxDigits) + " digits or an exponent beyond that: send it as a string if the tool takes one"
	case ReasonInexact:
		return "this number changes when it is read as a 64-bit float: round it, or send it as a string if the tool takes one"
	case ReasonNegativeZero:
		return "negative zero is read differently by different programs: write 0"
	case ReasonNotObject:
		return "the arguments must be one JSON object"
	case ReasonNestedString:
		return "the arguments are a string inside a string: encode the object once"
	}
	return "send strict JSON (RFC 8259)"
}

// SyntaxError says why and where input was refused. It holds no value from the
// input; Path holds the names of the keys that lead to the place.
type SyntaxError struct {
	Reason Reason
	Offset int    // bytes before the place
	Line   int    // from 1
	Column int    // from 1, in characters
	Path   string // JSON pointer (RFC 6901) to the value or key, or, where that is very long, to a container of it; "" is the whole input
}

// Error names the place and what to do about it, never a value.
func (e *SyntaxError) Error() string {
	var b strings.Builder
	b.WriteString("parse JSON: line ")
	b.WriteString(strconv.Itoa(e.Line))
	b.WriteString(", column ")
	b.WriteString(strconv.Itoa(e.Column))
	if e.Path != "" {
		b.WriteString(" (")
		b.WriteString(printablePath(e.Path))
		b.WriteByte(')')
	}
	b.WriteString(": ")
	b.WriteString(string(e.Reason))
	b.WriteString(": ")
	b.WriteString(e.Reason.Advice())
	return b.String()
}

// failure is a SyntaxError in the making: the parser adds steps on its way out,
// innermost first, and only the caller pays for position and path.
type failure struct {
	reason Reason
	offset int
	detail string // instead of reason and offset, where there is no text
	steps  []string
}

// under records that f happened below step.
func (f *failure) under(step string) *failure {
	f.steps = append(f.steps, step)
	return f
}

func (f *failure) syntaxError(src string) *SyntaxError {
	e := &SyntaxError{Reason: f.reason, Offset: f.offset, Path: f.path()}
	e.Line, e.Column = position(src, f.offset)
	return e
}

func (f *failure) conversionError() error {
	if path := f.path(); path != "" {
		return errors.New("convert to JSON: " + printablePath(path) + ": " + f.detail)
	}
	return errors.New("convert to JSON: " + f.detail)
}

// maxPath bounds SyntaxError.Path: keys are as hostile and as long as the
// sender likes.
const maxPath = 4096

// path joins the steps, outermost first, as far as maxPath lets it: a pointer
// that is cut leads to a container of the place.
func (f *failure) path() string {
	var b strings.Builder
	for _, step := range slices.Backward(f.steps) {
		if len(step) > maxPath {
			break
		}
		token := pointerToken(step)
		if b.Len()+1+len(token) > maxPath {
			break
		}
		b.WriteByte('/')
		b.WriteString(token)
	}
	return b.String()
}

// maxPrintedPath bounds how much of a hostile path a message repeats.
const maxPrintedPath = 200

// printablePath keeps control, bidirectional and invisible characters of a
// hostile key out of terminals and logs.
func printablePath(path string) string {
	cut := ""
	if len(path) > maxPrintedPath {
		path, cut = path[:maxPrintedPath], "..."
	}
	for i := range len(path) {
		if c := path[i]; c < 0x20 || c >= 0x7f {
			q := strconv.QuoteToASCII(path)
			return q[1:len(q)-1] + cut
		}
	}
	return path + cut
}

// position counts lines and characters up to offset.
func position(src string, offset int) (line, column int) {
	before := src[:min(offset, len(src))]
	line = 1 + strings.Count(before, "\n")
	return line, 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
}

// pointerToken escapes a key for a JSON pointer.
func pointerToken(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}
