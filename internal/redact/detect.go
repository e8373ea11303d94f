// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"encoding/base64"
	"regexp"
	"strings"
)

// detectors find credentials by their look. They are made once.
type detectors struct {
	vendors  [256][]vendor // by first byte
	userinfo *regexp.Regexp
	scheme   *regexp.Regexp
	cookie   *regexp.Regexp
	flag     *regexp.Regexp
	user     *regexp.Regexp
	home     *regexp.Regexp
	windows  *regexp.Regexp
}

func newDetectors() *detectors {
	d := &detectors{
		userinfo: regexp.MustCompile(`(://[^\s/?#:@"']*:)([^\s/?#"']+)@`),
		scheme:   regexp.MustCompile(`(?i)\b(bearer|basic)(\s+)([A-Za-z0-9._~+/=-]{8,})`),
		cookie:   regexp.MustCompile(`(?i)\b((?:set-)?cookie["']?\s*:\s*["']?)([^\r\n"']+)`),
		flag:     regexp.MustCompile(`(--[A-Za-z][A-Za-z0-9-]*)(\s+)("[^"]*"|'[^']*'|[^\s"'$<-][^\s"']*)`),
		user:     regexp.MustCompile(`(\s(?:-u|--user)[\s=]*["']?[^\s:"'-][^\s:"']*:)([^\s"']+)`),
		home:     regexp.MustCompile(`(^|[^A-Za-z0-9._-]|/[A-Za-z])/(?:Users|home)/[^/\s"'\\:;,<>|&$()*?]+`),
		windows:  regexp.MustCompile(`(?i)([a-z]:[\\/]+Users[\\/]+)(?:[^\\/"'<>|\r\n]{1,64}([\\/])|[^\\/\s"'<>|]+)`),
	}
	for _, v := range vendors() {
		d.vendors[v.prefix[0]] = append(d.vendors[v.prefix[0]], v)
	}
	return d
}

// minHome is the length of the shortest path that names a home folder.
const minHome = len("/home/x")

// minSecret is the shortest text in which a credential is looked for.
const minSecret = 8

// secrets hides everything in a text that looks like a secret. Parts that cannot
// hold one are skipped by a cheap look first.
func (r *Redactor) secrets(s string) string {
	s = r.held.hide(s)
	if len(s) < minSecret {
		return s
	}
	if strings.Contains(s, "-----BEGIN ") {
		s = r.privateKeys(s)
	}
	s = r.tokens(s)
	d := r.detect
	if strings.Contains(s, "://") {
		s = r.group(s, d.userinfo, 2, kindNamed)
	}
	if strings.ContainsAny(s, ":=") || strings.Contains(s, "：") {
		s = r.cookies(s)
		s = r.settings(s)
	}
	if strings.ContainsAny(s, " \t") {
		s = r.schemes(s)
		s = r.flags(s)
	}
	return s
}

