// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/upstream"
	"github.com/toolverdict/toolverdict/internal/upstream/stdio"
)

// TestLostServers has a server fail in the middle of a call. The call may have
// been received; the next one is served.
func TestLostServers(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"die", "garbage", "object", "huge", "half", "close"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			modern := newBench(t, stdio.Config{Command: fakeServer("modern"), MaxMessage: 10_000})
			legacy := newBench(t, stdio.Config{Command: fakeServer("legacy"), MaxMessage: 10_000})
			session := legacy.session(alice())
			call := strings.Replace(modernCall("1", how, "", ""), `"text":""`, `"n":20000`, 1)
			old := strings.Replace(legacyCall("1", how, ""), `"text":""`, `"n":20000`, 1)

			other := modern.open(alice(), modernCall("2", "hold", "", `"progressToken":1`))
			next(t, other)
			lost(t, modern, alice(), call)
			if _, err := other.Body.Next(); err == nil || errors.Is(err, mcpwire.ErrNotSent) {
				t.Errorf("what else was open on the process: %v", err)
			}
			if got := modern.ask(alice(), modernCall("1", "echo", "hi", "")); got != result("1", `{"text":"hi"}`) {
				t.Errorf("next call: %s", got)
			}

			lost(t, legacy, session, old)
			if _, err := legacy.exchange(t.Context(), session, legacyCall("1", "echo", "hi")); !errors.Is(err, mcpwire.ErrNoSession) {
				t.Errorf("next call in the session: %v", err)
			}
			legacy.ask(legacy.session(alice()), legacyCall("1", "echo", "hi"))
		})
	}
}

func lost(t *testing.T, b *bench, who mcpwire.Caller, call string) {
	t.Helper()
	r, err := b.exchange(t.Context(), who, call)
	if err == nil {
		_, err = r.Body.Next()
	}
	if err == nil || errors.Is(err, mcpwire.ErrNotSent) || errors.Is(err, mcpwire.ErrNoSession) {
		t.Errorf("got %v, want an error that leaves open whether it ran", err)
	}
}

func TestTooLargeIsSaid(t *testing.T) {
	t.Parallel()
	b := newBench(t, stdio.Config{Command: fakeServer("modern"), MaxMessage: 1000})
	_, err := b.exchange(t.Context(), alice(), strings.Replace(modernCall("1", "huge", "", ""), `"text":""`, `"n":2000`, 1))
	if !errors.Is(err, mcpwire.ErrTooLarge) {
		t.Errorf("got %v, want ErrTooLarge", err)
	}
}

func TestSecretsStayOutOfLogAndErrors(t *testing.T) {
	t.Parallel()
	hide := func(s string) string { return strings.ReplaceAll(s, "hunter2", "•••") }
	running := newBench(t, stdio.Config{Command: fakeServer("modern"), Text: hide})
	_, err := running.exchange(t.Context(), alice(), modernCall("1", "die", "", ""))
	ends := newBench(t, stdio.Config{Command: fakeServer("complains"), Text: hide})
	_, startErr := ends.exchange(t.Context(), alice(), modernCall("1", "echo", "", ""))
	for name, text := range map[string]string{
		"log": running.log.String(), "error": fmt.Sprint(err), "log of a start": ends.log.String(), "error of a start": fmt.Sprint(startErr),
	} {
		if strings.Contains(text, "hunter2") || strings.Contains(text, "\x1b") {
			t.Errorf("%s shows a secret or an escape: %s", name, text)
		}
		if !strings.Contains(text, "•••") {
			t.Errorf("%s does not show what the server said: %s", name, text)
		}
	}
}

func TestServersThatDoNotStart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		command []string
		why     string
	}{
		"not there":     {[]string{"/nowhere/at/all"}, "its program cannot be run: fork/exec /nowhere/at/all: no such file"},
		"not in PATH":   {[]string{"nosuchprog"}, `its program cannot be run: exec: "nosuchprog": executable file not found in $PATH`},
		"ends at once":  {fakeServer("complains"), "it answers in no revision: the server is lost: it ended (exit status 4); it said last: "},
		"no protocol":   {fakeServer("modern", "jabbers"), "it answers in no revision: "},
		"no executable": {[]string{t.TempDir()}, "its program cannot be run: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, stdio.Config{Command: c.command, Patience: 50 * time.Millisecond})
			for i := range 3 {
				_, err := b.exchange(t.Context(), alice(), modernCall("1", "echo", "hi", ""))
				if !errors.Is(err, mcpwire.ErrNotSent) {
					t.Errorf("modern call: %v, want ErrNotSent", err)
				}
				if text := fmt.Sprint(err); i == 0 && (!strings.Contains(text, c.why) || strings.Count(text, "nothing was sent") != 1) {
					t.Errorf("the caller is not told once why: %s", text)
				}
			}
			_, err := b.exchange(t.Context(), alice(), `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`)
			if err == nil {
				t.Error("a session came of it")
			}
			if log := b.log.String(); !strings.Contains(log, "did not start") {
				t.Errorf("the operator is told nothing:\n%s", log)
			}
		})
	}
}

