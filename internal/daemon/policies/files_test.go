// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/toolverdict/toolverdict/internal/daemon/policies"
)

// TestDigest: what may be a policy counts, by its name and content, and nothing
// else does.
func TestDigest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) func() {
		return func() { must(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)) }
	}
	before := policies.Digest([]string{dir})
	for _, step := range []struct {
		name    string
		do      func()
		changes bool
	}{
		{"a policy", write("a.yaml", "a"), true},
		{"the same", write("a.yaml", "a"), false},
		{"another content", write("a.yaml", "b"), true},
		{"a second one", write("b.json", "b"), true},
		{"of another ending", write("notes.txt", "b"), false},
		{"renamed", func() { must(os.Rename(filepath.Join(dir, "b.json"), filepath.Join(dir, "c.json"))) }, true},
		{"a folder", func() { must(os.Mkdir(filepath.Join(dir, "sub.yaml"), 0o700)) }, false},
		{"in the folder", write("sub.yaml/d.yaml", "d"), false},
		{"a link round in circles", func() { must(os.Symlink(".", filepath.Join(dir, "round.yaml"))) }, false},
		{"a link to nothing", func() { must(os.Symlink("nothing", filepath.Join(dir, "lost.yaml"))) }, true},
		{"a link to a file", func() { must(os.Symlink("notes.txt", filepath.Join(dir, "link.yml"))) }, true},
		{"where the link leads", write("notes.txt", "c"), true},
		{"too large to be read", func() { must(os.Truncate(filepath.Join(dir, "a.yaml"), 9<<20)) }, true},
		{"removed", func() { must(os.Remove(filepath.Join(dir, "a.yaml"))) }, true},
		{"all of it", func() { must(os.RemoveAll(dir)) }, true},
	} {
		step.do()
		after := policies.Digest([]string{dir})
		if (after != before) != step.changes {
			t.Errorf("%s: changes the digest: %v, want %v", step.name, after != before, step.changes)
		}
		before = after
	}
	if policies.Digest([]string{"a", "b"}) == policies.Digest([]string{"b", "a"}) {
		t.Error("files that changed places are not told apart")
	}
}
