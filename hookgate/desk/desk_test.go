// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package desk_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/desk"
	"github.com/toolverdict/toolverdict/internal/store/memory"
	"github.com/toolverdict/toolverdict/ledger"
)

var agent = tv.Subject{ID: "agent", Kind: tv.Agent, User: "me"}

// gate is a whole gate whose policy a test chooses, and what it was asked.
type gate struct {
	*tv.Gate
	asked []tv.Proposal
	fault func(tv.Proposal) (tv.Permit, tv.Result, error)
}

func (g *gate) Check(ctx context.Context, p tv.Proposal) (tv.Permit, tv.Result, error) {
	g.asked = append(g.asked, p)
	if g.fault != nil {
		return g.fault(p)
	}
	return g.Gate.Check(ctx, p)
}

type rig struct {
	*desk.Desk
	gate   *gate
	store  *memory.Store
	config desk.Config
}

// Defers makes the desk anew for a run that nobody attends, or that somebody does.
func (r *rig) Defers(yes bool) {
	r.config.Defer = yes
	made, err := desk.New(r.config)
	if err != nil {
		panic(err) // the parts were enough a moment ago
	}
	r.Desk = made
}

func newRig(t *testing.T, verdict tv.Verdict, wait time.Duration, workspace string) *rig {
	t.Helper()
	clock := gatetest.NewClock()
	store, err := memory.New(memory.Config{Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	book, err := ledger.New(ledger.Config{Store: store, Now: clock.Now, Text: strings.Clone})
	if err != nil {
		t.Fatal(err)
	}
	tool, err := tv.NewTool(tv.Definition{
		Name: "claude-code/Bash", Server: "claude-code", Safety: tv.Destructive, Risk: tv.LowRisk, Confirmation: tv.ConfirmByRisk, Execution: tv.Parallel,
	}, gatetest.AnySchema{})
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{}
	ids := 0
	newID := func() string { ids++; return fmt.Sprintf("id%d", ids) }
	people, err := approval.New(approval.Config{Store: store, Now: clock.Now, NewID: newID, Text: strings.Clone, Approvers: []string{"role:approver"}})
	if err != nil {
		t.Fatal(err)
	}
	g.Gate, err = tv.New(tv.Config{
		Snapshots: gatetest.NewSnapshots(gatetest.Catalog{tool}, gatetest.Always(verdict)), Choices: store, Analyser: gatetest.Analyser(nil),
		Confirmations: people, Store: store, Executor: &gatetest.Executor{}, Redactor: gatetest.Redactor{Secret: "s3cret"},
		Now: clock.Now, Node: "n", NewID: newID,
	})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{gate: g, store: store}
	r.config = desk.Config{
		Gate: g, Book: book, Run: func(tv.Subject) tv.Run { return tv.Run{} }, Environment: map[string]string{"stage": "dev", "cwd": "/elsewhere"},
		Workspace: workspace, Wait: wait, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}
	r.Desk, err = desk.New(r.config)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const bash = `{"session_id":"s","cwd":"/workspace/sub","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t1","agent_type":"Explore"}`

func (r *rig) denied(t *testing.T, input, want string) error {
	t.Helper()
	answer, fault := r.Answer(context.Background(), hookgate.ClaudeCode, agent, []byte(input))
	if objects, ok := hookgate.Objects(hookgate.ClaudeCode, answer); !ok || !objects || !strings.Contains(string(answer), want) {
		t.Errorf("%s is not denied with %q: %s", input, want, answer)
	}
	return fault
}

// TestNoObjection: the gate is asked with the facts of the host, and what came of
// the call finds it.
func TestNoObjection(t *testing.T) {
	t.Parallel()
	r := newRig(t, tv.Allow, 0, "/workspace")
	answer, fault := r.Answer(context.Background(), hookgate.ClaudeCode, agent, []byte(bash))
	if string(answer) != "{}" || fault != nil {
		t.Fatal(string(answer), fault)
	}
	p := r.gate.asked[0]
	if diff := cmp.Diff(map[string]string{"stage": "dev", "cwd": "/workspace/sub", "agent_type": "Explore"}, p.Environment); diff != "" {
		t.Error(diff)
	}
	if p.Tool != "claude-code/Bash" || p.ID != "t1" || p.Session != "s" || p.Door != "hook-claude-code" || p.Handle == "" || string(p.Arguments) != `{"command":"ls"}` {
		t.Errorf("%+v", p)
	}
	open, err := r.store.Claims(context.Background(), tv.ClaimQuery{State: tv.ClaimDispatched})
	if err != nil || len(open) != 1 || open[0].Handle != p.Handle {
		t.Fatal(open, err)
	}
	after := strings.Replace(bash, "PreToolUse", "PostToolUseFailure", 1)
	for range 2 { // the second finds nothing, and says nothing
		if answer, fault := r.Answer(context.Background(), hookgate.ClaudeCode, agent, []byte(after)); string(answer) != "{}" || fault != nil {
			t.Fatal(string(answer), fault)
		}
	}
	c, err := r.store.Claim(context.Background(), open[0].Key)
	if err != nil || c.State != tv.ClaimFailed {
		t.Errorf("%s, %v", c.State, err)
	}
}

func TestDenied(t *testing.T) {
	t.Parallel()
	r := newRig(t, tv.Deny, 0, "/workspace")
	if fault := r.denied(t, bash, "POLICY_DENIED"); fault != nil {
		t.Error(fault)
	}
	if fault := r.denied(t, strings.Replace(bash, "Bash", "Nope", 1), "claude-code/Nope"); fault != nil {
		t.Error(fault)
	}
	ask := newRig(t, tv.Ask, 0, "/workspace")
	if fault := ask.denied(t, bash, "run the same call again after approval"); fault != nil {
		t.Error(fault)
	}
	if got := ask.gate.asked[0].Wait; got != 0 {
		t.Error(got)
	}
}

// TestDefer: what a person has to approve pauses a run that nobody attends, and nothing
// else does: no other agent's, no helper's, no call without an id of its own, no denial.
func TestDefer(t *testing.T) {
	t.Parallel()
	helper := strings.Replace(bash, `"agent_type"`, `"agent_id":"h","agent_type"`, 1)
	nameless := strings.Replace(bash, `,"tool_use_id":"t1"`, "", 1)
	for name, c := range map[string]struct {
		verdict tv.Verdict
		defers  bool
		input   string
		want    bool
	}{
		"asked":                    {tv.Ask, true, bash, true},
		"asked, where one attends": {tv.Ask, false, bash, false},
		"asked by a helper":        {tv.Ask, true, helper, false},
		"asked without an id":      {tv.Ask, true, nameless, false},
		"denied":                   {tv.Deny, true, bash, false},
		"unreadable":               {tv.Ask, true, "{", false},
	} {
		r := newRig(t, c.verdict, 0, "/workspace")
		r.Defers(c.defers)
		answer, _ := r.Answer(context.Background(), hookgate.ClaudeCode, agent, []byte(c.input))
		if got := hookgate.Defers(answer); got != c.want {
			t.Errorf("%s: %s", name, answer)
		}
		if objects, _ := hookgate.Objects(hookgate.ClaudeCode, answer); !c.want && !objects {
			t.Errorf("%s: not denied: %s", name, answer)
		}
	}
	r := newRig(t, tv.Allow, 0, "/workspace")
	r.Defers(true)
	if answer, _ := r.Answer(context.Background(), hookgate.ClaudeCode, agent, []byte(bash)); string(answer) != "{}" {
		t.Errorf("allowed: %s", answer)
	}
}

// TestWait: a call waits for a person within its own time only.
func TestWait(t *testing.T) {
	t.Parallel()
	r := newRig(t, tv.Allow, time.Minute, "/workspace")
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	if _, fault := r.Answer(ctx, hookgate.ClaudeCode, agent, []byte(bash)); fault != nil {
		t.Fatal(fault)
	}
	short, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	if _, fault := r.Answer(short, hookgate.ClaudeCode, agent, []byte(bash)); fault != nil {
		t.Fatal(fault)
	}
	if long, brief := r.gate.asked[0].Wait, r.gate.asked[1].Wait; long != time.Minute || brief > 8*time.Second {
		t.Error(long, brief)
	}
}

// TestFaults: whatever the gate does, the answer is a denial, and the fault is told
// to the host.
func TestFaults(t *testing.T) {
	t.Parallel()
	r := newRig(t, tv.Allow, 0, "/workspace")
	for name, fault := range map[string]func(tv.Proposal) (tv.Permit, tv.Result, error){
		"panic": func(tv.Proposal) (tv.Permit, tv.Result, error) { panic("boom") },
		"error": func(tv.Proposal) (tv.Permit, tv.Result, error) {
			return tv.Permit{}, tv.Result{}, errors.New("no disk")
		},
		"nothing": func(tv.Proposal) (tv.Permit, tv.Result, error) { return tv.Permit{}, tv.Result{}, nil },
		"unavailable": func(tv.Proposal) (tv.Permit, tv.Result, error) {
			return tv.Permit{}, tv.Result{Error: &tv.Refusal{Code: tv.GateUnavailable}}, nil
		},
	} {
		r.gate.fault = fault
		if err := r.denied(t, bash, "deny"); err == nil {
			t.Errorf("%s: the host is not told", name)
		}
	}
	r.gate.fault = func(tv.Proposal) (tv.Permit, tv.Result, error) {
		return tv.Permit{}, tv.Result{Success: true, Replayed: true}, nil
	}
	if err := r.denied(t, bash, "ran once already"); err != nil {
		t.Error(err)
	}
	r.gate.fault = func(p tv.Proposal) (tv.Permit, tv.Result, error) {
		permit, res, err := r.gate.Gate.Check(context.Background(), p)
		res.Edited = &tv.Edited{By: "boss", Changes: []tv.Change{{Path: "/command", After: []byte(`"ls -l"`)}}}
		return permit, res, err
	}
	if err := r.denied(t, bash, "ls -l"); err != nil {
		t.Error(err)
	}
}

// TestUnreadable: an input that is none is refused and recorded.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	r := newRig(t, tv.Allow, 0, "/workspace")
	for _, input := range []string{"", "null", `{"a":1`, `{"a":1,"a":2}`, strings.Replace(bash, `"t1"`, "1", 1)} {
		if err := r.denied(t, input, "read the input of the hook"); err == nil {
			t.Errorf("%s: the host is not told", input)
		}
	}
	if len(r.gate.asked) != 5 {
		t.Errorf("the gate was asked %d times", len(r.gate.asked))
	}
}

// TestFolder: agents that lose their hooks with their folder are refused anywhere
// but in the workspace, by whichever name they tell it.
func TestFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, tv.Allow, 0, filepath.Join(dir, "link"))
	codex := func(folder string) string {
		return `{"session_id":"s","turn_id":"t","cwd":"` + folder + `","hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":{"command":""},"tool_use_id":"c"}`
	}
	for folder, lost := range map[string]bool{
		filepath.Join(dir, "link"): false, filepath.Join(dir, "real"): false, filepath.Join(dir, "real", "sub"): true, dir: true, "": true, "link": true,
	} {
		answer, _ := r.Answer(context.Background(), hookgate.Codex, agent, []byte(codex(folder)))
		if got := strings.Contains(string(answer), "guards codex"); got != lost {
			t.Errorf("%q: %s", folder, answer)
		}
	}
	for _, p := range r.gate.asked {
		if p.Environment["cwd"] != filepath.Join(dir, "link") {
			t.Errorf("rules are about the workspace as it is written, not %q", p.Environment["cwd"])
		}
	}
}

