// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package rollouts are the commands of "toolverdict policy" that bring a policy
// to gates and take it back: signing, verifying, going back to earlier versions.
package rollouts

import (
	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
)

type commands struct{ *cli.App }

// Commands are those of this group.
func Commands(app *cli.App) []*cobra.Command {
	a := &commands{app}
	return []*cobra.Command{a.keygen(), a.sign(), a.verify(), a.status(), a.versions(), a.rollback(), a.resume()}
}
