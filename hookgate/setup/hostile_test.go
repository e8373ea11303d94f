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

// TestHostileFiles: what cannot be read for sure is refused, with its line, and left
// as it is.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{\n\"hooks\": {},\n\"hooks\": {}}":     "line 3: a member is named twice",
		"{\n\"a\": {\"b\": 1, \"b\": 2}}":       "line 2: a member is named twice",
		"{\n\"hooks\": []}":                     "line 2: hooks must be an object",
		"{\"hooks\": {\n\n\"PreToolUse\": {}}}": "line 3: hooks.PreToolUse must be a list",
		"[]":                                    "must be an object",
		"{} {}":                                 "stands behind",
		"{\n// note\n}":                         "line 2",
		"{\"a\": 01}":                           "no JSON",
		"{\"a\": \"\n\"}":                       "line 1",
		"\ufeff{}":                              "no JSON",
		"{\"a\":\xff}":                          "not UTF-8",
		"{\"a\":" + strings.Repeat("[", 300):    "too deep",
		"{\"a\": 1,}":                           "the name of a member is missing",
		"{\"a\"":                                "colon",
		"{\"a\": \"" + strings.Repeat("x", 5<<20) + "\"}":         "larger than",
		"{\"hooks\": {\"PreToolUse\": [" + strings.Repeat(" ", 9): "value is missing",
	} {
		home := t.TempDir()
		file := filepath.Join(home, ".claude", "settings.json")
		put(t, file, text)
		p := setup.Place{Agent: hookgate.ClaudeCode, Home: home, Scope: setup.User}
		for what, err := range map[string]error{
			"plan": second(setup.Plan(p, setup.Entry{Program: program})), "undo": second(setup.Undo(p)), "look": second(setup.Look(p)),
		} {
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s of %.60q: %v", what, text, err)
			}
		}
		if read(t, file) != text {
			t.Errorf("%.60q was changed", text)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestOddPlaces: folders, links and files that cannot be written.
func TestOddPlaces(t *testing.T) {
	t.Parallel()
	place := func(home string) setup.Place {
		return setup.Place{Agent: hookgate.ClaudeCode, Home: home, Project: filepath.Join(home, "app"), Scope: setup.User}
	}
	t.Run("a folder in the place of the file", func(t *testing.T) {
		t.Parallel()
		home := t.TempDir()
		if err := os.MkdirAll(filepath.Join(home, ".claude", "settings.json"), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := setup.Plan(place(home), setup.Entry{Program: program}); err == nil || !strings.Contains(err.Error(), "no ordinary file") {
			t.Error(err)
		}
	})
	t.Run("a file in the place of the folder", func(t *testing.T) {
		t.Parallel()
		home := t.TempDir()
		put(t, filepath.Join(home, ".claude"), "x")
		if _, err := setup.Plan(place(home), setup.Entry{Program: program}); err == nil {
			t.Error("it is planned")
		}
	})
	t.Run("links", func(t *testing.T) {
		t.Parallel()
		home := t.TempDir()
		kept := filepath.Join(home, "dotfiles", "claude.json")
		put(t, kept, "{}\n")
		if err := os.MkdirAll(filepath.Join(home, ".claude"), 0o755); err != nil {
			t.Fatal(err)
		}
		link := filepath.Join(home, ".claude", "settings.json")
		if err := os.Symlink(kept, link); err != nil {
			t.Fatal(err)
		}
		c := install(t, place(home), setup.Entry{Program: program})
		if to, err := os.Readlink(link); err != nil || to != kept || !strings.Contains(read(t, kept), program) || !strings.Contains(c.Diff(), kept) {
			t.Error("the link is not followed, or not told of", to, err)
		}
		undo(t, place(home))
		if got := read(t, kept); got != "{}\n" {
			t.Error(got)
		}
		out := filepath.Join(home, "app", ".claude")
		if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(home, "nowhere"), out); err != nil {
			t.Fatal(err)
		}
		p := place(home)
		p.Scope = setup.Project
		if _, err := setup.Plan(p, setup.Entry{Program: program}); err == nil || !strings.Contains(err.Error(), "a link of the project leads to") {
			t.Error(err)
		}
	})
	t.Run("circle", func(t *testing.T) {
		t.Parallel()
		home := t.TempDir()
		if err := os.Symlink(filepath.Join(home, ".claude"), filepath.Join(home, ".claude")); err != nil {
			t.Fatal(err)
		}
		if _, err := setup.Plan(place(home), setup.Entry{Program: program}); err == nil {
			t.Error("it is planned")
		}
	})
	t.Run("changed in the meantime", func(t *testing.T) {
		t.Parallel()
		home := t.TempDir()
		file := filepath.Join(home, ".claude", "settings.json")
		put(t, file, "{}")
		c, err := setup.Plan(place(home), setup.Entry{Program: program})
		if err != nil {
			t.Fatal(err)
		}
		put(t, file, `{"a":1}`)
		if err := c.Apply(); err == nil || !strings.Contains(err.Error(), "changed in the meantime") || read(t, file) != `{"a":1}` {
			t.Error(err, read(t, file))
		}
	})
	t.Run("the second file cannot be written", func(t *testing.T) {
		t.Parallel()
		home := t.TempDir()
		p := setup.Place{Agent: hookgate.Cline, Home: home, Scope: setup.User}
		c, err := setup.Plan(p, setup.Entry{Program: program})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(home, ".cline", "hooks", "PostToolUse"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := c.Apply(); err == nil || read(t, filepath.Join(home, ".cline", "hooks", "PreToolUse")) != "" {
			t.Error("the first one is left", err)
		}
	})
}

// TestRefusedEntries: what agents could not start, or what would not be there for long.
func TestRefusedEntries(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, c := range []struct {
		agent hookgate.Agent
		entry setup.Entry
		want  string
	}{
		{hookgate.Codex, setup.Entry{Program: "toolverdict"}, "absolute path"},
		{hookgate.Codex, setup.Entry{}, "absolute path"},
		{hookgate.Codex, setup.Entry{Program: "/tmp/go-build123/b001/exe/toolverdict"}, "go run"},
		{hookgate.Codex, setup.Entry{Program: "/home/me/.cache/go-build/ab/cd-d/toolverdict"}, "go run"},
		{hookgate.Cline, setup.Entry{Program: program, Deadline: 2 * time.Minute}, "1m40s at most"},
		{hookgate.Gemini, setup.Entry{Program: "/opt/$PWD/toolverdict"}, "variables"},
		{hookgate.Codex, setup.Entry{Program: program, Arguments: []string{"a\nb"}}, "control character"},
		{hookgate.Codex, setup.Entry{Program: program, Deadline: time.Millisecond}, "deadline"},
		{hookgate.Codex, setup.Entry{Server: "http://a"}, "cannot ask a server itself"},
		{hookgate.ClaudeCode, setup.Entry{Server: "http://a", Program: program}, "either"},
		{hookgate.ClaudeCode, setup.Entry{Server: "http://me:pw@a"}, "no plain http"},
		{hookgate.ClaudeCode, setup.Entry{Server: "ftp://a"}, "no plain http"},
		{hookgate.ClaudeCode, setup.Entry{Server: "http://a", KeyVariable: "A B"}, "name of a variable"},
		{"nobody", setup.Entry{Program: program}, "no agent"},
	} {
		if _, err := setup.Plan(setup.Place{Agent: c.agent, Home: home, Scope: setup.User}, c.entry); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %+v: %v", c.agent, c.entry, err)
		}
	}
	for _, p := range []setup.Place{
		{Agent: hookgate.Codex, Scope: setup.User}, {Agent: hookgate.Codex, Home: "h", Scope: setup.User}, {Agent: hookgate.Codex, Home: "/h"}, {Agent: hookgate.Codex, Home: "/h", Scope: setup.Project},
	} {
		if _, err := setup.Plan(p, setup.Entry{Program: program}); err == nil {
			t.Errorf("%+v", p)
		}
		if _, err := setup.Undo(p); err == nil {
			t.Errorf("undo %+v", p)
		}
		if _, err := setup.Look(p); err == nil {
			t.Errorf("look %+v", p)
		}
	}
}

// TestFaults: what keeps an entry from working is found, and told with what mends it.
func TestFaults(t *testing.T) {
	t.Parallel()
	exe := filepath.Join(t.TempDir(), "toolverdict")
	put(t, exe, "#!/bin/sh\n")
	if err := os.Chmod(exe, 0o755); err != nil {
		t.Fatal(err)
	}
	with := func(handler string) string { return `{"hooks":{"PreToolUse":[{"hooks":[` + handler + `]}]}}` }
	for _, c := range []struct {
		agent      hookgate.Agent
		file, text string
		want       []string
	}{
		{hookgate.ClaudeCode, ".claude/settings.json", with(`{"type":"command","command":"/nothing/toolverdict","args":["hook","claude-code"],"timeout":20}`), []string{
			"line 1: its timeout is no longer", `without "onFailure"`, "not set up for PostToolUse", "not set up for PostToolUseFailure", "/nothing/toolverdict is not there",
		}},
		{hookgate.ClaudeCode, ".claude/settings.json", `{"disableAllHooks":true,"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"http","url":"http://a/v1/hooks/claude-code","async":true,"onFailure":"block"}]}]}}`, []string{
			"a matcher leaves tools out", "it is asynchronous", "not set up for PostToolUse", "not set up for PostToolUseFailure", "disableAllHooks is true",
		}},
		{hookgate.Codex, ".codex/hooks.json", `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"'/nothing/toolverdict' hook codex"}]}],"PostToolUse":[{"hooks":[{"type":"command","command":"/nothing/toolverdict hook codex","timeout":60}]}]}}`, []string{
			"does not trust the hook for PreToolUse", "does not trust the hook for PostToolUse", "is not there", "not as it is set up", "not as it is set up",
		}},
		{hookgate.Gemini, ".gemini/settings.json", `{"hooksConfig":{"enabled":false,"disabled":["toolverdict"]},"hooks":{"BeforeTool":[{"hooks":[{"command":"/nothing/toolverdict hook gemini","timeout":60}]}]}}`, []string{
			"its timeout is no longer", "not set up for AfterTool", "hooksConfig.enabled is false", "hooksConfig.disabled names the hook", "is not there",
		}},
		{hookgate.Cursor, ".cursor/hooks.json", `{"version":1,"hooks":{"preToolUse":[{"command":"/nothing/toolverdict hook cursor"}]}}`, []string{
			`without "failClosed"`, "not set up for beforeShellExecution", "not set up for beforeReadFile", "not set up for beforeMCPExecution",
			"not set up for postToolUse", "not set up for postToolUseFailure", "not set up for afterShellExecution", "not set up for afterMCPExecution", "is not there",
		}},
		{hookgate.Copilot, ".copilot/hooks/toolverdict.json", `{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"/nothing/toolverdict hook copilot"}],"postToolUse":[{"type":"command","bash":"/nothing/toolverdict hook copilot","timeoutSec":60}]}}`, []string{
			"it has no timeoutSec", "is not there",
		}},
		{hookgate.OpenCode, ".config/opencode/plugin/toolverdict.js", "// Written by 'toolverdict hook install opencode'\nconst SETUP = {\"program\":\"/nothing/toolverdict\",\"arguments\":[\"hook\",\"opencode\"]}\n", []string{
			"not as this version writes it", "is not there",
		}},
		{hookgate.Cline, ".cline/hooks/PreToolUse", "#!/bin/sh\n# Written by 'toolverdict hook install cline'\nanswer=$(/nothing/toolverdict hook cline)\n", []string{
			"not as this version writes it", "PostToolUse is missing", "is not there",
		}},
		{hookgate.Codex, ".codex/hooks.json", `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/opt/other hook codex"}]}]}}`, nil},
	} {
		home := t.TempDir()
		put(t, filepath.Join(home, c.file), c.text)
		s, err := setup.Look(setup.Place{Agent: c.agent, Home: home, Scope: setup.User})
		if err != nil || s.Found != (c.want != nil) {
			t.Errorf("%s: %v, found: %t", c.agent, err, s.Found)
		}
		for _, want := range c.want {
			if !told(s.Faults, want) {
				t.Errorf("%s: %q is not in %+v", c.agent, want, s.Faults)
			}
		}
		if len(s.Faults) != len(c.want) {
			t.Errorf("%s: %d faults, not %d: %+v", c.agent, len(s.Faults), len(c.want), s.Faults)
		}
	}
	// As the command sets it up, and with what Codex keeps of a trusted hook, there are
	// none.
	for _, agent := range hookgate.Agents() {
		home := t.TempDir()
		p := setup.Place{Agent: agent, Home: home, Project: filepath.Join(home, "app"), Scope: setup.User}
		install(t, p, setup.Entry{Program: exe})
		if agent == hookgate.Codex {
			continue // a person has to trust it: see TestTrust
		}
		s, err := setup.Look(p)
		if diff := cmp.Diff([]setup.Fault(nil), s.Faults); diff != "" || err != nil || !s.Found {
			t.Error(agent, diff, err)
		}
		p.Project = filepath.Dir(exe)
		if s, err = setup.Look(p); err != nil || !told(s.Faults, "lies in the workspace") {
			t.Error(agent, s.Faults, err)
		}
	}
}

func told(faults []setup.Fault, text string) bool {
	for _, f := range faults {
		if strings.Contains(f.Text, text) && f.Fix != "" {
			return true
		}
	}
	return false
}

// TestMixedGroup: an entry of ours that somebody put into a group with others is taken
// out of it, and they stay.
func TestMixedGroup(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := filepath.Join(home, ".qwen", "settings.json")
	put(t, file, `{"hooks": {"PreToolUse": [{"matcher": "x", "hooks": [{"command": "a"}, {"command": "/old/toolverdict hook qwen"}, {"command": "b"}]}], "Stop": [{"hooks": [{"command": "/old/toolverdict hook qwen"}]}]}}`)
	install(t, setup.Place{Agent: hookgate.Qwen, Home: home, Scope: setup.User}, setup.Entry{Program: program})
	got := read(t, file)
	if !strings.Contains(got, `{"matcher": "x", "hooks": [{"command": "a"}, {"command": "b"}]}`) || strings.Contains(got, "/old/") || strings.Count(got, program) != 2 {
		t.Error(got)
	}
}

// TestVersions: which are below an agent's floor.
func TestVersions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		agent   hookgate.Agent
		version string
		old     bool
	}{
		{hookgate.ClaudeCode, "2.1.294", true}, {hookgate.ClaudeCode, "2.1.295", false}, {hookgate.ClaudeCode, "2.2.0", false}, {hookgate.ClaudeCode, "10.0.0", false},
		{hookgate.ClaudeCode, "1.9.999", true}, {hookgate.ClaudeCode, "", true}, {hookgate.ClaudeCode, "99999999999999999999.1.1", true},
		{hookgate.Codex, "0.123.9", true}, {hookgate.Codex, "0.171.0", false}, {hookgate.Gemini, "", false},
	} {
		if fault, old := setup.Old(c.agent, c.version); old != c.old || old != (fault.Text != "") {
			t.Errorf("%s %s: %t %+v", c.agent, c.version, old, fault)
		}
	}
}

