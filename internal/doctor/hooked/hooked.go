// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package hooked checks the hooks that stand in coding agents' settings: whether they
// are there, what keeps them from working, and whether a call that must be denied is
// denied when the hook is called just as it stands there.
//
// Settings of a project may be anybody's: what they name is not run unless it is this
// very program, asking no server.
package hooked

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/setup"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/doctor"
	"github.com/toolverdict/toolverdict/internal/doctor/canary"
)

// User is whose agents are looked at.
type User struct {
	Home    string
	Project string // the folder in which agents work, "" where it is not known
	Work    string // a folder that a session can be said to be in
	Program string // this program
	Getenv  func(string) (string, bool)
	Env     []string // of a hook that is started
	Now     func() time.Time
	Client  *http.Client
	Wanted  []hookgate.Agent // those whose hook must be there

	Server string     // the gate that is served, "" for none
	Log    canary.Log // its log
}

// Checks are those of all agents that there are traces of, or that must have a hook.
func (u *User) Checks() []doctor.Check {
	if !filepath.IsAbs(u.Home) {
		return nil
	}
	var all []doctor.Check
	for _, a := range hookgate.Agents() {
		for _, scope := range []setup.Scope{setup.User, setup.Project} {
			if scope == setup.Project && u.Project == "" {
				continue
			}
			place := u.place(a, scope)
			status, err := setup.Look(place)
			c := &check{u, place, status, err}
			if scope == setup.Project && err == nil && !status.Found || err == nil && !status.Found && !c.traces() && !slices.Contains(u.Wanted, a) {
				continue
			}
			all = append(all, c)
			if err == nil && status.Found {
				all = append(all, c.doors()...)
			}
		}
	}
	return all
}

// place is where an agent looks, as far as this process is told.
func (u *User) place(a hookgate.Agent, scope setup.Scope) setup.Place {
	p := setup.Place{Agent: a, Home: u.Home, Scope: scope, Project: u.Project, System: setup.System(a, u.Getenv)}
	if folder, err := setup.Folder(a, u.Home, u.Getenv); err == nil && scope == setup.User {
		p.Folder = folder
	}
	return p
}

// check is one agent's hook in one place.
type check struct {
	u      *User
	place  setup.Place
	status setup.Status
	err    error
}

// Name implements [doctor.Check].
func (c *check) Name() string { return "hook " + string(c.place.Agent) }

// Looks implements [doctor.Check].
func (c *check) Looks() string {
	return "whether the agent asks the gate, and nothing keeps it from doing so"
}

func (c *check) install() string { return "toolverdict hook install " + string(c.place.Agent) }

// where names the settings.
func (c *check) where() string {
	if c.place.Scope == setup.Project {
		return "the project's settings"
	}
	return "the user's settings"
}

// traces reports whether the user seems to have the agent at all.
func (c *check) traces() bool {
	folder := map[hookgate.Agent]string{
		hookgate.ClaudeCode: ".claude", hookgate.Codex: ".codex", hookgate.Gemini: ".gemini", hookgate.Copilot: ".copilot", hookgate.Qwen: ".qwen",
		hookgate.Cursor: ".cursor", hookgate.OpenCode: ".config/opencode", hookgate.Cline: ".cline",
	}[c.place.Agent]
	return c.place.Folder != "" || holds(filepath.Join(c.place.Home, folder))
}

// holds reports whether there is a file somewhere in a folder, or may be: empty folders
// are what an installation that was undone leaves.
func holds(folder string) bool {
	found := false
	_ = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error { // it ends without an error
		if err == nil && d.IsDir() {
			return nil
		}
		found = !errors.Is(err, fs.ErrNotExist)
		return fs.SkipAll
	})
	return found
}

// Look implements [doctor.Check].
func (c *check) Look(ctx context.Context) []doctor.Finding {
	switch {
	case c.err != nil:
		return doctor.Unseen("", "%v", c.err)
	case !c.status.Found && slices.Contains(c.u.Wanted, c.place.Agent):
		return doctor.Failed(c.install(), "it does not ask the gate")
	case !c.status.Found:
		return doctor.Warned(c.install(), "it is used here, and does not ask the gate")
	}
	var found []doctor.Finding
	for _, f := range c.status.Faults {
		found = append(found, doctor.Failed(f.Fix, "%s", f.Text)...)
	}
	if setup.Floor(c.place.Agent) != "" {
		version, err := setup.Version(ctx, c.place.Agent)
		switch fault, old := setup.Old(c.place.Agent, version); {
		case err != nil:
			found = append(found, doctor.Warned("look yourself: "+setup.Programs(c.place.Agent)[0]+" --version", "its version is not known, and before %s a hook does not hold: %v", setup.Floor(c.place.Agent), err)...)
		case old:
			found = append(found, doctor.Failed(fault.Fix, "%s", fault.Text)...)
		}
	}
	if c.place.Agent == hookgate.OpenCode {
		found = append(found, c.beacon()...)
	}
	if len(found) == 0 {
		return doctor.Good("it is set up in %s (%s)", c.where(), strings.Join(c.status.Files, ", "))
	}
	return found
}

