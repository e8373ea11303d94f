// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package child

import (
	"bufio"
	"io"
)

// LineReader reads lines as a child's are read.
func LineReader(r io.Reader, limit int) func() ([]byte, error) {
	in := bufio.NewReaderSize(r, 16)
	return func() ([]byte, error) { return readLine(in, limit) }
}
