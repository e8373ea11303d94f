// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package redact_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/redact"
)

// sharedCases are kept beside the repository where it is developed; a clone
// without them has the cases of this package only.
const sharedCases = "../../../shared/cases/redaction-shared.jsonl"

type sharedCase struct {
	ID    string `json:"id"`
	Input struct {
		Text string          `json:"text"`
		Args json.RawMessage `json:"args"`
	} `json:"input"`
	Gone []string `json:"must_not_contain"`
	Kept []string `json:"must_contain"`
	Why  string   `json:"why"`
}

func TestSharedCases(t *testing.T) {
	t.Parallel()
	f, err := os.Open(sharedCases)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	r := newRedactor(t, redact.Config{MaxText: 2000})
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var c sharedCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			var out string
			if c.Input.Args != nil {
				v, err := canon.Parse(c.Input.Args, canon.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				out = string(r.Arguments(nil, v, toolverdict.RecordView))
			} else {
				out = r.Text(c.Input.Text)
			}
			for _, s := range c.Gone {
				if strings.Contains(out, s) {
					t.Errorf("%s: still there: %s\nin: %s", c.Why, s, out)
				}
			}
			for _, s := range c.Kept {
				if !strings.Contains(out, s) {
					t.Errorf("%s: lost: %s\nin: %s", c.Why, s, out)
				}
			}
		})
	}
}
