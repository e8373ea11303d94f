// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package disk knows the files of a database: whether they are ours alone,
// whether they are still the ones that were opened, and which processes that
// have them open live, by locks that the kernel gives back when a process ends,
// however it ends. It fails closed: what others may have put there, or could
// read, is refused, and a process that cannot be shown to live is gone, so that
// what it dispatched reads as unknown.
package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// PrepareDir makes the data folder, or looks at the one that is there. Others
// may see that it exists; if they could write to it, they could put another
// database in the place of ours.
func PrepareDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make data folder: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("look at data folder: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("look at data folder: %s is not a folder", dir)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("look at data folder: others may write to %s: run chmod go-w on it, or name a folder of its own", dir)
	}
	return nil
}

// PrepareFile makes the database file with mode 0600 whatever the umask, or
// looks at the one that is there. It never opens an existing one: closing it
// again would drop the locks that this process may hold on it.
func PrepareFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		if err := errors.Join(f.Chmod(0o600), f.Close()); err != nil {
			return fmt.Errorf("make database: %w", err)
		}
		return nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make database: %w", err)
	}
	for _, name := range []string{path, path + "-wal", path + "-shm", path + "-journal"} {
		if err := checkFile(name); err != nil {
			return err
		}
	}
	return nil
}

// checkFile refuses a database file that somebody else could have put there, or
// could read. A missing one is fine.
func checkFile(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at database: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("look at database: %s is not a plain file: links are not followed", path)
	}
	if !Owned(info) {
		return fmt.Errorf("look at database: %s belongs to another user: run the gate as that user", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("look at database: others may open %s, which holds arguments of calls: run chmod 600 on it", path)
	}
	return nil
}

// Guard notices that a file of the database was removed or replaced while it is
// open: what is written then would be gone with the open file.
type Guard struct {
	path  string
	files map[string]os.FileInfo
}

// Watch notes the files as they are now.
func Watch(path string) (*Guard, error) {
	g := &Guard{path: path, files: map[string]os.FileInfo{}}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Lstat(name)
		if err != nil {
			return nil, fmt.Errorf("look at database: %w", err)
		}
		g.files[name] = info
	}
	return g, nil
}

// Check looks whether they are.
func (g *Guard) Check() error {
	for name, was := range g.files {
		is, err := os.Lstat(name)
		if err != nil || !os.SameFile(was, is) {
			return fmt.Errorf("%s was removed or replaced while the gate runs: restart the gate", name)
		}
	}
	return nil
}
