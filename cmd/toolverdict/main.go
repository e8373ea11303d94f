// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Command toolverdict runs the gate and speaks to one that runs.
//
// It is thin: it reads arguments, hands them to the packages that know, prints
// what came of it and turns that into an exit code. docs/cli.md is its manual.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"os/user"
	"syscall"
	"time"
)

// version is set when the program is linked.
var version = "devel" //nolint:gochecknoglobals // the linker can set nothing else

// world is everything the program takes from outside.
type world struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) (string, bool)
	now            func() time.Time
	userName       string         // of the operating system
	hangup         chan os.Signal // asks a running gate to read its files anew
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	w := world{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.LookupEnv, now: time.Now, hangup: hangup,
	}
	if u, err := user.Current(); err == nil {
		w.userName = u.Username
	}
	code := run(ctx, os.Args[1:], w)
	stop()
	os.Exit(code)
}
