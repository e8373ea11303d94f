// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package rooms puts the console's pages about tools together.
package rooms

import (
	"context"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/console/tools"
	"github.com/toolverdict/toolverdict/internal/daemon/pins"
	"github.com/toolverdict/toolverdict/internal/switches"
)

// Parts are what the pages about tools stand on. All of them are required.
type Parts struct {
	Desk     pins.Desk
	Board    switches.Board
	Config   *config.Config
	Tools    func() []*tv.Tool          // that can be called now
	Rules    func(tool string) []string // that can match its calls
	Subjects func(user string) []string // the ids of those whom a user's choices hold for
	Run      func(s tv.Subject) tv.Run  // what the host says of their runs
}

// Tools makes the pages about tools.
func Tools(p Parts) tools.Room {
	servers := map[string]tools.Server{}
	for name, u := range p.Config.Upstreams {
		servers[name] = tools.Server{ReadOnly: u.ReadOnly, FirstSight: u.Pin == "first-sight"}
	}
	return tools.Room{
		Catalog: shelf{p}, Switches: p.Board, Servers: servers, Rules: p.Rules,
		Callers: func(user string) []tools.Caller {
			var out []tools.Caller
			for _, id := range p.Subjects(user) {
				out = append(out, tools.Caller{ID: id, ReadOnly: p.Run(tv.Subject{ID: id}).ReadOnly})
			}
			return out
		},
	}
}

// shelf is the catalog in force with its pins.
type shelf struct{ p Parts }

// Tools implements tools.Catalog.
func (s shelf) Tools() []*tv.Tool { return s.p.Tools() }

// Report implements tools.Catalog.
func (s shelf) Report() catalog.Report { return s.p.Desk.Report() }

// Pins implements tools.Catalog.
func (s shelf) Pins(ctx context.Context) ([]catalog.Pin, error) { return s.p.Desk.Pins(ctx) }

// Accept implements tools.Catalog.
func (s shelf) Accept(ctx context.Context, by tv.Subject, tool, hash string) error {
	return s.p.Desk.Accept(ctx, by, tool, hash)
}
