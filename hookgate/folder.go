// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookgate

import "path/filepath"

// Within reports whether a path is a folder or below it, as both are named: links are
// not followed.
func Within(path, folder string) bool {
	rest, err := filepath.Rel(folder, path)
	return err == nil && (rest == "." || filepath.IsLocal(rest))
}
