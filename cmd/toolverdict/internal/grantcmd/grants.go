// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package grantcmd is the commands about grants: yeses to calls like one.
package grantcmd

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

// Gate is how the commands reach a running gate.
type Gate struct {
	*cli.App

	Connect func() (*client.Client, error)
	Flags   func(c *cobra.Command) *cobra.Command // adds those of commands that speak to a gate
}

// Command is toolverdict grants.
func (g *Gate) Command() *cobra.Command {
	return cli.Group("grants", "See and take back what was granted for calls like one", g.list(), g.show(), g.revoke())
}

func (g *Gate) list() *cobra.Command {
	var all bool
	c := &cobra.Command{Use: "list", Short: "List open grants that concern you", Args: cobra.NoArgs}
	c.Flags().BoolVar(&all, "all", false, "also those that are used up, expired or revoked")
	c.RunE = func(c *cobra.Command, _ []string) error {
		gate, err := g.Connect()
		if err != nil {
			return err
		}
		list, err := gate.Grants(c.Context(), all)
		if err != nil {
			return err
		}
		if g.JSON() {
			return cli.JSON(g.Stdout, list)
		}
		rows := [][]string{{"ID", "STATE", "USED", "EXPIRES", "FOR", "BY", "CALLS"}}
		for i := range list {
			v := &list[i]
			rows = append(rows, []string{v.ID, v.State, fmt.Sprintf("%d of %d", v.Used, v.MaxUses), v.Expires.Local().Format(time.DateTime), v.Subject, v.By, v.Label})
		}
		return cli.Table(g.Stdout, rows)
	}
	return g.Flags(c)
}

func (g *Gate) show() *cobra.Command {
	c := &cobra.Command{Use: "show ID", Short: "Show one grant", Args: cli.One("the ID of a grant, as 'toolverdict grants list' prints it")}
	c.RunE = func(c *cobra.Command, args []string) error {
		gate, err := g.Connect()
		if err != nil {
			return err
		}
		v, err := gate.OneGrant(c.Context(), args[0])
		if err != nil {
			return err
		}
		return g.tell(&v)
	}
	return g.Flags(c)
}

func (g *Gate) revoke() *cobra.Command {
	var reason string
	c := &cobra.Command{Use: "revoke ID", Short: "Take a grant back, at once", Args: cli.One("the ID of a grant, as 'toolverdict grants list' prints it")}
	c.Flags().StringVar(&reason, "reason", "", "`text` that is recorded")
	c.RunE = func(c *cobra.Command, args []string) error {
		gate, err := g.Connect()
		if err != nil {
			return err
		}
		v, err := gate.RevokeGrant(c.Context(), args[0], reason)
		if err != nil {
			return err
		}
		return g.tell(&v)
	}
	return g.Flags(c)
}

func (g *Gate) tell(v *client.Grant) error {
	if g.JSON() {
		return cli.JSON(g.Stdout, v)
	}
	rows := [][]string{
		{"id", v.ID}, {"state", v.State}, {"calls", v.Label}, {"of", v.Subject + ", same " + v.Scope},
		{"used", fmt.Sprintf("%d of %d", v.Used, v.MaxUses)}, {"expires", v.Expires.Local().Format(time.DateTime)},
		{"granted by", v.By}, {"reason", v.Reason}, {"at approval", v.Approval}, {"created", v.Created.Local().Format(time.DateTime)},
	}
	if r := v.Revoked; r != nil {
		rows = append(rows, []string{"revoked", r.At.Local().Format(time.DateTime) + " by " + r.By + " " + r.Reason})
	}
	return cli.Table(g.Stdout, rows)
}
