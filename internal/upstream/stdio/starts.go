// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// Pauses between attempts to start a process that keeps ending before it says
// anything.
const (
	firstPause   = 250 * time.Millisecond
	longestPause = time.Minute
	hopeless     = 8 // attempts after which the operator is told
	atOnce       = 4 // processes that may be starting at the same time
)

// starts holds back the start of processes that would only end again.
type starts struct {
	room     chan struct{}
	patience time.Duration // of those who wait

	mu     sync.Mutex
	failed int           // attempts in a row without one message
	pause  time.Duration // after the last of them
	ready  chan struct{} // closed when the next may be started
}

func newStarts(patience time.Duration) *starts {
	ready := make(chan struct{})
	close(ready)
	return &starts{room: make(chan struct{}, atOnce), patience: patience, ready: ready}
}

// enter waits until a process may be started: as long as others are starting,
// but only a moment when the last ones failed, because a caller should rather
// hear that. leave must be called when the process said something, or will not.
func (s *starts) enter(ctx context.Context) (leave func(), err error) {
	select {
	case s.room <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("start server: the caller stopped waiting: %w", mcpwire.ErrNotSent)
	}
	limit := time.NewTimer(s.patience)
	defer limit.Stop()
	leave = sync.OnceFunc(func() { <-s.room })
	for {
		ready, pause := s.gate()
		select {
		case <-ready:
			if again, _ := s.gate(); again != ready {
				continue // somebody tried meanwhile, in vain
			}
			return leave, nil
		case <-limit.C:
			leave()
			return nil, fmt.Errorf("start server: it ended at once %d times and is not started again for %v: see its own messages in the log: %w",
				s.failures(), pause, mcpwire.ErrNotSent)
		case <-ctx.Done():
			leave()
			return nil, fmt.Errorf("start server: the caller stopped waiting: %w", mcpwire.ErrNotSent)
		}
	}
}

func (s *starts) gate() (chan struct{}, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready, s.pause
}

func (s *starts) failures() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// lost counts a process that ended before it said anything. It returns how many
// did so in a row, and when the next may start.
func (s *starts) lost() (failed int, pause time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed++
	pause = min(firstPause<<min(s.failed-1, 10), longestPause)
	// Several gates with the same server should not all try at the same moment.
	pause = pause/2 + time.Duration(rand.Int64N(int64(pause/2)+1)) //nolint:gosec // nothing depends on its secrecy
	s.pause = pause
	ready := make(chan struct{})
	s.ready = ready
	time.AfterFunc(pause, func() { close(ready) })
	return s.failed, pause
}

// lived says that a process answered.
func (s *starts) lived() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed, s.pause = 0, 0
}
