// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"slices"
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
	if len(name) > 128 {
		name = name[len(name)-128:]
	}
	words := splitWords(name)
	if len(words) == 0 {
		return ordinary
	}
	last, joined := words[len(words)-1], strings.Join(words, "")
	switch {
	case slices.ContainsFunc(words, func(w string) bool { return slices.Contains(pageWords(), w) }) && strings.HasSuffix(joined, "token"):
		return ordinary // a place in a list
	case slices.ContainsFunc(secretEndings(), func(e string) bool { return strings.HasSuffix(joined, e) }):
		return secretName
	case slices.Contains([]string{"cvv", "cvc", "otp", "totp", "jwt"}, last), joined == "pin":
		return secretName
	case last == "pass", last == "pw", strings.HasSuffix(joined, "tokens"):
		return secretTextName
	}
	return ordinary
}

func secretEndings() []string {
	return []string{
		"password", "passwords", "passwd", "passphrase", "passcode", "pwd", "secret", "secrets", "token",
		"apikey", "apikeys", "accesskey", "secretkey", "privatekey", "accountkey", "sharedkey", "signingkey",
		"encryptionkey", "masterkey", "authkey", "authorization", "cookie", "cookies", "credential", "credentials",
		"sessionid", "sessionkey", "connectionstring", "securitycode", "密码", "口令", "密钥", "令牌", "验证码",
	}
}

func pageWords() []string { return []string{"page", "next", "continuation", "sync", "resume"} }

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
