// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon"
)

func (a *app) options(conf *config.Config) daemon.Options {
	return daemon.Options{Config: conf, Version: version, Log: slog.New(slog.DiscardHandler), Getenv: a.getenv, Now: a.now}
}

func (a *app) checkCommand() *cobra.Command {
	var p daemon.Preview
	c := &cobra.Command{
		Use:   "check TOOL [JSON|-]",
		Short: "Decide a call offline; run nothing",
		Long: `Decide a call offline by configuration, catalog and policy; run nothing, record
nothing. It needs no running gate.

Tools are known as they were pinned in the data folder, and by their catalog
entries where nothing was pinned. Counters of rate limits are taken as zero.
Exit code 0 means allow, 3 deny, 4 that a person would be asked.`,
		Args: cobra.RangeArgs(1, 2),
	}
	c.Flags().StringVar(&p.As, "as", "", "decide for this `subject` (else that of the stdio front)")
	c.Flags().BoolVar(&p.ReadOnly, "read-only", false, "decide in a read-only run")
	c.Flags().StringVar(&p.Session, "session", "", "`name` of a session")
	c.RunE = func(c *cobra.Command, args []string) error {
		conf, err := a.configuration(true)
		if err != nil {
			return err
		}
		p.Tool = args[0]
		if p.Arguments, err = a.arguments(args[1:]); err != nil {
			return err
		}
		res, err := daemon.Check(c.Context(), a.options(conf), p)
		if err != nil {
			return usage("%v", err)
		}
		for _, w := range res.Warnings {
			fmt.Fprintln(a.stderr, "warning:", line(w))
		}
		return a.verdict(&res.Result)
	}
	a.outputFlag(c)
	return a.fileFlags(c)
}

// verdict prints a decision with its reasons.
func (a *app) verdict(res *tv.Result) error {
	if a.json() {
		if err := printJSON(a.stdout, res); err != nil {
			return err
		}
		return quiet(resultCode(res))
	}
	d := &res.Decision
	fmt.Fprintln(a.stdout, d.Verdict)
	rows := [][]string{}
	add := func(name, value string) {
		if value != "" {
			rows = append(rows, []string{"  " + name, value})
		}
	}
	add("rule", d.Rule)
	add("reason", d.Reason)
	if res.Error != nil {
		add("code", string(res.Error.Code))
		add("message", res.Error.Message)
		for _, detail := range res.Error.Details {
			add("at", detail.Path+": "+detail.Message)
		}
	}
	for _, m := range d.Rules {
		text := m.Rule + " (" + m.Verdict.String() + ")"
		if m.Unknown {
			text += ", because a value it needs is missing or of another type"
		}
		add("matched", text)
	}
	add("policy", d.PolicyVersion+" "+d.PolicyHash)
	if err := table(a.stdout, rows); err != nil {
		return err
	}
	return quiet(resultCode(res))
}

func (a *app) policyCommand() *cobra.Command {
	return group("policy", "Check policies", a.policyCheck(), a.policySchema())
}

func (a *app) policyCheck() *cobra.Command {
	c := &cobra.Command{
		Use:   "check [FILE…]",
		Short: "Load policy files as a gate would, and say what is wrong",
		Long: `Load policy files as a gate would: types, examples, rules that match no tool.

Without files those of the configuration are checked. Where there is a
configuration, rules are held against the tools that it tells of.`,
	}
	c.RunE = func(c *cobra.Command, files []string) error {
		conf, err := a.configuration(true)
		if err != nil && (len(files) == 0 || a.configPath(true) != "") {
			return err
		}
		report, err := daemon.CheckPolicy(c.Context(), a.options(conf), files)
		if err != nil {
			return usage("%v", err)
		}
		if a.json() {
			return printJSON(a.stdout, report)
		}
		for _, w := range report.Warnings {
			fmt.Fprintln(a.stderr, "warning:", line(w))
		}
		against := fmt.Sprintf("against %d tools", report.Tools)
		if report.Tools == 0 {
			against = "no tools are known to check against"
		}
		_, err = fmt.Fprintf(a.stdout, "OK: %s, %d rules, %s, hash %s\n", line(report.Version), report.Rules, against, report.Hash)
		return err
	}
	a.outputFlag(c)
	return a.fileFlags(c)
}

func (a *app) policySchema() *cobra.Command {
	return &cobra.Command{Use: "schema", Short: "Print the JSON Schema of policy files, for editors", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := a.stdout.Write(daemon.PolicySchema())
			return err
		}}
}
