// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package format

import (
	"strings"

	"github.com/toolverdict/toolverdict/internal/schema/internal/pattern"
)

// Names are the formats that [For] knows.
func Names() []string {
	return strings.Fields(`json-pointer relative-json-pointer uuid duration period ipv4 ipv6 hostname email date time
		date-time uri uri-reference iri iri-reference uri-template semver regex`)
}

// For returns the check of a format, nil where the name is not known.
func For(name string) func(string) bool {
	switch name {
	case "json-pointer":
		return isPointer
	case "relative-json-pointer":
		return isRelativePointer
	case "uuid":
		return isUUID
	case "duration":
		return isDuration
	case "period":
		return isPeriod
	case "ipv4":
		return isIPv4
	case "ipv6":
		return isIPv6
	case "hostname":
		return isHostname
	case "email":
		return isEmail
	case "date":
		return isDate
	case "time":
		return isTime
	case "date-time":
		return isDateTime
	case "uri", "iri":
		return URI
	case "uri-reference", "iri-reference":
		return Reference
	case "uri-template":
		return isTemplate
	case "semver":
		return isVersion
	case "regex":
		return isPattern
	}
	return nil
}

func isPattern(s string) bool {
	_, err := pattern.Compile(s)
	return err == nil
}

const (
	digits   = "0123456789"
	letters  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	hexRunes = digits + "abcdefABCDEF"
)

// only reports whether s is made of the given characters; "" is.
func only(s, of string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !strings.ContainsRune(of, r) })
}

// isPointer follows RFC 6901: a tilde is written ~0, a slash in a name ~1.
func isPointer(s string) bool {
	if s != "" && s[0] != '/' {
		return false
	}
	for {
		_, after, found := strings.Cut(s, "~")
		if !found {
			return true
		}
		if !strings.HasPrefix(after, "0") && !strings.HasPrefix(after, "1") {
			return false
		}
		s = after
	}
}

func isRelativePointer(s string) bool {
	rest := strings.TrimLeft(s, digits)
	up := s[:len(s)-len(rest)]
	if up == "" || len(up) > 1 && up[0] == '0' {
		return false
	}
	return rest == "#" || isPointer(rest)
}

func isUUID(s string) bool {
	groups := strings.Split(s, "-")
	if len(groups) != 5 {
		return false
	}
	for i, size := range [5]int{8, 4, 4, 4, 12} {
		if len(groups[i]) != size || !only(groups[i], hexRunes) {
			return false
		}
	}
	return true
}

// isVersion follows semver.org 2.0.0.
func isVersion(s string) bool {
	s, build, built := strings.Cut(s, "+")
	if built && !isIdentifiers(build, false) {
		return false
	}
	s, before, pre := strings.Cut(s, "-")
	if pre && !isIdentifiers(before, true) {
		return false
	}
	core := strings.Split(s, ".")
	if len(core) != 3 {
		return false
	}
	for _, n := range core {
		if n == "" || !only(n, digits) || leadingZero(n) {
			return false
		}
	}
	return true
}

// isIdentifiers reads the dotted words of a pre-release or a build. Those of a
// pre-release that are numbers have no leading zero.
func isIdentifiers(s string, ordered bool) bool {
	for word := range strings.SplitSeq(s, ".") {
		if word == "" || !only(word, digits+letters+"-") || ordered && only(word, digits) && leadingZero(word) {
			return false
		}
	}
	return true
}

func leadingZero(s string) bool { return len(s) > 1 && s[0] == '0' }
