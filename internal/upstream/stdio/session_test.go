// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/upstream/stdio"
)

func TestSessionsAreApart(t *testing.T) {
	t.Parallel()
	b := legacyBench(t)
	one, two, other := b.session(alice()), b.session(alice()), b.session(bob())
	pids := map[string]bool{b.pid(one): true, b.pid(two): true, b.pid(other): true}
	if len(pids) != 3 {
		t.Errorf("three sessions run in %d processes", len(pids))
	}
	for name, who := range map[string]mcpwire.Caller{
		"another's":    {Principal: "bob", Session: one.Session},
		"no one's":     {Principal: "", Session: one.Session},
		"invented":     {Principal: "alice", Session: "x"},
		"in lowercase": {Principal: "alice", Session: strings.ToLower(one.Session)},
	} {
		if _, err := b.exchange(t.Context(), who, legacyCall("1", "pid", "")); !errors.Is(err, mcpwire.ErrNoSession) {
			t.Errorf("%s session, call: %v", name, err)
		}
		if _, err := b.Listen(t.Context(), who, ""); !errors.Is(err, mcpwire.ErrNoSession) {
			t.Errorf("%s session, listen: %v", name, err)
		}
		if _, err := b.End(t.Context(), who); !errors.Is(err, mcpwire.ErrNoSession) {
			t.Errorf("%s session, end: %v", name, err)
		}
	}
	r, err := b.End(t.Context(), one)
	if err != nil || r.Status != http.StatusNoContent {
		t.Errorf("end: %v, %v", r, err)
	}
	if _, err := b.exchange(t.Context(), one, legacyCall("1", "pid", "")); !errors.Is(err, mcpwire.ErrNoSession) {
		t.Errorf("after the end: %v", err)
	}
	if got := b.pid(two); !pids[got] {
		t.Errorf("the end of one session ended another: %s", got)
	}
}

func TestWithoutASession(t *testing.T) {
	t.Parallel()
	b := legacyBench(t)
	for name, test := range map[string]struct {
		raw    string
		status int
	}{
		"request":      {legacyCall("1", "pid", ""), http.StatusBadRequest},
		"ping":         {`{"jsonrpc":"2.0","id":1,"method":"ping"}`, http.StatusBadRequest},
		"answer":       {`{"jsonrpc":"2.0","id":1,"result":{}}`, http.StatusBadRequest},
		"notification": {`{"jsonrpc":"2.0","method":"notifications/initialized"}`, http.StatusAccepted},
	} {
		if got := b.open(alice(), test.raw); got.Status != test.status {
			t.Errorf("%s: status %d, want %d", name, got.Status, test.status)
		}
	}
	if _, err := b.Listen(t.Context(), alice(), ""); !errors.Is(err, mcpwire.ErrNoStream) {
		t.Errorf("listen: %v", err)
	}
	if r, err := b.End(t.Context(), alice()); err != nil || r.Status != http.StatusBadRequest {
		t.Errorf("end: %v, %v", r, err)
	}
	if log := b.log.String(); strings.Contains(log, "started") {
		t.Errorf("a process was started:\n%s", log)
	}
}

