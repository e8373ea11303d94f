// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/gatetest"
)

// verdict is what a client reads of an answer.
type verdict struct {
	tv.Result

	Verdict  string
	Tool     string
	Digest   string
	Claim    leave
	Answer   json.RawMessage
	Repeated bool
	Results  []verdict
	Messages json.RawMessage
	Problem  *struct{ Status int }
	Detail   string
}

// leave is the leave of a claim, or the id of one.
type leave struct {
	ID, Token, IdempotencyKey string
	Arguments                 json.RawMessage
	Deadline                  time.Time
}

func (l *leave) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, &l.ID)
	}
	type plain leave
	return json.Unmarshal(b, (*plain)(l))
}

// ask posts and reads the answer.
func (s *site) ask(key, path, body string) (int, verdict) {
	s.t.Helper()
	status, text := s.post(key, path, body, nil)
	var v verdict
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		s.t.Fatalf("%d %s: %v", status, text, err)
	}
	return status, v
}

// permit lets every call of every tool through.
func (s *site) permit() { s.now.Swap(s.tools, gatetest.Always(tv.Allow)) }

// claimed claims a call that is allowed.
func (s *site) claimed(key, body string) verdict {
	s.t.Helper()
	status, v := s.ask(key, "/v1/claim", body)
	if status != 200 || v.Verdict != "allow" || v.Claim.Token == "" {
		s.t.Fatalf("%d %+v", status, v)
	}
	return v
}

func outcomeOf(v verdict, rest string) string {
	return `{"claim":"` + v.Claim.ID + `","token":"` + v.Claim.Token + `",` + rest + `}`
}

func (s *site) records(kind tv.RecordKind) []audit.Numbered {
	s.t.Helper()
	found, err := finder{s.store}.Find(context.Background(), audit.Query{Kind: kind, Page: audit.Page{Limit: 100}})
	if err != nil {
		s.t.Fatal(err)
	}
	return found
}

// only returns the one entry of the ledger.
func (s *site) only() tv.Claim {
	s.t.Helper()
	all, err := s.store.Claims(context.Background(), tv.ClaimQuery{})
	if err != nil || len(all) != 1 {
		s.t.Fatalf("%+v %v", all, err)
	}
	return all[0]
}

func TestClaimRunTell(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.permit()
	v := s.claimed("agent-key", `{"id":"mine","tool":"server/never","arguments":{"n": 1.0,"tag":"<b>"},"idempotencyKey":"act-1"}`)
	if string(v.Claim.Arguments) != `{"n": 1.0,"tag":"<b>"}` || v.Digest == "" || v.Claim.IdempotencyKey == "" || v.Claim.Deadline.Before(s.clock()) {
		t.Errorf("%+v", v.Claim)
	}
	if c := s.only(); c.State != tv.ClaimDispatched || c.CallID != v.Claim.ID {
		t.Errorf("the intent is not in the ledger: %+v", c)
	}
	status, told := s.ask("agent-key", "/v1/outcome", outcomeOf(v, `"status":"succeeded","result":{"done":[1e400,1,"\ud83d\ude00"]}`))
	if status != 200 || !told.Success || told.StateChanged != tv.Changed || !strings.Contains(string(told.Content), "1e400") {
		t.Errorf("%d %+v", status, told)
	}
	if c := s.only(); c.State != tv.ClaimSucceeded {
		t.Errorf("the ledger says %s", c.State)
	}
	if len(s.exec.Ran()) != 0 {
		t.Error("the gate ran what the caller runs")
	}
	// A repeat of the act is answered from the ledger: that is no leave to run it.
	status, again := s.ask("agent-key", "/v1/claim", `{"tool":"server/never","arguments":{"n":1,"tag":"<b>"},"idempotencyKey":"act-1"}`)
	if status != 200 || again.Verdict != "deny" || !again.Replayed || again.Claim.Token != "" || !strings.Contains(string(again.Content), "1e400") {
		t.Errorf("%d %+v", status, again)
	}
	_, asked := s.ask("agent-key", "/v1/decide", `{"tool":"server/never","arguments":{"n":1,"tag":"<b>"},"idempotencyKey":"act-1"}`)
	if asked.Verdict != "deny" || !asked.Replayed {
		t.Errorf("advised %+v", asked)
	}
}

