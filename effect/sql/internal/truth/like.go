// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"regexp"
	"strings"
)

// like matches a text against a pattern with % and _.
func (r *row) like(v, pattern Value) Value {
	if v.Kind == Null || pattern.Kind == Null {
		return Value{}
	}
	s, ok := asText(v)
	if pattern.Kind != Text || v.Kind == Undecided || pattern.Guess != Known {
		return Value{Kind: Undecided}
	}
	if strings.Trim(pattern.Text, "%") == "" && pattern.Text != "" {
		return truthOf(true)
	}
	// The matching may look at each byte of the text for each of the pattern.
	if !ok || v.Guess != Known || len(s) > maxBytes || len(pattern.Text) > maxBytes || !r.spend((1+len(s))*(1+len(pattern.Text))/bytesPerStep) {
		return Value{Kind: Undecided}
	}
	if wild(s, pattern.Text) {
		return truthOf(true)
	}
	if r.dialect.FoldText || r.dialect.LooseBool {
		if !plain(s) || !plain(pattern.Text) || wild(strings.ToLower(s), strings.ToLower(pattern.Text)) {
			return Value{Kind: Undecided}
		}
	}
	return truthOf(false)
}

// wild is the usual matching of wildcards with one point to come back to.
func wild(s, p string) bool {
	text, pattern := []rune(s), []rune(p)
	i, j, star, mark := 0, 0, -1, 0
	for i < len(text) {
		escaped := j+1 < len(pattern) && pattern[j] == '\\'
		switch {
		case j < len(pattern) && pattern[j] == '%':
			star, mark = j, i
			j++
		case escaped && pattern[j+1] == text[i]:
			i, j = i+1, j+2
		case j < len(pattern) && !escaped && (pattern[j] == '_' || pattern[j] == text[i]):
			i, j = i+1, j+1
		case star >= 0:
			mark++
			i, j = mark, star+1
		default:
			return false
		}
	}
	return strings.Trim(string(pattern[j:]), "%") == ""
}

// example returns a text that the pattern matches.
func example(pattern string) string {
	return strings.NewReplacer(`\%`, "%", `\_`, "_", `\\`, `\`, "%", "", "_", "x").Replace(pattern)
}

// maxPattern is the length up to which a regular expression is looked into.
const maxPattern = 500

// match finds a regular expression in a text. The dialects' expressions are not
// Go's: nothing is said of one that Go may read in another way.
func (r *row) match(v, pattern Value) Value {
	if v.Kind == Null || pattern.Kind == Null {
		return Value{}
	}
	s, ok := asText(v)
	if pattern.Kind != Text || !ok || max(v.Guess, pattern.Guess) != Known || len(pattern.Text) > maxPattern || !r.spend(len(s)+len(pattern.Text)) {
		return Value{Kind: Undecided}
	}
	found, ok := r.finds(pattern.Text, s)
	if r.dialect.FoldText || r.dialect.LooseBool { // whether letters are told apart depends on the collation
		folded, also := r.finds("(?i)"+pattern.Text, s)
		ok = ok && also && found == folded
	}
	if !ok {
		return Value{Kind: Undecided}
	}
	return truthOf(found)
}

// finds reports whether the text has what the pattern describes; not ok where the
// pattern is not read.
func (r *row) finds(pattern, s string) (found, ok bool) {
	expression, known := r.patterns[pattern]
	if !known {
		if inGo, ok := translated(pattern); ok {
			expression, _ = regexp.Compile("(?s)" + inGo) // nil where it is none of Go's
		}
		r.patterns[pattern] = expression
	}
	return expression != nil && expression.MatchString(s), expression != nil
}

// translated writes a regular expression as Go reads it, where the dialects mean
// the same by all of it.
func translated(pattern string) (string, bool) {
	t := translator{rest: pattern}
	if after, ok := strings.CutPrefix(pattern, "(?i)"); ok {
		t.rest = after
		t.out.WriteString("(?i)")
	}
	for t.rest != "" {
		n := 1
		switch c := t.rest[0]; {
		case c == '\\':
			n = t.escape()
		case t.bracket:
			n = t.inBracket(c)
		case c == '[':
			n = t.openBracket()
		case c == '(' && strings.HasPrefix(t.rest, "(?") && !strings.HasPrefix(t.rest, "(?:"), c == '{' && (t.next() < '0' || t.next() > '9'):
			n = 0
		}
		if n == 0 {
			return "", false
		}
		if part := t.rest[:n]; part == `\Z` {
			t.out.WriteString(`\z`)
		} else {
			t.out.WriteString(part)
		}
		t.rest = t.rest[n:]
	}
	return t.out.String(), true
}

// translator goes through a regular expression. Its methods return how much of what
// is left means the same in Go, 0 where nothing is known to.
type translator struct {
	out     strings.Builder
	rest    string
	bracket bool
}

// next is the byte behind the one that is read.
func (t *translator) next() byte {
	if len(t.rest) < 2 {
		return 0
	}
	return t.rest[1]
}

func (t *translator) escape() int {
	next := t.next()
	if next != 0 && strings.IndexByte("AZdDsSwWnrtfv", next) >= 0 || next > ' ' && next < 0x7f && !letterOrDigit(next) {
		return len(`\x`)
	}
	return 0
}

func (t *translator) openBracket() int {
	t.bracket = true
	start := "["
	if t.next() == '^' {
		start = "[^"
	}
	if strings.HasPrefix(t.rest[len(start):], "]") {
		return 0
	}
	return len(start)
}

func (t *translator) inBracket(c byte) int {
	switch {
	case c == ']':
		t.bracket = false
	case c == '[' && t.next() == ':':
		end := strings.Index(t.rest, ":]")
		if end < 0 || t.rest[2] == '<' || t.rest[2] == '>' {
			return 0
		}
		return end + len(":]")
	case c == '[', (c == '&' || c == '-') && t.next() == c:
		return 0 // what stands in it is not the same everywhere
	}
	return 1
}

func letterOrDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// Escaped is a pattern of LIKE with another escape than the backslash, as [Like]
// reads it; not ok where no server reads it.
func Escaped(pattern, escape string) (string, bool) {
	if len([]rune(escape)) > 1 {
		return "", false
	}
	var out strings.Builder
	runes := []rune(pattern)
	for i := 0; i < len(runes); i++ {
		switch {
		case escape != "" && string(runes[i]) == escape:
			i++
			if i == len(runes) {
				return "", false
			}
			out.WriteString(`\` + string(runes[i]))
		case runes[i] == '\\':
			out.WriteString(`\\`)
		default:
			out.WriteRune(runes[i])
		}
	}
	return out.String(), true
}

// Similar is a pattern of SIMILAR TO as a regular expression; not ok where it is not
// read.
func Similar(pattern, escape string) (string, bool) {
	if len([]rune(escape)) > 1 {
		return "", false
	}
	var out strings.Builder
	bracket := false
	runes := []rune(pattern)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case escape != "" && string(r) == escape:
			i++
			if i == len(runes) || runes[i] == '"' {
				return "", false
			}
			out.WriteString(regexp.QuoteMeta(string(runes[i])))
		case r == '\\' || bracket && r == '[':
			return "", false
		case r == '[' || r == ']':
			bracket = r == '['
			out.WriteRune(r)
		case r == '%' && !bracket:
			out.WriteString(".*")
		case r == '_' && !bracket:
			out.WriteByte('.')
		case (r == '.' || r == '^' || r == '$') && !bracket:
			out.WriteString(`\` + string(r))
		default:
			out.WriteRune(r)
		}
	}
	return "^(?:" + out.String() + ")$", true
}
