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
	if pattern.Kind != Text || v.Kind == Undecided {
		return Value{Kind: Undecided}
	}
	if strings.Trim(pattern.Text, "%") == "" && pattern.Text != "" {
		return truthOf(true)
	}
	// The matching may look at each byte of the text for each of the pattern.
	if !ok || len(s) > maxBytes || len(pattern.Text) > maxBytes || !r.spend((1+len(s))*(1+len(pattern.Text))/bytesPerStep) {
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
// Go's, but those that match everything are written alike; what Go does not
// read is taken to choose.
func (r *row) match(v, pattern Value) Value {
	if v.Kind == Null || pattern.Kind == Null {
		return Value{}
	}
	s, ok := asText(v)
	if pattern.Kind != Text || !ok {
		return Value{Kind: Undecided}
	}
	if len(pattern.Text) > maxPattern {
		return truthOf(false)
	}
	if !r.spend(len(s) + len(pattern.Text)) {
		return Value{Kind: Undecided}
	}
	expression, known := r.patterns[pattern.Text]
	if !known {
		expression, _ = regexp.Compile("(?s)" + pattern.Text) // nil where it is none of Go's
		r.patterns[pattern.Text] = expression
	}
	return truthOf(expression != nil && expression.MatchString(s))
}
