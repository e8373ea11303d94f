// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Names of the keys of a data folder.
const (
	RedactionKey = "redaction.key" // makes digests of what is hidden in records
	SealKey      = "seal.key"      // seals what clients carry for the gate
)

// KeySize is how many bytes a key has.
const KeySize = 32

// OwnKey reads one of the gate's own keys from its data folder, making it at
// first start. It refuses a file that others can read, or that is not whole.
func OwnKey(dir, name string) ([]byte, error) {
	path := filepath.Join(dir, name)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeKey(path)
	}
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("read key: %s must be a plain file that only its owner can read: chmod 600 it", path)
	}
	if len(b) != KeySize {
		return nil, fmt.Errorf("read key: %s has %d bytes and not %d: restore it, or remove it to have a new one made", path, len(b), KeySize)
	}
	return b, nil
}

// makeKey writes a new key so that of two processes that start at once both
// end up with the same one.
func makeKey(path string) ([]byte, error) {
	b := make([]byte, KeySize)
	if _, err := rand.Read(b); err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".key-*")
	if err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // it has its other name by then
	_, err = tmp.Write(b)
	err = errors.Join(err, tmp.Chmod(0o600), tmp.Sync(), tmp.Close())
	if err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	switch err := os.Link(tmp.Name(), path); {
	case errors.Is(err, fs.ErrExist):
		return os.ReadFile(path)
	case err != nil:
		return nil, fmt.Errorf("make key: %w", err)
	}
	return b, nil
}

// NewID makes an unguessable id of 26 lower-case letters and digits.
func NewID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:]))
}
