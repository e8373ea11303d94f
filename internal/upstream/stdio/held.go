// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

// Bounds of what a session holds for a client that listens to nothing.
const (
	maxHeld      = 64
	maxHeldBytes = 1 << 20
)

// held are messages of an older server that nobody listened to yet.
type held struct {
	entries []entry
	size    int
}

// add keeps a message. It reports whether there was room.
func (h *held) add(e entry) bool {
	if len(h.entries) >= maxHeld || h.size+len(e.data) > maxHeldBytes {
		return false
	}
	h.entries = append(h.entries, e)
	h.size += len(e.data)
	return true
}

// give hands the messages that are wanted to a queue, in their order.
func (h *held) give(to *queue, wanted func(entry) bool) {
	var left held
	for _, e := range h.entries {
		if !wanted(e) || !to.push(e) {
			left.add(e)
		}
	}
	*h = left
}

// handHeld gives the requests that wait for a listener to a new exchange, where
// the session has no stream of its own: the server may not answer before it has
// its own answer. The caller holds mu.
func (c *conn) handHeld(x *exchange) {
	if c.stream == nil {
		c.held.give(x.queue, func(e entry) bool { return e.request })
	}
}
