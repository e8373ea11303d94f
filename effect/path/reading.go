// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// plain reports whether every tool on a POSIX system reads the text alike.
func plain(s string) bool {
	if s == "" || len(s) > MaxBytes || s[0] == '~' || s[0] == ' ' || s[len(s)-1] == ' ' {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c < 0x20 || c >= 0x7f:
			return false
		case c == '\\' || c == '%' || c == '$' || c == '`' || c == '*' || c == '?' || c == ':':
			return false
		}
	}
	return !strings.Contains(s, "..") && !strings.Contains(s, "//")
}

// unreadable says why no reading of the text can be relied on, or "".
func unreadable(s string, o *Options) string {
	switch {
	case s == "":
		return "an empty path, which some tools take for the folder they are in"
	case len(s) > MaxBytes:
		return "a path that is longer than any system opens"
	case !utf8.ValidString(s):
		return "bytes that are not UTF-8"
	case strings.TrimSpace(s) == "":
		return "a path of blanks"
	}
	for i, r := range s {
		if why := oddRune(r, o); why != "" {
			return why
		}
		if r == '$' && !o.Verbatim && variable(s, i) {
			return "a variable that some tools fill in"
		}
	}
	if o.Verbatim {
		return ""
	}
	switch {
	case urlForm(s):
		return "a URL where a path is expected"
	case strings.ContainsRune(s, '`') || strings.Contains(s, "$("):
		return "a command that some tools run"
	case s[0] == '~' && o.Home == "":
		return "a home folder that some tools fill in: write the whole path"
	case o.Windows && strings.Count(s, "%") > 1 && decode(s) == s:
		return "a variable that some tools fill in"
	}
	return ""
}

// oddRune finds characters that hide what a name is.
func oddRune(r rune, o *Options) string {
	switch {
	case unicode.IsControl(r):
		return "control characters"
	case r < utf8.RuneSelf:
		return ""
	case unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) || r >= 0xe0000 && r <= 0xe0fff:
		return "invisible characters, or ones that change the direction of writing"
	}
	if o.Verbatim && !o.Folded && !o.Windows {
		return ""
	}
	if lookAlike(r) {
		return "characters that only look like a separator or a dot, and that some systems take for one"
	}
	return ""
}

// lookAlike finds full-width and mathematical slashes and the like: some systems
// turn them into the real ones.
func lookAlike(r rune) bool {
	if r < 0x2000 || r >= 0x3000 && r < 0xfe00 || r > 0xffff { // none there
		return false
	}
	folded := canon.Fold(string(r))
	return strings.ContainsAny(folded, `/\:~`) || folded == "." || folded == ".." ||
		strings.ContainsRune("\u2044\u2215\u2216\u29f5\u29f8\u29f9", r)
}

// variable reports whether the $ at i starts what some tools expand. File names
// with a $ inside, such as $id.tsx in a folder of routes, are left alone.
func variable(s string, i int) bool {
	rest := s[i+1:]
	if i == 0 || strings.HasPrefix(rest, "{") {
		return true
	}
	n := 0
	for n < len(rest) && (rest[n] >= 'A' && rest[n] <= 'Z' || rest[n] == '_') {
		n++
	}
	return n >= 2 && (n == len(rest) || !letter(rest[n]))
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }

// urlForm reports whether the text is a URL: any scheme with an authority, and
// file: in every form.
func urlForm(s string) bool {
	head, rest, found := strings.Cut(strings.TrimSpace(s), ":")
	if !found || len(head) < 2 {
		return false
	}
	for i := range len(head) {
		if !letter(head[i]) && head[i] != '+' && head[i] != '-' && head[i] != '.' {
			return false
		}
	}
	return strings.HasPrefix(rest, "//") || strings.EqualFold(head, "file")
}

// reading is one way to read the text.
type reading struct {
	text string
	how  string // for people
}

const maxDecodings = 3

// readings lists every way in which tools are known to read a path. why is set
// where there are more than can be listed, or one that cannot be relied on.
func readings(text string, o *Options) (all []reading, why string) {
	all = []reading{{text: text}}
	if o.Verbatim {
		return all, ""
	}
	for decoded := text; ; {
		next := decode(decoded)
		if next == decoded {
			break
		}
		if len(all) > maxDecodings {
			return all, "percent codes within percent codes"
		}
		if why := unreadable(next, o); why != "" {
			return all, "percent codes that stand for what has no place in a path: " + why
		}
		decoded = next
		all = append(all, reading{decoded, "with its percent codes taken out"})
	}
	for _, r := range slices.Clone(all) {
		trimmed := strings.TrimSpace(r.text)
		if trimmed == r.text {
			continue
		}
		if why := unreadable(trimmed, o); why != "" {
			return all, "blanks around a path that has no place in one: " + why
		}
		all = append(all, reading{trimmed, "without the blanks around it"})
	}
	if o.Windows {
		return all, ""
	}
	for _, r := range slices.Clone(all) {
		if strings.Contains(r.text, `\`) {
			all = append(all, reading{strings.ReplaceAll(r.text, `\`, "/"), "with slashes in the place of backslashes"})
		}
	}
	return all, ""
}

// decode takes percent codes out, once.
func decode(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			hi, first := unhex(s[i+1])
			lo, second := unhex(s[i+2])
			if first && second {
				b.WriteByte(hi<<4 | lo)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func unhex(c byte) (digit byte, ok bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return (c | 0x20) - 'a' + 10, true
	}
	return 0, false
}
