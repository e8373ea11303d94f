// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/internal/daemon"
)

func (a *app) toolsCommand() *cobra.Command {
	return cli.Group("tools", "See tools, review changed ones, switch them off and on",
		a.toolsList(), a.toolsDiff(), a.toolsPin(), a.toolsSuggestRoles(), a.toolsChoice(true), a.toolsChoice(false))
}

func (a *app) toolsList() *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List the tools of a running gate", Args: cobra.NoArgs}
	c.RunE = func(c *cobra.Command, _ []string) error {
		gate, err := a.client()
		if err != nil {
			return err
		}
		tools, err := gate.Tools(c.Context(), true)
		if err != nil {
			return err
		}
		if a.JSON() {
			return cli.JSON(a.Stdout, tools)
		}
		rows := [][]string{{"TOOL", "SAFETY", "RISK", "PERMISSION", "GROUPS", ""}}
		for i := range tools {
			t := &tools[i]
			note := ""
			if t.Hidden {
				note = "hidden: switched off or not for this run"
			}
			if !strings.Contains(t.Name, "/@") {
				rows = append(rows, []string{t.Name, string(t.Safety), string(t.Risk), t.Permission, strings.Join(t.Groups, ","), note})
			}
		}
		return cli.Table(a.Stdout, rows)
	}
	return a.clientFlags(c, "agent")
}

func (a *app) toolsDiff() *cobra.Command {
	c := &cobra.Command{
		Use:   "diff [TOOL…]",
		Short: "Ask the servers for their tools and show what differs from the pins",
		Long: `Ask the servers for their tools and show what differs from the pins.

It starts the configured servers by itself. Exit code 3 means that something
waits for review.`,
	}
	c.RunE = func(c *cobra.Command, names []string) (err error) {
		r, unanswered, err := a.review(c)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.Close()) }()
		all := r.Tools()
		for _, name := range names {
			if !slices.ContainsFunc(all, func(t daemon.Reviewed) bool { return t.Called(name) }) && unanswered == nil {
				return cli.Usage("no server announces %q and nothing of it is pinned: 'toolverdict tools diff' shows all", name)
			}
		}
		found := slices.DeleteFunc(all, func(t daemon.Reviewed) bool {
			return t.State == "listed" || len(names) > 0 && !slices.ContainsFunc(names, t.Called)
		})
		switch {
		case a.JSON():
			err = cli.JSON(a.Stdout, found)
		case len(found) > 0:
			err = a.printReview(found)
		case unanswered == nil:
			_, err = fmt.Fprintln(a.Stdout, "every tool is as it was pinned")
		}
		switch {
		case err != nil:
			return err
		case unanswered != nil:
			return &cli.Error{Code: cli.ExitTool, Text: unanswered.Error()}
		case len(found) > 0:
			return cli.Quiet(cli.ExitDenied)
		}
		return nil
	}
	a.OutputFlag(c)
	return a.FileFlags(c)
}

func (a *app) review(c *cobra.Command) (r *daemon.Review, unanswered, err error) {
	conf, err := a.Configuration(true)
	if err != nil {
		return nil, nil, err
	}
	r, err = daemon.OpenReview(c.Context(), a.Options(conf))
	if r == nil {
		return nil, nil, cli.Usage("%v", err)
	}
	return r, err, nil
}

func (a *app) printReview(found []daemon.Reviewed) error {
	var b strings.Builder
	for _, t := range found {
		fmt.Fprintf(&b, "%s: %s: %s\n", cli.Line(t.Tool), t.State, cli.Line(t.Reason))
		for _, change := range t.Changes {
			path := change.Path
			if path == "" {
				path = "/"
			}
			fmt.Fprintf(&b, "  %s\n", cli.Line(path))
			if change.Before != "" {
				fmt.Fprintf(&b, "  - %s\n", cli.Line(change.Before))
			}
			if change.After != "" {
				fmt.Fprintf(&b, "  + %s\n", cli.Line(change.After))
			}
		}
		for _, note := range t.Notes {
			fmt.Fprintf(&b, "  note: %s\n", cli.Line(note))
		}
		if t.CanPin {
			fmt.Fprintf(&b, "  to accept it: toolverdict tools pin %s\n", cli.Line(t.Tool))
		}
	}
	_, err := fmt.Fprint(a.Stdout, b.String())
	return err
}

func (a *app) toolsPin() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "pin TOOL… | --all",
		Short: "Take the definitions that tools have now as reviewed",
		Long: `Take the definitions that tools have now as reviewed. See them first with
'toolverdict tools diff'. A running gate takes up the pins within a second.`,
	}
	c.Flags().BoolVar(&all, "all", false, "every tool that waits for review")
	c.RunE = func(c *cobra.Command, names []string) (err error) {
		if all == (len(names) > 0) {
			return cli.Usage("name the tools to pin, or --all")
		}
		r, unanswered, err := a.review(c)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.Close()) }()
		if unanswered != nil {
			fmt.Fprintln(a.Stderr, "toolverdict:", cli.Plain(unanswered.Error()))
		}
		pinned, err := r.Pin(c.Context(), "os:"+a.UserName, names, all)
		if err != nil {
			return cli.Usage("%v", err)
		}
		for _, name := range pinned {
			fmt.Fprintln(a.Stdout, "pinned", cli.Line(name))
		}
		if len(pinned) == 0 {
			fmt.Fprintln(a.Stderr, "nothing waits for review")
		}
		return nil
	}
	return a.FileFlags(c)
}

func (a *app) toolsChoice(off bool) *cobra.Command {
	use, short := "enable TOOL", "Switch a tool on again"
	if off {
		use, short = "disable TOOL", "Switch a tool off for a user: it is neither listed nor callable"
	}
	var who string
	c := &cobra.Command{Use: use, Short: short, Args: cli.One("a TOOL, as 'toolverdict tools list' prints it")}
	c.Flags().StringVar(&who, "user", "", "for this `user` (else for yourself); only an admin can")
	c.RunE = func(c *cobra.Command, args []string) error {
		gate, err := a.client()
		if err != nil {
			return err
		}
		name, err := fullName(c.Context(), gate, args[0])
		if err != nil {
			return err
		}
		now, err := gate.Choose(c.Context(), name, off, who)
		if err != nil {
			return err
		}
		word := "on"
		if now.Disabled {
			word = "off"
		}
		_, err = fmt.Fprintf(a.Stdout, "%s is switched %s for %s and who works for %s: %s\n",
			cli.Line(now.Tool), word, cli.Line(now.User), cli.Line(now.User), cli.Line(cmp.Or(strings.Join(now.Subjects, ", "), "nobody")))
		if len(now.Subjects) == 0 {
			fmt.Fprintf(a.Stderr, "warning: no subject has the id or user %s: this touches no call\n", cli.Line(now.User))
		}
		return err
	}
	return a.clientFlags(c, approver)
}
