// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Command go-agent is an agent in a hundred lines: a loop around a model whose
// tools are Go functions behind a gate. The model is scripted, so that it runs
// without a network.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "go-agent:", err)
		os.Exit(1)
	}
}

// run is the program.
func run(ctx context.Context, args []string, in io.Reader, out io.Writer) (err error) {
	flags := flag.NewFlagSet("go-agent", flag.ContinueOnError)
	yes := flags.Bool("yes", false, "agree to every question")
	folder := flags.String("folder", "", "keep the gate's files and its audit log there; \"\" forgets them at the end")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *folder == "" {
		if *folder, err = os.MkdirTemp("", "go-agent"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(*folder)) }()
	}
	a, err := newAgent(ctx, *folder, in, out, *yes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.gate.Close()) }()
	if err := a.work(ctx); err != nil {
		return err
	}
	return a.trail(ctx)
}
