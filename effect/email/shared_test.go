// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package email_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/email"
)

// sharedCase is one line of the cases that are kept beside a checkout.
type sharedCase struct {
	ID, Kind, Expect, Why string
	Call                  struct {
		Args map[string]tv.Value
	}
}

// TestSharedCases judges the cases by effects, where they are there to be read.
// Their policy: every recipient is in the company, and nothing is opaque.
func TestSharedCases(t *testing.T) {
	t.Parallel()
	f, err := os.Open("../../../shared/cases/shared.jsonl")
	if err != nil {
		t.Log("no cases beside this checkout")
		return
	}
	defer f.Close()
	judged, lines := 0, bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c sharedCase
		var kind struct{ Kind string }
		if err := json.Unmarshal(lines.Bytes(), &kind); err != nil {
			t.Fatal(err)
		}
		if kind.Kind != "email" {
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		judged++
		var effects []tv.Effect
		for _, field := range []string{"to", "cc", "bcc"} {
			if v, ok := c.Call.Args[field]; ok {
				effects = append(effects, email.AnalyseValue(v, email.Options{Source: "/" + field, Field: field, Single: true})...)
			}
		}
		if v, ok := c.Call.Args["subject"]; ok {
			effects = append(effects, email.AnalyseHeaderValue(v, email.Options{Source: "/subject"})...)
		}
		allow := true
		for _, e := range effects {
			allow = allow && e.Kind == tv.EffectSend && e.Domain == "corp.example"
		}
		if allow != (c.Expect == "allow") {
			t.Errorf("%s (%s) is to be %s: %s", c.ID, c.Why, c.Expect, show(effects))
		}
	}
	if err := lines.Err(); err != nil || judged == 0 {
		t.Errorf("%d cases judged, %v", judged, err)
	}
	t.Logf("%d cases judged", judged)
}
