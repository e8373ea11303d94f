// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// How often a stream looks whether something changed in another process, says
// that it is there, and asks whether its person is still signed in; and how long
// it rests after it told something.
const (
	lookEvery   = time.Second
	sayEvery    = 15 * time.Second
	rest        = 300 * time.Millisecond
	mostStreams = 200 // at once
	mostOwn     = 12  // of one person
)

// streams counts those that are open.
type streams struct {
	mu   sync.Mutex
	open map[string]int
	all  int
}

func newStreams() *streams { return &streams{open: map[string]int{}} }

func (s *streams) enter(who string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= mostStreams || s.open[who] >= mostOwn {
		return false
	}
	s.all++
	s.open[who]++
	return true
}

func (s *streams) leave(who string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.open[who]--; s.open[who] == 0 {
		delete(s.open, who)
	}
}

// events tells a page that something changed, by where the audit log stands:
// nothing changes without a record. A page that comes back names where it was
// and is told at once if that is over.
func (f *Front) events(w http.ResponseWriter, r *http.Request) {
	who, ok := f.Sessions.Peek(r)
	if !ok || r.Method != http.MethodGet {
		http.Error(w, "Sign in first.", http.StatusUnauthorized)
		return
	}
	if !f.streams.enter(who.ID) {
		http.Error(w, "Too many pages are open.", http.StatusServiceUnavailable)
		return
	}
	defer f.streams.leave(who.ID)
	seen, err := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64)
	if err != nil {
		seen, err = strconv.ParseInt(r.FormValue("since"), 10, 64)
	}
	if err != nil {
		seen = -1
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // a proxy that gathers answers would hold it back
	s := &stream{f: f, w: w, r: r, seen: seen}
	s.say("retry: 2000\n\n")
	s.run()
}

// stream is one page that listens.
type stream struct {
	f    *Front
	w    http.ResponseWriter
	r    *http.Request
	seen int64
	said time.Time
	dead bool
}

func (s *stream) say(format string, args ...any) {
	_, err := fmt.Fprintf(s.w, format, args...)
	if err == nil {
		err = http.NewResponseController(s.w).Flush()
	}
	s.dead, s.said = s.dead || err != nil, s.f.Now()
}

func (s *stream) run() {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for !s.dead {
		changed := s.f.Log.Changed()
		if !s.look() {
			return
		}
		select {
		case <-s.r.Context().Done():
			return
		case <-changed:
		case <-tick.C:
		}
	}
}

// look tells what is new, and ends with the session.
func (s *stream) look() bool {
	ctx := s.r.Context()
	mark, err := s.f.Log.Mark(ctx)
	news, late := err == nil && mark != s.seen, s.f.Now().Sub(s.said) > sayEvery
	if !news && !late {
		return true
	}
	who, ok := s.f.Sessions.Peek(s.r)
	if !ok {
		s.say("event: over\ndata:\n\n")
		return false
	}
	subject, err := s.f.People.Subject(ctx, who.ID, who.Stamp)
	if err != nil {
		s.say("event: over\ndata:\n\n")
		return false
	}
	if !news {
		s.say(": here\n\n")
		return true
	}
	waiting, err := s.f.waiting(ctx, subject)
	if err != nil {
		return true // tried again at the next look
	}
	s.seen = mark
	s.say("id: %d\nevent: change\ndata: %s\n\n", mark, waiting)
	pause := time.NewTimer(rest)
	defer pause.Stop()
	select {
	case <-ctx.Done():
	case <-pause.C:
	}
	return true
}
