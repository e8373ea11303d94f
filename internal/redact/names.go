// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"strings"
	"unicode"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// nameKind is what the name of a field or setting says of its value.
type nameKind uint8

const (
	ordinary nameKind = iota
	secretName
	secretTextName // secret, unless the value is a number: counts of tokens, of tests that pass
)

// kindOfName reads a name such as dbPassword, X-Api-Key or AWS_SECRET_ACCESS_KEY.
// What counts is how it ends: token_type and password_min_length are settings.
func kindOfName(name string) nameKind {
	if len(name) > maxName {
		name = name[len(name)-maxName:]
	}
	var buf [maxName]byte
	joined, last, plain := joinASCII(buf[:0], name)
	if plain {
		return kindOfWords(string(joined), string(joined[last:]))
	}
	words := splitWords(name)
	if len(words) == 0 {
		return ordinary
	}
	return kindOfWords(strings.Join(words, ""), words[len(words)-1])
}

// maxName is how much of a name is looked at, from its end, in bytes.
const maxName = 128

// kindOfWords decides by the words of a name, joined, and the last of them.
func kindOfWords(joined, last string) nameKind {
	switch {
	case strings.HasSuffix(joined, "token") && isPlaceInList(joined):
		return ordinary
	case endsSecret(joined):
		return secretName
	case last == "cvv", last == "cvc", last == "otp", last == "totp", last == "jwt", joined == "pin":
		return secretName
	case last == "pass", last == "pw", strings.HasSuffix(joined, "tokens"):
		return secretTextName
	}
	return ordinary
}

// endsSecret reports whether a name ends in a word that makes it secret.
func endsSecret(joined string) bool {
	for _, ending := range [...]string{
		"password", "passwords", "passwd", "passphrase", "passcode", "pwd", "secret", "secrets", "token",
		"apikey", "apikeys", "accesskey", "secretkey", "privatekey", "accountkey", "sharedkey", "signingkey",
		"encryptionkey", "masterkey", "authkey", "authorization", "cookie", "cookies", "credential", "credentials",
		"sessionid", "sessionkey", "connectionstring", "securitycode", "密码", "口令", "密钥", "令牌", "验证码",
	} {
		if strings.HasSuffix(joined, ending) {
			return true
		}
	}
	return false
}

// isPlaceInList tells the tokens that page through a list from credentials.
func isPlaceInList(joined string) bool {
	for _, word := range [...]string{"page", "next", "continuation", "sync", "resume"} {
		if strings.Contains(joined, word) {
			return true
		}
	}
	return false
}

// joinASCII appends the letters and digits of an ASCII name, in lower case, and
// tells where its last word begins. Other names are not plain.
func joinASCII(dst []byte, name string) (joined []byte, last int, plain bool) {
	fresh := true
	for i := range len(name) {
		c := name[i]
		upper := c >= 'A' && c <= 'Z'
		switch {
		case c >= 0x80:
			return nil, 0, false
		case !isWord(c):
			fresh = true
			continue
		case upper && i > 0 && isHump(name, i):
			fresh = true
		}
		if fresh {
			last, fresh = len(dst), false
		}
		if upper {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst, last, true
}

// isHump reports whether a capital begins a word of camel case.
func isHump(name string, i int) bool {
	lower := func(c byte) bool { return c >= 'a' && c <= 'z' }
	before := name[i-1]
	return lower(before) || before >= 'A' && before <= 'Z' && i+1 < len(name) && lower(name[i+1])
}

// splitWords cuts at signs and at the humps of camel case, and folds.
func splitWords(name string) []string {
	var words []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, canon.Fold(string(word)))
			word = nil
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			continue
		}
		hump := unicode.IsUpper(r) && i > 0 &&
			(unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]) && unicode.IsUpper(runes[i-1]))
		if hump {
			flush()
		}
		word = append(word, r)
	}
	flush()
	return words
}

// queryNames are secret as parameters of a URL, where the word alone says
// enough.
func queryNames() []string {
	return []string{"key", "sig", "sign", "signature", "code", "auth", "pass", "xamzsignature", "xamzcredential", "xgoogsignature", "xgoogcredential"}
}
