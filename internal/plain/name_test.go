// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package plain_test

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/internal/plain"
)

// TestName holds each kind of form against the expression that says the same.
func TestName(t *testing.T) {
	forms := []struct {
		name plain.Name
		like *regexp.Regexp
	}{
		{plain.Name{Signs: "_-", Max: 8, Lower: true}, regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,7}$`)},
		{plain.Name{Signs: "._-", Max: 8}, regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,7}$`)},
		{plain.Name{Signs: "._@+/-", Max: 8, Free: true}, regexp.MustCompile(`^[A-Za-z0-9._@+/-]{1,8}$`)},
	}
	text := rapid.OneOf(rapid.StringMatching(`[a-cA-C0-9._@+/-]{0,10}`), rapid.StringMatching(`[a-c]{1,3}[\n é{\x00-]?`), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		s := text.Draw(t, "s")
		for _, f := range forms {
			if got, want := f.name.Fits(s), f.like.MatchString(s); got != want {
				t.Errorf("%+v.Fits(%q) = %v, %s says %v", f.name, s, got, f.like, want)
			}
		}
	})
}
