// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package url

import (
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

const (
	maxName  = 253  // characters of a name in the DNS, without the final dot
	maxLabel = 63   // of one of its parts
	maxRaw   = 4096 // bytes of a host as it is written, percent codes and all
)

// Bytes of a host in ASCII.
const (
	hostPlain     = iota // read alike by everybody
	hostUpper            // the same, in capitals
	hostOdd              // the standard accepts it, others do not
	hostForbidden        // the standard refuses it
)

func hostClass(c byte) int {
	switch {
	case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '.', c == '_':
		return hostPlain
	case c >= 'A' && c <= 'Z':
		return hostUpper
	case c <= 0x20, c == 0x7f, strings.IndexByte(`#/:<>?@[\]^|%`, c) >= 0:
		return hostForbidden
	}
	return hostOdd
}

// setHost reads the host as the standard's host parser does.
func (t *target) setHost(s string) {
	switch {
	case s == "":
		t.refuse("no host")
		return
	case len(s) > maxRaw:
		t.refuse("a host that is longer than any name")
		return
	case s[0] == '[':
		t.bracketed(s)
		return
	case strings.IndexByte(s, '%') >= 0:
		t.suspect("percent codes in the host, which some parsers decode and others do not")
		s = decode(s)
		if !utf8.ValidString(s) {
			t.refuse("percent codes in the host that are not UTF-8")
			return
		}
	}
	if s = t.toASCII(s); t.fail != "" {
		return
	}
	if endsInNumber(s) {
		t.numeric(s)
		return
	}
	t.name(s)
}

// bracketed reads an IPv6 address.
func (t *target) bracketed(s string) {
	inner, closed := strings.CutSuffix(s[1:], "]")
	if !closed {
		t.refuse("a bracket in the host that is not closed")
		return
	}
	inner, _, zoned := strings.Cut(inner, "%")
	if zoned {
		t.suspect("a zone in the address, which some parsers drop and others refuse")
	}
	ip, err := netip.ParseAddr(inner)
	if err != nil || !ip.Is6() {
		t.refuse("brackets around what is no IPv6 address")
		return
	}
	t.address(ip)
}

func (t *target) address(ip netip.Addr) {
	t.ip = ip.Unmap()
	t.host = t.ip.String()
}

// decode takes percent codes out, once. What is no percent code stays.
func decode(s string) string {
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

// toASCII is the standard's "domain to ASCII", with its check for code points
// that no host may have.
func (t *target) toASCII(s string) string {
	upper, wide := false, false
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			wide = true
			continue
		}
		switch hostClass(s[i]) {
		case hostUpper:
			upper = true
		case hostOdd:
			t.suspect("characters in the host that no name has")
		case hostForbidden:
			t.refuse("characters in the host that no host may have")
			return ""
		}
	}
	if upper {
		s = lower(s)
	}
	if wide || strings.Contains(s, "xn--") {
		return t.international(s, wide)
	}
	return s
}

// lower folds ASCII only: the rest is up to IDNA.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}

// international turns a name in other scripts into ASCII, and checks one that
// is already. Where the rules for writing in two directions or for joiners are
// broken, the name is doubtful and not refused: resolvers take it all the same.
func (t *target) international(s string, wide bool) string {
	if tooLong(s) {
		t.refuse("a host that is longer than any name")
		return ""
	}
	profile := idna.Lookup
	ascii, err := profile.ToASCII(s)
	if err != nil && wide {
		t.suspect("a host that is no valid international name")
		profile = lenient()
		ascii, err = profile.ToASCII(s)
	}
	switch {
	case !wide: // only to be checked
		if err != nil || ascii != s {
			t.suspect("a host that is no valid international name")
		}
		return s
	case err != nil:
		t.refuse("a host that is no valid international name")
		return ""
	}
	for i := range len(ascii) {
		if hostClass(ascii[i]) == hostForbidden {
			t.refuse("characters in the host that stand for some that no host may have")
			return ""
		}
	}
	// Full-width letters, ideographic full stops, soft hyphens: the standard maps
	// them to others or drops them, and not everybody follows.
	if back, err := profile.ToUnicode(ascii); err != nil || back != lowerWide(s) {
		t.suspect("characters in the host that stand for others")
	}
	// IDNA 2003 and 2008 make different names of these.
	if strings.ContainsAny(s, "ßẞς\u200c\u200d") {
		t.suspect("characters in the host that older and newer parsers turn into different names")
	}
	return ascii
}

