// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package policyfile reads policies from files and folders: those of an
// organisation, of a team, of a user, which load as one set. It knows which
// files of a folder are policies, and not what stands in them.
package policyfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/toolverdict/toolverdict/internal/plain"
	"github.com/toolverdict/toolverdict/policy"
)

// most is one byte more than a policy may have: whoever reads it says so.
const most = 5 << 20

// Read reads the policies that paths stand for, each once. In what order the
// paths are named does not matter.
func Read(paths []string) ([]policy.File, error) {
	names, err := List(paths)
	if err != nil {
		return nil, err
	}
	files := make([]policy.File, len(names))
	for i, name := range names {
		content, err := read(name)
		if err != nil {
			return nil, fmt.Errorf("read policy: %w", err)
		}
		files[i] = policy.File{Name: name, Content: content}
	}
	return files, nil
}

// List returns the files that paths stand for. A folder stands for the policies
// in it: files that end in .yaml, .yml or .json, but for hidden ones and tests of
// policies. Folders in it are left alone, and a folder without a policy is an
// error: most likely another one was meant.
func List(paths []string) ([]string, error) {
	var out []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("read policy: %w", err)
		}
		if !info.IsDir() {
			out = append(out, path)
			continue
		}
		inside, err := policiesOf(path)
		if err != nil {
			return nil, err
		}
		out = append(out, inside...)
	}
	return unique(out), nil
}

func policiesOf(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("read policy: %w", err)
	}
	var out []string
	for _, e := range entries {
		if !isPolicy(e.Name()) {
			continue
		}
		if plain.Mark(e.Name()) != e.Name() { // it would be shown, and could be taken for lines of ours
			return nil, fmt.Errorf("read policy: the name of a file in %s has characters that are not shown: %q", folder, e.Name())
		}
		path := filepath.Join(folder, e.Name())
		info, err := os.Stat(path) // what a link leads to
		if err != nil {
			return nil, fmt.Errorf("read policy: %w", err)
		}
		if !info.IsDir() {
			out = append(out, path)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("read policy: no file in %s is a policy: one ends in .yaml, .yml or .json, and not in _test.yaml", folder)
	}
	return out, nil
}

func isPolicy(name string) bool {
	stem, ending := name, ""
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		stem, ending = name[:i], strings.ToLower(name[i:])
	}
	beside := stem == "catalog" || stem == "toolverdict" // what the examples keep beside their policy
	return slices.Contains([]string{".yaml", ".yml", ".json"}, ending) && !strings.HasPrefix(name, ".") && !strings.HasSuffix(stem, "_test") && !beside
}

// unique leaves out paths that are named again, a file beside its folder.
func unique(paths []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, path := range paths {
		if clean := filepath.Clean(path); !seen[clean] {
			seen[clean] = true
			out = append(out, path)
		}
	}
	return out
}

// read reads no more than can be a policy.
func read(path string) (content []byte, err error) {
	// Opened without waiting, and looked at after: for a pipe it would wait
	// without end, also where one was put there an instant ago.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is no plain file", path))
	}
	return io.ReadAll(io.LimitReader(f, most))
}
