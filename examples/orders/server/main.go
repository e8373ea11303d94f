// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Command server is the orders example's MCP server: a small shop with real
// effects, over stdio or, with -http, over Streamable HTTP on the loopback
// interface. It trusts whoever speaks to it, as most MCP servers do: it is here
// to stand behind a gate.
package main

import (
	"context"
	"crypto/rand"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	bash, err := exec.LookPath("bash")
	if err != nil {
		bash = "" // execute_shell then says so itself
	}
	code := run(ctx, os.Args[1:], world{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		now: time.Now, newID: rand.Text, exit: os.Exit, bash: bash,
	})
	stop()
	os.Exit(code)
}