func TestStartsAreSpacedOut(t *testing.T) {
	t.Parallel()
	b := newBench(t, stdio.Config{Command: []string{"/nowhere/at/all"}, Patience: 50 * time.Millisecond})
	var err error
	for range 8 {
		_, err = b.exchange(t.Context(), alice(), modernCall("1", "echo", "hi", ""))
	}
	if err == nil || !strings.Contains(err.Error(), "is not started again for") || !errors.Is(err, mcpwire.ErrNotSent) {
		t.Errorf("after eight failed starts: %v", err)
	}
	if got := strings.Count(b.log.String(), "did not start"); got >= 8 {
		t.Errorf("%d starts in a row", got)
	}
}

func TestServersThatGreet(t *testing.T) {
	t.Parallel()
	b := newBench(t, stdio.Config{Command: fakeServer("modern", "greets")})
	if got := b.ask(alice(), modernCall("1", "echo", "hi", "")); got != result("1", `{"text":"hi"}`) {
		t.Errorf("got %s", got)
	}
	if !strings.Contains(b.log.String(), "Welcome to the server!") {
		t.Errorf("the greeting is not in the log:\n%s", b.log)
	}
}

func TestIdleDeathIsNoFault(t *testing.T) {
	t.Parallel()
	b := modernBench(t)
	first := b.pid(alice())
	// Another call kills the process; whoever comes after it, at whatever moment,
	// is served by a new one or told the truth.
	lost(t, b, alice(), modernCall("1", "die", "", ""))
	if second := b.pid(alice()); second == first {
		t.Error("the dead process answered")
	}
}

func TestHungServersAreReplaced(t *testing.T) {
	t.Parallel()
	modern := newBench(t, stdio.Config{Command: fakeServer("modern"), Hang: 200 * time.Millisecond})
	legacy := newBench(t, stdio.Config{Command: fakeServer("legacy"), Hang: 200 * time.Millisecond})
	session := legacy.session(alice())
	before := modern.pid(alice())
	for _, c := range []struct {
		b    *bench
		who  mcpwire.Caller
		call string
	}{{modern, alice(), modernCall("1", "hang", "", "")}, {legacy, session, legacyCall("1", "hang", "")}} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err := c.b.exchange(ctx, c.who, c.call)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, mcpwire.ErrNotSent) {
			t.Errorf("hanging call: %v", err)
		}
	}
	// Calls that come while it is found out may still be lost; the first that is
	// not goes to another process.
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		r, err := modern.exchange(ctx, alice(), modernCall("1", "pid", "", ""))
		if err == nil {
			if got := next(t, r); got == before {
				t.Error("the hung process answered")
			}
			cancel()
			break
		}
		cancel()
	}
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, err := legacy.exchange(ctx, session, legacyCall("1", "pid", ""))
		cancel()
		if errors.Is(err, mcpwire.ErrNoSession) {
			break
		}
	}
}

