// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package suite_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/e2e/internal/suite"
)

// write makes a result folder as the suite does, one scenario per entry.
func write(t *testing.T, scenarios map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, checks := range scenarios {
		sub := filepath.Join(dir, "server-"+name+"-2026-11-30T02-02-22-553Z")
		if err := os.Mkdir(sub, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(sub, "checks.json"), []byte(checks), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(t *testing.T, scenarios map[string]string) suite.Run {
	t.Helper()
	run, err := suite.Read(write(t, scenarios))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

const pingOK = `[{"id":"ping","name":"Ping","status":"SUCCESS","details":{"url":"http://127.0.0.1:41/mcp/x"}},
 {"id":"wire","name":"Wire","status":"SUCCESS"},{"id":"wire","name":"Wire","status":"FAILURE","errorMessage":"at 127.0.0.1:41"}]`

func TestEqualRunsDoNotDiffer(t *testing.T) {
	t.Parallel()
	a := read(t, map[string]string{"ping": pingOK})
	b := read(t, map[string]string{"ping": strings.ReplaceAll(pingOK, ":41", ":5999")})
	if diffs := suite.Compare(a, b, nil); len(diffs) > 0 {
		t.Errorf("differences: %q", diffs)
	}
	if got := a.Count(suite.Success); got != 2 {
		t.Errorf("successes: got %d, want 2", got)
	}
}

func TestEveryKindOfDifferenceIsFound(t *testing.T) {
	t.Parallel()
	direct := read(t, map[string]string{"ping": pingOK})
	tests := map[string]struct{ got, want string }{
		"worse":         {`[{"id":"ping","name":"Ping","status":"FAILURE","errorMessage":"no"},{"id":"wire","name":"Wire","status":"SUCCESS"},{"id":"wire","name":"Wire","status":"FAILURE","errorMessage":"at 127.0.0.1:1"}]`, "ping/ping/Ping: SUCCESS directly, FAILURE through the gate: no"},
		"better":        {`[{"id":"ping","name":"Ping","status":"SUCCESS"},{"id":"wire","name":"Wire","status":"SUCCESS"},{"id":"wire","name":"Wire","status":"SUCCESS"}]`, "ping/wire/Wire#2: FAILURE directly, SUCCESS through the gate: at 127.0.0.1:41"},
		"absent":        {`[{"id":"wire","name":"Wire","status":"SUCCESS"},{"id":"wire","name":"Wire","status":"FAILURE","errorMessage":"at 127.0.0.1:1"}]`, "ping/ping/Ping: SUCCESS directly, absent through the gate"},
		"extra":         {strings.Replace(pingOK, "[", `[{"id":"new","name":"New","status":"SUCCESS"},`, 1), "ping/new/New: absent directly, SUCCESS through the gate: "},
		"other error":   {strings.Replace(pingOK, "at 127", "not at 127", 1), `ping/wire/Wire#2: FAILURE both times, but "at 127.0.0.1:41" directly, "not at 127.0.0.1:41" through the gate`},
		"missing third": {`[{"id":"ping","name":"Ping","status":"SUCCESS"},{"id":"wire","name":"Wire","status":"SUCCESS"}]`, "ping/wire/Wire#2: FAILURE directly, absent through the gate"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := suite.Compare(direct, read(t, map[string]string{"ping": tt.got}), nil)
			if diff := cmp.Diff([]string{tt.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("whole scenario", func(t *testing.T) {
		t.Parallel()
		more := read(t, map[string]string{"ping": pingOK, "pong": `[{"id":"p","name":"P","status":"INFO"}]`})
		if got := suite.Compare(more, direct, nil); len(got) != 1 {
			t.Errorf("got %q, want one difference", got)
		}
	})
}

func TestExemptions(t *testing.T) {
	t.Parallel()
	direct := read(t, map[string]string{"ping": pingOK})
	gated := read(t, map[string]string{"ping": `[{"id":"ping","name":"Ping","status":"SUCCESS"}]`})
	wire := suite.Exempt{Scenario: "ping", ID: "wire", Reason: "there is no wire"}
	if got := suite.Compare(direct, gated, []suite.Exempt{wire}); len(got) > 0 {
		t.Errorf("exempt checks are reported: %q", got)
	}
	got := suite.Compare(direct, direct, []suite.Exempt{wire})
	want := []string{"ping/wire: the exemption is not needed any more: remove it"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unneeded exemption (-want +got):\n%s", diff)
	}
}

func TestLostIsWhatSucceedsNoMore(t *testing.T) {
	t.Parallel()
	direct := read(t, map[string]string{"c": `[{"id":"a","name":"A","status":"SUCCESS"},{"id":"b","name":"B","status":"SUCCESS"},
		{"id":"c","name":"C","status":"SUCCESS"},{"id":"d","name":"D","status":"INFO"},{"id":"e","name":"E","status":"FAILURE"}]`})
	gated := read(t, map[string]string{"c": `[{"id":"a","name":"A","status":"SUCCESS"},{"id":"b","name":"B","status":"WARNING","errorMessage":"no"},
		{"id":"e","name":"E","status":"SUCCESS"},{"id":"f","name":"F","status":"FAILURE"}]`})
	want := []string{"c/b/B: succeeds directly, WARNING through the gate: no", "c/c/C: succeeds directly, absent through the gate"}
	if diff := cmp.Diff(want, suite.Lost(direct, gated, nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLostKnowsExemptions(t *testing.T) {
	t.Parallel()
	direct := read(t, map[string]string{"c": `[{"id":"a","name":"A","status":"SUCCESS"}]`})
	gated := read(t, map[string]string{"c": `[{"id":"a","name":"A","status":"FAILURE"}]`})
	exempt := []suite.Exempt{{Scenario: "c", ID: "a", Reason: "so"}}
	if got := suite.Lost(direct, gated, exempt); len(got) > 0 {
		t.Errorf("exempt: %q", got)
	}
	if got := suite.Lost(direct, direct, exempt); len(got) != 1 {
		t.Errorf("an unneeded exemption is not reported: %q", got)
	}
}

func TestUnknownToolsHaveNoNameInCommon(t *testing.T) {
	t.Parallel()
	direct := read(t, map[string]string{"t": `[{"id":"l","name":"L","status":"FAILURE","errorMessage":"unknown tool \"greet\""}]`})
	gated := read(t, map[string]string{"t": `[{"id":"l","name":"L","status":"FAILURE","errorMessage":"There is no such tool. Call a tool from the tool list. (UNKNOWN_TOOL, call 3jqphw6r)"}]`})
	if diffs := suite.Compare(direct, gated, nil); len(diffs) > 0 {
		t.Errorf("differences: %q", diffs)
	}
}

func TestReadRefusesWhatIsNotAResult(t *testing.T) {
	t.Parallel()
	tests := map[string]map[string]string{
		"nothing at all":   {},
		"no checks":        {"ping": `[]`},
		"not JSON":         {"ping": `oops`},
		"no status":        {"ping": `[{"id":"ping"}]`},
		"unreadable names": {"../ping": ""},
	}
	for name, scenarios := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if name == "unreadable names" {
				if err := os.Mkdir(filepath.Join(dir, "ping"), 0o700); err != nil {
					t.Fatal(err)
				}
			} else {
				dir = write(t, scenarios)
			}
			if _, err := suite.Read(dir); err == nil {
				t.Error("no error")
			}
		})
	}
	t.Run("twice", func(t *testing.T) {
		t.Parallel()
		dir := write(t, map[string]string{"ping": pingOK})
		if err := os.Mkdir(filepath.Join(dir, "server-ping-2026-11-30T02-02-22-554Z"), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := suite.Read(dir); err == nil {
			t.Error("no error")
		}
	})
}
