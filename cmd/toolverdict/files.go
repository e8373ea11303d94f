// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon"
)

func (a *app) keysCommand() *cobra.Command {
	return cli.Group("keys", "Make API keys", &cobra.Command{
		Use:   "new",
		Short: "Make an API key: the key on standard output, what to write into the configuration on standard error",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			key, hash, err := daemon.NewKey()
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Stderr, "write under the subject's keys: - {hash: %q}\nthe key is shown once:\n", hash)
			_, err = fmt.Fprintln(a.Stdout, key)
			return err
		},
	})
}

func (a *app) configCommand() *cobra.Command {
	schema := &cobra.Command{Use: "schema", Short: "Print the JSON Schema of the configuration, for editors", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := a.Stdout.Write(config.JSONSchema())
			return err
		}}
	check := &cobra.Command{Use: "check [FILE]", Short: "Check a configuration with its catalogs and policies", Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				a.Config = args[0]
			}
			conf, err := a.Configuration(true)
			if err != nil {
				return err
			}
			report, err := daemon.CheckPolicy(c.Context(), a.Options(conf), nil)
			if err != nil {
				return cli.Usage("%v", err)
			}
			for _, w := range report.Warnings {
				fmt.Fprintln(a.Stderr, "warning:", cli.Line(w))
			}
			for _, note := range report.Notes {
				fmt.Fprintln(a.Stderr, "note:", cli.Line(note))
			}
			_, err = fmt.Fprintf(a.Stdout, "OK: %d upstreams, %d subjects, policy %s\n", len(conf.Upstreams), len(conf.Subjects), cli.Line(report.Version))
			return err
		}}
	initial := &cobra.Command{Use: "init [FOLDER]", Short: "Write a configuration and a policy to start from", Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			folder := "."
			if len(args) > 0 {
				folder = args[0]
			}
			return a.writeStart(folder)
		}}
	return cli.Group("config", "Check, describe and start a configuration", schema, a.FileFlags(check), initial)
}

// writeStart writes the files of a first configuration. It replaces nothing.
func (a *app) writeStart(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return cli.Usage("write configuration: %v", err)
	}
	for _, file := range []struct{ name, text string }{{cli.ConfigHere, startConfig}, {"policy.yaml", startPolicy}} {
		path := filepath.Join(folder, file.name)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			return cli.Usage("write configuration: %s is there already: remove it or name another folder", path)
		}
		if err != nil {
			return cli.Usage("write configuration: %v", err)
		}
		_, err = f.WriteString(file.text)
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("write configuration: %w", err)
		}
		fmt.Fprintln(a.Stdout, "wrote", path)
	}
	return nil
}

const startConfig = `# The gate's configuration. All keys: toolverdict config schema
version: 1
listen: 127.0.0.1:8711
data: data
policies: [policy.yaml]

# The MCP servers behind the gate, by name. A server can also be wrapped where a
# client starts it: toolverdict mcp --upstream NAME -- COMMAND ARGS…
upstreams: {}
#  files:
#    command: [npx, -y, "@modelcontextprotocol/server-filesystem", /srv/docs]
#    env: [PATH, HOME]
#    pin: first-sight

subjects:
  # The agent may ask for every tool; the policy says which calls run.
  - id: agent
    kind: agent
    permissions: ["tool:*"]
    keys: [{example: true}] # made at first start, in data/keys/agent
  - id: approver
    kind: person
    roles: [approver]
    keys: [{example: true}]

stdio: {subject: agent}
`

const startPolicy = `# Every call waits for a person until you write rules that say better.
policy: start
version: v1
default: deny
rules:
  - id: ask-everything
    verdict: ask
    reason: Nobody has written a rule for this tool yet
    tools: ["*"]
    ask: {approvers: ["role:approver"], expires: 15m}

  # What the protocol does besides calling tools: reading resources, fetching
  # prompts, completing arguments.
  - id: allow-reading
    verdict: allow
    reason: Resources and prompts are what the server offers to read
    tools: ["*/@resources/read", "*/@prompts/get", "*/@completion/complete"]
`
