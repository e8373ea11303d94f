// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Command behind runs an MCP client against a server from behind the gate: it starts a gate that
// allows everything, with the server as its one upstream, and then the client with the gate's
// address in place of the server's.
//
// Usage: behind -gate PROGRAM -client PROGRAM URL
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"

	"github.com/toolverdict/toolverdict/e2e/internal/rig"
)

const (
	upstream = "suite"
	policy   = `policy: allow-all
version: v1
default: deny
rules:
  - id: everything
    verdict: allow
    reason: Nothing is judged here
    tools: ["*", "@*"]
`
	catalog = "tools:\n  \"" + upstream + "/*\": {safety: read-only, risk: low}\n"
)

func main() {
	gate := flag.String("gate", "", "the gate's program")
	client := flag.String("client", "", "the client's program; it gets the address as its argument")
	flag.Parse()
	if *gate == "" || *client == "" || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: behind -gate PROGRAM -client PROGRAM URL")
		os.Exit(2)
	}
	code, err := run(context.Background(), *gate, *client, flag.Arg(0))
	if err != nil {
		fmt.Fprintf(os.Stderr, "behind: %v\n", err)
		os.Exit(1)
	}
	os.Exit(code)
}

// run returns the client's exit code.
func run(ctx context.Context, gate, client, url string) (int, error) {
	dir, err := os.MkdirTemp("", "toolverdict-behind-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	g, err := rig.NewGate(rig.GateSpec{Bin: gate, Dir: dir, Policy: policy, Catalog: catalog, Upstreams: []rig.Upstream{{Name: upstream, URL: url}}})
	if err != nil {
		return 0, err
	}
	p, addr, err := g.Serve(ctx)
	if err != nil {
		return 0, err
	}
	defer p.Stop()
	front, stop := rig.AddKey(addr, g.Key)
	defer stop()
	cmd := exec.CommandContext(ctx, client, "http://"+front+rig.Endpoint(upstream))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err = cmd.Run()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		return 0, err
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		fmt.Fprintf(os.Stderr, "the gate printed:\n%s\n", p.Output())
		return code, nil
	}
	return 0, nil
}
