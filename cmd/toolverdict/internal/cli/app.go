// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
)

// World is everything the program takes from outside.
type World struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) (string, bool)
	Now            func() time.Time
	Version        string // of the program
	UserName       string // of the operating system
	ConfigFolder   string // where the user keeps configurations, "" where there is none
}

// App is one run of the program: what it takes from outside, and the flags that
// all groups of commands share.
type App struct {
	World

	Config, Data string // files, as the flags name them
	output       string
}

// One asks for exactly one argument, and says what it is.
func One(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return Usage("%s: give %s; more: %s --help", c.CommandPath(), what, c.CommandPath())
		}
		return nil
	}
}

// Group is a command that only holds others.
func Group(use, short string, children ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		_ = c.Help()
		return Quiet(ExitUsage)
	}}
	c.AddCommand(children...)
	return c
}

// FileFlags are the flags of commands that work on the gate's own files.
func (a *App) FileFlags(c *cobra.Command) *cobra.Command {
	usual := "./toolverdict.yaml"
	if c.Name() == "mcp" || c.Name() == "doctor" {
		usual = "the user's own"
	}
	c.Flags().StringVar(&a.Config, "config", "", "configuration `file` (TOOLVERDICT_CONFIG; else "+usual+")")
	c.Flags().StringVar(&a.Data, "data", "", "data `folder`; wins over the configuration's (TOOLVERDICT_DATA)")
	return c
}

// DataFlag is for commands that read the data folder, whether or not a gate
// runs on it.
func (a *App) DataFlag(c *cobra.Command) *cobra.Command {
	c.Flags().StringVar(&a.Data, "data", "", "data `folder` (TOOLVERDICT_DATA; else the configuration's here, else .data/orders)")
	a.OutputFlag(c)
	return c
}

// OutputFlag adds --output.
func (a *App) OutputFlag(c *cobra.Command) {
	c.Flags().StringVarP(&a.output, "output", "o", "text", "`form` of the output: text or json")
	c.PreRunE = func(*cobra.Command, []string) error { return a.CheckOutput() }
}

// CheckOutput refuses a form of output that there is not.
func (a *App) CheckOutput() error {
	if a.output != "text" && a.output != "json" {
		return Usage("--output: text or json")
	}
	return nil
}

// JSON reports whether JSON is asked for.
func (a *App) JSON() bool { return a.output == "json" }

// ToolFirst takes the tool of a call from its flag, or from the first argument.
func ToolFirst(flag string, args []string) (tool string, rest []string, err error) {
	switch {
	case flag == "" && len(args) == 0:
		return "", nil, Usage("no tool is named: write it first, or after --tool")
	case flag == "":
		flag, args = args[0], args[1:]
	}
	if len(args) > 1 {
		return "", nil, Usage("more than the arguments of one call stands behind the tool: put the JSON in quotes")
	}
	return flag, args, nil
}

// Arguments are those that a command line gives a call: text, "-" for standard
// input, or nothing for an empty object.
func (a *App) Arguments(args []string) ([]byte, error) {
	switch {
	case len(args) == 0:
		return []byte("{}"), nil
	case args[0] != "-":
		return []byte(args[0]), nil
	}
	b, err := io.ReadAll(io.LimitReader(a.Stdin, maxStdin))
	if err != nil {
		return nil, fmt.Errorf("read arguments: %w", err)
	}
	return b, nil
}

// maxStdin bounds arguments from standard input, in bytes: far more than any
// gate takes.
const maxStdin = 128 << 20

// Moment reads a time, or how long ago one was; the zero time where none is
// given.
func (a *App) Moment(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if d, err := time.ParseDuration(text); err == nil {
		return a.Now().Add(-d), nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, Usage("a time is wanted as 2026-01-31T12:00:00Z, or as a duration ago such as 1h")
	}
	return t, nil
}
