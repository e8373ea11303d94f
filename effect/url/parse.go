// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package url

import (
	"net/netip"
	"strings"
	"unicode/utf8"
)

// target is what a URL leads to.
type target struct {
	scheme string
	host   string     // canonical: a name in ASCII without the final dot, or an address
	ip     netip.Addr // where the host is an address, unmapped
	port   int
	rest   string // what follows the authority
	user   bool   // carries user information
	doubt  string // why some parser would read another target
	fail   string // why there is no target
}

// suspect notes the first reason to think that parsers disagree.
func (t *target) suspect(why string) {
	if t.doubt == "" {
		t.doubt = why
	}
}

func (t *target) refuse(why string) {
	if t.fail == "" {
		t.fail = why
	}
}

// parse reads the text as the basic URL parser of the WHATWG standard does, as
// far as scheme, host and port go.
func parse(text, base string) target {
	var t target
	text = t.strip(text)
	scheme, rest, ok := cutScheme(text)
	if !ok {
		t.reference(text, base)
		return t
	}
	t.scheme = strings.ToLower(scheme)
	switch {
	case t.scheme == "file":
		t.file(rest)
	case special(t.scheme):
		t.web(rest, base)
	case strings.HasPrefix(rest, "//"):
		if t.port = defaultPort(t.scheme); t.port < 0 {
			t.port = 0
			t.suspect("a scheme that is not known: what a client does with it is not known either")
		}
		t.authority(rest[2:])
	default:
		t.refuse("a URL without a host, such as data: or javascript:")
	}
	return t
}

// strip does what the standard does first: it drops control characters and
// blanks around the URL, tabs and line breaks in it. Others refuse them.
func (t *target) strip(s string) string {
	breaks, bad, wide := false, false, false
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\t' || c == '\n' || c == '\r':
			breaks = true
		case c < 0x20 || c == 0x7f:
			bad = true
		case c >= utf8.RuneSelf:
			wide = true
		}
	}
	if wide && !utf8.ValidString(s) {
		t.refuse("bytes that are not UTF-8")
		return s
	}
	trimmed := strings.TrimFunc(s, func(r rune) bool { return r <= 0x20 })
	switch {
	case breaks:
		t.suspect("tabs or line breaks, which some parsers drop and others do not")
		trimmed = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(trimmed)
	case bad:
		t.suspect("control characters")
	case len(trimmed) != len(s):
		t.suspect("blanks around the URL, which some parsers drop and others do not")
	}
	return trimmed
}

func cutScheme(s string) (scheme, rest string, ok bool) {
	for i := range len(s) {
		c := s[i]
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return s[:i], s[i+1:], true
		default:
			return "", s, false
		}
	}
	return "", s, false
}

// special reports whether the standard has rules of its own for the scheme.
func special(scheme string) bool {
	switch scheme {
	case "http", "https", "ws", "wss", "ftp":
		return true
	}
	return false
}

// defaultPort returns the port of a scheme that is known to connect to its
// host, 0 where it has none of its own, and -1 where the scheme is not known.
func defaultPort(scheme string) int {
	switch scheme {
	case "http", "ws", "git+http":
		return 80
	case "https", "wss", "git+https":
		return 443
	case "ftp":
		return 21
	case "ssh", "sftp", "scp", "git+ssh", "svn+ssh":
		return 22
	}
	return otherPort(scheme)
}

func otherPort(scheme string) int {
	switch scheme {
	case "telnet":
		return 23
	case "smtp":
		return 25
	case "tftp":
		return 69
	case "gopher":
		return 70
	case "smb", "cifs":
		return 445
	case "ldap":
		return 389
	case "rsync":
		return 873
	case "ftps":
		return 990
	case "imap":
		return 143
	case "imaps":
		return 993
	case "pop3":
		return 110
	case "ldaps":
		return 636
	case "rtsp":
		return 554
	case "dict":
		return 2628
	case "mysql", "mariadb":
		return 3306
	case "svn":
		return 3690
	case "postgres", "postgresql":
		return 5432
	case "amqp":
		return 5672
	case "amqps":
		return 5671
	case "redis", "rediss":
		return 6379
	case "git":
		return 9418
	case "mongodb":
		return 27017
	case "tcp", "udp", "tls", "nats", "mqtt", "mqtts", "kafka":
		return 0
	}
	return -1
}

