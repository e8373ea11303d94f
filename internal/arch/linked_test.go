// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package arch_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestLinked: what serves tests only is not linked into the program, not even
// by way of another library. A library that sets itself up when the program
// starts delays every answer to a hook.
func TestLinked(t *testing.T) {
	t.Parallel()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "./cmd/toolverdict")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(out))
	if len(linked) < 100 {
		t.Fatalf("only %d packages are said to be linked", len(linked))
	}
	for _, path := range linked {
		if lib := libraryOf(path); lib.prefix != "" && len(lib.homes) == 0 {
			t.Errorf("%s, which is for tests, is linked into toolverdict: find out by whom with go mod why", path)
		}
	}
}