// TestAnyInput: no input makes the answer anything but one of the two.
func TestAnyInput(t *testing.T) {
	t.Parallel()
	r := newRig(t, tv.Allow, 0, "/workspace")
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom(append(hookgate.Agents(), "other")).Draw(t, "agent")
		input := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{
			`"session_id":"s"`, `"cwd":"/workspace"`, `"hook_event_name":"PreToolUse"`, `"hook_event_name":"BeforeTool"`, `"tool_name":"Bash"`, `"tool_input":{"command":"ls"}`,
			`"tool_use_id":"t"`, `"timestamp":"x"`, `"turn_id":"x"`, `"toolName":"bash"`, `"toolArgs":"{}"`, `"sessionId":"s"`, `"cursor_version":"1"`,
			`"conversation_id":"c"`, `"permissionDecision":"allow"`, `"mcp_server":null`,
		}), 0, 9), func(members []string) string { return "{" + strings.Join(members, ",") + "}" })).Draw(t, "input")
		answer, _ := r.Answer(context.Background(), a, agent, []byte(input))
		if _, ok := hookgate.Objects(a, answer); !ok {
			t.Fatalf("%s: %s", input, answer)
		}
		if strings.Contains(string(answer), `"allow"`) {
			t.Fatalf("%s: %s", input, answer)
		}
	})
}

