// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policyfile

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Everything is how a path ends that stands for a folder with all below it.
const Everything = "..."

// Root returns the folder of a path that stands for all below it: of "a/..." it
// is "a", of "..." the folder here.
func Root(path string) (root string, all bool) {
	root, all = strings.CutSuffix(filepath.ToSlash(path), Everything)
	if !all || root != "" && !strings.HasSuffix(root, "/") {
		return path, false
	}
	if root == "" {
		root = "."
	}
	return filepath.Clean(root), true
}

// Folder is a folder in which somebody keeps policies.
type Folder struct {
	Path       string
	Configured bool     // it has a toolverdict.yaml, which says what belongs together
	Policies   []string // that stand in it
	Tests      []string
}

// mostBelow bounds how many files are found below one folder.
const mostBelow = 10_000

// Below finds the folders below a root, itself included, in which there are
// policies, tests of them, or a configuration, in order. What a folder's own
// listing leaves out is left out; so are folders whose names start with a dot,
// node_modules, links to folders, and files that are about something else: those
// are named.
func Below(root string) (found []Folder, others []string, err error) {
	files := 0
	in := map[string]*Folder{}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := filepath.Base(path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "node_modules"):
			return fs.SkipDir
		case entry.IsDir() || name != configuration && !isPolicy(name) && !isTest(name):
			return nil
		}
		if info, err := os.Stat(path); err != nil || info.IsDir() { // what a link leads to
			return err
		}
		if files++; files > mostBelow {
			return fmt.Errorf("more than %d files below %s: name fewer folders", mostBelow, root)
		}
		speaks, err := speaks(path)
		if err != nil {
			return err
		}
		if !speaks {
			others = append(others, path)
			return nil
		}
		folder := filepath.Dir(path)
		if in[folder] == nil {
			in[folder] = &Folder{Path: folder}
		}
		in[folder].add(path)
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read policy: %w", err)
	}
	for _, folder := range slices.Sorted(maps.Keys(in)) {
		found = append(found, *in[folder])
	}
	return found, others, nil
}

// configuration is the name of the file that says what belongs together.
const configuration = "toolverdict.yaml"

func (f *Folder) add(path string) {
	switch name := filepath.Base(path); {
	case name == configuration:
		f.Configured = true
	case isTest(name):
		f.Tests = append(f.Tests, path)
	default:
		f.Policies = append(f.Policies, path)
	}
}

func isTest(name string) bool {
	stem, isTest := strings.CutSuffix(strings.TrimSuffix(name, filepath.Ext(name)), "_test")
	return isTest && isPolicy(stem+filepath.Ext(name))
}

// speaks reports whether a file is about policies at all. One that is misspelt
// must not be passed over: a policy has a name or a verdict, a test has cases or
// says what it wants.
func speaks(path string) (bool, error) {
	name := filepath.Base(path)
	if name == configuration {
		return true, nil
	}
	content, err := read(path)
	if err != nil {
		return false, err
	}
	top, inner := "policy", "verdict"
	if isTest(name) {
		top, inner = "cases", "want"
	}
	return regexp.MustCompile(`(?m)^\s*\{?\s*["']?` + top + `["']?\s*:|["'{,\s]` + inner + `["']?\s*:`).Match(content), nil
}
