// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
)

// Stored calls of a sequential tool that are named by their confirmations only
// run one after another too, in the order given.
func TestBatchOfConfirmationsKeepsTheOrder(t *testing.T) {
	t.Parallel()
	tool := gatetest.Tool("cancel", func(d *tv.Definition) { d.Safety, d.Execution = tv.Destructive, tv.Sequential })
	r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{tool}, nil)
	var calls []tv.Proposal
	for i := range 8 {
		id := r.approve(r.do(call("cancel", fmt.Sprintf(`{"id":%d}`, i))))
		calls = append(calls, tv.Proposal{Door: tv.DoorHTTP, Confirmation: id, Subject: caller})
	}
	var running, most atomic.Int32
	r.exec.Func = func(context.Context, tv.Permit) tv.Outcome {
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		return tv.Outcome{Status: tv.Succeeded}
	}
	results, _ := r.DoAll(context.Background(), calls)
	for _, res := range results {
		r.want(res, "")
	}
	for i, ran := range r.exec.Ran() {
		if want := fmt.Sprintf(`{"id":%d}`, i); ran.Arguments != want {
			t.Errorf("run %d had %s, want %s", i, ran.Arguments, want)
		}
	}
	if most.Load() != 1 {
		t.Errorf("%d ran side by side", most.Load())
	}
}
