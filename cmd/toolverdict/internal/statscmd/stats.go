// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package statscmd is "toolverdict approvals stats": how people answer what
// rules ask.
package statscmd

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/approval/fatigue"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

// Connect finds a running gate.
type Connect func() (*client.Client, error)

// Command is "toolverdict approvals stats".
func Command(a *cli.App, connect Connect) *cobra.Command {
	var since string
	c := &cobra.Command{
		Use:   "stats",
		Short: "Show how people answer what each rule asks",
		Long: `Show for each rule how often it asked, how often people said yes, and how long
they took. A rule whose questions are approved more than 95 times in 100, over at
least 50 of them, is marked as noise: people stop reading what they always
approve. Let through what is always approved with a narrower rule, or grant calls
like one for a while ('toolverdict approvals approve ID --similar').`,
		Args: cobra.NoArgs,
	}
	c.Flags().StringVar(&since, "since", "", "asked at or after this `time`: RFC 3339, or a duration ago such as 24h (default 720h)")
	c.RunE = func(c *cobra.Command, _ []string) error {
		from, err := a.Moment(since)
		if err != nil {
			return err
		}
		gate, err := connect()
		if err != nil {
			return err
		}
		report, err := gate.Fatigue(c.Context(), from)
		if err != nil {
			return err
		}
		if a.JSON() {
			return cli.JSON(a.Stdout, report)
		}
		return table(a, &report)
	}
	return c
}

func table(a *cli.App, report *fatigue.Report) error {
	if report.Capped {
		fmt.Fprintf(a.Stderr, "only the newest %d are counted, asked since %s\n", report.Seen, report.Since.Local().Format(time.DateTime))
	}
	rows := [][]string{{"RULE", "ASKED", "YES", "NO", "SILENT", "WAITING", "APPROVED", "MEDIAN", "NOTES"}}
	for i := range report.Rules {
		r := &report.Rules[i]
		rate, median := "-", "-"
		if r.Approved+r.Rejected+r.Unanswered > 0 {
			rate = strconv.FormatFloat(100*r.Rate, 'f', 1, 64) + " %"
		}
		if r.Approved+r.Rejected > 0 {
			median = r.Median.Round(100 * time.Millisecond).String()
		}
		rows = append(rows, []string{
			cmp.Or(r.Rule, "(the tool itself)"), strconv.Itoa(r.Asked), strconv.Itoa(r.Approved), strconv.Itoa(r.Rejected),
			strconv.Itoa(r.Unanswered), strconv.Itoa(r.Waiting), rate, median, notes(r),
		})
	}
	return cli.Table(a.Stdout, rows)
}

// notes says what a reader should do something about.
func notes(r *fatigue.Rule) string {
	var out []string
	if r.Noise {
		out = append(out, "noise: nearly always approved, so it asks too much")
	}
	if r.Hasty > 0 {
		out = append(out, fmt.Sprintf("%d of high risk approved within %s", r.Hasty, fatigue.Glance))
	}
	return strings.Join(out, "; ")
}
