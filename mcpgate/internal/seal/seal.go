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
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// KeySize is the length of a key in bytes.
const KeySize = 32

// ErrInvalid says that a sealed text is forged, damaged, or for somebody or
// something else. It does not say which.
var ErrInvalid = errors.New("open sealed text: it is not valid here")

// Sealer seals with one key. It is safe for concurrent use.
type Sealer struct {
	aead  cipher.AEAD // draws its own nonces
	same  cipher.AEAD
	nonce []byte // key of the nonces of SealSame
}

// New returns a sealer for a purpose: texts sealed for one never open for
// another. The key is secret, KeySize bytes long, and shared by every process
// that serves the same clients.
func New(key []byte, purpose string) (*Sealer, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("make sealer: the key has %d bytes: it needs %d random ones", len(key), KeySize)
	}
	s := &Sealer{}
	var err error
	if s.aead, err = derive(key, purpose, cipher.NewGCMWithRandomNonce); err != nil {
		return nil, fmt.Errorf("make sealer: %w", err)
	}
	if s.same, err = derive(key, purpose+" same", cipher.NewGCM); err != nil {
		return nil, fmt.Errorf("make sealer: %w", err)
	}
	if s.nonce, err = hkdf.Key(sha256.New, key, nil, info(purpose+" nonce"), KeySize); err != nil {
		return nil, fmt.Errorf("make sealer: %w", err)
	}
	return s, nil
}

func info(purpose string) string { return "toolverdict mcp " + purpose }

func derive(key []byte, purpose string, mode func(cipher.Block) (cipher.AEAD, error)) (cipher.AEAD, error) {
	derived, err := hkdf.Key(sha256.New, key, nil, info(purpose), KeySize)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil, err
	}
	return mode(block)
}

// Seal returns the text for an owner: any parts that say whose it is and what
// it is about. It is printable ASCII without spaces.
func (s *Sealer) Seal(text []byte, owner ...string) string {
	sealed := s.aead.Seal(nil, nil, text, bind(owner)) //nolint:gosec // this AEAD draws its own random nonce
	return base64.RawURLEncoding.EncodeToString(sealed)
}

// Open returns what was sealed for the same owner, or ErrInvalid.
func (s *Sealer) Open(sealed string, owner ...string) ([]byte, error) {
	raw, err := decode(sealed)
	if err != nil {
		return nil, err
	}
	text, err := s.aead.Open(nil, nil, raw, bind(owner))
	if err != nil {
		return nil, ErrInvalid
	}
	return text, nil
}

// SealSame is Seal for names that are compared: the same text for the same owner
// is sealed to the same text. Who sees two of them learns whether they are
// equal, nothing more.
func (s *Sealer) SealSame(text []byte, owner ...string) string {
	mac := hmac.New(sha256.New, s.nonce)
	mac.Write(bind(append(slices.Clip(owner), string(text))))
	nonce := mac.Sum(nil)[:s.same.NonceSize()]
	return base64.RawURLEncoding.EncodeToString(s.same.Seal(nonce, nonce, text, bind(owner)))
}

// OpenSame returns what SealSame sealed for the same owner, or ErrInvalid.
func (s *Sealer) OpenSame(sealed string, owner ...string) ([]byte, error) {
	raw, err := decode(sealed)
	if err != nil {
		return nil, err
	}
	size := s.same.NonceSize()
	if len(raw) < size {
		return nil, ErrInvalid
	}
	text, err := s.same.Open(nil, raw[:size], raw[size:], bind(owner))
	if err != nil {
		return nil, ErrInvalid
	}
	return text, nil
}

// decode is strict: there is one sealed text for one sequence of bytes. The
// decoder itself skips line ends.
func decode(sealed string) ([]byte, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil || strings.ContainsAny(sealed, "\r\n") {
		return nil, ErrInvalid
	}
	return raw, nil
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
