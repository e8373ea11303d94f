// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package tomlline finds switches in TOML files. It reads as much of the language as
// plain settings are written in, decides nothing and changes nothing.
package tomlline

import (
	"slices"
	"strconv"
	"strings"
)

// Setting is one line of a TOML file.
type Setting struct {
	Keys  []string
	Value string
	Line  int
}

// Read reads the plain settings of a TOML file, as far as switches go: tables,
// dotted keys, and inline tables of one level. Texts over several lines are passed over.
func Read(text string) []Setting {
	var out []Setting
	var table []string
	until := ""
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if until != "" {
			if strings.Contains(line, until) {
				until = ""
			}
			continue
		}
		if rest, is := strings.CutPrefix(line, "["); is && !strings.HasPrefix(line, "#") {
			table = keysOf(strings.TrimPrefix(rest, "["))
			continue
		}
		keys, rest := key(line)
		if len(keys) == 0 || !strings.HasPrefix(rest, "=") {
			continue
		}
		what := strings.TrimSpace(rest[1:])
		for _, mark := range []string{`"""`, "'''"} {
			if text, long := strings.CutPrefix(what, mark); long && !strings.Contains(text, mark) {
				until = mark
			}
		}
		out = append(out, value(slices.Concat(table, keys), what, i+1)...)
	}
	return out
}

// value is one setting, or those of an inline table.
func value(keys []string, text string, line int) []Setting {
	inside, table := strings.CutPrefix(text, "{")
	if !table {
		if end := strings.IndexAny(text, " \t#,}"); end >= 0 && !strings.HasPrefix(text, `"`) && !strings.HasPrefix(text, "'") {
			text = text[:end]
		}
		return []Setting{{keys, text, line}}
	}
	var out []Setting
	for part := range strings.SplitSeq(inside, ",") {
		more, rest := key(strings.TrimSpace(part))
		if len(more) > 0 && strings.HasPrefix(rest, "=") {
			out = append(out, value(slices.Concat(keys, more), strings.TrimSpace(rest[1:]), line)...)
		}
	}
	return out
}

// keysOf reads the dotted key of a table's head.
func keysOf(head string) []string {
	keys, _ := key(head)
	return keys
}

// key reads a dotted key, and says what stands behind it.
func key(s string) (keys []string, rest string) {
	for {
		s = strings.TrimLeft(s, " \t")
		var one string
		switch {
		case s == "":
			return keys, s
		case s[0] == '\'':
			end := strings.IndexByte(s[1:], '\'')
			if end < 0 {
				return nil, s
			}
			one, s = s[1:1+end], s[end+2:]
		case s[0] == '"':
			quoted, err := strconv.QuotedPrefix(s)
			if err != nil {
				return nil, s
			}
			one, _ = strconv.Unquote(quoted)
			s = s[len(quoted):]
		default:
			end := 0
			for end < len(s) && (s[end] == '_' || s[end] == '-' || s[end] >= '0' && s[end] <= '9' || s[end] >= 'a' && s[end] <= 'z' || s[end] >= 'A' && s[end] <= 'Z') {
				end++
			}
			if end == 0 {
				return nil, s
			}
			one, s = s[:end], s[end:]
		}
		keys = append(keys, one)
		s = strings.TrimLeft(s, " \t")
		if !strings.HasPrefix(s, ".") {
			return keys, s
		}
		s = s[1:]
	}
}