func TestDecideGivesNoLeave(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for tool, want := range map[string]struct{ verdict, code string }{
		"server/read": {"allow", ""}, "server/cancel": {"ask", "CONFIRMATION_REQUIRED"}, "server/never": {"deny", "POLICY_DENIED"}, "server/x": {"deny", "UNKNOWN_TOOL"},
	} {
		status, v := s.ask("agent-key", "/v1/decide", `{"tool":"`+tool+`","arguments":{"id":1}}`)
		code := ""
		if v.Error != nil {
			code = string(v.Error.Code)
		}
		if status != 200 || v.Verdict != want.verdict || code != want.code || v.Claim.Token != "" {
			t.Errorf("%s: %d %+v", tool, status, v)
		}
		if known := tool != "server/x"; known != (v.Digest != "") && want.verdict != "deny" {
			t.Errorf("%s: digest %q", tool, v.Digest)
		}
	}
	if found := s.records(tv.RecordDecision); len(found) != 4 {
		t.Errorf("%d decisions recorded, want 4", len(found))
	}
	if all, _ := s.store.Claims(context.Background(), tv.ClaimQuery{}); len(all) != 0 {
		t.Errorf("decided and claimed: %+v", all)
	}
	if open, _ := s.as("boss-key").Approvals(context.Background(), ""); len(open) != 0 {
		t.Errorf("decided and asked: %+v", open)
	}
}

// The digest of an advice is that of the claim: a caller can hold the one against
// the other.
func TestDecideAndClaimAgree(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.permit()
	_, advised := s.ask("agent-key", "/v1/decide", `{"tool":"server/never","arguments":{"b":2,"a":1.0}}`)
	v := s.claimed("agent-key", `{"tool":"server/never","arguments":{"a":1,"b":2}}`)
	if advised.Verdict != "allow" || advised.Digest != v.Digest {
		t.Errorf("advised %+v, claimed %+v", advised, v)
	}
}

// The policy changes between the advice and the claim: the claim goes by the
// policy of then.
func TestPolicyChangesBeforeTheClaim(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.permit()
	body := `{"tool":"server/never","arguments":{}}`
	if _, v := s.ask("agent-key", "/v1/decide", body); v.Verdict != "allow" {
		t.Fatalf("%+v", v)
	}
	s.now.Swap(s.tools, gatetest.Always(tv.Deny))
	if _, v := s.ask("agent-key", "/v1/claim", body); v.Verdict != "deny" || v.Claim.Token != "" || v.Error.Code != tv.PolicyDenied {
		t.Errorf("%+v", v)
	}
	if all, _ := s.store.Claims(context.Background(), tv.ClaimQuery{}); len(all) != 0 {
		t.Errorf("a denied call is in the ledger: %+v", all)
	}
}

func TestClaimWaitsForAPerson(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	body := `{"tool":"server/cancel","arguments":{"id":"A1"}}`
	_, v := s.ask("agent-key", "/v1/claim", body)
	if v.Verdict != "ask" || v.Claim.Token != "" || v.Confirmation == nil {
		t.Fatalf("%+v", v)
	}
	if _, again := s.ask("agent-key", "/v1/decide", body); again.Verdict != "ask" || again.Confirmation == nil || again.Confirmation.ID != v.Confirmation.ID {
		t.Errorf("advised %+v", again)
	}
	if _, err := s.as("boss-key").Decide(context.Background(), v.Confirmation.ID, "approve", ""); err != nil {
		t.Fatal(err)
	}
	if _, again := s.ask("agent-key", "/v1/decide", body); again.Verdict != "allow" || again.Claim.Token != "" {
		t.Errorf("advised %+v", again)
	}
	got := s.claimed("agent-key", `{"confirmation":"`+v.Confirmation.ID+`"}`)
	if string(got.Claim.Arguments) != `{"id":"A1"}` || got.Tool != "server/cancel" {
		t.Errorf("%s %s", got.Tool, got.Claim.Arguments)
	}
	if _, again := s.ask("agent-key", "/v1/claim", body); again.Verdict != "deny" {
		t.Errorf("claimed twice: %+v", again)
	}
}

func TestOutcomesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.permit()
	v := s.claimed("agent-key", `{"tool":"server/never","arguments":{}}`)
	good := outcomeOf(v, `"status":"succeeded"`)
	for name, c := range map[string]struct {
		key, body string
		want      int
	}{
		"somebody else":            {"other-key", good, 404},
		"its user":                 {"clerk-key", good, 404},
		"a forged token":           {"agent-key", strings.Replace(good, v.Claim.Token, "call99999999", 1), 403},
		"no token":                 {"agent-key", strings.Replace(good, v.Claim.Token, "", 1), 403},
		"another claim":            {"agent-key", strings.Replace(good, v.Claim.ID, "call99999999", 1), 404},
		"a word that is none":      {"agent-key", outcomeOf(v, `"status":"ok"`), 400},
		"no status":                {"agent-key", outcomeOf(v, `"message":""`), 400},
		"paused":                   {"agent-key", outcomeOf(v, `"status":"paused"`), 400},
		"succeeded with a code":    {"agent-key", outcomeOf(v, `"status":"succeeded","code":"TOOL_ERROR"`), 400},
		"a code of the gate's own": {"agent-key", outcomeOf(v, `"status":"failed","code":"POLICY_DENIED"`), 400},
		"an unknown member":        {"agent-key", outcomeOf(v, `"status":"failed","verdict":"allow"`), 400},
		"a member twice":           {"agent-key", outcomeOf(v, `"status":"failed","status":"succeeded"`), 400},
		"a member in two cases":    {"agent-key", outcomeOf(v, `"status":"failed","Status":"succeeded"`), 400},
		"a member in another case": {"agent-key", outcomeOf(v, `"STATUS":"succeeded"`), 400},
		"a result that is no text": {"agent-key", outcomeOf(v, "\"status\":\"succeeded\",\"result\":\"\xff\""), 400},
		"outcomes beside one":      {"agent-key", outcomeOf(v, `"status":"failed","outcomes":[]`), 400},
		"two values":               {"agent-key", good + good, 400},
		"a shape that is none":     {"agent-key", outcomeOf(v, `"status":"failed","shape":"x"`), 400},
		"more behind it":           {"agent-key", good + good, 400},
		"no object":                {"agent-key", `[]`, 400},
	} {
		if status, got := s.ask(c.key, "/v1/outcome", c.body); status != c.want || got.Success {
			t.Errorf("%s: %d %+v, want %d", name, status, got, c.want)
		}
	}
	if c := s.only(); c.State != tv.ClaimDispatched {
		t.Errorf("the ledger says %s", c.State)
	}
	if status, told := s.ask("agent-key", "/v1/outcome", good); status != 200 || !told.Success {
		t.Errorf("%d %+v", status, told)
	}
}

// An answer that was lost can be asked for again in the same words; another word
// changes nothing.
func TestOutcomeToldTwice(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.permit()
	v := s.claimed("agent-key", `{"tool":"server/never","arguments":{}}`)
	failed := outcomeOf(v, `"status":"failed","message":"it is gone"`)
	if status, told := s.ask("agent-key", "/v1/outcome", failed); status != 200 || told.Success || told.Repeated || told.Error.Code != tv.ToolError {
		t.Fatalf("%d %+v", status, told)
	}
	if status, told := s.ask("agent-key", "/v1/outcome", failed); status != 200 || told.Success || !told.Repeated {
		t.Errorf("%d %+v", status, told)
	}
	if status, _ := s.ask("agent-key", "/v1/outcome", outcomeOf(v, `"status":"succeeded"`)); status != 409 {
		t.Errorf("another outcome: %d", status)
	}
	if c := s.only(); c.State != tv.ClaimFailed {
		t.Errorf("the ledger says %s", c.State)
	}
	if n := len(s.records(tv.RecordOutcome)); n != 1 {
		t.Errorf("%d outcomes recorded", n)
	}
}

// Whoever did not get the answer to an outcome gets it by telling it again: the
// tool's answer, with secrets hidden, and the model's message.
func TestOutcomeToldTwiceIsAnsweredTheSame(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ outcome, result, answer string }{
		"succeeded": {`"status":"succeeded","shape":"anthropic","result":{"n": 1e400,"who":"me"}`, `{"n":1e400,"who":"me"}`, `"content":"{`},
		"failed":    {`"status":"failed","shape":"anthropic","message":"it is gone","result":["half"]`, `["half"]`, `it is gone`},
		"unknown":   {`"status":"unknown","shape":"anthropic","result":["half"]`, ``, `OUTCOME_UNKNOWN`},
		"no result": {`"status":"succeeded","shape":"anthropic"`, ``, `success`},
		"no shape":  {`"status":"succeeded","result":"x"`, `"x"`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.permit()
			told := outcomeOf(s.claimed("agent-key", `{"tool":"server/never","arguments":{}}`), c.outcome)
			_, first := s.ask("agent-key", "/v1/outcome", told)
			_, again := s.ask("agent-key", "/v1/outcome", told)
			if first.Repeated || !again.Repeated {
				t.Errorf("repeated: %v, then %v", first.Repeated, again.Repeated)
			}
			again.Repeated = false
			if diff := cmp.Diff(first, again, cmp.AllowUnexported(tv.Refusal{})); diff != "" {
				t.Errorf("told again (-first +again):\n%s", diff)
			}
			if string(again.Content) != c.result || !strings.Contains(string(again.Answer), c.answer) || (len(again.Answer) > 0) != (c.answer != "") {
				t.Errorf("told again: %s, %s", again.Content, again.Answer)
			}
		})
	}
}

