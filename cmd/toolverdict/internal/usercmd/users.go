// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package usercmd is "toolverdict users": the persons who sign in to the console.
// Passwords come in on standard input or are made: never as an argument, which
// others on the machine could read.
package usercmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/internal/daemon/users"
	"github.com/toolverdict/toolverdict/internal/identity/password"
	"github.com/toolverdict/toolverdict/internal/identity/people"
)

// commands are those of this group.
type commands struct{ *cli.App }

// Command is "toolverdict users" with all below it.
func Command(app *cli.App) *cobra.Command {
	a := &commands{app}
	return cli.Group("users", "See and change the people who sign in to the console",
		a.list(), a.add(), a.passwd(), a.remove(), a.hash())
}

func (a *commands) open(ctx context.Context) (*users.People, error) {
	conf, err := a.Configuration(true)
	if err != nil {
		return nil, err
	}
	p, err := users.Open(ctx, conf, a.Now)
	if err != nil {
		return nil, cli.Usage("%v", err)
	}
	return p, nil
}

func (a *commands) list() *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List who can sign in to the console", Args: cobra.NoArgs}
	a.OutputFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) (err error) {
		p, err := a.open(c.Context())
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.Close()) }()
		all, err := p.List(c.Context())
		if err != nil {
			return err
		}
		if a.JSON() {
			return cli.JSON(a.Stdout, all)
		}
		rows := [][]string{{"USER", "ROLES", "GROUPS", "FROM", "CHANGED"}}
		for _, one := range all {
			from, changed := "configuration", ""
			if !one.Configured {
				from, changed = "users add", one.Changed.Local().Format("2006-01-02 15:04")
			}
			rows = append(rows, []string{one.ID, strings.Join(one.Roles, ","), strings.Join(one.Groups, ","), from, changed})
		}
		return cli.Table(a.Stdout, rows)
	}
	return a.FileFlags(c)
}

const anyGate = `A gate that runs on the data folder knows it from the next request on.`

func (a *commands) add() *cobra.Command {
	var p people.Person
	var stdin bool
	c := &cobra.Command{
		Use:   "add ID",
		Short: "Add a person who signs in to the console",
		Long: `Add a person who signs in to the console. A password is made and printed once,
unless --stdin reads one. ` + anyGate,
		Args: cli.One("the ID of the person"),
	}
	c.Flags().StringSliceVar(&p.Roles, "role", nil, "`role` that the person has; may be repeated")
	c.Flags().StringSliceVar(&p.Groups, "group", nil, "`group` that the person is in; may be repeated")
	c.Flags().StringSliceVar(&p.Permissions, "permission", nil, "`permission` that the person has; may be repeated")
	a.stdinFlag(c, &stdin)
	c.RunE = func(c *cobra.Command, args []string) error {
		p.ID = args[0]
		return a.change(c.Context(), stdin, func(d *people.Directory, given, by string) error {
			return d.Add(c.Context(), p, given, by)
		}, "added")
	}
	return a.FileFlags(c)
}

func (a *commands) stdinFlag(c *cobra.Command, stdin *bool) {
	c.Flags().BoolVar(stdin, "stdin", false, "read the password from the first line of standard input")
}

func (a *commands) passwd() *cobra.Command {
	var stdin bool
	c := &cobra.Command{
		Use:   "passwd ID",
		Short: "Change a person's password and end their sessions",
		Long: `Change a person's password. Whoever is signed in with the old one is so no
longer. A password is made and printed once, unless --stdin reads one.`,
		Args: cli.One("the ID of the person"),
	}
	a.stdinFlag(c, &stdin)
	c.RunE = func(c *cobra.Command, args []string) error {
		return a.change(c.Context(), stdin, func(d *people.Directory, given, by string) error {
			return d.SetPassword(c.Context(), args[0], given, by)
		}, "changed")
	}
	return a.FileFlags(c)
}

// change takes or makes a password and has it kept.
func (a *commands) change(ctx context.Context, stdin bool, keep func(d *people.Directory, given, by string) error, done string) (err error) {
	given := password.Make()
	if stdin {
		if given, err = a.read(); err != nil {
			return err
		}
	}
	p, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if err := keep(p.Directory, given, "os:"+a.UserName); err != nil {
		return cli.Usage("%v", err)
	}
	fmt.Fprintln(a.Stderr, done)
	if stdin {
		return nil
	}
	fmt.Fprintln(a.Stderr, "the password is shown once:")
	_, err = fmt.Fprintln(a.Stdout, given)
	return err
}

// read takes a password from the first line of standard input.
func (a *commands) read() (string, error) {
	line, err := bufio.NewReader(io.LimitReader(a.Stdin, 2*password.Longest)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read password: %w", err)
	}
	line = strings.TrimRight(line, "\r\n")
	if err := password.Check(line); err != nil {
		return "", cli.Usage("%v", err)
	}
	return line, nil
}

func (a *commands) remove() *cobra.Command {
	c := &cobra.Command{
		Use:   "remove ID",
		Short: "Remove a person and end their sessions",
		Long:  "Remove a person. " + anyGate,
		Args:  cli.One("the ID of the person"),
	}
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		p, err := a.open(c.Context())
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.Close()) }()
		err = p.Remove(c.Context(), args[0], "os:"+a.UserName)
		if errors.Is(err, tv.ErrNotFound) || errors.Is(err, people.ErrConfigured) {
			return cli.Usage("%v", err)
		}
		if err == nil {
			fmt.Fprintln(a.Stderr, "removed")
		}
		return err
	}
	return a.FileFlags(c)
}

func (a *commands) hash() *cobra.Command {
	return &cobra.Command{
		Use:   "hash",
		Short: "Read a password from standard input and print what the configuration holds instead",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			given, err := a.read()
			if err != nil {
				return err
			}
			h, err := password.New(given)
			if err != nil {
				return cli.Usage("%v", err)
			}
			fmt.Fprintln(a.Stderr, "write under the person: password: {hash: …}")
			_, err = fmt.Fprintln(a.Stdout, h)
			return err
		},
	}
}
