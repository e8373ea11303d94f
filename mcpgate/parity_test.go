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

// pair is a front and a kind of upstream: HTTP that answers with JSON or with a
// stream, or a process.
type pair struct{ front, up string }

// heard is what one message led to.
type heard struct {
	forwarded []string
	verdicts  []string // of the records, with their codes
	answer    string   // with ids that are new every time taken out
}

// lane is a whole gate for one pair.
type lane struct {
	*rig

	up   *fake
	file string // log of a process
	say  func(string, int) []string
}

func newLane(t *testing.T, p pair) *lane {
	t.Helper()
	l := &lane{file: logFile(t)}
	l.up = &fake{answer: func(w http.ResponseWriter, _ *http.Request, m *mcpwire.Message) {
		if m.Kind() != mcpwire.Request {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer := mcpwire.ResultResponse(m.ID(), []byte(resultFor(m.Method())))
		if p.up == "stream" {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write(mcpwire.AppendEvent(nil, mcpwire.Event{Data: answer}))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	}}
	s := setup{policy: verdicts(map[string]toolverdict.Verdict{
		"up/deny": toolverdict.Deny, "up/ask": toolverdict.Ask, "up/@prompts/get": toolverdict.Deny, "up/@resources/read": toolverdict.Ask,
	})}
	s.tools = []string{`{"name":"allow","inputSchema":{"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string"}}}}`}
	for _, name := range []string{"deny", "ask"} {
		s.tools = append(s.tools, `{"name":"`+name+`","inputSchema":{"type":"object"}}`)
	}
	server := httptest.NewServer(l.up)
	t.Cleanup(server.Close)
	if p.up == "process" {
		s.backend = child(t, "logger", l.file)
	}
	l.rig = newRig(t, server.URL, s)
	l.say = l.speaker(p.front)
	l.say(initialize, 1)
	l.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, 0)
	return l
}

// forwarded returns what the upstream has received.
func (l *lane) forwarded(t *testing.T, sent string) []string {
	t.Helper()
	if calls := l.up.calls(); len(calls) > 0 {
		var out []string
		for _, c := range calls {
			if m, err := mcpwire.ParseServer([]byte(c)); err != nil || !handshake(m.Method()) {
				out = append(out, c)
			}
		}
		return out
	}
	return logged(t, l.file, 0, sent)
}

func (l *lane) hear(message string) heard {
	l.t.Helper()
	forwarded, recorded := len(l.forwarded(l.t, "")), len(l.store.all())
	want := 1
	if m, err := mcpwire.ParseServer([]byte(message)); err == nil && m.Kind() != mcpwire.Request {
		want = 0
	}
	h := heard{answer: strings.Join(l.say(message, want), "\n")}
	if want == 0 {
		l.say(`{"jsonrpc":"2.0","id":"sync","method":"ping"}`, 1) // what came before it has arrived
	}
	for _, got := range l.forwarded(l.t, message)[forwarded:] {
		if !strings.Contains(got, `"method":"ping"}`) {
			h.forwarded = append(h.forwarded, got)
		}
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
	pairs := []pair{{"http", "json"}, {"http", "stream"}, {"http", "process"}, {"stdio", "json"}, {"stdio", "stream"}, {"stdio", "process"}}
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
		want := message
		if err == nil && m.Method() == "tools/call" { // what is not decided is not forwarded
			want = strings.Replace(want, `,"future":{"k":1.50}`, "", 1)
		}
		if err == nil && len(first.forwarded) == 1 && m.Params().Get("arguments").Kind() != canon.KindString && first.forwarded[0] != want {
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
	meta := rapid.SampledFrom([]string{``, `,"_meta":{"progressToken":"p"}`, `,"_meta":{"x":[1]}`, `,"_META":{}`, `,"future":{"k":1.50}`,
		`,"_meta":{"` + mcpwire.MetaVersion + `":"2026-07-28","` + mcpwire.MetaCapabilities + `":{"elicitation":{}}}`}).Draw(t, "meta")
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
