// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/internal/plain"
	"github.com/toolverdict/toolverdict/policy"
)

// Files are what a bench is made of where no configuration says it.
type Files struct {
	Policies, Catalogs []string
	Servers            map[string]string // by name: the file with the tools that it announces
}

// Alone reports whether the files say what tools there are.
func (f *Files) Alone() bool { return len(f.Catalogs) > 0 || len(f.Servers) > 0 }

// Open loads policies with the tools that files tell of, or none.
func Open(f Files, now time.Time) (*Bench, error) {
	out := &Bench{}
	complete := true
	if f.Alone() {
		in, err := f.input(now)
		if err != nil {
			return nil, err
		}
		cat, report, err := catalog.Build(in)
		if err != nil {
			return nil, err
		}
		out.Catalog, out.Warnings = cat, report.Warnings
		for _, e := range report.Tools {
			if e.State != catalog.Listed {
				complete = false
				out.Warnings = append(out.Warnings, fmt.Sprintf("tool %q: %s", plain.Line(e.Tool), plain.Line(e.Reason)))
			}
		}
	}
	var policies []policy.File
	for _, path := range f.Policies {
		b, err := Read(path)
		if err != nil {
			return nil, err
		}
		policies = append(policies, policy.File{Name: path, Content: b})
	}
	var err error
	out.Set, out.Report, err = policy.Compile(policies, out.Catalog, policy.Options{
		Discovery: out.Catalog == nil || !complete, Analyse: effect.Effects,
	})
	if err != nil {
		return nil, fmt.Errorf("read policy:\n%w", err)
	}
	return out, nil
}

// input is the catalog that the files make. A server that announces nothing here
// has the tools that catalogs name.
func (f *Files) input(now time.Time) (catalog.Input, error) {
	in := catalog.Input{Now: now}
	for _, path := range f.Catalogs {
		b, err := Read(path)
		if err != nil {
			return in, err
		}
		overlay, err := catalog.ParseOverlay(path, b)
		if err != nil {
			return in, fmt.Errorf("read catalog:\n%w", err)
		}
		in.Overlays = append(in.Overlays, overlay)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Servers)) {
		announced, err := announcement(f.Servers[name])
		if err != nil {
			return in, err
		}
		in.Servers = append(in.Servers, catalog.Server{Name: name, Announced: announced, Pinning: catalog.PinFirstSight})
	}
	for _, name := range catalog.Servers(in.Overlays) {
		if _, announces := f.Servers[name]; !announces {
			in.Servers = append(in.Servers, catalog.Server{Name: name, Local: true})
		}
	}
	return in, nil
}

// announcement reads a list of tools as a server tells it, alone or as the
// result of tools/list.
func announcement(path string) ([]json.RawMessage, error) {
	b, err := Read(path)
	if err != nil {
		return nil, err
	}
	var list []json.RawMessage
	if json.Unmarshal(b, &list) == nil {
		return list, nil
	}
	var result struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(b, &result); err != nil || result.Tools == nil {
		return nil, fmt.Errorf("read tools: %s: a JSON list of tools is wanted, or an object with one under tools", path)
	}
	return result.Tools, nil
}

// maxFile bounds a file, in bytes: its parser refuses what is too large with
// better words.
const maxFile = 16 << 20

// Read reads a file of those who write policies.
func Read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read file: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	b, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, fmt.Errorf("read file: %w", err)
	}
	return b, nil
}
