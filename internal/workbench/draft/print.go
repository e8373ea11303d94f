// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// wide is how long a line of the file may get before a value is written on
// several, in bytes.
const wide = 100

// YAML prints the file.
func (f *File) YAML() []byte {
	p := &printer{}
	p.comments(0, f.Comments)
	p.line(0, "policy: "+scalar(f.Policy))
	p.line(0, "version: "+scalar(f.Version))
	p.line(0, "default: "+f.Default.String())
	if f.Default == toolverdict.Allow {
		p.line(0, "unsafeDefaultAllow: true")
	}
	p.line(0, "rules:")
	for i := range f.Rules {
		if i > 0 {
			p.line(0, "")
		}
		p.rule(&f.Rules[i])
	}
	if len(f.Left) > 0 {
		p.line(0, "")
		p.comments(0, f.Left)
	}
	return []byte(p.b.String())
}

type printer struct{ b strings.Builder }

func (p *printer) line(depth int, text string) {
	if text != "" {
		p.b.WriteString(strings.Repeat("  ", depth))
	}
	p.b.WriteString(text)
	p.b.WriteByte('\n')
}

// comments writes each text on lines of its own. Nothing in a text can end its
// comment.
func (p *printer) comments(depth int, texts []string) {
	for _, text := range texts {
		p.line(depth, strings.TrimRight("# "+plain.Mark(text), " "))
	}
}

func (p *printer) rule(r *Rule) {
	p.comments(1, r.Comments)
	p.line(1, "- id: "+scalar(r.ID))
	p.line(2, "verdict: "+r.Verdict.String())
	p.line(2, "reason: "+scalar(r.Reason))
	p.entry(2, "", Entry{"tools", Texts(r.Tools...)})
	for _, c := range []struct {
		key  string
		cond Map
	}{{"when", r.When}, {"unless", r.Unless}} {
		if len(c.cond) > 0 {
			p.entry(2, "", Entry{c.key, c.cond})
		}
	}
	for _, c := range []struct {
		key   string
		calls []Map
	}{{"match", r.Match}, {"noMatch", r.NoMatch}} {
		if len(c.calls) == 0 {
			continue
		}
		p.line(2, c.key+":")
		for _, call := range c.calls {
			p.line(3, "- "+flow(call))
		}
	}
}

// entry writes a member, on one line where it fits. The lead stands before its
// first line.
func (p *printer) entry(depth int, lead string, e Entry) {
	key := lead + name(e.Key) + ":"
	if one := key + " " + flow(e.Value); len(one)+2*depth <= wide || !nests(e.Value) {
		p.line(depth, one)
		return
	}
	inner := depth + 1 + len(lead)/2
	p.line(depth, key)
	switch v := e.Value.(type) {
	case Map:
		for _, m := range v {
			p.entry(inner, "", m)
		}
	case []any:
		for _, item := range v {
			p.item(inner, item)
		}
	}
}

func (p *printer) item(depth int, v any) {
	m, ok := v.(Map)
	if one := "- " + flow(v); !ok || len(m) == 0 || len(one)+2*depth <= wide {
		p.line(depth, one)
		return
	}
	for i, e := range m {
		if i == 0 {
			p.entry(depth, "- ", e)
			continue
		}
		p.entry(depth+1, "", e)
	}
}

// nests reports whether a value can be written on several lines.
func nests(v any) bool {
	switch v := v.(type) {
	case Map:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return false
}

// flow writes a value on one line.
func flow(v any) string {
	switch v := v.(type) {
	case string:
		return scalar(v)
	case bool:
		return fmt.Sprint(v)
	case Number:
		return string(v)
	case Raw:
		return string(v)
	case Map:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = name(e.Key) + ": " + flow(e.Value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = flow(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return `""` // no other kind of value is made
}

// name writes a key.
func name(s string) string {
	if plainKey(s) {
		return s
	}
	return quote(s)
}

// scalar writes a text so that every reader takes it for that text.
func scalar(s string) string {
	if plainScalar(s) {
		return s
	}
	return quote(s)
}

func plainKey(s string) bool {
	return s != "" && isLetter(rune(s[0])) && !special(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return !nameRune(r) && r != '.'
	})
}

func plainScalar(s string) bool {
	return s != "" && (isLetter(rune(s[0])) || s[0] == '/') && s[len(s)-1] != ' ' && len(s) <= 200 && !special(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return !nameRune(r) && !strings.ContainsRune("./ @+*", r)
	}) && !strings.Contains(s, "  ")
}

func plainName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !nameRune(r) })
}

func nameRune(r rune) bool {
	return r == '_' || r == '-' || isLetter(r) || r >= '0' && r <= '9'
}

func isLetter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// special reports whether some reader of YAML takes the word for another type.
func special(s string) bool {
	return slices.Contains([]string{"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"}, strings.ToLower(s))
}

// quote writes a text in double quotes, with everything that is not seen as an
// escape: the policy's reader refuses hidden characters, and a reviewer should
// see them.
func quote(s string) string {
	b := []byte{'"'}
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r < 0x20 || r == 0x7f || r >= 0x80 && (plain.Hidden(r) || !unicode.IsPrint(r)):
			if r > 0xffff {
				b = fmt.Appendf(b, `\U%08x`, r)
				continue
			}
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = append(b, string(r)...)
		}
	}
	return string(append(b, '"'))
}

func quoteJSON(s string) []byte { return canon.AppendString(nil, s) }

// Value returns JSON as a value of a draft.
func Value(v canon.Value) any {
	switch v.Kind() {
	case canon.KindString:
		return v.Text()
	case canon.KindNumber:
		return Number(v.Number().String())
	case canon.KindBool:
		return v.Bool()
	case canon.KindArray:
		out := []any{}
		for _, e := range v.Items() {
			out = append(out, Value(e))
		}
		return out
	case canon.KindObject:
		out := Map{}
		for name, m := range v.Fields() {
			out = append(out, Entry{name, Value(m)})
		}
		return out
	}
	return Raw("null")
}

// Inline writes a condition on one line.
func Inline(m Map) string { return flow(m) }
