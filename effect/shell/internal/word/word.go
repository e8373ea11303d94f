// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package word

import "strings"

// Holes are bytes that stand for text which is not known. No argument can hold
// a NUL; whoever makes words from text keeps the other two out.
const (
	Any    = '\x00' // anything at all: what a command printed, a file held, a branch chose
	Env    = '\x01' // a variable or parameter that the text at hand never set
	Number = '\x02' // digits and dashes, perhaps none
)

const (
	holes     = "\x00\x01\x02"
	openHoles = "\x00\x01"
	active    = "*?["
	escaped   = active + `]\`
)

// Word is one argument, or where Many is set any number of them.
type Word struct {
	Text string
	Glob bool // Text is a pattern: active *?[ pick existing names, a backslash takes the next byte as it is
	Many bool
}

// Lit returns a word that is known.
func Lit(s string) Word { return Word{Text: s} }

// Unknown returns a word of which nothing is known, not even that it is one.
func Unknown() Word { return Word{Text: string(rune(Any)), Many: true} }

// Static returns the text, and whether that is all there is to know.
func (w Word) Static() (string, bool) {
	if w.Glob || w.Many || strings.ContainsAny(w.Text, holes) {
		return "", false
	}
	return w.Text, true
}

// Open reports whether the word holds text that could be anything.
func (w Word) Open() bool { return w.Many && !w.Glob || strings.ContainsAny(w.Text, openHoles) }

// Digits reports whether there is nothing in the word but digits that are not
// known, perhaps none, so that it may be empty.
func (w Word) Digits() bool { return strings.Trim(w.Text, string(rune(Number))) == "" }

// FromData reports whether the word holds text that data decides: the output
// of a command, a line that was read.
func (w Word) FromData() bool { return strings.IndexByte(w.Text, Any) >= 0 }

// Prefix returns the text up to the first byte that is not known.
func (w Word) Prefix() string {
	if !w.Glob {
		if i := strings.IndexAny(w.Text, holes); i >= 0 {
			return w.Text[:i]
		}
		return w.Text
	}
	var b strings.Builder
	for i := 0; i < len(w.Text); i++ {
		c := w.Text[i]
		switch {
		case c == '\\' && i+1 < len(w.Text):
			i++
			b.WriteByte(w.Text[i])
		case strings.IndexByte(active+holes, c) >= 0:
			return b.String()
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Cut returns the word without the first n bytes of its [Word.Prefix].
func (w Word) Cut(n int) Word {
	if !w.Glob {
		w.Text = w.Text[n:]
		return w
	}
	i := 0
	for ; n > 0; n-- {
		if w.Text[i] == '\\' && i+1 < len(w.Text) {
			i++
		}
		i++
	}
	w.Text = w.Text[i:]
	return w
}

// Loose says how a word could turn out to be an option: [Loose] when its first
// byte is not known, [LooseGlob] when existing names decide.
func (w Word) Loose() Looseness {
	switch {
	case w.Text == "" && !w.Many:
		return Firm
	case w.Text == "":
		return Loose
	case w.Text[0] == Any || w.Text[0] == Env:
		return Loose
	case w.Glob && strings.IndexByte(active, w.Text[0]) >= 0:
		return LooseGlob
	}
	return Firm
}

// Looseness is the answer of [Word.Loose].
type Looseness int

// Answers.
const (
	Firm Looseness = iota
	LooseGlob
	Loose
)

// Show returns the word for an argument list: a NUL for what is not known.
func (w Word) Show() string {
	switch {
	case w.Many && (!w.Glob || w.Open()):
		return "\x00" // it may be split anywhere
	case !w.Glob && !strings.ContainsAny(w.Text, holes):
		return w.Text
	}
	out := make([]byte, 0, len(w.Text))
	for i := 0; i < len(w.Text); i++ {
		c := w.Text[i]
		switch {
		case w.Glob && c == '\\' && i+1 < len(w.Text):
			i++
			out = append(out, w.Text[i])
		case strings.IndexByte(holes, c) >= 0, w.Glob && (c == '*' || c == '?'):
			out = append(out, 0)
		case w.Glob && c == '[':
			out = append(out, 0)
			i += bracketLen(w.Text[i:]) - 1
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// bracketLen returns the length of the bracket expression that s starts with,
// or 1 where none ends.
func bracketLen(s string) int {
	i := 1
	if i < len(s) && (s[i] == '!' || s[i] == '^') {
		i++
	}
	if i < len(s) && s[i] == ']' {
		i++
	}
	for ; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case ']':
			return i + 1
		case '/':
			return 1
		}
	}
	return 1
}

// Builder puts a word together. The zero value is ready.
type Builder struct {
	text    []byte
	glob    bool
	started bool
}

// Started reports whether anything was added, be it an empty quotation.
func (b *Builder) Started() bool { return b.started }

// Text adds text that means itself.
func (b *Builder) Text(s string) {
	b.started = true
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c <= Number {
			// Text may spell the bytes that stand for holes, as $'\1': not knowing it is enough.
			c = Any
		}
		b.put(c)
	}
}

func (b *Builder) put(c byte) {
	if b.glob && strings.IndexByte(escaped, c) >= 0 {
		b.text = append(b.text, '\\')
	}
	b.text = append(b.text, c)
}

// Hole adds text that is not known.
func (b *Builder) Hole(kind byte) {
	b.started = true
	b.text = append(b.text, kind)
}

// Active adds a byte of a pattern that was not quoted.
func (b *Builder) Active(c byte) {
	b.started = true
	b.toGlob()
	b.text = append(b.text, c)
}

func (b *Builder) toGlob() {
	if b.glob {
		return
	}
	text := b.text
	b.text, b.glob = nil, true
	for _, c := range text {
		b.put(c)
	}
}

// Word adds another word's text.
func (b *Builder) Word(w Word) {
	b.started = true
	if w.Glob {
		b.toGlob()
		b.text = append(b.text, w.Text...)
		return
	}
	for i := 0; i < len(w.Text); i++ {
		b.put(w.Text[i])
	}
}

// Done returns the word and makes the builder ready for the next.
func (b *Builder) Done() Word {
	w := Word{Text: string(b.text), Glob: b.glob}
	*b = Builder{text: b.text[:0]}
	if w.Glob && !picks(w.Text) {
		w.Text, w.Glob = unescape(w.Text), false
	}
	return w
}

// picks reports whether a pattern has an active part: a lone bracket is text.
func picks(pattern string) bool {
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '*', '?':
			return true
		case '[':
			if bracketLen(pattern[i:]) > 1 || strings.ContainsAny(pattern[i:], holes) {
				return true
			}
		}
	}
	return false
}

func unescape(pattern string) string {
	if strings.IndexByte(pattern, '\\') < 0 {
		return pattern
	}
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' && i+1 < len(pattern) {
			i++
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}
