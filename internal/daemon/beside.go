// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"sync"
	"time"

	"github.com/toolverdict/toolverdict/internal/filewatch"
)

// How often what runs beside the calls is done.
const (
	sweepEvery = 5 * time.Second  // what the clock ended is written down
	pinsEvery  = time.Second      // pins that another process wrote are taken up
	lookEvery  = 30 * time.Second // policy files are looked at, whether or not anybody is notified
)

// quietFor is how long files that change are left alone.
const quietFor = 300 * time.Millisecond

// start begins what runs beside the calls: sweeping, recovery, discovery.
func (d *Daemon) start() {
	ctx, stop := context.WithCancel(context.Background())
	d.stop = stop
	d.every(ctx, sweepEvery, d.sweep)
	d.every(ctx, pinsEvery, d.followPins)
	d.work.Go(func() { d.policies.Run(ctx) })
	d.work.Go(func() { d.channels.Run(ctx) })
	if d.Config.Watch != "none" {
		d.work.Go(func() {
			filewatch.Run(ctx, filewatch.Config{Paths: d.policies.Paths, Quiet: quietFor, Poll: lookEvery, Log: d.Log, Look: d.policies.Look})
		})
	}
	var first sync.WaitGroup
	for _, u := range d.upstreams {
		first.Add(1)
		d.work.Go(func() { d.watch(ctx, u, first.Done) })
	}
	d.work.Go(func() {
		first.Wait()
		close(d.settled)
	})
}

func (d *Daemon) every(ctx context.Context, pause time.Duration, do func(context.Context)) {
	d.work.Go(func() {
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				do(ctx)
			}
		}
	})
}

func (d *Daemon) sweep(ctx context.Context) {
	if _, err := d.desk.Sweep(ctx); err != nil && ctx.Err() == nil {
		d.Log.Error("approvals that ended were not written down; trying again", "error", err)
	}
	if _, err := d.grants.Sweep(ctx); err != nil && ctx.Err() == nil {
		d.Log.Error("grants that ended were not written down; trying again", "error", err)
	}
	if err := d.runs.Sweep(ctx); err != nil && ctx.Err() == nil {
		d.Log.Error("runs that ended were not taken away; trying again", "error", err)
	}
	if n := d.api.Sweep(ctx); n > 0 {
		d.Log.Warn("calls that callers claimed were not reported in time: their outcome is unknown", "calls", n)
	}
	n, err := d.book.Recover(ctx)
	if err != nil && ctx.Err() == nil {
		d.Log.Error("calls whose answers were lost were not written down; trying again", "error", err)
	}
	if n > 0 {
		d.Log.Warn("the answers of calls were lost: their outcome is unknown", "calls", n)
	}
}

// followPins takes up pins that somebody changed, perhaps from another process.
func (d *Daemon) followPins(ctx context.Context) {
	pins, err := d.store.Pins(ctx)
	if err != nil {
		if ctx.Err() == nil {
			d.Log.Error("pins could not be read; trying again", "error", err)
		}
		return
	}
	if fingerprint(pins) == d.now.p.Load().pins {
		return
	}
	if err := d.rebuild(ctx); err != nil {
		d.Log.Error("pins changed and could not be put in force; trying again", "error", err)
	}
}

// firstAnswers bounds how long a caller that is early waits for upstreams to
// tell their tools.
const firstAnswers = 5 * time.Second

// Settle returns once every upstream was asked for its tools once, whatever
// came of it, or when ctx ends. A caller that comes right after the start would
// otherwise be told that tools do not exist.
func (d *Daemon) Settle(ctx context.Context) {
	select {
	case <-d.settled:
		return
	default:
	}
	late := time.NewTimer(firstAnswers)
	defer late.Stop()
	select {
	case <-d.settled:
	case <-ctx.Done():
	case <-late.C:
	}
}
