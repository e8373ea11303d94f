// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main_test

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	goagent "github.com/toolverdict/toolverdict/examples/go-agent"
)

func TestAgent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args     []string
		typed    string
		paid     int
		endsWith string
	}{
		"yes, by flag":     {[]string{"--yes"}, "", 1, "The refund is paid, once."},
		"yes, typed":       {nil, "y\n", 1, "The refund is paid, once."},
		"no":               {nil, "n\n", 0, "The refund was not approved. I tell the customer."},
		"nobody is there":  {nil, "", 0, "The refund was not approved. I tell the customer."},
		"something else":   {nil, "maybe\n", 0, "The refund was not approved. I tell the customer."},
		"yes, to a folder": {[]string{"--yes", "--folder", t.TempDir()}, "", 1, "The refund is paid, once."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := goagent.Run(t.Context(), c.args, strings.NewReader(c.typed), &out); err != nil {
				t.Fatal(err)
			}
			talk, log, _ := strings.Cut(out.String(), "audit log:\n")
			if !strings.Contains(talk, c.endsWith) || strings.Contains(talk, "900 euros of order") {
				t.Errorf("it said:\n%s", talk)
			}
			if got := strings.Count(log, "outcome shop/refund"); got != c.paid {
				t.Errorf("paid %d times, want %d:\n%s", got, c.paid, log)
			}
		})
	}
}

// The README shows what the program prints.
func TestReadmeShowsTheRun(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := goagent.Run(t.Context(), []string{"--yes"}, strings.NewReader(""), &out); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "README.zh-CN.md"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, shown, _ := strings.Cut(string(b), "```text\n")
		shown, _, _ = strings.Cut(shown, "```")
		printed := regexp.MustCompile(`Confirmation id: \w+`).ReplaceAllString(out.String(), "Confirmation id: …")
		if diff := cmp.Diff(shown, printed); diff != "" {
			t.Errorf("%s (-shown +printed):\n%s", name, diff)
		}
	}
}
