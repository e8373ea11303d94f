// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package match_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/policy/internal/match"
)

const (
	yes     = match.True
	no      = match.False
	unknown = match.Unknown
)

// TestKleene spells out the whole tables: they are the ground of everything.
func TestKleene(t *testing.T) {
	t.Parallel()
	all := []match.Truth{unknown, no, yes}
	and := [3][3]match.Truth{{unknown, no, unknown}, {no, no, no}, {unknown, no, yes}}
	or := [3][3]match.Truth{{unknown, unknown, yes}, {unknown, no, yes}, {yes, yes, yes}}
	for i, a := range all {
		for j, b := range all {
			if got := match.And(a, b); got != and[i][j] {
				t.Errorf("%s and %s is %s, want %s", a, b, got, and[i][j])
			}
			if got := match.Or(a, b); got != or[i][j] {
				t.Errorf("%s or %s is %s, want %s", a, b, got, or[i][j])
			}
			if match.And(a, b).Not() != match.Or(a.Not(), b.Not()) {
				t.Errorf("De Morgan fails for %s, %s", a, b)
			}
		}
	}
	if unknown.Not() != unknown || yes.Not() != no || no.Not() != yes || match.Of(true) != yes || match.Of(false) != no {
		t.Error("not or of is wrong")
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		folder, path string
		want         match.Truth
	}{
		{"/data", "/data", yes},
		{"/data", "/data/", yes},
		{"/data", "/data/a/b.txt", yes},
		{"/data", "/data//a", yes},
		{"/data", "/data/./a", yes},
		{"/data", "/./data/a", yes},
		{"/data/in", "/data/in/x", yes},
		{"/data/in", "/data/out/x", no},
		{"/data/in", "/data", no},
		{"/", "/anything", yes},
		{"/data", "/database/x", no},
		{"/data", "/dat", no},
		{"/data", "/home/data/x", no},
		{"/data", "/data/a..b", yes},
		{"/data", "/data/.hidden", yes},
		{"/data", "/data/100%", yes},
		{"/data", "/data/50%of", yes},
		{"/data", "/data/年度", yes},
		{"/data", "/home/年度", no},
		// What programs or file systems could take elsewhere.
		{"/data", "", unknown},
		{"/data", "data/x", unknown},
		{"/data", "./data/x", unknown},
		{"/data", "~/data", unknown},
		{"/data", "/data/../etc/passwd", unknown},
		{"/data", "/etc/../data/x", unknown},
		{"/data", "/data/..", unknown},
		{"/data", "/..", unknown},
		{"/data", "/data/x/.. /y", unknown},
		{"/data", "/data/.../y", unknown},
		{"/data", "/data/年/../../etc", unknown},
		{"/data", "//data/x", unknown},
		{"/data", "///data/x", unknown},
		{"/data", `/data\..\etc`, unknown},
		{"/data", `/data/年\x`, unknown},
		{"/data", "/data/%2e%2e/etc", unknown},
		{"/data", "/data/年/%2E%2e/etc", unknown},
		{"/data", "/data/x\x00.txt", unknown},
		{"/data", "/data/x\ny", unknown},
		{"/data", "/data/x\x7f", unknown},
		{"/data", "/data/\u202egnp.exe", unknown},
		{"/data", "/data/a\u200b", unknown},
		{"/data", "/data/\uff0e\uff0e/etc", unknown},
		{"/data", "/data/a\u2215b", unknown},
		{"/data", "file:///data/x", unknown},
		{"/data", "C:/data/x", unknown},
		{"/data", "/DATA/x", unknown},
		{"/etc", "/Etc/passwd", unknown},
		{"/etc", "/proc/self/root/etc/passwd", unknown},
		{"/etc", "/./proc/self/cwd/x", unknown},
		{"/etc", "/dev/fd/3", unknown},
		{"/etc", "/dev/stdin", unknown},
		{"/etc", "/dev/null", no},
		{"/", "/proc/self/root/x", unknown},
		{"/proc", "/proc/self/status", yes},
		{"/data", "/data/proc/x", yes},
	} {
		f, err := match.ParseFolder(c.folder)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Holds(c.path); got != c.want {
			t.Errorf("%q under %q is %s, want %s", c.path, c.folder, got, c.want)
		}
	}
	for _, bad := range []string{"", "data", "./x", "/a/../b", "//a", "/a/./b", `/a\b`, "/a\x00", "/%2e"} {
		if _, err := match.ParseFolder(bad); err == nil {
			t.Errorf("the folder %q was accepted", bad)
		}
	}
}

func TestEmailIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want match.Truth
	}{
		{"ana@corp.example", yes},
		{"ANA@Corp.Example", yes},
		{"ana+tag@corp.example", yes},
		{"o'brien_9-x@corp.example", yes},
		{"a@sub.mail.example", yes},
		{"a@mail.example", no},
		{"ana@evil.example", no},
		{"ana@evil-corp.example", no},
		{"ana@corp.example.evil.example", no},
		{"ana@sub.corp.example", no},
		{"", unknown},
		{"ana", unknown},
		{"@corp.example", unknown},
		{"ana@", unknown},
		{"Ana Li <ana@corp.example>", unknown},
		{"<ana@corp.example>", unknown},
		{"ana@corp.example (ana)", unknown},
		{"(x)ana@corp.example", unknown},
		{`"ana"@corp.example`, unknown},
		{`"a@evil.example> ORCPT=a@b"@corp.example`, unknown},
		{"a@evil.example@corp.example", unknown},
		{"a@corp.example,b@evil.example", unknown},
		{"a@corp.example; b@evil.example", unknown},
		{"b%evil.example@corp.example", unknown},
		{"evil.example!b@corp.example", unknown},
		{"@evil.example:b@corp.example", unknown},
		{"mailto:a@corp.example", unknown},
		{"a@corp.example.", unknown},
		{"a@corp..example", unknown},
		{"a@.corp.example", unknown},
		{"a@-corp.example", unknown},
		{".a@corp.example", unknown},
		{"a.@corp.example", unknown},
		{"a..b@corp.example", unknown},
		{"-oQ/tmp@corp.example", unknown},
		{"a|cat@corp.example", unknown},
		{"/var/mail@corp.example", unknown},
		{" a@corp.example", unknown},
		{"a@corp.example ", unknown},
		{"a@corp.example\n", unknown},
		{"a@corp.example\r\nBcc: b@evil.example", unknown},
		{"a\x00@corp.example", unknown},
		{"a@corp.example\u200b", unknown},
		{"a@c\u043erp.example", unknown},
		{"ä@corp.example", unknown},
		{"a@[10.0.0.5]", unknown},
		{"a@10.0.0.5", unknown},
		{strings.Repeat("a", 65) + "@corp.example", unknown},
		{"a@" + strings.Repeat("a.", 130) + "example", unknown},
		{"a@" + strings.Repeat("a", 64) + ".example", unknown},
	} {
		domains := []match.Domain{domain(t, "corp.example"), domain(t, "*.mail.example")}
		if got := match.EmailIn(c.text, domains); got != c.want {
			t.Errorf("%q is %s, want %s", c.text, got, c.want)
		}
	}
	for _, bad := range []string{"", "*", "*.", ".", "a..b", "*.*.b", "a b", "exämple.com", "@a", "a@b", "10.0.0.1", "-a.b"} {
		if _, err := match.ParseDomain(bad); err == nil {
			t.Errorf("the domain %q was accepted", bad)
		}
	}
}

func domain(t *testing.T, s string) match.Domain {
	t.Helper()
	d, err := match.ParseHost(s)
	if err != nil {
		t.Fatal(err)
	}
	if d.Text() != s {
		t.Errorf("%q reads as %q", s, d.Text())
	}
	return d
}

func TestHostIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want match.Truth
	}{
		{"https://example.com", yes},
		{"https://example.com/", yes},
		{"HTTPS://EXAMPLE.com/a?b#c", yes},
		{"http://example.com:8080/x", yes},
		{"https://example.com?x=@evil.example", yes},
		{"https://example.com/@evil.example", yes},
		{"wss://a.sub.example/x", yes},
		{"https://10.0.0.1/", yes},
		{"https://[fd00::1]/", yes},
		{"https://[fd00::1]:8443/", yes},
		{"https://sub.example/", no},
		{"https://evil.example/", no},
		{"https://example.com.evil.example/", no},
		{"https://notexample.com/", no},
		{"https://10.0.0.2/", no},
		{"https://[fd00::2]/", no},
		{"", unknown},
		{"example.com", unknown},
		{"//example.com/", unknown},
		{"https:example.com", unknown},
		{"https:/example.com", unknown},
		{"javascript://example.com/", unknown},
		{"file://example.com/", unknown},
		{"https://", unknown},
		{"https:///example.com", unknown},
		{"https://user@example.com/", unknown},
		{"https://example.com@evil.example/", unknown},
		{"https://example.com:443@evil.example/", unknown},
		{`https://example.com\@evil.example/`, unknown},
		{`https:\\example.com`, unknown},
		{"https://example.com\n", unknown},
		{"https://exam\tple.com/", unknown},
		{" https://example.com/", unknown},
		{"https://example.com./", unknown},
		{"https://example%2ecom/", unknown},
		{"https://ex\u0430mple.com/", unknown},
		{"https://example.com:/", unknown},
		{"https://example.com:80x/", unknown},
		{"https://example.com:123456/", unknown},
		{"https://example.com:80:90/", unknown},
		{"https://127.1/", unknown},
		{"https://0x7f.0.0.1/", unknown},
		{"https://0177.0.0.1/", unknown},
		{"https://2130706433/", unknown},
		{"https://010.0.0.1/", unknown},
		{"https://[::ffff:10.0.0.1]/", unknown},
		{"https://[fd00::1", unknown},
		{"https://fd00::1]/", unknown},
		{"https://[fd00::1]x/", unknown},
		{"https://[fd00::1]x:80/", unknown},
		{"https://[FD00::1]/", unknown},
		{"https://[10.0.0.1]/", unknown},
		{"https://[fe80::1%25eth0]/", unknown},
		{"https://-a.example/", unknown},
		{"https://a..example/", unknown},
	} {
		hosts := []match.Domain{domain(t, "example.com"), domain(t, "*.sub.example"), domain(t, "10.0.0.1"), domain(t, "fd00::1")}
		if got := match.HostIn(c.text, hosts); got != c.want {
			t.Errorf("%q is %s, want %s", c.text, got, c.want)
		}
	}
	if _, err := match.ParseHost("[fd00::1]"); err != nil {
		t.Errorf("a host in brackets: %v", err)
	}
	for _, bad := range []string{"https://a.b", "a.b/", "a.b:80", "010.0.0.1", "::ffff:1.2.3.4"} {
		if _, err := match.ParseHost(bad); err == nil {
			t.Errorf("the host %q was accepted", bad)
		}
	}
}

func TestAddrIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want match.Truth
	}{
		{"10.1.2.3", yes},
		{"192.0.2.7", yes},
		{"fd12::1", yes},
		{"11.0.0.1", no},
		{"192.0.2.8", no},
		{"2001:db8::1", no},
		{"::1", no},
		{"::", no},
		{"", unknown},
		{"10.1", unknown},
		{"010.1.2.3", unknown},
		{"0x0a010203", unknown},
		{"167838211", unknown},
		{"10.1.2.3/32", unknown},
		{"10.1.2.3:80", unknown},
		{" 10.1.2.3", unknown},
		{"10.1.2.3\n", unknown},
		{"::ffff:10.1.2.3", unknown},
		{"::10.1.2.3", unknown},
		{"64:ff9b::a01:203", unknown},
		{"2002:a01:203::1", unknown},
		{"FD12::1", unknown},
		{"fd12:0::1", unknown},
		{"fe80::1%eth0", unknown},
		{"localhost", unknown},
	} {
		r := [...]string{"10.0.0.0/8", "fd00::/8", "192.0.2.7"}
		got := no
		for _, s := range r {
			p, err := match.ParseCIDR(s)
			if err != nil {
				t.Fatal(err)
			}
			got = match.Or(got, match.AddrIn(c.text, []netipPrefix{p}))
		}
		if got != c.want {
			t.Errorf("%q is %s, want %s", c.text, got, c.want)
		}
	}
	for _, bad := range []string{"", "10.0.0.1/8", "10/8", "10.0.0.0/33", "::ffff:10.0.0.0/104", "FD00::/8", "a"} {
		if _, err := match.ParseCIDR(bad); err == nil {
			t.Errorf("the range %q was accepted", bad)
		}
	}
}

