// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/mcpgate"
)

// gated is a rig whose upstream has one destructive tool that asks, "wipe", and
// a read-only one that pauses, "pause".
type gated struct {
	*rig

	up *fake
}

const wipeOverlay = `tools:
  "up/*": {safety: read-only, risk: low}
  "up/wipe": {safety: destructive, risk: low}
  "up/both": {safety: destructive, risk: low}
`

func newGated(t *testing.T, special map[string]toolverdict.Verdict, change func(*setup)) *gated {
	t.Helper()
	up := &fake{answer: func(w http.ResponseWriter, _ *http.Request, m *mcpwire.Message) {
		w.Header().Set("Content-Type", "application/json")
		name := m.Params().Get("name").Text()
		result := `{"resultType":"complete","content":[{"type":"text","text":"did ` + name + `"}]}`
		pauses := name == "pause" || name == "both" || name == "sample"
		if pauses && !m.Params().Get("inputResponses").Exists() {
			method := map[bool]string{true: "sampling/createMessage", false: "elicitation/create"}[name == "sample"]
			result = `{"resultType":"input_required","inputRequests":{"who":{"method":"` + method + `","params":{"message":"who?"}}},"requestState":"up-state\n"}`
		}
		_, _ = w.Write(mcpwire.ResultResponse(m.ID(), []byte(result)))
	}}
	server := httptest.NewServer(up)
	t.Cleanup(server.Close)
	s := setup{overlay: wipeOverlay, policy: verdicts(special)}
	for _, name := range []string{"wipe", "pause", "both", "read", "sample"} {
		s.tools = append(s.tools, `{"name":"`+name+`","inputSchema":{"type":"object"}}`)
	}
	if change != nil {
		change(&s)
	}
	return &gated{newRig(t, server.URL, s), up}
}

func asks(tools ...string) map[string]toolverdict.Verdict {
	out := map[string]toolverdict.Verdict{}
	for _, tool := range tools {
		out[tool] = toolverdict.Ask
	}
	return out
}

// capabilities that clients declare.
const (
	withURL  = `{"elicitation":{"form":{},"url":{}}}`
	withForm = `{"elicitation":{"form":{}}}`
	with     = `{}`
)

// modern makes a request of the modern era. More is further members of params.
func modern(id int, tool, arguments, capabilities, more string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":%s,"_meta":{"%s":"2026-07-28","%s":%s}%s}}`,
		id, tool, arguments, mcpwire.MetaVersion, mcpwire.MetaCapabilities, capabilities, more)
}

// call posts a message with the headers that belong to it, and returns the
// answer.
func (r *rig) call(key, message string) *mcpwire.Message {
	r.t.Helper()
	m, err := mcpwire.ParseClient([]byte(message), canon.Limits{})
	if err != nil {
		r.t.Fatalf("%s: %v", message, err)
	}
	made, h := http.Header{}, map[string]string{}
	mcpwire.SetHeaders(made, m, nil)
	for name := range made {
		h[name] = made.Get(name)
	}
	_, header, body := r.post(key, message, h)
	all := messages(header, body)
	if len(all) == 0 {
		r.t.Fatalf("%s: no answer", message)
	}
	answer, err := mcpwire.ParseServer([]byte(all[len(all)-1]))
	if err != nil {
		r.t.Fatalf("%s: %v", body, err)
	}
	return answer
}

// echo is what a client sends to go on after a question.
func echo(state mcpwire.Node, inputs string) string {
	return `,"requestState":` + string(state.Bytes()) + `,"inputResponses":` + inputs
}

const accepted = `{"toolverdict/approval":{"action":"accept"}}`

func code(m *mcpwire.Message) string {
	if data := m.Error().Get("data"); data.Exists() {
		return data.Lookup("error", "code").Text()
	}
	return m.Result().Lookup("structuredContent", "error", "code").Text()
}

func did(m *mcpwire.Message) string {
	for _, c := range m.Result().Get("content").Items() {
		return c.Get("text").Text()
	}
	return ""
}

