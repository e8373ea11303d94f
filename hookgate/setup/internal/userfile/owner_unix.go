// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package userfile

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// owned refuses what belongs to another user: written anew, it would be this one's, or
// lie where another can put something else in its place.
func owned(path string, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if ok && int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("read %s: it belongs to another user: run this as that one", path)
	}
	return nil
}
