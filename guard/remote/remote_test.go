// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package remote_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/guard"
	"github.com/toolverdict/toolverdict/guard/guardtest"
	"github.com/toolverdict/toolverdict/guard/remote"
	"github.com/toolverdict/toolverdict/httpgate"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

// Parts of the front that no claim touches.
type (
	reader  struct{ httpgate.Reader }
	voter   struct{ httpgate.Voter }
	book    struct{ httpgate.Book }
	choices struct{ httpgate.Choices }
	records struct{ httpgate.Records }
)

const key = "agent-key"

// serve puts a gate behind HTTP.
func serve(t *testing.T, local guard.Local) guard.Source {
	t.Helper()
	gate, ok := local.Gate.(*tv.Gate)
	if !ok {
		t.Fatalf("a gate of type %T", local.Gate)
	}
	var n atomic.Int64
	front, err := httpgate.New(httpgate.Config{
		Gate: gate, Reader: reader{}, Voter: voter{}, Book: book{}, Choices: choices{}, Records: records{},
		All:          gate.Snapshots.Current().Catalog.Tools,
		Authenticate: func(bearer string) (tv.Subject, bool) { return local.Subject, bearer == key },
		Run:          func(tv.Subject) tv.Run { return tv.Run{} }, Ready: func(context.Context) error { return nil },
		Now: time.Now, NewID: func() string { return fmt.Sprintf("request-%d", n.Add(1)) }, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return connect(t, front)
}

func connect(t *testing.T, h http.Handler) guard.Source {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c, err := client.New(server.URL, key)
	if err != nil {
		t.Fatal(err)
	}
	return remote.Gate{Client: c, Model: "model-1"}
}

func TestRemoteGate(t *testing.T) {
	t.Parallel()
	guardtest.Run(t, func(t *testing.T, g guard.Guard, run guardtest.Tool) guardtest.Ask {
		t.Helper()
		if local, ok := g.Source.(guard.Local); ok { // what is bent is bent behind the wire
			g.Source = serve(t, local)
		}
		return func(t *testing.T, calls ...guard.Call) []string {
			t.Helper()
			told := make([]string, len(calls))
			for i, c := range calls {
				out, refused := guard.Do(t.Context(), g, c, func(ctx context.Context, arguments []byte) (string, error) {
					return run(ctx, c.Tool, arguments)
				})
				if told[i] = out; refused != nil {
					told[i] = refused.Text()
				}
			}
			return told
		}
	})
}

// Whatever stands in the place of a gate, nothing runs on an answer that is none.
func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	const leave = `"tool":"a/b","success":true,"digest":"d","claim":{"id":"i","token":"t","arguments":{},"deadline":"2999-01-01T00:00:00Z"}`
	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"nothing":           {200, ""},
		"no content":        {204, ""},
		"no JSON":           {200, "allow"},
		"elsewhere":         {302, `{"verdict":"allow",` + leave + `}`},
		"a fault":           {500, `{"verdict":"allow",` + leave + `}`},
		"no verdict":        {200, `{` + leave + `}`},
		"another case":      {200, `{"verdict":"Allow",` + leave + `}`},
		"an invented word":  {200, `{"verdict":"permit",` + leave + `}`},
		"a truth":           {200, `{"verdict":true,` + leave + `}`},
		"ask with leave":    {200, `{"verdict":"ask",` + leave + `}`},
		"allow, no leave":   {200, `{"verdict":"allow","success":true}`},
		"another tool":      {200, `{"verdict":"allow",` + leave[len(`"tool":"a/b",`):] + `,"tool":"a/c"}`},
		"no token":          {200, `{"verdict":"allow","tool":"a/b","success":true,"digest":"d","claim":{"id":"i","arguments":{}}}`},
		"time that is over": {200, `{"verdict":"allow","tool":"a/b","success":true,"digest":"d","claim":{"id":"i","token":"t","arguments":{},"deadline":"2001-01-01T00:00:00Z"}}`},
		"other arguments":   {200, `{"verdict":"allow","tool":"a/b","success":true,"digest":"d","claim":{"id":"i","token":"t","arguments":{"a":1},"deadline":"2999-01-01T00:00:00Z"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := connect(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			_, refused := guard.Do(t.Context(), guard.Guard{Source: source}, guard.Call{Tool: "a/b", Arguments: []byte(`{}`)}, func(context.Context, []byte) (string, error) {
				t.Error("it ran")
				return "", nil
			})
			if refused == nil {
				t.Error("it was let through")
			}
		})
	}
}

// The gate dies while the tool runs: the model is told that nobody knows.
func TestTheOutcomeIsLost(t *testing.T) {
	t.Parallel()
	var told atomic.Int64
	source := connect(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/claim" {
			told.Add(1)
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, allow)
	}))
	_, refused := guard.Do(t.Context(), guard.Guard{Source: source}, guard.Call{Tool: "a/b"}, func(context.Context, []byte) (string, error) {
		return "done", nil
	})
	if refused == nil || refused.Code() != tv.OutcomeUnknown || told.Load() != 1 {
		t.Errorf("%v, told %d times", refused, told.Load())
	}
}

// Something else than the gate answers the outcome, with any JSON: the tool ran, and
// the model is not told that it did not.
func TestTheOutcomeIsAnsweredBySomethingElse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body string
		want tv.Code
	}{
		"an empty object":    {`{}`, tv.OutcomeUnknown},
		"ok":                 {`{"status":"ok"}`, tv.OutcomeUnknown},
		"another claim":      {`{"claim":"other","success":true}`, tv.OutcomeUnknown},
		"no claim":           {`{"success":true}`, tv.OutcomeUnknown},
		"neither":            {`{"claim":"i"}`, tv.OutcomeUnknown},
		"both":               {`{"claim":"i","success":true,"error":{"code":"TOOL_ERROR"}}`, tv.OutcomeUnknown},
		"twice":              {`{"claim":"i","success":false,"success":true}`, tv.OutcomeUnknown},
		"in another case":    {`{"claim":"i","Success":true}`, tv.OutcomeUnknown},
		"a problem":          {`{"claim":"i","success":true,"problem":{"status":409}}`, tv.OutcomeUnknown},
		"a list":             {`[{"claim":"i","success":true}]`, tv.OutcomeUnknown},
		"the gate's":         {`{"claim":"i","success":true,"result":"done"}`, ""},
		"and a loose result": {`{"claim":"i","success":true,"result":"done","answer":{"a":1,"a":1e400}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := connect(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/v1/claim" {
					_, _ = io.WriteString(w, c.body)
					return
				}
				_, _ = io.WriteString(w, allow)
			}))
			out, refused := guard.Do(t.Context(), guard.Guard{Source: source}, guard.Call{Tool: "a/b"}, func(context.Context, []byte) (string, error) { return "done", nil })
			var code tv.Code
			if refused != nil {
				code = refused.Code()
			}
			if code != c.want || (out == "done") != (c.want == "") {
				t.Errorf("got %q, %v", out, refused)
			}
		})
	}
}

