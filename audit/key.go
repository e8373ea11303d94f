// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/toolverdict/toolverdict/internal/secret"
)

// Names of the key files in the data folder.
const (
	KeyFile    = "audit.key" // the private key: 0600
	PublicFile = "audit.pub" // the public key, to verify with: copy it elsewhere
)

// publicOf returns the public text of a private key.
func publicOf(private string) (string, error) {
	parts := strings.SplitN(private, "+", 5)
	if len(parts) != 5 {
		return "", errors.New("read audit key: it is not the text of a private key")
	}
	raw, err := base64.StdEncoding.DecodeString(parts[4])
	if err != nil || len(raw) != 1+ed25519.SeedSize {
		return "", errors.New("read audit key: it is not the text of a private key")
	}
	public, ok := ed25519.NewKeyFromSeed(raw[1:]).Public().(ed25519.PublicKey)
	if !ok {
		return "", errors.New("read audit key: it is not an Ed25519 key")
	}
	text, err := note.NewEd25519VerifierKey(parts[2], public)
	if err != nil {
		return "", fmt.Errorf("read audit key: %v", err)
	}
	return text, nil
}

// CreateKey makes the key of a new log in the folder: both files, 0600, on the
// disk before it returns. It never replaces a key.
func CreateKey(dir, name string, random io.Reader) (*Signer, error) {
	private, err := Generate(name, random)
	if err != nil {
		return nil, err
	}
	s, err := ParseSigner(private)
	if err != nil {
		return nil, err
	}
	if err := secret.WriteNew(filepath.Join(dir, KeyFile), []byte(private+"\n")); err != nil {
		return nil, fmt.Errorf("make audit key: %w", err)
	}
	if err := s.writePublic(dir); err != nil {
		return nil, err
	}
	return s, nil
}

// LoadKey reads the key of a log. It refuses a file that others could read or
// write, or that is not a plain file. errors.Is(err, fs.ErrNotExist) tells a
// folder that has none. The public file is written again where it is missing.
func LoadKey(dir string) (*Signer, error) {
	b, err := secret.ReadFile(filepath.Join(dir, KeyFile))
	if err != nil {
		return nil, fmt.Errorf("read audit key: %w", err)
	}
	s, err := ParseSigner(string(b))
	if err != nil {
		return nil, err
	}
	return s, s.writePublic(dir)
}

// LoadVerifier reads a public key from a file.
func LoadVerifier(path string) (*Verifier, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read audit key: %w", err)
	}
	return ParseVerifier(string(b))
}

func (s *Signer) writePublic(dir string) error {
	path := filepath.Join(dir, PublicFile)
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	if err := secret.WriteNew(path, []byte(s.verifier.String()+"\n")); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("write public audit key: %w", err)
	}
	return nil
}
