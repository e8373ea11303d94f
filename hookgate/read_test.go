// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookgate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/hookgate"
)

// recorded are inputs in the form that the agent documents.
func recorded(t testing.TB, agent, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "inputs", agent, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRead(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]hookgate.Event{
		"claude-code/bash": {
			Phase: hookgate.Before, Tool: "claude-code/Bash", Arguments: []byte(`{"command":"rm -rf ~","description":"Clean"}`), Call: "toolu_01",
			Session: "s1", Folder: "/workspace", Home: "/workspace",
		},
		"claude-code/parallel": {
			Phase: hookgate.Before, Tool: "claude-code/Bash", Arguments: []byte(`{"command":"ls"}`), Call: "toolu_02",
			Session: "s1", Folder: "/workspace", Home: "/workspace",
		},
		"claude-code/subagent": {
			Phase: hookgate.Before, Tool: "claude-code/Read", Arguments: []byte(`{"file_path":"/workspace/a"}`), Call: "toolu_03",
			Session: "s1", Folder: "/workspace/sub", Home: "/workspace/sub", Subagent: hookgate.Subagent{ID: "a1", Type: "Explore"},
		},
		"claude-code/mcp": {
			Phase: hookgate.Before, Tool: "my-srv.x/del_user", Arguments: []byte(`{"id":9007199254740993}`), Call: "toolu_04",
			Session: "s1", Folder: "/workspace", Home: "/workspace",
		},
		"claude-code/after": {
			Phase: hookgate.After, Tool: "claude-code/Bash", Arguments: []byte(`{"command":"ls"}`), Call: "toolu_02",
			Session: "s1", Folder: "/workspace", Home: "/workspace",
		},
		"claude-code/failed": {
			Phase: hookgate.After, Tool: "claude-code/Bash", Arguments: []byte(`{"command":"ls"}`), Call: "toolu_02",
			Session: "s1", Folder: "/workspace", Home: "/workspace", Failed: true,
		},
		"codex/bash": {
			Phase: hookgate.Before, Tool: "codex/Bash", Arguments: []byte(`{"command":"ls"}`), Call: "call_1",
			Session: "s2", Home: "/workspace", Model: "gpt-5.5",
		},
		"codex/patch": {
			Phase: hookgate.Before, Tool: "codex/apply_patch", Arguments: []byte(`{"command":"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"}`), Call: "call_2",
			Session: "s2", Folder: "/workspace", Home: "/workspace", Model: "gpt-5.5", Subagent: hookgate.Subagent{ID: "t1", Type: "worker"},
		},
		"codex/mcp": {
			Phase: hookgate.Before, Tool: "my_srv/del_user", Arguments: []byte(`{}`), Call: "call_3",
			Session: "s2", Folder: "/workspace", Home: "/workspace", Model: "gpt-5.5",
		},
		"codex/after": {
			Phase: hookgate.After, Tool: "codex/Bash", Arguments: []byte(`{"command":"ls"}`), Call: "call_1",
			Session: "s2", Home: "/workspace", Model: "gpt-5.5",
		},
		"gemini/shell": {
			Phase: hookgate.Before, Tool: "gemini/run_shell_command", Arguments: []byte(`{"command":"ls","dir_path":"sub"}`),
			Session: "s3", Folder: "/workspace", Home: "/workspace", Synthetic: true, Call: "same:",
		},
		"gemini/mcp": {
			Phase: hookgate.Before, Tool: "my-srv.x/del.user", Arguments: []byte(`{"id":1}`),
			Session: "s3", Folder: "/workspace", Home: "/workspace", Synthetic: true, Call: "same:",
		},
		"gemini/after": {
			Phase: hookgate.After, Tool: "gemini/run_shell_command", Arguments: []byte(`{"command":"ls","dir_path":"sub"}`), Failed: true,
			Session: "s3", Folder: "/workspace", Home: "/workspace", Synthetic: true, Call: "same:",
		},
		"copilot/bash": {
			Phase: hookgate.Before, Tool: "copilot/bash", Arguments: []byte(`"{\"command\":\"ls\"}"`),
			Session: "s4", Folder: "/workspace", Home: "/workspace", Synthetic: true, Call: "same:",
		},
		"copilot/subagent": {
			Phase: hookgate.Before, Tool: "copilot/view", Arguments: []byte(`{"path":"/workspace/a"}`),
			Session: "s5", Folder: "/workspace", Home: "/workspace", Subagent: hookgate.Subagent{ID: "a2", Type: "task"}, Synthetic: true, Call: "same:",
		},
		"copilot/mcp": {
			Phase: hookgate.Before, Tool: "mysrv/del_user", Arguments: []byte(`{"id":1}`),
			Session: "s4", Folder: "/workspace", Home: "/workspace", Synthetic: true, Call: "same:",
		},
		"copilot/after": {
			Phase: hookgate.After, Tool: "copilot/bash", Arguments: []byte(`"{\"command\":\"ls\"}"`),
			Session: "s4", Folder: "/workspace", Home: "/workspace", Synthetic: true, Call: "same:",
		},
		"qwen/shell": {
			Phase: hookgate.Before, Tool: "qwen/run_shell_command", Arguments: []byte(`{"command":"ls"}`), Call: "call_9",
			Session: "s6", Folder: "/workspace", Home: "/workspace",
		},
		"qwen/mcp": {
			Phase: hookgate.Before, Tool: "mysrv/del.user", Arguments: []byte(`{}`), Call: "call_10",
			Session: "s6", Folder: "/workspace", Home: "/workspace",
		},
		"cursor/shell": {
			Phase: hookgate.Before, Tool: "cursor/Shell", Arguments: []byte(`{"command":"ls"}`), Again: true,
			Session: "c1", Folder: "/workspace/sub", Home: "/workspace", Model: "gpt-5.5", Synthetic: true, Call: "same:",
		},
		"cursor/tool": {
			Phase: hookgate.Before, Tool: "cursor/Shell", Arguments: []byte(`{"command":"ls"}`),
			Session: "c1", Folder: "/workspace", Home: "/workspace", Model: "gpt-5.5", Synthetic: true, Call: "same:",
		},
		"cursor/mcp": {
			Phase: hookgate.Before, Tool: "cursor/MCP:del_user", Arguments: []byte(`"{\"id\":1}"`),
			Session: "c1", Folder: "/workspace", Home: "/workspace", Model: "gpt-5.5", Synthetic: true, Call: "same:",
		},
		"cursor/after": {
			Phase: hookgate.After, Tool: "cursor/Shell", Arguments: []byte(`{"command":"ls"}`), Again: true,
			Session: "c1", Folder: "/workspace/sub", Home: "/workspace", Synthetic: true, Call: "same:",
		},
		"opencode/bash": {
			Phase: hookgate.Before, Tool: "opencode/bash", Arguments: []byte(`{"command":"echo hi > out1","description":"d"}`), Call: "call_0_0",
			Session: "ses_dd2ea06edffeP5fk4cPtAaQHnB", Folder: "/workspace", Home: "/workspace",
		},
		"opencode/mcp": {
			Phase: hookgate.Before, Tool: "my-srv.x/del_user", Arguments: []byte(`{"id":1}`), Call: "call_0_1",
			Session: "ses_dd2ea06edffeP5fk4cPtAaQHnB", Folder: "/workspace", Home: "/workspace",
		},
		"opencode/after": {
			Phase: hookgate.After, Tool: "opencode/bash", Arguments: []byte(`{"command":"echo hi > out1","description":"d"}`), Call: "call_0_0",
			Session: "ses_dd2ea06edffeP5fk4cPtAaQHnB", Folder: "/workspace", Home: "/workspace",
		},
		"opencode/failed": {
			Phase: hookgate.After, Tool: "opencode/read", Arguments: []byte(`{"filePath":"/nonexistent"}`), Call: "call_0_2",
			Session: "ses_dd2ea06edffeP5fk4cPtAaQHnB", Folder: "/workspace", Home: "/workspace", Failed: true,
		},
		"cline/commands": {
			Phase: hookgate.Before, Tool: "cline/run_commands", Arguments: []byte(`{"commands":["echo hi > out1"]}`), Call: "call_0_0",
			Session: "conv_1796052911699_ee3r8vn", Folder: "/workspace", Home: "/workspace",
		},
		"cline/mcp": {
			Phase: hookgate.Before, Tool: "files/read_it", Arguments: []byte(`{}`), Call: "call_0_1",
			Session: "conv_1796052911699_ee3r8vn", Folder: "/workspace", Home: "/workspace",
		},
		"cline/subagent": {
			Phase: hookgate.Before, Tool: "cline/read_files", Arguments: []byte(`{"files":[{"path":"/workspace/a"}]}`), Call: "call_0_2",
			Session: "conv_1796052911699_ee3r8vn", Folder: "/workspace", Home: "/workspace", Subagent: hookgate.Subagent{ID: "agent_1796052911437_zs54vl"},
		},
		"cline/after": {
			Phase: hookgate.After, Tool: "cline/run_commands", Arguments: []byte(`{"commands":["echo hi > out1"]}`), Call: "call_0_0",
			Session: "conv_1796052911699_ee3r8vn", Folder: "/workspace", Home: "/workspace",
		},
		"cline/failed": {
			Phase: hookgate.After, Tool: "cline/run_commands", Arguments: []byte(`{"commands":["echo hi > out1"]}`), Call: "call_0_3",
			Session: "conv_1796052911699_ee3r8vn", Folder: "/workspace", Home: "/workspace", Failed: true,
		},
	} {
		agent, name, _ := strings.Cut(file, "/")
		got, err := hookgate.Read(hookgate.Agent(agent), recorded(t, agent, name))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if want.Synthetic && strings.HasPrefix(got.Call, "same:") {
			want.Call = got.Call
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
	}
}

// TestSameCall: what comes after a call without an id finds the call before it,
// and no other.
func TestSameCall(t *testing.T) {
	t.Parallel()
	for _, pair := range [][3]string{{"gemini", "shell", "after"}, {"copilot", "bash", "after"}, {"cursor", "shell", "after"}} {
		agent := hookgate.Agent(pair[0])
		before, err := hookgate.Read(agent, recorded(t, pair[0], pair[1]))
		if err != nil {
			t.Fatal(err)
		}
		after, err := hookgate.Read(agent, recorded(t, pair[0], pair[2]))
		if err != nil || before.Call != after.Call {
			t.Errorf("%s: %q is not %q: %v", agent, before.Call, after.Call, err)
		}
		other, err := hookgate.Read(agent, []byte(strings.Replace(string(recorded(t, pair[0], pair[1])), "ls", "rm", 1)))
		if err != nil || other.Call == before.Call {
			t.Errorf("%s: another call has the same id: %v", agent, err)
		}
	}
}

// TestTwiceTold: an agent that tells of one call by two events tells of the same one.
func TestTwiceTold(t *testing.T) {
	t.Parallel()
	cursor := func(event, more string) []byte {
		return []byte(`{"conversation_id":"c","generation_id":"g","hook_event_name":"` + event + `","workspace_roots":["/w"],"cwd":"/w/sub",` + more + `}`)
	}
	for _, pair := range [][2][]byte{
		{
			cursor("preToolUse", `"tool_name":"Shell","tool_use_id":"t","tool_input":{"command":"git push","description":"d","working_directory":"x"}`),
			[]byte(strings.Replace(string(cursor("beforeShellExecution", `"command":"git push"`)), "/w/sub", "/w/sub/x", 1)),
		},
		{cursor("preToolUse", `"tool_name":"Shell","tool_input":"{\"command\":\"ls\"}"`), cursor("beforeShellExecution", `"command":"ls"`)},
		{cursor("preToolUse", `"tool_name":"Read","tool_input":{"target_file":"a","offset":2}`), cursor("beforeReadFile", `"file_path":"/w/sub/a"`)},
	} {
		first, err := hookgate.Read(hookgate.Cursor, pair[0])
		if err != nil {
			t.Fatal(err)
		}
		second, err := hookgate.Read(hookgate.Cursor, pair[1])
		if err != nil || first.Again || !second.Again {
			t.Fatal(err, first.Again, second.Again)
		}
		if second.Again = false; !cmp.Equal(first, second) {
			t.Error(cmp.Diff(first, second))
		}
	}
	for more, want := range map[string]string{
		`"tool_name":"Shell","tool_input":{"command":"ls","host":"other"}`:  "not known",
		`"tool_name":"Shell","tool_input":{"command":7}`:                    "must be text",
		`"tool_name":"Shell","tool_input":{}`:                               "command is missing",
		`"tool_name":"Read","tool_input":{"path":"a","file_path":"/etc/x"}`: "one of file_path",
		`"tool_name":"Read","tool_input":{"path":"a","other":"/etc/x"}`:     "not known",
		`"tool_name":"Read","tool_input":{}`:                                "one of file_path",
	} {
		if _, err := hookgate.Read(hookgate.Cursor, cursor("preToolUse", more)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", more, err)
		}
	}
	up, err := hookgate.Read(hookgate.Cursor, cursor("preToolUse", `"tool_name":"Shell","tool_input":{"command":"ls","working_directory":"../x"}`))
	if err != nil || up.Folder != "" {
		t.Errorf("where it starts is told to be %q: %v", up.Folder, err)
	}
}

func opencode(tool, servers string) string {
	return `{"event":"tool.execute.before","sessionID":"s","callID":"c","tool":"` + tool + `","args":{},"directory":"/w","servers":` + servers + `}`
}

func cline(call string) string {
	return `{"hookName":"tool_call","taskId":"t","workspaceRoots":["/w"],"agent_id":"a","parent_agent_id":null,"tool_call":` + call + `}`
}

// TestRefused: an input that cannot be relied on, or that another agent wrote.
func TestRefused(t *testing.T) {
	t.Parallel()
	const claude = `{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}%s}`
	with := func(more string) string { return strings.Replace(claude, "%s", more, 1) }
	for _, c := range []struct {
		agent hookgate.Agent
		input string
		want  string
	}{
		{hookgate.ClaudeCode, ``, "no plain JSON object"},
		{hookgate.ClaudeCode, `[]`, "no plain JSON object"},
		{hookgate.ClaudeCode, `{"a":1}`, "not in the form of claude-code"},
		{hookgate.ClaudeCode, with(`,"tool_name":"Read"`), "no plain JSON object"},
		{hookgate.ClaudeCode, with(`,"Tool_name":"Read"`), "no plain JSON object"},
		{hookgate.ClaudeCode, with(`}{`), "no plain JSON object"},
		{hookgate.ClaudeCode, with(`,"x":"\ud800"`), "no plain JSON object"},
		{hookgate.ClaudeCode, with(`,"x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200)), "no plain JSON object"},
		{hookgate.ClaudeCode, with(`,"tool_use_id":7`), "tool_use_id must be text"},
		{hookgate.ClaudeCode, with(`,"mcp_server":"x"`), "mcp_server must be an object"},
		{hookgate.ClaudeCode, with(`,"cursor_version":"3.0"`), "in the form of cursor"},
		{hookgate.ClaudeCode, with(`,"turn_id":"t"`), "in the form of codex"},
		{hookgate.Codex, with(``), "in the form of claude-code"},
		{hookgate.Codex, with(`,"turn_id":""`), "turn_id is missing"},
		{hookgate.Copilot, with(``), "in the form of claude-code"},
		{hookgate.Gemini, with(`,"timestamp":"2026-11-30T00:00:00Z"`), "in the form of qwen"},
		{"other", with(``), "in the form of claude-code"},
		{hookgate.ClaudeCode, strings.Replace(with(``), "PreToolUse", "SessionStart", 1), "the event is neither"},
		{hookgate.ClaudeCode, strings.Replace(with(``), `{"command":"ls"}`, `"ls"`, 1), "tool_input must be an object"},
		{hookgate.ClaudeCode, strings.Replace(with(``), `{"command":"ls"}`, `null`, 1), "tool_input must be an object"},
		{hookgate.ClaudeCode, strings.Replace(with(``), `"Bash"`, `null`, 1), "tool_name is missing"},
		{hookgate.ClaudeCode, strings.Replace(with(``), `"s"`, `""`, 1), "session_id is missing"},
		{hookgate.ClaudeCode, strings.Replace(with(``), `"/w"`, `["/w"]`, 1), "cwd must be text"},
		{hookgate.OpenCode, with(``), "in the form of claude-code"},
		{hookgate.ClaudeCode, opencode("bash", `["a"]`), "in the form of opencode"},
		{hookgate.OpenCode, opencode("bash", `[7]`), "servers must be a list of texts"},
		{hookgate.OpenCode, opencode("bash", `{}`), "servers must be a list"},
		{hookgate.OpenCode, strings.Replace(opencode("bash", `[]`), "before", "asked", 1), "the event is neither"},
		{hookgate.OpenCode, strings.Replace(opencode("bash", `[]`), `"c"`, `""`, 1), "callID is missing"},
		{hookgate.OpenCode, opencode("a_b_c", `["a","a_b"]`), "two tools"},
		{hookgate.OpenCode, opencode("apply_patch", `["apply"]`), "two tools"},
		{hookgate.Cline, with(``), "in the form of claude-code"},
		{hookgate.Codex, cline(`{"id":"c","name":"editor","input":{}}`), "in the form of cline"},
		{hookgate.Cline, cline(`{"id":"c","name":"run_commands","input":["rm x"]}`), "tool_call: input must be an object"},
		{hookgate.Cline, cline(`{"id":"c","input":{}}`), "tool_call: name is missing"},
		{hookgate.Cline, cline(`"x"`), "tool_call must be an object"},
		{hookgate.Cline, strings.Replace(cline(`{}`), `"tool_call"`, `"agent_start"`, 1), "the event is none"},
		{hookgate.ClaudeCode, with(`,"x":"` + strings.Repeat("x", hookgate.MaxInput) + `"`), "larger than"},
	} {
		if e, err := hookgate.Read(c.agent, []byte(c.input)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.120s: %v, %+v", c.agent, c.input, err, e.Phase)
		}
	}
}

// TestNames: a name that could mean two tools means none, and no server passes for
// the agent: where one is told and the name is none of its, there is no call.
func TestNames(t *testing.T) {
	t.Parallel()
	claude := func(name, more string) []byte {
		return []byte(`{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"` + name + `","tool_input":{}` + more + `}`)
	}
	gemini := func(name, more string) []byte {
		return []byte(`{"session_id":"s","cwd":"/w","hook_event_name":"BeforeTool","timestamp":"t","tool_name":"` + name + `","tool_input":{}` + more + `}`)
	}
	copilot := func(name string) []byte {
		return []byte(`{"sessionId":"s","timestamp":1,"cwd":"/w","toolName":"` + name + `","toolArgs":{}}`)
	}
	for _, c := range []struct {
		agent hookgate.Agent
		input []byte
		want  string
	}{
		{hookgate.ClaudeCode, claude("mcp__files__read", ""), "files/read"},
		{hookgate.ClaudeCode, claude("mcp__a__b__c", ""), "claude-code/mcp__a__b__c"},
		{hookgate.ClaudeCode, claude("mcp__a___b", ""), "claude-code/mcp__a___b"},
		{hookgate.ClaudeCode, claude("mcp__a__b__c", `,"mcp_server":{"name":"a__b"}`), "a__b/c"},
		{hookgate.ClaudeCode, claude("mcp__a__b__c", `,"mcp_server":{"name":"a"}`), "a/b__c"},
		{hookgate.ClaudeCode, claude("mcp__a__b", `,"mcp_server":{"name":"z"}`), ""},
		{hookgate.ClaudeCode, claude("Bash", `,"mcp_server":{"name":"z"}`), ""},
		{hookgate.ClaudeCode, claude("Read", `,"mcp_server":{"name":"evil"}`), ""},
		{hookgate.ClaudeCode, claude("mcp__codex__x", `,"mcp_server":{"name":"codex"}`), ""},
		{hookgate.ClaudeCode, claude("Read", `,"mcp_server":null`), "claude-code/Read"},
		{hookgate.ClaudeCode, claude("mcp__claude-code__TodoWrite", ""), "claude-code/mcp__claude-code__TodoWrite"},
		{hookgate.ClaudeCode, claude("mcp__codex__update_plan", ""), "claude-code/mcp__codex__update_plan"},
		{hookgate.ClaudeCode, claude("mcp__files", ""), "claude-code/mcp__files"},
		{hookgate.ClaudeCode, claude("mcp____x", ""), "claude-code/mcp____x"},
		{hookgate.ClaudeCode, claude("codex/Bash", ""), "claude-code/codex/Bash"},
		{hookgate.Gemini, gemini("mcp_a_b_c", ""), "gemini/mcp_a_b_c"},
		{hookgate.Gemini, gemini("mcp_a_b_c", `,"mcp_context":{"server_name":"a_b","tool_name":"c"}`), "a_b/c"},
		{hookgate.Gemini, gemini("mcp_a_b_c", `,"mcp_context":{"server_name":"a","tool_name":"c"}`), ""},
		{hookgate.Gemini, gemini("mcp_gemini_glob", `,"mcp_context":{"server_name":"gemini","tool_name":"glob"}`), ""},
		{hookgate.Gemini, gemini("read_file", `,"mcp_context":{"server_name":"evil","tool_name":"read_file"}`), ""},
		{hookgate.Copilot, copilot("files-read"), "files/read"},
		{hookgate.Copilot, copilot("my-files-read"), "copilot/my-files-read"},
		{hookgate.Copilot, copilot("copilot-view"), "copilot/copilot-view"},
		{hookgate.OpenCode, []byte(opencode("files_read_file", `["files"]`)), "files/read_file"},
		{hookgate.OpenCode, []byte(opencode("files_read_file", `[]`)), "opencode/files_read_file"},
		{hookgate.OpenCode, []byte(opencode("files_read_file", `["file"]`)), "opencode/files_read_file"},
		{hookgate.OpenCode, []byte(opencode("files_", `["files"]`)), "opencode/files_"},
		{hookgate.OpenCode, []byte(opencode("codex_Bash", `["codex"]`)), "opencode/codex_Bash"},
		{hookgate.OpenCode, []byte(opencode("apply_patch", `["files"]`)), "opencode/apply_patch"},
		{hookgate.Cline, []byte(cline(`{"id":"c","name":"files__read_file","input":{}}`)), "files/read_file"},
		{hookgate.Cline, []byte(cline(`{"id":"c","name":"a__b__c","input":{}}`)), "cline/a__b__c"},
		{hookgate.Cline, []byte(cline(`{"id":"c","name":"a___b","input":{}}`)), "cline/a___b"},
		{hookgate.Cline, []byte(cline(`{"id":"c","name":"codex__Bash","input":{}}`)), "cline/codex__Bash"},
		{hookgate.Cline, []byte(cline(`{"id":"c","name":"apply_patch","input":{}}`)), "cline/apply_patch"},
	} {
		e, err := hookgate.Read(c.agent, c.input)
		if c.want == "" && err != nil && strings.Contains(err.Error(), "is none of that server's") {
			continue
		}
		if err != nil || e.Tool != c.want {
			t.Errorf("%s: %q, not %q: %v", c.input, e.Tool, c.want, err)
		}
	}
}
