// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policyfile_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/internal/policyfile"
	"github.com/toolverdict/toolverdict/policy"
)

// folder lays out files under a new folder and enters it.
func folder(t *testing.T, files ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, name := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestList(t *testing.T) {
	folder(t, "org/b.yaml", "org/a.yml", "org/C.JSON", "org/a_test.yaml", "org/catalog.yaml", "org/toolverdict.yaml", "org/.hidden.yaml", "org/notes.md", "org/yaml", "org/deep/d.yaml", "own.yaml", "odd_test.yaml")
	if err := os.Symlink("../own.yaml", "org/linked.yaml"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("org/folder.yaml", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ paths, want []string }{
		{[]string{"org"}, []string{"org/C.JSON", "org/a.yml", "org/b.yaml", "org/linked.yaml"}},
		{[]string{"own.yaml", "org/deep"}, []string{"own.yaml", "org/deep/d.yaml"}},
		{[]string{"org/b.yaml", "org/", "./org/a.yml"}, []string{"org/b.yaml", "org/C.JSON", "org/a.yml", "org/linked.yaml"}},
		{[]string{"odd_test.yaml"}, []string{"odd_test.yaml"}}, // whoever names it means it
		{nil, nil},
	} {
		got, err := policyfile.List(c.paths)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%v: %v %s", c.paths, err, diff)
		}
	}
}

func TestListRefuses(t *testing.T) {
	folder(t, "empty/notes.md", "empty/a_test.yaml", "broken/a.yaml", "odd/a\nOK: 1 rule.yaml")
	if err := os.Symlink("nowhere", "broken/b.yaml"); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfifo", "pipe.yaml").CombinedOutput(); err != nil {
		t.Fatalf("make a pipe: %v: %s", err, out)
	}
	if _, err := policyfile.Read([]string{"pipe.yaml"}); err == nil || !strings.Contains(err.Error(), "no plain file") {
		t.Errorf("a pipe: %v", err) // and it was not waited for
	}
	for path, want := range map[string]string{
		"nowhere":   "nowhere",
		"empty":     "no file in empty is a policy",
		"odd":       `shown: "a\nOK: 1 rule.yaml"`,
		"broken":    "broken/b.yaml", // a link into the void is a policy that is not there
		"/dev/null": "is no plain file",
	} {
		files, err := policyfile.Read([]string{path})
		if err == nil || files != nil || !strings.HasPrefix(err.Error(), "read policy: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestRead(t *testing.T) {
	folder(t, "a.yaml", "b.json")
	if err := os.WriteFile("big.yaml", make([]byte, 6<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := policyfile.Read([]string{"."})
	if err != nil {
		t.Fatal(err)
	}
	want := []policy.File{{Name: "a.yaml", Content: []byte("a.yaml")}, {Name: "b.json", Content: []byte("b.json")}}
	if diff := cmp.Diff(want, got[:2]); diff != "" {
		t.Error(diff)
	}
	if big := got[2]; big.Name != "big.yaml" || len(big.Content) != 5<<20 {
		t.Errorf("%s has %d bytes: no more is read than can be a policy", big.Name, len(big.Content))
	}
	if _, _, err := policy.Compile(got[2:], nil, policy.Options{}); err == nil || !strings.Contains(err.Error(), "big.yaml:1:1: the file has 5242880 bytes, at most") {
		t.Error(err)
	}
}
