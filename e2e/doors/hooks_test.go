// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package doors_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/desk"
)

// input is what an agent tells its hook of a call of an MCP server's tool. The
// verbs are the session, the tool, and the arguments.
type input struct {
	form string
	name string // %s is the tool
	text bool   // the arguments may be a text that holds the object
}

func inputs() map[hookgate.Agent]input {
	return map[hookgate.Agent]input{
		hookgate.ClaudeCode: {name: "mcp__doors__%s", form: `{"session_id":%s,"cwd":"/workspace","hook_event_name":"PreToolUse","tool_name":%s,"tool_input":%s,"tool_use_id":"t"}`},
		hookgate.Codex:      {name: "mcp__doors__%s", form: `{"session_id":%s,"turn_id":"t","cwd":"/workspace","hook_event_name":"PreToolUse","model":"m","tool_name":%s,"tool_input":%s,"tool_use_id":"t"}`},
		hookgate.Gemini:     {form: `{"session_id":%s,"cwd":"/workspace","hook_event_name":"BeforeTool","timestamp":"2026-11-30T12:00:00.000Z","tool_name":%s,"tool_input":%s,"mcp_context":{"server_name":"doors","tool_name":%s}}`, name: "mcp_doors_%s"},
		hookgate.Copilot:    {name: "doors-%s", form: `{"sessionId":%s,"timestamp":1790000000000,"cwd":"/workspace","toolName":%s,"toolArgs":%s}`, text: true},
		hookgate.Qwen:       {name: "mcp__doors__%s", form: `{"session_id":%s,"cwd":"/workspace","hook_event_name":"PreToolUse","timestamp":"2026-11-30T12:00:00.000Z","tool_name":%s,"tool_input":%s,"tool_use_id":"t"}`},
		hookgate.Cursor:     {name: "%s", form: `{"conversation_id":%s,"generation_id":"g","hook_event_name":"beforeMCPExecution","cursor_version":"3.1.0","workspace_roots":["/workspace"],"tool_name":%s,"tool_input":%s}`, text: true},
		hookgate.OpenCode:   {name: "doors_%s", form: `{"event":"tool.execute.before","sessionID":%s,"callID":"c","tool":%s,"args":%s,"directory":"/workspace","servers":["doors"]}`},
		hookgate.Cline:      {name: "doors__%s", form: `{"taskId":%s,"workspaceRoots":["/workspace"],"parent_agent_id":null,"hookName":"tool_call","tool_call":{"id":"c","name":%s,"input":%s}}`},
	}
}

func (in input) write(a hookgate.Agent, r *row) string {
	name := ascii(strings.Replace(in.name, "%s", r.Tool, 1))
	if a == hookgate.Gemini {
		return fmt.Sprintf(in.form, ascii(r.label), name, r.Arguments, ascii(r.Tool))
	}
	return fmt.Sprintf(in.form, ascii(r.label), name, r.Arguments)
}

// agents are two doors for each coding agent: a served gate, and one of files.
func (s *site) agents(t *testing.T) []door {
	t.Helper()
	known := inputs()
	var out []door
	for _, a := range hookgate.Agents() {
		in, ok := known[a]
		if !ok {
			t.Errorf("the agent %q is new: write what it tells its hook into inputs()", a)
			continue
		}
		write := func(r *row) string { return in.write(a, r) }
		served := func(t *testing.T, text string, _ *row) answer {
			t.Helper()
			code, text := s.postTo(t, s.asked, "/v1/hooks/"+string(a), text, nil)
			if code != http.StatusOK {
				return status(code, text)
			}
			return heard(t, a, []byte(text))
		}
		local := func(t *testing.T, text string, _ *row) answer {
			t.Helper()
			said, _ := s.hooks.Answer(context.Background(), a, []byte(text)) // the error is for a log
			return heard(t, a, said)
		}
		instead := func(r *row) (not, bool) { return in.instead(a, r) }
		out = append(out,
			door{name: "hook " + string(a) + ", served", as: desk.Door(a), write: write, send: served, instead: instead},
			door{name: "hook " + string(a) + ", of files", as: desk.Door(a), write: write, send: local, instead: instead},
		)
	}
	return out
}

