// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"net/netip"
	"sync/atomic"
)

// Permit is leave to run one decided call. Only this package can make one that
// is valid; an executor must refuse any other. A permit is given to one
// executor and is worth one dispatch and one report.
type Permit struct {
	c *cleared
}

// cleared is a call whose intent to dispatch is durable.
type cleared struct {
	trail
	claim    *Claim    // nil for a call that needs none
	approval *Approval // nil when nobody was asked
	reported atomic.Bool
}

// Valid reports whether the gate made this permit. The zero Permit is not.
func (p Permit) Valid() bool { return p.c != nil }

// CallID returns the gate's id of the call.
func (p Permit) CallID() string { return p.c.call.ID }

// Digest identifies the exact call that may run: see [Call.Digest].
func (p Permit) Digest() string { return p.c.digest }

// Tool returns the tool as it was decided.
func (p Permit) Tool() *Tool { return p.c.tool }

// Arguments returns the arguments that were decided and recorded. The bytes
// must not be changed.
func (p Permit) Arguments() []byte { return p.c.call.Bytes }

// Value returns the same arguments, parsed.
func (p Permit) Value() Value { return p.c.call.Arguments }

// Subject returns the caller.
func (p Permit) Subject() Subject { return p.c.call.Subject }

// Trace returns the W3C traceparent, or "".
func (p Permit) Trace() string { return p.c.call.Trace }

// Addresses returns what the names in the call resolved to when it was decided:
// a tool that can be told where to connect must connect there, because its own
// look-up may find another. It is nil where nothing was looked up, and must not
// be changed.
func (p Permit) Addresses() map[string][]netip.Addr { return p.c.analysis.Addresses }

// Approved reports whether a person agreed to this very call, or to its like:
// then nothing may be added to it on the way to the tool.
func (p Permit) Approved() bool { return p.c.approval != nil || p.c.decision.Grant != "" }

// IdempotencyKey returns the ledger key, for tools that take one, or "" for a
// call that needs no claim.
func (p Permit) IdempotencyKey() string {
	if p.c.claim == nil {
		return ""
	}
	return p.c.claim.Key
}
