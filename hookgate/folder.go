// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookgate

import "path/filepath"

// Resolved follows the links of a path; one that is not there stays as it is written.
func Resolved(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}

// Within reports whether a path is a folder or below it, as both are named: links are
// not followed.
func Within(path, folder string) bool {
	rest, err := filepath.Rel(folder, path)
	return err == nil && (rest == "." || filepath.IsLocal(rest))
}
