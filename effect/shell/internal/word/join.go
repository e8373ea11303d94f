// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package word

import (
	"path"
	"strings"
)

// Join returns the word as seen from a folder.
func Join(dir, w Word) Word {
	if strings.HasPrefix(w.Text, "/") || w.Loose() == Loose {
		return w
	}
	if dir.Many && !dir.Glob {
		return Word{Text: string(rune(Any))}
	}
	var b Builder
	b.Word(dir)
	if w.Text != "" {
		b.Text("/")
		b.Word(w)
	}
	joined := b.Done()
	joined.Many = w.Many
	return joined
}

// Inside returns the name that a file gets when it is put into a folder.
func Inside(folder, file Word) Word {
	s, ok := file.Static()
	if base := path.Base(s); ok && base != "." && base != ".." && base != "/" {
		return Join(folder, Lit(base))
	}
	var b Builder
	b.Word(folder)
	b.Text("/")
	b.Active('*')
	b.Active('*')
	return b.Done()
}

// WithSuffix returns the names that start as the word does.
func WithSuffix(w Word) Word {
	var b Builder
	b.Word(w)
	b.Active('*')
	names := b.Done()
	names.Many = w.Many
	return names
}

// WithExtension returns the name with an extension.
func WithExtension(w Word, ext string) Word {
	var b Builder
	b.Word(w)
	b.Text(ext)
	return b.Done()
}

// WithoutSuffix returns the name that is left without the last extension.
func WithoutSuffix(w Word) Word {
	s, ok := w.Static()
	if !ok {
		return Unknown()
	}
	return Lit(strings.TrimSuffix(s, path.Ext(s)))
}

// Fill puts a word in the place of a mark, and a hole where the mark is part
// of a word.
func Fill(argv []Word, mark string, with Word) []Word {
	out := make([]Word, len(argv))
	for i, w := range argv {
		switch {
		case w.Text == mark && !w.Glob:
			w = with
		case mark != "" && strings.Contains(w.Text, mark):
			w.Text = strings.ReplaceAll(w.Text, mark, string(rune(Any)))
		}
		out[i] = w
	}
	return out
}

// Text joins words to the text that a program hands to a shell.
func Text(words []Word) Word {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if w.Glob || w.Many {
			b.WriteByte(Any)
			continue
		}
		b.WriteString(w.Text)
	}
	return Word{Text: b.String()}
}

// Nearest returns what a pattern for a name at any depth picks in the folder
// where it starts.
func Nearest(t Target) (Target, bool) {
	name := path.Base(t.Pattern)
	if !strings.Contains(t.Pattern, "/**/") || strings.ContainsAny(name[:1], `*?[\`) || strings.HasPrefix(name, ".*") {
		return Target{}, false
	}
	t.Pattern = strings.ReplaceAll(t.Pattern, "/**/", "/")
	if !strings.ContainsAny(t.Pattern, `*?[\`) {
		t = Target{Path: t.Pattern}
	}
	return t, true
}

// KnownHost returns the part of a URL up to its path, where that is all known.
func KnownHost(w Word) string {
	head := w.Prefix()
	scheme, rest, ok := strings.Cut(head, "://")
	if !ok {
		return ""
	}
	at := strings.IndexAny(rest, "/?#")
	if at < 0 || w.Glob {
		return ""
	}
	return scheme + "://" + rest[:at]
}
