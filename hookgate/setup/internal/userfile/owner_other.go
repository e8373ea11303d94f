// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package userfile

import (
	"io/fs"
	"os"
)

// owned knows no owners.
func owned(string, fs.FileInfo) error { return nil }

// keepGroup knows no groups.
func keepGroup(*os.File, string) error { return nil }