func TestOutcomeToldTwiceHidesSecrets(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.permit()
	told := outcomeOf(s.claimed("agent-key", `{"tool":"server/never","arguments":{}}`), `"status":"succeeded","shape":"anthropic","result":"the word is hunter2"`)
	s.ask("agent-key", "/v1/outcome", told)
	if _, again := s.ask("agent-key", "/v1/outcome", told); string(again.Content) != `"the word is [HIDDEN]"` || strings.Contains(string(again.Answer), "hunter2") {
		t.Errorf("%s %s", again.Content, again.Answer)
	}
}

// What a tool answered is not held to what arguments may be: a call that was run
// does not end as unknown because it said much. There is an end to it.
func TestOutcomesThatAreLarge(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.permit()
	large := func(bytes int) (int, string, verdict) {
		v := s.claimed("agent-key", `{"tool":"server/never","arguments":{}}`)
		text := `"` + strings.Repeat("x", bytes) + `"`
		status, told := s.ask("agent-key", "/v1/outcome", outcomeOf(v, `"status":"succeeded","result":`+text))
		return status, text, told
	}
	if status, text, told := large(2 << 20); status != 200 || string(told.Content) != text {
		t.Errorf("2 MiB: %d, %d bytes", status, len(told.Content))
	}
	if status, _, _ := large(16<<20 + 80<<10); status != http.StatusRequestEntityTooLarge {
		t.Errorf("more than 16 MiB: %d", status)
	}
	if status, _ := s.ask("agent-key", "/v1/claim", `{"tool":"server/never","arguments":{"a":"`+strings.Repeat("x", 100_000)+`"}}`); status != http.StatusRequestEntityTooLarge {
		t.Errorf("large arguments: %d", status)
	}
}

func TestClaimThatIsNeverReported(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.permit()
	v := s.claimed("agent-key", `{"tool":"server/never","arguments":{}}`)
	if n := s.front.Sweep(context.Background()); n != 0 || s.only().State != tv.ClaimDispatched {
		t.Fatalf("%d ended before their time", n)
	}
	s.ahead.Add(int64(61 * time.Second))
	late := outcomeOf(v, `"status":"succeeded"`)
	if status, _ := s.ask("agent-key", "/v1/outcome", late); status != 409 {
		t.Errorf("told late: %d", status)
	}
	if n := s.front.Sweep(context.Background()); n != 1 {
		t.Errorf("%d ended", n)
	}
	if c := s.only(); c.State != tv.ClaimUnknown {
		t.Errorf("the ledger says %s", c.State)
	}
	if status, _ := s.ask("agent-key", "/v1/outcome", late); status != 404 {
		t.Errorf("told after it was unknown: %d", status)
	}
	if err := s.as("admin-key").Settle(context.Background(), s.only().Key, tv.ClaimFailed, "looked"); err != nil {
		t.Error(err)
	}
}

// A gate that dies with a claim: another process finds it in the ledger.
func TestClaimOfAGateThatDied(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.permit()
	body := `{"tool":"server/never","arguments":{},"idempotencyKey":"k"}`
	s.claimed("agent-key", body)
	s.ahead.Add(int64(2 * time.Minute)) // nobody sweeps
	if _, v := s.ask("agent-key", "/v1/claim", body); v.Verdict != "deny" || v.Error == nil || v.Error.Code != tv.OutcomeUnknown {
		t.Errorf("%+v", v)
	}
}

func TestNoRoomForMoreClaims(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.permit()
	list := `{"calls":[` + strings.TrimSuffix(strings.Repeat(`{"tool":"server/read"},`, 64), ",") + `]}`
	for range 8 {
		if status, v := s.ask("agent-key", "/v1/claim", list); status != 200 || v.Verdict != "allow" {
			t.Fatalf("%d", status)
		}
	}
	if status, v := s.ask("agent-key", "/v1/claim", `{"tool":"server/read"}`); status != http.StatusTooManyRequests || v.Verdict != "" {
		t.Errorf("%d %+v", status, v)
	}
	s.claimed("other-key", `{"tool":"server/read"}`)
	s.ahead.Add(int64(time.Hour))
	s.front.Sweep(context.Background())
	s.claimed("agent-key", `{"tool":"server/read"}`)
	// A refused call takes no room.
	s.now.Swap(s.tools, gatetest.Always(tv.Deny))
	for range 9 {
		if status, v := s.ask("agent-key", "/v1/claim", list); status != 200 || v.Verdict != "deny" || len(v.Results) != 64 {
			t.Fatalf("%d %+v", status, v)
		}
	}
}