// TestTrust: Codex runs a hook only with a mark of trust for just this hook. The digests
// are what Codex 0.171 tells of these (hooks/list of its app server).
func TestTrust(t *testing.T) {
	t.Parallel()
	const command = "/usr/local/bin/toolverdict hook codex || { echo the gate failed >&2; exit 2; }"
	const before, after = "871cb2ddedaf788163e7d159be5cc312bf0583ccf06a273861f6b9a0cb8bc7fb", "bd6d4fc929f9d57403b37f43c2b32c7b5e79c25b953080f9e22a15a92d5c125d"
	home := t.TempDir()
	p := setup.Place{Agent: hookgate.Codex, Home: home, Scope: setup.User}
	install(t, p, setup.Entry{Program: "/usr/local/bin/toolverdict"})
	hooks := filepath.Join(home, ".codex", "hooks.json")
	if !strings.Contains(read(t, hooks), command) {
		t.Fatal(read(t, hooks))
	}
	mark := func(event, digest, more string) string {
		return "[hooks.state.'" + hooks + ":" + event + ":0:0']\ntrusted_hash = \"sha256:" + digest + "\"\n" + more + "\n"
	}
	for text, want := range map[string]int{
		"":                               2,
		mark("pre_tool_use", before, ""): 1,
		mark("pre_tool_use", before, "") + mark("post_tool_use", after, "enabled = true"):  0,
		mark("pre_tool_use", before, "") + mark("post_tool_use", before, ""):               1, // another hook's
		mark("pre_tool_use", before, "enabled = false") + mark("post_tool_use", after, ""): 1,
		strings.ReplaceAll(mark("pre_tool_use", before, ""), home, "/elsewhere"):           2,
		strings.ReplaceAll(mark("pre_tool_use", before, ""), ":0:0", ":1:0"):               2,
	} {
		put(t, filepath.Join(home, ".codex", "config.toml"), text)
		s, err := setup.Look(p)
		if err != nil {
			t.Fatal(err)
		}
		untrusted := 0
		for _, f := range s.Faults {
			if strings.Contains(f.Text, "does not trust") {
				untrusted++
			}
		}
		if untrusted != want {
			t.Errorf("%d are not trusted, not %d, with %s", untrusted, want, text)
		}
	}
}

