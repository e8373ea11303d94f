// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// app is one run of the program: what it takes from outside, and the flags that
// several commands share.
type app struct {
	world

	config, data string
	url, key, as string
	usually      string // the subject that the command speaks as where nothing is said
	output       string
}

// run runs one command line and returns its exit code.
func run(ctx context.Context, args []string, w world) int {
	a := &app{world: w}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(w.stdin)
	root.SetOut(w.stdout)
	root.SetErr(w.stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	var exit *exitError
	if errors.As(err, &exit) || codeOf(err) != exitInternal || !fromFlags(err) {
		if text := err.Error(); text != "" {
			fmt.Fprintln(w.stderr, "toolverdict:", plain(text))
		}
		return codeOf(err)
	}
	fmt.Fprintf(w.stderr, "toolverdict: %s\nRun 'toolverdict help' for the commands and their flags.\n", plain(err.Error()))
	return exitUsage
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
		return usage("%s: %v; more: %s --help", c.CommandPath(), err, c.CommandPath())
	})
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(
		a.serveCommand(), a.mcpCommand(), a.callCommand(), a.checkCommand(), a.policyCommand(), a.toolsCommand(),
		a.approvalsCommand(), a.ledgerCommand(), a.auditCommand(), a.keysCommand(), a.configCommand(), a.versionCommand(),
	)
	return root
}

// one asks for exactly one argument, and says what it is.
func one(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage("%s: give %s; more: %s --help", c.CommandPath(), what, c.CommandPath())
		}
		return nil
	}
}

// group is a command that only holds others.
func group(use, short string, children ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		_ = c.Help()
		return quiet(exitUsage)
	}}
	c.AddCommand(children...)
	return c
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		_, err := fmt.Fprintln(a.stdout, "toolverdict", version)
		return err
	}}
}

// fileFlags are the flags of commands that work on the gate's own files.
func (a *app) fileFlags(c *cobra.Command) *cobra.Command {
	usual := "./toolverdict.yaml"
	if c.Name() == "mcp" {
		usual = "the user's own"
	}
	c.Flags().StringVar(&a.config, "config", "", "configuration `file` (TOOLVERDICT_CONFIG; else "+usual+")")
	c.Flags().StringVar(&a.data, "data", "", "data `folder`; wins over the configuration's (TOOLVERDICT_DATA)")
	return c
}

// clientFlags are the flags of commands that speak to a running gate. Who is
// the subject whose key is used where none is named.
func (a *app) clientFlags(c *cobra.Command, who string) *cobra.Command {
	f := c.Flags()
	f.StringVar(&a.url, "url", "", "`address` of the gate (TOOLVERDICT_URL; else that of the gate last served on the data folder)")
	f.StringVar(&a.key, "key", "", "API `key` (better: TOOLVERDICT_KEY; other users of this machine can see arguments)")
	f.StringVar(&a.as, "as", "", "speak as this `subject`, with the key in the data folder (default \""+who+"\")")
	f.StringVar(&a.data, "data", "", "data `folder` of the gate (TOOLVERDICT_DATA; else .data/orders)")
	a.outputFlag(c)
	c.PreRunE = func(*cobra.Command, []string) error {
		a.usually = who
		return a.checkOutput()
	}
	return c
}

func (a *app) outputFlag(c *cobra.Command) {
	c.Flags().StringVarP(&a.output, "output", "o", "text", "`form` of the output: text or json")
	c.PreRunE = func(*cobra.Command, []string) error { return a.checkOutput() }
}

func (a *app) checkOutput() error {
	if a.output != "text" && a.output != "json" {
		return usage("--output: text or json")
	}
	return nil
}

func (a *app) json() bool { return a.output == "json" }
