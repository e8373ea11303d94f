// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/webguard"
	"github.com/toolverdict/toolverdict/mcpgate/internal/engine"
	"github.com/toolverdict/toolverdict/mcpgate/internal/seal"
	"github.com/toolverdict/toolverdict/mcpgate/internal/task"
)

// Front is both fronts: an http.Handler for "/mcp" and "/mcp/NAME", and,
// with [Front.ServeStdio], the server of stdio clients. It is safe for concurrent
// use.
type Front struct {
	config   Config
	servers  map[string]*upstream
	only     *upstream // the upstream of "/mcp", where there is one
	sessions *seal.Sealer
	guard    *webguard.Guard
	room     chan struct{}
}

// upstream is one server behind the fronts.
type upstream struct {
	Server

	engine *engine.Engine
}

// New makes the fronts.
func New(c Config) (*Front, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("make MCP front: %w", err)
	}
	c.fill()
	sessions, err := seal.New(c.Key, "session")
	if err != nil {
		return nil, fmt.Errorf("make MCP front: %w", err)
	}
	state, err := seal.New(c.Key, "state")
	if err != nil {
		return nil, fmt.Errorf("make MCP front: %w", err)
	}
	f := &Front{
		config: c, servers: map[string]*upstream{}, sessions: sessions,
		guard: webguard.New(c.Hosts, c.Origins),
		room:  make(chan struct{}, c.MaxInFlight),
	}
	tasks, err := seal.New(c.Key, "task")
	if err != nil {
		return nil, fmt.Errorf("make MCP front: %w", err)
	}
	ec := engine.Config{
		Gate: c.Gate, Desk: c.Desk, Tools: c.Tools, Redactor: c.Redactor, State: state, Now: c.Now, Log: c.Log, Changed: c.Changed,
		Environment: maps.Clone(c.Environment), Hold: c.Hold, ListTTL: c.ListTTL, Patience: c.Patience,
	}
	if c.BaseURL != "" {
		ec.ApprovalURL = strings.TrimSuffix(c.BaseURL, "/") + "/approvals/"
	}
	for _, s := range c.Servers {
		ec.Tasks = &task.Binder{Sealer: tasks, Lists: s.Isolated}
		f.servers[s.Name] = &upstream{s, engine.New(ec, s.Name, s.Backend)}
	}
	if len(c.Servers) == 1 {
		f.only = f.servers[c.Servers[0].Name]
	}
	return f, nil
}

// limits of what a client sends.
func (f *Front) limits() canon.Limits {
	return canon.Limits{MaxBytes: f.config.MaxMessage, MaxDepth: 96}
}

// run is the run of a caller at an upstream: what the host says of the subject,
// what the operator says of the server, and what the client asked for itself.
func (f *Front) run(u *upstream, s toolverdict.Subject, readOnly bool) toolverdict.Run {
	r := f.config.Run(s)
	r.Disabled = slices.Clone(r.Disabled)
	r.ReadOnly = r.ReadOnly || u.ReadOnly || readOnly
	return r
}
