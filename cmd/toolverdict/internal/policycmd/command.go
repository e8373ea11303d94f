// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package policycmd are the commands of "toolverdict policy". They are thin: what
// they print was found out by the packages below.
package policycmd

import (
	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/policychange"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/policycmd/checking"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/policycmd/layout"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/policycmd/rollouts"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/policycmd/writing"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/policylog"
)

// Command is "toolverdict policy" with all below it.
func Command(app *cli.App) *cobra.Command {
	group := cli.Group("policy", "Check, test, explain and change policies", checking.Commands(app)...)
	group.AddCommand(writing.Commands(app)...)
	group.AddCommand(layout.Command(app))
	group.AddCommand(policychange.Commands(app)...)
	group.AddCommand(rollouts.Commands(app)...)
	group.AddCommand(policylog.Commands(app)...)
	return group
}
