// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package predicate

import (
	"strconv"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/plain"
	"github.com/toolverdict/toolverdict/policy/internal/match"
)

// longest bounds a value that is shown, in bytes.
const longest = 200

// Show writes a value for a person, as JSON where it is JSON. What is not known
// of it is an ellipsis.
func (v *Value) Show(at time.Time) string {
	switch v.Kind {
	case Absent:
		return "missing"
	case Odd:
		return "out of reach"
	case Null:
		return "null"
	case Boolean:
		return strconv.FormatBool(v.Truth)
	case Number, Array, Object:
		return cut(string(canon.Append(nil, v.JSON)))
	case Whole:
		return strconv.FormatInt(v.N, 10)
	case Moment:
		return v.showMoment(at.In(v.Zone))
	case Texts:
		parts := make([]string, len(v.List))
		for i, s := range v.List {
			parts[i] = quoted(s)
		}
		return cut("[" + strings.Join(parts, ", ") + "]")
	case Path:
		return quoted(v.Text) + " and what it reaches"
	case Opaque:
		return v.Text
	case Text, Word, Name:
	}
	return quoted(v.Text)
}

func (v *Value) showMoment(at time.Time) string {
	switch v.Form {
	case match.Date:
		return at.Format(time.DateOnly)
	case match.Clock:
		return at.Format(time.TimeOnly)
	default:
		return at.Format(time.RFC3339)
	}
}

func quoted(s string) string {
	return string(canon.AppendString(nil, cut(strings.ReplaceAll(s, "\x00", "…"))))
}

func cut(s string) string { return plain.Cut(s, longest) }
