// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"slices"
	"strings"
)

// Function is a call of a function of the databases by its name, in lower case: what
// it may be for a row, as far as its arguments let it. All that is not known to
// follow the row may be one and the same for all rows.
func Function(name string, args ...*Expr) *Expr {
	e := Call(name, args...)
	if !e.Own {
		return e
	}
	switch name {
	case "trim", "btrim":
		if len(args) == 1 {
			return Make(Trim, args...)
		}
	case "cardinality", "json_array_length", "jsonb_array_length", "json_length", "bit_length":
		if len(args) == 1 && follows(args[0]) {
			return Make(Greatest, Num(0), Any(name, args...))
		}
	case "json_extract", "json_extract_path_text", "jsonb_extract_path_text", "json_value", "json_contains", "json_unquote":
		if follows(args[0]) {
			return Any(name, args...)
		}
	default:
		e.Guess = guess(name, args)
	}
	return e
}

// guess is what is known of a function's value.
func guess(name string, args []*Expr) Guess {
	var own, others []*Expr
	for _, a := range args {
		if a.Depends() {
			own = append(own, a)
		} else {
			others = append(others, a)
		}
	}
	if !slices.ContainsFunc(own, follows) || len(own) > 2 || len(own) == 2 && alike(own[0], own[1]) {
		return Vague
	}
	switch name {
	case "date_trunc", "date", "to_date", "to_timestamp", "age", "timezone", "year", "unix_timestamp", "datediff",
		"timestampdiff", "timediff", "to_days", "julianday", "datetime", "unixepoch", "from_unixtime", "date_add", "date_sub",
		"adddate", "subdate", "str_to_date", "array_length":
		if !slices.ContainsFunc(others, isNull) {
			return Ordered
		}
	case "floor", "ceil", "ceiling", "round", "trunc", "truncate":
		if len(own) == 1 && !slices.ContainsFunc(others, func(a *Expr) bool { return !within(a, -3, 30) }) {
			return Ordered
		}
	case "extract", "date_part", "strftime", "to_char", "date_format":
		if len(own) == 1 && len(others) == 1 && others[0].Value.Kind == Text {
			return formatted(others[0].Value.Text)
		}
	case "month", "day", "hour", "minute", "second", "dayofweek", "dayofmonth", "dayofyear", "weekday", "quarter", "week",
		"monthname", "dayname", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "crc32", "hashtext", "hex", "to_hex",
		"initcap", "reverse", "ltrim", "rtrim", "soundex":
		if len(args) == 1 {
			return Some
		}
	case "left", "right", "substr", "substring", "mid", "split_part", "substring_index", "replace", "encode", "sha2":
		if len(own) == 1 && !slices.ContainsFunc(others, func(a *Expr) bool { return !plainArgument(a) }) {
			return Some
		}
	}
	return Vague
}

// follows reports whether the value is one for one row and another for another: a
// column, or a call that follows one.
func follows(e *Expr) bool {
	switch e.Op {
	case Column, Unknown:
		return e.Own && e.Guess != Vague
	case Lower, Upper, Trim:
		return follows(e.Args[0])
	default:
		return false
	}
}

func alike(a, b *Expr) bool {
	var x, y strings.Builder
	a.key(&x)
	b.key(&y)
	return x.String() == y.String()
}

func isNull(e *Expr) bool { return e.Op == Literal && e.Value.Kind == Null }

func within(e *Expr, least, most float64) bool {
	return e.Op == Literal && e.Value.Kind == Number && e.Value.Num >= least && e.Value.Num <= most
}

// plainArgument is an argument that leaves something of a text: a few characters,
// from a place near one of its ends; or another text.
func plainArgument(e *Expr) bool {
	const near = 64
	return within(e, 1, near) || within(e, -near, -1) || e.Op == Literal && e.Value.Kind == Text || within(e, 224, 512)
}

// formatted is what is known of a part of a time that a word or a format names.
func formatted(format string) Guess {
	switch strings.ToLower(format) {
	case "year", "epoch", "isoyear", "decade", "century", "millennium", "julian":
		return Ordered
	case "month", "day", "hour", "minute", "second", "dow", "isodow", "doy", "week", "quarter":
		return Some
	}
	switch {
	case strings.ContainsAny(format, `"\\`) || strings.Contains(format, "%%"):
		return Vague
	case strings.HasPrefix(format, "%Y"), strings.HasPrefix(format, "%s"), strings.HasPrefix(format, "YYYY"):
		return Ordered
	case slices.ContainsFunc([]string{"%m", "%d", "%H", "%M", "%w", "%j", "%y", "MM", "DD", "HH", "MI", "YY"}, func(s string) bool { return strings.Contains(format, s) }):
		return Some
	default:
		return Vague
	}
}

// Operator is an operator by its sign that this package does not compute. Of those
// for documents, lists and bits it is known that their value follows the row, but
// where the other side is empty.
func Operator(sign string, a, b *Expr) *Expr {
	switch sign {
	case "->", "->>", "#>", "#>>", "&&", "?", "?|", "?&", "@@", "@>", "<@", "match":
		if !empty(a) && !empty(b) {
			return Any("operator "+sign, a, b)
		}
	case "&", "#":
		if within(a, 1, far) && follows(b) || within(b, 1, far) && follows(a) {
			return Any("operator "+sign, a, b)
		}
	}
	return Call("operator "+sign, a, b)
}

// empty reports whether a value is written as an empty list or document, or is of
// the row and may be.
func empty(e *Expr) bool {
	if e.Op == Literal {
		return e.Value.Kind != Number && strings.Trim(e.Value.Text, " {}[]\n\t") == ""
	}
	return e.Op == Unknown && (e.Guess == Vague || e.Name == Any("array").Name)
}
