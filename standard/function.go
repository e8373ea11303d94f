// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package standard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/policyfile"
	"github.com/toolverdict/toolverdict/policy"
)

// Func runs a tool. Its arguments are the validated bytes that were decided; its
// answer must be JSON. An error means that the tool failed: its text is told to
// the agent. A panic, or a context that ended, leaves the outcome unknown.
type Func func(ctx context.Context, arguments []byte) (json.RawMessage, error)

// Typed makes a function of Go types a tool. Arguments that do not fit In are a
// failure of the tool before it is entered; the catalog's schema should refuse
// them first.
func Typed[In, Out any](run func(ctx context.Context, in In) (Out, error)) Func {
	return func(ctx context.Context, arguments []byte) (json.RawMessage, error) {
		var in In
		if err := json.Unmarshal(arguments, &in); err != nil {
			return nil, errors.New("the arguments do not fit the function")
		}
		out, err := run(ctx, in)
		if err != nil {
			return nil, err
		}
		return json.Marshal(out)
	}
}

// executor runs permitted calls by the name of their tool.
type executor map[string]Func

// Execute implements [toolverdict.Executor].
func (e executor) Execute(ctx context.Context, p toolverdict.Permit) toolverdict.Outcome {
	if !p.Valid() {
		return toolverdict.Outcome{Status: toolverdict.NotSent, Code: toolverdict.ToolError, Message: "The permit is not one of the gate's."}
	}
	run, ok := e[p.Tool().Name()]
	if !ok {
		return toolverdict.Outcome{Status: toolverdict.NotSent, Code: toolverdict.ToolError, Message: "No function runs this tool."}
	}
	content, err := run(ctx, slices.Clone(p.Arguments()))
	switch {
	case err != nil && ctx.Err() != nil:
		return toolverdict.Outcome{Code: toolverdict.ToolTimeout, Message: "The tool did not end in time."}
	case err != nil:
		return toolverdict.Outcome{Status: toolverdict.Failed, Code: toolverdict.ToolError, Message: err.Error()}
	case len(content) > 0 && !json.Valid(content):
		return toolverdict.Outcome{Status: toolverdict.Failed, Code: toolverdict.ToolError, Message: "The tool answered with what is no JSON."}
	}
	return toolverdict.Outcome{Status: toolverdict.Succeeded, Content: content}
}

// snapshots is one snapshot for good.
type snapshots struct{ toolverdict.Snapshot }

// Current implements [toolverdict.Snapshots].
func (s snapshots) Current() *toolverdict.Snapshot { return &s.Snapshot }

// checking holds the catalog against the functions.
type checking func(cat *catalog.Catalog, report *catalog.Report, functions map[string]Func) error

// load reads catalogs and policies and holds them against the functions.
func load(conf *config.Config, functions map[string]Func, check checking) (snapshots, error) {
	in := catalog.Input{}
	names := map[string]bool{}
	for name := range functions {
		server, _, ok := strings.Cut(name, "/")
		if !ok {
			return snapshots{}, fmt.Errorf("function %q: its name must be SERVER/NAME", name)
		}
		names[server] = true
	}
	for _, path := range conf.Catalogs {
		b, err := os.ReadFile(path)
		if err != nil {
			return snapshots{}, fmt.Errorf("read catalog: %w", err)
		}
		overlay, err := catalog.ParseOverlay(path, b)
		if err != nil {
			return snapshots{}, fmt.Errorf("read catalog:\n%w", err)
		}
		in.Overlays = append(in.Overlays, overlay)
	}
	if functions == nil {
		for _, server := range catalog.Servers(in.Overlays) {
			names[server] = true
		}
	}
	for _, server := range slices.Sorted(maps.Keys(names)) {
		in.Servers = append(in.Servers, catalog.Server{Name: server, Local: true})
	}
	cat, report, err := catalog.Build(in)
	if err != nil {
		return snapshots{}, fmt.Errorf("build catalog:\n%w", err)
	}
	if err := check(cat, &report, functions); err != nil {
		return snapshots{}, err
	}
	files, err := policyfile.Read(conf.Policies)
	if err != nil {
		return snapshots{}, err
	}
	effect.Warm(cat.Tools())
	set, _, err := policy.Compile(files, cat, policy.Options{Analyse: effect.Effects})
	if err != nil {
		return snapshots{}, fmt.Errorf("read policy:\n%w", err)
	}
	return snapshots{toolverdict.Snapshot{Catalog: cat, Policy: set}}, nil
}

// match refuses functions that the catalog does not describe, and tools that no
// function runs.
func match(cat *catalog.Catalog, report *catalog.Report, functions map[string]Func) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		entry, known := report.Entry(name)
		switch {
		case functions[name] == nil:
			errs = append(errs, fmt.Errorf("tool %q: its function is nil", name))
		case !known:
			errs = append(errs, fmt.Errorf("function %q: no catalog describes it: add it under tools", name))
		case entry.State != catalog.Listed:
			errs = append(errs, fmt.Errorf("tool %q: %s", name, entry.Reason))
		}
	}
	for _, t := range cat.Tools() {
		if _, ok := functions[t.Name()]; !ok && !catalog.IsMethod(t.Name()) {
			errs = append(errs, fmt.Errorf("tool %q: no function runs it", t.Name()))
		}
	}
	return errors.Join(errs...)
}

// complete refuses a catalog of which an entry is left out.
func complete(_ *catalog.Catalog, report *catalog.Report, _ map[string]Func) error {
	var errs []error
	for i := range report.Tools {
		if e := &report.Tools[i]; e.State != catalog.Listed {
			errs = append(errs, fmt.Errorf("tool %q: %s", e.Tool, e.Reason))
		}
	}
	return errors.Join(errs...)
}
