// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Command bench measures what the gate adds to an MCP call: against the same upstream called
// directly, and against a plain reverse proxy. It makes the load itself and checks every reply;
// client, hop and upstream share the machine, so that only the ratios mean anything elsewhere.
//
// Usage: bench [-rounds N] [-time D] [-client raw|ordinary] [-direct]
//
// It runs from the repository, whose gate and baseline server it builds.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// options are the command line.
type options struct {
	rounds int
	length time.Duration
	direct bool // leave the gate out
	client string
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 5, "how often everything is measured, in turn; the table shows medians")
	flag.DurationVar(&o.length, "time", 1500*time.Millisecond, "how long one measurement takes")
	flag.BoolVar(&o.direct, "direct", false, "measure the baselines only")
	flag.StringVar(&o.client, "client", "raw", "HTTP client: raw costs nearly nothing, so that ratios are at their worst; ordinary is net/http")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, os.Stdout, time.Now); err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, out io.Writer, now clock) error {
	open, ok := map[string]opener{"raw": openHTTP, "ordinary": openOrdinary}[o.client]
	if !ok {
		return fmt.Errorf("choose a client: %q is none of raw, ordinary", o.client)
	}
	dir, err := os.MkdirTemp("", "toolverdict-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	packages := []string{"./e2e/upstream/plain"}
	if !o.direct {
		packages = append(packages, "./cmd/toolverdict")
	}
	if err := build(ctx, dir, packages); err != nil {
		return err
	}
	l := &lab{dir: dir, now: now, gate: !o.direct, open: open}
	defer l.close()
	targets, err := l.targets(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s/%s, %d CPUs, %s; %s HTTP client; %d rounds of %v each, medians\n\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), o.client, o.rounds, o.length)
	lines, err := interleave(ctx, targets, o, now)
	if err != nil {
		return err
	}
	if err := printTable(out, lines); err != nil {
		return err
	}
	return l.extras(ctx, out)
}

// build builds packages of this repository, wherever in it the command was started.
func build(ctx context.Context, dir string, packages []string) error {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return fmt.Errorf("find the repository: %v; run this inside it", err)
	}
	for _, pkg := range packages {
		cmd := exec.CommandContext(ctx, "go", "build", "-o", dir+string(filepath.Separator), pkg)
		cmd.Dir = string(root[:len(root)-1])
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %v\n%s", pkg, err, text)
		}
	}
	return nil
}

// interleave measures every target once per round, so that a change of the machine's mood meets all
// of them alike, and each round begins with another one.
func interleave(ctx context.Context, targets []target, o options, now clock) ([]line, error) {
	concurrency := []int{1, 32}
	samples := make([][][]sample, len(concurrency))
	for i := range samples {
		samples[i] = make([][]sample, len(targets))
	}
	for round := range o.rounds {
		for i, slots := range concurrency {
			for k := range targets {
				at := (k + round) % len(targets)
				s, err := measure(ctx, targets[at], slots, o.length, now)
				if err != nil {
					return nil, err
				}
				samples[i][at] = append(samples[i][at], s)
			}
		}
	}
	var lines []line
	for i, slots := range concurrency {
		for at, t := range targets {
			lines = append(lines, line{group: t.group, name: t.name, direct: t.direct, gate: strings.HasPrefix(t.name, "gate"), concurrent: slots, sample: middle(samples[i][at])})
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return order(targets, a.group) - order(targets, b.group) })
	return lines, nil
}

// order is the place of a group in the list of targets.
func order(targets []target, group string) int {
	return slices.IndexFunc(targets, func(t target) bool { return t.group == group })
}
