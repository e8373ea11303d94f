// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/upstream/stdio"
)

// TestNoLeaks opens and ends backends in every way, and counts what is left. It
// is not parallel, so that nothing else runs.
func TestNoLeaks(t *testing.T) {
	round := func() {
		b := newBench(t, stdio.Config{Command: fakeServer("modern", "legacy")})
		one, two := b.session(alice()), b.session(bob())
		b.listen(one)
		ctx, cancel := context.WithCancel(t.Context())
		for _, call := range []struct {
			who mcpwire.Caller
			raw string
		}{{alice(), modernCall("1", "hold", "x", `"progressToken":1`)}, {one, legacyHold("1")}} {
			if _, err := b.exchange(ctx, call.who, call.raw); err != nil {
				t.Fatal(err)
			}
		}
		cancel() // and nobody closes what was open
		lost(t, b, two, legacyCall("1", "garbage", ""))
		if _, err := b.exchange(t.Context(), two, legacyCall("1", "pid", "")); !errors.Is(err, mcpwire.ErrNoSession) {
			t.Fatal(err)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	round()
	goroutines, files := settled(t, 2, 0)
	for range 5 {
		round()
	}
	moreGoroutines, moreFiles := settled(t, goroutines, files)
	if moreGoroutines > goroutines || moreFiles > files {
		t.Errorf("%d goroutines and %d files before, %d and %d after", goroutines, files, moreGoroutines, moreFiles)
	}
}

// settled counts goroutines and open files once they are down to what is wanted,
// or do not change for a while.
func settled(t *testing.T, wantGoroutines, wantFiles int) (goroutines, files int) {
	t.Helper()
	for range 20 {
		entries, err := os.ReadDir("/dev/fd")
		if err != nil {
			t.Fatal(err)
		}
		goroutines, files = runtime.NumGoroutine(), len(entries)
		if goroutines <= wantGoroutines && files <= wantFiles {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return goroutines, files
}

// FuzzServerOutput lets a server write anything at all while a client waits. The
// client gets the answer to its own request or an error, soon; and the next one is
// served.
func FuzzServerOutput(f *testing.F) {
	command := fakeServer("modern", "legacy")
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":[],"progress":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}`,
		`{"jsonrpc":"2.0","id":null,"error":{}}` + "\n" + `{"jsonrpc":"2.0","id":1.5,"result":{}}`,
		`{"jsonrpc":"2.0","id":"x","method":"ping"}`, `{"jsonrpc":"2.0","result":{}}`, "[]", "text", "\x00", "{\r\n}",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		b := newBench(t, stdio.Config{Command: command})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		who := b.session(alice())
		for _, call := range []struct {
			who mcpwire.Caller
			raw string
		}{{who, legacyCall(`"mine"`, "parrot", line)}, {bob(), modernCall(`"mine"`, "parrot", line, "")}} {
			r, err := b.exchange(ctx, call.who, call.raw)
			for err == nil {
				var ev mcpwire.Event
				ev, err = r.Body.Next()
				if m, fault := mcpwire.ParseServer(ev.Data); err == nil && (fault != nil || m.Kind() == mcpwire.Response && m.Key() != `"mine`) {
					t.Errorf("the client got %q", ev.Data)
				}
			}
			if ctx.Err() != nil {
				t.Fatal("no end is in sight")
			}
		}
		// What it wrote may still hit the next call, but no more than that.
		var err error
		for range 3 {
			var r *mcpwire.Reply
			if r, err = b.exchange(ctx, bob(), modernCall("1", "echo", "hi", "")); err == nil {
				if got := next(t, r); !strings.Contains(got, `"text":"hi"`) {
					t.Errorf("next call: %s", got)
				}
				break
			}
		}
		if err != nil {
			t.Errorf("next calls: %v", err)
		}
	})
}
