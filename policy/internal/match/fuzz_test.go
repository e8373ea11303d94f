// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package match_test

import (
	"net/mail"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/policy/internal/match"
)

type netipPrefix = netip.Prefix

// FuzzText tries every test on one text: none may panic, and none may be sure
// where the standard library reads something else.
func FuzzText(f *testing.F) {
	for _, s := range []string{
		"", "/data/x", "/data/../etc", "//data", "/DATA/x", "ana@corp.example", "Ana <ana@corp.example>", "a@corp.example,b@x.example",
		"https://example.com/x", "https://user@example.com", "https://10.0.0.1:80/", "https://[fd00::1]/", "10.1.2.3", "::ffff:10.1.2.3",
		"2025-01-15T22:30:00Z", "22:30", "/data/\u202e", "https://example.com\\@evil.example",
	} {
		f.Add(s)
	}
	folder, _ := match.ParseFolder("/data")
	corp, _ := match.ParseDomain("corp.example")
	host, _ := match.ParseHost("example.com")
	ten, _ := match.ParseCIDR("10.0.0.0/8")
	glob, _ := match.ParseGlob("/da?a/*.txt")
	f.Fuzz(func(t *testing.T, s string) {
		if folder.Holds(s) == match.True {
			if clean := path.Clean(s); clean != "/data" && !strings.HasPrefix(clean, "/data/") {
				t.Errorf("%q is not under /data once cleaned: %q", s, clean)
			}
		}
		if folder.Holds(s) == match.False && strings.HasPrefix(path.Clean(s), "/data/") {
			t.Errorf("%q is under /data once cleaned", s)
		}
		if match.EmailIn(s, []match.Domain{corp}) == match.True {
			a, err := mail.ParseAddress(s)
			if err != nil || a.Name != "" || a.Address != s || !strings.EqualFold(s[strings.LastIndex(s, "@"):], "@corp.example") {
				t.Errorf("%q is no plain address at corp.example: %v, %v", s, a, err)
			}
		}
		if truth := match.HostIn(s, []match.Domain{host}); truth != match.Unknown {
			u, err := url.Parse(s)
			if err != nil || u.User != nil || strings.EqualFold(u.Hostname(), "example.com") != (truth == match.True) {
				t.Errorf("%q is %s, net/url reads %v, %v", s, truth, u, err)
			}
		}
		if match.AddrIn(s, []netip.Prefix{ten}) == match.True {
			if a, err := netip.ParseAddr(s); err != nil || !ten.Contains(a) {
				t.Errorf("%q is no address in the range", s)
			}
		}
		glob.Match(s)
		match.ParseMoment(s)
	})
}

// FuzzPatterns reads hostile operands: they are refused, or work at once.
func FuzzPatterns(f *testing.F) {
	for _, s := range []string{"", "*", "a*b?", "(a|b)+", "a)|(b", "((a{100}){100}){100}", "/a/b", "/a/../b", "*.example.com", "10.0.0.0/8", "\\pN{99}"} {
		f.Add(s, "text")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if g, err := match.ParseGlob(pattern); err == nil {
			g.Match(text)
		}
		if r, err := match.ParseRegex(pattern); err == nil {
			r.Match(text)
		}
		if d, err := match.ParseFolder(pattern); err == nil {
			d.Holds(text)
			if d.Holds(pattern) == match.False {
				t.Errorf("the folder %q is not under itself", pattern)
			}
		}
		if d, err := match.ParseHost(pattern); err == nil {
			match.HostIn(text, []match.Domain{d})
			match.EmailIn(text, []match.Domain{d})
		}
		if p, err := match.ParseCIDR(pattern); err == nil {
			match.AddrIn(text, []netip.Prefix{p})
		}
	})
}
