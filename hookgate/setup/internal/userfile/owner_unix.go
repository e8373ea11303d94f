// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package userfile

import (
	"errors"
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

// keepGroup gives a draft the group of the file in whose place it is put.
func keepGroup(draft *os.File, path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	now, err := draft.Stat()
	if err != nil {
		return err
	}
	if its, ok := now.Sys().(*syscall.Stat_t); ok && its.Gid == stat.Gid {
		return nil
	}
	return draft.Chown(-1, int(stat.Gid))
}
