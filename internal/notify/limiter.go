// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"sync"
	"time"
)

// defaultPerMinute stays below what platforms take: of them all the narrowest
// is 30 a minute and 1000 an hour for one member, and what is more is dropped
// without a word.
const (
	defaultPerMinute = 15
	burst            = 5
)

// limiter lets so many through in a minute, and a few at once.
type limiter struct {
	every time.Duration

	mu   sync.Mutex
	next time.Time // when the next one is through if none is owed
}

func newLimiter(perMinute int) *limiter {
	return &limiter{every: time.Minute / time.Duration(perMinute)}
}

// take reports whether one may go now.
func (l *limiter) take(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if earliest := now.Add(-(burst - 1) * l.every); l.next.Before(earliest) {
		l.next = earliest
	}
	if l.next.After(now) {
		return false
	}
	l.next = l.next.Add(l.every)
	return true
}