// tooLong reports whether a name in other scripts is longer than any. It is
// asked before the name is turned into ASCII, which costs the square of its
// longest part and never makes it shorter.
func tooLong(s string) bool {
	all, part := 0, 0
	for _, r := range s {
		all++
		part++
		switch r {
		case '.', '\u3002', '\uff0e', '\uff61':
			part = 0
		}
		if all > maxName+1 || part > maxLabel {
			return true
		}
	}
	return false
}

// lowerWide folds as IDNA does where no character turns into one of ASCII.
func lowerWide(s string) string {
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); l >= utf8.RuneSelf {
			return l
		}
		return r
	}, s)
}

// lenient maps as the standard does and checks less than it.
func lenient() *idna.Profile {
	return idna.New(idna.MapForLookup(), idna.CheckHyphens(false), idna.Transitional(false),
		idna.StrictDomainName(false), idna.VerifyDNSLength(false), idna.CheckJoiners(false))
}

// name checks a name in ASCII and lower case.
func (t *target) name(s string) {
	s = strings.TrimSuffix(s, ".")
	if s == "" {
		t.refuse("no host")
		return
	}
	t.host = s
	if len(s) > maxName {
		t.suspect("a host that is longer than any name")
	}
	start := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] != '.' {
			continue
		}
		switch n := i - start; {
		case n == 0:
			t.suspect("an empty part in the host")
		case n > maxLabel:
			t.suspect("a part of the host that is longer than any name's")
		}
		start = i + 1
	}
}

// endsInNumber reports whether the standard reads the host as an IPv4 address.
func endsInNumber(s string) bool {
	rest := strings.TrimSuffix(s, ".")
	if rest == "" {
		return false
	}
	last := rest[strings.LastIndexByte(rest, '.')+1:]
	if last == "" || last[0] < '0' || last[0] > '9' {
		return false // all numbers start with a digit, 0x too
	}
	digits := true
	for i := range len(last) {
		digits = digits && last[i] >= '0' && last[i] <= '9'
	}
	_, ok := number(last)
	return digits || ok
}

// numeric reads an IPv4 address in any of the spellings that the standard, like
// inet_aton, accepts.
func (t *target) numeric(s string) {
	parts := strings.SplitN(strings.TrimSuffix(s, "."), ".", 5)
	value, ok := uint64(0), len(parts) <= 4
	for i, part := range parts {
		n, isNumber := number(part)
		last := i == len(parts)-1
		if !isNumber || !last && n > 255 || last && n >= 1<<(8*(5-len(parts))) {
			ok = false
		}
		if !ok {
			break
		}
		if last {
			value |= n
			break
		}
		value |= n << (8 * (3 - i))
	}
	if !ok {
		t.refuse("a host that ends in a number and is no IPv4 address")
		return
	}
	t.address(netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}))
	if t.host != s {
		t.suspect("an address in an unusual spelling, which some parsers take for a name")
	}
}

// number reads a part of an IPv4 address: decimal, octal after a 0, hexadecimal
// after 0x. Numbers that no address has are capped, not wrapped.
func number(s string) (uint64, bool) {
	base, digits := byte(10), s
	switch {
	case s == "":
		return 0, false
	case len(s) >= 2 && s[0] == '0' && s[1]|0x20 == 'x':
		base, digits = 16, s[2:]
	case len(s) >= 2 && s[0] == '0':
		base, digits = 8, s[1:]
	}
	n := uint64(0)
	for i := range len(digits) {
		d, ok := unhex(digits[i])
		if !ok || d >= base {
			return 0, false
		}
		n = min(n*uint64(base)+uint64(d), 1<<33)
	}
	return n, true
}
