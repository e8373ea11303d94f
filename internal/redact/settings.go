// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// settings hides values that a secret name is given in a text: NAME=value,
// name: value, "name": "value", ?name=value&…
func (r *Redactor) settings(s string) string {
	var b strings.Builder
	at := 0
	for i := 0; i < len(s); {
		size := separator(s[i:])
		if size == 0 {
			i++
			continue
		}
		start, end := r.assigned(s, i, i+size, at)
		if end > start {
			b.WriteString(s[at:start])
			b.WriteString(r.mark(kindNamed, s[start:end]))
			at = end
		}
		i = max(i+size, end)
	}
	if at == 0 {
		return s
	}
	b.WriteString(s[at:])
	return b.String()
}

func separator(s string) int {
	switch {
	case s[0] == '=' || s[0] == ':':
		return 1
	case strings.HasPrefix(s, "："):
		return len("：")
	}
	return 0
}

// assigned returns the place of the value around the separator at s[sep:after],
// empty where there is nothing to hide. Text before floor was dealt with.
func (r *Redactor) assigned(s string, sep, after, floor int) (start, end int) {
	name, from := nameBefore(s[:sep])
	if name == "" || from < floor {
		return 0, 0
	}
	query := from > 0 && (s[from-1] == '?' || s[from-1] == '&')
	kind := kindOfName(name)
	if query && kind == ordinary && slices.Contains(queryNames(), strings.Join(splitWords(name), "")) {
		kind = secretName
	}
	if kind == ordinary {
		return 0, 0
	}
	colon := s[sep] != '='
	if colon && strings.HasSuffix(strings.ToLower(name), "cookie") {
		return 0, 0 // cookies has dealt with it
	}
	header := colon && strings.HasSuffix(strings.ToLower(name), "authorization")
	// The beginning of a value decides; only one that is hidden is read to its
	// end, so that a text full of names costs no more than its length.
	v := valueAfter(s[:min(len(s), after+maxHead)], after, query, header)
	if !v.hides(kind, colon, query) {
		return 0, 0
	}
	v = valueAfter(s, after, query, header)
	return v.start, v.end
}

// maxHead is how much of a value is looked at to decide about it, in bytes.
const maxHead = 128

// nameBefore reads the name that text ends with, and where it begins.
func nameBefore(text string) (name string, from int) {
	end := strings.TrimRight(text, " \t")
	end = strings.TrimRight(strings.TrimRight(end, `"'`), `\`)
	from = len(end)
	for from > 0 {
		c, size := utf8.DecodeLastRuneInString(end[:from])
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("_.-", c) || len(end)-from > 80 {
			break
		}
		from -= size
	}
	return end[from:], from
}

// value is what stands after a separator.
type value struct {
	text       string
	start, end int
	quoted     bool
}

func valueAfter(s string, at int, query, header bool) value {
	if !query {
		for at < len(s) && (s[at] == ' ' || s[at] == '\t') {
			at++
		}
	}
	v := value{start: at}
	open := at
	for open < len(s) && s[open] == '\\' {
		open++
	}
	if open < len(s) && (s[open] == '"' || s[open] == '\'' || s[open] == '`') {
		v.quoted, v.start = true, open+1
		v.end = len(s)
		if i := strings.IndexByte(s[v.start:], s[open]); i >= 0 {
			v.end = v.start + len(strings.TrimRight(s[v.start:v.start+i], `\`))
		}
	} else {
		v.end = at
		for v.end < len(s) && !endsValue(s, v.end, query, header) {
			v.end++
		}
	}
	v.text = s[v.start:v.end]
	return v
}

// endsValue reports whether an unquoted value ends at i. An ampersand or comma
// may be a part of one, unless more settings follow it.
func endsValue(s string, i int, query, header bool) bool {
	switch c := s[i]; c {
	case '\r', '\n', '"', '\'', '`', '<', '>':
		return true
	case ' ', '\t':
		return !header
	case ';', '|', ')', '}', ']':
		return true
	case '#':
		return query
	case '&':
		return query || strings.HasPrefix(s[i:], "&&")
	case ',':
		rest := strings.TrimLeft(s[i+1:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-")
		return rest == "" || strings.IndexByte(" =:\n", rest[0]) >= 0
	}
	return false
}

// hides decides whether a value of a secret name is one: not a reference to a
// variable, a call, a word of a sentence, or a plain setting.
func (v value) hides(kind nameKind, colon, query bool) bool {
	t := v.text
	number := strings.Trim(t, "0123456789.") == ""
	switch {
	case len(t) < 4 || marked(t) || reference(t):
		return false
	case kind == secretTextName && number:
		return false
	case slices.Contains([]string{"true", "false", "null", "none", "nil", "undefined"}, strings.ToLower(t)):
		return false
	case query:
		return len(t) >= 6
	case v.quoted:
		return true
	case strings.ContainsAny(t, "(["):
		return false // a call or an index: code
	case strings.HasPrefix(t, "=") || strings.HasPrefix(t, "//"):
		return false // a comparison; a URL's scheme
	case colon:
		return strings.ContainsAny(t, "0123456789!#%+/=_") || len(t) >= 16
	}
	return true
}

// reference reports whether a value only names where the secret is.
func reference(t string) bool {
	return strings.HasPrefix(t, "$") || strings.HasPrefix(t, "{{") || strings.HasPrefix(t, "<") ||
		strings.HasPrefix(t, "%") && strings.HasSuffix(t, "%") || strings.HasPrefix(t, "***") ||
		strings.Contains(t, "environ") || strings.Contains(t, "process.env") || strings.HasPrefix(t, "env:") || strings.HasPrefix(t, "file:")
}
