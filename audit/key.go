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
)

// Names of the key files in the data folder.
const (
	KeyFile    = "audit.key" // the private key: 0600
	PublicFile = "audit.pub" // the public key, to verify with: copy it elsewhere
)

// publicOf returns the public text of a private key.
func publicOf(secret string) (string, error) {
	parts := strings.SplitN(secret, "+", 5)
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
	secret, err := Generate(name, random)
	if err != nil {
		return nil, err
	}
	s, err := ParseSigner(secret)
	if err != nil {
		return nil, err
	}
	if err := writeNew(filepath.Join(dir, KeyFile), secret+"\n"); err != nil {
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
	path := filepath.Join(dir, KeyFile)
	info, err := os.Lstat(path)
	if err != nil {
		return nil, fmt.Errorf("read audit key: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read audit key: %s is not a plain file: put the key itself there", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("read audit key: others may open %s: run chmod 600 on it, and think of the key as known to them", path)
	}
	b, err := os.ReadFile(path)
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
	if err := writeNew(path, s.verifier.String()+"\n"); err != nil {
		return fmt.Errorf("write public audit key: %w", err)
	}
	return nil
}

// writeNew writes a file that must not exist, whatever the umask, and has the
// disk hold it before it returns. A crash leaves the whole file or none.
func writeNew(path, text string) error {
	temp := path + ".new"
	if err := os.Remove(temp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chmod(0o600), f.Sync(), f.Close())
	if err == nil {
		err = os.Link(temp, path) // unlike a rename, never replaces
	}
	if err := errors.Join(err, os.Remove(temp)); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
