// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package gated names the groups of commands that speak to a running gate.
package gated

import (
	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/grantcmd"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/notifycmd"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/statscmd"
)

// Gate is how commands reach a running gate.
type Gate = notifycmd.Gate

// Commands returns them.
func Commands(app *cli.App, gate Gate) []*cobra.Command {
	flags := func(c *cobra.Command) *cobra.Command { return gate.Flags(c, "approver") }
	grants := &grantcmd.Gate{App: app, Connect: gate.Client, Flags: flags}
	return []*cobra.Command{notifycmd.Command(app, gate), grants.Command()}
}

// Stats is approvals stats.
func Stats(app *cli.App, gate Gate) *cobra.Command {
	return gate.Flags(statscmd.Command(app, gate.Client), "approver")
}

// Similar are the flags of approvals approve that grant the like of a call.
type Similar = grantcmd.Similar
