// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ending is how the names of files with tests end, before their extension.
const ending = "_test"

func extensions() []string { return []string{".yaml", ".yml", ".json"} }

// mostFound bounds how many files are found in folders.
const mostFound = 10_000

// Find returns files with tests: those that are named, and of folders all whose
// names end in _test.yaml, _test.yml or _test.json, however deep. Folders whose
// names start with a dot are not looked into.
func Find(paths []string) ([]string, error) {
	var out []string
	for _, path := range paths {
		if root, ok := strings.CutSuffix(filepath.ToSlash(path), "/..."); ok && root != "" { // folders are searched to the ground anyway
			path = root
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("find tests: %w", err)
		}
		if !info.IsDir() {
			out = append(out, path)
			continue
		}
		err = filepath.WalkDir(path, func(at string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && at != path && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"):
				return fs.SkipDir
			case !entry.IsDir() && isTest(entry.Name()):
				out = append(out, at)
			}
			if len(out) > mostFound {
				return fmt.Errorf("more than %d files with tests below %s: name fewer folders", mostFound, path)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("find tests: %w", err)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func isTest(name string) bool {
	ext := filepath.Ext(name)
	return slices.Contains(extensions(), ext) && strings.HasSuffix(strings.TrimSuffix(name, ext), ending)
}

// Tested returns the policy that a file of tests is about by its name:
// policy.yaml of policy_test.yaml. It is "" where there is no such file.
func Tested(path string) string {
	ext := filepath.Ext(path)
	stem, ok := strings.CutSuffix(strings.TrimSuffix(path, ext), ending)
	if !ok {
		return ""
	}
	for _, ext := range extensions() {
		if info, err := os.Stat(stem + ext); err == nil && info.Mode().IsRegular() {
			return stem + ext
		}
	}
	return ""
}

// Beside turns the paths that a file names into paths from here: they are
// relative to the folder of the file.
func Beside(file string, paths []string) []string {
	out := make([]string, len(paths))
	for i, path := range paths {
		if out[i] = path; !filepath.IsAbs(path) {
			out[i] = filepath.Join(filepath.Dir(file), path)
		}
	}
	return out
}
