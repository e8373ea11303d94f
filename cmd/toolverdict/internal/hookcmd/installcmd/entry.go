// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package installcmd

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/setup"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon/hooks"
)

// entry is what the hook runs or asks. What decides must not lie where the agent
// writes.
func (j *job) entry() (setup.Entry, error) {
	if j.server != "" && j.config != "" {
		return setup.Entry{}, cli.Usage("--config is the gate's that the hook starts itself: give either --config or --server")
	}
	if j.server == "" && (j.keyFile != "" || j.keyVariable != "") {
		return setup.Entry{}, cli.Usage("a key is for --server: give its address, too")
	}
	if j.server != "" && j.keyFile == "" && j.place.Agent == hookgate.ClaudeCode {
		j.warnOfPlainText()
		return setup.Entry{Server: j.server, KeyVariable: j.keyVariable}, nil
	}
	if j.keyVariable != "" {
		return setup.Entry{}, cli.Usage("--key-variable is for Claude Code that asks the server itself: give no --key-file")
	}
	program, err := started()
	if err != nil {
		return setup.Entry{}, err
	}
	if err := j.outside("the program", program); err != nil {
		return setup.Entry{}, err
	}
	e := setup.Entry{Program: program}
	if j.server != "" {
		e.Arguments, err = j.remote()
	} else {
		e.Arguments, err = j.local()
	}
	return e, err
}

// started is this program by the path that it was started by, where that leads to it:
// one that a package manager keeps in place while versions come and go.
func started() (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	called, err := exec.LookPath(os.Args[0])
	if err != nil {
		return program, nil //nolint:nilerr // it was started in another way
	}
	if called, err = filepath.Abs(called); err != nil {
		return program, nil //nolint:nilerr // the same
	}
	a, err := os.Stat(program)
	b, err2 := os.Stat(called) //nolint:gosec // it is only compared
	if err == nil && err2 == nil && os.SameFile(a, b) {
		return called, nil
	}
	return program, nil
}

// outside refuses what lies in the workspace.
func (j *job) outside(what, path string) error {
	if j.place.Project != "" && setup.Inside(path, j.place.Project) {
		return cli.Usage("%s %s lies in %s, where the agent can write it: move it elsewhere, or start this command in another folder where that is no workspace", what, path, j.place.Project)
	}
	return nil
}

// remote are the arguments of a program that asks a server.
func (j *job) remote() ([]string, error) {
	at, err := url.Parse(j.server)
	if err != nil || at.Host == "" || at.User != nil || at.Scheme != "http" && at.Scheme != "https" {
		return nil, cli.Usage("--server is no http or https address")
	}
	if j.keyFile == "" {
		return nil, cli.Usage("--server needs --key-file: the file that holds the API key of the agent")
	}
	key, err := filepath.Abs(j.keyFile)
	if err != nil {
		return nil, cli.Usage("--key-file: %v", err)
	}
	b, err := os.ReadFile(key)
	if err != nil {
		return nil, cli.Usage("--key-file: %v", err)
	}
	if strings.TrimSpace(string(b)) == "" {
		return nil, cli.Usage("--key-file: %s holds no API key", key)
	}
	if err := j.outside("the API key", key); err != nil {
		return nil, err
	}
	j.warnOfPlainText()
	return []string{"--server", j.server, "--key-file", key}, nil
}

// warnOfPlainText says where the key can be read on the way.
func (j *job) warnOfPlainText() {
	at, err := url.Parse(j.server)
	if err != nil || at.Scheme != "http" || at.Hostname() == "localhost" {
		return
	}
	if ip, err := netip.ParseAddr(at.Hostname()); err == nil && ip.IsLoopback() {
		return
	}
	j.say("Warning: the key and what the agent does travel to " + at.Host + " unencrypted: use https.\n")
}

// local are the arguments of a program that has the gate in itself.
func (j *job) local() ([]string, error) {
	usual := filepath.Join(j.place.Home, ".config")
	if j.config == "" && filepath.Clean(j.app.ConfigFolder) != usual && j.variable("XDG_CONFIG_HOME") != "" {
		return nil, cli.Usage("XDG_CONFIG_HOME is set, and a hook does not follow it, because a project's files can set it, too: name the configuration with --config")
	}
	for _, name := range []string{"TOOLVERDICT_CONFIG", "TOOLVERDICT_URL", "TOOLVERDICT_DATA"} {
		if j.config == "" && j.variable(name) != "" {
			return nil, cli.Usage("%s is set, and a hook that is started with it refuses every call, because a project's files can set it, too: take it out, or give --config or --server", name)
		}
	}
	own := *j.app
	own.Config, own.Data = j.config, ""
	own.Getenv = func(string) (string, bool) { return "", false } // nor does a hook follow this
	conf, err := own.OwnConfiguration()
	if errors.Is(err, cli.ErrNoConfiguration) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := j.fits(conf); err != nil {
		return nil, err
	}
	if j.config == "" {
		return nil, nil
	}
	return []string{"--config", conf.File}, nil
}

// fits refuses a configuration under which the hook would refuse every call.
func (j *job) fits(conf *config.Config) error {
	if conf.Hooks == nil {
		if j.place.Project == "" {
			return nil
		}
		guarded := *conf
		guarded.Hooks = &config.Hooks{Placed: conf.Placed, Agents: []string{string(j.place.Agent)}, Workspace: j.place.Project, Home: j.place.Home}
		conf = &guarded
	}
	if !slices.Contains(conf.Hooks.Agents, string(j.place.Agent)) {
		return cli.Usage("%s: hooks.agents does not name %s: the hook would refuse every call. Add it: hooks: {agents: [%s]}", conf.File, j.place.Agent, strings.Join(append(slices.Clone(conf.Hooks.Agents), string(j.place.Agent)), ", "))
	}
	if j.place.Scope == setup.Project && !same(conf.Hooks.Workspace, j.place.Project) {
		return cli.Usage("%s: hooks.workspace is %s, and this is %s: the hook would guard another folder", conf.File, conf.Hooks.Workspace, j.place.Project)
	}
	if _, err := hooks.Of(conf); err != nil {
		return cli.Usage("%v", err)
	}
	if program, err := started(); err == nil && setup.Inside(program, conf.Hooks.Workspace) {
		return cli.Usage("the program %s lies in the workspace %s, where the agent can write it: move it elsewhere", program, conf.Hooks.Workspace)
	}
	return nil
}

func same(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return a == b || err == nil && err2 == nil && os.SameFile(x, y)
}

// recent refuses versions of the agent that run tools although their hook failed.
func (j *job) recent(c *cobra.Command) error {
	if setup.Floor(j.place.Agent) == "" {
		return nil
	}
	version, err := setup.Version(c.Context(), j.place.Agent)
	fault, old := setup.Old(j.place.Agent, version)
	switch {
	case !old:
		return nil
	case j.acceptsFailOpen:
		j.say("Warning: " + fault.Text + ".\n")
		return nil
	case err != nil:
		return cli.Usage("%v; %s: %s, or go on with --accept-fail-open", err, fault.Text, fault.Fix)
	}
	return cli.Usage("%s: %s, or go on with --accept-fail-open", fault.Text, fault.Fix)
}