// TestApprovalByLink leads a client that can open pages to the approval, and
// runs the call once when it comes back.
func TestApprovalByLink(t *testing.T) {
	t.Parallel()
	g := newGated(t, asks("up/wipe"), nil)
	first := g.call(aliceKey, modern(1, "wipe", `{"a":1}`, withURL, ""))
	q := first.Result().Lookup("inputRequests", "toolverdict/approval")
	id := q.Lookup("params", "elicitationId").Text()
	if first.Result().Get("resultType").Text() != "input_required" || q.Get("method").Text() != "elicitation/create" ||
		q.Lookup("params", "mode").Text() != "url" || q.Lookup("params", "url").Text() != "https://gate.example/approvals/"+id {
		t.Fatalf("got %s", first.Bytes())
	}
	state := first.Result().Get("requestState")
	if strings.Contains(state.Text(), id) {
		t.Error("the state shows what is in it")
	}
	again := g.call(aliceKey, modern(2, "wipe", `{"a":1}`, withURL, echo(state, accepted)))
	if again.Result().Lookup("inputRequests", "toolverdict/approval", "params", "elicitationId").Text() != id {
		t.Fatalf("before the approval: %s", again.Bytes())
	}
	g.approve(id)
	done := g.call(aliceKey, modern(3, "wipe", `{"a":1}`, withURL, echo(again.Result().Get("requestState"), accepted)))
	if did(done) != "did wipe" {
		t.Fatalf("after the approval: %s", done.Bytes())
	}
	want := []string{modern(3, "wipe", `{"a":1}`, withURL, "")}
	if diff := cmp.Diff(want, g.up.calls()); diff != "" {
		t.Errorf("the upstream sees what it would have seen without the gate: %s", diff)
	}
	replay := g.call(aliceKey, modern(4, "wipe", `{"a":1}`, withURL, echo(state, accepted)))
	if code(replay) != "CONFIRMATION_INVALID" || len(g.up.calls()) != 1 {
		t.Errorf("used again: %s", replay.Bytes())
	}
}

// TestApprovalRunsOnce has many clients come back at once.
func TestApprovalRunsOnce(t *testing.T) {
	t.Parallel()
	g := newGated(t, asks("up/wipe"), nil)
	first := g.call(aliceKey, modern(1, "wipe", `{}`, withURL, ""))
	g.approve(first.Result().Lookup("inputRequests", "toolverdict/approval", "params", "elicitationId").Text())
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			g.call(aliceKey, modern(10+i, "wipe", `{}`, withURL, echo(first.Result().Get("requestState"), accepted)))
		})
	}
	wg.Wait()
	if n := len(g.up.calls()); n != 1 {
		t.Errorf("the call ran %d times", n)
	}
}

