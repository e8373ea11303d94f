// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// heldSet finds held secrets, in all their forms, in one pass over a text.
type heldSet struct {
	raw     []string          // the secrets themselves
	mark    map[string]string // placeholder of each secret
	byStart map[uint32][]form // forms by their first four bytes, longest first
	bloom   [1 << 10]uint64   // which starts there are, to skip most of a text quickly
	longest int               // bytes of the longest form
}

// form is one spelling of a secret.
type form struct{ text, secret string }

func newHeldSet(secrets []string, r *Redactor) *heldSet {
	h := &heldSet{mark: map[string]string{}, byStart: map[uint32][]form{}}
	seen := map[string]bool{}
	for _, s := range secrets {
		if _, known := h.mark[s]; known {
			continue
		}
		h.raw = append(h.raw, s)
		h.mark[s] = r.mark(kindHeld, s)
	}
	for _, s := range h.raw {
		for _, f := range forms(s) {
			if len(f) < minHeld || seen[f] {
				continue
			}
			seen[f] = true
			h.longest = max(h.longest, len(f))
			start := startOf(f)
			h.byStart[start] = append(h.byStart[start], form{f, s})
			i := bloomIndex(start)
			h.bloom[i/64] |= 1 << (i % 64)
		}
	}
	for _, list := range h.byStart {
		slices.SortFunc(list, func(a, b form) int {
			return cmp.Or(len(b.text)-len(a.text), strings.Compare(a.text, b.text))
		})
	}
	return h
}

func startOf(s string) uint32 {
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func bloomIndex(start uint32) uint32 { return start * 0x9e3779b1 >> 16 }

// forms lists how a secret is spelt in texts: as it is, escaped for JSON (once
// and twice), URLs and HTML, in hex and in base64.
func forms(s string) []string {
	out := []string{s}
	once := jsonEscaped(s)
	out = append(out, once, strings.ReplaceAll(once, "/", `\/`), jsonEscaped(once), html.EscapeString(s))
	out = append(out, url.QueryEscape(s), url.PathEscape(s), lowerEscapes(url.QueryEscape(s)), lowerEscapes(url.PathEscape(s)))
	all := "%" + strings.Join(pairs(hex.EncodeToString([]byte(s))), "%")
	out = append(out, all, strings.ToUpper(all))
	out = append(out, hex.EncodeToString([]byte(s)), strings.ToUpper(hex.EncodeToString([]byte(s))))
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for lead := range 3 {
			out = append(out, base64Core(enc, s, lead))
		}
	}
	return out
}

func jsonEscaped(s string) string {
	b, err := json.Marshal(strings.ToValidUTF8(s, "\uFFFD"))
	if err != nil {
		return s
	}
	return string(b[1 : len(b)-1])
}

// lowerEscapes spells %XX in lower case.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := range b {
		if b[i] == '%' && i+2 < len(b) {
			copy(b[i+1:], strings.ToLower(string(b[i+1:i+3])))
		}
	}
	return string(b)
}

func pairs(s string) []string {
	var out []string
	for i := 0; i+1 < len(s); i += 2 {
		out = append(out, s[i:i+2])
	}
	return out
}

// base64Core is what the base64 of any text holds that has the secret after
// lead bytes (modulo 3): the characters that depend on the secret alone. That
// finds it inside Basic credentials and encoded files too.
func base64Core(enc *base64.Encoding, s string, lead int) string {
	text := enc.EncodeToString([]byte(strings.Repeat("\x00", lead) + s))
	first := []int{0, 2, 3}[lead]
	last := len(text)
	if (lead+len(s))%3 != 0 {
		last-- // the last character also holds bits of what follows
	}
	if last-first < 2*minHeld {
		return ""
	}
	return text[first:last]
}

// empty reports whether nothing is held.
func (h *heldSet) empty() bool { return len(h.raw) == 0 }

// find returns the first held secret in s at or after from: the place of its
// form and the secret.
func (h *heldSet) find(s string, from int) (start, end int, secret string, found bool) {
	for i := from; i+minHeld <= len(s); i++ {
		key := startOf(s[i : i+minHeld])
		if j := bloomIndex(key); h.bloom[j/64]&(1<<(j%64)) == 0 {
			continue
		}
		for _, f := range h.byStart[key] {
			if strings.HasPrefix(s[i:], f.text) {
				return i, i + len(f.text), f.secret, true
			}
		}
	}
	return 0, 0, "", false
}

// hide replaces every held secret in s. A text that holds one only after its
// escapes are undone is hidden whole.
func (h *heldSet) hide(s string) string {
	if h.empty() {
		return s
	}
	if _, _, _, found := h.find(s, 0); found {
		return h.replace(s)
	}
	if secret, found := h.buried(s); found {
		return h.mark[secret]
	}
	return s
}

func (h *heldSet) replace(s string) string {
	var b strings.Builder
	at := 0
	for {
		start, end, secret, found := h.find(s, at)
		if !found {
			break
		}
		b.WriteString(s[at:start])
		b.WriteString(h.mark[secret])
		at = end
	}
	b.WriteString(s[at:])
	out := b.String()
	if secret, found := h.buried(out); found {
		return h.mark[secret]
	}
	return out
}

// maxLayers is how many layers of escapes are undone in search of a secret.
const maxLayers = 4

// buried finds a secret under JSON or URL escapes that no form spells, such as
// \u0041 or %41 in the middle of it.
func (h *heldSet) buried(s string) (secret string, found bool) {
	for range maxLayers {
		if strings.ContainsAny(s, "\r\n") {
			// Encoded text is often broken into lines.
			if _, _, secret, found := h.find(strings.Join(strings.Fields(s), ""), 0); found {
				return secret, true
			}
		}
		next := unescape(s)
		if next == s {
			return "", false
		}
		s = next
		if _, _, secret, found := h.find(s, 0); found {
			return secret, true
		}
	}
	return "", false
}

// unescape undoes one layer of JSON and URL escapes, wherever they stand.
func unescape(s string) string {
	if !strings.ContainsAny(s, `\%`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		text, n := unescapeAt(s[i:])
		b.WriteString(text)
		i += n
	}
	return b.String()
}

func unescapeAt(s string) (text string, n int) {
	switch {
	case s[0] == '%' && len(s) > 2:
		if b, err := hex.DecodeString(s[1:3]); err == nil {
			return string(b), 3
		}
	case s[0] == '\\' && len(s) > 5 && s[1] == 'u':
		if r, ok := unicodeEscape(s); ok {
			if low, pair := unicodeEscape(s[6:]); pair && utf16.DecodeRune(r, low) != utf8.RuneError {
				return string(utf16.DecodeRune(r, low)), 12
			}
			return string(r), 6
		}
	case s[0] == '\\' && len(s) > 1:
		if i := strings.IndexByte(`"\/bfnrt`, s[1]); i >= 0 {
			return "\"\\/\b\f\n\r\t"[i : i+1], 2
		}
	}
	return s[:1], 1
}

// unicodeEscape reads the \uXXXX that s starts with.
func unicodeEscape(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	b, err := hex.DecodeString(s[2:6])
	if err != nil {
		return 0, false
	}
	return rune(b[0])<<8 | rune(b[1]), true
}
