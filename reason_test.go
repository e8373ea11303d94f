// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
)

var update = flag.Bool("update", false, "write the generated documents anew")

// meaning says when each code is given. A code without an entry fails the test.
var meaning = map[tv.Code]string{
	tv.UnknownTool:          "The tool is not in the catalog, or it is held back until somebody reviews it.",
	tv.ToolNotAllowed:       "The tool is destructive and the run is read-only, or the user switched it off.",
	tv.MalformedCall:        "Strict decoding refused the arguments: two programs could read them differently.",
	tv.InvalidInput:         "The arguments do not fit the tool's schema, or a key of an earlier call came with other arguments.",
	tv.PermissionDenied:     "The caller lacks the tool's permission.",
	tv.PolicyDenied:         "A rule denies the call, or no rule allows it.",
	tv.RateLimited:          "A limit rule has no room, or too many calls of the run wait for a person. `retryAfter` says how many seconds to wait.",
	tv.ConfirmationRequired: "A person must approve. `confirmation` holds the id and what the person is shown.",
	tv.ConfirmationInvalid:  "The confirmation is unknown, expired, rejected, used, another caller's, or taken back.",
	tv.SessionFrozen:        "Too many denials, a loop or a spent budget froze the session. Reserved: nothing freezes sessions yet.",
	tv.OutcomeUnknown:       "The call was dispatched and its answer was lost. It is not run again until somebody settles it.",
	tv.ToolError:            "The tool itself failed, or could not be reached.",
	tv.ToolTimeout:          "A tool that only reads did not answer in time.",
	tv.GateUnavailable:      "The gate could not decide or record. Nothing was run.",
	tv.InProgress:           "The same call is running right now.",
}

// changed says what stateChanged can be.
var changed = map[tv.Code]string{
	tv.OutcomeUnknown: "unknown", tv.InProgress: "unknown",
	tv.ToolError: "false; unknown for a destructive tool that was reached", tv.ToolTimeout: "false",
}

// TestReasonsDocument keeps docs/reasons.md equal to the code.
func TestReasonsDocument(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# Reason codes\n\nEvery refusal and failure carries one of these codes. The list only grows. " +
		"This page is generated from `reason.go`: `go test . -run ReasonsDocument -update`.\n\n" +
		"| code | when | blocked for safety | retryable | state changed | what to do |\n|---|---|---|---|---|---|\n")
	for _, c := range tv.Codes() {
		if meaning[c] == "" {
			t.Errorf("code %s has no meaning in this test", c)
		}
		state := changed[c]
		if state == "" {
			state = "false"
		}
		trait := c.Trait()
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", c, meaning[c], yes(trait.SecurityBlocked), yes(trait.Retryable), state, trait.Advice)
	}
	b.WriteString("\nA tool can give its own advice for a code: `guidance` in the catalog.\n")
	if *update {
		if err := os.WriteFile("docs/reasons.md", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("docs/reasons.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.String(), string(got)); diff != "" {
		t.Errorf("docs/reasons.md is not what the code says (run with -update):\n%s", diff)
	}
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// TestUnknownCodeIsBlocked keeps an invented code from reading as harmless.
func TestUnknownCodeIsBlocked(t *testing.T) {
	t.Parallel()
	if trait := tv.Code("INVENTED").Trait(); !trait.SecurityBlocked || trait.Retryable {
		t.Errorf("got %+v", trait)
	}
}
