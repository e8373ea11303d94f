// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package arch_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// checks are all rules by name; each finds every breach in a tree.
var checks = map[string]func(*tree) []problem{
	"floors":    checkFloors,
	"libraries": checkLibraries,
	"exported":  checkExported,
	"sizes":     checkSizes,
	"names":     checkNames,
	"headers":   checkHeaders,
	"docs":      checkDocs,
	"reasons":   checkReasons,
	"seeds":     checkSeeds,
	"words":     checkWords,
}

// TestRepository holds this repository to every rule.
func TestRepository(t *testing.T) {
	t.Parallel()
	repository, err := load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(repository.code) == 0 || repository.module == "" {
		t.Fatal("no Go module was found, so nothing was checked")
	}
	used := make([]bool, len(exceptions))
	for _, check := range checks {
		for _, p := range check(repository) {
			if i := slices.IndexFunc(exceptions, func(e exception) bool { return e.covers(p) }); i >= 0 {
				used[i] = true
				continue
			}
			t.Error(p)
		}
	}
	for i, e := range exceptions {
		if !used[i] {
			t.Errorf("exception for %s, rule %s %s, covers nothing: remove it", e.path, e.rule, e.name)
		}
		if len(e.reason) < 20 {
			t.Errorf("exception for %s, rule %s, needs a reason", e.path, e.rule)
		}
	}
}

// TestFixtures runs one rule over each small tree of testdata and compares
// everything it found. The first line of an archive names the rule, the file
// "want" lists the problems.
func TestFixtures(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no fixture was found: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			rule, _, _ := strings.Cut(string(archive.Comment), "\n")
			check, ok := checks[strings.TrimPrefix(rule, "rule: ")]
			if !ok {
				t.Fatalf("the first line must be \"rule: NAME\", got %q", rule)
			}
			files, want := unpack(archive)
			if diff := cmp.Diff(want, found(t, check, files)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

// unpack splits an archive into a tree and the problems it must show.
func unpack(archive *txtar.Archive) (map[string]string, []string) {
	files, want := map[string]string{}, []string{}
	for _, file := range archive.Files {
		if file.Name == "want" {
			want = slices.Collect(strings.FieldsFuncSeq(string(file.Data), func(r rune) bool { return r == '\n' }))
			continue
		}
		files[file.Name] = string(file.Data)
	}
	return files, want
}

// found runs one rule over a tree that is given as text.
func found(t *testing.T, check func(*tree) []problem, files map[string]string) []string {
	t.Helper()
	system := fstest.MapFS{}
	for name, content := range files {
		system[name] = &fstest.MapFile{Data: []byte(content)}
	}
	loaded, err := load(system)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, p := range check(loaded) {
		got = append(got, p.String())
	}
	slices.Sort(got)
	return got
}
