// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/mcpgate"
)

// What clients that wait for a person are led to, and what hostile ones make of
// it. The upstream's "wipe" is the act that must happen once, or not at all.

const (
	withTasks = `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	withAll   = `{"elicitation":{"form":{},"url":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	agreed    = `{"toolverdict/approval":{"action":"accept","content":{"approve":true}}}`
)

// weakly asks about tools, and takes the word of the client for it.
func weakly(tools ...string) func(*setup) {
	return func(s *setup) {
		s.policy = func(r toolverdict.Request) toolverdict.Decision {
			for _, tool := range tools {
				if r.Tool.Name() == tool {
					return toolverdict.Decision{Verdict: toolverdict.Ask, Rule: "weak", Reason: "The test says so.", Code: toolverdict.ConfirmationRequired,
						Asks: []toolverdict.Requirement{{Rule: "weak", Quorum: 1, ClientAttested: true}}}
				}
			}
			return allowAll(r)
		}
	}
}

// asked returns the question in an answer, and what the client brings back.
func asked(m *mcpwire.Message) (question, state mcpwire.Node) {
	return m.Result().Lookup("inputRequests", "toolverdict/approval", "params"), m.Result().Get("requestState")
}

// ran is how often the act happened.
func (g *gated) ran() int { return len(g.up.calls()) }

func (g *gated) pending() []toolverdict.Approval {
	g.t.Helper()
	all, err := g.store.Approvals(g.t.Context(), toolverdict.ApprovalQuery{State: toolverdict.ApprovalPending})
	if err != nil {
		g.t.Fatal(err)
	}
	return all
}

// TestFormWhereTheRuleTakesIt asks the client's own user, and writes down what
// vouches for the answer.
func TestFormWhereTheRuleTakesIt(t *testing.T) {
	t.Parallel()
	for name, capabilities := range map[string]string{"form": withForm, "both": withURL, "one without a word": `{"elicitation":{}}`} {
		g := newGated(t, nil, weakly("up/wipe"))
		first := g.call(aliceKey, modern(1, "wipe", `{"a":1}`, capabilities, ""))
		q, state := asked(first)
		if q.Get("mode").Text() != "form" || q.Lookup("requestedSchema", "properties", "approve", "type").Text() != "boolean" ||
			q.Lookup("requestedSchema", "properties", "approve", "default").Exists() || !strings.Contains(q.Get("message").Text(), "https://gate.example/approvals/") {
			t.Fatalf("%s: %s", name, first.Bytes())
		}
		done := g.call(aliceKey, modern(2, "wipe", `{"a":1}`, capabilities, echo(state, agreed)))
		if did(done) != "did wipe" || g.ran() != 1 {
			t.Errorf("%s: ran %d times: %s", name, g.ran(), done.Bytes())
		}
		written := false
		for _, r := range g.records("up/wipe") {
			written = written || r.Kind == toolverdict.RecordApproval && r.Subject == "agent:alice" && strings.HasPrefix(r.Detail, "client-attested")
		}
		if !written {
			t.Errorf("%s: what vouches for it is not on record: %+v", name, g.records("up/wipe"))
		}
		if again := g.call(aliceKey, modern(3, "wipe", `{"a":1}`, capabilities, "")); did(again) != "did wipe" || g.ran() != 1 {
			t.Errorf("%s: repeated: %s", name, again.Bytes())
		}
	}
}

// TestNoFormElsewhere: no client gets a form for what a person has to decide,
// whatever it says it can do.
func TestNoFormElsewhere(t *testing.T) {
	t.Parallel()
	high := func(s *setup) {
		weakly("up/wipe")(s)
		s.overlay = strings.Replace(wipeOverlay, `"up/wipe": {safety: destructive, risk: low}`, `"up/wipe": {safety: destructive, risk: high, permission: wipe}`, 1)
	}
	four := func(s *setup) {
		s.policy = func(toolverdict.Request) toolverdict.Decision {
			return toolverdict.Decision{Verdict: toolverdict.Ask, Rule: "four", Code: toolverdict.ConfirmationRequired, Asks: []toolverdict.Requirement{{Rule: "four", Quorum: 2, ClientAttested: true}}}
		}
	}
	mixed := func(s *setup) {
		s.policy = func(toolverdict.Request) toolverdict.Decision {
			return toolverdict.Decision{Verdict: toolverdict.Ask, Rule: "one", Code: toolverdict.ConfirmationRequired, Asks: []toolverdict.Requirement{
				{Rule: "one", Quorum: 1, ClientAttested: true}, {Rule: "two", Quorum: 1}}}
		}
	}
	strict := func(s *setup) { s.policy = verdicts(asks("up/wipe")) }
	none := func(s *setup) {
		weakly("up/wipe")(s)
		s.front = func(c *mcpgate.Config) { c.Desk = nil }
	}
	for name, change := range map[string]func(*setup){"high risk": high, "two people": four, "one rule of two": mixed, "a rule that does not": strict, "no desk": none} {
		g := newGated(t, nil, change)
		for _, capabilities := range []string{withForm, withURL, withAll} {
			m := g.call(aliceKey, modern(1, "wipe", `{}`, capabilities, ""))
			q, state := asked(m)
			if q.Get("mode").Text() == "form" || q.Get("requestedSchema").Exists() {
				t.Errorf("%s: a form: %s", name, m.Bytes())
			}
			// A client that was led to the page, and answers as if it had been a form.
			if state.Exists() {
				g.call(aliceKey, modern(2, "wipe", `{}`, capabilities, echo(state, agreed)))
			}
			g.call(aliceKey, modern(3, "wipe", `{}`, capabilities, `,"inputResponses":`+agreed))
		}
		if all := g.pending(); g.ran() != 0 || len(all) != 1 || len(all[0].Votes) != 0 {
			t.Errorf("%s: ran %d times, %+v", name, g.ran(), all)
		}
	}
}

// TestHostileForms: none of these answers is a yes, and the question stays as it
// was for those who may decide it.
func TestHostileForms(t *testing.T) {
	t.Parallel()
	for name, inputs := range map[string]string{
		"sent off without an answer": `{"toolverdict/approval":{"action":"accept"}}`,
		"with an empty answer":       `{"toolverdict/approval":{"action":"accept","content":{}}}`,
		"with a no":                  `{"toolverdict/approval":{"action":"accept","content":{"approve":false}}}`,
		"with a word":                `{"toolverdict/approval":{"action":"accept","content":{"approve":"true"}}}`,
		"with a number":              `{"toolverdict/approval":{"action":"accept","content":{"approve":1}}}`,
		"with a list":                `{"toolverdict/approval":{"action":"accept","content":{"approve":[true]}}}`,
		"under another name":         `{"toolverdict/approval":{"action":"accept","content":{"Approve":true}}}`,
		"declined, with a yes":       `{"toolverdict/approval":{"action":"decline","content":{"approve":true}}}`,
		"cancelled, with a yes":      `{"toolverdict/approval":{"action":"cancel","content":{"approve":true}}}`,
		"an action of its own":       `{"toolverdict/approval":{"action":"Accept","content":{"approve":true}}}`,
		"to another question":        `{"approval":{"action":"accept","content":{"approve":true}}}`,
		"nothing":                    `{}`,
	} {
		g := newGated(t, nil, weakly("up/wipe"))
		_, state := asked(g.call(aliceKey, modern(1, "wipe", `{}`, withForm, "")))
		m := g.call(aliceKey, modern(2, "wipe", `{}`, withForm, echo(state, inputs)))
		if code(m) != "CONFIRMATION_REQUIRED" || g.ran() != 0 || len(g.pending()) != 1 {
			t.Errorf("%s: ran %d times: %s", name, g.ran(), m.Bytes())
		}
		g.approve(g.pending()[0].ID)
		if m := g.call(aliceKey, modern(3, "wipe", `{}`, withForm, "")); did(m) != "did wipe" || g.ran() != 1 {
			t.Errorf("%s: a person decides all the same: %s", name, m.Bytes())
		}
	}
}

// TestFormsAreBound: an answer counts for the very call that was asked about, of
// the very caller, in its time, once.
func TestFormsAreBound(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now := time.Now()
	g := newGated(t, nil, func(s *setup) {
		weakly("up/wipe", "up/both")(s)
		s.front = func(c *mcpgate.Config) {
			c.Now = func() time.Time {
				mu.Lock()
				defer mu.Unlock()
				return now
			}
		}
	})
	_, one := asked(g.call(aliceKey, modern(1, "wipe", `{"a":1}`, withForm, "")))
	_, two := asked(g.call(aliceKey, modern(2, "wipe", `{"a":2}`, withForm, "")))
	for name, c := range map[string]struct{ key, tool, arguments, state string }{
		"another call's":   {aliceKey, "wipe", `{"a":1}`, string(two.Bytes())},
		"edited arguments": {aliceKey, "wipe", `{"a":3}`, string(one.Bytes())},
		"added arguments":  {aliceKey, "wipe", `{"a":1,"b":1}`, string(one.Bytes())},
		"another tool's":   {aliceKey, "both", `{"a":1}`, string(one.Bytes())},
		"another caller's": {bobKey, "wipe", `{"a":1}`, string(one.Bytes())},
	} {
		m := g.call(c.key, modern(5, c.tool, c.arguments, withForm, `,"requestState":`+c.state+`,"inputResponses":`+agreed))
		if m.ErrorCode() != mcpwire.CodeInvalidParams || g.ran() != 0 {
			t.Errorf("%s: ran %d times: %s", name, g.ran(), m.Bytes())
		}
	}
	// The same answer many times at once.
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() { g.call(aliceKey, modern(10+i, "wipe", `{"a":1}`, withForm, echo(one, agreed))) })
	}
	wg.Wait()
	if g.ran() != 1 {
		t.Errorf("ran %d times", g.ran())
	}
	if m := g.call(aliceKey, modern(30, "wipe", `{"a":1}`, withForm, echo(one, agreed))); g.ran() != 1 || code(m) != "CONFIRMATION_INVALID" {
		t.Errorf("answered again: %s", m.Bytes())
	}
	mu.Lock()
	now = now.Add(24 * time.Hour)
	mu.Unlock()
	if m := g.call(aliceKey, modern(31, "wipe", `{"a":2}`, withForm, echo(two, agreed))); m.ErrorCode() != mcpwire.CodeInvalidParams || g.ran() != 1 {
		t.Errorf("too late: %s", m.Bytes())
	}
}