const allow = `{"verdict":"allow","tool":"a/b","success":true,"digest":"d","claim":{"id":"i","token":"t","arguments":{},"deadline":"2999-01-01T00:00:00Z"}}`

// The caller goes away while the gate decides: leave that comes after is given
// back, so that the call can be made again.
func TestTheCallerGoesAway(t *testing.T) {
	t.Parallel()
	asked, answer, told := make(chan struct{}), make(chan struct{}), make(chan string, 1)
	source := connect(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/claim" {
			close(asked)
			select {
			case <-answer:
			case <-r.Context().Done():
				t.Error("the request was broken off")
				told <- "nothing"
				return
			}
			_, _ = io.WriteString(w, allow)
			return
		}
		b, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, `{"claim":"i","success":false,"error":{"code":"TOOL_TIMEOUT"}}`)
		told <- string(b)
	}))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	_, refused := guard.Do(ctx, guard.Guard{Source: source}, guard.Call{Tool: "a/b"}, func(context.Context, []byte) (string, error) {
		t.Error("it ran")
		return "", nil
	})
	if refused == nil || refused.Code() != tv.GateUnavailable {
		t.Errorf("got %v", refused)
	}
	close(answer)
	if said := <-told; !strings.Contains(said, `"claim":"i","token":"t","status":"notSent"`) {
		t.Errorf("the gate was told %s", said)
	}
}

