// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/internal/daemon"
)

func (a *app) checkCommand() *cobra.Command {
	var p daemon.Preview
	c := &cobra.Command{
		Use:   "check {TOOL|--tool TOOL} [JSON|-]",
		Short: "Decide a call offline; run nothing",
		Long: `Decide a call offline by configuration, catalog and policy; run nothing, record
nothing. It needs no running gate.

Tools are known as they were pinned in the data folder, and by their catalog
entries where nothing was pinned. Counters of rate limits are taken as zero.
Exit code 0 means allow, 3 deny, 4 that a person would be asked.`,
	}
	c.Flags().StringVar(&p.Tool, "tool", "", "the `name` of the tool, in place of the first argument")
	c.Flags().StringVar(&p.As, "as", "", "decide for this `subject` (else that of the stdio front)")
	c.Flags().BoolVar(&p.ReadOnly, "read-only", false, "decide in a read-only run")
	c.Flags().StringVar(&p.Session, "session", "", "`name` of a session")
	c.RunE = func(c *cobra.Command, args []string) error {
		var err error
		if p.Tool, args, err = cli.ToolFirst(p.Tool, args); err != nil {
			return err
		}
		conf, err := a.Configuration(true)
		if err != nil {
			return err
		}
		if p.Arguments, err = a.Arguments(args); err != nil {
			return err
		}
		res, err := daemon.Check(c.Context(), a.Options(conf), p)
		if err != nil {
			return cli.Usage("%v", err)
		}
		for _, w := range res.Warnings {
			fmt.Fprintln(a.Stderr, "warning:", cli.Line(w))
		}
		return a.verdict(&res)
	}
	a.OutputFlag(c)
	return a.FileFlags(c)
}

// verdict prints a decision with its reasons.
func (a *app) verdict(res *daemon.Previewed) error {
	if a.JSON() {
		if err := cli.JSON(a.Stdout, res); err != nil {
			return err
		}
		return cli.Quiet(cli.ResultCode(&res.Result))
	}
	d := &res.Decision
	fmt.Fprintln(a.Stdout, d.Verdict)
	rows := [][]string{}
	add := func(name, value string) {
		if value != "" {
			rows = append(rows, []string{"  " + name, value})
		}
	}
	for _, e := range res.Effects {
		add("effect", e.String()+of(e.Source))
	}
	add("rule", d.Rule)
	add("reason", d.Reason)
	if res.Error != nil {
		add("code", string(res.Error.Code))
		add("message", res.Error.Message)
		for _, detail := range res.Error.Details {
			add("at", detail.Path+": "+detail.Message)
		}
		add("next", res.Error.RecommendedAction)
		add("did you mean", strings.Join(res.Meant, ", "))
	}
	for _, m := range d.Rules {
		text := m.Rule + " (" + m.Verdict.String() + ")"
		if m.Unknown {
			text += ", because a value it needs is missing or of another type"
		}
		add("matched", text)
	}
	add("policy", d.PolicyVersion+" "+d.PolicyHash)
	if err := cli.Table(a.Stdout, rows); err != nil {
		return err
	}
	return cli.Quiet(cli.ResultCode(&res.Result))
}

// of names the argument that an effect was found in.
func of(pointer string) string {
	if pointer == "" {
		return ""
	}
	return " (" + pointer + ")"
}
