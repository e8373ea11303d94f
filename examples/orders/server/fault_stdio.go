// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lineWriter keeps lines of several writers whole.
type lineWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

// Close does nothing: standard output belongs to the process.
func (w *lineWriter) Close() error { return nil }

// faultyTransport breaks answers on a stdio connection. The faults sit on the
// wire, so that the tools themselves are the ordinary ones.
type faultyTransport struct {
	next   mcp.Transport
	faults faults
	raw    io.Writer
	exit   func(int)
}

// Connect wraps the connection.
func (t *faultyTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.next.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &faultyConn{Connection: c, transport: t, waiting: map[jsonrpc.ID]fault{}}, nil
}

type faultyConn struct {
	mcp.Connection
	transport *faultyTransport
	mu        sync.Mutex
	waiting   map[jsonrpc.ID]fault // calls whose answer will be broken
}

// Read hands on what arrives, but for calls that a fault strikes beforehand.
func (c *faultyConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		m, err := c.Connection.Read(ctx)
		if err != nil {
			return m, err
		}
		req, ok := m.(*jsonrpc.Request)
		if !ok {
			return m, nil
		}
		f := c.transport.faults[calledTool(req.Method, req.Params)]
		switch {
		case f == faultExitBefore:
			c.transport.exit(exitFault)
		case f == faultHang:
			continue
		case f != "":
			c.mu.Lock()
			c.waiting[req.ID] = f
			c.mu.Unlock()
		}
		return m, nil
	}
}

// Write sends what the server answers, but for the answers to break. The work
// is done by then.
func (c *faultyConn) Write(ctx context.Context, m jsonrpc.Message) error {
	resp, ok := m.(*jsonrpc.Response)
	if !ok {
		return c.Connection.Write(ctx, m)
	}
	c.mu.Lock()
	f := c.waiting[resp.ID]
	delete(c.waiting, resp.ID)
	c.mu.Unlock()
	switch f {
	case faultExit:
		c.transport.exit(exitFault)
	case faultHangAfter:
		return nil
	case faultGarbage:
		_, err := io.WriteString(c.transport.raw, garbage)
		return err
	case faultHang, faultExitBefore: // struck before the work: no answer comes this far
	}
	return c.Connection.Write(ctx, m)
}

// calledTool gives the tool that a request calls, or "".
func calledTool(method string, params json.RawMessage) string {
	var p struct {
		Name string `json:"name"`
	}
	if method != "tools/call" || json.Unmarshal(params, &p) != nil {
		return ""
	}
	return p.Name
}
