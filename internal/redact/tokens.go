// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// vendor is a published form of credential: a prefix and what follows it.
type vendor struct {
	prefix string
	least  int   // characters after the prefix
	class  class // of those characters
	dots   int   // that must be among them
	digit  bool  // one must be a digit: the prefix alone is common in words
}

// vendors are the forms known here. They only help reading: what must never
// show is a held secret or a sensitive field.
func vendors() []vendor {
	return []vendor{
		{"eyJ", 20, dotted, 2, false},                                      // JSON Web Token
		{"sk-", 20, word, 0, true},                                         // several model vendors
		{"sk_live_", 10, word, 0, false}, {"sk_test_", 10, word, 0, false}, // Stripe
		{"rk_live_", 10, word, 0, false}, {"rk_test_", 10, word, 0, false}, {"whsec_", 16, word, 0, false}, //
		{"ghp_", 20, word, 0, false}, {"gho_", 20, word, 0, false}, {"ghu_", 20, word, 0, false}, // GitHub
		{"ghs_", 20, word, 0, false}, {"ghr_", 20, word, 0, false}, {"github_pat_", 20, word, 0, false},
		{"glpat-", 16, word, 0, false}, {"gldt-", 16, word, 0, false}, {"glrt-", 16, word, 0, false}, // GitLab
		{"glptt-", 16, word, 0, false}, {"glsoat-", 16, word, 0, false}, {"glsa_", 20, word, 0, false}, // Grafana
		{"AKIA", 16, capitals, 0, false}, {"ASIA", 16, capitals, 0, false}, {"ABIA", 16, capitals, 0, false}, // AWS
		{"ACCA", 16, capitals, 0, false}, {"LTAI", 12, letters, 0, true}, {"AKID", 13, letters, 0, true}, // Alibaba, Tencent
		{"AIza", 30, word, 0, false}, {"ya29.", 20, dotted, 0, false}, {"GOCSPX-", 20, word, 0, false}, // Google
		{"xoxb-", 10, word, 0, false}, {"xoxp-", 10, word, 0, false}, {"xoxa-", 10, word, 0, false}, // Slack
		{"xoxr-", 10, word, 0, false}, {"xoxs-", 10, word, 0, false}, {"xoxe-", 10, word, 0, false},
		{"xapp-", 10, word, 0, false}, {"SG.", 30, dotted, 1, false}, {"SK", 32, hexDigits, 0, false}, // SendGrid, Twilio
		{"dop_v1_", 32, hexDigits, 0, false}, {"doo_v1_", 32, hexDigits, 0, false}, {"dor_v1_", 32, hexDigits, 0, false},
		{"dapi", 32, hexDigits, 0, false}, {"dp.pt.", 20, word, 0, false}, {"dckr_pat_", 16, word, 0, false},
		{"shpat_", 24, hexDigits, 0, false}, {"shpca_", 24, hexDigits, 0, false}, {"shppa_", 24, hexDigits, 0, false}, {"shpss_", 24, hexDigits, 0, false},
		{"lin_api_", 20, letters, 0, false}, {"npm_", 30, letters, 0, false}, {"pypi-", 30, word, 0, false},
		{"hf_", 20, letters, 0, false}, {"hvs.", 20, word, 0, false}, {"hvb.", 20, word, 0, false},
		{"ATATT", 20, word, 0, false}, {"PMAK-", 20, word, 0, false}, {"NRAK-", 20, capitals, 0, false},
		{"figd_", 20, word, 0, false}, {"ntn_", 20, word, 0, false}, {"sntrys_", 20, word, 0, false},
		{"sq0csp-", 20, word, 0, false}, {"sq0atp-", 16, word, 0, false}, {"EAAA", 40, word, 0, true},
		{"AGE-SECRET-KEY-1", 20, capitals, 0, false}, {"tv_", 20, word, 0, true},
	}
}

// class is a set of characters: digits and more.
type class uint8

const (
	hexDigits class = iota // both cases
	capitals
	letters
	word   // letters, dash and underscore
	dotted // word and dot
)

func inClass(in class, c byte) bool {
	switch {
	case c >= '0' && c <= '9':
		return true
	case c >= 'A' && c <= 'Z':
		return in != hexDigits || c <= 'F'
	case c >= 'a' && c <= 'z':
		return in != capitals && (in != hexDigits || c <= 'f')
	case c == '_' || c == '-':
		return in >= word
	}
	return c == '.' && in == dotted
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// tokens hides credentials with a known prefix, which may follow anything but a
// letter or digit, and the secret parts of webhook addresses.
func (r *Redactor) tokens(s string) string {
	var b strings.Builder
	at := 0
	for i := 0; i < len(s); i++ {
		if i > 0 && isWord(s[i-1]) {
			continue
		}
		if n := r.tokenAt(s[i:]); n > 0 {
			b.WriteString(s[at:i])
			b.WriteString(r.mark(kindToken, s[i:i+n]))
			at, i = i+n, i+n-1
		}
	}
	if at > 0 {
		b.WriteString(s[at:])
		s = b.String()
	}
	return r.webhooks(s)
}

// maxToken is where a run that shows no digit yet is given up, in bytes.
const maxToken = 128

// tokenAt is the length of the credential that s starts with, 0 if none.
func (r *Redactor) tokenAt(s string) int {
	for _, v := range r.detect.vendors[s[0]] {
		if !strings.HasPrefix(s, v.prefix) {
			continue
		}
		i, dots, digit := len(v.prefix), 0, false
		for ; i < len(s) && inClass(v.class, s[i]) && (i < maxToken || digit || !v.digit); i++ {
			digit = digit || s[i] >= '0' && s[i] <= '9'
			if s[i] == '.' {
				dots++
			}
		}
		for i > len(v.prefix) && s[i-1] == '.' { // the end of a sentence
			i, dots = i-1, dots-1
		}
		if i-len(v.prefix) >= v.least && dots >= v.dots && (digit || !v.digit) {
			return i
		}
	}
	return 0
}

// webhookPaths are addresses whose next part is all it takes to post.
func webhookPaths() []string {
	return []string{
		"hooks.slack.com/services/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/",
		"/open-apis/bot/v2/hook/", "api.telegram.org/bot",
	}
}

func (r *Redactor) webhooks(s string) string {
	if !strings.Contains(s, "/") {
		return s
	}
	for _, path := range webhookPaths() {
		i := strings.Index(s, path)
		if i < 0 {
			continue
		}
		start := i + len(path)
		end := start
		for end < len(s) && (inClass(word, s[end]) || s[end] == '/' || s[end] == ':') {
			end++
		}
		if end-start >= minSecret {
			s = s[:start] + r.mark(kindToken, s[start:end]) + s[end:]
		}
	}
	return s
}
