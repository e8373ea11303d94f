// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPercentileIsByNearestRank(t *testing.T) {
	t.Parallel()
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(i + 1)
	}
	for share, want := range map[float64]time.Duration{0: 1, 0.5: 50, 0.99: 99, 1: 100} {
		if got := percentile(hundred, share); got != want {
			t.Errorf("percentile %v: got %d, want %d", share, got, want)
		}
	}
	if got := percentile(hundred[:1], 0.99); got != 1 {
		t.Errorf("of one value: got %d", got)
	}
}

func TestMiddleIgnoresOneDisturbedRound(t *testing.T) {
	t.Parallel()
	quiet := sample{p50: 10, p99: 20, rate: 1000, cpu: 5}
	got := middle([]sample{quiet, {p50: 900, p99: 9000, rate: 1, cpu: 90}, quiet})
	if got != quiet {
		t.Errorf("got %+v, want %+v", got, quiet)
	}
}

func TestTableComparesWithTheDirectRow(t *testing.T) {
	t.Parallel()
	lines := []line{
		{group: "g", name: "direct", direct: true, concurrent: 1, sample: sample{p50: 100 * time.Microsecond, p99: time.Millisecond, rate: 100}},
		{group: commitGroup, name: "commit", direct: true, concurrent: 1, sample: sample{p50: 30 * time.Microsecond, p99: time.Millisecond, rate: 100}},
		{group: "g", name: "gate", gate: true, concurrent: 1, sample: sample{p50: 150 * time.Microsecond, p99: 3 * time.Millisecond, rate: 50, cpu: 20 * time.Microsecond}},
	}
	var b strings.Builder
	if err := printTable(&b, lines); err != nil {
		t.Fatal(err)
	}
	last := strings.Fields(strings.Split(strings.TrimSpace(b.String()), "\n")[5])
	want := []string{"g,", "gate", "1", "150", "50", "20", "1.50", "3000", "3.00", "50", "0.50", "20"}
	if diff := cmp.Diff(want, last); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := printTable(io.Discard, lines[2:]); err == nil {
		t.Error("no error without a direct row")
	}
}

// server answers calls as an upstream does, in the way that reply says.
func server(t *testing.T, reply func(w http.ResponseWriter, id, message string)) endpoint {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		_, id, _ := strings.Cut(string(body), `"id":`)
		_, message, _ := strings.Cut(string(body), `"message":"`)
		reply(w, id[:len(placeholder)], message[:len(placeholder)])
	}))
	t.Cleanup(s.Close)
	return endpoint{addr: strings.TrimPrefix(s.URL, "http://"), path: "/", modern: true}
}

func TestClientsCheckEveryReply(t *testing.T) {
	t.Parallel()
	const right = `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}`
	tests := map[string]struct {
		reply func(w http.ResponseWriter, id, message string)
		ok    bool
	}{
		"with a length": {func(w http.ResponseWriter, id, m string) { fmt.Fprintf(w, right, id, m) }, true},
		"in chunks, as a stream": {func(w http.ResponseWriter, id, m string) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "event: message\n")
			w.(http.Flusher).Flush()
			fmt.Fprintf(w, "data: "+right+"\n\n", id, m)
		}, true},
		"another call's id":  {func(w http.ResponseWriter, _, m string) { fmt.Fprintf(w, right, "1000000099", m) }, false},
		"another message":    {func(w http.ResponseWriter, id, _ string) { fmt.Fprintf(w, right, id, "1000000099") }, false},
		"an error of a tool": {func(w http.ResponseWriter, id, m string) { fmt.Fprintf(w, right+`,"isError":true`, id, m) }, false},
		"an HTTP error": {func(w http.ResponseWriter, id, m string) {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprintf(w, right, id, m)
		}, false},
		"nothing":             {func(http.ResponseWriter, string, string) {}, false},
		"a closed connection": {func(w http.ResponseWriter, _, _ string) { panic(http.ErrAbortHandler) }, false},
	}
	for name, tt := range tests {
		for client, open := range map[string]opener{"raw": openHTTP, "ordinary": openOrdinary} {
			t.Run(name+" "+client, func(t *testing.T) {
				t.Parallel()
				c, err := open(t.Context(), server(t, tt.reply), 2)
				if err != nil {
					t.Fatal(err)
				}
				defer c.close()
				for n := range 3 {
					if err := c.call(n%2, firstID+n); (err == nil) != tt.ok {
						t.Errorf("call %d: %v", n, err)
						break
					}
					if !tt.ok {
						break
					}
				}
			})
		}
	}
}

func TestStdioTellsCallsApart(t *testing.T) {
	t.Parallel()
	// Answers every request with its own id and message, two at a time in reverse order.
	const script = `while read a && read b; do for l in "$b" "$a"; do
		id=${l#*\"id\":}; id=${id%%,*}; m=${l##*\"message\":\"}; m=${m%%\"*}
		echo "{\"id\":$id,\"result\":{\"content\":[{\"text\":\"$m\"}]}}"; done; done`
	var pid atomic.Int64
	c, err := openStdio(t.Context(), command{argv: []string{"/bin/sh", "-c", script}, modern: true, pid: &pid}, 2)
	if err != nil {
		t.Fatal(err)
	}
	errs := make(chan error, 2)
	for slot := range 2 {
		go func() { errs <- c.call(slot, firstID+slot) }()
	}
	for range 2 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	c.close()
	if pid.Load() == 0 {
		t.Error("the program's process is not known")
	}
	if err := c.call(0, firstID+2); err == nil {
		t.Error("no error after the program ended")
	}
}

// fake is a caller that takes a millisecond of a clock of its own for every call.
type fake struct {
	now  atomic.Int64
	used map[int]bool
	fail int
}

func (f *fake) call(_, id int) error {
	f.now.Add(int64(time.Millisecond))
	if f.used[id] {
		return errors.New("an id was used twice")
	}
	f.used[id] = true
	if id == f.fail {
		return errors.New("wrong reply")
	}
	return nil
}

func (f *fake) close() {}

func (f *fake) clock() time.Time { return time.Unix(0, f.now.Load()) }

func TestMeasure(t *testing.T) {
	t.Parallel()
	f := &fake{used: map[int]bool{}}
	one := target{group: "g", name: "n", open: func(context.Context, int) (caller, error) { return f, nil }}
	got, err := measure(t.Context(), one, 1, time.Second, f.clock)
	if err != nil {
		t.Fatal(err)
	}
	want := sample{p50: time.Millisecond, p99: time.Millisecond, rate: 1000}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	f = &fake{used: map[int]bool{}, fail: firstID + 700}
	if _, err := measure(t.Context(), one, 1, time.Second, f.clock); err == nil || !strings.Contains(err.Error(), "wrong reply") {
		t.Errorf("a wrong reply among many: %v", err)
	}
}
