// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package agents_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/e2e/agents/internal/drive"
	"github.com/toolverdict/toolverdict/e2e/agents/internal/model"
	"github.com/toolverdict/toolverdict/hookgate/setup"
)

// TestClaudePauses: where nobody attends a run and the configuration says so, what a
// person has to approve ends it; resumed before the answer it waits on, and resumed
// after it the stored call runs once, under the user's own permissions.
func TestClaudePauses(t *testing.T) {
	t.Parallel()
	a := claude()
	s := a.stage(t)
	s.Defer(t)
	// What a project says of the run counts for nothing: it could have a gate pause one that
	// somebody attends, which passes over it.
	s.Put(t, filepath.Join(s.Project, ".claude", "settings.json"), `{"env":{"CLAUDE_CODE_SESSION_ATTENDED":"1","CLAUDE_CODE_ENTRYPOINT":"cli"}}`)
	file := filepath.Join(s.Project, "release", "log")
	if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	script := model.Script{Word: "main-script", Turns: []model.Turn{{Calls: []model.Call{a.Shell("echo ran >> " + file)}}, model.Say("That is all.")}}
	first := ended(t, s.Run(t, s.Usual(), script))
	if first.Reason != "tool_deferred" {
		t.Fatalf("the run ended as %q", first.Reason)
	}
	resume := func() *drive.Run { return s.Prompt(t, s.Usual(), "", script) }
	s.Agent = drive.Claude(a.needs[0], "--permission-mode", "bypassPermissions", "--resume", first.Session)
	if again := ended(t, resume()); again.Reason != "tool_deferred" || drive.Exists(file) {
		t.Fatalf("before the answer: %q, ran: %v", again.Reason, drive.Exists(file))
	}
	s.Approve(t, s.Asked(t))
	if last := ended(t, resume()); last.Result != "That is all." {
		t.Errorf("after the answer: %+v", last)
	}
	resume() // there is nothing to take up any more
	if b, err := os.ReadFile(file); err != nil || string(b) != "ran\n" {
		t.Errorf("the call wrote %q (%v)", b, err)
	}
}

// TestClaudeHelperDoesNotPause: a helper's call could not be taken up again, so that it
// is denied with the confirmation's id.
func TestClaudeHelperDoesNotPause(t *testing.T) {
	t.Parallel()
	a := claude()
	s := a.stage(t)
	s.Defer(t)
	file := filepath.Join(s.Project, "release")
	r := s.Run(t, s.Usual(), model.Script{Word: "main-script", Turns: a.Spawn("Please do helper-script now.")},
		model.Script{Word: "helper-script", Turns: []model.Turn{{Calls: []model.Call{a.Shell("echo ran > " + file)}}}})
	if text, _ := r.Shown("helper-script", 0, 0); !strings.Contains(text, "CONFIRMATION_REQUIRED") || drive.Exists(file) {
		t.Errorf("the helper's model was told %q", text)
	}
}

// TestClaudeAsksServers: where Claude Code asks a server itself, and what answers is no
// gate, the tool does not run; an empty answer is the gap that the docs name.
func TestClaudeAsksServers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
		runs   bool
	}{
		"garbage":  {http.StatusOK, "all is well", false},
		"fault":    {http.StatusInternalServerError, "{}", false},
		"no entry": {http.StatusForbidden, "{}", false},
		"nothing":  {http.StatusOK, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			t.Cleanup(server.Close)
			a := claude()
			s := a.stage(t)
			file := filepath.Join(s.Project, "file")
			s.Run(t, setup.Entry{Server: server.URL}, model.Script{Word: "main-script", Turns: []model.Turn{{Calls: []model.Call{a.Shell("echo ran > " + file)}}}})
			if drive.Exists(file) != c.runs {
				t.Errorf("the tool ran: %v", !c.runs)
			}
		})
	}
}

// result is what Claude Code prints at the end.
type result struct {
	Reason  string `json:"stop_reason"`
	Session string `json:"session_id"`
	Result  string
}

func ended(t *testing.T, r *drive.Run) result {
	t.Helper()
	var out result
	if err := json.Unmarshal([]byte(r.Output[strings.Index(r.Output, "{"):]), &out); err != nil {
		t.Fatal(err)
	}
	return out
}