func TestGlob(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		glob, text string
		want       bool
	}{
		{"a", "a", true},
		{"a", "ab", false},
		{"a*", "a", true},
		{"a*", "abc/d", true},
		{"*a", "bca", true},
		{"*a", "ab", false},
		{"a*c", "abc", true},
		{"a*c", "ac", true},
		{"a*c", "a", false},
		{"a*a", "a", false},
		{"*/.env", "/srv/app/.env", true},
		{"*/.env", ".env", false},
		{"a*b*c", "a-b-b-c", true},
		{"a*b*c", "a-c-b", false},
		{"*ab*ab*", "xabab", true},
		{"*ab*ab*", "xab", false},
		{"?", "x", true},
		{"?", "é", true},
		{"?", "", false},
		{"?", "xy", false},
		{"a?c", "abc", true},
		{"a?c*", "aéc/x", true},
		{"*?c", "abc", true},
		{"*?c", "c", false},
		{"*??", "é", false},
		{"*b?d*", "abcd", true},
		{"*b?d*", "abd", false},
		{"A", "a", false},
	} {
		g, err := match.ParseGlob(c.glob)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Match(c.text); got != c.want {
			t.Errorf("%q matches %q: %v, want %v", c.glob, c.text, got, c.want)
		}
		if g.String() != c.glob {
			t.Errorf("%q reads as %q", c.glob, g)
		}
	}
	long, err := match.ParseGlob("*" + strings.Repeat("?a", 100))
	if err != nil {
		t.Fatal(err)
	}
	if got := long.Fits(strings.Repeat("a", 1<<20)); got != unknown {
		t.Errorf("a text too long for the pattern is %s, want unknown", got)
	}
	if got := long.Fits(strings.Repeat("a", 1<<10)); got != yes {
		t.Errorf("a text that fits is %s", got)
	}
	for _, bad := range []string{"", "*", "**", "a**b", "[ab]", "{a,b}", `a\*`, strings.Repeat("a", 300)} {
		if _, err := match.ParseGlob(bad); err == nil {
			t.Errorf("the glob %q was accepted", bad)
		}
	}
}

