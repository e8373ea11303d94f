// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package difftext_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/hookgate/setup/internal/difftext"
)

func TestUnified(t *testing.T) {
	t.Parallel()
	lines := func(n int) string { return strings.Repeat("x\n", n) }
	for _, c := range []struct{ name, before, after, want string }{
		{"same", "a\n", "a\n", ""},
		{"new", "", "a\nb\n", "--- f\n+++ t\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"gone", "a\n", "", "--- f\n+++ t\n@@ -1,1 +0,0 @@\n-a\n"},
		{"no end", "a", "a\n", "--- f\n+++ t\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"two places", "1\n" + lines(8) + "2\n", "one\n" + lines(8) + "two\n", "--- f\n+++ t\n@@ -1,4 +1,4 @@\n-1\n+one\n x\n x\n x\n@@ -7,4 +7,4 @@\n x\n x\n x\n-2\n+two\n"},
		{"near", "1\nx\n2\n", "one\nx\ntwo\n", "--- f\n+++ t\n@@ -1,3 +1,3 @@\n-1\n+one\n x\n-2\n+two\n"},
		{"hostile", "", "\x1b[2J\u202ea\n", "--- f\n+++ t\n@@ -0,0 +1,1 @@\n+\\u{001B}[2J\\u{202E}a\n"},
	} {
		if diff := cmp.Diff(c.want, difftext.Unified("f", "t", c.before, c.after)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	var long strings.Builder
	for range 5000 {
		long.WriteString("a\nb\n")
	}
	if got := difftext.Unified("f", "t", long.String(), "c\n"); strings.Count(got, "\n-") != 10000 {
		t.Error("a long text is not shown whole")
	}
}
