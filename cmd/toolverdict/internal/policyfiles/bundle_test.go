// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policyfiles_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/policyfiles"
)

func TestReplace(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	if err := os.WriteFile(at("old"), []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link": "old", "gone": "nowhere"} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		path, holds string
		mode        os.FileMode
	}{{"old", "old", 0o600}, {"link", "old", 0o600}, {"new", "new", 0o644}, {"gone", "gone", 0o644}} {
		if err := policyfiles.Replace(at(c.path), []byte("after "+c.path)); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(at(c.holds))
		info, err2 := os.Lstat(at(c.holds))
		if err != nil || err2 != nil || string(b) != "after "+c.path || info.Mode() != c.mode {
			t.Errorf("%s: %q, %v, %v %v", c.path, b, info, err, err2)
		}
	}
	if err := policyfiles.Replace(at("none/x"), nil); err == nil {
		t.Error("a file was written in a folder that is not there")
	}
	if left, err := filepath.Glob(at(".toolverdict-*")); err != nil || len(left) > 0 {
		t.Errorf("left over: %q, %v", left, err)
	}
}
