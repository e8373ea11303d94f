// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/sumdb/note"

	"github.com/toolverdict/toolverdict/audit"
)

func signer(t testing.TB, name string) *audit.Signer {
	t.Helper()
	secret, err := audit.Generate(name, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s, err := audit.ParseSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func grown(n int) *audit.Tree {
	t := &audit.Tree{}
	for i := range n {
		t.Append(audit.LeafHash(fmt.Appendf(nil, "leaf %d", i)))
	}
	return t
}

func signed(t testing.TB, s *audit.Signer, tree *audit.Tree) []byte {
	t.Helper()
	b, err := s.Sign(tree)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCheckpointOpens(t *testing.T) {
	t.Parallel()
	s := signer(t, "example.com/log")
	tree := grown(5)
	b := signed(t, s, tree)
	text := fmt.Sprintf("example.com/log\n5\n%s\n\n— example.com/log ", tree.Root())
	if !strings.HasPrefix(string(b), text) {
		t.Errorf("the note is not in the form of a checkpoint:\n%s", b)
	}
	c, err := s.Verifier().Open(b)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(audit.Checkpoint{Origin: "example.com/log", Size: 5, Root: tree.Root()}, c); d != "" {
		t.Error(d)
	}
	v, err := audit.ParseVerifier(s.Verifier().String() + "\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Open(b); err != nil {
		t.Errorf("with the printed key: %v", err)
	}
}

// TestCheckpointSurvivesNoChange changes every byte of a note.
func TestCheckpointSurvivesNoChange(t *testing.T) {
	t.Parallel()
	s := signer(t, "example.com/log")
	b := signed(t, s, grown(300))
	for i := range b {
		for _, bit := range []byte{1, 0x20, 0x80} {
			bad := append([]byte(nil), b...)
			bad[i] ^= bit
			if c, err := s.Verifier().Open(bad); err == nil {
				t.Errorf("byte %d changed by %#x was taken: %+v", i, bit, c)
			}
		}
	}
	for n := range len(b) {
		if _, err := s.Verifier().Open(b[:n]); err == nil {
			t.Errorf("the first %d bytes were taken", n)
		}
	}
}

func TestCheckpointIsOfOneLog(t *testing.T) {
	t.Parallel()
	a, b := signer(t, "example.com/a"), signer(t, "example.com/b")
	if _, err := b.Verifier().Open(signed(t, a, grown(3))); err == nil {
		t.Error("another log's checkpoint was taken")
	}
	same := signer(t, "example.com/a")
	if _, err := same.Verifier().Open(signed(t, a, grown(3))); err == nil {
		t.Error("another key's checkpoint was taken, since its name was right")
	}
}

// TestNotesOfTheKeyThatAreNoCheckpoints are signed by the right key and still
// refused.
func TestNotesOfTheKeyThatAreNoCheckpoints(t *testing.T) {
	t.Parallel()
	secret, err := audit.Generate("example.com/log", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := note.NewSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	s, err := audit.ParseSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	root := grown(3).Root().String()
	for why, text := range map[string]string{
		"another origin":  "example.com/other\n3\n" + root + "\n",
		"no origin":       "\n3\n" + root + "\n",
		"leading zero":    "example.com/log\n03\n" + root + "\n",
		"plus sign":       "example.com/log\n+3\n" + root + "\n",
		"negative":        "example.com/log\n-3\n" + root + "\n",
		"too large":       "example.com/log\n99999999999999999999\n" + root + "\n",
		"no root":         "example.com/log\n3\n",
		"short root":      "example.com/log\n3\nAAAA\n",
		"extension lines": "example.com/log\n3\n" + root + "\nmore\n",
	} {
		b, err := note.Sign(&note.Note{Text: text}, key)
		if err != nil {
			continue // the note format itself forbids it
		}
		if _, err := s.Verifier().Open(b); err == nil {
			t.Errorf("%s was taken", why)
		}
	}
	// A witness that signs too does no harm.
	other, err := audit.Generate("witness.example", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	witness, err := note.NewSigner(other)
	if err != nil {
		t.Fatal(err)
	}
	b, err := note.Sign(&note.Note{Text: "example.com/log\n3\n" + root + "\n"}, key, witness)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Verifier().Open(b); err != nil {
		t.Errorf("with a witness's signature: %v", err)
	}
}

func TestKeysAreRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "two words", "a+b", "new\nline"} {
		if _, err := audit.Generate(name, rand.Reader); err == nil {
			t.Errorf("a log named %q got a key", name)
		}
	}
	secret, err := audit.Generate("example.com/log", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "PRIVATE+KEY+a+b+c", secret + "AAAA", secret[:len(secret)-4], strings.Replace(secret, "log", "log2", 1)} {
		_, err := audit.ParseSigner(text)
		if err == nil {
			t.Errorf("%q was taken for a key", text)
		}
		if err != nil && text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("the error repeats the key: %v", err)
		}
	}
	if _, err := audit.ParseVerifier(secret); err == nil {
		t.Error("a private key was taken for a public one")
	}
}

func TestKeysDoNotPrint(t *testing.T) {
	t.Parallel()
	secret, err := audit.Generate("example.com/log", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s, err := audit.ParseSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	key := strings.SplitN(secret, "+", 5)[4]
	for _, form := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d"} {
		if out := fmt.Sprintf(form, s); strings.Contains(out, key) || strings.Contains(out, secret) {
			t.Errorf("%s prints the key: %s", form, out)
		}
	}
}

func TestKeyFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := audit.LoadKey(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a folder without a key: got %v, want ErrNotExist", err)
	}
	made, err := audit.CreateKey(dir, "example.com/log", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{audit.KeyFile, audit.PublicFile} {
		info, err := os.Lstat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode(); got != 0o600 {
			t.Errorf("%s has mode %v, want 0600", name, got)
		}
	}
	if _, err := audit.CreateKey(dir, "example.com/log", rand.Reader); err == nil {
		t.Error("a key was replaced")
	}
	loaded, err := audit.LoadKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	v, err := audit.LoadVerifier(filepath.Join(dir, audit.PublicFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{loaded.Verifier().String(), v.String()} {
		if s != made.Verifier().String() {
			t.Errorf("got the key %s, want %s", s, made.Verifier())
		}
	}
	if err := os.Remove(filepath.Join(dir, audit.PublicFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := audit.LoadKey(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := audit.LoadVerifier(filepath.Join(dir, audit.PublicFile)); err != nil {
		t.Errorf("the public key was not written again: %v", err)
	}
}

func TestKeyFilesThatOthersCouldTouch(t *testing.T) {
	t.Parallel()
	key := func(t *testing.T) (dir, path string) {
		t.Helper()
		dir = t.TempDir()
		if _, err := audit.CreateKey(dir, "example.com/log", rand.Reader); err != nil {
			t.Fatal(err)
		}
		return dir, filepath.Join(dir, audit.KeyFile)
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o602, 0o666} {
		dir, path := key(t)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := audit.LoadKey(dir); err == nil {
			t.Errorf("a key of mode %v was taken", mode)
		}
	}
	dir, path := key(t)
	if err := errors.Join(os.Rename(path, path+".moved"), os.Symlink(path+".moved", path)); err != nil {
		t.Fatal(err)
	}
	if _, err := audit.LoadKey(dir); err == nil {
		t.Error("a link to a key was followed")
	}
	dir, path = key(t)
	if err := errors.Join(os.Remove(path), os.WriteFile(path, []byte("half a k"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := audit.LoadKey(dir); err == nil {
		t.Error("half a key was taken")
	}
}

// FuzzOpen: nothing but a checkpoint of this key opens, and nothing panics.
func FuzzOpen(f *testing.F) {
	s := signer(f, "example.com/log")
	f.Add(signed(f, s, grown(5)))
	f.Add([]byte("example.com/log\n5\nAAAA\n\n— example.com/log AAAA\n"))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := s.Verifier().Open(b)
		if err == nil && (c.Origin != "example.com/log" || c.Size != 5 || c.Root != grown(5).Root()) {
			t.Errorf("%q opened as %+v", b, c)
		}
	})
}
