// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolverdict/toolverdict/internal/strictyaml"
)

// Secret is a reference to a value that must not stand in the file. Its text
// and its value are never printed.
type Secret struct {
	ref          string
	line, column int
}

// FromYAML reads a reference and refuses anything else, without quoting it.
func (s *Secret) FromYAML(n strictyaml.Node) error {
	kind, name, ok := strings.Cut(n.Text, ":")
	if n.Kind != strictyaml.Scalar || n.Tag != "str" || !ok || name == "" || kind != "env" && kind != "file" && kind != "text" {
		return errors.New("give a reference here: env:NAME or file:PATH; a value that is no secret is written text:VALUE")
	}
	s.ref, s.line, s.column = n.Text, n.Line, n.Column
	return nil
}

// Problem makes a problem at the reference's own place in a file.
func (s Secret) Problem(in strictyaml.Placed, format string, args ...any) strictyaml.Problem {
	in.Line, in.Column = s.line, s.column
	return in.Problem(format, args...)
}

// IsZero reports whether there is no reference.
func (s Secret) IsZero() bool { return s.ref == "" }

// String keeps references and values out of logs.
func (s Secret) String() string { return "[secret]" }

// Held reports whether the value is a secret, to be hidden wherever it shows.
func (s Secret) Held() bool { return !s.Plain() && s.ref != "" }

// Plain reports whether the value stands in the file and is no secret.
func (s Secret) Plain() bool { return strings.HasPrefix(s.ref, "text:") }

// maxSecretFile bounds a secret file, in bytes.
const maxSecretFile = 64 << 10

// Resolve reads the value. A file must not be readable by other users. The
// final line break of a file is dropped.
func (s Secret) Resolve(getenv func(string) (string, bool), dir string) (string, error) {
	kind, name, _ := strings.Cut(s.ref, ":")
	switch kind {
	case "text":
		return name, nil
	case "env":
		v, ok := getenv(name)
		if !ok || v == "" {
			return "", fmt.Errorf("the variable %s is not set: set it before starting", name)
		}
		return v, nil
	case "file":
		return readSecret(absolute(dir, name))
	}
	return "", errors.New("no reference is given")
}

func readSecret(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("secret file: %w", reason(err))
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("secret file %s can be read by other users: chmod 600 it", filepath.Base(path))
	}
	if info.Size() > maxSecretFile {
		return "", fmt.Errorf("secret file %s is larger than %d bytes", filepath.Base(path), maxSecretFile)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("secret file: %w", reason(err))
	}
	v := strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r")
	if v == "" {
		return "", fmt.Errorf("secret file %s is empty", filepath.Base(path))
	}
	return v, nil
}

func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", filepath.Base(e.Path), e.Err)
	}
	return err
}
