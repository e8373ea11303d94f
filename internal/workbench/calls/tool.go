// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"strings"

	tv "github.com/toolverdict/toolverdict"
)

// Named returns the tools of a name that may leave out the server.
func Named(known []*tv.Tool, name string) []*tv.Tool {
	var out []*tv.Tool
	for _, t := range known {
		if _, own, _ := strings.Cut(t.Name(), "/"); t.Name() == name || own == name {
			out = append(out, t)
		}
	}
	return out
}

// StandIn makes a tool in place of one that is not known: it takes any
// arguments, and none of them has a role.
func StandIn(name string) (*tv.Tool, error) {
	server, _, found := strings.Cut(name, "/")
	if !found {
		server = "unknown"
		name = server + "/" + name
	}
	return tv.NewTool(tv.Definition{
		Name: name, Server: server, Safety: tv.Destructive, Risk: tv.LowRisk,
		Confirmation: tv.ConfirmByRisk, Execution: tv.Parallel,
	}, anything{})
}

// anything is a schema that takes every object.
type anything struct{}

// Clash implements [tv.Schema].
func (anything) Clash(tv.Value) (tv.FieldError, bool) { return tv.FieldError{}, false }

// Validate implements [tv.Schema].
func (anything) Validate(tv.Value) []tv.FieldError { return nil }
