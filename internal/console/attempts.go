// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// How often a password may be tried: as many at once, and then one in so much
// time, from one address and for one name. What it costs somebody who guesses is
// time. A browser in which somebody signed in before has tries of its own for that
// name: else whoever goes on guessing would keep all those out whose names they know,
// and behind a proxy everybody.
const (
	burst     = 10
	perTry    = 6 * time.Second
	mostNames = 10_000 // that are counted at once
	atOnce    = 2      // checks of passwords of strangers: each takes 19 MiB
	atOnceOld = 1      // and of those who were here before
)

// attempts counts sign-ins that were tried. It is safe for concurrent use.
type attempts struct {
	key              []byte // vouches for browsers, as long as the gate runs
	strangers, known *tries
}

func newAttempts(now func() time.Time) *attempts {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails: crypto/rand ends the process instead
	return &attempts{key, newTries(now, atOnce), newTries(now, atOnceOld)}
}

// of returns what a sign-in counts as, and where that is counted.
func (a *attempts) of(r *http.Request, user, from string) (*tries, []string) {
	if id := a.browser(r, user); id != "" {
		return a.known, []string{id}
	}
	return a.strangers, []string{"from " + from, "user " + user}
}

// browserCookie tells a browser again in which somebody signed in. It signs nobody
// in.
const browserCookie = "__Host-toolverdict-known"

const browserFor = 90 * 24 * time.Hour

// browser names the browser of a request, "" where this user did not sign in with
// it.
func (a *attempts) browser(r *http.Request, user string) string {
	c, err := r.Cookie(browserCookie)
	if err != nil {
		return ""
	}
	id, sum, _ := strings.Cut(c.Value, ".")
	if !hmac.Equal([]byte(sum), []byte(a.sum(id, user))) {
		return ""
	}
	return id
}

// remember has the browser of a request known again for a user.
func (a *attempts) remember(w http.ResponseWriter, r *http.Request, user string) {
	id := a.browser(r, user)
	if id == "" {
		id = rand.Text()
	}
	http.SetCookie(w, &http.Cookie{
		Name: browserCookie, Value: id + "." + a.sum(id, user), Path: "/", MaxAge: int(browserFor.Seconds()),
		HttpOnly: true, Secure: true, SameSite: http.SameSiteStrictMode,
	})
}

func (a *attempts) sum(id, user string) string {
	h := hmac.New(sha256.New, a.key)
	_, _ = h.Write([]byte(id + "." + user))
	return hex.EncodeToString(h.Sum(nil))
}

// tries counts those of names of one kind. It is safe for concurrent use.
type tries struct {
	now  func() time.Time
	busy chan struct{}

	mu   sync.Mutex
	full map[string]time.Time // when all tries are there again
}

func newTries(now func() time.Time, atOnce int) *tries {
	return &tries{now: now, busy: make(chan struct{}, atOnce), full: map[string]time.Time{}}
}

// take counts one try of each name, unless one of them has none left.
func (a *tries) take(names ...string) bool {
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
func (a *tries) refund(names ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, n := range names {
		if at, ok := a.full[n]; ok {
			a.full[n] = at.Add(-perTry)
		}
	}
}

func (a *tries) tidy(now time.Time) {
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
