// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package notifycmd is "toolverdict notify": the channels in which approvals are
// shown, and which of their accounts are whose.
package notifycmd

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

// Gate is how a command reaches a running gate.
type Gate struct {
	Client func() (*client.Client, error)
	Flags  func(c *cobra.Command, who string) *cobra.Command // who it speaks as where nothing is said
}

// commands are those of this group.
type commands struct {
	*cli.App
	gate Gate
}

// Command is "toolverdict notify" with all below it.
func Command(app *cli.App, gate Gate) *cobra.Command {
	a := &commands{app, gate}
	return cli.Group("notify", "See channels that show approvals, and link your accounts in them",
		a.status(), a.test(), a.link(), a.links(), a.unlink())
}

// who is the subject that these commands speak as where none is named.
const who = "approver"

func (a *commands) status() *cobra.Command {
	c := &cobra.Command{Use: "status", Short: "Show how every channel is doing, with its last error", Args: cobra.NoArgs}
	c.RunE = func(c *cobra.Command, _ []string) error {
		gate, err := a.gate.Client()
		if err != nil {
			return err
		}
		all, err := gate.Channels(c.Context())
		if err != nil {
			return err
		}
		if a.JSON() {
			return cli.JSON(a.Stdout, all)
		}
		rows := [][]string{{"CHANNEL", "KIND", "DECIDES", "QUEUED", "FAILING", "SHOWN", "DELIVERED", "ERROR"}}
		for i := range all {
			rows = append(rows, row(&all[i]))
		}
		return cli.Table(a.Stdout, rows)
	}
	return a.gate.Flags(c, who)
}

func row(ch *client.Channel) []string {
	decides := make([]string, len(ch.Decide))
	for i, r := range ch.Decide {
		decides[i] = string(r)
	}
	more := ""
	if ch.More {
		more = "+"
	}
	failed := ch.Error
	if failed != "" && !ch.Since.IsZero() {
		failed = "since " + ch.Since.Local().Format(time.DateTime) + ": " + failed
	}
	return []string{
		ch.Name, ch.Kind, either(strings.Join(decides, ","), "nothing"), strconv.Itoa(ch.Queued) + more, strconv.Itoa(ch.Failing), strconv.Itoa(ch.Shown) + more,
		at(ch.Delivered), either(failed, "none"),
	}
}

func at(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Local().Format(time.DateTime)
}

func either(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

func (a *commands) test() *cobra.Command {
	c := &cobra.Command{Use: "test CHANNEL", Short: "Send a card that is of no approval", Args: cli.One("the name of a channel, as 'toolverdict notify status' prints it")}
	c.RunE = func(c *cobra.Command, args []string) error {
		gate, err := a.gate.Client()
		if err != nil {
			return err
		}
		if err := gate.TestChannel(c.Context(), args[0]); err != nil {
			return err
		}
		_, err = fmt.Fprintf(a.Stdout, "%s: delivered\n", cli.Line(args[0]))
		return err
	}
	return a.gate.Flags(c, "admin")
}

func (a *commands) link() *cobra.Command {
	c := &cobra.Command{
		Use: "link CODE", Short: "Say that an account in a channel is yours",
		Long: `Say that an account in a channel is yours.

Press a button of a card in the chat: the answer, which only you see, has a link
that ends in the code. From then on your presses there are your votes. Never take
a code from somebody else: their presses would count as yours.`,
		Args: cli.One("the CODE at the end of the link that the chat showed you"),
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		gate, err := a.gate.Client()
		if err != nil {
			return err
		}
		code := args[0][strings.LastIndexByte(args[0], '/')+1:] // the whole link will do
		l, err := gate.Link(c.Context(), code)
		if err != nil {
			return err
		}
		if a.JSON() {
			return cli.JSON(a.Stdout, l)
		}
		_, err = fmt.Fprintf(a.Stdout, "%s in channel %s is %s\n", cli.Line(shown(&l)), cli.Line(l.Channel), cli.Line(l.Subject))
		return err
	}
	return a.gate.Flags(c, who)
}

// shown is an account with the name that its platform gave.
func shown(l *client.Link) string {
	if l.Name == "" {
		return l.Operator
	}
	return l.Operator + " (" + l.Name + ")"
}

func (a *commands) links() *cobra.Command {
	c := &cobra.Command{Use: "links", Short: "List your accounts in channels; an administrator sees everybody's", Args: cobra.NoArgs}
	c.RunE = func(c *cobra.Command, _ []string) error {
		gate, err := a.gate.Client()
		if err != nil {
			return err
		}
		all, err := gate.Links(c.Context())
		if err != nil {
			return err
		}
		if a.JSON() {
			return cli.JSON(a.Stdout, all)
		}
		rows := [][]string{{"CHANNEL", "ACCOUNT", "NAME", "PERSON", "SINCE"}}
		for i := range all {
			l := &all[i]
			rows = append(rows, []string{l.Channel, l.Operator, l.Name, l.Subject, at(l.Since)})
		}
		return cli.Table(a.Stdout, rows)
	}
	return a.gate.Flags(c, who)
}

func (a *commands) unlink() *cobra.Command {
	c := &cobra.Command{Use: "unlink CHANNEL ACCOUNT", Short: "Say that an account is not yours any more", Args: cobra.ExactArgs(2)}
	c.RunE = func(c *cobra.Command, args []string) error {
		gate, err := a.gate.Client()
		if err != nil {
			return err
		}
		if err := gate.Unlink(c.Context(), args[0], args[1]); err != nil {
			return err
		}
		_, err = fmt.Fprintf(a.Stdout, "%s in channel %s is nobody's\n", cli.Line(args[1]), cli.Line(args[0]))
		return err
	}
	return a.gate.Flags(c, who)
}
