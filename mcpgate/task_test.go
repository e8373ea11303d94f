// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/mcpgate"
)

// tasked is an upstream whose tool starts a task, with the id "T" for everybody.
func tasked(t *testing.T) (*fake, string) {
	t.Helper()
	up := &fake{answer: func(w http.ResponseWriter, _ *http.Request, m *mcpwire.Message) {
		w.Header().Set("Content-Type", "text/event-stream")
		result := `{"taskId":"` + m.Params().Get("taskId").Text() + `","status":"working"}`
		switch m.Method() {
		case "tools/call":
			result = `{"resultType":"task","taskId":"T","task":{"taskId":"T"},"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"T"}}}`
		case "tasks/list":
			result = `{"tasks":[{"taskId":"T"},{"taskId":"of another"}]}`
		}
		for _, message := range []string{
			`{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"T"}}`,
			string(mcpwire.ResultResponse(m.ID(), []byte(result))),
		} {
			_, _ = w.Write(mcpwire.AppendEvent(nil, mcpwire.Event{Data: []byte(message)}))
		}
	}}
	server := httptest.NewServer(up)
	t.Cleanup(server.Close)
	return up, server.URL
}

// TestTasksAreBound holds that a task is of use only to the subject that started
// it, while every id that this subject sees of it is the same.
func TestTasksAreBound(t *testing.T) {
	t.Parallel()
	up, url := tasked(t)
	r := newRig(t, url, setup{tools: echoTool()})
	_, h, body := r.post(aliceKey, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`, nil)
	all := messages(h, body)
	note, _ := mcpwire.ParseServer([]byte(all[0]))
	started, _ := mcpwire.ParseServer([]byte(all[1]))
	id := started.Result().Get("taskId").Text()
	for name, got := range map[string]string{
		"task":         started.Result().Lookup("task", "taskId").Text(),
		"related":      started.Meta().Lookup(mcpwire.MetaRelatedTask, "taskId").Text(),
		"notification": note.Params().Get("taskId").Text(),
	} {
		if got != id || got == "T" || got == "" {
			t.Errorf("%s: %q, want %q", name, got, id)
		}
	}
	ask := func(key, method, id string) string {
		_, _, body := r.post(key, `{"jsonrpc":"2.0","id":2,"method":"`+method+`","params":{"taskId":"`+id+`","_meta":{"io.modelcontextprotocol/related-task":{"taskId":"`+id+`"}}}}`, nil)
		return body
	}
	if body := ask(aliceKey, "tasks/get", id); !strings.Contains(body, `"taskId":"`+id+`"`) {
		t.Errorf("its own: %s", body)
	}
	calls := up.calls()
	if want := `{"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":"T","_meta":{"io.modelcontextprotocol/related-task":{"taskId":"T"}}}}`; calls[len(calls)-1] != want {
		t.Errorf("the upstream got %s", calls[len(calls)-1])
	}
	for _, method := range []string{"tasks/get", "tasks/result", "tasks/cancel", "tasks/update"} {
		for _, c := range []struct{ key, id string }{{bobKey, id}, {aliceKey, "T"}, {bobKey, "T"}, {aliceKey, ""}, {aliceKey, id + "A"}} {
			ask(c.key, method, c.id)
		}
	}
	for _, got := range up.calls()[len(calls):] {
		m, _ := mcpwire.ParseServer([]byte(got))
		if named := m.Params().Get("taskId").Text(); named == "T" || named == id || named == "" {
			t.Errorf("a task that is not the caller's was forwarded as %s", got)
		}
	}
	if n := len(up.calls()) - len(calls); n != 20 {
		t.Errorf("%d of them were forwarded", n)
	}
}

// TestTaskLists holds that nobody is handed another's tasks.
func TestTaskLists(t *testing.T) {
	t.Parallel()
	list := `{"jsonrpc":"2.0","id":1,"method":"tasks/list"}`
	up, url := tasked(t)
	r := newRig(t, url, setup{tools: echoTool()})
	if _, _, body := r.post(aliceKey, list, nil); !strings.Contains(body, `"tasks":[]`) || len(up.calls()) != 1 {
		t.Errorf("got %s", body)
	}
	r = newRig(t, url, setup{tools: echoTool(), front: func(c *mcpgate.Config) { c.Servers[0].Isolated = true }})
	_, h, body := r.post(aliceKey, list, nil)
	all := messages(h, body)
	m, err := mcpwire.ParseServer([]byte(all[len(all)-1]))
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range m.Result().Get("tasks").Items() {
		if id := item.Get("taskId").Text(); id == "T" || id == "of another" || id == "" {
			t.Errorf("listed %q", id)
		}
	}
}
