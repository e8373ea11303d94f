// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package email

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Sizes of RFC 5321, section 4.5.3.1, and of the DNS.
const (
	maxLocal  = 64
	maxDomain = 253
	maxLabel  = 63
)

// usual is the fast way for an address in ASCII without anything special.
func usual(s string) (local, domain string, ok bool) {
	at := strings.IndexByte(s, '@')
	if at < 1 || at > maxLocal || !usualLocal(s[:at]) || !plainDomain(s[at+1:]) {
		return "", "", false
	}
	return s[:at], strings.ToLower(s[at+1:]), true
}

// usualLocal reports whether a local part needs no closer look.
func usualLocal(s string) bool {
	if s[0] == '.' || s[0] == '-' || s[0] == '/' || s[len(s)-1] == '.' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !alnum(c) && strings.IndexByte("#$&'*+-/=?^_{}~.", c) < 0 || c == '.' && s[i-1] == '.' {
			return false
		}
	}
	return !strings.Contains(s, "=?")
}

func alnum(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }

// plainDomain reports whether s is a name in ASCII that all read alike.
func plainDomain(s string) bool {
	if s == "" || len(s) > maxDomain {
		return false
	}
	last := ""
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > maxLabel || label[0] == '-' || label[len(label)-1] == '-' ||
			len(label) > 3 && label[2:4] == "--" { // a name in another script, to be checked
			return false
		}
		for i := range len(label) {
			if !alnum(label[i]) && label[i] != '-' {
				return false
			}
		}
		last = label
	}
	return last[0] < '0' || last[0] > '9' // an IP address, to some
}

// address reads local@domain.
func (p *parser) address(s string) {
	p.found++
	if trimmed := strings.Trim(s, " "); trimmed != s {
		p.suspect("blanks inside of brackets")
		s = trimmed
	}
	at := lastAt(s)
	if at < 0 {
		p.suspect("no address: write name@domain")
		return
	}
	local, ok := p.local(s[:at])
	domain, known := p.domain(s[at+1:])
	if ok && known {
		p.effects = append(p.effects, send(p.o, local, domain))
	}
}

// lastAt returns the place of the last @ outside of quotes.
func lastAt(s string) int {
	last := -1
	for {
		at := unquoted(s[last+1:], '@')
		if at < 0 {
			return last
		}
		last += at + 1
	}
}

// local checks the part before the @.
func (p *parser) local(s string) (string, bool) {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		if s = s[1 : len(s)-1]; s == "" || !usualLocal(s) {
			p.suspect("a local part that needs quotes, which libraries drop or keep")
		}
	}
	if s == "" {
		p.suspect("nothing before the @")
		return "", false
	}
	if len(s) > maxLocal {
		p.suspect("a local part that is too long")
	}
	if s[0] == '.' || s[len(s)-1] == '.' || strings.Contains(s, "..") {
		p.suspect("a local part with a dot that stands alone")
	}
	if s[0] == '-' || s[0] == '/' {
		p.suspect("a local part that mail programs take for an option or a file")
	}
	if strings.Contains(s, "=?") {
		p.suspect("an encoded word in the local part")
	}
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("#$&'*+-/=?^_{}~.", r):
		case r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)) && !compatible(r):
		case strings.ContainsRune("!%|`", r):
			p.suspect("a local part that some servers relay on or run")
		default:
			p.suspect("characters that no local part has without quotes")
			return "", false
		}
	}
	return s, true
}

// compatible reports whether a character is another form of an ASCII one, such
// as a full-width letter.
func compatible(r rune) bool {
	return r >= 0xff00 && r <= 0xffef || r >= 0x1d400 && r <= 0x1d7ff || r >= 0x2100 && r <= 0x218f
}

// domain returns the part behind the @ in ASCII and lower case.
func (p *parser) domain(s string) (string, bool) {
	if plainDomain(s) {
		return strings.ToLower(s), true
	}
	if trimmed, dot := strings.CutSuffix(s, "."); dot {
		p.suspect("a domain with a dot at its end")
		s = trimmed
	}
	switch {
	case s == "":
		p.suspect("nothing behind the @")
		return "", false
	case s[0] == '[':
		p.suspect("an IP address in the place of a domain")
		return "", false
	case tooLong(s):
		p.suspect("a domain that is too long")
		return "", false
	case plainDomain(s):
		return strings.ToLower(s), true
	}
	profile := idna.New(idna.MapForLookup(), idna.BidiRule(), idna.CheckJoiners(true), idna.CheckHyphens(true),
		idna.Transitional(false), idna.StrictDomainName(true), idna.VerifyDNSLength(true))
	ascii, err := profile.ToASCII(s)
	if err != nil {
		p.suspect("a domain that is no valid name")
		return "", false
	}
	if last := ascii[strings.LastIndexByte(ascii, '.')+1:]; last[0] >= '0' && last[0] <= '9' {
		p.suspect("a domain that ends in a number")
	}
	// Full-width letters and ideographic full stops are mapped to others, and not
	// by everybody; older and newer libraries make different names of some letters.
	if back, err := profile.ToUnicode(ascii); err != nil || back != lower(s) && ascii != lower(s) || strings.ContainsAny(s, "ßẞς\u200c\u200d") {
		p.suspect("characters in the domain that libraries turn into different names")
	}
	return ascii, true
}

// tooLong reports whether a domain is longer than any. It is asked before the
// domain is turned into ASCII, which costs the square of its longest part and
// never makes it shorter.
func tooLong(s string) bool {
	all, part := 0, 0
	for _, r := range s {
		all++
		part++
		switch r {
		case '.', '\u3002', '\uff0e', '\uff61':
			part = 0
		}
		if all > maxDomain+1 || part > maxLabel {
			return true
		}
	}
	return false
}

// lower folds as IDNA does where no character turns into one of ASCII.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); r < utf8.RuneSelf || l >= utf8.RuneSelf {
			return l
		}
		return r
	}, s)
}
