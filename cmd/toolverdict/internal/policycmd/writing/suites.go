// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package writing are the commands for those who write policies: they test,
// measure and explain them.
package writing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/internal/daemon"
	"github.com/toolverdict/toolverdict/internal/workbench/cases"
	"github.com/toolverdict/toolverdict/policy"
)

// commands are those of this group.
type commands struct{ *cli.App }

// Commands returns them all.
func Commands(app *cli.App) []*cobra.Command {
	a := &commands{app}
	return []*cobra.Command{a.test(), a.coverage(), a.explain()}
}

// configured is the configuration that the flags or this folder name, none where
// there is none. Beside a gate it is also that of the one last served; tests are
// not asked to mean something else where a gate runs.
func (a *commands) configured(beside bool) (daemon.Options, error) {
	if a.ConfigPath(beside) == "" {
		return a.Options(nil), nil
	}
	conf, err := a.Configuration(beside)
	return a.Options(conf), err
}

// suites reads files of tests and opens what they are about, each once.
func (a *commands) suites(ctx context.Context, paths, policies []string) ([]cases.Suite, error) {
	o, err := a.configured(false)
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		paths = []string{"."}
		if o.Config != nil {
			paths = []string{relative(o.Config.Dir())}
		}
	}
	files, err := cases.Find(paths)
	if err != nil {
		return nil, cli.Usage("%v", err)
	}
	if len(files) == 0 {
		return nil, cli.Usage("no tests: name files, or folders with files called *_test.yaml")
	}
	benches := map[string]*cases.Bench{}
	var out []cases.Suite
	var problems []error
	for _, file := range files {
		s, err := a.suite(ctx, o, benches, policies, file)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		out = append(out, s)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, cli.Usage("%v", err)
	}
	return out, nil
}

func (a *commands) suite(ctx context.Context, o daemon.Options, benches map[string]*cases.Bench, policies []string, file string) (cases.Suite, error) {
	b, err := cases.Read(file)
	if err != nil {
		return cases.Suite{}, err
	}
	parsed, err := policy.ParseCases(policy.File{Name: file, Content: b})
	if err != nil {
		return cases.Suite{}, err
	}
	named := cases.Files{Policies: policies, Catalogs: cases.Beside(file, parsed.Catalogs), Servers: map[string]string{}}
	for name, path := range parsed.Servers {
		named.Servers[name] = cases.Beside(file, []string{path})[0]
	}
	if len(policies) == 0 {
		named.Policies = cases.Beside(file, parsed.Policies)
	}
	if tested := cases.Tested(file); len(named.Policies) == 0 && tested != "" {
		named.Policies = []string{tested}
	}
	if len(named.Policies) == 0 && (o.Config == nil || named.Alone()) {
		return cases.Suite{}, fmt.Errorf("%s:1:1: it is not said which policy is tested: name it under policies", file)
	}
	key := fmt.Sprintf("%q", named)
	if benches[key] == nil {
		if benches[key], err = a.bench(ctx, o, named); err != nil {
			return cases.Suite{}, err
		}
	}
	return cases.Suite{File: file, Bench: benches[key], Cases: parsed.Cases}, nil
}

// bench opens what is worked on. Files that say what tools there are stand alone:
// the configuration then says nothing.
func (a *commands) bench(ctx context.Context, o daemon.Options, named cases.Files) (*cases.Bench, error) {
	var out *cases.Bench
	var err error
	if o.Config == nil || named.Alone() {
		out, err = cases.Open(named, a.Now())
	} else {
		out, err = daemon.OpenBench(ctx, o, named.Policies)
	}
	if err != nil {
		return nil, err
	}
	for _, w := range out.Warnings {
		fmt.Fprintln(a.Stderr, "warning:", cli.Line(w))
	}
	return out, nil
}

// relative is a path as seen from here, where that is shorter.
func relative(path string) string {
	if here, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(here, path); err == nil && len(rel) < len(path) {
			return rel
		}
	}
	return path
}
