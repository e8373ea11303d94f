// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package match

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Folder is an absolute POSIX folder that paths are compared with, by their
// text alone: no file system is read, so a symbolic link is not followed.
type Folder struct{ parts []string }

// ParseFolder reads a folder as a policy writes it: absolute and already clean.
func ParseFolder(s string) (Folder, error) {
	if !strings.HasPrefix(s, "/") {
		return Folder{}, fmt.Errorf("the folder is not absolute: start it with /")
	}
	if !plainPath(s) {
		return Folder{}, fmt.Errorf("the folder has characters that programs read differently: write it without .., //, backslashes, percent codes and control characters")
	}
	var f Folder
	for part := range strings.SplitSeq(s, "/") {
		if part == "." {
			return Folder{}, fmt.Errorf("the folder has a part that is only a dot: leave it out")
		}
		if part != "" {
			f.parts = append(f.parts, part)
		}
	}
	return f, nil
}

// Prefix returns the text that every path below the folder starts with when it
// is spelt without detours, for an index.
func (f Folder) Prefix() string { return "/" + strings.Join(f.parts, "/") }

// Holds reports whether the path is the folder or below it. Unknown are: paths
// that are relative or empty; that hold a .. part, a doubled slash at the
// start, a backslash, a percent code, a control, direction or invisible
// character; that differ from the folder only in case; and those of /proc and
// /dev/fd, whose entries lead elsewhere.
func (f Folder) Holds(path string) Truth {
	if !plainPath(path) {
		return Unknown
	}
	matched, folded := 0, false
	rest, mismatch := path[1:], false
	for rest != "" && !mismatch && matched < len(f.parts) {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		if part == "" || part == "." {
			continue
		}
		switch want := f.parts[matched]; {
		case part == want:
		case strings.EqualFold(part, want):
			folded = true
		default:
			mismatch = true
		}
		matched++
	}
	switch {
	case mismatch || matched < len(f.parts):
		if leadsElsewhere(path) {
			return Unknown
		}
		return False
	case folded:
		return Unknown // the same folder where the file system ignores case
	case leadsElsewhere(path) && !leadsElsewhere(f.Prefix()):
		return Unknown
	}
	return True
}

// leadsElsewhere reports whether the path names a place whose entries stand for
// files that can be anywhere.
func leadsElsewhere(path string) bool {
	parts := [2]string{}
	n := 0
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." {
			continue
		}
		parts[n] = part
		if n++; n == len(parts) {
			break
		}
	}
	return strings.EqualFold(parts[0], "proc") ||
		strings.EqualFold(parts[0], "dev") && (strings.EqualFold(parts[1], "fd") || strings.HasPrefix(strings.ToLower(parts[1]), "std"))
}

// plainPath reports whether all programs agree on what the absolute path names.
func plainPath(s string) bool {
	if s == "" || s[0] != '/' || strings.HasPrefix(s, "//") {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c < 0x20 || c == 0x7f || c == '\\':
			return false
		case c == '%' && i+2 < len(s) && hexDigit(s[i+1]) && hexDigit(s[i+2]):
			return false
		case c == '.' && s[i-1] == '/' && dotDot(s[i:]):
			return false
		case c >= 0x80:
			return plainRunes(s[i:]) && !hasDotDot(s[i:])
		}
	}
	return true
}

// dotDot reports whether s starts with a part that means the parent folder, or
// that some systems take for it (dots and blanks only).
func dotDot(s string) bool {
	part, _, _ := strings.Cut(s, "/")
	return len(part) > 1 && strings.Trim(part, ". ") == ""
}

func hasDotDot(s string) bool {
	for {
		i := strings.Index(s, "/..")
		if i < 0 {
			return false
		}
		if dotDot(s[i+1:]) {
			return true
		}
		s = s[i+1:]
	}
}

// plainRunes checks the rest of a path that leaves ASCII.
func plainRunes(s string) bool {
	for i, r := range s {
		switch {
		case r < 0x20 || r == 0x7f || r == '\\' || r == unicode.ReplacementChar:
			return false
		case r == '%' && i+2 < len(s) && hexDigit(s[i+1]) && hexDigit(s[i+2]):
			return false
		case r >= 0x80 && odd(r):
			return false
		}
	}
	return true
}

// odd reports whether a character is invisible, changes the direction of
// writing, or is a form of an ASCII character that some systems fold to it.
func odd(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) ||
		unicode.Is(unicode.Zs, r) || unicode.Is(unicode.Variation_Selector, r) ||
		r >= 0xff00 && r <= 0xffef || r == 0x2024 || r == 0x2025 || r == 0x2044 || r == 0x2215 || r == 0x29f8
}

func hexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// AppendFolded appends to b what folders are found by: the parts of the path,
// each after a slash, without those that mean nothing, and folded so that paths
// that [Folder.Holds] may take for one are one. It reports whether the path can
// be judged, and whether it leads elsewhere: then it is unknown to most folders.
func AppendFolded(b []byte, path string) (folded []byte, elsewhere, ok bool) {
	if !plainPath(path) {
		return b, false, false
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." {
			continue
		}
		b = append(b, '/')
		for _, r := range part {
			b = utf8.AppendRune(b, foldRune(r))
		}
	}
	return b, leadsElsewhere(path), true
}

// foldRune picks one of the characters that [strings.EqualFold] takes for one.
func foldRune(r rune) rune {
	if r >= utf8.RuneSelf {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		r = least
	}
	if r >= 'A' && r <= 'Z' {
		r += 'a' - 'A'
	}
	return r
}
