// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console

import (
	"net/netip"
	"sync"
	"time"
)

// How often a password may be tried: as many at once, and then one in so much
// time, from one address and for one name. What it costs somebody who guesses is
// time; who is locked out by another's guesses waits for seconds.
const (
	burst     = 10
	perTry    = 6 * time.Second
	mostNames = 10_000 // that are counted at once
	atOnce    = 2      // checks of passwords: each takes 19 MiB
)

// attempts counts sign-ins that were tried. It is safe for concurrent use.
type attempts struct {
	now  func() time.Time
	busy chan struct{}

	mu   sync.Mutex
	full map[string]time.Time // when all tries are there again
}

func newAttempts(now func() time.Time) *attempts {
	return &attempts{now: now, busy: make(chan struct{}, atOnce), full: map[string]time.Time{}}
}

// take counts one try of each name, unless one of them has none left.
func (a *attempts) take(names ...string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	if len(a.full)+len(names) > mostNames {
		a.tidy(now)
	}
	for _, n := range names {
		if a.full[n].Sub(now) > (burst-1)*perTry || len(a.full) >= mostNames && a.full[n].IsZero() {
			return false
		}
	}
	for _, n := range names {
		at := a.full[n]
		if at.Before(now) {
			at = now
		}
		a.full[n] = at.Add(perTry)
	}
	return true
}

// refund gives one try of each name back: a password that was right costs
// nothing. What failed before still counts, else whoever has an account could guess
// at those of others for as long as they sign in between.
func (a *attempts) refund(names ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, n := range names {
		if at, ok := a.full[n]; ok {
			a.full[n] = at.Add(-perTry)
		}
	}
}

func (a *attempts) tidy(now time.Time) {
	for n, at := range a.full {
		if !now.Before(at) {
			delete(a.full, n)
		}
	}
}

// network names where a request comes from: an address, or the network that one
// customer of IPv6 has.
func network(remote string) string {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	addr := at.Addr().Unmap().WithZone("")
	if addr.Is6() && !addr.IsLoopback() {
		if p, err := addr.Prefix(64); err == nil {
			return p.String()
		}
	}
	return addr.String()
}
