// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
)

// evaluation is what a gateway that speaks AuthZEN reads.
type evaluation struct {
	Decision bool
	Context  struct {
		Verdict, Reason, Digest string
		Confirmation            *struct{ ID string }
	}
	Evaluations []evaluation
	Detail      string
}

func (s *site) evaluate(key, path, body string) (int, evaluation) {
	s.t.Helper()
	status, text := s.post(key, path, body, nil)
	var e evaluation
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		s.t.Fatalf("%d %s: %v", status, text, err)
	}
	return status, e
}

func asks(subject, tool, args string) string {
	return fmt.Sprintf(`{"subject":{"type":"user","id":%q,"properties":{"roles":["admin"]}},"action":{"name":"tools/call"},"resource":{"type":"tool","id":%q,"properties":{"arguments":%s}},"context":{"time":"now"},"more":1}`, subject, tool, args)
}

func TestAuthZEN(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for tool, want := range map[string]struct{ verdict, reason string }{
		"server/read": {"allow", ""}, "server/cancel": {"ask", "CONFIRMATION_REQUIRED"}, "server/never": {"deny", "POLICY_DENIED"}, "server/none": {"deny", "UNKNOWN_TOOL"},
	} {
		status, e := s.evaluate("agent-key", "/access/v1/evaluation", asks("agent", tool, `{"n":1}`))
		if status != 200 || e.Decision != (want.verdict == "allow") || e.Context.Verdict != want.verdict || e.Context.Reason != want.reason {
			t.Errorf("%s: %d %+v", tool, status, e)
		}
	}
	_, advised := s.ask("agent-key", "/v1/decide", `{"tool":"server/read","arguments":{"n":1.0}}`)
	if _, e := s.evaluate("agent-key", "/access/v1/evaluation", asks("agent", "server/read", `{"n":1}`)); e.Context.Digest != advised.Digest {
		t.Errorf("digest %s, want %s", e.Context.Digest, advised.Digest)
	}
	if _, e := s.evaluate("agent-key", "/access/v1/evaluation", asks("agent", "server/read", `[1]`)); e.Decision || e.Context.Reason != "MALFORMED_CALL" {
		t.Errorf("%+v", e)
	}
	if all, _ := s.store.Claims(context.Background(), tv.ClaimQuery{}); len(all) != 0 {
		t.Errorf("claimed %+v", all)
	}
	if status, body := s.get("", "/.well-known/authzen-configuration"); status != 200 || !strings.Contains(body, `"access_evaluation_endpoint":"https://gate.example/access/v1/evaluation"`) {
		t.Errorf("%d %s", status, body)
	}
}

// A question makes no subject: it names the key's own, or, from a service that may
// ask about others, one that is known.
func TestWhoMayBeAskedAbout(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name, c := range map[string]struct {
		key, subject string
		want         int
	}{
		"oneself":                         {"agent-key", "agent", 200},
		"somebody else":                   {"agent-key", "clerk", 403},
		"a proxy about one that is known": {"proxy-key", "agent", 200},
		"a proxy about a stranger":        {"proxy-key", "mallory", 400},
		"a machine with another role":     {"machine-key", "agent", 403},
		"nobody":                          {"none", "agent", 401},
	} {
		if status, e := s.evaluate(c.key, "/access/v1/evaluation", asks(c.subject, "server/read", `{}`)); status != c.want || e.Decision != (c.want == 200) {
			t.Errorf("%s: %d %+v", name, status, e)
		}
	}
	// What holds of the subject's runs holds, whoever asks.
	s.permit()
	if _, e := s.evaluate("proxy-key", "/access/v1/evaluation", asks("readonly", "server/never", `{}`)); e.Decision {
		t.Errorf("%+v", e)
	}
}

func TestAuthZENLists(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	question := func(tool string) string {
		return `{"resource":{"type":"tool","id":"server/` + tool + `","properties":{"arguments":{}}}}`
	}
	list := func(semantic string) string {
		return `{"subject":{"type":"user","id":"agent"},"action":{"name":"tools/call"},"options":{` + semantic + `},"evaluations":[` +
			question("read") + "," + question("never") + "," + question("read") + "]}"
	}
	for semantic, want := range map[string]string{
		``: "true false true", `"evaluations_semantic":"execute_all"`: "true false true",
		`"evaluations_semantic":"deny_on_first_deny"`: "true false", `"evaluations_semantic":"permit_on_first_permit"`: "true",
	} {
		_, e := s.evaluate("agent-key", "/access/v1/evaluations", list(semantic))
		var got []string
		for _, one := range e.Evaluations {
			got = append(got, fmt.Sprint(one.Decision))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", semantic, got, want)
		}
	}
	if status, e := s.evaluate("agent-key", "/access/v1/evaluations", asks("agent", "server/read", `{}`)); status != 200 || !e.Decision {
		t.Errorf("without a list: %d %+v", status, e)
	}
	good := asks("agent", "server/read", `{}`)
	for name, body := range map[string]string{
		"a semantic that is none": list(`"evaluations_semantic":"all"`), "an item that is no object": strings.Replace(list(""), `[{"resource"`, `[7,{"resource"`, 1),
		"evaluations are text": strings.TrimSuffix(good, "}") + `,"evaluations":"x"}`, "a key twice": strings.Replace(good, `"id":"agent"`, `"id":"clerk","id":"agent"`, 1),
		"no subject": `{"action":{"name":"tools/call"},"resource":{"type":"tool","id":"server/read"}}`, "another action": strings.Replace(good, "tools/call", "tools/list", 1),
		// Arguments that are not where they are looked for are not decided as none.
		"no arguments": strings.Replace(good, `,"properties":{"arguments":{}}`, "", 1), "arguments under another name": strings.Replace(good, `"arguments":{}`, `"args":{}`, 1),
		"arguments beside others": strings.Replace(good, `"arguments":{}`, `"arguments":{},"path":"/etc"`, 1), "arguments of the action": strings.Replace(good, `{"name":"tools/call"}`, `{"name":"tools/call","properties":{"n":1}}`, 1),
		"another resource": strings.Replace(good, `"type":"tool"`, `"type":"file"`, 1), "a subject that is text": `{"subject":"agent","action":{"name":"tools/call"},"resource":{"type":"tool","id":"server/read"}}`,
		"too many": `{"evaluations":[` + strings.TrimSuffix(strings.Repeat(good+",", 65), ",") + `]}`,
	} {
		if status, e := s.evaluate("agent-key", "/access/v1/evaluations", body); status != 400 || e.Decision || e.Evaluations != nil {
			t.Errorf("%s: %d %+v", name, status, e)
		}
	}
}