// TestGlobAgainstRegex holds the fast matcher to the obvious one.
func TestGlobAgainstRegex(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[abé/]{0,12}`).Draw(t, "text")
		glob := rapid.StringMatching(`[abé/?]{0,3}(\*[abé/?]{1,3}){0,3}\*?`).Draw(t, "glob")
		g, err := match.ParseGlob(glob)
		if err != nil {
			return
		}
		re, err := match.ParseRegex("(?s)" + strings.NewReplacer("*", ".*", "?", ".").Replace(glob))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := g.Match(text), re.Match(text) == yes; got != want {
			t.Fatalf("%q on %q: %v, the regex says %v", glob, text, got, want)
		}
	})
}

func TestRegex(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		regex, text string
		want        match.Truth
	}{
		{"a", "a", yes},
		{"a", "ab", no},
		{"a|b", "ab", no},
		{"[A-Z][0-9]+", "A1001", yes},
		{"[A-Z][0-9]+", "A1001\n", no},
		{"[A-Z][0-9]+", " A1001", no},
		{"^[A-Z][0-9]+$", "A1001", yes},
		{"(?m)^a$", "a\nb", no},
		{"(?i)rm", "RM", yes},
		{"(?i)K", "\u212a", yes},
		{".*rm.*", "x\nrm", no},
		{"(?s).*rm.*", "x\nrm", yes},
		{"(ab)+c{2}", "ababcc", yes},
		{"(ab){2,3}(x|y)", "ababx", yes},
		{"(ab){2,3}(x|y)", "abx", no},
		{"(ab){0,3}c", "c", yes},
		{"(ab)*c", "c", yes},
		{"(ab)?c", "c", yes},
		{"(ab|cd)e", "cde", yes},
		{"", "", yes},
		{"", "a", no},
		{"x*", "", yes},
		{`\x{FFFD}a`, "\uFFFDa", yes},
	} {
		re, err := match.ParseRegex(c.regex)
		if err != nil {
			t.Fatal(err)
		}
		if got := re.Match(c.text); got != c.want {
			t.Errorf("%q matches %q: %s, want %s", c.regex, c.text, got, c.want)
		}
		if re.String() != c.regex {
			t.Errorf("%q reads as %q", c.regex, re)
		}
	}
	for name, bad := range map[string]string{
		"steps out of the anchors": "a)|(b",
		"unbalanced":               "(",
		"look-ahead":               "(?=a)",
		"back reference":           `(a)\1`,
		"too long":                 strings.Repeat("a", 2000),
		"bomb in a row":            strings.Repeat("a{1000}", 100),
		"bomb nested":              "((a{100}){100}){100}",
		"class bomb":               strings.Repeat(`[\pL]{900}`, 9),
	} {
		if _, err := match.ParseRegex(bad); err == nil {
			t.Errorf("%s: %.40q was accepted", name, bad)
		}
	}
	slow, err := match.ParseRegex("(a|b|c){500}x?y?z?")
	if err != nil {
		t.Fatal(err)
	}
	if got := slow.Match(strings.Repeat("a", 1<<20)); got != unknown {
		t.Errorf("a text too long for the expression is %s, want unknown", got)
	}
}

func TestMoment(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]match.MomentKind{
		"2025-01-15T22:30:00Z":            match.Instant,
		"2025-01-15T22:30:00+08:00":       match.Instant,
		"2025-01-15T22:30:00.5-07:00":     match.Instant,
		"2025-01-15":                      match.Date,
		"22:30":                           match.Clock,
		"22:30:15":                        match.Clock,
		"":                                match.NoMoment,
		"2025-1-15":                       match.NoMoment,
		"2025-13-01":                      match.NoMoment,
		"2025-02-30":                      match.NoMoment,
		"2025-01-15 22:30:00Z":            match.NoMoment,
		"2025-01-15T22:30:00":             match.NoMoment,
		"2025-01-15t22:30:00z":            match.NoMoment,
		"2025-01-15T22:30:60Z":            match.NoMoment,
		"2025-01-15T22:30:00,5Z":          match.NoMoment,
		"2025-01-15T2:30:00Z":             match.NoMoment,
		"2025-01-15T22:30:00+25:00":       match.NoMoment,
		"24:00":                           match.NoMoment,
		"22:60":                           match.NoMoment,
		"2:30":                            match.NoMoment,
		"ab:cd":                           match.NoMoment,
		"ab:cd:ef":                        match.NoMoment,
		"2025-01-15T22:30:00Z and more":   match.NoMoment,
		" 2025-01-15T22:30:00Z":           match.NoMoment,
		"\uff12025-01-1":                  match.NoMoment,
		"12025-01-15T22:30:00.1234567890": match.NoMoment,
	} {
		if got := match.ParseMoment(text).Kind; got != want {
			t.Errorf("%q is a %s, want %s", text, got, want)
		}
	}
	shanghai := time.FixedZone("", 8*3600)
	at := time.Date(2025, 1, 15, 22, 30, 0, 0, time.UTC) // the 16th, 06:30, in Shanghai
	for _, c := range []struct {
		a    match.Moment
		text string
		want int
	}{
		{match.InstantOf(at), "2025-01-16T06:30:00+08:00", 0},
		{match.InstantOf(at), "2025-01-16T06:30:00Z", -1},
		{match.DateOf(at), "2025-01-15", 0},
		{match.DateOf(at.In(shanghai)), "2025-01-16", 0},
		{match.ClockOf(at.In(shanghai)), "06:00", 1},
		{match.ClockOf(at.In(shanghai)), "06:30:00", 0},
	} {
		if got, ok := c.a.Compare(match.ParseMoment(c.text)); !ok || got != c.want {
			t.Errorf("compared with %s: %d, %v; want %d", c.text, got, ok, c.want)
		}
	}
	if _, ok := match.ParseMoment("22:30").Compare(match.ParseMoment("2025-01-15")); ok {
		t.Error("a time of day was compared with a date")
	}
	if _, ok := (match.Moment{}).Compare(match.Moment{}); ok {
		t.Error("nothing was compared with nothing")
	}
}