func TestSeveralOutcomes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.permit()
	_, all := s.ask("agent-key", "/v1/claim", `{"calls":[{"tool":"server/never","arguments":{"n":1}},{"tool":"server/read"}]}`)
	if all.Verdict != "allow" || len(all.Results) != 2 {
		t.Fatalf("%+v", all)
	}
	a, b := all.Results[0], all.Results[1]
	status, told := s.ask("agent-key", "/v1/outcome", `{"outcomes":[`+outcomeOf(b, `"status":"succeeded"`)+`,`+outcomeOf(a, `"status":"unknown"`)+`,`+outcomeOf(a, `"status":"succeeded"`)+`]}`)
	if status != 200 || len(told.Results) != 3 || !told.Results[0].Success || told.Results[1].Error.Code != tv.OutcomeUnknown {
		t.Fatalf("%d %+v", status, told)
	}
	if p := told.Results[2].Problem; p == nil || p.Status != 409 || told.Results[2].Success {
		t.Errorf("%+v", told.Results[2])
	}
	if status, _ := s.ask("agent-key", "/v1/claim", `{"calls":[{"tool":"server/read","wait":"1s"}]}`); status != 400 {
		t.Errorf("several calls wait: %d", status)
	}
}

func TestMessagesOfModels(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	message := `{"role":"assistant","content":[{"type":"text","text":"so"},` +
		`{"type":"tool_use","id":"t1","name":"server__read","input":{"n":1}},{"type":"tool_use","id":"t2","name":"server__never","input":{}},` +
		`{"type":"server_tool_use","id":"t3","name":"web_search","input":{}},{"type":"tool_use","id":"t4","name":"server__read","input":"{}"},` +
		`{"type":"tool_use","id":"t5","name":"read","input":{}}]}`
	status, v := s.ask("agent-key", "/v1/claim", `{"shape":"anthropic","message":`+message+`,"session":"s"}`)
	if status != 200 || v.Verdict != "deny" || len(v.Results) != 5 || v.Messages != nil {
		t.Fatalf("%d %+v", status, v)
	}
	var got []string
	for _, r := range v.Results {
		line := r.Verdict
		if r.Error != nil {
			line += " " + string(r.Error.Code) + " " + r.Error.Message
		}
		got = append(got, line)
	}
	want := []string{
		"allow", "deny POLICY_DENIED Rule \"rule-deny\" denies this call: the test says so.",
		"deny UNKNOWN_TOOL The model's provider ran this call itself, outside the gate: nothing could be decided about it.",
		"deny MALFORMED_CALL The call cannot be read: its \"input\" is missing or of another type than this form has.",
		"deny UNKNOWN_TOOL There is no such tool.",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if !strings.Contains(string(v.Results[1].Answer), `"tool_use_id":"t2"`) || !strings.Contains(string(v.Results[1].Answer), "POLICY_DENIED") || v.Results[0].Answer != nil {
		t.Errorf("%s", v.Results[1].Answer)
	}
	if found := s.records(tv.RecordDecision); len(found) != 5 {
		t.Errorf("%d decisions recorded, want one for each call", len(found))
	}
	_, told := s.ask("agent-key", "/v1/outcome", outcomeOf(v.Results[0], `"status":"succeeded","result":"sunny"`))
	if d := cmp.Diff(`{"content":"sunny","tool_use_id":"t1","type":"tool_result"}`, string(told.Answer)); d != "" {
		t.Error(d)
	}
	// Where nothing may run, the next message is complete.
	_, v = s.ask("agent-key", "/v1/decide", `{"shape":"openai-chat","message":{"tool_calls":[{"id":"c1","function":{"name":"server__never","arguments":"{}"}}]}}`)
	if !strings.HasPrefix(string(v.Messages), `[{"content":"{\"success\":false`) || !strings.Contains(string(v.Messages), `"tool_call_id":"c1"`) {
		t.Errorf("%s", v.Messages)
	}
}

// A message by header: its shape is said, never guessed.
func TestShapeByHeader(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	message := `{"tool_calls":[{"id":"c1","type":"function","function":{"name":"server__read","arguments":"{\"a\":1,\"a\":2}"}},{"id":"c2","type":"function","function":{"name":"server/read","arguments":"{}"}}]}`
	as := func(shape string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Toolverdict-Shape", shape) }
	}
	status, text := s.post("agent-key", "/v1/batch", message, as("openai-chat"))
	var v verdict
	if err := json.Unmarshal([]byte(text), &v); err != nil || status != 200 || len(v.Results) != 2 || v.Results[0].Error.Code != tv.MalformedCall || !v.Results[1].Success {
		t.Fatalf("%d %s %v", status, text, err)
	}
	if !strings.Contains(string(v.Messages), `{"content":"{}","role":"tool","tool_call_id":"c2"}`) {
		t.Errorf("%s", v.Messages)
	}
	for name, c := range map[string]struct{ path, shape, message, want string }{
		"another shape":          {"/v1/claim", "anthropic", message, "no call"},
		"a shape that is none":   {"/v1/claim", "openai", message, "unknown shape"},
		"a key twice, in batch":  {"/v1/batch", "anthropic", `{"content":[],"content":[]}`, "not acceptable JSON"},
		"a message as one call":  {"/v1/calls", "openai-chat", message, "more than one call"},
		"no message":             {"/v1/decide", "plain", `{}`, "names no tool"},
		"no message in any form": {"/v1/decide", "mcp", `[]`, "no call"},
	} {
		if _, text := s.post("agent-key", c.path, c.message, as(c.shape)); !strings.Contains(text, c.want) || strings.Contains(text, `"allow"`) {
			t.Errorf("%s: %s", name, text)
		}
	}
	// What is no strict JSON is refused and recorded by the gate.
	_, text = s.post("agent-key", "/v1/claim", `{"content":[{"type":"tool_use","id":"1","name":"server__read","input":{"a":1,"a":2}}]}`, as("anthropic"))
	if !strings.Contains(text, `"verdict":"deny"`) || !strings.Contains(text, "MALFORMED_CALL") {
		t.Errorf("%s", text)
	}
	for _, bad := range []string{`{"shape":"anthropic"}`, `{"shape":1,"message":{}}`, `{"message":{"tool":"server/read"}}`, `{"shape":"plain","message":{"tool":"server/read"},"tool":"server/never"}`, `{"calls":[{"tool":"server/read"}],"tool":"x"}`} {
		if status, text := s.post("agent-key", "/v1/claim", bad, nil); status != 400 {
			t.Errorf("%s: %d %s", bad, status, text)
		}
	}
}

// Where everything is allowed, what cannot be the call that it says it is still has
// no leave, in any form, and it is recorded.
func TestFaultyCallsHaveNoLeave(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ shape, message string }{
		"no arguments":               {"openai-chat", `[{"id":"a","function":{"name":"server__read"}}]`},
		"two tools in one":           {"openai-chat", `[{"id":"a","type":"function","function":{"name":"server__read","arguments":"{}"},"custom":{"name":"x","input":""}}]`},
		"a string in a string":       {"openai-chat", `[{"id":"a","function":{"name":"server__read","arguments":"\"{}\""}}]`},
		"a key twice inside":         {"openai-functions", `{"function_call":{"name":"server__read","arguments":"{\"a\":1,\"a\":2}"}}`},
		"arguments of another type":  {"openai-functions", `{"function_call":{"name":"server__read","arguments":{}}}`},
		"half a call":                {"openai-responses", `[{"type":"function_call","call_id":"c","name":"server__read","arguments":"{}","status":"in_progress"}]`},
		"run by the provider":        {"openai-responses", `[{"type":"mcp_call","id":"m","name":"server__read","arguments":"{}"}]`},
		"a new kind":                 {"openai-responses", `[{"type":"new_call","call_id":"c","name":"server__read","arguments":"{}"}]`},
		"another's namespace":        {"openai-responses", `[{"type":"function_call","call_id":"c","namespace":"other","name":"server__read","arguments":"{}"}]`},
		"input is text":              {"anthropic", `[{"type":"tool_use","id":"t","name":"server__read","input":"{}"}]`},
		"one id twice":               {"anthropic", `[{"type":"tool_use","id":"t","name":"server__read","input":{}},{"type":"tool_use","id":"t","name":"server__read","input":{}}]`},
		"not complete":               {"gemini", `[{"functionCall":{"name":"server__read","args":{},"willContinue":true}}]`},
		"two spellings":              {"gemini", `[{"functionCall":{"name":"server__read"},"function_call":{"name":"server__read"}}]`},
		"run by Bedrock":             {"bedrock", `[{"toolUse":{"toolUseId":"t","name":"server__read","input":{},"type":"server_tool_use"}}]`},
		"broken, says the framework": {"langchain", `{"tool_calls":[],"invalid_tool_calls":[{"name":"server__read","args":"{}","id":"c"}]}`},
		"truncated":                  {"autogen", `[{"id":"c","name":"server__read","arguments":"{\"a\":"}]`},
		"a list":                     {"spring-ai", `[{"id":"c","name":"server__read","arguments":"[]"}]`},
		"invalid, says the SDK":      {"vercel", `[{"type":"tool-call","toolCallId":"c","toolName":"server__read","input":{},"invalid":true}]`},
		"a notification":             {"mcp", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"server__read"}}`},
		"another method":             {"mcp", `{"jsonrpc":"2.0","id":1,"method":"server__read","params":{}}`},
		"a short name":               {"plain", `{"tool":"server__read"}`},
		"another case":               {"openai-chat", `[{"id":"a","function":{"name":"Server__Read","arguments":"{}"}}]`},
		"a letter that looks alike":  {"openai-chat", `[{"id":"a","function":{"name":"server__re\u0430d","arguments":"{}"}}]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.permit()
			for _, path := range []string{"/v1/decide", "/v1/claim"} {
				before := len(s.records(tv.RecordDecision))
				status, v := s.ask("agent-key", path, `{"shape":"`+c.shape+`","message":`+c.message+`}`)
				if status != 200 || v.Verdict != "deny" || len(v.Results) == 0 || len(v.Messages) == 0 {
					t.Fatalf("%s: %d %+v", path, status, v)
				}
				for _, one := range v.Results {
					if one.Verdict != "deny" || one.Claim.Token != "" || one.Success || len(one.Answer) == 0 {
						t.Errorf("%s: %+v", path, one)
					}
				}
				if n := len(s.records(tv.RecordDecision)) - before; n != len(v.Results) {
					t.Errorf("%s: %d records of %d calls", path, n, len(v.Results))
				}
			}
		})
	}
}

