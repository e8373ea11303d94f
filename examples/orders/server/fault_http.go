// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// faultyHandler breaks answers over HTTP, as [faultyTransport] does over stdio.
type faultyHandler struct {
	next   http.Handler
	faults faults
	exit   func(int)
}

// ServeHTTP passes on every request that no fault is for.
func (h *faultyHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4<<20))
	if err != nil {
		http.Error(w, "the request is too large or was cut off", http.StatusRequestEntityTooLarge)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var req struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	f := fault("")
	if json.Unmarshal(body, &req) == nil {
		f = h.faults[calledTool(req.Method, req.Params)]
	}
	if f == "" {
		h.next.ServeHTTP(w, r)
		return
	}
	if !f.before() {
		h.next.ServeHTTP(&nowhere{header: http.Header{}}, r)
	}
	switch f {
	case faultExit, faultExitBefore:
		h.exit(exitFault)
	case faultHang, faultHangAfter:
		<-r.Context().Done()
	case faultGarbage:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, garbage) // the client may be gone: nothing to do about it
	}
}

// nowhere takes an answer that no one will see.
type nowhere struct{ header http.Header }

func (n *nowhere) Header() http.Header         { return n.header }
func (n *nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (n *nowhere) WriteHeader(int)             {}
func (n *nowhere) Flush()                      {}
