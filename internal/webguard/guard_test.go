// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package webguard_test

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/internal/webguard"
)

func TestHost(t *testing.T) {
	t.Parallel()
	g := webguard.New([]string{"Gate.Example"}, nil)
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST:80": true, "127.0.0.1:8080": true, "[::1]:8080": true, "[::1]": true,
		"gate.example": true, "GATE.example:443": true,
		"": false, "evil.example": false, "localhost.evil.example": false, "gate.example.": false, "127.0.0.2": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = host
		if got := g.Host(r); got != want {
			t.Errorf("host %q: %t, want %t", host, got, want)
		}
	}
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	g := webguard.New(nil, []string{"https://App.example"})
	for name, c := range map[string]struct {
		origins []string
		site    string
		want    bool
	}{
		"no page":                    {nil, "", true},
		"opened by a person":         {nil, "none", true},
		"own page":                   {[]string{"http://localhost:8080"}, "same-origin", true},
		"own page of an old browser": {[]string{"HTTP://LOCALHOST:8080"}, "", true},
		"configured":                 {[]string{"https://app.example"}, "cross-site", true},
		"configured, another scheme": {[]string{"http://app.example"}, "", false},
		"two origins":                {[]string{"https://app.example", "https://app.example"}, "", false},
		"foreign":                    {[]string{"https://evil.example"}, "", false},
		"another port":               {[]string{"http://localhost:1"}, "same-site", false},
		"own name, foreign page":     {[]string{"http://localhost:8080"}, "cross-site", false},
		"hidden, cross-site":         {nil, "cross-site", false},
		"hidden, same-site":          {nil, "same-site", false},
		"null":                       {[]string{"null"}, "", false},
		"empty":                      {[]string{""}, "", false},
		"another kind of scheme":     {[]string{"app://localhost:8080"}, "", false},
		"credentials":                {[]string{"http://localhost:8080@evil.example"}, "", false},
	} {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.Host = "localhost:8080"
		for _, o := range c.origins {
			r.Header.Add("Origin", o)
		}
		if c.site != "" {
			r.Header.Set("Sec-Fetch-Site", c.site)
		}
		if got := g.Origin(r); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}

func TestBearer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		values []string
		want   string
	}{
		"one":            {[]string{"Bearer key"}, "key"},
		"any case":       {[]string{"bEARER  key "}, "key"},
		"none":           {nil, ""},
		"two":            {[]string{"Bearer key", "Bearer key"}, ""},
		"another scheme": {[]string{"Basic key"}, ""},
		"no token":       {[]string{"Bearer "}, ""},
		"no scheme":      {[]string{"key"}, ""},
	} {
		got, ok := webguard.Bearer(http.Header{"Authorization": c.values})
		if ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%s: %q, %t", name, got, ok)
		}
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]bool{
		"/": true, "/v1/calls": true, "/v1/calls/": true, "/v1/a%2f..%2fb": true, "/v1/..x": true,
		"//v1/calls": false, "/v1//calls": false, "/v1/./calls": false, "/v1/x/../calls": false, "/v1/calls//": false, "/..": false, "*": false, "http://localhost": false,
	} {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n")))
		if err != nil {
			t.Fatal(err)
		}
		if got := webguard.Plain(r); got != want {
			t.Errorf("%s: got %t", target, got)
		}
		before := r.URL.EscapedPath()
		mux := http.NewServeMux()
		mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) {})
		w := httptest.NewRecorder()
		if mux.ServeHTTP(w, r); want != (w.Code == http.StatusOK) && target != "*" {
			t.Errorf("%s: a ServeMux answers %d to %s", target, w.Code, before)
		}
	}
}
