// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Command toolverdict runs the gate and speaks to one that runs.
//
// It is thin: it reads arguments, hands them to the packages that know, prints
// what came of it and turns that into an exit code. docs/cli.md is its manual.
package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/signal"
	"os/user"
	"syscall"
	"time"
	_ "time/tzdata" // rules about the time of day mean the same on machines without zone files

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

// version is set when the program is linked.
var version = "devel"

// world is everything the program takes from outside.
type world struct {
	cli.World

	program string         // as it was called
	hangup  chan os.Signal // asks a running gate to read its files anew
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	w := world{program: os.Args[0], hangup: hangup, World: cli.World{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.LookupEnv, Now: time.Now, Version: version,
	}}
	if u, err := user.Current(); err == nil {
		w.UserName = u.Username
	}
	if dir, err := os.UserConfigDir(); err == nil {
		w.ConfigFolder = dir
	}
	code := run(ctx, os.Args[1:], w)
	stop()
	os.Exit(code)
}

// codeOf is the exit code of an error.
func codeOf(err error) int {
	var exit *cli.Error
	var problem *client.Problem
	switch {
	case err == nil:
		return cli.ExitDone
	case errors.As(err, &exit):
		return exit.Code
	case errors.Is(err, client.ErrUnreachable), errors.Is(err, client.ErrLost):
		return cli.ExitUnavailable
	case errors.As(err, &problem):
		return problemCode(problem.Status)
	}
	return cli.ExitInternal
}

func problemCode(status int) int {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusConflict:
		return cli.ExitDenied
	case status >= http.StatusInternalServerError:
		return cli.ExitUnavailable
	}
	return cli.ExitUsage
}
