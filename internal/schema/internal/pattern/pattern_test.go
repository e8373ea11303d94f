// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package pattern_test

import (
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/internal/schema/internal/pattern"
)

// A set compiles each pattern once, and says no when they cost too much together.
func TestSet(t *testing.T) {
	t.Parallel()
	s := pattern.NewSet(100)
	const large = "^a{50}$"
	first, err := s.Compile(large)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		again, err := s.Compile(large)
		if err != nil || again != first {
			t.Fatalf("compiled twice, or refused: %v", err)
		}
	}
	if _, err := s.Compile("^b{50}$"); err == nil || !strings.Contains(err.Error(), "too large together") {
		t.Errorf("got %v", err)
	}
}
