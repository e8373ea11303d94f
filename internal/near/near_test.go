// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package near_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/internal/near"
)

func TestWord(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 65)
	known := []string{"name", "approvers", "url", "by", "read-only", long}
	for word, want := range map[string]string{
		"nmae":      "name", // swapped
		"nam":       "name", // missing
		"naame":     "name", // too many
		"NAME":      "name", // another case
		"aprovrs":   "approvers",
		"sql":       "", // two of three
		"uri":       "url",
		"bx":        "by",
		"readonly":  "read-only",
		"approval":  "",
		"xx":        "", // all of "by"
		"":          "",
		long[:64]:   "",
		long + "x":  "",
		"something": "",
	} {
		if got := near.Word(word, known); got != want {
			t.Errorf("%q is near %q, want %q", word, got, want)
		}
	}
	if got := near.Word("lisen", nil); got != "" {
		t.Errorf("of no words, %q is near", got)
	}
	if got := near.Word("cad", []string{"card", "cat", "cad"}); got != "cad" {
		t.Errorf("%q is nearer than the word itself", got)
	}
}

func TestOneSlipIsFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z]{4,20}`).Draw(t, "word")
		at := rapid.IntRange(0, len(word)-2).Draw(t, "at")
		b := []byte(word)
		switch rapid.IntRange(0, 2).Draw(t, "slip") {
		case 0:
			b = slices.Delete(b, at, at+1)
		case 1:
			b = slices.Insert(b, at, 'Z')
		case 2:
			b[at], b[at+1] = b[at+1], b[at]
		}
		if got := near.Word(string(b), []string{"0123456789", word}); got != word {
			t.Errorf("%q is near %q, want %q", b, got, word)
		}
	})
}

func TestNames(t *testing.T) {
	t.Parallel()
	known := []string{"orders/refund", "orders/query_order", "orders/query_user", "mail/send", "mail/send_all", "shell/run_command", "archive/send", "orders/batch_delete", "orders/@completion/complete", "mail/@tasks/get"}
	for name, want := range map[string][]string{
		"refnd":                      {"orders/refund"},
		"order/refund":               {"orders/refund"},
		"orders/refnud":              {"orders/refund"},
		"elsewhere/refund":           {"orders/refund"},
		"run_comand":                 {"shell/run_command"},
		"shell":                      {"shell/run_command"},
		"Shell/":                     {"shell/run_command"},
		"snd":                        {"mail/send", "archive/send"},
		"query":                      {"orders/query_order", "orders/query_user"},
		"delete":                     {"orders/batch_delete"},
		"orders":                     {"orders/refund", "orders/query_order", "orders/query_user"},
		"e":                          nil,
		"":                           nil,
		"something else":             nil,
		"complete":                   nil,
		"orders/@completion/complet": nil,
		"tasks":                      nil,
		"/":                          nil,
	} {
		if diff := cmp.Diff(want, near.Names(name, known)); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", name, diff)
		}
	}
}
