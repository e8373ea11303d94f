// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package format

import (
	"net/netip"
	"net/url"
	"strings"
)

// isIPv4 takes four decimals without leading zeros, which some programs read as
// octal.
func isIPv4(s string) bool {
	groups := strings.Split(s, ".")
	if len(groups) != 4 {
		return false
	}
	for _, g := range groups {
		if g == "" || len(g) > 3 || !only(g, digits) || leadingZero(g) || len(g) == 3 && g > "255" {
			return false
		}
	}
	return true
}

func isIPv6(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Is6() && addr.Zone() == ""
}

// isHostname takes names of letters, digits and inner hyphens (RFC 1123).
func isHostname(s string) bool {
	s = strings.TrimSuffix(s, ".")
	if len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || !only(label, digits+letters+"-") {
			return false
		}
	}
	return true
}

func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 0 || at > 64 || len(s) > 254 || !isMailbox(s[:at]) {
		return false
	}
	domain := s[at+1:]
	if !strings.HasPrefix(domain, "[") || !strings.HasSuffix(domain, "]") {
		return isHostname(domain)
	}
	address := domain[1 : len(domain)-1]
	if six, found := strings.CutPrefix(address, "IPv6:"); found {
		return isIPv6(six)
	}
	return isIPv4(address)
}

// isMailbox reads what is before the last @.
func isMailbox(s string) bool {
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
		return !strings.ContainsAny(s[1:len(s)-1], `\"`)
	}
	return only(s, digits+letters+".!#$%&'*+-/=?^_`{|}~") && !strings.HasPrefix(s, ".") &&
		!strings.HasSuffix(s, ".") && !strings.Contains(s, "..")
}

// URI reports whether s is an absolute address.
func URI(s string) bool {
	u, ok := address(s)
	return ok && u.IsAbs()
}

// Reference reports whether s is an address, absolute or relative.
func Reference(s string) bool {
	_, ok := address(s)
	return ok && !strings.Contains(s, `\`)
}

// address reads what may be relative. [url.Parse] does not look at what stands
// in brackets, or should.
func address(s string) (*url.URL, bool) {
	u, err := url.Parse(s)
	if err != nil {
		return nil, false
	}
	if host := u.Hostname(); strings.Contains(host, ":") {
		return u, strings.Contains(u.Host, "[") && strings.Contains(u.Host, "]") && isIPv6(host)
	}
	return u, true
}

// isTemplate wants the braces of a path (RFC 6570) to close, and none in another.
func isTemplate(s string) bool {
	u, ok := address(s)
	if !ok {
		return false
	}
	for part := range strings.SplitSeq(u.RawPath, "/") {
		text, err := url.PathUnescape(part)
		if err != nil {
			return false
		}
		open := false
		for _, r := range text {
			if r == '{' && open || r == '}' && !open {
				return false
			}
			open = open != (r == '{' || r == '}')
		}
		if open {
			return false
		}
	}
	return true
}
