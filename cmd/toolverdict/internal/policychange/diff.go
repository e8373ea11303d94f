// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policychange

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/policyfiles"
	"github.com/toolverdict/toolverdict/internal/workbench/enact"
	"github.com/toolverdict/toolverdict/policy/compare"
)

func (a *commands) diff() *cobra.Command {
	c := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Tell what a change of a policy changes, with calls that show it",
		Long: `Tell what a change of a policy changes: the rules that differ, and for each kind of
difference a call that one policy decides so and the other otherwise.

OLD and NEW are files, or folders of files. The calls are found by a search over
the rules' own conditions and decided by both policies before they are told.
Where the search is not complete, the answer is "unknown" and not "equal".
Where there is a configuration, its tools are looked at; without one, tools that
the rules name stand in. Exit code 0 means equal, 3 different, 4 unknown.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return cli.Usage("%s: give the old policy and the new one; more: %s --help", c.CommandPath(), c.CommandPath())
			}
			return nil
		},
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		before, err := policyfiles.Read(args[0])
		if err != nil {
			return err
		}
		after, err := policyfiles.Read(args[1])
		if err != nil {
			return err
		}
		known, err := policyfiles.Known(c.Context(), a.App)
		if err != nil {
			return err
		}
		report, err := compare.Policies(before, after, known, enact.Maker())
		if err != nil {
			return cli.Usage("%v", err)
		}
		if a.JSON() {
			err = cli.JSON(a.Stdout, report)
		} else {
			err = a.differences(&report)
		}
		if err != nil {
			return err
		}
		return cli.Quiet(map[compare.Status]int{compare.Equal: cli.ExitDone, compare.Differs: cli.ExitDenied, compare.Unknown: cli.ExitWaiting}[report.Status])
	}
	a.OutputFlag(c)
	return a.FileFlags(c)
}

// assumed says that a witness is none that could be typed.
func assumed(known bool) string {
	if known {
		return "these effects are assumed: no arguments of this tool were found that have them"
	}
	return "these effects are assumed: it is not known what the arguments of this tool mean"
}

// opened counts the calls of which the new policy lets more through.
func opened(list []compare.Witness) (n int) {
	for _, w := range list {
		if !w.Stricter {
			n++
		}
	}
	return n
}

// differences prints a comparison.
func (a *commands) differences(r *compare.Report) error {
	var rows [][]string
	if len(r.Default) == 2 {
		rows = append(rows, []string{"changed", "default", r.Default[0] + " to " + r.Default[1]})
	}
	for _, c := range r.Rules {
		rows = append(rows, []string{c.What, c.Rule, fmt.Sprintf("%s:%d", c.File, c.Line)})
	}
	if err := cli.Table(a.Stdout, rows); err != nil {
		return err
	}
	for _, w := range r.Witnesses {
		what, name := "allows more", w.Tool
		if w.Stricter {
			what = "stricter"
		}
		if !w.Known {
			name += " (a tool like that)"
		}
		fmt.Fprintf(a.Stdout, "\n%s: %s %s\n  old: %s by %s\n  new: %s by %s\n", what, cli.Line(name), cli.Line(string(w.Call)),
			w.Old.Verdict, policyfiles.Rule(w.Old.Rule), w.New.Verdict, policyfiles.Rule(w.New.Rule))
		if w.Assumed {
			fmt.Fprintln(a.Stdout, "  "+assumed(w.Known))
		}
	}
	for _, d := range r.Doubts {
		if d.Tool == "" {
			fmt.Fprintln(a.Stderr, "not complete:", cli.Line(d.Why))
			continue
		}
		fmt.Fprintf(a.Stderr, "not complete: %s: %s\n", cli.Line(d.Tool), cli.Line(d.Why))
	}
	words := map[compare.Status]string{
		compare.Equal:   "EQUAL: no call is decided differently",
		compare.Differs: fmt.Sprintf("DIFFERS: calls that show how: %d let more through, %d held back more", opened(r.Witnesses), len(r.Witnesses)-opened(r.Witnesses)),
		compare.Unknown: "UNKNOWN: no call was found that is decided differently, and not all were tried",
	}
	_, err := fmt.Fprintf(a.Stdout, "\n%s (%d tools looked at)\n", words[r.Status], r.Tools)
	return err
}
