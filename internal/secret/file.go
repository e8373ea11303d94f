// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package secret

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ReadFile reads a file of the gate's own that holds a secret. It refuses one
// that others could read or write, or that is not a plain file. Errors wrap
// those of the file system; fs.ErrNotExist tells that there is none.
func ReadFile(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a plain file: put the key itself there", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("others may open %s: run chmod 600 on it, and think of the key as known to them", path)
	}
	return os.ReadFile(path)
}

// WriteNew writes a file that only its owner can open, whatever the umask, and
// has the disk hold it before it returns. It replaces none: errors wrap
// fs.ErrExist where there is one. A crash leaves the whole file or none, and so
// do others that write it at the same time.
func WriteNew(path string, b []byte) error {
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // it has its other name by then
	_, err = tmp.Write(b)
	err = errors.Join(err, tmp.Chmod(0o600), tmp.Sync(), tmp.Close())
	if err != nil {
		return err
	}
	if err := os.Link(tmp.Name(), path); err != nil { // unlike a rename, never replaces
		return err
	}
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
