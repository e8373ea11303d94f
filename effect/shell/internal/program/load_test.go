// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package program_test

import (
	"testing"

	"github.com/toolverdict/toolverdict/effect/shell/internal/program"
)

func TestLoad(t *testing.T) {
	t.Parallel()
	if _, err := program.Load(); err != nil {
		t.Fatal(err)
	}
}