func TestServersOfMessages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	one := func(server string) string {
		return `{"shape":"openai-chat","server":"` + server + `","message":{"tool_calls":[{"id":"c","function":{"name":"read","arguments":"{}"}}]}}`
	}
	if _, v := s.ask("agent-key", "/v1/decide", one("server")); v.Verdict != "allow" {
		t.Errorf("%+v", v)
	}
	if _, v := s.ask("agent-key", "/v1/decide", one("other")); v.Verdict != "deny" {
		t.Errorf("%+v", v)
	}
}

func TestIdempotencyKeyHeader(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.permit()
	with := func(keys ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header["Idempotency-Key"] = keys }
	}
	body := `{"tool":"server/never","arguments":{"n":1}}`
	for range 2 {
		if status, text := s.post("agent-key", "/v1/calls", body, with("k1")); status != 200 || !strings.Contains(text, `"success":true`) {
			t.Fatalf("%d %s", status, text)
		}
	}
	if n := len(s.exec.Ran()); n != 1 {
		t.Errorf("ran %d times", n)
	}
	if status, _ := s.post("agent-key", "/v1/batch", `{"calls":[`+body+`,`+body+`]}`, with("k2")); status != 200 || len(s.exec.Ran()) != 3 {
		t.Errorf("%d, ran %d times: two calls of a message are two acts", status, len(s.exec.Ran()))
	}
	for _, keys := range [][]string{{"a", "b"}} {
		if status, _ := s.post("agent-key", "/v1/calls", body, with(keys...)); status != 400 {
			t.Errorf("%v: %d", keys, status)
		}
	}
	if status, _ := s.post("agent-key", "/v1/calls", `{"tool":"server/never","idempotencyKey":"x"}`, with("y")); status != 400 {
		t.Errorf("two keys: %d", status)
	}
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	get := func(edit func(*http.Request)) (string, string) {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.url+"/v1/tools", nil)
		if err != nil {
			t.Fatal(err)
		}
		edit(req)
		resp, err := tester.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var p struct{ RequestID string }
		if err := json.NewDecoder(resp.Body).Decode(&p); err != nil {
			t.Fatal(err)
		}
		return resp.Header.Get("X-Request-Id"), p.RequestID
	}
	if head, body := get(func(r *http.Request) { r.Header.Set("X-Request-Id", "mine-1") }); head != "mine-1" || body != "mine-1" {
		t.Errorf("%q %q", head, body)
	}
	if head, body := get(func(r *http.Request) { r.Header.Set("X-Request-Id", "two words") }); head == "" || head == "two words" || head != body {
		t.Errorf("%q %q", head, body)
	}
}

