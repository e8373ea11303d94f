// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// Decisions over loopback with connections that stay open, by one caller and by
// many; records go to the store in memory.
func BenchmarkDecideOverHTTP(b *testing.B) {
	s := newSite(b)
	s.permit()
	own := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	decide := func() {
		req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, s.url+"/v1/decide", strings.NewReader(`{"tool":"server/read","arguments":{"id":"A1001"}}`))
		if err != nil {
			b.Error(err)
			return
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer agent-key")
		resp, err := own.Do(req)
		if err != nil {
			b.Error(err)
			return
		}
		defer resp.Body.Close()
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
			b.Error(resp.StatusCode, err)
		}
	}
	b.Run("1", func(b *testing.B) {
		for b.Loop() {
			decide()
		}
	})
	b.Run("32", func(b *testing.B) {
		b.SetParallelism(16)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				decide()
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
	})
}
