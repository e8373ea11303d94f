// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package policychange are the commands of "toolverdict policy" that make a
// policy out of another program's, or tell what a change of one changes.
package policychange

import (
	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
)

type commands struct{ *cli.App }

// Commands are those of this group.
func Commands(app *cli.App) []*cobra.Command {
	a := &commands{app}
	return []*cobra.Command{a.imports(), a.diff()}
}
