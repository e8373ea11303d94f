// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/groups"
)

// app is one run of the program: what it takes from outside, and the flags that
// several commands share.
type app struct {
	*cli.App

	program      string
	hangup       chan os.Signal
	url, key, as string
	usually      string // the subject that the command speaks as where nothing is said
	warned       bool   // of a key that travels unencrypted
}

// run runs one command line and returns its exit code.
func run(ctx context.Context, args []string, w world) int {
	a := &app{App: &cli.App{World: w.World}, program: w.program, hangup: w.hangup}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(w.Stdin)
	root.SetOut(w.Stdout)
	root.SetErr(w.Stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return cli.ExitDone
	}
	var exit *cli.Error
	if errors.As(err, &exit) || codeOf(err) != cli.ExitInternal || !fromFlags(err) {
		if text := err.Error(); text != "" {
			fmt.Fprintln(w.Stderr, "toolverdict:", cli.Plain(text))
		}
		return codeOf(err)
	}
	fmt.Fprintf(w.Stderr, "toolverdict: %s\nRun 'toolverdict help' for the commands and their flags.\n", cli.Plain(err.Error()))
	return cli.ExitUsage
}

// fromFlags reports whether cobra itself refused the command line: its errors
// have no type.
func fromFlags(err error) bool {
	for _, start := range []string{"unknown command", "unknown flag", "unknown shorthand", "flag needs", "invalid argument",
		"accepts ", "requires ", "required flag", "if any flags in the group", "bad flag syntax"} {
		if strings.HasPrefix(err.Error(), start) {
			return true
		}
	}
	return false
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "toolverdict",
		Short:         "A hard gate in front of an AI agent's tool calls",
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return cli.Usage("%s: %v; more: %s --help", c.CommandPath(), err, c.CommandPath())
	})
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(
		a.serveCommand(), a.mcpCommand(), a.callCommand(), a.checkCommand(), a.toolsCommand(),
		a.approvalsCommand(), a.ledgerCommand(), a.keysCommand(), a.configCommand(), a.versionCommand(),
	)
	root.AddCommand(groups.Commands(a.App)...)
	root.AddCommand(groups.Gated(a.App, groups.Gate{Client: a.client, Flags: a.clientFlags})...)
	return root
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		_, err := fmt.Fprintln(a.Stdout, "toolverdict", version)
		return err
	}}
}

// clientFlags are the flags of commands that speak to a running gate. Who is
// the subject whose key is used where none is named.
func (a *app) clientFlags(c *cobra.Command, who string) *cobra.Command {
	f := c.Flags()
	f.StringVar(&a.url, "url", "", "`address` of the gate (TOOLVERDICT_URL; else that of the gate last served on the data folder)")
	f.StringVar(&a.key, "key", "", "API `key` (better: TOOLVERDICT_KEY; other users of this machine can see arguments)")
	f.StringVar(&a.as, "as", "", "speak as this `subject`, with the key in the data folder (default \""+who+"\")")
	f.StringVar(&a.Data, "data", "", "data `folder` of the gate (TOOLVERDICT_DATA; else .data/orders)")
	a.OutputFlag(c)
	c.PreRunE = func(*cobra.Command, []string) error {
		a.usually = who
		return a.CheckOutput()
	}
	return c
}
