// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package program

import (
	"path"
	"strings"
)

// SystemFolder reports whether a folder is one of the system's own for programs.
func SystemFolder(dir string) bool {
	switch dir {
	case "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin":
		return true
	}
	return false
}

// SystemTree reports whether a path is in what the system's packages hold.
func SystemTree(dir string) bool {
	for _, top := range []string{"/usr", "/bin", "/sbin", "/opt", "/snap/bin", "/nix/store"} {
		if dir == top || strings.HasPrefix(dir, top+"/") {
			return true
		}
	}
	return false
}

// NamesSettings reports whether a path is one under which git, ssh, curl, wget,
// man or less look for settings.
func NamesSettings(p string) bool {
	switch path.Base(p) {
	case ".git", ".gitconfig", ".curlrc", ".wgetrc", ".manpath", ".lesskey", ".ssh", ".config":
		return true
	}
	return strings.Contains(p, "/.git/") || strings.Contains(p, "/.ssh/") || strings.Contains(p, "/.config/")
}
