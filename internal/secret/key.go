// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// Names of the keys of a data folder.
const (
	RedactionKey = "redaction.key" // makes digests of what is hidden in records
	SealKey      = "seal.key"      // seals what clients carry for the gate
	ChannelKey   = "channel.key"   // makes the tokens of buttons
)

// KeySize is how many bytes a key has.
const KeySize = 32

// OwnKey reads one of the gate's own keys from its data folder, making it at
// first start. It refuses a file that others can open, or that is not whole. Of
// two processes that start at once, both end up with the same key.
func OwnKey(dir, name string) ([]byte, error) {
	path := filepath.Join(dir, name)
	b, err := ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeKey(path); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("make key: %w", err)
		}
		b, err = ReadFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	if len(b) != KeySize {
		return nil, fmt.Errorf("read key: %s has %d bytes and not %d: restore it, or remove it to have a new one made", path, len(b), KeySize)
	}
	return b, nil
}

func makeKey(path string) error {
	b := make([]byte, KeySize)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the process instead
	return WriteNew(path, b)
}

// NewID makes an unguessable id of 26 lower-case letters and digits.
func NewID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:]))
}