// containsFold reports whether s holds a lower-case ASCII word in any case.
func containsFold(s, word string) bool {
	for i := 0; i+len(word) <= len(s); i++ {
		if s[i]|0x20 == word[0] && strings.EqualFold(s[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

// group replaces one group of every match.
func (r *Redactor) group(s string, re *regexp.Regexp, n int, kind string) string {
	return r.each(s, re, n, func(m []string) (string, bool) { return r.mark(kind, m[n]), true })
}

// each replaces group n of every match by what f says, where it says so.
func (r *Redactor) each(s string, re *regexp.Regexp, n int, f func(m []string) (string, bool)) string {
	all := re.FindAllStringSubmatchIndex(s, -1)
	if all == nil {
		return s
	}
	var b strings.Builder
	at := 0
	for _, loc := range all {
		m := make([]string, len(loc)/2)
		for i := range m {
			if loc[2*i] >= 0 {
				m[i] = s[loc[2*i]:loc[2*i+1]]
			}
		}
		with, ok := f(m)
		if !ok || marked(m[n]) {
			continue
		}
		b.WriteString(s[at:loc[2*n]])
		b.WriteString(with)
		at = loc[2*n+1]
	}
	b.WriteString(s[at:])
	return b.String()
}

// marked reports whether a value is a placeholder already.
func marked(s string) bool {
	for _, kind := range []string{kindSensitive, kindNamed, kindToken, kindKey, kindHeld} {
		if rest, ok := strings.CutPrefix(s, "["+kind); ok && (rest == "" || rest[0] == ' ') {
			return true
		}
	}
	return false
}

// privateKeys hides PEM blocks of private keys. A block without an end is
// hidden to the end of the text.
func (r *Redactor) privateKeys(s string) string {
	const begin, end = "-----BEGIN ", "-----END "
	var b strings.Builder
	for {
		i := strings.Index(s, begin)
		if i < 0 {
			break
		}
		label, _, _ := strings.Cut(s[i+len(begin):], "-----")
		if len(label) > 64 || !strings.Contains(label, "PRIVATE KEY") {
			b.WriteString(s[:i+len(begin)])
			s = s[i+len(begin):]
			continue
		}
		stop := len(s)
		if j := strings.Index(s[i:], end); j >= 0 {
			stop = i + j + len(end)
			if k := strings.Index(s[stop:], "-----"); k >= 0 {
				stop += k + len("-----")
			}
		}
		b.WriteString(s[:i])
		b.WriteString(r.mark(kindKey, s[i:stop]))
		s = s[stop:]
	}
	b.WriteString(s)
	return b.String()
}

// schemes hides what follows Bearer and Basic. The words are ordinary English
// too, so the value must look like one.
func (r *Redactor) schemes(s string) string {
	if !containsFold(s, "bearer") && !containsFold(s, "basic") {
		return s
	}
	return r.each(s, r.detect.scheme, 3, func(m []string) (string, bool) {
		if strings.EqualFold(m[1], "basic") {
			text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(m[3], "="))
			return r.mark(kindToken, m[3]), err == nil && strings.Contains(string(text), ":")
		}
		return r.mark(kindToken, m[3]), len(m[3]) >= 20 || strings.ContainsAny(m[3], "0123456789")
	})
}

// flags hides the values of command-line flags: --password X, -u NAME:X.
func (r *Redactor) flags(s string) string {
	if strings.Contains(s, "--") {
		s = r.each(s, r.detect.flag, 3, func(m []string) (string, bool) {
			return r.mark(kindNamed, strings.Trim(m[3], `"'`)), kindOfName(m[1]) != ordinary && !reference(strings.Trim(m[3], `"'`))
		})
	}
	if strings.Contains(s, "-u") {
		s = r.each(s, r.detect.user, 2, func(m []string) (string, bool) {
			return r.mark(kindNamed, m[2]), strings.Trim(m[2], "0123456789") != "" && !reference(m[2])
		})
	}
	return s
}

// cookies hides the values of a cookie header that identify someone.
func (r *Redactor) cookies(s string) string {
	if !containsFold(s, "cookie") {
		return s
	}
	return r.each(s, r.detect.cookie, 2, func(m []string) (string, bool) {
		parts := strings.Split(m[2], ";")
		for i, part := range parts {
			name, value, ok := strings.Cut(part, "=")
			if ok && !marked(value) && (len(value) >= 16 || identifies(name)) {
				parts[i] = name + "=" + r.mark(kindToken, value)
			}
		}
		return strings.Join(parts, ";"), true
	})
}

func identifies(cookie string) bool {
	name := strings.ToLower(strings.TrimSpace(cookie))
	for _, word := range []string{"sess", "sid", "auth", "token", "jwt", "csrf", "xsrf", "secret"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return kindOfName(cookie) != ordinary
}

// localPath stands for a home folder, whose name is often a person's.
const localPath = "[LOCAL_PATH]"

// homes takes the names out of home folders.
func (r *Redactor) homes(s string) string {
	if len(s) < minHome {
		return s
	}
	if strings.Contains(s, "/home/") || strings.Contains(s, "/Users/") {
		s = r.detect.home.ReplaceAllString(s, "${1}"+localPath)
	}
	if strings.Contains(s, ":") && containsFold(s, "users") {
		s = r.detect.windows.ReplaceAllString(s, localPath+"${2}")
	}
	return s
}
