// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package ward says which checks there are for a gate: it puts them together from
// what is known of it, and checks nothing itself.
package ward

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/internal/daemon"
	"github.com/toolverdict/toolverdict/internal/doctor"
	"github.com/toolverdict/toolverdict/internal/doctor/canary"
	"github.com/toolverdict/toolverdict/internal/doctor/gate"
	"github.com/toolverdict/toolverdict/internal/doctor/machine"
	"github.com/toolverdict/toolverdict/internal/doctor/records"
)

// Patient is what is known of the gate that is looked at.
type Patient struct {
	Options daemon.Options // Config is nil where there is none
	Data    string         // its data folder, "" where none is known
	Server  string         // its address, where one was named
	Key     string         // of a subject that may call, "" where none was named
	Program string         // this program, as a client would start it
	Home    string
	Dir     string // where this program was started
	Env     []string
	Client  *http.Client

	channels func(ctx context.Context) []doctor.Finding // tries them; nil where nobody asked for that
}

// Checks are those of the gate itself.
func (p *Patient) Checks() []doctor.Check {
	var all []doctor.Check
	o, workspace := p.Options, ""
	if o.Config != nil {
		all = append(all, gate.Configuration{Options: o}, gate.Subjects{Config: o.Config})
		if o.Config.Hooks != nil {
			workspace = o.Config.Hooks.Workspace
		}
	}
	if p.Data != "" {
		all = append(all, machine.Folder{Dir: p.Data, Workspace: workspace}, machine.Keys{Dir: p.Data},
			machine.Clock{Now: o.Now, Latest: func(ctx context.Context) (time.Time, error) { return records.Latest(ctx, p.Data) }},
			records.Store{Dir: p.Data}, records.Log{Dir: p.Data}, records.Waiting{Dir: p.Data, Now: o.Now})
	}
	if o.Config != nil {
		all = append(all, gate.Policy{Options: o}, gate.Approvers{Options: o, Channels: p.channels})
		for _, name := range slices.Sorted(maps.Keys(o.Config.Upstreams)) {
			all = append(all, gate.Upstream{Options: o, Server: name})
		}
	}
	if o.Config != nil || p.Server != "" {
		all = append(all, gate.Served{Options: o, Server: p.Server, Client: p.Client})
	}
	return all
}

// Doors are the ways in: of the gate that is served, and of one that a client
// starts.
func (p *Patient) Doors() []doctor.Check {
	var all []doctor.Check
	at := p.Address()
	if at != "" {
		g := canary.Gate{URL: at, Key: p.key(), Client: p.Client, Log: p.Log(), Now: p.Options.Now}
		if g.Key == "" {
			all = append(all, untried{"door HTTP", "no key is known: name the file of one with --key-file"})
		} else {
			for _, d := range g.Doors(canary.Ways{Servers: p.servers(), Envoys: p.envoys(), Hooks: p.hooks()}) {
				all = append(all, d)
			}
		}
	}
	c := p.Options.Config
	if c == nil || c.Stdio.Subject == "" {
		return all
	}
	for _, name := range p.servers() {
		s := canary.Stdio{
			Server: name, Dir: p.Dir, Env: p.Env, Log: canary.Folder(c.Data), Now: p.Options.Now,
			Command: []string{p.Program, "mcp", "--config", c.File, "--data", c.Data, "--upstream", name},
		}
		if c.Mode == "observe" {
			s.Command = append(s.Command, "--observe")
		}
		all = append(all, s.Door())
	}
	return all
}

// ConfigurationOf is that of the gate which runs on a data folder, "" where none does.
func ConfigurationOf(data string) string {
	served, err := daemon.ReadServed(data)
	if err != nil || len(served) == 0 {
		return ""
	}
	return served[0].Config
}

// Address is where the gate is served, "" where it is not.
func (p *Patient) Address() string {
	if p.Server != "" || p.Options.Config == nil {
		return strings.TrimSuffix(p.Server, "/")
	}
	served, err := daemon.ReadServed(p.Data)
	if err != nil || len(served) == 0 {
		return "" // which the check of the server tells
	}
	return served[0].URL
}

// key is that of whoever calls: the one that was named, else one that an example
// made.
func (p *Patient) key() string {
	c := p.Options.Config
	if p.Key != "" || c == nil {
		return p.Key
	}
	ids := []string{c.Stdio.Subject}
	for i := range c.Subjects {
		if c.Subjects[i].Kind == "agent" {
			ids = append(ids, c.Subjects[i].ID)
		}
	}
	return gate.KeyOf(c, ids)
}

// Log is the gate's, nil where its data folder is not known.
func (p *Patient) Log() canary.Log {
	if p.Data == "" {
		return nil
	}
	return canary.Folder(p.Data)
}

// servers are those that are reached over MCP.
func (p *Patient) servers() []string {
	if p.Options.Config == nil {
		return nil
	}
	var names []string
	for name, u := range p.Options.Config.Upstreams {
		if !u.Local {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// envoys are the servers behind an Envoy that asks the served gate.
func (p *Patient) envoys() []canary.Envoy {
	if p.Options.Config == nil {
		return nil
	}
	var out []canary.Envoy
	for _, e := range p.Options.Config.Envoy {
		out = append(out, canary.Envoy{Host: e.Host, Path: e.Path, Server: e.Server, Keyed: e.SubjectHeader != ""})
	}
	return out
}

// hooks are the agents that ask the served gate.
func (p *Patient) hooks() []canary.Hook {
	c := p.Options.Config
	if c == nil || c.Hooks == nil {
		return nil
	}
	home := c.Hooks.Home
	if home == "" {
		home = filepath.Clean(p.Home)
	}
	var out []canary.Hook
	for _, name := range c.Hooks.Agents {
		out = append(out, canary.Hook{Agent: hookgate.Agent(name), Workspace: c.Hooks.Workspace, Home: home})
	}
	return out
}

// untried is what cannot be looked at, and why.
type untried struct{ name, why string }

// Name implements [doctor.Check].
func (u untried) Name() string { return u.name }

// Looks implements [doctor.Check].
func (u untried) Looks() string { return "whether calls that must be denied are denied" }

// Look implements [doctor.Check].
func (u untried) Look(context.Context) []doctor.Finding {
	return doctor.Unseen(u.why, "not tried: %s", fmt.Sprint(u.why))
}