// TestFolder: where the environment says that settings are.
func TestFolder(t *testing.T) {
	t.Parallel()
	env := map[string]string{"CODEX_HOME": "/srv/codex/", "XDG_CONFIG_HOME": "/srv/config", "CLAUDE_CONFIG_DIR": "/h/.claude", "QWEN_HOME": "qwen", "CLINE_DIR": "", "GEMINI_CLI_HOME": "/srv/me"}
	getenv := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	for agent, want := range map[hookgate.Agent]string{
		hookgate.Codex: "/srv/codex", hookgate.OpenCode: "/srv/config/opencode", hookgate.ClaudeCode: "", hookgate.Cline: "", hookgate.Gemini: "/srv/me/.gemini", hookgate.Copilot: "",
	} {
		if got, err := setup.Folder(agent, "/h", getenv); got != want || err != nil {
			t.Errorf("%s: %q, %v", agent, got, err)
		}
	}
	if _, err := setup.Folder(hookgate.Qwen, "/h", getenv); err == nil {
		t.Error("a folder that is not absolute is taken")
	}
	env["XDG_CONFIG_HOME"] = "/h/.config"
	if got, err := setup.Folder(hookgate.OpenCode, "/h", getenv); got != "" || err != nil {
		t.Error(got, err)
	}
}
