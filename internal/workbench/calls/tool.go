// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"strings"

	tv "github.com/toolverdict/toolverdict"
)

// Tool finds a tool by its name, with its server, or without where one server
// has it. Where it is not known, or nothing is, one that takes anything stands
// in for it.
func Tool(known tv.Catalog, name string) (*tv.Tool, error) {
	if known == nil {
		return StandIn(name)
	}
	if t, ok := known.Tool(name); ok {
		return t, nil
	}
	var found []*tv.Tool
	for _, t := range known.Tools() {
		if _, own, _ := strings.Cut(t.Name(), "/"); own == name {
			found = append(found, t)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return StandIn(name)
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
