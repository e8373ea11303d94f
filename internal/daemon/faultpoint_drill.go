// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build faultpoints

package daemon

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	tv "github.com/toolverdict/toolverdict"
)

// drillFile names, in the data folder, the step at which the process kills
// itself as a power cut would: WHAT:before or WHAT:after, where WHAT is ask,
// intent, execute or outcome.
const drillFile = "crash-at"

func (d *Daemon) drill(c tv.Config) tv.Config {
	p := drillPoints{filepath.Join(d.Config.Data, drillFile)}
	c.Store = drillStore{c.Store, p}
	c.Executor = drillExecutor{c.Executor, p}
	return c
}

type drillPoints struct{ file string }

func (p drillPoints) reach(point string) {
	if b, err := os.ReadFile(p.file); err == nil && strings.TrimSpace(string(b)) == point {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

type drillStore struct {
	tv.Store

	points drillPoints
}

// Commit implements [tv.Store].
func (s drillStore) Commit(ctx context.Context, c tv.Changes) error {
	if len(c.Claims) == 0 {
		return s.Store.Commit(ctx, c)
	}
	what := map[tv.ClaimState]string{tv.ClaimWaiting: "ask", tv.ClaimDispatched: "intent"}[c.Claims[0].To.State]
	if what == "" {
		what = "outcome"
	}
	s.points.reach(what + ":before")
	err := s.Store.Commit(ctx, c)
	if err == nil {
		s.points.reach(what + ":after")
	}
	return err
}

type drillExecutor struct {
	tv.Executor

	points drillPoints
}

// Execute implements [tv.Executor].
func (e drillExecutor) Execute(ctx context.Context, p tv.Permit) tv.Outcome {
	e.points.reach("execute:before")
	o := e.Executor.Execute(ctx, p)
	e.points.reach("execute:after")
	return o
}
