// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package policylog are the commands of "toolverdict policy" that work on calls
// of the past: those that the audit log tells of, or a file of calls.
package policylog

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/policyfiles"
	"github.com/toolverdict/toolverdict/internal/workbench/calls"
)

type commands struct{ *cli.App }

// Commands are those of this group.
func Commands(app *cli.App) []*cobra.Command {
	a := &commands{app}
	return []*cobra.Command{a.replay(), a.suggest()}
}

// source says which calls are meant.
type source struct {
	file, since, until string
	filter             calls.Filter
}

func (s *source) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&s.file, "calls", "", "`file` of calls, one JSON object a line, in place of the audit log; - is standard input")
	f.StringVar(&s.since, "since", "", "decided at or after this `time`: RFC 3339, or a duration ago such as 24h")
	f.StringVar(&s.until, "until", "", "decided before this `time`")
	f.StringVar(&s.filter.Tool, "tool", "", "of this tool, by its full `name`; a star at its end stands for any rest")
	f.StringVar(&s.filter.Session, "session", "", "of this `session`")
}

// calls reads the calls that are meant.
func (a *commands) calls(ctx context.Context, s *source) (list []calls.Call, err error) {
	if s.file != "" {
		if s.since+s.until+s.filter.Tool+s.filter.Session != "" {
			return nil, cli.Usage("--since, --until, --tool and --session choose from the audit log: they do not go with --calls")
		}
		return policyfiles.Calls(a.App, s.file)
	}
	if s.filter.Since, err = a.Moment(s.since); err != nil {
		return nil, err
	}
	if s.filter.Until, err = a.Moment(s.until); err != nil {
		return nil, err
	}
	data := a.DataFolder()
	if !cli.IsFolder(data) {
		return nil, cli.Usage("name the gate's data folder with --data, or a file of calls with --calls")
	}
	list, err = calls.Log(ctx, data, s.filter)
	if err != nil {
		return nil, &cli.Error{Code: cli.ExitUnavailable, Text: err.Error()}
	}
	return list, nil
}
