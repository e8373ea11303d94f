// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package writing

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/internal/workbench/coverage"
)

// least is what must be covered, in percent.
type least struct{ all, rules, conditions, mutants int }

func (a *commands) coverage() *cobra.Command {
	var policies []string
	var want least
	o := coverage.Options{Workers: runtime.GOMAXPROCS(0)}
	c := &cobra.Command{
		Use:   "coverage [FILE|FOLDER…]",
		Short: "Say what the tests of policies leave open",
		Long: `Say what the tests of policies leave open: rules that match in none of them,
conditions that are never seen true or never false, and slips that none of them
would notice. A slip is one thing in one rule changed: a verdict, an operator, a
bound, a condition, a tool or a value that is left out.

Tests are found as 'policy test' finds them, and all must hold; calls beside the
rules count as well. Exit code 3 means that less is covered than is asked for.`,
		Example: `  toolverdict policy coverage policies --min-rules 100 --min-mutants 80`,
	}
	f := c.Flags()
	f.StringArrayVar(&policies, "policy", nil, "measure this policy `file` instead; may be repeated")
	f.IntVar(&o.Most, "mutants", 2000, "how `many` slips are tried at most, evenly over the policy; 0: all")
	f.IntVar(&want.all, "min", 0, "least `percent` of rules, of conditions and of slips")
	f.IntVar(&want.rules, "min-rules", 0, "least `percent` of rules that match in some test")
	f.IntVar(&want.conditions, "min-conditions", 0, "least `percent` of conditions that are seen true and false")
	f.IntVar(&want.mutants, "min-mutants", 0, "least `percent` of slips that some test notices")
	c.RunE = func(c *cobra.Command, args []string) error {
		if o.Most < 0 {
			return cli.Usage("--mutants: a number from 0 is wanted")
		}
		suites, err := a.suites(c.Context(), args, policies)
		if err != nil {
			return err
		}
		report, err := coverage.Of(suites, o)
		if err != nil {
			return cli.Usage("%v", err)
		}
		if a.JSON() {
			err = cli.JSON(a.Stdout, &report)
		} else {
			err = a.measured(&report)
		}
		if err != nil {
			return err
		}
		return want.check(&report)
	}
	a.OutputFlag(c)
	return a.FileFlags(c)
}

// check compares what is covered with what is asked for.
func (l *least) check(r *coverage.Report) error {
	var short []string
	for _, part := range []struct {
		name string
		coverage.Part
		want int
	}{
		{"rules", r.Rules, max(l.all, l.rules)}, {"conditions", r.Conditions, max(l.all, l.conditions)}, {"slips", r.Mutants, max(l.all, l.mutants)},
	} {
		if part.Percent() < part.want {
			short = append(short, fmt.Sprintf("%d%% of the %s are covered, %d%% are asked for", part.Percent(), part.name, part.want))
		}
	}
	if len(short) == 0 {
		return nil
	}
	return &cli.Error{Code: cli.ExitDenied, Text: strings.Join(short, "\n")}
}

func (a *commands) measured(r *coverage.Report) error {
	var b strings.Builder
	part := func(name string, p coverage.Part, what string) {
		fmt.Fprintf(&b, "%-11s %3d%%  %d of %d %s\n", name, p.Percent(), p.Covered, p.All, what)
	}
	part("rules", r.Rules, "matched")
	part("conditions", r.Conditions, "seen true and false")
	part("unknown", r.Unknown, "conditions seen unknown")
	part("slips", r.Mutants, "noticed")
	if r.Left > 0 {
		fmt.Fprintf(&b, "%d more slips were not tried: --mutants 0 tries all\n", r.Left)
	}
	list := func(heading string, gaps []coverage.Gap, say func(g *coverage.Gap) string) {
		if len(gaps) > 0 {
			fmt.Fprintf(&b, "\n%s:\n", heading)
		}
		for i := range gaps {
			g := &gaps[i]
			at := fmt.Sprintf("%s:%d", relative(g.File), g.Line)
			if g.Column > 0 {
				at += fmt.Sprintf(":%d", g.Column)
			}
			fmt.Fprintf(&b, "  %s\n", cli.Line(at+": "+g.Rule+say(g)))
		}
	}
	list("rules that match in no test", r.Unmatched, func(*coverage.Gap) string { return "" })
	list("conditions that are not seen both ways", r.Unseen, func(g *coverage.Gap) string {
		return ": " + g.What + ": never " + strings.Join(g.Never, ", never ")
	})
	list("slips that no test notices", r.Survived, func(g *coverage.Gap) string { return ": " + g.What })
	_, err := fmt.Fprint(a.Stdout, b.String())
	return err
}
