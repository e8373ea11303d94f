// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package policychange are the commands of "toolverdict policy" that make a
// policy out of something else, or tell what a change of one would do.
package policychange

import (
	"os"

	"github.com/spf13/cobra"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/internal/daemon"
	"github.com/toolverdict/toolverdict/internal/workbench/calls"
)

type commands struct{ *cli.App }

// Commands are those of this group.
func Commands(app *cli.App) []*cobra.Command {
	a := &commands{app}
	return []*cobra.Command{a.imports(), a.diff()}
}

// known are the tools of the configuration, where one is named or found.
func (a *commands) known(c *cobra.Command) (tv.Catalog, error) {
	if a.ConfigPath(true) == "" {
		return nil, nil //nolint:nilnil // without a configuration no tool is known, which is not a fault
	}
	conf, err := a.Configuration(true)
	if err != nil {
		return nil, err
	}
	cat, err := daemon.KnownTools(c.Context(), a.Options(conf))
	if err != nil {
		return nil, cli.Usage("%v", err)
	}
	return cat, nil
}

// write puts what was made into a new file, or on standard output.
func (a *commands) write(path string, content []byte) error {
	if path == "" {
		_, err := a.Stdout.Write(content)
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // a policy is no secret
	if err != nil {
		return cli.Usage("write the policy: %v", err)
	}
	if _, err = f.Write(content); err != nil {
		_ = f.Close()
		return cli.Usage("write the policy: %v", err)
	}
	return f.Close()
}

// readCalls reads a file of calls; "-" is standard input.
func (a *commands) readCalls(path string) ([]calls.Call, error) {
	from := a.Stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, cli.Usage("read calls: %v", err)
		}
		defer f.Close()
		from = f
	}
	list, err := calls.Read(path, from)
	if err != nil {
		return nil, cli.Usage("%v", err)
	}
	return list, nil
}

// rule names a rule that decided.
func rule(id string) string {
	if id == "" {
		return "default"
	}
	return id
}
