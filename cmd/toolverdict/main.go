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
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"os/user"
	"syscall"
	"time"
	_ "time/tzdata" // rules about the time of day mean the same on machines without zone files

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

// version is set when the program is linked.
var version = "devel"

// world is everything the program takes from outside.
type world struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) (string, bool)
	now            func() time.Time
	program        string         // as it was called
	userName       string         // of the operating system
	configFolder   string         // where the user keeps configurations, "" where there is none
	hangup         chan os.Signal // asks a running gate to read its files anew
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	w := world{
		program: os.Args[0], stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.LookupEnv, now: time.Now, hangup: hangup,
	}
	if u, err := user.Current(); err == nil {
		w.userName = u.Username
	}
	if dir, err := os.UserConfigDir(); err == nil {
		w.configFolder = dir
	}
	code := run(ctx, os.Args[1:], w)
	stop()
	os.Exit(code)
}

// Exit codes. docs/cli.md says the same.
const (
	exitDone        = 0
	exitInternal    = 1
	exitUsage       = 2 // wrong arguments, or a file that cannot be used
	exitDenied      = 3 // the gate said no, or a check failed
	exitWaiting     = 4 // a person must approve first
	exitTool        = 5 // the tool was called and failed, or its answer was lost
	exitUnavailable = 6 // no gate answered, or it could not decide and record
)

// exitError ends the program with a code. An empty text says nothing more: what
// there is to say was printed.
type exitError struct {
	code int
	text string
}

func (e *exitError) Error() string { return e.text }

func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Sprintf(format, args...)}
}

// quiet ends with a code after everything was printed.
func quiet(code int) error {
	if code == exitDone {
		return nil
	}
	return &exitError{code: code}
}

// codeOf is the exit code of an error.
func codeOf(err error) int {
	var exit *exitError
	var problem *client.Problem
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &exit):
		return exit.code
	case errors.Is(err, client.ErrUnreachable), errors.Is(err, client.ErrLost):
		return exitUnavailable
	case errors.As(err, &problem):
		return problemCode(problem.Status)
	}
	return exitInternal
}

func problemCode(status int) int {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusConflict:
		return exitDenied
	case status >= http.StatusInternalServerError:
		return exitUnavailable
	}
	return exitUsage
}

// resultCode is the exit code of a call's result.
func resultCode(r *tv.Result) int {
	if r.Success {
		return exitDone
	}
	if r.Error == nil {
		return exitInternal
	}
	switch r.Error.Code {
	case tv.ConfirmationRequired, tv.InProgress:
		return exitWaiting
	case tv.ToolError, tv.ToolTimeout, tv.OutcomeUnknown:
		return exitTool
	case tv.GateUnavailable:
		return exitUnavailable
	default: // whatever else there is, or will be, is a no
		return exitDenied
	}
}
