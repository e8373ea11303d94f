// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"strings"

	tv "github.com/toolverdict/toolverdict"
)

// Tool finds a tool as [Find] does. Where it is not known, or nothing is, one that
// takes anything stands in for it.
func Tool(known tv.Catalog, name string) (*tv.Tool, error) {
	if known != nil {
		if t, ok := Find(known, name); ok {
			return t, nil
		}
	}
	return StandIn(name)
}

// Find finds a tool by its name with its server, or without where only one server
// has such a tool.
func Find(known tv.Catalog, name string) (*tv.Tool, bool) {
	if t, ok := known.Tool(name); ok {
		return t, true
	}
	if found := Named(known.Tools(), name); len(found) == 1 {
		return found[0], true
	}
	return nil, false
}

// Named are the tools that a name may mean, with its server or without.
func Named(tools []*tv.Tool, name string) []*tv.Tool {
	var out []*tv.Tool
	for _, t := range tools {
		if t.Name() == name || OwnName(t.Name()) == name {
			out = append(out, t)
		}
	}
	return out
}

// OwnName is a tool's name without its server.
func OwnName(full string) string {
	if _, own, ok := strings.Cut(full, "/"); ok {
		return own
	}
	return full
}

// StandIn makes a tool in place of one that is not known: it takes any
// arguments, and none of them has a role. It is in the groups.
func StandIn(name string, groups ...string) (*tv.Tool, error) {
	server, _, found := strings.Cut(name, "/")
	if !found {
		server = "tools"
		name = server + "/" + name
	}
	return tv.NewTool(tv.Definition{
		Name: name, Server: server, Safety: tv.Destructive, Risk: tv.LowRisk,
		Confirmation: tv.ConfirmByRisk, Execution: tv.Parallel, Groups: groups,
	}, anything{})
}

// anything is a schema that takes every object.
type anything struct{}

// Clash implements [tv.Schema].
func (anything) Clash(tv.Value) (tv.FieldError, bool) { return tv.FieldError{}, false }

// Validate implements [tv.Schema].
func (anything) Validate(tv.Value) []tv.FieldError { return nil }