// TestFormAfterTheAnswer: what people decided meanwhile is not turned round.
func TestFormAfterTheAnswer(t *testing.T) {
	t.Parallel()
	g := newGated(t, nil, weakly("up/wipe"))
	_, state := asked(g.call(aliceKey, modern(1, "wipe", `{}`, withForm, "")))
	if _, err := g.desk.Reject(t.Context(), subjects()[approverKey], g.pending()[0].ID, "no"); err != nil {
		t.Fatal(err)
	}
	if m := g.call(aliceKey, modern(2, "wipe", `{}`, withForm, echo(state, agreed))); code(m) != "CONFIRMATION_INVALID" || g.ran() != 0 {
		t.Errorf("rejected: %s", m.Bytes())
	}

	edited := newGated(t, nil, weakly("up/wipe"))
	_, state = asked(edited.call(aliceKey, modern(1, "wipe", `{"a":1}`, withForm, "")))
	if _, err := edited.gate.Edit(t.Context(), subjects()[approverKey], edited.pending()[0].ID, []byte(`{"a":2}`), "less"); err != nil {
		t.Fatal(err)
	}
	m := edited.call(aliceKey, modern(2, "wipe", `{"a":1}`, withForm, echo(state, agreed)))
	if q, _ := asked(m); q.Exists() || edited.ran() != 0 || len(edited.pending()) != 1 {
		t.Errorf("changed by an approver: %s", m.Bytes())
	}
}

