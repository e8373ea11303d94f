// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"sync"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/internal/web"
	"github.com/toolverdict/toolverdict/wire"
)

// Bounds of what is kept.
const (
	most        = 4096             // claims whose outcome is awaited
	mostOfOne   = 512              // of one subject
	remembered  = 10 * time.Minute // how long a told outcome answers its repeats
	mostAnswers = 4096             // of those
)

// permits are the permits of this process, each with whom it was given to. They
// are in memory alone: what a process that ends leaves open is found in the
// ledger.
type permits struct {
	mu       sync.Mutex
	open     map[string]*entry
	told     map[string]*entry
	reserved map[string]int // by subject: open ones, and those that are on their way
	all      int
}

type entry struct {
	permit   tv.Permit
	owner    string
	token    [sha256.Size]byte
	wire     wire.Call
	shape    wire.Shape
	deadline time.Time

	said    [sha256.Size]byte // what was told, once it was
	answer  tv.Result         // without what the tool said
	content bool              // it said something
	until   time.Time
}

func newPermits() *permits {
	return &permits{open: map[string]*entry{}, told: map[string]*entry{}, reserved: map[string]int{}}
}

func owner(s tv.Subject) string { return s.ID + "\x00" + s.User + "\x00" + s.Agent }

func hash(token string) [sha256.Size]byte { return sha256.Sum256([]byte(token)) }

// reserve makes room before a claim is written to the ledger: one that was written
// and could not be kept would be lost.
func (p *permits) reserve(by tv.Subject, n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	who := owner(by)
	if p.all+n > most || p.reserved[who]+n > mostOfOne {
		return false
	}
	p.reserved[who] += n
	p.all += n
	return true
}

// release gives room back that was not used.
func (p *permits) release(by tv.Subject, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free(owner(by), n)
}

func (p *permits) free(who string, n int) {
	p.all -= n
	if p.reserved[who] -= n; p.reserved[who] <= 0 {
		delete(p.reserved, who)
	}
}

func (p *permits) keep(e *entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[e.permit.CallID()] = e
}

// take takes a permit out, for the one report of it, or returns what the same
// report was answered with. Somebody else's claim reads like one that is not
// there.
func (p *permits) take(by tv.Subject, id, token string, said [sha256.Size]byte, now time.Time) (e *entry, again bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, open := p.open[id]
	if !open {
		e = p.told[id]
	}
	if e == nil || e.owner != owner(by) {
		return nil, false, web.Faultf(http.StatusNotFound, "This gate gave this caller no such claim, or its outcome is unknown by now: see GET /v1/ledger.")
	}
	if sum := hash(token); subtle.ConstantTimeCompare(sum[:], e.token[:]) != 1 {
		return nil, false, web.Faultf(http.StatusForbidden, "This is not the token of the claim.")
	}
	if !open {
		if e.said != said || e.until.IsZero() {
			return nil, false, web.Faultf(http.StatusConflict, "The outcome of this claim was told already.")
		}
		return e, true, nil
	}
	if !now.Before(e.deadline) {
		return nil, false, web.Faultf(http.StatusConflict, "The claim's time is over: its outcome is unknown. Have a person settle it.")
	}
	p.drop(id, e)
	e.said = said
	p.told[id] = e // until its answer is there, repeats are refused
	return e, false, nil
}

func (p *permits) drop(id string, e *entry) {
	delete(p.open, id)
	p.free(e.owner, 1)
}

// answered keeps what a report was answered with, without what the tool said.
func (p *permits) answered(e *entry, res tv.Result, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e.content = len(res.Content) > 0
	res.Content = nil
	e.answer, e.until = res, now.Add(remembered)
	if len(p.told) > mostAnswers {
		for id, old := range p.told {
			if old != e && !old.until.IsZero() {
				delete(p.told, id)
				break
			}
		}
	}
}

// late takes out the permits whose time is over, and forgets old answers.
func (p *permits) late(now time.Time) []*entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*entry
	for id, e := range p.open {
		if !now.Before(e.deadline) {
			p.drop(id, e)
			out = append(out, e)
		}
	}
	for id, e := range p.told {
		if !e.until.IsZero() && !now.Before(e.until) {
			delete(p.told, id)
		}
	}
	return out
}
