// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package rollouts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/internal/daemon"
	"github.com/toolverdict/toolverdict/internal/rollout"
)

// with opens the data folder, beside a gate that runs on it or without one.
func (a *commands) with(c *cobra.Command, do func(ctx context.Context, p *daemon.Policies) error) (err error) {
	conf, err := a.Configuration(true)
	if err != nil {
		return err
	}
	p, err := daemon.OpenPolicies(c.Context(), a.Options(conf))
	if err != nil {
		return cli.Usage("%v", err)
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	return do(c.Context(), p)
}

func (a *commands) versions() *cobra.Command {
	c := &cobra.Command{Use: "versions", Short: "List the policies that were in force and can be gone back to, the newest first", Args: cobra.NoArgs}
	c.RunE = func(c *cobra.Command, _ []string) error {
		return a.with(c, func(ctx context.Context, p *daemon.Policies) error {
			all, err := p.Versions(ctx)
			if err != nil {
				return err
			}
			s, err := p.Status(ctx)
			if err != nil {
				return err
			}
			if a.JSON() {
				return cli.JSON(a.Stdout, all)
			}
			rows := [][]string{{"HASH", "VERSION", "FROM", "LAST PUT IN FORCE", ""}}
			for _, v := range all {
				note := ""
				if v.Hash == s.Active.Hash {
					note = "in force"
				}
				rows = append(rows, []string{v.Hash[:min(len(v.Hash), 12)], v.Version, v.Origin, v.At.Local().Format(time.DateTime), note})
			}
			return cli.Table(a.Stdout, rows)
		})
	}
	a.OutputFlag(c)
	return a.FileFlags(c)
}

func (a *commands) status() *cobra.Command {
	c := &cobra.Command{
		Use:   "status",
		Short: "Say which policy is in force, where it is from, and what was refused last",
		Long: `Say which policy is in force, where it is from, and what was refused last.

It reads the data folder, whether or not a gate runs on it. Exit code 3 means
that the last update was refused, or that what is in force has ended.`,
		Args: cobra.NoArgs,
	}
	c.RunE = func(c *cobra.Command, _ []string) error {
		return a.with(c, func(ctx context.Context, p *daemon.Policies) error {
			s, err := p.Status(ctx)
			if err != nil {
				return err
			}
			over := s.Bundle != nil && !s.Bundle.Expires.IsZero() && !a.Now().Before(s.Bundle.Expires)
			if a.JSON() {
				err = cli.JSON(a.Stdout, s)
			} else {
				err = a.printStatus(&s, over)
			}
			if err == nil && (over || s.Refused != nil) {
				err = cli.Quiet(cli.ExitDenied)
			}
			return err
		})
	}
	a.OutputFlag(c)
	return a.FileFlags(c)
}

func (a *commands) printStatus(s *rollout.Status, over bool) error {
	if s.Active.Hash == "" {
		_, err := fmt.Fprintln(a.Stdout, cli.Line(rollout.ErrStranger.Error()))
		return err
	}
	rows := [][]string{
		{"version", s.Active.Version}, {"hash", s.Active.Hash}, {"from", s.Active.Origin}, {"in force since", s.Active.At.Local().Format(time.DateTime)},
	}
	if h := s.Hold; h != nil {
		why := "by " + h.By
		if h.Reason != "" {
			why += ": " + h.Reason
		}
		rows = append(rows, []string{"rolled back", why}, []string{"instead of", s.Source.Version + " " + s.Source.Hash + " from " + s.Source.Origin})
	}
	if b := s.Bundle; b != nil {
		end := moment(b.Expires)
		if over {
			end += ": every call is denied"
		}
		rows = append(rows, []string{"bundle", b.Name + " from " + b.URL}, []string{"serial", strconv.FormatInt(b.Serial, 10)}, []string{"expires", end})
	}
	if err := cli.Table(a.Stdout, rows); err != nil {
		return err
	}
	if r := s.Refused; r != nil {
		fmt.Fprintf(a.Stdout, "the last update was refused at %s, from %s:\n", r.At.Local().Format(time.DateTime), cli.Line(r.Origin))
		for text := range strings.Lines(cli.Plain(r.Reason)) {
			fmt.Fprintf(a.Stdout, "  %s\n", strings.TrimRight(text, "\n"))
		}
	}
	return nil
}

func (a *commands) rollback() *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use:   "rollback VERSION|HASH",
		Short: "Go back to a policy that was in force before",
		Long: `Go back to a policy that was in force before, by its version or the start of its
hash, as 'toolverdict policy versions' lists them. Gates that run on the data
folder take it up within a second; it stays over restarts, until the policy files
or the bundle say something new, or 'toolverdict policy resume'.`,
		Args: cli.One("a version or the start of a hash, as 'toolverdict policy versions' lists them"),
	}
	c.Flags().StringVar(&reason, "reason", "", "`text` to be recorded")
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.with(c, func(ctx context.Context, p *daemon.Policies) error {
			to, err := p.Rollback(ctx, a.by(), args[0], reason)
			return a.moved("rolled back to", to, err)
		})
	}
	a.OutputFlag(c)
	return a.FileFlags(c)
}

func (a *commands) resume() *cobra.Command {
	c := &cobra.Command{Use: "resume", Short: "End a rollback: go on to what the policy files and the bundle say", Args: cobra.NoArgs}
	c.RunE = func(c *cobra.Command, _ []string) error {
		return a.with(c, func(ctx context.Context, p *daemon.Policies) error {
			to, err := p.Resume(ctx, a.by())
			return a.moved("going on to", to, err)
		})
	}
	a.OutputFlag(c)
	return a.FileFlags(c)
}

func (a *commands) by() string { return "os:" + cmp.Or(a.UserName, "unknown") }

// moved says what came of a wish for another policy.
func (a *commands) moved(what string, to rollout.Point, err error) error {
	switch {
	case errors.Is(err, tv.ErrNotFound), errors.Is(err, rollout.ErrAmbiguous):
		return cli.Usage("%v: see 'toolverdict policy versions'", err)
	case errors.Is(err, rollout.ErrInForce), errors.Is(err, rollout.ErrNoRollback), errors.Is(err, rollout.ErrUnusable), errors.Is(err, rollout.ErrStranger):
		return &cli.Error{Code: cli.ExitDenied, Text: err.Error()}
	case err != nil:
		return err
	case a.JSON():
		return cli.JSON(a.Stdout, to)
	}
	_, err = fmt.Fprintf(a.Stdout, "%s %s %s: gates on this data folder take it up within a second\n", what, cli.Line(to.Version), to.Hash)
	return err
}
