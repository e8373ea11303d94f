// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package loop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/guard"
	"github.com/toolverdict/toolverdict/guard/guardtest"
	"github.com/toolverdict/toolverdict/guard/loop"
	"github.com/toolverdict/toolverdict/wire"
)

func text(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func chat(calls []guard.Call) string {
	var all []string
	for _, c := range calls {
		all = append(all, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%q,"arguments":%s}}`, c.ID, c.Tool, text(string(c.Arguments))))
	}
	return `{"role":"assistant","tool_calls":[` + strings.Join(all, ",") + `]}`
}

func tools(run guardtest.Tool) map[string]loop.Tool {
	all := map[string]loop.Tool{}
	for _, name := range guardtest.Names() {
		all[name] = func(ctx context.Context, arguments []byte) (json.RawMessage, error) {
			out, err := run(ctx, name, arguments)
			if err != nil {
				return nil, err
			}
			return json.RawMessage(text(out)), nil
		}
	}
	return all
}

func TestLoop(t *testing.T) {
	t.Parallel()
	for name, sequential := range map[string]bool{"side by side": false, "in order": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			guardtest.Run(t, func(_ *testing.T, g guard.Guard, run guardtest.Tool) guardtest.Ask {
				l := loop.Loop{Guard: g, Shape: wire.OpenAIChat, Tools: tools(run), Sequential: sequential}
				return func(t *testing.T, calls ...guard.Call) []string {
					t.Helper()
					out, err := l.Answer(t.Context(), []byte(chat(calls)), "turn-1")
					if err != nil {
						t.Fatal(err)
					}
					var answers []struct {
						ID      string `json:"tool_call_id"`
						Content string
					}
					if err := json.Unmarshal(out, &answers); err != nil {
						t.Fatal(err)
					}
					told := make([]string, len(answers))
					for i, a := range answers {
						if told[i] = a.Content; a.ID != calls[i].ID {
							t.Errorf("answer %d is to call %s", i, a.ID)
						}
					}
					return told
				}
			})
		})
	}
}

// Every call of a message is answered in its form, and in its order, whatever kind
// it is of; what the provider runs, or nobody knows, runs no tool of ours.
func TestKindsOfCalls(t *testing.T) {
	t.Parallel()
	var ran guardtest.Ran
	run := func(_ context.Context, name string, arguments []byte) (string, error) {
		ran.Add(name, string(arguments))
		return "done", nil
	}
	g := guardtest.NewGate(t, "mcp_call", "invented_call").Guard()
	l := loop.Loop{Guard: g, Shape: wire.OpenAIResponses, Tools: tools(run)}
	l.Tools["mcp_call"], l.Tools["invented_call"] = l.Tools[guardtest.Allowed], l.Tools[guardtest.Allowed]
	out, err := l.Answer(t.Context(), []byte(`{"output":[
		{"type":"message","content":[]},
		{"type":"function_call","call_id":"1","name":"allowed","arguments":"{\"n\":1}"},
		{"type":"custom_tool_call","call_id":"2","name":"allowed","input":"free text"},
		{"type":"function_call","call_id":"3","name":"allowed","arguments":"{\"n\":"},
		{"type":"mcp_approval_request","id":"4","server_label":"server","name":"allowed","arguments":"{}"},
		{"type":"mcp_call","id":"5","server_label":"server","name":"allowed","arguments":"{}"},
		{"type":"invented_call","call_id":"6","name":"allowed","arguments":"{}"},
		{"type":"function_call","call_id":"7","name":"made_up","arguments":"{}"}]}`), "turn-1")
	if err != nil {
		t.Fatal(err)
	}
	var answers []json.RawMessage
	if err := json.Unmarshal(out, &answers); err != nil || len(answers) != 7 {
		t.Fatalf("%v: %s", err, out)
	}
	for i, want := range []string{"done", "done", "MALFORMED_CALL", "", "UNKNOWN_TOOL", "UNKNOWN_TOOL", "UNKNOWN_TOOL"} {
		if !strings.Contains(string(answers[i]), want) {
			t.Errorf("answer %d is %s, and does not say %q", i, answers[i], want)
		}
	}
	if strings.Contains(string(answers[3]), `"approve":true`) {
		t.Errorf("the provider was told to call its own server: %s", answers[3])
	}
	got := ran.All()
	if len(got) == 2 && got[0] > got[1] {
		got[0], got[1] = got[1], got[0]
	}
	if diff := cmp.Diff([]string{`allowed {"input":"free text"}`, `allowed {"n":1}`}, got); diff != "" {
		t.Errorf("what ran (-want +got):\n%s", diff)
	}
}

// A tool that the gate allows and the program does not have fails, and says so.
func TestAToolThatIsNotHere(t *testing.T) {
	t.Parallel()
	l := loop.Loop{Guard: guardtest.NewGate(t).Guard(), Shape: wire.OpenAIChat}
	out, err := l.Answer(t.Context(), []byte(chat([]guard.Call{{ID: "1", Tool: guardtest.Allowed, Arguments: []byte(`{}`)}})), "turn-1")
	if err != nil || !strings.Contains(string(out), "there is no such tool here") {
		t.Errorf("%v: %s", err, out)
	}
}

// A message that is answered again, by another loop of the same session, runs
// nothing again; the same calls in another message are new acts.
func TestOnce(t *testing.T) {
	t.Parallel()
	gate := guardtest.NewGate(t)
	var ran guardtest.Ran
	run := func(_ context.Context, name string, arguments []byte) (string, error) {
		ran.Add(name, string(arguments))
		return fmt.Sprintf("answer %d", len(ran.All())), nil
	}
	answer := func(session, turn, id, tool string) string {
		t.Helper()
		g := gate.Guard()
		g.Session = session
		l := loop.Loop{Guard: g, Shape: wire.OpenAIChat, Tools: tools(run), Once: true}
		out, err := l.Answer(t.Context(), []byte(chat([]guard.Call{{ID: id, Tool: tool, Arguments: []byte(`{}`)}})), turn)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	for i, c := range []struct{ session, turn, id, want string }{
		{"s", "1", "a", "answer 1"},
		{"s", "1", "a", "answer 1"},
		{"s", "2", "a", "answer 2"},
		{"s", "1", "b", "answer 3"},
		{"t", "1", "a", "answer 4"},
		{"s", "1", `a","x`, "answer 5"},
		{`s","1`, "a", "x", "answer 6"}, // not the one before, written otherwise
		{"s", "1", "a", "answer 1"},
		{"s", "2", "a", "answer 2"},
	} {
		if out := answer(c.session, c.turn, c.id, guardtest.Allowed); !strings.Contains(out, c.want) {
			t.Errorf("%d: %s, want %s", i, out, c.want)
		}
	}
	// What waits for a person goes on with its own message.
	if out := answer("s", "3", "a", guardtest.Asked); !strings.Contains(out, "CONFIRMATION_REQUIRED") {
		t.Error(out)
	}
	gate.Approve(t.Context(), gate.Waiting(t.Context()))
	for range 2 {
		if out := answer("s", "3", "a", guardtest.Asked); !strings.Contains(out, "answer 7") {
			t.Error(out)
		}
	}
	if n := len(ran.All()); n != 7 {
		t.Errorf("%d runs", n)
	}
}

func TestOnceNeedsNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ session, turn string }{{"", "1"}, {"s", ""}} {
		g := guardtest.NewGate(t).Guard()
		g.Session = c.session
		l := loop.Loop{Guard: g, Shape: wire.OpenAIChat, Once: true, Tools: tools(func(context.Context, string, []byte) (string, error) {
			t.Error("it ran")
			return "", nil
		})}
		if out, err := l.Answer(t.Context(), []byte(chat([]guard.Call{{ID: "1", Tool: guardtest.Allowed, Arguments: []byte(`{}`)}})), c.turn); err == nil {
			t.Errorf("session %q, turn %q: %s", c.session, c.turn, out)
		}
	}
}

func TestMessagesThatAreNone(t *testing.T) {
	t.Parallel()
	for name, l := range map[string]loop.Loop{"no shape": {}, "another shape": {Shape: wire.Anthropic}} {
		if out, err := l.Answer(t.Context(), []byte(chat(nil)), "turn-1"); err == nil {
			t.Errorf("%s: %s", name, out)
		}
	}
}
