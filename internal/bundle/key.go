// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Words that keys start with, so that one is never taken for the other.
const (
	publicWord  = "ed25519:"
	privateWord = "toolverdict-bundle-key:"
)

// PublicKey verifies bundles. Its zero value verifies none.
type PublicKey struct{ raw string }

// PrivateKey signs bundles.
type PrivateKey struct{ seed string }

// Generate makes a key from 32 random bytes.
func Generate(random io.Reader) (PrivateKey, error) {
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return PrivateKey{}, fmt.Errorf("make bundle key: %v", err)
	}
	return PrivateKey{string(seed)}, nil
}

// ParsePrivateKey reads the text of a private key. Errors never quote it.
func ParsePrivateKey(text string) (PrivateKey, error) {
	raw, err := decode(privateWord, strings.TrimSuffix(text, "\n"), ed25519.SeedSize)
	if err != nil {
		return PrivateKey{}, errors.New("read bundle key: it is not the text of a private key, as 'toolverdict policy keygen' writes it")
	}
	return PrivateKey{string(raw)}, nil
}

// Reveal returns the text of the key, for the file it is kept in.
func (k PrivateKey) Reveal() string {
	return privateWord + base64.StdEncoding.EncodeToString([]byte(k.seed))
}

// String keeps the key out of logs.
func (k PrivateKey) String() string { return "[secret]" }

// GoString keeps it out of %#v, too.
func (k PrivateKey) GoString() string { return k.String() }

// Public returns what verifies the key's signatures.
func (k PrivateKey) Public() PublicKey {
	return PublicKey{string(k.full()[ed25519.SeedSize:])}
}

func (k PrivateKey) full() ed25519.PrivateKey { return ed25519.NewKeyFromSeed([]byte(k.seed)) }

// ParsePublicKey reads a key such as a configuration names it: ed25519:BASE64.
func ParsePublicKey(text string) (PublicKey, error) {
	raw, err := decode(publicWord, text, ed25519.PublicKeySize)
	if err != nil {
		return PublicKey{}, errors.New("read bundle key: ed25519: and 44 characters are wanted, as 'toolverdict policy keygen' prints it")
	}
	return PublicKey{string(raw)}, nil
}

func decode(word, text string, size int) ([]byte, error) {
	rest, ok := strings.CutPrefix(text, word)
	if !ok {
		return nil, errors.New("another kind of text")
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(rest)
	if err != nil || len(raw) != size || strings.ContainsAny(rest, "\r\n") {
		return nil, errors.New("not a key")
	}
	return raw, nil
}

// String returns the text of the key.
func (k PublicKey) String() string {
	return publicWord + base64.StdEncoding.EncodeToString([]byte(k.raw))
}

// ID is a short name of the key: it says which to look for and proves nothing.
func (k PublicKey) ID() string {
	sum := sha256.Sum256([]byte(k.raw))
	return hex.EncodeToString(sum[:8])
}

func (k PublicKey) verifies(message, signature []byte) bool {
	return len(k.raw) == ed25519.PublicKeySize && ed25519.Verify(ed25519.PublicKey(k.raw), message, signature)
}
