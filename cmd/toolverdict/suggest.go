// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
)

func (a *app) toolsSuggestRoles() *cobra.Command {
	c := &cobra.Command{
		Use:   "suggest-roles [TOOL…]",
		Short: "Propose what arguments mean, for a person to confirm",
		Long: `Propose what arguments mean: which are commands, statements, paths, URLs,
recipients, amounts. It starts the configured servers, reads their schemas and
prints a catalog overlay, with what spoke for each guess and what to find out.

Nothing is put in force. A role that is wrong could make a rule miss what a tool
does, so look at each before you merge it into a catalog. Arguments that have a
role already are left out.`,
	}
	c.RunE = func(c *cobra.Command, names []string) (err error) {
		r, unanswered, err := a.review(c)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.Close()) }()
		found, err := r.SuggestRoles(c.Context(), names)
		if err != nil {
			return cli.Usage("%v", err)
		}
		if len(found) == 0 && len(names) > 0 && unanswered == nil {
			return cli.Usage("no server announces %s: 'toolverdict tools list' shows what there is", strings.Join(names, ", "))
		}
		switch text := found.Overlay(); {
		case a.JSON():
			err = cli.JSON(a.Stdout, found)
		case text != "":
			_, err = fmt.Fprint(a.Stdout, text)
		case unanswered == nil:
			_, err = fmt.Fprintln(a.Stderr, "nothing to propose: no argument without a role has a name or format that says what it means")
		}
		if err == nil && unanswered != nil {
			err = &cli.Error{Code: cli.ExitTool, Text: unanswered.Error()}
		}
		return err
	}
	a.OutputFlag(c)
	return a.FileFlags(c)
}
