// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package checking are the commands of "toolverdict policy" that say whether
// policies load, and what is odd about them.
package checking

import (
	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
)

type commands struct{ *cli.App }

// Commands are those of this group.
func Commands(app *cli.App) []*cobra.Command {
	a := &commands{app}
	return []*cobra.Command{a.check(), a.schema()}
}
