// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canon

import (
	"strings"
	"unicode"
)

// Fold returns the form under which two keys count as the same to some reader.
func Fold(s string) string {
	if isFolded(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		if r == 0 {
			break
		}
		if ignorable(r) {
			continue
		}
		if r >= 0xff01 && r <= 0xff5e {
			r -= 0xff01 - '!'
		}
		b.WriteRune(unicode.ToLower(unicode.ToUpper(r)))
	}
	return b.String()
}

func isFolded(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f || (c >= 'A' && c <= 'Z') {
			return false
		}
	}
	return true
}

func ignorable(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// NameSet is a set of the names that a schema or a protocol gives its members,
// ready to find names that only look like one. The zero NameSet is empty. It is
// immutable and safe for concurrent use.
type NameSet struct {
	exact  map[string]struct{}
	folded map[string]string
}

// NewNameSet returns the set of names.
func NewNameSet(names []string) NameSet {
	s := NameSet{exact: make(map[string]struct{}, len(names)), folded: make(map[string]string, len(names))}
	for _, name := range names {
		s.exact[name] = struct{}{}
		if _, found := s.folded[Fold(name)]; !found {
			s.folded[Fold(name)] = name
		}
	}
	return s
}

// Clash returns the first member of the object v whose name folds onto one of
// the set without being in the set. It looks at v's own members, not deeper.
// Where v is no object there is none.
func (s NameSet) Clash(v Value) (member, clashesWith string, found bool) {
	if len(s.folded) == 0 {
		return "", "", false
	}
	for name := range v.Fields() {
		if _, known := s.exact[name]; known {
			continue
		}
		if with, clash := s.folded[Fold(name)]; clash {
			return name, with, true
		}
	}
	return "", "", false
}

// FoldClash is [NameSet.Clash] for names used once. Keep a NameSet on the hot
// path.
func FoldClash(v Value, names []string) (member, clashesWith string, found bool) {
	return NewNameSet(names).Clash(v)
}
