// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package nethttp_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/toolverdict/toolverdict/contrib/nethttp"
	"github.com/toolverdict/toolverdict/guard"
	"github.com/toolverdict/toolverdict/guard/guardtest"
)

func always(g guard.Guard) nethttp.Caller {
	return func(*http.Request) (guard.Guard, error) { return g, nil }
}

type reply struct {
	status int
	text   string
	header http.Header
}

func send(t *testing.T, s *httptest.Server, method, target, body string) reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+target, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := s.Client().Do(r)
	if err != nil {
		t.Error(err)
		return reply{}
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return reply{resp.StatusCode, string(b), resp.Header}
}

func serve(t *testing.T, pattern string, h http.Handler) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(pattern, h)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// The suite's arguments are the body.
func TestHandler(t *testing.T) {
	t.Parallel()
	guardtest.Run(t, func(t *testing.T, g guard.Guard, run guardtest.Tool) guardtest.Ask {
		t.Helper()
		mux := http.NewServeMux()
		for _, name := range guardtest.Names() {
			mux.Handle("POST /"+name, nethttp.Handler(always(g), name, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				b, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				out, err := run(r.Context(), name, b)
				if err != nil {
					http.Error(w, err.Error(), http.StatusConflict)
					return
				}
				_, _ = io.WriteString(w, out)
			})))
		}
		s := httptest.NewServer(mux)
		t.Cleanup(s.Close)
		return func(t *testing.T, calls ...guard.Call) []string {
			t.Helper()
			told := make([]string, len(calls))
			var wg sync.WaitGroup
			for i, c := range calls {
				wg.Go(func() { told[i] = send(t, s, http.MethodPost, "/"+c.Tool, string(c.Arguments)).text })
			}
			wg.Wait()
			return told
		}
	}, "an approver changes the arguments")
}

// What an approver changed is what the handler is given: body and query, and never
// the path, by which it was found.
func TestWhatIsChanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ to, want string }{
		"body and query": {`{"params":{"id":"7"},"query":{"full":["no"]},"body":{"n":2}}`, `7 full=no /asked/7?full=no {"n":2}`},
		"the path":       {`{"params":{"id":"8"},"query":{"full":["yes"]},"body":{"n":1}}`, "cannot be changed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gate := guardtest.NewGate(t)
			s := serve(t, "POST /asked/{id}", nethttp.Handler(always(gate.Guard()), guardtest.Asked, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				_, _ = io.WriteString(w, r.PathValue("id")+" full="+r.FormValue("full")+" "+r.RequestURI+" "+string(b))
			})))
			if got := send(t, s, http.MethodPost, "/asked/7?full=yes", `{"n":1}`); got.status != http.StatusPreconditionRequired {
				t.Fatalf("%+v", got)
			}
			id := gate.Waiting(t.Context())
			if shown := gate.Shows(t.Context(), id); shown != `{"params":{"id":"7"},"query":{"full":["yes"]},"body":{"n":1}}` {
				t.Errorf("a person was shown %s", shown)
			}
			gate.Edit(t.Context(), id, c.to)
			if got := send(t, s, http.MethodPost, "/asked/7?full=yes", `{"n":1}`); !strings.Contains(got.text, c.want) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestRequestsThatAreNone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		target, body, media string
		status              int
	}{
		"no JSON":             {"/allowed", `{"n":`, "application/json", http.StatusBadRequest},
		"two values":          {"/allowed", `{} {}`, "application/json", http.StatusBadRequest},
		"out of its place":    {"/allowed", `1},"query":{"a":["b"]`, "application/json", http.StatusBadRequest},
		"a form":              {"/allowed", `n=1`, "application/x-www-form-urlencoded", http.StatusUnsupportedMediaType},
		"no type":             {"/allowed", `{}`, "", http.StatusUnsupportedMediaType},
		"a query of two ways": {"/allowed?a=1;b=2", ``, "", http.StatusBadRequest},
		"too large":           {"/allowed", `"` + strings.Repeat("x", 2<<20) + `"`, "application/json", http.StatusRequestEntityTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := nethttp.Handler(always(guardtest.NewGate(t).Guard()), guardtest.Allowed, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it ran") }))
			mux := http.NewServeMux()
			mux.Handle("/allowed", h)
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, c.target, strings.NewReader(c.body))
			r.Header.Set("Content-Type", c.media)
			w := httptest.NewRecorder()
			mux.ServeHTTP(w, r)
			if w.Code != c.status {
				t.Errorf("status %d, want %d: %s", w.Code, c.status, w.Body)
			}
		})
	}
}

func TestWhoCalls(t *testing.T) {
	t.Parallel()
	h := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it ran") })
	unknown := func(*http.Request) (guard.Guard, error) { return guard.Guard{}, errors.New("no token") }
	if got := send(t, serve(t, "/", nethttp.Handler(unknown, guardtest.Allowed, h)), http.MethodGet, "/", ""); got.status != http.StatusUnauthorized {
		t.Errorf("%+v", got)
	}
	w := httptest.NewRecorder() // without a mux nobody knows the wildcards
	nethttp.Handler(always(guardtest.NewGate(t).Guard()), guardtest.Allowed, h).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	if w.Code != http.StatusInternalServerError {
		t.Errorf("status %d", w.Code)
	}
}

// An answer is handed on whole: status, header and bytes of any kind.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, want string }{
		"text": {"the word is " + guardtest.Secret, "the word is [HIDDEN]"}, "bytes": {"\xff\x00\x01", "\xff\x00\x01"}, "nothing": {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, "/", nethttp.Handler(always(guardtest.NewGate(t).Guard()), guardtest.Allowed, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Made", "yes")
				w.WriteHeader(http.StatusCreated)
				_, _ = io.WriteString(w, c.body)
			})))
			if got := send(t, s, http.MethodGet, "/", ""); got.status != http.StatusCreated || got.text != c.want || got.header.Get("X-Made") != "yes" {
				t.Errorf("%+v", got)
			}
		})
	}
}
