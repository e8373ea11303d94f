// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/httpgate/client"
)

// A proxy that the environment names is not shown the key. The standard library
// reads the environment once: this is the first test of its program that asks.
func TestNoProxyOfTheEnvironment(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the proxy was asked") }))
	defer proxy.Close()
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	t.Setenv("NO_PROXY", "")
	t.Setenv("no_proxy", "")
	gate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer k" {
			t.Error("it came without the key")
		}
		_, _ = io.WriteString(w, `{"tools":[{"name":"a/b"}]}`)
	}))
	defer gate.Close()
	// The standard library asks no proxy for a loopback address; this one reaches this machine, too.
	c, err := client.New(strings.Replace(gate.URL, "127.0.0.1", "0.0.0.0", 1), "k")
	if err != nil {
		t.Fatal(err)
	}
	if tools, err := c.Tools(t.Context(), true); err != nil || len(tools) != 1 {
		t.Errorf("%+v %v", tools, err)
	}
}
