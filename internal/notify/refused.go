// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	tv "github.com/toolverdict/toolverdict"
)

// How many refused clicks of a channel leave a record each: what strangers send
// must not fill the log. Those that leave none are counted in the next record.
const refusedPerMinute = 6

// recordFor bounds how long one record may take.
const recordFor = 5 * time.Second

// refusals writes down clicks that did not count.
type refusals struct {
	store Store
	now   func() time.Time
	log   *slog.Logger

	mu     sync.Mutex
	limits map[string]*limiter // by channel, and whether the platform's word was good
	silent map[string]int      // refused without a record since the last one
}

func newRefusals(store Store, now func() time.Time, log *slog.Logger) *refusals {
	return &refusals{store: store, now: now, log: log, limits: map[string]*limiter{}, silent: map[string]int{}}
}

// refused is one click that did not count.
type refused struct {
	channel  string
	why      string
	operator string     // as the platform vouches for it; "" where nobody does
	by       tv.Subject // as we know the account; nobody where it is not linked
	approval *tv.Approval
}

// add leaves a record of a refused click, unless there were too many. Strangers
// cannot use up what is there for clicks that the platform vouches for.
func (r *refusals) add(ctx context.Context, f refused) {
	lane := f.channel + "/stranger"
	if f.operator != "" {
		lane = f.channel + "/vouched"
	}
	missed, ok := r.admit(lane)
	if !ok {
		return
	}
	detail := fmt.Sprintf("a click in channel %q did not count: %s", f.channel, f.why)
	if f.operator != "" {
		detail += fmt.Sprintf("; account %q", Line(f.operator, maxOperator))
	}
	if missed > 0 {
		detail += fmt.Sprintf("; %d more before it left no record", missed)
	}
	record := tv.Record{Kind: tv.RecordApproval, At: r.now(), Subject: f.by.ID, User: f.by.User, Detail: detail}
	if a := f.approval; a != nil {
		record.Approval, record.ApprovalState, record.Tool, record.Key = a.ID, a.State, a.Call.Tool, a.Key
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), recordFor)
	defer done()
	if err := r.store.Commit(ctx, tv.Changes{Records: []tv.Record{record}}); err != nil {
		r.log.Error("a click that did not count could not be recorded", "channel", f.channel, "why", f.why, "error", err)
	}
}

func (r *refusals) admit(lane string) (missed int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.limits[lane] == nil {
		r.limits[lane] = newLimiter(refusedPerMinute)
	}
	if !r.limits[lane].take(r.now()) {
		r.silent[lane]++
		return 0, false
	}
	missed = r.silent[lane]
	r.silent[lane] = 0
	return missed, true
}
