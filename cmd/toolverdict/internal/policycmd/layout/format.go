// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/policyfiles"
	"github.com/toolverdict/toolverdict/internal/policyfile"
	"github.com/toolverdict/toolverdict/internal/workbench/cases"
	"github.com/toolverdict/toolverdict/policy"
)

// formatted is one file and whether its layout was another.
type formatted struct {
	File    string `json:"file"`
	Changed bool   `json:"changed"`

	text []byte
}

func (a *commands) format() *cobra.Command {
	var write, check bool
	c := &cobra.Command{
		Use:   "fmt FILE|FOLDER...",
		Short: "Lay policies and files of tests out in one way",
		Long: `Lay policies and files of tests out in one way: two spaces, one order of keys, a
blank line between rules, brackets as long as a line holds them. Comments stay,
and what a file says is the same: its hash does not change.

Of a folder all policies and files of tests are taken, however deep: those that
'policy check FOLDER/...' and 'policy test FOLDER' would find.

The result goes to standard output, or with --write into the files. With --check
nothing is written, and exit code 3 means that a file has another layout.`,
		Args: cobra.MinimumNArgs(1),
	}
	c.Flags().BoolVarP(&write, "write", "w", false, "write files whose layout is another")
	c.Flags().BoolVar(&check, "check", false, "name files whose layout is another, and write nothing")
	c.MarkFlagsMutuallyExclusive("write", "check")
	c.RunE = func(_ *cobra.Command, args []string) error {
		files, err := a.layOut(args)
		if err != nil {
			return cli.Usage("%v", err)
		}
		changed := false
		for _, f := range files {
			changed = changed || f.Changed
			if write && f.Changed {
				if err := policyfiles.Replace(f.File, f.text); err != nil {
					return fmt.Errorf("write file: %w", err)
				}
			}
		}
		if err := a.formatted(files, write || check); err != nil {
			return err
		}
		if check && changed {
			return cli.Quiet(cli.ExitDenied)
		}
		return nil
	}
	a.OutputFlag(c)
	return c
}

// expand puts the policies and tests below folders in the place of these.
func (a *commands) expand(paths []string) ([]string, error) {
	var out []string
	for _, path := range paths {
		root, _ := policyfile.Root(path)
		if !cli.IsFolder(root) {
			out = append(out, path)
			continue
		}
		folders, others, err := policyfile.Below(root)
		if err != nil {
			return nil, err
		}
		for _, other := range others {
			fmt.Fprintf(a.Stderr, "left out: %s: no policy\n", cli.Line(other))
		}
		before := len(out)
		for _, f := range folders {
			out = append(append(out, f.Policies...), f.Tests...)
		}
		if len(out) == before {
			return nil, fmt.Errorf("no policy below %s", path)
		}
	}
	return out, nil
}

// layOut lays out all files, or none.
func (a *commands) layOut(named []string) ([]formatted, error) {
	paths, err := a.expand(named)
	if err != nil {
		return nil, err
	}
	var out []formatted
	var problems []error
	for _, path := range paths {
		b, err := cases.Read(path)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		text, err := policy.Format(policy.File{Name: path, Content: b})
		if err != nil {
			problems = append(problems, err)
			continue
		}
		out = append(out, formatted{path, !bytes.Equal(b, text), text})
	}
	return out, errors.Join(problems...)
}

func (a *commands) formatted(files []formatted, names bool) error {
	if a.JSON() {
		return cli.JSON(a.Stdout, files)
	}
	for _, f := range files {
		var err error
		switch {
		case !names:
			_, err = a.Stdout.Write(f.text)
		case f.Changed:
			_, err = fmt.Fprintln(a.Stdout, cli.Line(f.File))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
