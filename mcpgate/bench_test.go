// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// BenchmarkFront measures what the front itself adds to a message: reading,
// checking and writing, without network, gate and upstream. The ping is
// forwarded, the call is refused.
func BenchmarkFront(b *testing.B) {
	front := newBareFront(b, &watched{})
	for name, body := range map[string]string{
		"ping": ping,
		"call": modern(1, "echo", `{"text":"a message of some length, as they are","n":12}`, with, ""),
	} {
		b.Run(name, func(b *testing.B) {
			m, err := mcpwire.ParseServer([]byte(body))
			if err != nil {
				b.Fatal(err)
			}
			h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer x"}}
			mcpwire.SetHeaders(h, m, nil)
			b.ReportAllocs()
			for b.Loop() {
				r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "http://localhost/mcp/up", bytes.NewReader([]byte(body)))
				r.Header = h
				front.ServeHTTP(httptest.NewRecorder(), r)
			}
		})
	}
}