var codeWord = regexp.MustCompile(`\b[A-Z]+_[A-Z_]+\b`)

// heard reads an agent's answer: no objection, or a denial whose text names the code.
func heard(t *testing.T, a hookgate.Agent, text []byte) answer {
	t.Helper()
	objects, ok := hookgate.Objects(a, text)
	if !ok {
		t.Errorf("%s is told %s, which is neither of the two answers", a, text)
	}
	if !objects {
		return answer{verdict: "allow", text: string(text)}
	}
	said := answer{verdict: "deny", code: codeWord.FindString(hookgate.Said(a, text)), text: string(text)}
	if said.code == string(tv.ConfirmationRequired) {
		said.verdict = "ask"
	}
	return said
}

// instead says what a hook answers to what it cannot tell the gate as it is.
func (in input) instead(a hookgate.Agent, r *row) (not, bool) {
	unknown := not{code: "UNKNOWN_TOOL", record: "deny UNKNOWN_TOOL"}
	odd := r.Tool == "" || strings.Contains(r.Tool, "/") // no server's tool is named so
	switch k := r.kind(); {
	case !k.strict(), k != object && k != deep && (!in.text || k != text):
		return not{}, true // no input of a hook
	case odd && a == hookgate.Gemini, r.Tool == "" && a == hookgate.Cursor:
		return not{}, true
	case odd:
		return unknown, true
	case a != hookgate.Cursor:
		return not{}, false
	case r.code() == tv.MalformedCall && r.kind() != object:
		return not{code: "MALFORMED_CALL", record: "deny MALFORMED_CALL"}, true
	}
	return unknown, true // it does not tell whose tool it is
}

// TestOwnShells takes the table's commands through each agent's own shell: it is
// decided as the shell of an MCP server is.
func TestOwnShells(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	shells := map[hookgate.Agent][2]string{ // the tool's name, and the arguments around the command
		hookgate.ClaudeCode: {"Bash", `{"command":%s}`}, hookgate.Codex: {"Bash", `{"command":%s}`}, hookgate.Gemini: {"run_shell_command", `{"command":%s}`},
		hookgate.Copilot: {"bash", `{"command":%s}`}, hookgate.Qwen: {"run_shell_command", `{"command":%s,"is_background":false}`}, hookgate.Cursor: {"Shell", `{"command":%s}`},
		hookgate.OpenCode: {"bash", `{"command":%s}`}, hookgate.Cline: {"run_commands", `{"commands":[%s]}`},
	}
	for _, a := range hookgate.Agents() {
		shell, ok := shells[a]
		if !ok {
			t.Errorf("the agent %q is new: which is its shell?", a)
			continue
		}
		in := inputs()[a]
		in.name = shell[0]
		in.form = strings.NewReplacer(`,"mcp_context":{"server_name":"doors","tool_name":%s}`, "", "beforeMCPExecution", "preToolUse").Replace(in.form)
		for _, r := range rows(t) {
			if r.Tool != "shell" || a == hookgate.Codex && r.verdict() != "deny" {
				continue // Codex does not tell where a command starts, so more is denied
			}
			var args struct{ Command json.RawMessage }
			must(t, json.Unmarshal([]byte(r.Arguments), &args))
			r.label = "#own#" + string(a) + "#" + r.Name
			r.Arguments = fmt.Sprintf(shell[1], args.Command)
			code, text := s.postTo(t, s.asked, "/v1/hooks/"+string(a), fmt.Sprintf(in.form, ascii(r.label), ascii(in.name), r.Arguments), nil)
			if code != http.StatusOK {
				t.Fatalf("%s: %d %s", r.label, code, text)
			}
			if got := heard(t, a, []byte(text)); got.verdict != r.verdict() {
				t.Errorf("%s: it answers %s %s, want %q: %s", r.label, got.verdict, got.code, r.Want, text)
			}
		}
	}
}