// taskRequest is a request about a task.
func taskRequest(id int, method, task, capabilities, more string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tasks/%s","params":{"taskId":%q,"_meta":{"%s":"2026-07-28","%s":%s}%s}}`,
		id, method, task, mcpwire.MetaVersion, mcpwire.MetaCapabilities, capabilities, more)
}

func status(m *mcpwire.Message) string { return m.Result().Get("status").Text() }

// TestTask is the story of a call as a task: it waits, is approved, runs once,
// and its result is there for as long as its client comes, at any process.
func TestTask(t *testing.T) {
	t.Parallel()
	g := newGated(t, asks("up/wipe"), nil)
	first := g.call(aliceKey, modern(1, "wipe", `{"a":1}`, withTasks, ""))
	task := first.Result().Get("taskId").Text()
	if first.Result().Get("resultType").Text() != "task" || status(first) != "working" || task == "" || !first.Result().Get("createdAt").Exists() || !first.Result().Get("ttlMs").Exists() {
		t.Fatalf("got %s", first.Bytes())
	}
	id := g.pending()[0].ID
	if strings.Contains(task, id) || !strings.Contains(first.Result().Get("statusMessage").Text(), "https://gate.example/approvals/"+id) {
		t.Errorf("got %s", first.Bytes())
	}
	if again := g.call(aliceKey, modern(2, "wipe", `{"a":1}`, withTasks, "")); again.Result().Get("taskId").Text() != task {
		t.Errorf("the same call is another task: %s", again.Bytes())
	}
	for _, request := range []string{
		taskRequest(3, "get", task, withTasks, ""), taskRequest(4, "update", task, withTasks, `,"inputResponses":`+agreed), taskRequest(5, "get", task, withTasks, ""),
	} {
		if m := g.call(aliceKey, request); m.Result().Get("resultType").Text() != "complete" || m.Result().Get("status").Exists() && status(m) != "working" {
			t.Errorf("%s: %s", request, m.Bytes())
		}
	}
	if g.ran() != 0 {
		t.Fatal("it ran before anybody said yes")
	}
	g.approve(id)
	// The gate starts anew: nothing of the task is in memory.
	restarted := g.restarted()
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() { restarted.call(aliceKey, taskRequest(10+i, "get", task, withTasks, "")) })
	}
	wg.Wait()
	for range 2 {
		m := restarted.call(aliceKey, taskRequest(40, "get", task, withTasks, ""))
		if status(m) != "completed" || did(resultOf(t, m)) != "did wipe" {
			t.Errorf("got %s", m.Bytes())
		}
	}
	if g.ran() != 1 {
		t.Errorf("ran %d times", g.ran())
	}
	sent, err := mcpwire.ParseServer([]byte(g.up.calls()[0]))
	if err != nil || string(sent.Params().Get("arguments").Bytes()) != `{"a":1}` || string(sent.Meta().Get(mcpwire.MetaCapabilities).Bytes()) != `{}` {
		t.Errorf("the server was sent %s", g.up.calls()[0])
	}
}

