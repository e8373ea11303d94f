// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package setup_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/setup"
)

// jsonAgents are those whose settings are JSON that others write to as well.
var jsonAgents = map[hookgate.Agent]string{
	hookgate.ClaudeCode: ".claude/settings.json", hookgate.Codex: ".codex/hooks.json", hookgate.Gemini: ".gemini/settings.json",
	hookgate.Qwen: ".qwen/settings.json", hookgate.Cursor: ".cursor/hooks.json", hookgate.Copilot: ".copilot/hooks/toolverdict.json",
}

// document draws settings as people and tools write them: laid out anyhow, with
// entries of others.
func document(t *rapid.T, comments bool) string {
	space := func(label string) string {
		spaces := []string{"", " ", "\n", "\n  ", "\t", "\r\n    "}
		if comments {
			spaces = append(spaces, " // note\n", "/* x */ ", "\n// \"hooks\": {}\n")
		}
		return rapid.SampledFrom(spaces).Draw(t, label)
	}
	join := func(open, end string, parts []string) string {
		var b strings.Builder
		b.WriteString(open)
		for i, part := range parts {
			if i > 0 {
				b.WriteString(space("s") + ",")
			}
			b.WriteString(space("s") + part)
		}
		return b.String() + space("s") + end
	}
	handler := rapid.SampledFrom([]string{
		`{"type":"command","command":"/opt/other hook claude-code"}`, `{ "command": "x", "timeout": 1e1 }`, `{"type":"http","url":"http://a/v1/hook"}`, `7`, `null`,
	})
	events := []string{}
	for _, event := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"PreToolUse", "BeforeTool", "preToolUse", "Stop", "PostToolUse"}), 0, 3, rapid.ID[string]).Draw(t, "events") {
		var items []string
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			item := handler.Draw(t, "handler")
			if rapid.Bool().Draw(t, "nested") {
				item = join("{", "}", []string{`"matcher":"Bash"`, `"hooks":` + join("[", "]", []string{item})})
			}
			items = append(items, item)
		}
		events = append(events, fmt.Sprintf("%q:", event)+join("[", "]", items))
	}
	members := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		`"a" : 1.50E+3`, `"big":12345678901234567890123`, `"é\u0041":"\/"`, `"env":{"http_proxy":"a","HTTP_PROXY":"b"}`, `"version":1`, `"list":[1,[2,{}],{"x":[]}]`,
	}), 0, 4, rapid.ID[string]).Draw(t, "members")
	if rapid.Bool().Draw(t, "hooks") {
		at := rapid.IntRange(0, len(members)).Draw(t, "at")
		members = append(members[:at:at], append([]string{`"hooks":` + join("{", "}", events)}, members[at:]...)...)
	}
	return space("head") + join("{", "}", members) + space("tail")
}

// TestBackToTheBytes: what is taken out is exactly what was put in, twice or once, and
// a second installation changes nothing.
func TestBackToTheBytes(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		home := filepath.Join(root, fmt.Sprint(n))
		agent := rapid.SampledFrom([]hookgate.Agent{hookgate.ClaudeCode, hookgate.Codex, hookgate.Gemini, hookgate.Qwen, hookgate.Cursor, hookgate.Copilot}).Draw(t, "agent")
		comments := agent == hookgate.Gemini || agent == hookgate.Qwen
		before := document(t, comments)
		file := filepath.Join(home, jsonAgents[agent])
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		p := setup.Place{Agent: agent, Home: home, Scope: setup.User}
		for i := range rapid.IntRange(1, 3).Draw(t, "times") {
			e := setup.Entry{Program: fmt.Sprintf("/opt/v%d/it's toolverdict", i), Deadline: time.Duration(i+1) * 20 * time.Second}
			c, err := setup.Plan(p, e)
			if err != nil {
				t.Fatalf("%v\n%s", err, before)
			}
			if err := c.Apply(); err != nil {
				t.Fatal(err)
			}
			again, err := setup.Plan(p, e)
			if err != nil || !again.Empty() {
				t.Fatalf("a second time: %v\n%s", err, again.Diff())
			}
			s, err := setup.Look(p)
			if err != nil || !s.Found || s.Entry.Program != e.Program || s.Entry.Deadline != e.Deadline {
				t.Fatalf("what is there is %+v, %v", s, err)
			}
		}
		after, err := os.ReadFile(file)
		if err != nil || !comments && !json.Valid(after) {
			t.Fatalf("it is no JSON any more: %s", after)
		}
		since := rapid.SampledFrom([]string{"nothing", "the backup was lost", "somebody wrote"}).Draw(t, "since")
		switch since {
		case "the backup was lost":
			err = os.RemoveAll(filepath.Join(home, ".config"))
		case "somebody wrote":
			err = os.WriteFile(file, append(after, '\n'), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		c, err := setup.Undo(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Apply(); err != nil {
			t.Fatal(err)
		}
		s, err := setup.Look(p)
		if err != nil || s.Found {
			t.Fatalf("an entry is left: %v", err)
		}
		got, err := os.ReadFile(file)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if since == "nothing" && string(got) != before {
			t.Fatalf("%q is not %q", got, before)
		}
		if since == "somebody wrote" && !comments && !alike(string(got), before) {
			t.Fatalf("%q does not say what %q says", got, before)
		}
		for _, kept := range []string{"1.50E+3", "12345678901234567890123", `"é\u0041":"\/"`, "/opt/other hook claude-code", "// note", "/* x */"} {
			if strings.Count(before, kept) != strings.Count(string(got), kept) {
				t.Fatalf("%s: %q became %q", kept, before, got)
			}
		}
	})
}

// alike reports whether two texts say the same.
func alike(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && cmp.Equal(x, y)
}
