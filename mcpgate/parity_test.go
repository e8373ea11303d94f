// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// pair is a front and the way an upstream answers.
type pair struct {
	front  string
	stream bool
}

// heard is what one message led to.
type heard struct {
	forwarded []string
	verdicts  []string // of the records, with their codes
	answer    string   // with ids that are new every time taken out
}

// lane is a whole gate for one pair.
type lane struct {
	*rig

	up  *fake
	say func(string, int) []string
}

func newLane(t *testing.T, p pair) *lane {
	t.Helper()
	up := &fake{answer: func(w http.ResponseWriter, _ *http.Request, m *mcpwire.Message) {
		if m.Kind() != mcpwire.Request {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer := mcpwire.ResultResponse(m.ID(), []byte(`{"content":[{"type":"text","text":"`+m.Method()+`"}],"z":-0.0}`))
		if p.stream {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write(mcpwire.AppendEvent(nil, mcpwire.Event{Data: answer}))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	}}
	server := httptest.NewServer(up)
	t.Cleanup(server.Close)
	special := map[string]toolverdict.Verdict{
		"up/deny": toolverdict.Deny, "up/ask": toolverdict.Ask, "up/@prompts/get": toolverdict.Deny, "up/@resources/read": toolverdict.Ask,
	}
	tools := []string{`{"name":"allow","inputSchema":{"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string"}}}}`}
	for _, name := range []string{"deny", "ask"} {
		tools = append(tools, `{"name":"`+name+`","inputSchema":{"type":"object"}}`)
	}
	r := newRig(t, server.URL, setup{tools: tools, policy: verdicts(special)})
	return &lane{rig: r, up: up, say: r.speaker(p.front)}
}

func (l *lane) hear(message string) heard {
	forwarded, recorded := len(l.up.calls()), len(l.store.all())
	want := 1
	if m, err := mcpwire.ParseServer([]byte(message)); err == nil && m.Kind() != mcpwire.Request {
		want = 0
	}
	h := heard{answer: strings.Join(l.say(message, want), "\n")}
	for _, got := range l.up.calls()[forwarded:] {
		h.forwarded = append(h.forwarded, got)
	}
	for _, rec := range l.store.all()[recorded:] {
		h.verdicts = append(h.verdicts, fmt.Sprint(rec.Kind, rec.Tool, rec.Verdict, rec.Code, rec.Claim))
		for _, id := range []string{rec.CallID, rec.Approval} {
			if id != "" {
				h.answer = strings.ReplaceAll(h.answer, id, "ID")
			}
		}
	}
	return h
}

// TestParity holds that whatever a client sends, each way through the gate comes
// to the same verdict, forwards the same bytes and gives the same answer.
func TestParity(t *testing.T) {
	t.Parallel()
	pairs := []pair{{"http", false}, {"http", true}, {"stdio", false}, {"stdio", true}}
	lanes := make([]*lane, len(pairs))
	for i, p := range pairs {
		lanes[i] = newLane(t, p)
	}
	id := 0
	rapid.Check(t, func(t *rapid.T) {
		id++
		message := drawMessage(t, id)
		first := lanes[0].hear(message)
		for i, l := range lanes[1:] {
			if diff := cmp.Diff(first, l.hear(message), cmp.AllowUnexported(heard{}), times()); diff != "" {
				t.Fatalf("%s\n%v differs from %v: %s", message, pairs[i+1], pairs[0], diff)
			}
		}
		m, err := mcpwire.ParseClient([]byte(message), canon.Limits{})
		if err == nil && len(first.forwarded) == 1 && m.Params().Get("arguments").Kind() != canon.KindString && first.forwarded[0] != message {
			t.Fatalf("sent %s, forwarded %s", message, first.forwarded[0])
		}
	})
}

// times leaves out when an approval expires.
func times() cmp.Option {
	cut := func(s string) string {
		before, rest, found := strings.Cut(s, `"expires":"`)
		if !found {
			return s
		}
		_, after, _ := strings.Cut(rest, `"`)
		return before + after
	}
	return cmp.FilterPath(func(p cmp.Path) bool { return strings.HasSuffix(p.String(), "answer") },
		cmp.Comparer(func(a, b string) bool { return cut(a) == cut(b) }))
}

// drawMessage draws messages that are mostly well formed, with what hostile ones
// are made of mixed in.
func drawMessage(t *rapid.T, id int) string {
	arguments := rapid.SampledFrom([]string{
		`{}`, `{"n":1}`, `{"n": 1.0 }`, `{"n":"x"}`, `{"N":1}`, `{"s":"\u0041","n":12345678901234567890}`, `null`, `"{\"n\":2}"`,
		`[]`, `{"a":{"b":[1,2,{"c":null}]}}`, `{"n":1,"n":2}`, `{"s":"é"}`, `"x"`, `{"s":"` + strings.Repeat("y", 2000) + `"}`,
	}).Draw(t, "arguments")
	meta := rapid.SampledFrom([]string{``, `,"_meta":{"progressToken":"p"}`, `,"_meta":{"x":[1]}`, `,"_META":{}`, `,"future":{"k":1.50}`}).Draw(t, "meta")
	rid := rapid.SampledFrom([]string{fmt.Sprint(id), fmt.Sprintf(`"r%d"`, id), `"\u0072x"`}).Draw(t, "id")
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return `{"jsonrpc":"2.0","id":` + rid + `,"method":"` + rapid.SampledFrom([]string{"ping", "x/unknown", "tasks/get", "completion/complete"}).Draw(t, "method") + `","params":{"k":1` + meta + `}}`
	case 1:
		return `{"jsonrpc":"2.0","id":` + rid + `,"method":"resources/read","params":{"uri":"a://b"` + meta + `}}`
	case 2:
		return `{"jsonrpc":"2.0","method":"` + rapid.SampledFrom([]string{"notifications/progress", "notifications/x"}).Draw(t, "notification") + `","params":{}}`
	case 3:
		return `{"jsonrpc":"2.0","id":` + rid + `,"method":"prompts/get","params":{"name":"p"` + meta + `}}`
	}
	name := rapid.SampledFrom([]string{"allow", "deny", "ask", "nosuch", "Allow", "@prompts/get", "allow/../deny"}).Draw(t, "tool")
	return `{"jsonrpc":"2.0", "id":` + rid + `,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + meta + `}}`
}
