// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package match

import (
	"fmt"
	"net/netip"
	"strings"
)

// Domain is an exact domain, or with a leading "*." all of its subdomains.
type Domain struct {
	name string // lower case
	sub  bool
	ip   netip.Addr // an IP address instead, for hosts only
}

// ParseDomain reads a domain as a policy writes it: "example.com" is that
// domain alone, "*.example.com" every subdomain and not the domain itself.
func ParseDomain(s string) (Domain, error) {
	rest, sub := strings.CutPrefix(s, "*.")
	if !hostname(rest) {
		return Domain{}, fmt.Errorf("this is no plain domain: write it like example.com or *.example.com, other scripts in their xn-- form")
	}
	return Domain{name: lower(rest), sub: sub}, nil
}

// ParseHost reads a domain or an IP address as a policy writes it.
func ParseHost(s string) (Domain, error) {
	if ip, ok := Addr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")); ok {
		return Domain{ip: ip}, nil
	}
	return ParseDomain(s)
}

// Text returns the domain as it is compared.
func (d Domain) Text() string {
	switch {
	case d.ip.IsValid():
		return d.ip.String()
	case d.sub:
		return "*." + d.name
	}
	return d.name
}

// has compares with a plain name, in lower case.
func (d Domain) has(name string) bool {
	if d.ip.IsValid() {
		return false
	}
	if !d.sub {
		return name == d.name
	}
	head, ok := strings.CutSuffix(name, d.name)
	return ok && strings.HasSuffix(head, ".") && len(head) > 1
}

// EmailIn reports whether the text is one plain address (local@domain) whose
// domain is one of those. Unknown is everything that mail programs read
// differently: display names, comments, quotes, lists, source routes, other
// scripts, control characters, a final dot.
func EmailIn(text string, domains []Domain) Truth {
	name, ok := mailDomain(text)
	if !ok {
		return Unknown
	}
	for _, d := range domains {
		if d.has(name) {
			return True
		}
	}
	return False
}

// Mailbox sizes of RFC 5321, section 4.5.3.1.
const (
	maxLocal  = 64
	maxDomain = 255
)

func mailDomain(s string) (string, bool) {
	at := strings.IndexByte(s, '@')
	if at < 1 || at > maxLocal || s[0] == '.' || s[at-1] == '.' || s[0] == '-' {
		return "", false
	}
	for i := range at {
		// % and ! route mail onwards on some systems, / and | lead into files and
		// programs on others.
		if c := s[i]; !alnum(c) && !strings.ContainsRune("#$&'*+-?^_{}~.", rune(c)) || c == '.' && s[i+1] == '.' {
			return "", false
		}
	}
	if !hostname(s[at+1:]) {
		return "", false
	}
	return lower(s[at+1:]), true
}

// HostIn reports whether the text is an absolute URL (http, https, ws, wss,
// ftp) whose host is one of those. Unknown is everything that URL parsers read
// differently: user information, backslashes, white space, broken percent
// codes, percent codes and other scripts in the host, a final dot, and IP addresses in any spelling but
// the canonical one. Scheme, port and path are not looked at.
func HostIn(text string, hosts []Domain) Truth {
	name, ip, ok := urlHost(text)
	if !ok {
		return Unknown
	}
	for _, h := range hosts {
		if name != "" && h.has(name) || name == "" && h.ip == ip {
			return True
		}
	}
	return False
}

// urlHost returns the host of a URL, a name in lower case or an address.
func urlHost(s string) (name string, ip netip.Addr, ok bool) {
	for i := range len(s) {
		c := s[i]
		if c <= 0x20 || c == 0x7f || c == '\\' || c == '%' && (i+2 >= len(s) || !hexDigit(s[i+1]) || !hexDigit(s[i+2])) {
			return "", ip, false
		}
	}
	scheme, rest, found := strings.Cut(s, "://")
	if !found || !webScheme(lower(scheme)) {
		return "", ip, false
	}
	authority := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority = rest[:end]
	}
	host, ok := cutPort(authority)
	if !ok {
		return "", ip, false
	}
	if inner, bracketed := strings.CutPrefix(host, "["); bracketed {
		ip, ok = Addr(strings.TrimSuffix(inner, "]"))
		return "", ip, ok && ip.Is6()
	}
	if ip, ok = Addr(host); ok {
		return "", ip, ip.Is4()
	}
	return lower(host), netip.Addr{}, hostname(host)
}

