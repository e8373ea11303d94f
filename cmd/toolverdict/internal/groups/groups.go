// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package groups names the groups of commands that have a room of their own.
package groups

import (
	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/auditcmd"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/doctorcmd"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/groups/gated"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/hookcmd"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/policycmd"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/usercmd"
)

// Commands returns all of them.
func Commands(app *cli.App) []*cobra.Command {
	return []*cobra.Command{auditcmd.Command(app), policycmd.Command(app), usercmd.Command(app), hookcmd.Command(app), doctorcmd.Command(app)}
}

// Gate is how commands reach a running gate.
type Gate = gated.Gate

// Gated returns those that speak to a running gate.
func Gated(app *cli.App, gate Gate) []*cobra.Command { return gated.Commands(app, gate) }

// Stats is approvals stats.
func Stats(app *cli.App, gate Gate) *cobra.Command { return gated.Stats(app, gate) }

// Similar are the flags of approvals approve that grant the like of a call.
type Similar = gated.Similar
