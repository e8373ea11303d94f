// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package toolname knows what the tools of a catalog are called where a name may
// hold letters, digits, "_" and "-" alone, and 64 of them at most, as every model
// API wants it. A short name is looked up and never taken apart: a server or a
// tool may have the separator in its own name.
package toolname

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Longest is how long a name may be everywhere.
const Longest = 64

// Table holds the short names of one catalog. It is immutable.
type Table struct {
	short map[string]string // by full name
	full  map[string]string // by short name
}

// New makes the short names of these full names. Where two of them would have one
// short name, or where one is too long, a digest of the full name is added; what
// is still not unique has no short name, so that no name ever means another tool.
func New(full []string) Table {
	taken := map[string]int{}
	for _, name := range full {
		taken[plain(name)]++
	}
	made := map[string][]string{}
	for _, name := range full {
		short := plain(name)
		if taken[short] > 1 || len(short) > Longest {
			short = marked(name, short)
		}
		made[short] = append(made[short], name)
	}
	t := Table{short: map[string]string{}, full: map[string]string{}}
	for short, names := range made {
		if len(names) == 1 {
			t.short[names[0]], t.full[short] = short, names[0]
		}
	}
	return t
}

// Short returns what a tool is called, or false where it cannot be called.
func (t Table) Short(full string) (string, bool) {
	s, ok := t.short[full]
	return s, ok
}

// Full returns the tool that a short name means.
func (t Table) Full(short string) (string, bool) {
	f, ok := t.full[short]
	return f, ok
}

func plain(full string) string {
	s := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, strings.Replace(full, "/", "__", 1))
	if s == "" || s[0] == '-' || s[0] >= '0' && s[0] <= '9' {
		s = "_" + s // some want a letter or an underscore first
	}
	return s
}

// marked ends in a digest of the full name.
func marked(full, short string) string {
	sum := sha256.Sum256([]byte(full))
	mark := "_" + hex.EncodeToString(sum[:5])
	return short[:min(len(short), Longest-len(mark))] + mark
}
