// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package checking

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/internal/daemon"
	"github.com/toolverdict/toolverdict/internal/policyfile"
)

func (a *commands) check() *cobra.Command {
	var strict bool
	c := &cobra.Command{
		Use:   "check [FILE|FOLDER|FOLDER/...]...",
		Short: "Load policies as a gate would, and say what is wrong",
		Long: `Load policies as a gate would: types, examples, rules that match no tool.
What loads and can hardly be meant is a warning: rules that never match, that
another rule overrides, that allow more than their neighbours hold to account,
and paths, hosts and addresses compared letter by letter.

Without files those of the configuration are checked; files and folders that are
named are checked together, as one policy. FOLDER/... stands for every folder
below: each is checked by itself, with its own toolverdict.yaml where it has one.
Where there is a configuration, rules are held against the tools that it tells of. Exit code 2
means that the policies do not load, 3 that there are warnings and --strict was
given.`,
	}
	c.Flags().BoolVar(&strict, "strict", false, "fail where there are warnings")
	c.RunE = func(c *cobra.Command, files []string) error {
		if slices.ContainsFunc(files, func(f string) bool { _, all := policyfile.Root(f); return all }) {
			return a.checkAll(c.Context(), files, strict)
		}
		conf, err := a.Configuration(true)
		if err != nil && (len(files) == 0 || a.ConfigPath(true) != "") {
			return err
		}
		report, err := daemon.CheckPolicy(c.Context(), a.Options(conf), files)
		if err != nil {
			return cli.Usage("%v", err)
		}
		if a.JSON() {
			err = cli.JSON(a.Stdout, report)
		} else {
			for _, note := range report.Notes {
				fmt.Fprintln(a.Stderr, "note:", cli.Line(note))
			}
			err = a.print(&report, "", strict)
		}
		if err == nil && strict && len(report.Warnings) > 0 {
			return cli.Quiet(cli.ExitDenied)
		}
		return err
	}
	a.OutputFlag(c)
	return a.FileFlags(c)
}

// print says what was found, each line behind the place that it is about.
func (a *commands) print(r *daemon.PolicyReport, place string, strict bool) error {
	for _, w := range r.Warnings {
		fmt.Fprintln(a.Stderr, "warning:", place+cli.Line(w))
	}
	if len(r.CEL) > 0 {
		fmt.Fprintf(a.Stdout, "%srests on CEL: %s\n", place, strings.Join(r.CEL, ", "))
	}
	verdict := "OK"
	if strict && len(r.Warnings) > 0 {
		verdict = cli.Count(len(r.Warnings), "warning")
	}
	_, err := fmt.Fprintf(a.Stdout, "%s%s: %s, %s, %s, hash %s\n", place, verdict, cli.Line(r.Version), cli.Count(r.Rules, "rule"), against(r), r.Hash)
	return err
}

// against says what the rules were held against.
func against(r *daemon.PolicyReport) string {
	if r.Tools == 0 {
		return "no tools are known to check against"
	}
	return "against " + cli.Count(r.Tools, "tool")
}

func (a *commands) schema() *cobra.Command {
	return &cobra.Command{Use: "schema", Short: "Print the JSON Schema of policy files, for editors", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := a.Stdout.Write(daemon.PolicySchema())
			return err
		}}
}