// A caller that has gone already asks for nothing.
func TestTheCallerIsGone(t *testing.T) {
	t.Parallel()
	source := connect(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the gate was asked") }))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, refused := guard.Do(ctx, guard.Guard{Source: source}, guard.Call{Tool: "a/b"}, func(context.Context, []byte) (string, error) { return "", nil })
	if refused == nil || refused.Code() != tv.GateUnavailable {
		t.Errorf("got %v", refused)
	}
}

// A tool that pauses is answered as one that pauses, with secrets hidden. Each leg
// is a call of its own.
func TestAPausedCall(t *testing.T) {
	t.Parallel()
	gate := guardtest.NewGate(t)
	g := gate.Guard()
	g.Source = serve(t, gate.Source())
	legs := 0
	leg := func(key string) (string, *guard.Refused) {
		return guard.Do(t.Context(), g, guard.Call{Tool: guardtest.Asked, Arguments: []byte(`{}`), Key: key}, func(context.Context, []byte) (string, error) {
			if legs++; legs == 1 {
				return "how many? " + guardtest.Secret, fmt.Errorf("own: %w", guard.ErrPaused)
			}
			return "done", nil
		})
	}
	for want := range 2 {
		_, asked := leg("act-1")
		info, waits := asked.Waiting()
		if !waits || legs != want {
			t.Fatalf("got %v after %d legs", asked, legs)
		}
		gate.Approve(t.Context(), info.ID)
		out, refused := leg("act-1")
		switch {
		case legs == 1 && (refused == nil || !refused.Paused || refused.Resume != "" || out != "how many? [HIDDEN]" || !errors.Is(refused, guard.ErrPaused)):
			t.Fatalf("got %q, %+v", out, refused)
		case legs == 2 && (refused != nil || out != "done"):
			t.Fatalf("got %q, %v", out, refused)
		}
	}
	if legs != 2 {
		t.Errorf("%d legs", legs)
	}
}

// An answer that is too large for the gate, or for what stands before it, leaves
// the call done.
func TestAnAnswerThatIsTooLarge(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"for a proxy": 100, "for the gate": 17 << 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told atomic.Int64
			source := connect(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/v1/claim" {
					_, _ = io.WriteString(w, allow)
					return
				}
				if b, _ := io.ReadAll(r.Body); strings.Contains(string(b), "xxx") {
					w.WriteHeader(http.StatusRequestEntityTooLarge)
					return
				}
				told.Add(1)
				_, _ = io.WriteString(w, `{"claim":"i","success":true,"stateChanged":true}`)
			}))
			_, refused := guard.Do(t.Context(), guard.Guard{Source: source}, guard.Call{Tool: "a/b"}, func(context.Context, []byte) (string, error) {
				return strings.Repeat("x", size), nil
			})
			if refused == nil || refused.Code() != tv.ToolError || refused.StateChanged != tv.Changed || !strings.Contains(refused.Text(), "too large") || told.Load() != 1 {
				t.Errorf("got %v, told %d times", refused, told.Load())
			}
		})
	}
}

func TestNoGate(t *testing.T) {
	t.Parallel()
	gone := connect(t, http.NotFoundHandler())
	for name, source := range map[string]guard.Source{"no client": remote.Gate{}, "no claims there": gone} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, refused := guard.Do(t.Context(), guard.Guard{Source: source}, guard.Call{Tool: "a/b"}, func(context.Context, []byte) (string, error) {
				t.Error("it ran")
				return "", nil
			})
			if refused == nil || refused.Code() != tv.GateUnavailable {
				t.Errorf("got %v", refused)
			}
		})
	}
}
