// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package userfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/toolverdict/toolverdict/hookgate/setup/internal/userfile"
)

// TestPipe: a pipe in the place of a file is refused, and not waited for.
func TestPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "settings.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := userfile.Read(pipe); err == nil || !strings.Contains(err.Error(), "no ordinary file") {
		t.Error(err)
	}
	if _, _, _, err := userfile.Open(pipe); err == nil || !strings.Contains(err.Error(), "no ordinary file") {
		t.Error(err)
	}
}

// TestKept: a file that is put in the place of another has its mode and its group.
func TestKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	groups, err := os.Getgroups()
	if err != nil {
		t.Fatal(err)
	}
	group := os.Getegid()
	for _, other := range groups { // one that is not the usual one, where there is any
		if other != group {
			group = other
			break
		}
	}
	if os.Geteuid() == 0 {
		group = 12345 // a system administrator may give away
	}
	if err := os.Chown(path, -1, group); err != nil {
		t.Fatal(err)
	}
	if err := userfile.Write(path, []byte("y"), 0o640, 0o755); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Gid) != group || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, of group %d, not %d", info.Mode(), stat.Gid, group)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".toolverdict-*"))
	if err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

// TestAnothers: a file of another user is not taken for the user's own.
func TestAnothers(t *testing.T) {
	t.Parallel()
	path := "/etc/passwd"
	if os.Geteuid() == 0 {
		path = filepath.Join(t.TempDir(), "a")
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(path, 12345, -1); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, _, err := userfile.Open(path); err == nil || !strings.Contains(err.Error(), "belongs to another user") {
		t.Error(err)
	}
}
