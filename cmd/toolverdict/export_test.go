// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
)

// Main is the program, for tests that run it as a process of its own.
func Main() { main() }

// Commands returns every command that does something, by its full name.
func Commands() []string {
	var out []string
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if !c.HasSubCommands() {
			out = append(out, c.CommandPath())
		}
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	walk((&app{App: &cli.App{}}).root())
	return out
}
