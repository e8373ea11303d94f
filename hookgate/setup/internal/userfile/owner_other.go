// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package userfile

import "io/fs"

// owned knows no owners.
func owned(string, fs.FileInfo) error { return nil }