// NameIn reports whether the text, a host as an analyser emits it, is one of
// those. What is neither a plain name nor an address is Unknown.
func NameIn(host string, hosts []Domain) Truth {
	ip, isAddr := Addr(host)
	if !isAddr && (ip.IsValid() || !hostname(host)) {
		return Unknown
	}
	name := lower(host)
	for _, h := range hosts {
		if isAddr && h.ip == ip || !isAddr && h.has(name) {
			return True
		}
	}
	return False
}

func webScheme(s string) bool {
	return s == "https" || s == "http" || s == "wss" || s == "ws" || s == "ftp"
}

// cutPort takes a numeric port off a host.
func cutPort(authority string) (string, bool) {
	end := strings.LastIndexByte(authority, ']') + 1
	if end == 0 && strings.Contains(authority, "[") || end > 0 && authority[0] != '[' {
		return "", false
	}
	i := strings.IndexByte(authority[end:], ':')
	if i < 0 {
		return authority, end == 0 || end == len(authority)
	}
	port := authority[end+i+1:]
	if len(port) < 1 || len(port) > 5 || end > 0 && i > 0 {
		return "", false
	}
	for j := range len(port) {
		if port[j] < '0' || port[j] > '9' {
			return "", false
		}
	}
	return authority[:end+i], true
}

// hostname reports whether s is a plain name: ASCII labels of letters, digits,
// hyphens and underscores, and no number where an address could be read.
func hostname(s string) bool {
	if s == "" || len(s) > maxDomain {
		return false
	}
	last := ""
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if c := label[i]; !alnum(c) && c != '-' && c != '_' {
				return false
			}
		}
		last = label
	}
	// 127.1, 0x7f000001 and 017700000001 are addresses to many programs.
	return last[0] < '0' || last[0] > '9'
}

// Addr reads an IP address in its canonical spelling. Addresses that embed an
// IPv4 address (mapped, NAT64, 6to4) reach it by another name, so they are not
// accepted.
func Addr(s string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(s)
	if err != nil || a.Zone() != "" || a.String() != s {
		return netip.Addr{}, false
	}
	if a.Is4() {
		return a, true
	}
	b := a.As16()
	zeros := 0
	for zeros < 12 && b[zeros] == 0 {
		zeros++
	}
	embeds := a.Is4In6() || b[0] == 0x20 && b[1] == 0x02 || b[0] == 0x00 && b[1] == 0x64 && b[2] == 0xff && b[3] == 0x9b ||
		zeros == 12 && a != netip.IPv6Unspecified() && a != netip.IPv6Loopback()
	return a, !embeds
}

// ParseCIDR reads an address or a range as a policy writes it.
func ParseCIDR(s string) (netip.Prefix, error) {
	if a, ok := Addr(s); ok {
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(s)
	if err != nil || p.Addr().Is4In6() || p.String() != s {
		return netip.Prefix{}, fmt.Errorf("this is no address or range in its usual spelling: write it like 10.0.0.0/8 or fd00::/8")
	}
	if p.Masked() != p {
		return netip.Prefix{}, fmt.Errorf("the range has bits set below its length: write %s", p.Masked())
	}
	return p, nil
}

// AddrIn reports whether the text is an IP address in one of the ranges. Every
// spelling but the canonical one is Unknown.
func AddrIn(text string, ranges []netip.Prefix) Truth {
	a, ok := Addr(text)
	if !ok {
		return Unknown
	}
	for _, r := range ranges {
		if r.Contains(a) {
			return True
		}
	}
	return False
}

func alnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// lower folds ASCII only: nothing else is in a plain name.
func lower(s string) string { return strings.ToLower(s) }
