// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon"
)

// wrappedEnv is what a wrapped server gets of the environment: what programs
// need to start at all. Secrets are let through by name only.
func wrappedEnv() []string {
	return []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TMPDIR", "TZ"}
}

// mcpFlags are what the mcp command is told.
type mcpFlags struct {
	upstream, logs string
	readOnly       bool
	observe        bool
	env            []string
	command        []string
}

func (a *app) mcpCommand() *cobra.Command {
	var m mcpFlags
	c := &cobra.Command{
		Use:   "mcp [--upstream NAME] [-- COMMAND ARGS…]",
		Short: "Serve one MCP client over standard input and output",
		Long: `Serve one MCP client over standard input and output, as the subject that the
configuration names under "stdio".

With -- it stands in front of any server's command: put "toolverdict mcp --"
before the command in your client's settings. The server is then known as NAME
("wrapped" where none is given), gets PATH, HOME and a few more variables and
those named with --env, and its tools are pinned as they are first seen. Where
the configuration has an upstream of that name, its settings hold.

There must be a configuration: it says what may run. Without --config and
TOOLVERDICT_CONFIG it is the user's own, ~/.config/toolverdict/toolverdict.yaml,
never one in the folder that the client happens to be in. 'toolverdict config
init FOLDER' writes one to start from. People answer what it asks through a gate that is
served on the same configuration: 'toolverdict serve' beside it.`,
		Example: `  toolverdict mcp --config toolverdict.yaml --upstream orders
  toolverdict mcp --upstream files -- npx -y @modelcontextprotocol/server-filesystem /srv/docs`,
		Args: cobra.ArbitraryArgs,
	}
	f := c.Flags()
	f.StringVar(&m.upstream, "upstream", "", "`name` of the upstream to serve; needed where the configuration has several")
	f.BoolVar(&m.readOnly, "read-only", false, "a read-only run: destructive tools are neither listed nor callable")
	f.StringArrayVar(&m.env, "env", nil, "`name` of a variable that the wrapped command gets too; may be repeated")
	logFlag(c, &m.logs)
	observeFlag(c, &m.observe)
	c.RunE = func(c *cobra.Command, args []string) error {
		dash := c.ArgsLenAtDash()
		if dash < 0 && len(args) > 0 || dash > 0 {
			return cli.Usage("write -- before the command to wrap: toolverdict mcp -- COMMAND ARGS…")
		}
		m.command = args
		if dash == 0 && len(args) == 0 {
			return cli.Usage("name the command to wrap after --")
		}
		return a.mcp(c, m)
	}
	return a.FileFlags(c)
}

func (a *app) mcp(c *cobra.Command, m mcpFlags) (err error) {
	conf, err := a.OwnConfiguration()
	if err != nil {
		return err
	}
	if conf.Stdio.Subject == "" {
		return cli.Usage("%v", conf.Problem("stdio: {subject: ID} is needed: it says who a client without a key is"))
	}
	if len(m.command) > 0 {
		m.upstream = wrap(conf, m)
	}
	if conf.Upstreams[m.upstream] == nil && m.upstream != "" {
		return cli.Usage("--upstream: the configuration has no upstream %q", m.upstream)
	}
	if m.upstream == "" && len(conf.Upstreams) != 1 {
		return cli.Usage("--upstream: name one of the configuration's %d upstreams", len(conf.Upstreams))
	}
	log, err := a.logger(m.logs)
	if err != nil {
		return err
	}
	// Where a gate is served on the same data folder, people approve there.
	beside, err := daemon.ReadServed(conf.Data)
	if err != nil {
		return cli.Usage("%v", err)
	}
	o := daemon.Options{Config: conf, Only: m.upstream, Log: log, Observe: m.observe}
	if len(beside) > 0 {
		o.BaseURL = beside[0].URL
	}
	d, err := a.open(c.Context(), o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	d.Settle(c.Context())
	if unfit := d.Unfit(); unfit != nil {
		return cli.Usage("%v", unfit)
	}
	return d.ServeStdio(c.Context(), a.Stdin, a.Stdout, m.upstream, m.readOnly)
}

// wrap makes the command an upstream of the configuration and returns its name.
func wrap(conf *config.Config, m mcpFlags) string {
	name := m.upstream
	if name == "" {
		name = "wrapped"
	}
	u := conf.Upstreams[name]
	if u == nil {
		u = &config.Upstream{Placed: conf.Placed, Pin: "first-sight", Env: wrappedEnv()}
	}
	u.Command, u.URL, u.Headers = m.command, "", nil
	u.Env = slices.Concat(u.Env, m.env)
	if here, err := os.Getwd(); err == nil && u.Dir == "" {
		u.Dir = here
	}
	if conf.Upstreams == nil {
		conf.Upstreams = map[string]*config.Upstream{}
	}
	conf.Upstreams[name] = u
	return name
}
