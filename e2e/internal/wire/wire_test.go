// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package wire_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/e2e/internal/wire"
)

func TestHTTPSendsTheBytesAsTheyAre(t *testing.T) {
	t.Parallel()
	const odd = "\xef\xbb\xbf{\"a\":1,\"a\":2} {}\x00"
	var got string
	var header http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got, header = string(body), r.Header
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "event: message\ndata: {\"id\":1}\n\n: note\ndata: no JSON\n\ndata:{\"id\":2}\n\n")
	}))
	defer s.Close()
	c := &wire.HTTP{URL: s.URL, Header: http.Header{"X-One": {"1"}, "X-Two": {"1"}}}
	r, err := c.Send(t.Context(), []byte(odd), http.Header{"X-Two": {"2", "3"}})
	if err != nil {
		t.Fatal(err)
	}
	if got != odd {
		t.Errorf("body: got %q, want %q", got, odd)
	}
	if diff := cmp.Diff([]string{"2", "3"}, header["X-Two"]); diff != "" || header.Get("X-One") != "1" {
		t.Errorf("headers: %v", header)
	}
	if len(r.Messages) != 2 || string(r.Messages[1]) != `{"id":2}` {
		t.Errorf("messages: %s", r.Messages)
	}
}

func TestHTTPInitialize(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case strings.Contains(string(body), `"initialize"`):
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Mcp-Session-Id", "s1")
			io.WriteString(w, `{"jsonrpc":"2.0","id":0,"result":{}}`)
		case r.Header.Get("Mcp-Session-Id") != "s1", r.Header.Get("Mcp-Protocol-Version") != wire.Legacy:
			w.WriteHeader(http.StatusBadRequest)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	defer s.Close()
	c := &wire.HTTP{URL: s.URL}
	if err := c.Initialize(t.Context()); err != nil {
		t.Fatal(err)
	}
	refused := httptest.NewServer(http.NotFoundHandler())
	defer refused.Close()
	if err := (&wire.HTTP{URL: refused.URL}).Initialize(t.Context()); err == nil {
		t.Error("no error where the endpoint does not exist")
	}
}

func TestStdioAskReadsUpToItsAnswer(t *testing.T) {
	t.Parallel()
	fromTest, toServer := io.Pipe()
	answers := `{"method":"notifications/x"}` + "\n" + `{"id":5,"method":"ping"}` + "\n" + `{"id":"5","result":{}}` + "\n" + `{"id":5,"result":{}}` + "\n" + `{"id":6,"result":{}}` + "\n"
	c := wire.NewStdio(toServer, strings.NewReader(answers))
	sent := make(chan string)
	go func() {
		b := make([]byte, 64)
		n, _ := fromTest.Read(b)
		sent <- string(b[:n])
		_, _ = io.Copy(io.Discard, fromTest)
	}()
	got := make(chan int)
	go func() {
		msgs, err := c.Ask([]byte("{odd"), "5")
		if err != nil {
			t.Error(err)
		}
		got <- len(msgs)
	}()
	if line := <-sent; line != "{odd\n" {
		t.Errorf("line: %q", line)
	}
	if n := <-got; n != 4 {
		t.Errorf("messages up to the answer: got %d, want 4", n)
	}
	if _, err := c.Ask([]byte("{}"), "7"); err == nil {
		t.Error("no error when the program ends without the answer")
	}
}
