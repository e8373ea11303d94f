// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package groups names the groups of commands that have a room of their own.
package groups

import (
	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/auditcmd"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/policycmd"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/usercmd"
)

// Commands returns all of them.
func Commands(app *cli.App) []*cobra.Command {
	return []*cobra.Command{auditcmd.Command(app), policycmd.Command(app), usercmd.Command(app)}
}
