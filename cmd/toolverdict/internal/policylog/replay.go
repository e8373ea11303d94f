// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policylog

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/policyfiles"
	"github.com/toolverdict/toolverdict/internal/daemon/subjects"
	"github.com/toolverdict/toolverdict/internal/workbench/replay"
)

func (a *commands) replay() *cobra.Command {
	var from source
	var before []string
	c := &cobra.Command{
		Use:   "replay FILE…",
		Short: "Decide calls of the past by another policy, and tell what changes",
		Long: `Decide calls of the past by another policy, and tell what changes.

The calls are the decisions in the audit log, or a file of calls. A record does
not tell everything: arguments are redacted, and of callers it holds no roles.
These, and the facts of the host, are taken from the configuration of today. Where
a rule looks at something that is not told, the answer is "unknown". Counters of
limits are zero. Exit code 0 means that nothing changes, 3 that something does, 4
that for some calls it cannot be told.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usage("%s: name the files of the policy to decide by; more: %s --help", c.CommandPath(), c.CommandPath())
			}
			return nil
		},
	}
	from.flags(c)
	c.Flags().StringArrayVar(&before, "before", nil, "`file` of the policy of before, for calls that have no verdict; may be repeated")
	c.RunE = func(c *cobra.Command, args []string) error {
		o, err := a.replayOptions(c, args, before)
		if err != nil {
			return err
		}
		list, err := a.calls(c.Context(), &from)
		if err != nil {
			return err
		}
		report, err := replay.Run(list, o)
		if err != nil {
			return cli.Usage("%v", err)
		}
		if a.JSON() {
			err = cli.JSON(a.Stdout, report)
		} else {
			err = a.replayed(&report)
		}
		switch {
		case err != nil:
			return err
		case len(report.Changed) > 0:
			return cli.Quiet(cli.ExitDenied)
		case len(report.Unknown) > 0:
			return cli.Quiet(cli.ExitWaiting)
		}
		return nil
	}
	a.OutputFlag(c)
	return a.FileFlags(c)
}

// replayOptions reads the policies, and who callers are today.
func (a *commands) replayOptions(c *cobra.Command, files, before []string) (o replay.Options, err error) {
	if o.Files, err = policyfiles.Read(files...); err != nil {
		return o, err
	}
	if len(before) > 0 {
		if o.Base, err = policyfiles.Read(before...); err != nil {
			return o, err
		}
	}
	if o.Known, err = policyfiles.Known(c.Context(), a.App); err != nil || o.Known == nil {
		return o, err
	}
	conf, err := a.Configuration(true)
	if err != nil {
		return o, err
	}
	if o.Who, err = subjects.Finder(conf); err != nil {
		return o, cli.Usage("%v", err)
	}
	o.Env = conf.Env
	return o, nil
}

// before says what decided a call as it is told: no rule is denied by default,
// and allows or asks only in a call that does not tell which.
func before(v replay.Verdict, rule string) string {
	if rule == "" && v != "deny" {
		return string(v)
	}
	return string(v) + " by " + policyfiles.Rule(rule)
}

// replayed prints a replay: first what changes, then what cannot be told.
func (a *commands) replayed(r *replay.Report) error {
	rows := [][]string{}
	for _, g := range r.Changed {
		rows = append(rows, []string{fmt.Sprint(g.Count), g.Tool, before(g.Old, g.OldRule), "→ " + string(g.New) + " by " + policyfiles.Rule(g.NewRule), strings.Join(g.Examples, ", ")})
	}
	for _, g := range r.Unknown {
		was := before(g.Old, g.OldRule)
		why := g.Why
		if why == "" {
			why = "what it was before is not told: name the policy with --before"
		}
		rows = append(rows, []string{fmt.Sprint(g.Count), g.Tool, was, "→ " + string(g.New), why})
	}
	if err := cli.Table(a.Stdout, rows); err != nil {
		return err
	}
	if r.Limits {
		fmt.Fprintln(a.Stderr, "the policy counts calls for limits: their counters were taken as zero")
	}
	changed, unknown := 0, 0
	for _, g := range r.Changed {
		changed += g.Count
	}
	for _, g := range r.Unknown {
		unknown += g.Count
	}
	_, err := fmt.Fprintf(a.Stdout, "%s: %d the same, %d different, %d cannot be told\n", cli.Count(r.Calls, "call"), r.Same, changed, unknown)
	return err
}
