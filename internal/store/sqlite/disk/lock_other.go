// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package disk

import (
	"errors"
	"io/fs"
	"os"
)

// tryLock fails: without a lock that ends with its process, a dead gate could
// not be told from a slow one.
func tryLock(*os.File) (bool, error) {
	return false, errors.New("this system has no file locks that the store knows: run the gate on Linux or another Unix")
}

// Owned reports whether a file belongs to the user that this process runs as.
func Owned(fs.FileInfo) bool { return false }
