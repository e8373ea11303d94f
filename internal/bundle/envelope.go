// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The envelope is text:
//
//	toolverdict-bundle-1
//	signature KEY-ID BASE64
//
//	PAYLOAD
//
// with one to eight signature lines, an empty line, and the canonical JSON of
// the bundle on one line. What is signed is the first line, its line break and
// the payload: a signature made for anything else is none of a bundle.
const (
	firstLine     = "toolverdict-bundle-1\n"
	signatureWord = "signature "
	maxSignatures = 8
)

// Signed is a bundle whose signature was found good, with the bytes it came in.
type Signed struct {
	Bundle

	Key      PublicKey // the trusted key that signed it
	Digest   string    // of what was signed: one serial has one digest
	Envelope []byte
}

// Sign writes a bundle in its envelope, signed by each key. Times are cut to
// seconds.
func Sign(b Bundle, keys ...PrivateKey) ([]byte, error) {
	if err := b.check(); err != nil {
		return nil, fmt.Errorf("sign bundle: %w", err)
	}
	if len(keys) == 0 || len(keys) > maxSignatures {
		return nil, fmt.Errorf("sign bundle: one to %d keys are wanted", maxSignatures)
	}
	payload := b.encode()
	out := []byte(firstLine)
	for _, k := range keys {
		signature := ed25519.Sign(k.full(), signedText(payload))
		out = fmt.Appendf(out, "%s%s %s\n", signatureWord, k.Public().ID(), base64.StdEncoding.EncodeToString(signature))
	}
	out = append(append(append(out, '\n'), payload...), '\n')
	if len(out) > MaxBytes {
		return nil, fmt.Errorf("sign bundle: it has more than %d bytes", MaxBytes)
	}
	return out, nil
}

func signedText(payload []byte) []byte { return append([]byte(firstLine), payload...) }

// Errors that callers tell apart.
var (
	// ErrUnsigned says that no signature of the text is by a trusted key.
	ErrUnsigned = errors.New("no trusted key signed it")
	// ErrForm says that the text is no bundle.
	ErrForm = errors.New("it is not a policy bundle")
)

// Open verifies an envelope and reads the bundle in it. One good signature by a
// trusted key is enough: while a key is replaced, bundles carry two. Whether it
// is the newest, meant for this gate and still good is the caller's to judge.
func Open(envelope []byte, trusted []PublicKey) (*Signed, error) {
	if len(envelope) > MaxBytes {
		return nil, fmt.Errorf("open bundle: it has more than %d bytes: %w", MaxBytes, ErrForm)
	}
	lines, payload, err := split(envelope)
	if err != nil {
		return nil, fmt.Errorf("open bundle: %w", err)
	}
	key, err := signer(lines, payload, trusted)
	if err != nil {
		return nil, fmt.Errorf("open bundle: %w", err)
	}
	b, err := decodePayload(payload)
	if err != nil {
		return nil, fmt.Errorf("open bundle: %w", err)
	}
	sum := sha256.Sum256(payload)
	return &Signed{Bundle: *b, Key: key, Digest: hex.EncodeToString(sum[:]), Envelope: slices.Clone(envelope)}, nil
}

// split takes an envelope apart. The form is exact, so that there is one way
// only to write the same signed text.
func split(envelope []byte) (signatures []string, payload []byte, err error) {
	rest, ok := bytes.CutPrefix(envelope, []byte(firstLine))
	if !ok {
		return nil, nil, ErrForm
	}
	for {
		line, after, ok := bytes.Cut(rest, []byte("\n"))
		if !ok {
			return nil, nil, ErrForm
		}
		rest = after
		if len(line) == 0 {
			break
		}
		text, ok := strings.CutPrefix(string(line), signatureWord)
		if !ok || len(signatures) == maxSignatures {
			return nil, nil, ErrForm
		}
		signatures = append(signatures, text)
	}
	payload, ok = bytes.CutSuffix(rest, []byte("\n"))
	if !ok || len(signatures) == 0 {
		return nil, nil, ErrForm
	}
	return signatures, payload, nil
}

// signer finds a trusted key that signed the payload. Errors are [ErrUnsigned].
func signer(lines []string, payload []byte, trusted []PublicKey) (PublicKey, error) {
	message := signedText(payload)
	named := false
	for _, line := range lines {
		id, text, _ := strings.Cut(line, " ")
		at := slices.IndexFunc(trusted, func(k PublicKey) bool { return k.ID() == id })
		if at < 0 {
			continue
		}
		named = true
		signature, err := base64.StdEncoding.Strict().DecodeString(text)
		if err == nil && len(signature) == ed25519.SignatureSize && trusted[at].verifies(message, signature) {
			return trusted[at], nil
		}
	}
	if named {
		return PublicKey{}, fmt.Errorf("%w: a signature names one and does not fit the content, which was changed after it was signed or arrived broken: sign it again", ErrUnsigned)
	}
	return PublicKey{}, fmt.Errorf("%w: have it signed with a key whose public half is configured here", ErrUnsigned)
}
