// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"strings"
)

// The form of a key:
//
//	tv_ID_SECRETCHECK
//
// ID is 1 to 32 lower-case letters and digits and names the key; SECRET is 256
// random bits in 43 characters of unpadded base64url; CHECK is 6 characters: the
// CRC-32 (IEEE) of everything before it, in base 62, so that a scanner for
// leaked secrets can tell a key from a look-alike without asking anybody. As a
// pattern: tv_[a-z0-9]{1,32}_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}
const (
	keyPrefix   = "tv_"
	maxKeyID    = 32
	secretBytes = 32
	secretChars = 43
	checkChars  = 6
	base62      = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// errKey is all that a caller learns of a bad key.
var errKey = errors.New("not an API key: it has the form tv_ID_ and 49 characters, copied whole")

// Key is one API key. No way of formatting, logging or encoding it shows the
// secret: only [Key.Reveal] does. The zero Key is nobody's.
type Key struct {
	id string
	// text is behind a pointer because fmt prints fields that are not exported
	// without asking the type; of a pointer it prints the address.
	text *string
}

// NewKey makes a key from a source of random bytes, which must be a
// cryptographic one.
func NewKey(id string, random io.Reader) (Key, error) {
	if !isKeyID(id) {
		return Key{}, fmt.Errorf("make API key: id %q: use 1 to %d lower-case letters and digits", id, maxKeyID)
	}
	secret := make([]byte, secretBytes)
	if _, err := io.ReadFull(random, secret); err != nil {
		return Key{}, fmt.Errorf("make API key: read random bytes: %w", err)
	}
	body := keyPrefix + id + "_" + base64.RawURLEncoding.EncodeToString(secret)
	body += checksum(body)
	return Key{id, &body}, nil
}

// ParseKey reads a key, strictly: one spelling is one key. The error never
// holds a part of the text.
func ParseKey(text string) (Key, error) {
	rest, ok := strings.CutPrefix(text, keyPrefix)
	if !ok {
		return Key{}, errKey
	}
	id, tail, ok := strings.Cut(rest, "_")
	if !ok || !isKeyID(id) || len(tail) != secretChars+checkChars {
		return Key{}, errKey
	}
	body := text[:len(text)-checkChars]
	if _, err := base64.RawURLEncoding.Strict().DecodeString(tail[:secretChars]); err != nil || text[len(body):] != checksum(body) {
		return Key{}, errKey
	}
	return Key{id, &text}, nil
}

func isKeyID(id string) bool {
	return id != "" && len(id) <= maxKeyID && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

func checksum(body string) string {
	n := crc32.ChecksumIEEE([]byte(body))
	out := make([]byte, checkChars)
	for i := checkChars - 1; i >= 0; i-- {
		out[i] = base62[n%62]
		n /= 62
	}
	return string(out)
}

// ID names the key. It is no secret.
func (k Key) ID() string { return k.id }

// Reveal returns the key as its owner sends it.
func (k Key) Reveal() string {
	if k.text == nil {
		return ""
	}
	return *k.text
}

// Hash returns what is kept of the key: "ID:" and the SHA-256, in hex, of its
// text. A fast hash is right here: there are 256 random bits to guess.
func (k Key) Hash() string {
	sum := sha256.Sum256([]byte(k.Reveal()))
	return k.id + ":" + hex.EncodeToString(sum[:])
}

// String hides the secret.
func (k Key) String() string { return "[API key " + k.id + "]" }

// Format hides the secret whatever the verb.
func (k Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, k.String()) }

// MarshalText hides the secret from encoders.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// LogValue hides the secret from logs.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }
