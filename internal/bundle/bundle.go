// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Bounds of a bundle.
const (
	MaxBytes  = 32 << 20
	MaxFiles  = 256
	MaxSerial = 1<<53 - 1 // what every JSON reader can hold exactly

	maxFileName = 200
)

// Bundle is a set of policy files on its way to a gate.
type Bundle struct {
	Name    string // whom it is for
	Serial  int64  // higher than that of every earlier one of this name
	Created time.Time
	Expires time.Time // zero: it has no end
	Files   []File
}

// File is one policy file. Its name is used in messages only, never as a path.
type File struct {
	Name    string
	Content []byte
}

func bundleName(s string) bool { return plain.Name{Signs: "_.-", Max: 63, Lower: true}.Fits(s) }

// CheckName says what is wrong with the name of a bundle.
func CheckName(name string) error {
	if !bundleName(name) {
		return errors.New("the name of a bundle is 1 to 63 of a-z, 0-9, _ . and -")
	}
	return nil
}

// check refuses what no gate could use. It is applied to what is signed and to
// what is opened: a signature is no reason to trust a file name.
func (b *Bundle) check() error {
	switch {
	case CheckName(b.Name) != nil:
		return CheckName(b.Name)
	case b.Serial < 1 || b.Serial > MaxSerial:
		return errors.New("the serial of a bundle is a whole number from 1 to 2^53-1")
	case !b.Expires.IsZero() && !b.Expires.After(b.Created):
		return errors.New("a bundle ends after it was made")
	case len(b.Files) == 0:
		return errors.New("there is no policy file in the bundle")
	case len(b.Files) > MaxFiles:
		return fmt.Errorf("a bundle holds at most %d files", MaxFiles)
	}
	seen := map[string]bool{}
	for _, f := range b.Files {
		if err := checkFileName(f.Name); err != nil {
			return err
		}
		if seen[f.Name] {
			return fmt.Errorf("two files of the bundle are named %q", f.Name)
		}
		seen[f.Name] = true
		if !utf8.Valid(f.Content) {
			return fmt.Errorf("the file %q is not UTF-8 text", f.Name)
		}
	}
	return nil
}

// checkFileName wants a plain relative path. It is shown on terminals, and must
// not pass for a file of this machine.
func checkFileName(name string) error {
	if name == "" || len(name) > maxFileName || plain.Line(name) != name || plain.Mark(name) != name ||
		path.IsAbs(name) || path.Clean(name) != name || name == ".." || strings.HasPrefix(name, "../") || strings.Contains(name, `\`) {
		return errors.New("a file name in a bundle is a plain relative path")
	}
	return nil
}

const timeForm = "2006-01-02T15:04:05Z"

// encode writes the one canonical form.
func (b *Bundle) encode() []byte {
	files := make([]canon.Value, len(b.Files))
	for i, f := range b.Files {
		files[i] = canon.Object(
			canon.Member{Name: "content", Value: canon.String(string(f.Content))},
			canon.Member{Name: "name", Value: canon.String(f.Name)},
		)
	}
	members := []canon.Member{
		{Name: "created", Value: canon.String(b.Created.UTC().Format(timeForm))},
		{Name: "files", Value: canon.Array(files...)},
		{Name: "name", Value: canon.String(b.Name)},
		{Name: "serial", Value: canon.Int(b.Serial)},
	}
	if !b.Expires.IsZero() {
		members = append(members, canon.Member{Name: "expires", Value: canon.String(b.Expires.UTC().Format(timeForm))})
	}
	return canon.Append(nil, canon.Object(members...))
}

// decodePayload reads what was signed. Unknown members are lost here, and then
// found: the canonical form of what was read is not what was signed.
func decodePayload(text []byte) (*Bundle, error) {
	v, err := canon.ParseObject(text, canon.Limits{MaxBytes: MaxBytes, MaxDepth: 4})
	if err != nil {
		return nil, fmt.Errorf("its content is not strict JSON: %w", err)
	}
	b := &Bundle{}
	b.Name = wordOf(v, "name")
	if n, ok := v.Get("serial"); ok && n.Kind() == canon.KindNumber {
		b.Serial, _ = n.Number().Int64()
	}
	if b.Created, err = moment(v, "created"); err != nil {
		return nil, err
	}
	if b.Expires, err = moment(v, "expires"); err != nil {
		return nil, err
	}
	files, _ := v.Get("files")
	if files.Kind() == canon.KindArray {
		for _, f := range files.Elems() {
			if f.Kind() != canon.KindObject {
				return nil, errors.New("its files are objects with a name and a content")
			}
			b.Files = append(b.Files, File{Name: wordOf(f, "name"), Content: []byte(wordOf(f, "content"))})
		}
	}
	if b.Created.IsZero() {
		return nil, errors.New("it does not say when it was made")
	}
	if err := b.check(); err != nil {
		return nil, err
	}
	if string(b.encode()) != string(text) {
		return nil, errors.New("its content has members of another version, or is not in canonical form")
	}
	return b, nil
}

func wordOf(v canon.Value, name string) string {
	if m, ok := v.Get(name); ok && m.Kind() == canon.KindString {
		return m.Text()
	}
	return ""
}

func moment(v canon.Value, name string) (time.Time, error) {
	text := wordOf(v, name)
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(timeForm, text)
	if err != nil {
		return t, fmt.Errorf("its %s is not a time such as 2026-01-31T12:00:00Z", name)
	}
	return t, nil
}
