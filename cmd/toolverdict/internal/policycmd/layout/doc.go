// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package layout is the command that lays policies out in one way.
package layout

import (
	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
)

type commands struct{ *cli.App }

// Command is "toolverdict policy fmt".
func Command(app *cli.App) *cobra.Command {
	a := &commands{app}
	return a.format()
}
