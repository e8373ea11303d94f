// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package writing

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/internal/workbench/cases"
	"github.com/toolverdict/toolverdict/internal/workbench/explain"
)

func (a *commands) test() *cobra.Command {
	var junit string
	var policies []string
	c := &cobra.Command{
		Use:   "test [FILE|FOLDER…]",
		Short: "Run the tests of policies",
		Long: `Run the tests of policies: files with calls and what is to be decided about them.

In folders, files called *_test.yaml are found. A file says under policies and
catalogs what it is about; where it names no policy, policy_test.yaml is about
policy.yaml beside it, else about those of the configuration. Where it names no
catalog, the tools are those of the configuration.

Exit code 3 means that a test failed.`,
	}
	c.Flags().StringVar(&junit, "junit", "", "also write JUnit XML to this `file`")
	c.Flags().StringArrayVar(&policies, "policy", nil, "test this policy `file` instead; may be repeated")
	c.RunE = func(c *cobra.Command, args []string) error {
		suites, err := a.suites(c.Context(), args, policies)
		if err != nil {
			return err
		}
		report, err := cases.Run(suites)
		if err != nil {
			return cli.Usage("%v", err)
		}
		if junit != "" {
			if err := writeJUnit(junit, &report); err != nil {
				return err
			}
		}
		if err := a.tested(&report); err != nil {
			return err
		}
		if report.Failed > 0 {
			return cli.Quiet(cli.ExitDenied)
		}
		return nil
	}
	a.OutputFlag(c)
	return a.FileFlags(c)
}

func writeJUnit(path string, r *cases.Report) error {
	f, err := os.Create(path)
	if err != nil {
		return cli.Usage("write JUnit XML: %v", err)
	}
	return errors.Join(cases.JUnit(f, r, why), f.Close())
}

// why writes what is to be read of a case that failed.
func why(to io.Writer, o *cases.Outcome) error {
	for _, line := range o.Differs {
		if _, err := fmt.Fprintf(to, "  %s\n", cli.Line(line)); err != nil {
			return err
		}
	}
	return explain.Rules(to, o.Rules, o.Effects, func(rule string) bool {
		return rule == o.Want.Rule || slices.Contains(o.Want.Rules, rule)
	})
}

func (a *commands) tested(r *cases.Report) error {
	if a.JSON() {
		return cli.JSON(a.Stdout, r)
	}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if o.Passed {
			continue
		}
		if _, err := fmt.Fprintf(a.Stdout, "FAIL %s:%d: %s (%s)\n", cli.Line(o.File), o.Line, cli.Line(o.Name), cli.Line(o.Tool)); err != nil {
			return err
		}
		if err := why(a.Stdout, o); err != nil {
			return err
		}
	}
	word := "OK"
	if r.Failed > 0 {
		word = "FAIL"
	}
	_, err := fmt.Fprintf(a.Stdout, "%s: %d passed, %d failed; %d examples beside the rules hold\n", word, r.Passed, r.Failed, r.Examples)
	return err
}