// resultOf makes a message of the result in a task.
func resultOf(t *testing.T, m *mcpwire.Message) *mcpwire.Message {
	t.Helper()
	out, err := mcpwire.ParseServer(mcpwire.ResultResponse(m.ID(), m.Result().Get("result").Bytes()))
	if err != nil {
		t.Fatalf("%s: %v", m.Bytes(), err)
	}
	return out
}

// restarted is another front on the same store and key.
func (g *gated) restarted() *gated {
	g.t.Helper()
	other := &rig{t: g.t, store: g.store, desk: g.desk, gate: g.gate, redactor: g.redactor, backend: g.backend}
	other.catalog.Store(g.catalog.Load())
	other.open(setup{})
	return &gated{other, g.up}
}

// TestHostileTasks: a task is of use to its caller alone, its id is no approval,
// and an end is an end.
func TestHostileTasks(t *testing.T) {
	t.Parallel()
	g := newGated(t, asks("up/wipe"), nil)
	task := g.call(aliceKey, modern(1, "wipe", `{}`, withTasks, "")).Result().Get("taskId").Text()
	id := g.pending()[0].ID
	g.approve(id)
	for name, c := range map[string]struct{ key, request string }{
		"another caller": {bobKey, taskRequest(2, "get", task, withTasks, "")},
		"a made up id":   {aliceKey, taskRequest(2, "get", "made-up", withTasks, "")},
		"the approval's": {aliceKey, taskRequest(2, "get", id, withTasks, "")},
		"cut":            {aliceKey, taskRequest(2, "get", task[:len(task)-2], withTasks, "")},
		"another cancel": {bobKey, taskRequest(2, "cancel", task, withTasks, "")},
		"another update": {bobKey, taskRequest(2, "update", task, withTasks, `,"inputResponses":`+agreed)},
	} {
		g.call(c.key, c.request)
		for _, sent := range g.up.calls() {
			if strings.Contains(sent, "tools/call") || strings.Contains(sent, task) || strings.Contains(sent, id) {
				t.Errorf("%s: the server was sent %s", name, sent)
			}
		}
	}
	for _, method := range []string{"get", "update", "cancel"} {
		if m := g.call(aliceKey, taskRequest(3, method, task, with, "")); m.ErrorCode() != mcpwire.CodeNoCapability || !m.Error().Lookup("data", "requiredCapabilities", "extensions").Exists() {
			t.Errorf("%s without saying that it speaks of tasks: %s", method, m.Bytes())
		}
	}
	if a, err := g.store.Approval(t.Context(), id); err != nil || a.State != toolverdict.ApprovalApproved {
		t.Fatalf("%+v %v", a, err)
	}

	// No client gets one that did not ask for it with this very request.
	plain := newGated(t, asks("up/wipe"), nil)
	if m := plain.call(aliceKey, modern(1, "wipe", `{}`, with, "")); m.Result().Get("taskId").Exists() || code(m) != "CONFIRMATION_REQUIRED" {
		t.Errorf("got %s", m.Bytes())
	}
}

