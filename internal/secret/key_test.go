// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package secret_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"github.com/toolverdict/toolverdict/internal/secret"
)

// TestKeysAreMadeOnce: of many that start at once, all end up with one key.
func TestKeysAreMadeOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys := make([][]byte, 16)
	var wg sync.WaitGroup
	for i := range keys {
		wg.Go(func() {
			var err error
			if keys[i], err = secret.OwnKey(dir, "k"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, k := range keys {
		if !bytes.Equal(k, keys[0]) || len(k) != 32 {
			t.Errorf("%x and %x", k, keys[0])
		}
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "k"), link); err != nil {
		t.Fatal(err)
	}
	if _, err := secret.OwnKey(dir, "link"); err == nil {
		t.Error("a symbolic link was taken for a key")
	}
}

func TestKeysThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bytes int
		mode  os.FileMode
		good  bool
	}{
		"whole": {secret.KeySize, 0o600, true}, "short": {31, 0o600, false}, "long": {33, 0o600, false}, "empty": {0, 0o600, false},
		"group reads": {secret.KeySize, 0o640, false}, "others write": {secret.KeySize, 0o602, false},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "k")
		if err := os.WriteFile(path, make([]byte, c.bytes), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		if _, err := secret.OwnKey(dir, "k"); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := secret.OwnKey(filepath.Join(t.TempDir(), "nowhere"), "k"); err == nil {
		t.Error("a key was made in a folder that does not exist")
	}
}

func TestIDsDiffer(t *testing.T) {
	t.Parallel()
	form, seen := regexp.MustCompile(`^[a-z2-7]{26}$`), map[string]bool{}
	for range 1000 {
		id := secret.NewID()
		if !form.MatchString(id) || seen[id] {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
}

func TestNewFilesReplaceNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "k")
	if err := secret.WriteNew(path, []byte("first")); err != nil {
		t.Fatal(err)
	}
	if err := secret.WriteNew(path, []byte("second")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("wrote over a file: %v", err)
	}
	if b, err := secret.ReadFile(path); string(b) != "first" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("left behind: %v, %v", files, err)
	}
	if _, err := secret.ReadFile(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := secret.ReadFile(dir); err == nil {
		t.Error("a folder was read")
	}
}
