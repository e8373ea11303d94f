// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package setup_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/setup"
)

const program = "/usr/local/bin/toolverdict"

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

// read is what a file holds, "" where there is none.
func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(b)
}

func install(t *testing.T, p setup.Place, e setup.Entry) setup.Change {
	t.Helper()
	c, err := setup.Plan(p, e)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Apply(); err != nil {
		t.Fatal(err)
	}
	return c
}

func undo(t *testing.T, p setup.Place) {
	t.Helper()
	c, err := setup.Undo(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Apply(); err != nil {
		t.Fatal(err)
	}
}

// TestEntries: what stands in the file of each agent, where there was nothing. A
// second time, nothing changes, and afterwards there is nothing again.
func TestEntries(t *testing.T) {
	t.Parallel()
	for agent, want := range map[hookgate.Agent]struct{ file, entry string }{
		hookgate.ClaudeCode: {".claude/settings.json", `{
  "hooks": {
    "PreToolUse": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/usr/local/bin/toolverdict",
            "args": [
              "hook",
              "claude-code"
            ],
            "timeout": 60,
            "onFailure": "block"
          }
        ]
      }
    ],`},
		hookgate.Codex:    {".codex/hooks.json", `"command": "/usr/local/bin/toolverdict hook codex || { echo the gate failed >&2; exit 2; }"`},
		hookgate.Gemini:   {".gemini/settings.json", `"name": "toolverdict",`},
		hookgate.Qwen:     {".qwen/settings.json", `"timeout": 60000`},
		hookgate.Copilot:  {".copilot/hooks/toolverdict.json", "{\n  \"version\": 1,\n  \"hooks\": {\n    \"preToolUse\": [\n      {\n        \"type\": \"command\",\n        \"bash\": \"/usr/local/bin/toolverdict hook copilot\","},
		hookgate.Cursor:   {".cursor/hooks.json", `"failClosed": true`},
		hookgate.OpenCode: {".config/opencode/plugin/toolverdict.js", `const SETUP = {"program":"/usr/local/bin/toolverdict","arguments":["hook","opencode"],"deadline":30000,`},
		hookgate.Cline:    {".cline/hooks/PreToolUse", "answer=$(/usr/local/bin/toolverdict hook cline) || answer=\n"},
	} {
		t.Run(string(agent), func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			p := setup.Place{Agent: agent, Home: home, Scope: setup.User}
			c := install(t, p, setup.Entry{Program: program})
			if got := read(t, filepath.Join(home, want.file)); !strings.Contains(got, want.entry) {
				t.Errorf("%s: %s", want.file, got)
			}
			if diff := c.Diff(); !strings.Contains(diff, "+++ "+filepath.Join(home, want.file)) || !strings.Contains(diff, "--- /dev/null") {
				t.Error(diff)
			}
			again, err := setup.Plan(p, setup.Entry{Program: program})
			if err != nil || !again.Empty() || again.Diff() != "" {
				t.Errorf("a second time: %v, %s", err, again.Diff())
			}
			s, err := setup.Look(p)
			if err != nil || !s.Found {
				t.Fatal(err, s)
			}
			if diff := cmp.Diff(setup.Entry{Program: program, Deadline: setup.DefaultDeadline}, s.Entry); diff != "" {
				t.Error(diff)
			}
			undo(t, p)
			if _, err := os.Stat(filepath.Join(home, want.file)); !os.IsNotExist(err) {
				t.Error("the file is still there")
			}
			if s, err = setup.Look(p); err != nil || s.Found {
				t.Error("there is still an entry", err)
			}
		})
	}
}

// others is a file in which people and other tools wrote.
const others = `{
	"model" : "m",  "big": 12345678901234567890, "e": 1.0E+2,
	"env": {"http_proxy": "a", "HTTP_PROXY": "b"},
	"hooks": {
		"PreToolUse": [
			{"matcher": "Bash", "hooks": [{"type": "command", "command": "/opt/other hook claude-code"}]}
		],
		"Stop": []
	},
	"last": [1,
	2]
}
`

// TestOthers: what others wrote stays as it is, before and after.
func TestOthers(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := setup.Place{Agent: hookgate.ClaudeCode, Home: home, Scope: setup.User}
	file := filepath.Join(home, ".claude", "settings.json")
	put(t, file, others)
	install(t, p, setup.Entry{Program: "/opt/a b/tv's gate", Arguments: []string{"--config", "/etc/x y.yaml"}, Deadline: time.Minute})
	got := read(t, file)
	for _, kept := range []string{
		`"model" : "m",  "big": 12345678901234567890, "e": 1.0E+2,`, `{"matcher": "Bash", "hooks": [{"type": "command", "command": "/opt/other hook claude-code"}]}`, "\"last\": [1,\n\t2]",
	} {
		if !strings.Contains(got, kept) {
			t.Errorf("%s is not in %s", kept, got)
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Error("the mode of the file is another", err)
	}
	s, err := setup.Look(p)
	want := setup.Entry{Program: "/opt/a b/tv's gate", Arguments: []string{"--config", "/etc/x y.yaml"}, Deadline: time.Minute}
	if diff := cmp.Diff(want, s.Entry); diff != "" || err != nil {
		t.Error(diff, err)
	}
	// Another version: its own entry is replaced, in its place.
	install(t, p, setup.Entry{Program: program})
	got = read(t, file)
	if strings.Contains(got, "gate") || strings.Count(got, program) != 3 || strings.Count(got, "/opt/other") != 1 {
		t.Error(got)
	}
	// Somebody writes, and what they wrote stays.
	put(t, file, strings.Replace(got, `"last"`, `"more": true, "last"`, 1))
	undo(t, p)
	if diff := cmp.Diff(strings.Replace(others, `"last"`, `"more": true, "last"`, 1), read(t, file)); diff != "" {
		t.Error(diff)
	}
	install(t, p, setup.Entry{Program: program})
	undo(t, p)
	if diff := cmp.Diff(strings.Replace(others, `"last"`, `"more": true, "last"`, 1), read(t, file)); diff != "" {
		t.Error(diff)
	}
}