// TestApprovalInWords is for clients that cannot be led to a page: the answer
// says what to do, and the same call again runs the approved one, once.
func TestApprovalInWords(t *testing.T) {
	t.Parallel()
	legacy := func(id int, capabilities string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"wipe","arguments":{}}}`, id)
	}
	for name, message := range map[string]func(id int, capabilities string) string{
		"legacy":         legacy,
		"modern":         func(id int, _ string) string { return modern(id, "wipe", `{}`, with, "") },
		"modern forms":   func(id int, _ string) string { return modern(id, "wipe", `{}`, withForm, "") },
		"empty elicit":   func(id int, _ string) string { return modern(id, "wipe", `{}`, `{"elicitation":{}}`, "") },
		"false promises": func(id int, _ string) string { return modern(id, "wipe", `{}`, `{"elicitation":"url"}`, "") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGated(t, asks("up/wipe"), nil)
			first := g.call(aliceKey, message(1, ""))
			id := first.Result().Lookup("structuredContent", "confirmation", "id").Text()
			if code(first) != "CONFIRMATION_REQUIRED" || id == "" || !strings.Contains(did(first), id) || !strings.Contains(did(first), "https://gate.example/approvals/"+id) {
				t.Fatalf("got %s", first.Bytes())
			}
			if second := g.call(aliceKey, message(2, "")); second.Result().Lookup("structuredContent", "confirmation", "id").Text() != id {
				t.Errorf("the same call asks anew: %s", second.Bytes())
			}
			g.approve(id)
			var wg sync.WaitGroup
			for i := range 8 {
				wg.Go(func() { g.call(aliceKey, message(3+i, "")) })
			}
			wg.Wait()
			if n := len(g.up.calls()); n != 1 {
				t.Errorf("the call ran %d times", n)
			}
			if later := g.call(aliceKey, message(20, "")); did(later) != "did wipe" || len(g.up.calls()) != 1 {
				t.Errorf("a repeat: %s", later.Bytes())
			}
		})
	}
}

// TestNothingIsAddedToWhatWasApproved brings members along that no person saw,
// before and after the approval.
func TestNothingIsAddedToWhatWasApproved(t *testing.T) {
	t.Parallel()
	g := newGated(t, asks("up/wipe"), nil)
	const more = `,"inputResponses":{"a":{"v":"evil"}},"extra":{"amount":9999}`
	first := g.call(aliceKey, modern(1, "wipe", `{}`, withURL, more))
	g.approve(first.Result().Lookup("inputRequests", "toolverdict/approval", "params", "elicitationId").Text())
	done := g.call(aliceKey, modern(2, "wipe", `{}`, withURL, echo(first.Result().Get("requestState"), accepted)+`,"extra":1`))
	if did(done) != "did wipe" || len(g.up.calls()) != 1 {
		t.Fatalf("got %s", done.Bytes())
	}
	if sent := g.up.calls()[0]; strings.Contains(sent, "evil") || strings.Contains(sent, "extra") || strings.Contains(sent, "inputResponses") {
		t.Errorf("forwarded %s", sent)
	}
	second := newGated(t, asks("up/wipe"), nil)
	id := second.call(aliceKey, modern(1, "wipe", `{}`, with, "")).Result().Lookup("structuredContent", "confirmation", "id").Text()
	second.approve(id)
	if done := second.call(aliceKey, modern(2, "wipe", `{}`, with, more)); did(done) != "did wipe" {
		t.Fatalf("got %s", done.Bytes())
	}
	if sent := second.up.calls()[0]; strings.Contains(sent, "evil") || strings.Contains(sent, "extra") {
		t.Errorf("forwarded %s", sent)
	}
}

// TestApprovalGivesUpAsking stops leading a client in circles, and takes no for
// an answer without taking it for a decision.
func TestApprovalGivesUpAsking(t *testing.T) {
	t.Parallel()
	g := newGated(t, asks("up/wipe"), nil)
	m := g.call(aliceKey, modern(1, "wipe", `{}`, withURL, ""))
	id := m.Result().Lookup("inputRequests", "toolverdict/approval", "params", "elicitationId").Text()
	for _, inputs := range []string{`{"toolverdict/approval":{"action":"decline"}}`, `{}`, `{"toolverdict/approval":true}`} {
		no := g.call(aliceKey, modern(2, "wipe", `{}`, withURL, echo(m.Result().Get("requestState"), inputs)))
		if code(no) != "CONFIRMATION_REQUIRED" || !strings.Contains(did(no), id) {
			t.Errorf("%s: %s", inputs, no.Bytes())
		}
	}
	rounds := 1
	for m.Result().Get("resultType").Text() == "input_required" && rounds < 20 {
		rounds++
		m = g.call(aliceKey, modern(rounds+1, "wipe", `{}`, withURL, echo(m.Result().Get("requestState"), accepted)))
	}
	if rounds != 6 || code(m) != "CONFIRMATION_REQUIRED" {
		t.Errorf("after %d rounds: %s", rounds, m.Bytes())
	}
	g.approve(id)
	if done := g.call(aliceKey, modern(30, "wipe", `{}`, withURL, "")); did(done) != "did wipe" {
		t.Errorf("an approval that a client declined to see: %s", done.Bytes())
	}
}

// TestStateIsBound holds that a state opens for nobody and nothing else.
func TestStateIsBound(t *testing.T) {
	t.Parallel()
	now := time.Now()
	var mu sync.Mutex
	clock := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}
	g := newGated(t, asks("up/wipe", "up/both"), func(s *setup) { s.front = func(c *mcpgate.Config) { c.Now = clock } })
	first := g.call(aliceKey, modern(1, "wipe", `{"a":1}`, withURL, ""))
	g.approve(first.Result().Lookup("inputRequests", "toolverdict/approval", "params", "elicitationId").Text())
	sealed := first.Result().Get("requestState").Text()
	flip := func(i int) string {
		b := []byte(sealed)
		b[i] = map[bool]byte{true: 'B', false: 'A'}[b[i] == 'A']
		return string(b)
	}
	for name, c := range map[string]struct{ key, tool, arguments, state string }{
		"another subject":    {bobKey, "wipe", `{"a":1}`, sealed},
		"another tool":       {aliceKey, "both", `{"a":1}`, sealed},
		"other arguments":    {aliceKey, "wipe", `{"a":2}`, sealed},
		"first bit":          {aliceKey, "wipe", `{"a":1}`, flip(0)},
		"middle bit":         {aliceKey, "wipe", `{"a":1}`, flip(len(sealed) / 2)},
		"cut":                {aliceKey, "wipe", `{"a":1}`, sealed[:len(sealed)-4]},
		"extended":           {aliceKey, "wipe", `{"a":1}`, sealed + "-TAMPERED"},
		"with a line end":    {aliceKey, "wipe", `{"a":1}`, sealed + "\n"},
		"padded":             {aliceKey, "wipe", `{"a":1}`, sealed + "="},
		"empty":              {aliceKey, "wipe", `{"a":1}`, ""},
		"made up":            {aliceKey, "wipe", `{"a":1}`, `{"a":"x","q":true}`},
		"an allowed tool's":  {aliceKey, "read", `{}`, sealed},
		"upstream's own raw": {aliceKey, "read", `{}`, "up-state\n"},
	} {
		state, _ := json.Marshal(c.state)
		m := g.call(c.key, modern(5, c.tool, c.arguments, withURL, `,"requestState":`+string(state)+`,"inputResponses":`+accepted))
		if m.ErrorCode() != mcpwire.CodeInvalidParams || code(m) != "CONFIRMATION_INVALID" {
			t.Errorf("%s: %s", name, m.Bytes())
		}
	}
	mu.Lock()
	now = now.Add(24 * time.Hour)
	mu.Unlock()
	state, _ := json.Marshal(sealed)
	if m := g.call(aliceKey, modern(6, "wipe", `{"a":1}`, withURL, `,"requestState":`+string(state)+`,"inputResponses":`+accepted)); m.ErrorCode() != mcpwire.CodeInvalidParams {
		t.Errorf("too late: %s", m.Bytes())
	}
	if n := len(g.up.calls()); n != 0 {
		t.Errorf("the upstream was called %d times: %q", n, g.up.calls())
	}
	if n := len(g.records("up/read")); n == 0 {
		t.Error("a forged state leaves no record")
	}
}

// TestUpstreamQuestions wraps an upstream's own state in the gate's.
func TestUpstreamQuestions(t *testing.T) {
	t.Parallel()
	g := newGated(t, nil, nil)
	first := g.call(aliceKey, modern(1, "pause", `{}`, withForm, ""))
	if first.Result().Lookup("inputRequests", "who", "method").Text() != "elicitation/create" {
		t.Fatalf("got %s", first.Bytes())
	}
	state := first.Result().Get("requestState")
	if strings.Contains(state.Text(), "up-state") || state.Text() == "" {
		t.Errorf("the upstream's state is in the open: %s", state.Bytes())
	}
	inputs := `{"who":{"action":"accept","content":{"name":"Ada"}}}`
	if done := g.call(aliceKey, modern(2, "pause", `{}`, withForm, echo(state, inputs))); did(done) != "did pause" {
		t.Fatalf("got %s", done.Bytes())
	}
	want := []string{
		modern(1, "pause", `{}`, withForm, ""),
		modern(2, "pause", `{}`, withForm, `,"requestState":"up-state\n","inputResponses":`+inputs),
	}
	if diff := cmp.Diff(want, g.up.calls()); diff != "" {
		t.Error(diff)
	}
	if n := len(g.records("up/@elicitation/create")); n == 0 {
		t.Error("the upstream's question leaves no record")
	}
}

// TestApprovalThenUpstreamQuestion asks the human once, though the call takes
// several legs, and uses each leg once.
func TestApprovalThenUpstreamQuestion(t *testing.T) {
	t.Parallel()
	g := newGated(t, asks("up/both"), nil)
	first := g.call(aliceKey, modern(1, "both", `{}`, withURL, ""))
	g.approve(first.Result().Lookup("inputRequests", "toolverdict/approval", "params", "elicitationId").Text())
	paused := g.call(aliceKey, modern(2, "both", `{}`, withURL, echo(first.Result().Get("requestState"), accepted)))
	if paused.Result().Lookup("inputRequests", "who").Kind() != canon.KindObject {
		t.Fatalf("after the approval: %s", paused.Bytes())
	}
	inputs := `{"who":{"action":"accept"}}`
	state := paused.Result().Get("requestState")
	var wg sync.WaitGroup
	var mu sync.Mutex
	results := map[string]int{}
	for i := range 12 {
		wg.Go(func() {
			m := g.call(aliceKey, modern(10+i, "both", `{}`, withURL, echo(state, inputs)))
			mu.Lock()
			defer mu.Unlock()
			results[did(m)]++
		})
	}
	wg.Wait()
	if results["did both"] != 1 || len(g.up.calls()) != 2 {
		t.Errorf("the last leg ran %d times: %v", len(g.up.calls())-1, results)
	}
}

// TestUpstreamQuestionIsDecided refuses a question that the policy does not let
// through, and shows nothing of it.
func TestUpstreamQuestionIsDecided(t *testing.T) {
	t.Parallel()
	g := newGated(t, map[string]toolverdict.Verdict{"up/@sampling/createMessage": toolverdict.Deny}, nil)
	m := g.call(aliceKey, modern(1, "sample", `{}`, `{"sampling":{}}`, ""))
	if code(m) != "POLICY_DENIED" || strings.Contains(string(m.Bytes()), "who?") {
		t.Errorf("got %s", m.Bytes())
	}
}

// TestConfirmationFromTheHost takes an approval's id from _meta, and refuses
// another subject's.
func TestConfirmationFromTheHost(t *testing.T) {
	t.Parallel()
	g := newGated(t, asks("up/wipe"), nil)
	message := func(id int, confirmation string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"wipe","arguments":{},"_meta":{"toolverdict/confirmation":"%s"}}}`, id, confirmation)
	}
	first := g.call(aliceKey, modern(1, "wipe", `{}`, with, ""))
	id := first.Result().Lookup("structuredContent", "confirmation", "id").Text()
	g.approve(id)
	for _, c := range []struct{ key, id string }{{bobKey, id}, {aliceKey, "made-up"}} {
		if m := g.call(c.key, message(2, c.id)); code(m) != "CONFIRMATION_INVALID" {
			t.Errorf("%s with %s: %s", c.key, c.id, m.Bytes())
		}
	}
	if m := g.call(aliceKey, message(3, id)); did(m) != "did wipe" {
		t.Errorf("got %s", m.Bytes())
	}
	if m := g.call(aliceKey, message(4, id)); code(m) != "CONFIRMATION_INVALID" || len(g.up.calls()) != 1 {
		t.Errorf("used again: %s", m.Bytes())
	}
}

