// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/upstream/stdio"
)

func TestPrincipalsAreApart(t *testing.T) {
	t.Parallel()
	apart := modernBench(t)
	if one, two := apart.pid(alice()), apart.pid(bob()); one == two {
		t.Errorf("two principals share a process: %s", one)
	}
	if one, two := apart.pid(alice()), apart.pid(alice()); one != two {
		t.Errorf("one principal has two processes: %s, %s", one, two)
	}
	shared := newBench(t, stdio.Config{Command: fakeServer("modern"), Shared: true})
	if one, two := shared.pid(alice()), shared.pid(bob()); one != two {
		t.Errorf("a shared process is not shared: %s, %s", one, two)
	}
}

// TestOthersCannotCancel has two principals with the same id on one process.
func TestOthersCannotCancel(t *testing.T) {
	t.Parallel()
	b := newBench(t, stdio.Config{Command: fakeServer("modern"), Shared: true})
	r := b.open(alice(), modernCall(`"mine"`, "hold", "x", `"progressToken":1`))
	next(t, r)
	b.open(bob(), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"mine"}}`)
	if seen := strings.Join(b.received(bob()), "\n"); strings.Contains(seen, "notifications/cancelled") {
		t.Errorf("bob cancelled alice's call:\n%s", seen)
	}
	// Two of her own with one id: nobody knows which she means.
	again := b.open(alice(), modernCall(`"mine"`, "hold", "y", `"progressToken":1`))
	next(t, again)
	b.open(alice(), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"mine"}}`)
	if seen := strings.Join(b.received(bob()), "\n"); strings.Contains(seen, "notifications/cancelled") {
		t.Errorf("one of two calls with the same id was cancelled:\n%s", seen)
	}
}

// TestWhatWasNotSent has a server that reads nothing any more. A line that is
// half written may have been received; one that waits behind it was not.
func TestWhatWasNotSent(t *testing.T) {
	t.Parallel()
	b := newBench(t, stdio.Config{Command: fakeServer("modern"), Hang: time.Hour})
	deaf := b.open(alice(), modernCall("1", "deaf", "", `"progressToken":1`))
	next(t, deaf) // from now on
	ctx, cancel := context.WithCancel(t.Context())
	large := make(chan error)
	go func() {
		_, err := b.exchange(ctx, alice(), modernCall("2", "echo", strings.Repeat("x", 1<<20), ""))
		large <- err
	}()
	for {
		soon, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, err := b.exchange(soon, alice(), modernCall("3", "echo", "hi", ""))
		stop()
		if errors.Is(err, mcpwire.ErrNotSent) {
			break // the large one is half written
		}
	}
	cancel()
	if err := <-large; err == nil || errors.Is(err, mcpwire.ErrNotSent) {
		t.Errorf("half a line: %v, want an error that leaves open whether it ran", err)
	}
}
