// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package seal hides and binds what a client carries for the gate: session ids
// and the state of paused calls. A sealed text says nothing to its carrier, and
// opens only for the purpose and the owner it was sealed for. Nothing is kept:
// any process with the same key opens it.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// KeySize is the length of a key in bytes.
const KeySize = 32

// ErrInvalid says that a sealed text is forged, damaged, or for somebody or
// something else. It does not say which.
var ErrInvalid = errors.New("open sealed text: it is not valid here")

// Sealer seals with one key. It is safe for concurrent use.
type Sealer struct{ aead cipher.AEAD }

// New returns a sealer for a purpose: texts sealed for one never open for
// another. The key is secret, KeySize bytes long, and shared by every process
// that serves the same clients.
func New(key []byte, purpose string) (*Sealer, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("make sealer: the key has %d bytes: it needs %d random ones", len(key), KeySize)
	}
	derived, err := hkdf.Key(sha256.New, key, nil, "toolverdict mcp "+purpose, KeySize)
	if err != nil {
		return nil, fmt.Errorf("make sealer: %w", err)
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil, fmt.Errorf("make sealer: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("make sealer: %w", err)
	}
	return &Sealer{aead}, nil
}

// Seal returns the text for an owner: any parts that say whose it is and what
// it is about. It is printable ASCII without spaces.
func (s *Sealer) Seal(text []byte, owner ...string) string {
	sealed := s.aead.Seal(nil, nil, text, bind(owner)) //nolint:gosec // this AEAD draws its own random nonce
	return base64.RawURLEncoding.EncodeToString(sealed)
}

// Open returns what was sealed for the same owner, or ErrInvalid.
func (s *Sealer) Open(sealed string, owner ...string) ([]byte, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil || strings.ContainsAny(sealed, "\r\n") { // the decoder skips line ends

		return nil, ErrInvalid
	}
	text, err := s.aead.Open(nil, nil, raw, bind(owner))
	if err != nil {
		return nil, ErrInvalid
	}
	return text, nil
}

// bind joins the parts so that no two lists give the same bytes.
func bind(owner []string) []byte {
	var b []byte
	for _, part := range owner {
		b = binary.BigEndian.AppendUint64(b, uint64(len(part)))
		b = append(b, part...)
	}
	return b
}

// NewKey returns a fresh random key.
func NewKey() []byte {
	key := make([]byte, KeySize)
	_, _ = rand.Read(key) // never fails: it would end the process instead
	return key
}
