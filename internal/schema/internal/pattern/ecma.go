// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package pattern

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// errForeign says that a pattern uses what only other dialects have. What they and
// ECMA-262 read differently is not guessed at.
var errForeign = errors.New(`an escape, a flag or a class that ECMA-262 does not have is in the regular expression: write (?i), \A, \z, \Q and [:alpha:] out`)

// translate rewrites a pattern of ECMA-262, which JSON Schema refers to, for RE2, so
// that it means there what it means in its own dialect. All that is not rewritten is
// the same in both, or RE2 refuses it.
func translate(s string) (string, error) {
	t := translator{rest: s}
	for t.rest != "" {
		if err := t.next(); err != nil {
			return "", err
		}
	}
	return t.out.String(), nil
}

// What is space, and what ends a line, to ECMA-262. RE2 knows the ones of ASCII.
const (
	spaces    = `\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	noSpaces  = `\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`
	inLine    = `[^\n\r\x{2028}\x{2029}]`
	all       = `\x{0}-\x{10ffff}`
	maxEscape = 24 // bytes of a code point's escape
)

type translator struct {
	rest string
	out  strings.Builder
}

// take takes so many bytes off the front.
func (t *translator) take(n int) string {
	s := t.rest[:n]
	t.rest = t.rest[n:]
	return s
}

func (t *translator) next() error {
	switch t.rest[0] {
	case '\\':
		a, err := t.escape(false)
		t.out.WriteString(a.alone())
		if err == nil && a.edge != "" {
			return t.once()
		}
		return err
	case '[':
		return t.class()
	case '^', '$':
		t.out.WriteString(t.take(1))
		return t.once()
	case '.':
		t.take(1)
		t.out.WriteString(inLine)
	case '(':
		return t.group()
	case '{':
		t.repeat()
	case '}', ']': // to RE2 too they are themselves, but for the ends of classes
		t.out.WriteString(`\` + t.take(1))
	default:
		t.out.WriteString(t.take(1))
	}
	return nil
}

// once refuses a repetition of what is no character: RE2 would take it for something
// that need not be there.
func (t *translator) once() error {
	if t.rest != "" && (strings.IndexByte("*+?", t.rest[0]) >= 0 || repeated.MatchString(t.rest)) {
		return errForeign
	}
	return nil
}

// group takes the start of a group. A name is no difference to what matches; flags
// are: they would change what follows.
func (t *translator) group() error {
	for _, start := range []string{"(?:", "(?<", "(?P<", "(?=", "(?!"} { // look-around is RE2's to refuse
		if strings.HasPrefix(t.rest, start) {
			t.out.WriteString(t.take(len(start)))
			return nil
		}
	}
	if strings.HasPrefix(t.rest, "(?") {
		return errForeign
	}
	t.out.WriteString(t.take(1))
	return nil
}

// repeated is a repetition as both know it. RE2 takes one whose numbers begin with
// noughts for text.
var repeated = regexp.MustCompile(`^\{0*(\d+)(?:(,)(?:0*(\d+))?)?\}`)

func (t *translator) repeat() {
	m := repeated.FindStringSubmatch(t.rest)
	if m == nil {
		t.out.WriteString(`\` + t.take(1))
		return
	}
	t.take(len(m[0]))
	t.out.WriteString("{" + m[1] + m[2] + m[3] + "}")
}

// atom is a character, or a class that a word stands for: what can be in a class.
type atom struct {
	char rune
	set  string // as it stands in a class of RE2; "" of a character
	edge string // what is no character: \b and \B
}

// alone is an atom outside of a class.
func (a atom) alone() string {
	switch {
	case a.edge != "":
		return a.edge
	case a.set != "":
		return "[" + a.set + "]"
	}
	return a.inClass()
}

// inClass is an atom inside of a class, where no sign of its own means more.
func (a atom) inClass() string {
	if a.set != "" {
		return a.set
	}
	return `\x{` + strconv.FormatInt(int64(a.char), 16) + "}"
}

// class takes a class to its end.
func (t *translator) class() error {
	t.take(1)
	t.out.WriteString("[")
	not := strings.HasPrefix(t.rest, "^")
	if not {
		t.take(1)
	}
	if strings.HasPrefix(t.rest, "]") { // to ECMA-262 the end, to RE2 a member
		t.take(1)
		if !not {
			t.out.WriteString("^")
		}
		t.out.WriteString(all + "]")
		return nil
	}
	if not {
		t.out.WriteString("^")
	}
	for !strings.HasPrefix(t.rest, "]") {
		if err := t.member(); err != nil {
			return err
		}
	}
	t.out.WriteString(t.take(1))
	return nil
}

// member takes a member of a class, or a range. A dash beside a word for a class is
// a dash, and makes no range with what comes after the next.
func (t *translator) member() error {
	first, err := t.atom()
	if err != nil {
		return err
	}
	if len(t.rest) < 2 || t.rest[0] != '-' || t.rest[1] == ']' {
		t.out.WriteString(first.inClass())
		return nil
	}
	t.take(1)
	last, err := t.atom()
	if err != nil {
		return err
	}
	dash := "-"
	if first.set != "" || last.set != "" {
		dash = `\-`
	}
	t.out.WriteString(first.inClass() + dash + last.inClass())
	return nil
}

// posix is a class of a dialect that has them, in a class.
var posix = regexp.MustCompile(`^\[:\^?[a-z]+:\]`)

func (t *translator) atom() (atom, error) {
	switch {
	case t.rest == "":
		return atom{}, errors.New("a class of the regular expression has no end")
	case posix.MatchString(t.rest):
		return atom{}, errForeign
	case t.rest[0] == '\\':
		return t.escape(true)
	}
	r, n := utf8.DecodeRuneInString(t.rest)
	t.take(n)
	return atom{char: r}, nil
}

// escape takes a backslash and what belongs to it.
func (t *translator) escape(inClass bool) (atom, error) {
	if len(t.rest) < 2 {
		return atom{}, errors.New("the regular expression ends in a backslash")
	}
	t.take(1)
	switch c := t.rest[0]; c {
	case 'u', 'x':
		return t.codePoint()
	case 'p', 'P':
		return t.property()
	case 'c':
		if len(t.rest) > 1 && letter(t.rest[1]) {
			return atom{char: rune(t.take(2)[1] & 0x1f)}, nil
		}
		return atom{}, errForeign
	case '0':
		if t.take(1); t.rest != "" && t.rest[0] >= '0' && t.rest[0] <= '9' {
			return atom{}, errForeign // a number of eight's, to some
		}
		return atom{}, nil
	case 'k', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return atom{}, errors.New("look-around and back-references are not supported in regular expressions")
	default:
		return t.word(c, inClass)
	}
}

// word takes an escape of one letter, or of a sign that stands for itself.
func (t *translator) word(c byte, inClass bool) (atom, error) {
	if i := strings.IndexByte("tnvfr", c); i >= 0 {
		t.take(1)
		return atom{char: rune("\t\n\v\f\r"[i])}, nil
	}
	switch {
	case c == 's':
		t.take(1)
		return atom{set: spaces}, nil
	case c == 'S':
		t.take(1)
		return atom{set: noSpaces}, nil
	case strings.IndexByte("dDwW", c) >= 0:
		return atom{set: `\` + t.take(1)}, nil
	case c == 'b' && inClass:
		t.take(1)
		return atom{char: '\b'}, nil
	case (c == 'b' || c == 'B') && !inClass:
		return atom{edge: `\` + t.take(1)}, nil
	case letter(c) || c >= utf8.RuneSelf:
		return atom{}, errForeign
	}
	return atom{char: rune(t.take(1)[0])}, nil
}

// Code points by number, after the backslash.
var (
	twoUnits = regexp.MustCompile(`^u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})`)
	oneUnit  = regexp.MustCompile(`^(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]+)\}|x([0-9a-fA-F]{2}))`)
)

func (t *translator) codePoint() (atom, error) {
	start := t.rest[:min(len(t.rest), maxEscape)]
	if m := twoUnits.FindStringSubmatch(start); m != nil {
		t.take(len(m[0]))
		return atom{char: utf16.DecodeRune(number(m[1]), number(m[2]))}, nil
	}
	m := oneUnit.FindStringSubmatch(start)
	if m == nil {
		return atom{}, errForeign
	}
	char := number(m[1] + m[2] + m[3])
	if char > unicode.MaxRune {
		return atom{}, errForeign
	}
	t.take(len(m[0]))
	return atom{char: char}, nil
}

// number reads hexadecimal digits; one too large for any character is too large.
func number(hex string) rune {
	n, err := strconv.ParseUint(hex, 16, 31)
	if err != nil {
		return unicode.MaxRune + 1
	}
	return rune(n)
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

var property = regexp.MustCompile(`^([pP])\{(?:([A-Za-z_]+)=)?([A-Za-z_]+)\}`)

// property takes a property of characters. RE2 knows scripts by the bare name, too,
// and names by any spelling: neither is ECMA-262's.
func (t *translator) property() (atom, error) {
	m := property.FindStringSubmatch(t.rest)
	if m == nil {
		return atom{}, errForeign
	}
	t.take(len(m[0]))
	name, known := m[3], false
	switch m[2] {
	case "", "gc", "General_Category":
		_, short := unicode.Categories[name]
		_, long := unicode.CategoryAliases[name]
		known = short || long || m[2] == "" && (name == "Any" || name == "ASCII" || name == "Assigned")
	case "sc", "Script":
		_, known = unicode.Scripts[name]
	}
	if !known {
		return atom{}, errors.New("the regular expression names a property of characters that is not supported")
	}
	return atom{set: `\` + m[1] + "{" + name + "}"}, nil
}
