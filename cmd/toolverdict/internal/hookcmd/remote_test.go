// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookcmd_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/hookcmd"
	"github.com/toolverdict/toolverdict/hookgate"
)

// headless is what Claude Code tells the hooks of a run that nobody attends.
func headless(name string) (string, bool) {
	v, ok := map[string]string{"CLAUDE_CODE_SESSION_ATTENDED": "0", "CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}[name]
	return v, ok
}

// TestOddAnswers: whatever answers in the place of a gate, what the agent reads is
// one of the two answers, and only a gate's own "{}" is no objection.
func TestOddAnswers(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("tv_x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	denial := string(hookgate.Denial(hookgate.ClaudeCode, "no"))
	for name, c := range map[string]struct {
		status int
		body   string
		want   string
		fault  bool
	}{
		"no objection":            {200, "{}\n", "{}", false},
		"denial":                  {200, denial, denial, false},
		"allow":                   {200, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`, "", true},
		"other agent's denial":    {200, string(hookgate.Denial(hookgate.Gemini, "no")), "", true},
		"denial without reason":   {200, string(hookgate.Denial(hookgate.ClaudeCode, "no"))[:40], "", true},
		"two answers":             {200, "{}{}", "", true},
		"denial, and more":        {200, denial + "{}", "", true},
		"member twice":            {200, `{"a":1,"a":1}`, "", true},
		"other member":            {200, `{"continue":true}`, "", true},
		"nothing":                 {200, "", "", true},
		"deferral":                {200, string(hookgate.Deferral("no")), "", true}, // where somebody attends, it would run the tool
		"page":                    {200, "<html>", "", true},
		"longer than any":         {200, "{}" + strings.Repeat(" ", 1<<20) + "x", "", true},
		"no content":              {204, "", "", true},
		"created":                 {201, "{}", "", true},
		"no objection, not found": {404, "{}", "", true},
		"forbidden":               {403, "{}", "", true},
		"fault":                   {500, "{}", "", true},
		"elsewhere":               {302, "{}", "", true},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/hooks/claude-code" || r.Header.Get("Authorization") != "Bearer tv_x" {
				t.Errorf("asked for %s", r.URL)
			}
			w.Header().Set("Location", "/v1/hooks/claude-code/other")
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body) // the client may have read enough
		}))
		var out, errs bytes.Buffer
		app := &cli.App{World: cli.World{
			Stdin: strings.NewReader("{}"), Stdout: &out, Stderr: &errs, Now: time.Now,
			Getenv: headless,
		}}
		command := hookcmd.Command(app)
		command.SetArgs([]string{"claude-code", "--server", server.URL, "--key-file", key})
		command.SilenceErrors, command.SilenceUsage = true, true
		err := command.ExecuteContext(t.Context())
		server.Close()
		got := strings.TrimSuffix(out.String(), "\n")
		objects, ok := hookgate.Objects(hookgate.ClaudeCode, []byte(got))
		if !ok || (err != nil) != c.fault || c.fault && (!objects || !strings.Contains(errs.String(), "is no gate")) || !c.fault && got != c.want {
			t.Errorf("%s: %s, %v, %s", name, got, err, errs.String())
		}
	}
}