// TestHandler: whoever asks gets status 200 and one of the two answers.
func TestHandler(t *testing.T) {
	t.Parallel()
	r := newRig(t, tv.Allow, 0, "/workspace")
	mux := http.NewServeMux()
	mux.Handle("POST /v1/hooks/{agent}", &desk.Handler{Desk: r.Desk, Deadline: time.Minute, Authenticate: func(bearer string) (tv.Subject, bool) {
		return agent, bearer == "key" || bearer == ""
	}})
	for _, c := range []struct{ agent, auth, body, want string }{
		{"claude-code", "Bearer key", bash, `{}`},
		{"claude-code", "Bearer wrong", bash, "no valid key"},
		{"claude-code", "Bearer ", bash, "no valid key"},
		{"claude-code", "", bash, "no valid key"},
		{"claude-code", "key", bash, "no valid key"},
		{"other", "Bearer key", bash, "no such agent"},
		{"codex", "Bearer key", bash, "in the form of claude-code"},
		{"claude-code", "Bearer key", "{}" + strings.Repeat(" ", hookgate.MaxInput), "larger than"},
	} {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/hooks/"+c.agent, strings.NewReader(c.body))
		req.Header.Set("Authorization", c.auth)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, req)
		form := hookgate.Agent(c.agent)
		if c.agent == "other" {
			form = hookgate.ClaudeCode
		}
		if _, ok := hookgate.Objects(form, w.Body.Bytes()); !ok || w.Code != http.StatusOK || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %q: %d %s", c.agent, c.auth, w.Code, w.Body)
		}
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	if _, err := desk.New(desk.Config{Workspace: "/w"}); err == nil {
		t.Error("a desk without a gate")
	}
}
