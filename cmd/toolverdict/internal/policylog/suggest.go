// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policylog

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/policyfiles"
	"github.com/toolverdict/toolverdict/internal/workbench/suggest"
)

func (a *commands) suggest() *cobra.Command {
	var from source
	var o suggest.Options
	var out string
	c := &cobra.Command{
		Use:   "suggest",
		Short: "Draft a policy that lets through what was seen, to be reviewed",
		Long: `Draft a policy that lets through what was seen, and little more, to be reviewed.

It is made of the decisions in the audit log, or of a file of calls. Each argument
is bounded by what was seen of it, and each bound stands in a comment with its
counts; what cannot be bounded asks a person. The calls stand beside the rules as
tests. Calls that were denied do not count, unless --denied says so.`,
		Args: cobra.NoArgs,
	}
	from.flags(c)
	f := c.Flags()
	f.StringVar(&o.Policy, "name", "suggested", "`name` of the policy")
	f.StringVar(&o.Version, "policy-version", "v1", "`version` of the policy")
	f.BoolVar(&o.Denied, "denied", false, "calls that were denied, or would have been, count too")
	f.StringVar(&out, "out", "", "new `file` for the policy")
	c.RunE = func(c *cobra.Command, _ []string) (err error) {
		if o.Known, err = policyfiles.Known(c.Context(), a.App); err != nil {
			return err
		}
		list, err := a.calls(c.Context(), &from)
		if err != nil {
			return err
		}
		made, err := suggest.Policy(list, o)
		if err != nil {
			return cli.Usage("%v", err)
		}
		if a.JSON() {
			if out != "" {
				if err := policyfiles.Write(a.App, out, made.File.YAML()); err != nil {
					return err
				}
			}
			return cli.JSON(a.Stdout, map[string]any{
				"policy": string(made.File.YAML()), "rules": len(made.File.Rules), "calls": made.Calls, "allowed": made.Allowed, "asked": made.Asked, "denied": made.Left,
			})
		}
		fmt.Fprintf(a.Stderr, "%s: the draft allows %d and asks about %d; %d that were denied do not count\n", cli.Count(made.Calls, "call"), made.Allowed, made.Asked, made.Left)
		return policyfiles.Write(a.App, out, made.File.YAML())
	}
	a.OutputFlag(c)
	return a.FileFlags(c)
}