// TestHold waits for the human where the operator wants that.
func TestHold(t *testing.T) {
	t.Parallel()
	g := newGated(t, asks("up/wipe"), func(s *setup) { s.front = func(c *mcpgate.Config) { c.Hold = 20 * time.Second } })
	done := make(chan *mcpwire.Message)
	go func() { done <- g.call(aliceKey, modern(1, "wipe", `{}`, withURL, "")) }()
	var pending []toolverdict.Approval
	for len(pending) == 0 {
		var err error
		if pending, err = g.store.Approvals(t.Context(), toolverdict.ApprovalQuery{}); err != nil {
			t.Fatal(err)
		}
	}
	g.approve(pending[0].ID)
	if m := <-done; did(m) != "did wipe" {
		t.Errorf("got %s", m.Bytes())
	}
}

// TestPolicyChangesBetweenLegs asks in the middle of a call, and still hands the
// upstream its own state and the answers it asked for.
func TestPolicyChangesBetweenLegs(t *testing.T) {
	t.Parallel()
	g := newGated(t, nil, nil)
	paused := g.call(aliceKey, modern(1, "both", `{}`, withURL, ""))
	stricter := verdicts(asks("up/both"))
	g.policy.Store(&stricter)
	inputs := `{"who":{"action":"accept","content":{"name":"Ada"}}}`
	asked := g.call(aliceKey, modern(2, "both", `{}`, withURL, echo(paused.Result().Get("requestState"), inputs)))
	id := asked.Result().Lookup("inputRequests", "toolverdict/approval", "params", "elicitationId").Text()
	if id == "" {
		t.Fatalf("got %s", asked.Bytes())
	}
	g.approve(id)
	done := g.call(aliceKey, modern(3, "both", `{}`, withURL, echo(asked.Result().Get("requestState"), accepted)))
	if did(done) != "did both" {
		t.Fatalf("got %s", done.Bytes())
	}
	want := []string{modern(1, "both", `{}`, withURL, ""), modern(3, "both", `{}`, withURL, `,"requestState":"up-state\n","inputResponses":`+inputs)}
	if diff := cmp.Diff(want, g.up.calls()); diff != "" {
		t.Error(diff)
	}
}