func TestRefusedHandshakeIsNoSession(t *testing.T) {
	t.Parallel()
	b := modernBench(t) // it speaks no older revision
	r := b.open(alice(), `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
	if got := r.Header.Get(mcpwire.HeaderSession); got != "" {
		t.Errorf("session %q", got)
	}
	if got := all(t, r); len(got) != 1 || !strings.Contains(got[0], `"error":{"code":-32600`) {
		t.Errorf("answer %q", got)
	}
}

// sampling is what the fake asks a client.
func sampling(id string) string {
	return `{"jsonrpc":"2.0","id":"` + id + `","method":"sampling/createMessage","params":{}}`
}

func (b *bench) listen(who mcpwire.Caller) *mcpwire.Reply {
	b.t.Helper()
	r, err := b.Listen(b.t.Context(), who, "")
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { r.Body.Close() })
	return r
}

func TestServerRequestsFindTheirStream(t *testing.T) {
	t.Parallel()
	b := legacyBench(t)
	who := b.session(alice())
	answer := func(id string) {
		if r := b.open(who, `{"jsonrpc":"2.0","id":"`+id+`","result":{"by":"`+id+`"}}`); r.Status != http.StatusAccepted {
			t.Errorf("answer %s: status %d", id, r.Status)
		}
	}

	// The only open request has it on its stream, even when the session has one.
	own := b.listen(who)
	r := b.open(who, legacyCall("1", "ask", "a"))
	if got := next(t, r); got != sampling("a") {
		t.Errorf("only request: %s", got)
	}
	answer("a")
	if got := next(t, r); got != result("1", `{"answer":{"by":"a"}}`) {
		t.Errorf("then: %s", got)
	}

	// With two open, the session's own stream has it.
	first := b.open(who, legacyHold("2"))
	next(t, first)
	second := b.open2(who, legacyCall("3", "ask", "b"))
	if got := next(t, own); got != sampling("b") {
		t.Errorf("session's stream: %s", got)
	}
	answer("b")
	if got := next(t, <-second); got != result("3", `{"answer":{"by":"b"}}`) {
		t.Errorf("then: %s", got)
	}

	// Without such a stream, the newest request has it.
	own.Body.Close()
	r = b.open(who, legacyCall("4", "ask", "c"))
	if got := next(t, r); got != sampling("c") {
		t.Errorf("newest request: %s", got)
	}
	answer("c")
	answer("c")        // answered already
	answer("invented") // never asked
	if got := next(t, r); got != result("4", `{"answer":{"by":"c"}}`) {
		t.Errorf("then: %s", got)
	}
	seen := strings.Join(b.received(who), "\n")
	if strings.Count(seen, `"by":"c"`) != 1 || strings.Contains(seen, "invented") {
		t.Errorf("the server got answers that it did not wait for:\n%s", seen)
	}
}

// legacyHold is a call that shows that it arrived, and waits.
func legacyHold(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"hold","arguments":{"text":"x"},"_meta":{"progressToken":` + id + `}}}`
}

// open2 sends a request whose answer has no beginning yet.
func (b *bench) open2(who mcpwire.Caller, raw string) <-chan *mcpwire.Reply {
	c := make(chan *mcpwire.Reply, 1)
	go func() { c <- b.open(who, raw) }()
	return c
}

func TestMessagesWaitForAListener(t *testing.T) {
	t.Parallel()
	t.Run("the session's stream", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, stdio.Config{Command: fakeServer("legacy", "wants-roots")})
		who := b.session(alice())
		if got, want := next(t, b.listen(who)), `{"jsonrpc":"2.0","id":"roots","method":"roots/list"}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	t.Run("the next request", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, stdio.Config{Command: fakeServer("legacy", "wants-roots")})
		who := b.session(alice())
		// A client that never listens gets it with whatever it asks next.
		seen := false
		for !seen {
			for _, m := range all(t, b.open(who, legacyCall("1", "echo", "hi"))) {
				seen = seen || m == `{"jsonrpc":"2.0","id":"roots","method":"roots/list"}`
			}
		}
	})
}

func TestNewStreamTakesOver(t *testing.T) {
	t.Parallel()
	b := legacyBench(t)
	who := b.session(alice())
	old := b.listen(who)
	b.listen(who)
	if _, err := old.Body.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("the old stream goes on: %v", err)
	}
	if r, err := b.Listen(t.Context(), who, "event-7"); err != nil || r.Status != http.StatusBadRequest {
		t.Errorf("resuming what never had ids: %v, %v", r, err)
	}
}

func TestProgressOfTasksGoesOn(t *testing.T) {
	t.Parallel()
	b := legacyBench(t)
	who := b.session(alice())
	own := b.listen(who)
	b.ask(who, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"task","arguments":{},"_meta":{"progressToken":"mine"}}}`)
	want := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":2}}`
	if got := next(t, own); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNotificationsOfOlderServers(t *testing.T) {
	t.Parallel()
	b := legacyBench(t)
	who := b.session(alice())
	// What belongs to no request waits for the session's own stream.
	updated := `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"u:1"}}`
	if diff := cmp.Diff([]string{result("1", "{}")}, all(t, b.open(who, legacyCall("1", "notify", "u:1")))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	own := b.listen(who)
	b.ask(who, legacyCall("1", "notify", "u:1"))
	if got := []string{next(t, own), next(t, own)}; !cmp.Equal(got, []string{updated, updated}) {
		t.Errorf("the session's stream: %q", got)
	}
	log := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"hi"}}`
	if diff := cmp.Diff([]string{log, result("1", "{}")}, all(t, b.open(who, legacyCall("1", "log", "hi")))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
