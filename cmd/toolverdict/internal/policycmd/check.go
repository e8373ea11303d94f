// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policycmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/internal/daemon"
)

func (a *commands) check() *cobra.Command {
	c := &cobra.Command{
		Use:   "check [FILE…]",
		Short: "Load policy files as a gate would, and say what is wrong",
		Long: `Load policy files as a gate would: types, examples, rules that match no tool.

Without files those of the configuration are checked. Where there is a
configuration, rules are held against the tools that it tells of.`,
	}
	c.RunE = func(c *cobra.Command, files []string) error {
		conf, err := a.Configuration(true)
		if err != nil && (len(files) == 0 || a.ConfigPath(true) != "") {
			return err
		}
		report, err := daemon.CheckPolicy(c.Context(), a.Options(conf), files)
		if err != nil {
			return cli.Usage("%v", err)
		}
		if a.JSON() {
			return cli.JSON(a.Stdout, report)
		}
		for _, w := range report.Warnings {
			fmt.Fprintln(a.Stderr, "warning:", cli.Line(w))
		}
		against := fmt.Sprintf("against %d tools", report.Tools)
		if report.Tools == 0 {
			against = "no tools are known to check against"
		}
		_, err = fmt.Fprintf(a.Stdout, "OK: %s, %d rules, %s, hash %s\n", cli.Line(report.Version), report.Rules, against, report.Hash)
		return err
	}
	a.OutputFlag(c)
	return a.FileFlags(c)
}

func (a *commands) schema() *cobra.Command {
	return &cobra.Command{Use: "schema", Short: "Print the JSON Schema of policy files, for editors", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := a.Stdout.Write(daemon.PolicySchema())
			return err
		}}
}