// beacon looks whether opencode has loaded the plugin since it was written: one that
// cannot be loaded is left out without a word.
func (c *check) beacon() []doctor.Finding {
	at := filepath.Join(c.place.Home, ".config", "toolverdict", "beacons", "opencode.json")
	lit, err := os.Stat(at)
	if err != nil {
		return doctor.Warned("start opencode once, and look again", "opencode has not loaded the gate's plugin yet, as far as can be told")
	}
	for _, file := range c.status.Files {
		if plugin, err := os.Stat(file); err == nil && lit.ModTime().Before(plugin.ModTime()) {
			return doctor.Warned("start opencode once, and look again", "opencode has not loaded the gate's plugin since it was written")
		}
	}
	return nil
}

// doors are the hook as it stands there.
func (c *check) doors() []doctor.Check {
	e := c.status.Entry
	i := canary.Installed{Where: c.where(), Env: c.u.Env, Gate: canary.Gate{Client: c.u.Client, Now: c.u.Now}}
	i.Hook = canary.Hook{Agent: c.place.Agent, Home: c.place.Home, Workspace: c.u.Work}
	if why := c.distrusted(); why != "" {
		return []doctor.Check{unrun{"door hook " + string(c.place.Agent) + " in " + c.where(), why}}
	}
	if e.Server != "" {
		key, _ := c.u.Getenv(e.KeyVariable)
		i.Gate.URL, i.Gate.Key, i.Gate.Log = e.Server, key, c.u.logOf(e.Server)
	} else {
		i.Command = append([]string{e.Program, "hook", string(c.place.Agent)}, e.Arguments...)
		c.u.decides(&i, e.Arguments)
	}
	var out []doctor.Check
	for _, d := range i.Doors() {
		out = append(out, d)
	}
	return out
}

// distrusted says why what stands there is not run.
func (c *check) distrusted() string {
	e := c.status.Entry
	if c.place.Scope != setup.Project {
		if e.Server == "" && c.u.Project != "" && setup.Inside(e.Program, c.u.Project) {
			return "the hook's program lies in the workspace, where an agent may have written it: " + e.Program
		}
		return ""
	}
	this, err := os.Stat(c.u.Program)
	that, err2 := os.Stat(e.Program)
	_, asks := flag(e.Arguments, "server")
	switch {
	case e.Server != "" && e.Server != c.u.Server, asks:
		return "a project's settings name a server: whose it is is not known, and it would be sent a key"
	case e.Server == "" && (err != nil || err2 != nil || !os.SameFile(this, that)):
		return "a project's settings name another program than this one, which is not run: " + e.Program
	case len(e.Arguments) > 0:
		return "a project's settings name a configuration or a data folder: whose it is is not known, and servers are started by it"
	}
	return ""
}

// logOf is the log of the gate at an address, where it is the one that is looked at.
func (u *User) logOf(server string) canary.Log {
	if u.Server != "" && strings.TrimSuffix(server, "/") == u.Server {
		return u.Log
	}
	return nil
}

// decides finds out whose log has the decisions of a hook's command, and which folder
// it is for.
func (u *User) decides(i *canary.Installed, arguments []string) {
	data, c := u.data(arguments)
	if c != nil && c.Hooks != nil {
		i.Workspace = c.Hooks.Workspace
		if c.Hooks.Home != "" {
			i.Home = c.Hooks.Home
		}
	}
	if v, ok := flag(arguments, "workspace"); ok {
		i.Workspace = v
	}
	i.Gate.Log = canary.Folder(data)
	if server, ok := flag(arguments, "server"); ok {
		i.Gate.Log = u.logOf(server)
	}
}

// data is the data folder of a hook's command, with its configuration, if it has one.
func (u *User) data(arguments []string) (string, *config.Config) {
	own := filepath.Join(u.Home, ".config", "toolverdict")
	data := filepath.Join(own, "hook-data")
	file, named := flag(arguments, "config")
	if !named {
		file = filepath.Join(own, "toolverdict.yaml")
	}
	c, err := config.Load(file)
	if err == nil {
		data = c.Data
	}
	if v, ok := flag(arguments, "data"); ok {
		data = v
	}
	return data, c
}

// Folders are the data folders in which the user's hooks decide.
func (u *User) Folders() []string {
	var out []string
	for _, a := range hookgate.Agents() {
		status, err := setup.Look(u.place(a, setup.User))
		if err != nil || !status.Found || status.Entry.Server != "" {
			continue
		}
		if data, _ := u.data(status.Entry.Arguments); !slices.Contains(out, data) {
			out = append(out, data)
		}
	}
	return out
}

// flag is the value of a flag among arguments.
func flag(arguments []string, name string) (string, bool) {
	for i, a := range arguments {
		if value, ok := strings.CutPrefix(a, "--"+name+"="); ok {
			return value, true
		}
		if a == "--"+name && i+1 < len(arguments) {
			return arguments[i+1], true
		}
	}
	return "", false
}

// unrun is a door that is not tried, and why.
type unrun struct{ name, why string }

// Name implements [doctor.Check].
func (u unrun) Name() string { return u.name }

// Looks implements [doctor.Check].
func (u unrun) Looks() string { return "whether calls that must be denied are denied" }

// Look implements [doctor.Check].
func (u unrun) Look(context.Context) []doctor.Finding {
	return doctor.Unseen("set the hook up for the user: toolverdict hook install AGENT", "not tried: %s", u.why)
}