func TestToolsInTheFormOfAModel(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	get := func(query string) string {
		status, text := s.get("agent-key", "/v1/tools?"+query)
		if status != 200 {
			return text
		}
		return strings.TrimSpace(text)
	}
	want := `{"shape":"anthropic","tools":[{"description":"","input_schema":{"type":"object","properties":{}},"name":"server__read"}]}`
	if got := get("shape=anthropic&readOnly=true"); got != want {
		t.Errorf("%s", got)
	}
	_, run := s.post("agent-key", "/v1/runs", `{"readOnly":true}`, nil)
	var started struct{ ID string }
	_ = json.Unmarshal([]byte(run), &started)
	if got := get("shape=anthropic&run=" + started.ID); got != want {
		t.Errorf("%s", got)
	}
	if got := get("shape=plain&run=run_none"); !strings.Contains(got, "no such run") {
		t.Errorf("%s", got)
	}
	if got := get("shape=openai"); !strings.Contains(got, "must be one of") {
		t.Errorf("%s", got)
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for body, want := range map[string]string{
		`{"text":"the password is hunter2 <b>"}`:                  `{"text":"the password is [HIDDEN] <b>"}`,
		`{"value":[{"role":"user","n":1.0,"content":"hunter2"}]}`: `{"value":[{"role":"user","n":1.0,"content":"[HIDDEN]"}]}`,
	} {
		if status, got := s.post("agent-key", "/v1/redact", body, nil); status != 200 || strings.TrimSpace(got) != want {
			t.Errorf("%s: %d %s", body, status, got)
		}
	}
	for _, body := range []string{`{}`, `{"text":1}`, `{"text":"a","value":1}`, `{"texts":["hunter2"]}`} {
		if status, got := s.post("agent-key", "/v1/redact", body, nil); status != 400 || strings.Contains(got, "hunter2") {
			t.Errorf("%s: %d %s", body, status, got)
		}
	}
}

func TestRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.permit()
	var seen []map[string]string
	always := gatetest.Always(tv.Allow)
	s.now.Swap(s.tools, gatetest.Policy{Name: "watch", Func: func(r tv.Request) tv.Decision {
		seen = append(seen, r.Environment)
		return always.Decide(r)
	}})
	start := func(key, body string) (int, string) {
		status, text := s.post(key, "/v1/runs", body, nil)
		var run struct{ ID, Detail string }
		_ = json.Unmarshal([]byte(text), &run)
		return status, run.ID + run.Detail
	}
	status, id := start("agent-key", `{"readOnly":true,"disabled":["server/read"],"environment":{"ticket":"T-1"},"expires":"1h"}`)
	if status != 200 || !strings.HasPrefix(id, "run_") {
		t.Fatalf("%d %s", status, id)
	}
	call := func(key, tool, run string) string {
		_, text := s.post(key, "/v1/calls", `{"tool":"`+tool+`","run":{"id":"`+run+`"}}`, nil)
		return text
	}
	for tool, want := range map[string]string{"server/never": "read-only", "server/read": "switched this tool off"} {
		if got := call("agent-key", tool, id); !strings.Contains(got, "TOOL_NOT_ALLOWED") || !strings.Contains(got, want) {
			t.Errorf("%s: %s", tool, got)
		}
	}
	_, loose := start("agent-key", `{"environment":{"ticket":"T-1"}}`)
	if got := call("agent-key", "server/never", loose); !strings.Contains(got, `"success":true`) {
		t.Error(got)
	}
	if d := cmp.Diff(map[string]string{"ticket": "T-1", "stage": "prod"}, seen[len(seen)-1]); d != "" {
		t.Error(d)
	}
	if got := call("agent-key", "server/read", "a name of my own"); !strings.Contains(got, `"success":true`) || len(seen[len(seen)-1]) != 1 {
		t.Errorf("%s %v", got, seen[len(seen)-1])
	}
	for name, c := range map[string]struct {
		key, run string
		want     string
	}{
		"somebody else's":       {"other-key", loose, "no such run"},
		"one that there is not": {"agent-key", "run_x", "no such run"},
	} {
		if got := call(c.key, "server/read", c.run); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if status, _ := s.post("agent-key", "/v1/runs/"+loose+"/end", `{}`, nil); status != 200 {
		t.Errorf("end: %d", status)
	}
	if got := call("agent-key", "server/read", loose); !strings.Contains(got, "has ended") {
		t.Error(got)
	}
	s.ahead.Add(int64(2 * time.Hour))
	if got := call("agent-key", "server/read", id); !strings.Contains(got, "has ended") {
		t.Errorf("after its time: %s", got)
	}
	if _, text := s.get("agent-key", "/v1/runs/"+id); !strings.Contains(text, `"ticket":"T-1"`) || strings.Contains(text, "owner") {
		t.Error(text)
	}
	if status, _ := s.get("other-key", "/v1/runs/"+id); status != 404 {
		t.Errorf("somebody else sees it: %d", status)
	}
	for body, want := range map[string]int{
		`{"environment":{"stage":"dev"}}`: 403, `{"environment":{"other":"x"}}`: 403, `{"environment":{"ticket":""}}`: 400, `{"environment":{"ticket":7}}`: 400,
		`{"environment":{"ticket":"a\u0007"}}`: 400, `{"environment":"x"}`: 400, `{"readOnly":"yes"}`: 400, `{"id":"mine"}`: 400, `{"expires":"-1h"}`: 400,
	} {
		if status, text := start("agent-key", body); status != want {
			t.Errorf("%s: %d %s, want %d", body, status, text, want)
		}
	}
	if status, _ := start("other-key", `{"environment":{"ticket":"T"}}`); status != 403 {
		t.Errorf("a key that may claim nothing: %d", status)
	}
}
