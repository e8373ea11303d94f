// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/upstream/stdio"
)

func TestIDsAndTokensComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	modern, legacy := modernBench(t), legacyBench(t)
	session := legacy.session(alice())
	for _, id := range []string{"0", "-1", "1", "9007199254740991", `""`, `"1"`, `"\u0061\/ü"`, `"` + strings.Repeat("x", 500) + `"`} {
		for name, got := range map[string]string{
			"modern": modern.ask(alice(), modernCall(id, "echo", "hi", "")),
			"legacy": legacy.ask(session, legacyCall(id, "echo", "hi")),
		} {
			if want := result(id, `{"text":"hi"}`); got != want {
				t.Errorf("%s: got %s, want %s", name, got, want)
			}
		}
		r := modern.open(alice(), modernCall(id, "hold", "up", `"progressToken":`+id))
		want := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + id + `,"progress":1,"message":"up"}}`
		if got := next(t, r); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		modern.ask(alice(), modernCall("1", "release", "", ""))
		if got, want := next(t, r), result(id, `{"text":"up"}`); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestOnlyIDsAndTokensChange(t *testing.T) {
	t.Parallel()
	b := modernBench(t)
	odd := `{ "params" : {"name":"echo" ,"extra":[1e2, 1.0],"arguments":{"text":"\u00e9\ud83d\ude00"},"_meta":{"x":{"progressToken":7},` +
		statelessMeta + `,"progressToken": "mine"}},"method":"tools/call",` + "\t\r\n" + `"id" :"mine","jsonrpc":"2.0"}`
	b.ask(alice(), odd)
	var got string
	for _, line := range b.received(alice()) {
		if strings.Contains(line, "extra") {
			got = line
		}
	}
	// The process was asked for its revisions before, under our first id.
	want := strings.NewReplacer(`"id" :"mine"`, `"id" :2`, `"progressToken": "mine"`, `"progressToken": 2`, "\r\n", "  ").Replace(odd)
	if compact(t, got) != compact(t, want) {
		t.Errorf("server read\n%s\nwant\n%s", got, want)
	}
}

// TestSameIDsManyClients has clients that all chose the same id and the same
// progress token, on one process, which answers in the wrong order.
func TestSameIDsManyClients(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		shared     bool
		principals int
	}{
		"one principal":               {false, 1},
		"shared by many principals":   {true, 24},
		"apart, a few principals":     {false, 3},
		"shared by a few, on purpose": {true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const clients = 24
			b := newBench(t, stdio.Config{Command: fakeServer("modern"), Shared: c.shared})
			caller := func(i int) mcpwire.Caller {
				return mcpwire.Caller{Principal: fmt.Sprint("p", i%c.principals)}
			}
			replies := make([]*mcpwire.Reply, clients)
			var opened sync.WaitGroup
			for i := range clients {
				opened.Go(func() {
					replies[i] = b.open(caller(i), modernCall("7", "hold", fmt.Sprint("client ", i), `"progressToken":"t"`))
				})
			}
			opened.Wait() // each saw its progress
			for i := range c.principals {
				b.ask(caller(i), modernCall("7", "release", "", `"progressToken":"t"`))
			}
			for i, r := range replies {
				want := []string{
					fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1,"message":"client %d"}}`, i),
					result("7", fmt.Sprintf(`{"text":"client %d"}`, i)),
				}
				if diff := cmp.Diff(want, all(t, r)); diff != "" {
					t.Errorf("client %d (-want +got):\n%s", i, diff)
				}
			}
		})
	}
}

// TestAnyInterleaving opens, releases and gives up calls in any order; each gets
// its own answer or none.
func TestAnyInterleaving(t *testing.T) {
	t.Parallel()
	b := newBench(t, stdio.Config{Command: fakeServer("modern"), Shared: true})
	type open struct {
		reply  *mcpwire.Reply
		cancel context.CancelFunc
		id     string
		text   string
	}
	serial := 0
	rapid.Check(t, func(t *rapid.T) {
		var opened []open
		finish := func(o open) {
			defer o.cancel()
			ev, err := o.reply.Body.Next()
			if want := result(o.id, fmt.Sprintf(`{"text":%q}`, o.text)); err != nil || string(ev.Data) != want {
				t.Fatalf("got %s, %v, want %s", ev.Data, err, want)
			}
			if _, err := o.reply.Body.Next(); !errors.Is(err, io.EOF) {
				t.Fatalf("after the answer: %v", err)
			}
		}
		release := func() {
			b.ask(mcpwire.Caller{Principal: "x"}, modernCall("1", "release", "", ""))
			for _, o := range opened {
				finish(o)
			}
			opened = nil
		}
		t.Repeat(map[string]func(*rapid.T){
			"open": func(t *rapid.T) {
				serial++
				o := open{id: rapid.SampledFrom([]string{"1", `"1"`, "2"}).Draw(t, "id"), text: fmt.Sprint(serial)}
				who := mcpwire.Caller{Principal: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "who")}
				ctx, cancel := context.WithCancel(b.t.Context())
				o.cancel = cancel
				r, err := b.exchange(ctx, who, modernCall(o.id, "hold", o.text, `"progressToken":`+o.id))
				if err != nil {
					t.Fatal(err)
				}
				if ev, err := r.Body.Next(); err != nil || !strings.Contains(string(ev.Data), fmt.Sprintf(`"progressToken":%s,"progress":1,"message":%q`, o.id, o.text)) {
					t.Fatalf("progress: %s, %v", ev.Data, err)
				}
				o.reply = r
				opened = append(opened, o)
			},
			"give up": func(t *rapid.T) {
				if len(opened) == 0 {
					return
				}
				i := rapid.IntRange(0, len(opened)-1).Draw(t, "which")
				opened[i].cancel()
				if ev, err := opened[i].reply.Body.Next(); !errors.Is(err, context.Canceled) {
					t.Fatalf("after giving up: %s, %v", ev.Data, err)
				}
				opened = slices.Delete(opened, i, i+1)
			},
			"release": func(*rapid.T) { release() },
		})
		release()
	})
}

func TestStrangeAnswersReachNobody(t *testing.T) {
	t.Parallel()
	modern, legacy := modernBench(t), legacyBench(t)
	session := legacy.session(alice())
	listening, err := legacy.Listen(t.Context(), session, "")
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string][]string{
		"modern": all(t, modern.open(alice(), modernCall("1", "strange", "", ""))),
		"legacy": all(t, legacy.open(session, legacyCall("1", "strange", ""))),
	} {
		if diff := cmp.Diff([]string{result("1", `{"stolen":false}`)}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if _, err := legacy.End(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	if got := all(t, listening); len(got) > 0 {
		t.Errorf("the session's stream got %q", got)
	}
}

func TestErrorWithoutID(t *testing.T) {
	t.Parallel()
	b := modernBench(t)
	got := b.ask(alice(), modernCall(`"mine"`, "null", "", ""))
	if want := `{"jsonrpc":"2.0","id":"mine","error":{"code":-32700,"message":"unreadable"}}`; got != want {
		t.Errorf("the only open request: got %s, want %s", got, want)
	}
	// With two open requests nobody can know whose it is.
	r := b.open(alice(), modernCall("1", "hold", "a", `"progressToken":1`))
	ctx, cancel := context.WithCancel(t.Context())
	lost := make(chan error)
	go func() {
		_, err := b.exchange(ctx, alice(), modernCall("2", "null", "", ""))
		lost <- err
	}()
	for !strings.Contains(strings.Join(b.received(alice()), ""), `"name":"null"`) {
		continue // it is on its way
	}
	b.ask(alice(), modernCall("3", "release", "", ""))
	if got := all(t, r); len(got) != 2 || got[1] != result("1", `{"text":"a"}`) {
		t.Errorf("the other request: %q", got)
	}
	cancel()
	if err := <-lost; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the caller's own end", err)
	}
}

func TestSubscriptions(t *testing.T) {
	t.Parallel()
	b := modernBench(t)
	subscribe := func(id string) *mcpwire.Reply {
		r := b.open(alice(), `{"jsonrpc":"2.0","id":`+id+`,"method":"subscriptions/listen","params":{"_meta":{`+statelessMeta+`}}}`)
		want := `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`
		if got := next(t, r); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		return r
	}
	one, two := subscribe(`"s"`), subscribe("5")
	// The request itself gets nothing of it, and nobody the one that belongs to no
	// subscription.
	if got := all(t, b.open(alice(), modernCall("5", "notify", "u:1", ""))); len(got) != 1 {
		t.Errorf("request got %q", got)
	}
	b.ask(alice(), modernCall("5", "unlisten", "", ""))
	for id, r := range map[string]*mcpwire.Reply{`"s"`: one, "5": two} {
		want := []string{
			`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"u:1","_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`,
			result(id, `{"_meta":{"io.modelcontextprotocol/subscriptionId":`+id+`}}`),
		}
		if diff := cmp.Diff(want, all(t, r)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}

func TestLogsOnlyWhereTheyMustBelong(t *testing.T) {
	t.Parallel()
	b := newBench(t, stdio.Config{Command: fakeServer("modern"), Shared: true})
	const wants = `"io.modelcontextprotocol/logLevel":"debug"`
	log := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"secret of alice"}}`
	count := func(meta string) int {
		return len(all(t, b.open(alice(), modernCall("1", "log", "secret of alice", meta))))
	}
	if got := all(t, b.open(alice(), modernCall("1", "log", "secret of alice", wants))); !slices.Contains(got, log) {
		t.Errorf("the only request, which asked for logs, got %q", got)
	}
	if count("") != 1 {
		t.Error("a request that asked for no logs got some")
	}
	other := b.open(bob(), modernCall("1", "hold", "x", wants+`,"progressToken":1`))
	if count(wants) != 1 || count("") != 1 {
		t.Error("with two requests open, somebody got a log that may be the other's")
	}
	b.ask(alice(), modernCall("2", "release", "", ""))
	for _, m := range all(t, other) {
		if strings.Contains(m, "secret of alice") {
			t.Errorf("bob got %s", m)
		}
	}
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	cancelled := func(lines []string) (got []string) {
		for _, line := range lines {
			if strings.Contains(line, "notifications/cancelled") {
				got = append(got, line)
			}
		}
		return got
	}
	t.Run("the caller goes away", func(t *testing.T) {
		t.Parallel()
		b := modernBench(t)
		ctx, cancel := context.WithCancel(t.Context())
		r, err := b.exchange(ctx, alice(), modernCall(`"mine"`, "hold", "x", `"progressToken":"mine"`))
		if err != nil {
			t.Fatal(err)
		}
		next(t, r)
		cancel()
		if _, err := r.Body.Next(); !errors.Is(err, context.Canceled) {
			t.Errorf("read after the end: %v", err)
		}
		// It is told in the background: ask until it was.
		var got []string
		for len(got) == 0 {
			got = cancelled(b.received(alice()))
		}
		want := []string{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	for era, test := range map[string]struct {
		bench *bench
		who   func(*bench) mcpwire.Caller
		call  string
		id    string
	}{
		"modern": {modernBench(t), func(*bench) mcpwire.Caller { return alice() }, modernCall(`"mine"`, "hold", "x", `"progressToken":"p"`), "2"},
		"legacy": {legacyBench(t), func(b *bench) mcpwire.Caller { return b.session(alice()) },
			`{"jsonrpc":"2.0","id":"mine","method":"tools/call","params":{"name":"hold","arguments":{},"_meta":{"progressToken":"p"}}}`, "2"},
	} {
		t.Run("the client says so, "+era, func(t *testing.T) {
			t.Parallel()
			b := test.bench
			who := test.who(b)
			ctx, cancel := context.WithCancel(t.Context())
			r, err := b.exchange(ctx, who, test.call)
			if err != nil {
				t.Fatal(err)
			}
			next(t, r)
			for _, id := range []string{`"other"`, `"mine"`, `"mine"`, "2"} { // only one is known, once; ours are none of the client's
				if got := b.open(who, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"bored","requestId":`+id+`}}`); got.Status != http.StatusAccepted {
					t.Errorf("status %d", got.Status)
				}
			}
			stranger := mcpwire.Caller{Principal: "bob", Session: who.Session}
			if r, err := b.exchange(t.Context(), stranger, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"mine"}}`); err == nil {
				r.Body.Close()
			}
			cancel()
			if _, err := r.Body.Next(); err == nil {
				t.Error("the answer goes on")
			}
			want := []string{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"bored","requestId":` + test.id + `}}`}
			if diff := cmp.Diff(want, cancelled(b.received(who))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSlowReaderHoldsUpNobody(t *testing.T) {
	t.Parallel()
	b := modernBench(t)
	flood := strings.Replace(modernCall("1", "flood", "", `"progressToken":1`), `"text":""`, `"n":20000`, 1)
	slow := b.open(alice(), flood)
	if got := b.ask(alice(), modernCall("1", "echo", "hi", "")); got != result("1", `{"text":"hi"}`) {
		t.Errorf("another caller got %s", got)
	}
	got := all(t, slow)
	if last := got[len(got)-1]; last != result("1", `{"flooded":true}`) {
		t.Errorf("the answer was dropped: %s", last)
	}
	if len(got) > 2000 {
		t.Errorf("%d messages were kept for a reader that did not read", len(got))
	}
}
