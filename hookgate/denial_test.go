// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookgate_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/hookgate"
)

// TestDenial: the exact bytes that each agent takes for a denial.
func TestDenial(t *testing.T) {
	t.Parallel()
	claude := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`
	for agent, want := range map[hookgate.Agent]string{
		hookgate.ClaudeCode: claude, hookgate.Codex: claude, hookgate.Qwen: claude, "other": claude,
		hookgate.Gemini:   `{"decision":"deny","reason":"no"}`,
		hookgate.Copilot:  `{"permissionDecision":"deny","permissionDecisionReason":"no"}`,
		hookgate.Cursor:   `{"permission":"deny","user_message":"no","agent_message":"no"}`,
		hookgate.OpenCode: `{"decision":"deny","reason":"no"}`,
		hookgate.Cline:    `{"cancel":true,"errorMessage":"no"}`,
	} {
		if got := string(hookgate.Denial(agent, "no")); got != want {
			t.Errorf("%s: %s", agent, got)
		}
	}
	if got := string(hookgate.NoObjection()); got != "{}" {
		t.Error(got)
	}
	if len(hookgate.Agents()) != 8 {
		t.Error("an agent has no line in this test")
	}
}

// TestObjects: whatever is not exactly one of the two answers is none.
func TestObjects(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string][2]bool{
		`{}`:                                {false, true},
		` { } ` + "\n":                      {false, true},
		`{"decision":"deny","reason":"no"}`: {true, true},
		`{"decision":"deny","reason":"no"}` + "\n":                      {true, true},
		`{"decision":"deny","reason":""}`:                               {false, false},
		`{"decision":"deny"}`:                                           {false, false},
		`{"decision":"Deny","reason":"no"}`:                             {false, false},
		`{"decision":"allow","reason":"no"}`:                            {false, false},
		`{"decision":"deny","reason":"no","continue":true}`:             {false, false},
		`{"decision":"deny","decision":"allow","reason":"no"}`:          {false, false},
		`{"permissionDecision":"deny","permissionDecisionReason":"no"}`: {false, false},
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`: {false, false},
		`{}{}`:            {false, false},
		`{"async":true}`:  {false, false},
		``:                {false, false},
		`null`:            {false, false},
		`log line` + "{}": {false, false},
	} {
		objects, ok := hookgate.Objects(hookgate.Gemini, []byte(answer))
		if [2]bool{objects, ok} != want {
			t.Errorf("%s: %t %t", answer, objects, ok)
		}
	}
}

// TestAnyReason: whatever the text is, a denial is one JSON object of one form,
// short, and with a reason.
func TestAnyReason(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		agent := rapid.SampledFrom(hookgate.Agents()).Draw(t, "agent")
		text := rapid.OneOf(rapid.String(), rapid.StringN(900, 3000, -1), rapid.SampledFrom([]string{"", " ", "\u202e", "\x1b[2J", "\xff"})).Draw(t, "text")
		answer := hookgate.Denial(agent, text)
		if objects, ok := hookgate.Objects(agent, answer); !ok || !objects {
			t.Fatalf("no denial: %s", answer)
		}
		if !json.Valid(answer) || !utf8.Valid(answer) || strings.ContainsAny(string(answer), "\n\r\x1b\u202e") {
			t.Fatalf("not fit to be printed: %q", answer)
		}
		if len(hookgate.Reason(text)) > 1000 || hookgate.Reason(text) == "" {
			t.Fatalf("reason of %d bytes", len(hookgate.Reason(text)))
		}
	})
}

// TestDeferral: a deferral is neither of the two answers, and only it is one.
func TestDeferral(t *testing.T) {
	t.Parallel()
	answer := hookgate.Deferral("wait\nfor \x1b[31m a person")
	if !hookgate.Defers(answer) || strings.ContainsAny(string(answer), "\n\x1b") || !strings.Contains(string(answer), `"permissionDecision":"defer"`) {
		t.Errorf("%s", answer)
	}
	for _, a := range hookgate.Agents() {
		if _, ok := hookgate.Objects(a, answer); ok {
			t.Errorf("%s: a deferral passes for one of the two answers", a)
		}
		if hookgate.Defers(hookgate.Denial(a, "no")) {
			t.Errorf("%s: a denial passes for a deferral", a)
		}
	}
	for _, other := range []string{
		"{}", "", strings.Replace(string(answer), "defer", "allow", 1), strings.Replace(string(answer), "defer", "Defer", 1),
		string(answer) + "{}", strings.Replace(string(answer), "PreToolUse", "PostToolUse", 1),
	} {
		if hookgate.Defers([]byte(other)) {
			t.Errorf("%s passes for a deferral", other)
		}
	}
}
