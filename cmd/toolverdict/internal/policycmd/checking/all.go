// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package checking

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon"
	"github.com/toolverdict/toolverdict/internal/policyfile"
)

// checked is what came of the policies of one folder.
type checked struct {
	daemon.PolicyReport

	Folder string `json:"folder"`
	Error  string `json:"error,omitempty"` // why they do not load
}

// checkAll checks the policies of every folder below some: each by itself, for
// rules of one need not fit beside those of another. Where a folder has a
// configuration, that says what belongs together and which tools there are.
func (a *commands) checkAll(ctx context.Context, paths []string, strict bool) error {
	var all []checked
	var others []string
	for _, path := range paths {
		root, deep := policyfile.Root(path)
		if !deep {
			return cli.Usage("%s: name either files and folders, or only paths that end in /%s", path, policyfile.Everything)
		}
		folders, left, err := policyfile.Below(root)
		if err != nil {
			return cli.Usage("%v", err)
		}
		others = append(others, left...)
		for i := range folders {
			all = append(all, a.checkFolder(ctx, &folders[i])...)
		}
	}
	if len(all) == 0 {
		return cli.Usage("no policy below %s", paths[0])
	}
	code := cli.ExitDone
	for i := range all {
		switch {
		case all[i].Error != "":
			code = cli.ExitUsage
		case strict && len(all[i].Warnings) > 0 && code == cli.ExitDone:
			code = cli.ExitDenied
		}
	}
	if a.JSON() {
		if err := cli.JSON(a.Stdout, map[string]any{"folders": all, "leftOut": append([]string{}, others...)}); err != nil {
			return err
		}
		return cli.Quiet(code)
	}
	for _, path := range others {
		fmt.Fprintf(a.Stderr, "left out: %s: no policy\n", cli.Line(path))
	}
	for i := range all {
		if err := a.checkedFolder(&all[i], strict); err != nil {
			return err
		}
	}
	return cli.Quiet(code)
}

func (a *commands) checkedFolder(c *checked, strict bool) error {
	if c.Error != "" {
		fmt.Fprintf(a.Stderr, "%s: %s\n", cli.Line(c.Folder), cli.Plain(c.Error))
		_, err := fmt.Fprintf(a.Stdout, "%s: WRONG: it does not load\n", cli.Line(c.Folder))
		return err
	}
	return a.print(&c.PolicyReport, cli.Line(c.Folder)+": ", strict)
}

// checkFolder checks what the folder's own configuration names, and what it does
// not name by itself.
func (a *commands) checkFolder(ctx context.Context, f *policyfile.Folder) []checked {
	var out []checked
	check := func(conf *config.Config, files []string, where string) {
		report, err := daemon.CheckPolicy(ctx, a.Options(conf), files)
		one := checked{PolicyReport: report, Folder: where}
		if err != nil {
			one.Error = err.Error()
		}
		out = append(out, one)
	}
	conf, err := a.configurationFor(f)
	if err != nil {
		return []checked{{Folder: f.Path, Error: err.Error()}}
	}
	rest := f.Policies
	if f.Configured && a.Config == "" {
		check(conf, nil, f.Path)
		rest = slices.DeleteFunc(slices.Clone(rest), func(path string) bool { return named(conf, path) })
		for _, path := range rest {
			check(conf, []string{path}, path)
		}
		return out
	}
	if len(rest) > 0 {
		check(conf, rest, f.Path)
	}
	return out
}

// configurationFor is the one that the flags name, else the folder's own, else
// the one that is found from here; nil where there is none.
func (a *commands) configurationFor(f *policyfile.Folder) (*config.Config, error) {
	switch {
	case a.Config == "" && f.Configured:
		return config.Load(filepath.Join(f.Path, cli.ConfigHere))
	case a.ConfigPath(true) != "":
		return a.Configuration(true)
	}
	return nil, nil //nolint:nilnil // policies may be checked where no tool is known
}

// named reports whether a configuration names a policy, or its folder.
func named(c *config.Config, path string) bool {
	abs, err := filepath.Abs(path)
	return err == nil && (slices.Contains(c.Policies, abs) || slices.Contains(c.Policies, filepath.Dir(abs)))
}
