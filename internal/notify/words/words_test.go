// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package words_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/internal/notify/words"
)

// TestLanguagesSayTheSame: no word is missing in a language, and none is left in
// another one.
func TestLanguagesSayTheSame(t *testing.T) {
	t.Parallel()
	want, got := words.All(words.English), words.All(words.Chinese)
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, w := range want {
		zh, en := words.In(words.Chinese, w), words.In(words.English, w)
		if !strings.ContainsFunc(zh, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			t.Errorf("%s is not Chinese: %q", w, zh)
		}
		if en == "" || strings.ContainsFunc(en, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			t.Errorf("%s is not English: %q", w, en)
		}
		if strings.HasSuffix(en, ".") != strings.HasSuffix(zh, "。") {
			t.Errorf("%s: a sentence in one language only", w)
		}
	}
	if got := words.In("fr", words.Needed); got != "Approval needed" {
		t.Errorf("a language that is not there: %q", got)
	}
}
