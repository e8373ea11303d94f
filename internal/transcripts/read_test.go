// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package transcripts_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/internal/transcripts"
)

// line is a call in short.
func line(c *transcripts.Call) string {
	said := fmt.Sprintf("%s %s %s %s %s", c.Session, c.ID, c.Tool, c.Arguments, c.Answer)
	if c.Unasked != "" {
		said += " unasked"
	}
	return said
}

func lines(s transcripts.Session) []string {
	var out []string
	for i := range s.Calls {
		out = append(out, line(&s.Calls[i]))
	}
	return out
}

// TestRecorded reads sessions that the real agents kept, in which one call ran and
// one was denied by the gate, as far as they had a gate.
func TestRecorded(t *testing.T) {
	t.Parallel()
	for file, want := range map[string][]string{
		"claude-code.jsonl": {
			`cb59caf4-252a-49ec-86bf-6de4f5c36eb7 call_main_0_0 Bash {"command":"echo hi > out.txt","description":"d"} ran`,
			`cb59caf4-252a-49ec-86bf-6de4f5c36eb7 call_main_1_0 Bash {"command":"rm -rf /home/me/elsewhere","description":"d"} ran`,
		},
		"codex.jsonl": {
			`01a22d25-13e5-7fd0-bb3b-4f25a882db62 call_main_0_0 exec_command {"cmd":"ls /home/me/app"} ran`,
			`01a22d25-13e5-7fd0-bb3b-4f25a882db62 call_main_1_0 exec_command {"cmd":"rm -rf /usr/elsewhere"} refused`,
			`01a22d25-13e5-7fd0-bb3b-4f25a882db62 call_main_2_0 apply_patch {"input":"*** Begin Patch\n*** Add File: patched.txt\n+hello\n*** End Patch"} ran`,
		},
		"gemini.jsonl": {
			`55cf4e9d-52fd-4588-bcee-0fa6767102c8 run_shell_command__call_main_0_0 run_shell_command {"command":"echo hi > out.txt"} ran`,
			`55cf4e9d-52fd-4588-bcee-0fa6767102c8 run_shell_command__call_main_1_0 run_shell_command {"command":"rm -rf /usr/elsewhere"} refused`,
		},
		"qwen.jsonl": {
			`cad2021e-1756-4f21-86f3-bc499acc83cd call_main_0_0 run_shell_command {"command":"echo hi > out.txt"} ran`,
			`cad2021e-1756-4f21-86f3-bc499acc83cd call_main_1_0 run_shell_command {"command":"rm -rf /usr/elsewhere"} refused`,
		},
		"copilot.jsonl": {
			`646be8af-8675-4c25-9786-ca40b174058b call_main_0_0 bash {"command":"echo hi > out.txt","description":"d"} ran`,
			`646be8af-8675-4c25-9786-ca40b174058b call_main_1_0 bash {"command":"rm -rf /usr/elsewhere","description":"d"} refused`,
		},
	} {
		name, _, _ := strings.Cut(file, ".")
		s, err := transcripts.Read(t.Context(), transcripts.File{Agent: hookgate.Agent(name), Path: filepath.Join("testdata/sessions", file)})
		if err != nil || s.Odd != 0 {
			t.Errorf("%s: %d odd, %v", file, s.Odd, err)
		}
		if diff := cmp.Diff(want, lines(s)); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
		for i := range s.Calls {
			if at := s.Calls[i].At; at.Year() != 2026 || s.Calls[i].Agent != hookgate.Agent(name) {
				t.Errorf("%s: %+v", file, s.Calls[i])
			}
		}
	}
	s, err := transcripts.Read(t.Context(), transcripts.File{Agent: hookgate.Cline, Path: "testdata/sessions/cline.json"})
	if err != nil || len(s.Calls) != 2 || s.Calls[1].Tool != "run_commands" || s.Calls[1].Answer != transcripts.Ran || s.Calls[0].At.Year() != 2026 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestAnswers are forms that the recorded sessions do not have.
func TestAnswers(t *testing.T) {
	t.Parallel()
	claude := func(answer string) string {
		return `{"type":"assistant","sessionId":"s","message":{"content":[{"type":"tool_use","id":"1","name":"Bash","input":{}}]}}` + "\n" +
			`{"type":"user","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"1",` + answer + `}]}}`
	}
	codex := func(entries ...string) string {
		text := `{"type":"session_meta","payload":{"id":"s"}}` + "\n"
		for _, e := range entries {
			text += e + "\n"
		}
		return text
	}
	call := `{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":"1"}}`
	denied := `{"type":"response_item","payload":{"type":"function_call_output","call_id":"1","output":"Command blocked by PreToolUse hook: Toolverdict: no"}}`
	for name, c := range map[string]struct {
		agent hookgate.Agent
		whole bool
		text  string
		want  []string
	}{
		"denied":                {hookgate.ClaudeCode, false, claude(`"is_error":true,"content":"PreToolUse:Bash hook error: Toolverdict: POLICY_DENIED: no"`), []string{"s 1 Bash {} refused"}},
		"denied by its reason":  {hookgate.ClaudeCode, false, claude(`"is_error":true,"content":[{"type":"text","text":"Toolverdict could not decide this call"}]`), []string{"s 1 Bash {} refused"}},
		"words of what failed":  {hookgate.ClaudeCode, false, claude(`"is_error":true,"content":"Exit code 1\nToolverdict: POLICY_DENIED: no"`), []string{"s 1 Bash {} failed"}},
		"checks in its output":  {hookgate.ClaudeCode, false, claude(`"is_error":true,"content":"x <tool_use_error>"`), []string{"s 1 Bash {} failed"}},
		"words of codex' tool":  {hookgate.Codex, false, codex(call, strings.Replace(denied, "Command blocked", "Output:\\nCommand blocked", 1)), []string{`s 1 exec_command {"cmd":"ls"} ran`}},
		"another tool of codex": {hookgate.Codex, false, codex(call, strings.Replace(denied, "Command blocked", "Tool call blocked", 1)), []string{`s 1 exec_command {"cmd":"ls"} refused`}},
		"words of cline's tool": {hookgate.Cline, true, `{"sessionId":"s","messages":[{"ts":1,"content":[{"type":"tool_use","id":"1","name":"t","input":{}}]},{"content":[{"type":"tool_result","tool_use_id":"1","content":[{"query":"q","result":"Toolverdict: no","success":true}]}]}]}`, []string{"s 1 t {} ran"}},
		"and of a text of it":   {hookgate.Cline, true, `{"sessionId":"s","messages":[{"ts":1,"content":[{"type":"tool_use","id":"1","name":"t","input":{}}]},{"content":[{"type":"tool_result","tool_use_id":"1","content":"a file with Toolverdict: no"}]}]}`, []string{"s 1 t {} ran"}},
		"words in gemini":       {hookgate.Gemini, true, `{"sessionId":"s","messages":[{"toolCalls":[{"id":"1","name":"t","args":{},"status":"error","result":[{"functionResponse":{"response":{"error":"Exit: Toolverdict: no"}}}]}]}]}`, []string{"s 1 t {} failed"}},
		"words in qwen":         {hookgate.Qwen, false, `{"sessionId":"s","type":"assistant","message":{"parts":[{"functionCall":{"id":"1","name":"t","args":{}}}]}}` + "\n" + `{"sessionId":"s","type":"tool_result","message":{"parts":[{"functionResponse":{"response":{"error":"x Toolverdict: no"}}}]},"toolCallResult":{"callId":"1","status":"error","resultDisplay":"Toolverdict: no"}}`, []string{"s 1 t {} failed"}},
		"words in copilot":      {hookgate.Copilot, false, `{"type":"session.start","data":{"sessionId":"s"}}` + "\n" + `{"type":"tool.execution_start","data":{"toolCallId":"1","toolName":"t","arguments":{}}}` + "\n" + `{"type":"tool.execution_complete","data":{"toolCallId":"1","success":false,"error":{"message":"cat: Toolverdict: no"}}}`, []string{"s 1 t {} failed"}},
		"it failed":             {hookgate.ClaudeCode, false, claude(`"is_error":true,"content":[{"type":"text","text":"Exit code 2"}]`), []string{"s 1 Bash {} failed"}},
		"words of a tool":       {hookgate.ClaudeCode, false, claude(`"content":"Toolverdict: POLICY_DENIED"`), []string{"s 1 Bash {} ran"}},
		"not let through":       {hookgate.ClaudeCode, false, claude(`"is_error":true,"content":"<tool_use_error>No such tool</tool_use_error>"`), []string{"s 1 Bash {} none"}},
		"words of a command":    {hookgate.ClaudeCode, false, claude(`"is_error":true,"content":"Exit code 1\n<tool_use_error>"`), []string{"s 1 Bash {} failed"}},
		"answer to nothing":     {hookgate.ClaudeCode, false, `{"type":"user","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"1","content":"x"}]}}`, nil},
		"the provider's tool":   {hookgate.ClaudeCode, false, `{"sessionId":"s","message":{"content":[{"type":"server_tool_use","id":"1","name":"web_search","input":{}}]}}`, []string{"s 1 web_search {} ran unasked"}},
		"a named file":          {hookgate.ClaudeCode, false, `{"type":"attachment","sessionId":"s","uuid":"u","attachment":{"type":"file"}}`, []string{"s u @file  ran unasked"}},
		"denied, and done":      {hookgate.Codex, false, codex(call, denied, `{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"1","status":"completed"}}}`), []string{`s 1 exec_command {"cmd":"ls"} ran`}},
		"denied, not done":      {hookgate.Codex, false, codex(call, denied), []string{`s 1 exec_command {"cmd":"ls"} refused`}},
		"typed":                 {hookgate.Codex, false, codex(strings.Replace(call, "exec_command", "write_stdin", 1)), []string{`s 1 write_stdin {"cmd":"ls"} none unasked`}},
		"waits":                 {hookgate.Codex, false, codex(strings.Replace(call, `"exec_command"`, `"wait","namespace":"functions"`, 1)), []string{`s 1 functions.wait {"cmd":"ls"} none unasked`}},
		"hosted":                {hookgate.Codex, false, codex(`{"type":"response_item","payload":{"type":"web_search_call","id":"w"}}`), []string{"s w web_search  ran unasked"}},
		"of the model's code":   {hookgate.Codex, false, codex(`{"type":"response_item","payload":{"type":"custom_tool_call","name":"exec","call_id":"1","input":"x"}}`, `{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"exec-1","command":["ls"],"status":"failed"}}}`), []string{`s exec-1 exec_command {"command":"[\"ls\"]"} failed`}},
		"a tool that is not":    {hookgate.Codex, false, codex(call, `{"type":"response_item","payload":{"type":"function_call_output","call_id":"1","output":"unsupported call: exec_command"}}`), []string{`s 1 exec_command {"cmd":"ls"} none`}},
		"an earlier version":    {hookgate.Gemini, true, `{"sessionId":"s","messages":[{"type":"gemini","toolCalls":[{"id":"1","name":"t","args":{},"status":"cancelled"}]}]}`, []string{"s 1 t {} none"}},
		"told in a change":      {hookgate.Gemini, false, `{"sessionId":"s"}` + "\n" + `{"$set":{"messages":[{"toolCalls":[{"id":"1","name":"t","args":{},"status":"success"}]}]}}`, []string{"s 1 t {} ran"}},
		"denied by cline":       {hookgate.Cline, true, `{"sessionId":"s","messages":[{"ts":1,"content":[{"type":"tool_use","id":"1","name":"t","input":{}}]},{"content":[{"type":"tool_result","tool_use_id":"1","content":"Toolverdict: no"}]}]}`, []string{"s 1 t {} refused"}},
		"of odd types":          {hookgate.ClaudeCode, false, `{"sessionId":7,"message":{"content":[{"type":"tool_use","id":[],"name":{},"input":"x"},3]}}` + "\n" + `{"message":"tool_use"}`, []string{"   " + " none"}},
		"without a name member": {hookgate.Copilot, false, `{"type":"tool.execution_start"}`, []string{"   " + " none"}},
	} {
		s, err := transcripts.ReadFrom(c.agent, c.whole, strings.NewReader(c.text))
		if diff := cmp.Diff(c.want, lines(s)); diff != "" || err != nil || s.Odd != 0 {
			t.Errorf("%s: %v, %d odd, %s", name, err, s.Odd, diff)
		}
	}
}

// TestOdd: what cannot be read is counted, and hides nothing of the rest.
func TestOdd(t *testing.T) {
	t.Parallel()
	good := `{"sessionId":"s","message":{"content":[{"type":"tool_use","id":"%d","name":"Bash","input":{}}]}}` + "\n"
	for name, c := range map[string]struct {
		text string
		odd  int
	}{
		"no JSON":             {"tool_use\n", 1},
		"a member twice":      {`{"a":"tool_use","a":1}` + "\n", 1},
		"cut off":             {`{"type":"tool_use"` + "\n", 1},
		"deep":                {`{"tool_use":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + "}\n", 1},
		"of no interest":      {"odd\n\n", 0},
		"longer than is read": {`{"tool_use":"` + strings.Repeat("x", 17<<20) + `"}` + "\n", 1},
		"longer, of whatever": {`{"other":"` + strings.Repeat("x", 17<<20) + `"}` + "\n", 1},
		"bytes":               {"\xff\xfetool_use\n", 1},
	} {
		s, err := transcripts.ReadFrom(hookgate.ClaudeCode, false, strings.NewReader(fmt.Sprintf(good, 1)+c.text+fmt.Sprintf(good, 2)))
		if err != nil || len(s.Calls) != 2 || s.Odd != c.odd {
			t.Errorf("%s: %d calls, %d odd, %v", name, len(s.Calls), s.Odd, err)
		}
	}
	if s, err := transcripts.ReadFrom(hookgate.Cline, true, strings.NewReader("{")); err != nil || s.Odd != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := transcripts.ReadFrom(hookgate.Cursor, false, strings.NewReader("")); err == nil {
		t.Error("a form that is not known was read")
	}
}

// TestBounds: nothing is read without end, and that it was cut off is told.
func TestBounds(t *testing.T) {
	t.Parallel()
	many := strings.NewReader(strings.Repeat(`{"sessionId":"s","message":{"content":[{"type":"tool_use","id":"","name":"B","input":{}}]}}`+"\n", 200_001))
	if s, err := transcripts.ReadFrom(hookgate.ClaudeCode, false, many); !errors.Is(err, transcripts.ErrTooLarge) || len(s.Calls) != 200_000 {
		t.Errorf("%d calls, %v", len(s.Calls), err)
	}
	large := io.MultiReader(strings.NewReader(`{"x":"`), &endless{left: 65 << 20}, strings.NewReader(`"}`))
	if _, err := transcripts.ReadFrom(hookgate.Cline, true, large); !errors.Is(err, transcripts.ErrTooLarge) {
		t.Errorf("a document without end: %v", err)
	}
}

// endless gives letters.
type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	for i := range p {
		p[i] = 'x'
	}
	e.left -= len(p)
	return len(p), nil
}

func TestFind(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	old := time.Now().Add(-90 * 24 * time.Hour)
	for _, name := range []string{
		".claude/projects/-p/a.jsonl", ".claude/projects/-p/a/subagents/agent-1.jsonl", ".claude/settings.json", ".codex/sessions/2026/11/30/rollout-x.jsonl",
		".codex/history.jsonl", ".gemini/tmp/p/chats/session-1.json", ".gemini/tmp/p/chats/session-2.jsonl", ".qwen/projects/p/chats/s.jsonl",
		".copilot/session-state/s/events.jsonl", ".local/share/opencode/opencode.db", ".cline/data/sessions/s/s.messages.json", ".cline/data/sessions/s/s.json",
		".claude/projects/-p/old.jsonl",
	} {
		path := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chtimes(filepath.Join(home, ".claude/projects/-p/old.jsonl"), old, old),
		os.Symlink("/etc/passwd", filepath.Join(home, ".claude/projects/-p/link.jsonl"))); err != nil {
		t.Fatal(err)
	}
	files, err := transcripts.Find(transcripts.Place{Home: home}, transcripts.Agents(), time.Now().Add(-30*24*time.Hour))
	count := map[hookgate.Agent]int{}
	for _, f := range files {
		count[f.Agent]++
	}
	want := map[hookgate.Agent]int{hookgate.ClaudeCode: 2, hookgate.Codex: 1, hookgate.Gemini: 2, hookgate.Qwen: 1, hookgate.Copilot: 1, hookgate.OpenCode: 1, hookgate.Cline: 1}
	if diff := cmp.Diff(want, count); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}
	if !transcripts.Kept(transcripts.Place{Home: home}) || transcripts.Kept(transcripts.Place{Home: t.TempDir()}) {
		t.Error("where there are transcripts is not known")
	}
	elsewhere := func(name string) (string, bool) { return filepath.Join(home, ".codex"), name == "CODEX_HOME" }
	files, err = transcripts.Find(transcripts.Place{Home: t.TempDir(), Getenv: elsewhere}, []hookgate.Agent{hookgate.Codex}, time.Time{})
	if len(files) != 1 || err != nil {
		t.Errorf("%v, %v", files, err)
	}
	elsewhere = func(name string) (string, bool) { return home, name == "GEMINI_CLI_HOME" } // in the place of the home folder
	files, err = transcripts.Find(transcripts.Place{Home: t.TempDir(), Getenv: elsewhere}, []hookgate.Agent{hookgate.Gemini}, time.Time{})
	if len(files) != 2 || err != nil {
		t.Errorf("%v, %v", files, err)
	}
}

// TestFindLinks: a folder that is moved elsewhere and linked is looked through; what
// hides behind links below it is told, and what one agent hides takes nothing from the
// others.
func TestFindLinks(t *testing.T) {
	t.Parallel()
	home, other := t.TempDir(), t.TempDir()
	for _, path := range []string{
		filepath.Join(other, "claude/projects/-p/a.jsonl"), filepath.Join(other, "sessions/rollout-x.jsonl"), filepath.Join(other, "deep/b.jsonl"),
		filepath.Join(home, ".codex/auth.json"), filepath.Join(home, ".copilot/session-state/s/events.jsonl"),
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for to, at := range map[string]string{"claude": ".claude", "sessions": ".codex/sessions", "gone": ".gemini"} {
		if err := os.Symlink(filepath.Join(other, to), filepath.Join(home, at)); err != nil {
			t.Fatal(err)
		}
	}
	p := transcripts.Place{Home: home}
	for a, want := range map[hookgate.Agent]int{hookgate.ClaudeCode: 1, hookgate.Codex: 1, hookgate.Copilot: 1, hookgate.Qwen: 0} {
		if files, err := transcripts.Find(p, []hookgate.Agent{a}, time.Time{}); len(files) != want || err != nil {
			t.Errorf("%s: %v, %v", a, files, err)
		}
	}
	files, err := transcripts.Find(p, transcripts.Agents(), time.Time{})
	if len(files) != 3 || err == nil || !strings.Contains(err.Error(), "gemini") || strings.Contains(err.Error(), "codex") {
		t.Errorf("a link that leads nowhere: %v, %v", files, err)
	}
	if err := os.Symlink(filepath.Join(other, "deep"), filepath.Join(home, ".claude/projects/-q")); err != nil {
		t.Fatal(err)
	}
	files, err = transcripts.Find(p, []hookgate.Agent{hookgate.ClaudeCode}, time.Time{})
	if len(files) != 1 || err == nil || !strings.Contains(err.Error(), "1 folders below") {
		t.Errorf("a link below: %v, %v", files, err)
	}
}