// TestHowTasksEnd gives each end its own word.
func TestHowTasksEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end    func(g *gated, id, task string)
		status string
		code   string
		said   string
	}{
		"rejected": {func(g *gated, id, _ string) {
			if _, err := g.desk.Reject(t.Context(), subjects()[approverKey], id, "not today"); err != nil {
				t.Fatal(err)
			}
		}, "completed", "CONFIRMATION_INVALID", "not today"},
		"cancelled": {func(g *gated, _, task string) {
			if m := g.call(aliceKey, taskRequest(7, "cancel", task, withTasks, "")); m.Result().Get("resultType").Text() != "complete" {
				t.Errorf("got %s", m.Bytes())
			}
		}, "cancelled", "", ""},
		"changed by an approver": {func(g *gated, id, task string) {
			next, err := g.gate.Edit(t.Context(), subjects()[approverKey], id, []byte(`{"a":2}`), "less")
			if err != nil {
				t.Fatal(err)
			}
			if m := g.call(aliceKey, taskRequest(7, "get", task, withTasks, "")); status(m) != "working" || m.Result().Get("taskId").Text() != task {
				t.Errorf("got %s", m.Bytes())
			}
			if _, err := g.desk.Approve(t.Context(), subjects()[deputyKey], next.ID, ""); err != nil {
				t.Fatal(err)
			}
		}, "completed", "", "changed this call"},
	} {
		g := newGated(t, asks("up/wipe"), nil)
		task := g.call(aliceKey, modern(1, "wipe", `{"a":1}`, withTasks, "")).Result().Get("taskId").Text()
		c.end(g, g.pending()[0].ID, task)
		m := g.call(aliceKey, taskRequest(8, "get", task, withTasks, ""))
		if status(m) != c.status {
			t.Errorf("%s: %s", name, m.Bytes())
			continue
		}
		if c.status == "completed" {
			result := resultOf(t, m)
			if code(result) != c.code || !strings.Contains(string(result.Bytes()), c.said) {
				t.Errorf("%s: %s", name, m.Bytes())
			}
		}
	}
}

// TestLadder: what each client gets first, by what it says it can do.
func TestLadder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		capabilities, want string
		weak               bool
	}{
		"a page":                         {withURL, "url", false},
		"a page, and tasks":              {withAll, "url", false},
		"a form that does not count":     {withForm, "pending", false},
		"a form that counts":             {withForm, "form", true},
		"all of it, and a form counts":   {withAll, "form", true},
		"tasks":                          {withTasks, "task", false},
		"tasks, where a form would do":   {withTasks, "task", true},
		"nothing":                        {with, "pending", false},
		"nothing, where a form would do": {with, "pending", true},
	} {
		change := func(s *setup) { s.policy = verdicts(asks("up/wipe")) }
		if c.weak {
			change = weakly("up/wipe")
		}
		g := newGated(t, nil, change)
		m := g.call(aliceKey, modern(1, "wipe", `{}`, c.capabilities, ""))
		q, _ := asked(m)
		got := q.Get("mode").Text()
		switch {
		case m.Result().Get("resultType").Text() == "task":
			got = "task"
		case code(m) == "CONFIRMATION_REQUIRED":
			got = "pending"
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if strings.Contains(string(m.Bytes()), `"votes"`) || !json.Valid(m.Bytes()) {
			t.Errorf("%s: %s", name, m.Bytes())
		}
	}
	// The next rung, for one that did not take the first.
	g := newGated(t, asks("up/wipe"), nil)
	_, state := asked(g.call(aliceKey, modern(1, "wipe", `{}`, withAll, "")))
	if m := g.call(aliceKey, modern(2, "wipe", `{}`, withAll, echo(state, `{"toolverdict/approval":{"action":"decline"}}`))); m.Result().Get("resultType").Text() != "task" {
		t.Errorf("got %s", m.Bytes())
	}
}
