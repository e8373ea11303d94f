// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package pull_test

import (
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict/internal/pull"
)

const limit = 1 << 10

// source is a source of a server of this machine.
func source(t *testing.T, ts *httptest.Server, timeout time.Duration) *pull.Source {
	t.Helper()
	c := pull.Config{URL: ts.URL + "/bundle?token=hunter2", MaxBytes: limit, Timeout: timeout, Header: http.Header{"Authorization": {"Bearer t"}}}
	if ts.TLS != nil {
		c.Roots = x509.NewCertPool()
		c.Roots.AddCert(ts.Certificate())
	}
	s, err := pull.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func serve(t *testing.T, tls bool, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	ts := httptest.NewUnstartedServer(h)
	ts.Config.ErrorLog = nil
	if tls {
		ts.StartTLS()
	} else {
		ts.Start()
	}
	t.Cleanup(ts.Close)
	return ts
}

func TestFetchAndTag(t *testing.T) {
	t.Parallel()
	for _, tls := range []bool{true, false} {
		ts := serve(t, tls, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer t" || r.URL.RawQuery != "token=hunter2" {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			w.Header().Set("ETag", `"v1"`)
			if r.Header.Get("If-None-Match") == `"v1"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			_, _ = io.WriteString(w, "first")
		})
		s := source(t, ts, time.Minute)
		a, err := s.Get(t.Context(), "")
		if err != nil || string(a.Body) != "first" || a.Tag != `"v1"` || a.Same {
			t.Errorf("TLS %v: %+v, %v", tls, a, err)
		}
		if a, err = s.Get(t.Context(), a.Tag); err != nil || !a.Same || a.Body != nil || a.Tag != `"v1"` {
			t.Errorf("TLS %v, again: %+v, %v", tls, a, err)
		}
		if a, err = s.Get(t.Context(), `"v0"`); err != nil || string(a.Body) != "first" {
			t.Errorf("TLS %v, with another tag: %+v, %v", tls, a, err)
		}
	}
}

// TestHostileServers: none gets more than an error, and none gets the query,
// which may hold a token, into one.
func TestHostileServers(t *testing.T) {
	t.Parallel()
	stolen := make(chan string, 8)
	thief := serve(t, true, func(_ http.ResponseWriter, r *http.Request) { stolen <- r.Header.Get("Authorization") })
	plain := serve(t, false, func(_ http.ResponseWriter, r *http.Request) { stolen <- r.Header.Get("Authorization") })
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"huge and told": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, limit+1)) }, "more than 1024 bytes"},
		"endless":       {func(w http.ResponseWriter, _ *http.Request) { endless(w) }, "more than 1024 bytes"},
		"broken off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("x"))
		}, "broke off"},
		"compressed": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write([]byte("x"))
		}, "encodes"},
		"unasked 304": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) }, "status 304"},
		"part": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write([]byte("x"))
		}, "status 206"},
		"no content":     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, "status 204"},
		"error":          {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "\x1b[2J", http.StatusInternalServerError) }, "status 500"},
		"another server": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, thief.URL, http.StatusFound) }, "another server"},
		"without TLS":    {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, plain.URL, http.StatusFound) }, "another server"},
		"to a file": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		}, "another server"},
		"round and round": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.String(), http.StatusFound) }, "too often"},
		"with a user": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://me@"+r.Host, http.StatusFound)
		}, "another server"},
	} {
		ts := serve(t, true, c.answer)
		a, err := source(t, ts, time.Minute).Get(t.Context(), "")
		if err == nil || !strings.Contains(err.Error(), c.want) || a.Body != nil || a.Tag != "" {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\x1b?") || err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error shows too much: %v", name, err)
		}
	}
	if len(stolen) > 0 {
		t.Errorf("credentials went elsewhere: %q", <-stolen)
	}
}

func endless(w http.ResponseWriter) {
	for {
		if _, err := w.Write([]byte("aaaaaaaa")); err != nil {
			return
		}
	}
}

// TestSlowServers: one that answers byte by byte, or not at all, holds nothing
// up for longer than the time allowed.
func TestSlowServers(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"says nothing": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"stops in the body": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "a")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	} {
		ts := serve(t, false, answer)
		if a, err := source(t, ts, 100*time.Millisecond).Get(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "took too long") {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := source(t, serve(t, false, func(http.ResponseWriter, *http.Request) {}), time.Minute).Get(ctx, ""); err == nil {
		t.Error("fetched after the end")
	}
}

// TestWithinOneServer follows a way that stays where it began.
func TestWithinOneServer(t *testing.T) {
	t.Parallel()
	ts := serve(t, true, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/bundle" {
			http.Redirect(w, r, "/releases/7", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, r.URL.Path+" "+r.Header.Get("Authorization"))
	})
	if a, err := source(t, ts, time.Minute).Get(t.Context(), ""); err != nil || string(a.Body) != "/releases/7 Bearer t" {
		t.Errorf("%s, %v", a.Body, err)
	}
}

func TestStrangersCertificate(t *testing.T) {
	t.Parallel()
	ts := serve(t, true, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "x") })
	s, err := pull.New(pull.Config{URL: ts.URL, MaxBytes: limit, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := s.Get(t.Context(), ""); err == nil {
		t.Errorf("believed a certificate that nobody vouches for: %+v", a)
	}
}

func TestOddTags(t *testing.T) {
	t.Parallel()
	for tag, usable := range map[string]bool{
		`"a"`: true, `W/"a"`: true, `""`: true, `a`: false, `"a`: false, `"a b"`: false, `"a"b"`: false,
		`"` + strings.Repeat("x", 300) + `"`: false, "\"\u00e9\"": false, "": false,
	} {
		ts := serve(t, false, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Etag"] = []string{tag}
			_, _ = io.WriteString(w, "x")
		})
		a, err := source(t, ts, time.Minute).Get(t.Context(), "")
		if err != nil || (a.Tag == tag) != usable && tag != "" || !usable && a.Tag != "" {
			t.Errorf("%q: %+v, %v", tag, a, err)
		}
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{
		"https://policies.example/b":    true,
		"https://policies.example:1/?a": true,
		"file:///srv/b":                 true,
		"http://127.0.0.1:80/b":         true,
		"http://localhost/b":            true,
		"http://[::1]/b":                true,
		"http://policies.example/b":     false,
		"http://127.0.0.1.example/b":    false,
		"http://10.0.0.1/b":             false,
		"https://me:pw@x.example/b":     false,
		"https:///b":                    false,
		"https://x.example/b#f":         false,
		"file://host/b":                 false,
		"file:b":                        false,
		"file:///b?x":                   false,
		"ftp://x.example/b":             false,
		"policies.example/b":            false,
		"":                              false,
		"https://x.example/%zz":         false,
	} {
		if err := pull.CheckURL(text); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := pull.New(pull.Config{URL: text, MaxBytes: 1, Timeout: 1}); (err == nil) != good {
			t.Errorf("new %q: %v", text, err)
		}
	}
	if _, err := pull.New(pull.Config{URL: "https://x.example"}); err == nil {
		t.Error("a source without bounds")
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a bundle%")
	get := func() (pull.Answer, error) {
		s, err := pull.New(pull.Config{URL: (&url.URL{Scheme: "file", Path: path}).String(), MaxBytes: limit, Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		return s.Get(t.Context(), "ignored")
	}
	if _, err := get(); err == nil {
		t.Error("read what is not there")
	}
	for size, good := range map[int]bool{0: true, limit: true, limit + 1: false} {
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		if a, err := get(); (err == nil) != good || good && len(a.Body) != size {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := get(); err == nil || !strings.Contains(err.Error(), "plain file") {
		t.Errorf("a pipe: %v", err)
	}
}

// TestNamesThatLeadAway: http is for this machine, whatever a name says. The
// dialler is asked after the name was looked up.
func TestNamesThatLeadAway(t *testing.T) {
	t.Parallel()
	for address, good := range map[string]bool{"127.0.0.1:80": true, "[::1]:80": true, "192.0.2.1:80": false, "nonsense": false} {
		check := pull.Dialer("http", time.Minute).ControlContext
		if check == nil {
			t.Fatal("nobody looks where a name leads")
		}
		if err := check(t.Context(), "tcp", address, nil); (err == nil) != good {
			t.Errorf("%s: %v", address, err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s, err := pull.New(pull.Config{URL: fmt.Sprintf("https://%s/", l.Addr()), MaxBytes: limit, Timeout: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), ""); err == nil {
		t.Error("a server that does not speak TLS")
	}
}