// web reads what follows the scheme of a URL with a special one.
func (t *target) web(rest, base string) {
	slashes := leadingSlashes(rest)
	if !strings.HasPrefix(rest, "//") && base != "" {
		// With a base of the same scheme this is a reference, to the standard.
		if from := parse(base, ""); from.scheme == t.scheme {
			t.suspect("a scheme that no two slashes follow, which parsers read differently")
			t.below(from, rest)
			return
		}
	}
	if slashes != 2 || rest[:2] != "//" {
		t.suspect("a scheme that not exactly two slashes follow, which parsers read differently")
	}
	t.port = defaultPort(t.scheme)
	t.authority(rest[slashes:])
}

func leadingSlashes(s string) int {
	n := 0
	for n < len(s) && (s[n] == '/' || s[n] == '\\') {
		n++
	}
	return n
}

// reference reads a text without a scheme.
func (t *target) reference(text, base string) {
	if base == "" {
		t.refuse("no scheme: write the whole URL, with https://")
		return
	}
	from := parse(base, "")
	if from.fail != "" || from.doubt != "" || !special(from.scheme) {
		t.refuse("a reference, and no base that it could be resolved against")
		return
	}
	t.scheme = from.scheme
	t.below(from, text)
}

// below resolves a reference against a base of a special scheme.
func (t *target) below(from target, text string) {
	t.port = defaultPort(t.scheme)
	slashes := leadingSlashes(text)
	if slashes < 2 {
		if slashes == 1 && text[0] == '\\' {
			t.suspect("a backslash where some parsers see a slash")
		}
		t.host, t.ip, t.port, t.rest = from.host, from.ip, from.port, text
		return
	}
	if slashes != 2 || text[:2] != "//" {
		t.suspect("slashes and backslashes, which parsers read differently")
	}
	t.authority(text[slashes:])
}

// authority reads user information, host and port.
func (t *target) authority(s string) {
	end := strings.IndexAny(s, `/?#\`)
	if end < 0 {
		end = len(s)
	}
	if end < len(s) && s[end] == '\\' {
		// To the standard it ends the host of a special scheme only. Either way
		// some parser takes what follows for a part of it.
		t.suspect("a backslash where the host ends")
		if !special(t.scheme) {
			t.refuse("a backslash in the host")
		}
	}
	s, t.rest = s[:end], s[end:]
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		t.userinfo(s[:at])
		s = s[at+1:]
	}
	host, port, found := cutPort(s)
	if found {
		t.setPort(port)
	}
	t.setHost(host)
}

func (t *target) userinfo(s string) {
	t.user = true
	for i := range len(s) {
		c := s[i]
		plain := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("-._~!$&'()*+,;=:%", c) >= 0
		if !plain {
			t.suspect("characters before the host's @ that parsers read differently")
			return
		}
	}
}

// cutPort cuts at the first colon outside of brackets.
func cutPort(s string) (host, port string, found bool) {
	inside := false
	for i := range len(s) {
		switch s[i] {
		case '[':
			inside = true
		case ']':
			inside = false
		case ':':
			if !inside {
				return s[:i], s[i+1:], true
			}
		}
	}
	return s, "", false
}

func (t *target) setPort(s string) {
	if s == "" {
		return // the default one
	}
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			t.refuse("a port that is no number")
			return
		}
		if n = n*10 + int(s[i]-'0'); n > 65535 {
			t.refuse("a port over 65535")
			return
		}
	}
	if n == 0 {
		t.suspect("port 0, where nothing listens")
	}
	if s[0] == '0' {
		t.suspect("a port that starts with 0")
	}
	t.port = n
}
