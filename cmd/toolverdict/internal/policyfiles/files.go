// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package policyfiles reads and writes what the commands about policies work on:
// policies, calls, and the tools that are known.
package policyfiles

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/internal/daemon"
	"github.com/toolverdict/toolverdict/internal/policyfile"
	"github.com/toolverdict/toolverdict/internal/workbench/calls"
	"github.com/toolverdict/toolverdict/policy"
)

// Known are the tools of the configuration, where one is named or found; nil
// where there is none.
func Known(ctx context.Context, a *cli.App) (tv.Catalog, error) {
	if a.ConfigPath(true) == "" {
		fmt.Fprintln(a.Stderr, "warning: there is no configuration, so the groups of tools and the roles of their arguments are not known: name it with --config")
		return nil, nil //nolint:nilnil // without a configuration no tool is known, which is not a fault
	}
	conf, err := a.Configuration(true)
	if err != nil {
		return nil, err
	}
	cat, err := daemon.KnownTools(ctx, a.Options(conf))
	if err != nil {
		return nil, cli.Usage("%v", err)
	}
	return cat, nil
}

// Read reads policy files, and those of folders.
func Read(paths ...string) ([]policy.File, error) {
	files, err := policyfile.Read(paths)
	if err != nil {
		return nil, cli.Usage("%v", err)
	}
	return files, nil
}

// Write puts what was made into a new file, or on standard output.
func Write(a *cli.App, path string, content []byte) error {
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

// Calls reads a file of calls; "-" is standard input.
func Calls(a *cli.App, path string) ([]calls.Call, error) {
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

// Rule names a rule that decided.
func Rule(id string) string {
	if id == "" {
		return "default"
	}
	return id
}

// Name makes a policy's name of a file's.
func Name(path, otherwise string) string {
	base, _, _ := strings.Cut(filepath.Base(path), ".")
	name := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, base), "-_")
	if name == "" {
		return otherwise
	}
	return name
}
