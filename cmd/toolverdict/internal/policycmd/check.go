// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policycmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/internal/daemon"
)

func (a *commands) check() *cobra.Command {
	var strict bool
	c := &cobra.Command{
		Use:   "check [FILE|FOLDER…]",
		Short: "Load policies as a gate would, and say what is wrong",
		Long: `Load policies as a gate would: types, examples, rules that match no tool.
What loads and can hardly be meant is a warning: rules that never match, that
another rule overrides, that allow more than their neighbours hold to account,
and paths, hosts and addresses compared letter by letter.

Without files those of the configuration are checked. Where there is a
configuration, rules are held against the tools that it tells of. Exit code 2
means that the policies do not load, 3 that there are warnings and --strict was
given.`,
	}
	c.Flags().BoolVar(&strict, "strict", false, "fail where there are warnings")
	c.RunE = func(c *cobra.Command, files []string) error {
		conf, err := a.Configuration(true)
		if err != nil && (len(files) == 0 || a.ConfigPath(true) != "") {
			return err
		}
		report, err := daemon.CheckPolicy(c.Context(), a.Options(conf), files)
		if err != nil {
			return cli.Usage("%v", err)
		}
		code := cli.ExitDone
		if strict && len(report.Warnings) > 0 {
			code = cli.ExitDenied
		}
		if a.JSON() {
			if err := cli.JSON(a.Stdout, report); err != nil {
				return err
			}
			return cli.Quiet(code)
		}
		for _, w := range report.Warnings {
			fmt.Fprintln(a.Stderr, "warning:", cli.Line(w))
		}
		against := fmt.Sprintf("against %d tools", report.Tools)
		if report.Tools == 0 {
			against = "no tools are known to check against"
		}
		if len(report.CEL) > 0 {
			fmt.Fprintln(a.Stdout, "rests on CEL:", strings.Join(report.CEL, ", "))
		}
		verdict := "OK"
		if code != cli.ExitDone {
			verdict = fmt.Sprintf("%d warnings", len(report.Warnings))
		}
		if _, err = fmt.Fprintf(a.Stdout, "%s: %s, %d rules, %s, hash %s\n", verdict, cli.Line(report.Version), report.Rules, against, report.Hash); err != nil {
			return err
		}
		return cli.Quiet(code)
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