func TestSlowCallsAreNoHang(t *testing.T) {
	t.Parallel()
	b := newBench(t, stdio.Config{Command: fakeServer("modern"), Hang: 20 * time.Second})
	before := b.pid(alice())
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if r, err := b.exchange(ctx, alice(), modernCall("1", "hold", "x", "")); err == nil {
			r.Body.Close()
		}
		cancel()
	}
	if after := b.pid(alice()); after != before {
		t.Errorf("a server that answers was replaced: %s, %s", before, after)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	b := newBench(t, stdio.Config{Command: fakeServer("legacy"), MaxPerPrincipal: 2, MaxProcesses: 3})
	one, two := b.session(alice()), b.session(alice())
	b.listen(one) // in use
	held := b.open(two, legacyHold("1"))
	next(t, held)
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`
	if _, err := b.exchange(t.Context(), alice(), hello); !errors.Is(err, mcpwire.ErrBusy) || !errors.Is(err, mcpwire.ErrNotSent) {
		t.Errorf("a third session: %v, want ErrBusy and ErrNotSent", err)
	}
	other := b.session(bob())
	if _, err := b.exchange(t.Context(), mcpwire.Caller{Principal: "carol"}, hello); !errors.Is(err, mcpwire.ErrBusy) {
		t.Errorf("a fourth process: %v, want ErrBusy: nobody ends another's session", err)
	}
	// What is unused makes room, for its owner only.
	b.ask(two, legacyCall("2", "release", ""))
	all(t, held)
	three := b.session(alice())
	if _, err := b.exchange(t.Context(), two, legacyCall("1", "pid", "")); !errors.Is(err, mcpwire.ErrNoSession) {
		t.Errorf("the session that made room: %v", err)
	}
	for name, who := range map[string]mcpwire.Caller{"alice's first": one, "alice's new": three, "bob's": other} {
		if got := b.pid(who); !strings.Contains(got, "pid") {
			t.Errorf("%s session: %s", name, got)
		}
	}
}

func TestIdleProcessesEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t, stdio.Config{Command: fakeServer("legacy", "modern"), Idle: 700 * time.Millisecond})
	ended := func(n int) {
		for strings.Count(b.log.String(), "a server process that nobody uses") < n {
			time.Sleep(10 * time.Millisecond)
		}
	}
	session := b.session(alice())
	stream := b.listen(session) // in use, however long nothing is said
	before := b.pid(bob())
	ended(1)
	if got := b.pid(session); !strings.Contains(got, "pid") {
		t.Errorf("a session that somebody listens to: %s", got)
	}
	if after := b.pid(bob()); after == before {
		t.Errorf("the process that nobody used answers: %s", after)
	}
	stream.Body.Close()
	ended(3)
	if _, err := b.exchange(t.Context(), session, legacyCall("1", "pid", "")); !errors.Is(err, mcpwire.ErrNoSession) {
		t.Errorf("a session that nobody used: %v", err)
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	b := newBench(t, stdio.Config{Command: fakeServer("legacy", "modern", "stays"), Grace: 20 * time.Millisecond})
	session := b.session(alice())
	listening := b.listen(session)
	open := b.open(bob(), modernCall("1", "hold", "x", `"progressToken":1`))
	next(t, open)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := open.Body.Next(); err == nil || errors.Is(err, mcpwire.ErrNotSent) {
		t.Errorf("open call: %v", err)
	}
	if got := all(t, listening); len(got) > 0 {
		t.Errorf("stream: %q", got)
	}
	for name, raw := range map[string]string{
		"stateless": modernCall("1", "echo", "", ""), "initialize": `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`,
	} {
		if _, err := b.exchange(t.Context(), alice(), raw); !errors.Is(err, mcpwire.ErrNotSent) {
			t.Errorf("%s after the end: %v", name, err)
		}
	}
	if _, err := b.exchange(t.Context(), session, legacyCall("1", "pid", "")); !errors.Is(err, mcpwire.ErrNoSession) {
		t.Errorf("session after the end: %v", err)
	}
}

func TestOlderServersBehindNewerClients(t *testing.T) {
	t.Parallel()
	for name, words := range map[string][]string{
		"says no": {"legacy"}, "leaves": {"legacy", "leaves"}, "says nothing": {"legacy", "mute"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := stdio.Config{Command: fakeServer(words...)}
			if name == "says nothing" {
				c.Probe = 3 * time.Second // half of it is waited
			}
			b := newBench(t, c)
			for range 2 {
				r := b.open(alice(), modernCall(`"m"`, "echo", "hi", ""))
				want := `{"jsonrpc":"2.0","id":"m","error":{"code":-32022,"message":"unsupported protocol version","data":{"supported":["2025-06-18","2025-03-26","2024-11-05"],"requested":"2026-07-28"}}}`
				if got := next(t, r); got != want || r.Status != 400 {
					t.Errorf("status %d, %s, want 400, %s", r.Status, got, want)
				}
			}
			if got := b.ask(b.session(alice()), legacyCall("1", "echo", "hi")); got != result("1", `{"text":"hi"}`) {
				t.Errorf("in a session: %s", got)
			}
			listing, err := upstream.ListTools(t.Context(), b)
			if err != nil || listing.Revision != "2025-06-18" {
				t.Errorf("list: %+v, %v", listing, err)
			}
		})
	}
}

func TestStatusOfErrors(t *testing.T) {
	t.Parallel()
	b := newBench(t, stdio.Config{Command: fakeServer("modern", "legacy")})
	r := b.open(alice(), `{"jsonrpc":"2.0","id":1,"method":"no/such","params":{"_meta":{`+statelessMeta+`}}}`)
	if r.Status != 404 || r.Stream || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("unknown method of a stateless revision: %d, stream %t, %v", r.Status, r.Stream, r.Header)
	}
	r = b.open(b.session(alice()), `{"jsonrpc":"2.0","id":1,"method":"no/such"}`)
	if r.Status != 200 || !r.Stream || r.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("unknown method of an older revision: %d, stream %t, %v", r.Status, r.Stream, r.Header)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]stdio.Config{
		"no command":    {},
		"empty program": {Command: []string{"", "x"}},
		"zero byte":     {Command: []string{"x\x00y"}},
		"no value":      {Command: []string{"x"}, Env: []string{"KEY"}},
		"no key":        {Command: []string{"x"}, Env: []string{"=value"}},
		"zero in env":   {Command: []string{"x"}, Env: []string{"A=\x00"}},
	} {
		if _, err := stdio.New(c); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
