// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"net/http"
	"sync"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// headerCache keeps which arguments of a tool are mirrored into headers, by the
// hash of its definition, so that a schema is searched once.
type headerCache struct {
	mu    sync.Mutex
	known map[string][]mcpwire.ParamHeader
}

// maxCached bounds the cache: definitions change seldom, so it is emptied rather
// than sorted.
const maxCached = 4096

func newHeaderCache() *headerCache { return &headerCache{known: map[string][]mcpwire.ParamHeader{}} }

func (c *headerCache) of(t *toolverdict.Tool) []mcpwire.ParamHeader {
	c.mu.Lock()
	defer c.mu.Unlock()
	params, found := c.known[t.Hash()]
	if found {
		return params
	}
	// A schema with annotations that are not valid mirrors nothing: clients leave
	// such tools out.
	params, err := mcpwire.ParamHeaders(t.Definition().InputSchema)
	if err != nil {
		params = nil
	}
	if len(c.known) >= maxCached {
		clear(c.known)
	}
	c.known[t.Hash()] = params
	return params
}

// params returns what a tools/call mirrors into headers, by the definition that
// was reviewed.
func (e *Engine) params(m *mcpwire.Message) []mcpwire.ParamHeader {
	if m.Method() != "tools/call" {
		return nil
	}
	t, ok := e.Tools.Tool(mcpwire.ToolOf(e.server, m.Params().Get("name").Text()))
	if !ok {
		return nil
	}
	return e.headers.of(t)
}

// CheckParams compares the headers that mirror arguments with the arguments, for
// a request of a modern revision. The error is a *mcpwire.Fault.
func (e *Engine) CheckParams(h http.Header, m *mcpwire.Message) error {
	if !mcpwire.ModernHeader(h) {
		return nil
	}
	return mcpwire.CheckParams(h, m, e.params(m))
}

// MirrorHeaders returns the headers that a client without HTTP would have sent.
func (e *Engine) MirrorHeaders(m *mcpwire.Message) http.Header {
	h := http.Header{}
	mcpwire.SetHeaders(h, m, e.params(m))
	return h
}
