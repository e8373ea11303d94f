// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict/e2e/internal/rig"
	"github.com/toolverdict/toolverdict/e2e/internal/wire"
)

// differentialPolicy allows echo, but not its evil word, and nothing else: what an upstream must
// not be made to run is always something that this denies.
const differentialPolicy = `policy: differential
version: v1
default: deny
rules:
  - id: echo-allowed
    verdict: allow
    reason: Saying words back is harmless
    tools: ["*/echo"]
  - id: evil-word
    verdict: deny
    reason: The word that this test must never see run
    tools: ["*/echo"]
    when: {args.message: {contains: evil}}
`

// stdioTime bounds a whole session on stdio.
const stdioTime = time.Minute

// gated is one upstream behind a gate, with everything that reached it on record.
type gated struct {
	upstream rig.Upstream
	seen     func() []byte // the bytes that the gate sent to the upstream so far
	effects  string        // the calls that the upstream ran, where it records them
}

// tapHTTP puts a recording proxy in front of an upstream and gives its URL.
func tapHTTP(t *testing.T, target string) (url string, seen func() []byte) {
	t.Helper()
	host, path, _ := strings.Cut(strings.TrimPrefix(target, "http://"), "/")
	var mu sync.Mutex
	var all bytes.Buffer
	s := httptest.NewUnstartedServer(nil)
	forward := rig.Forward(host, s.Listener.Addr().String(), nil)
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		mu.Lock()
		all.Write(append(body, '\n'))
		mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		forward.ServeHTTP(w, r)
	})
	s.Start()
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return "http://" + s.Listener.Addr().String() + "/" + path, func() []byte {
		mu.Lock()
		defer mu.Unlock()
		return bytes.Clone(all.Bytes())
	}
}

// tapStdio wraps an upstream's command so that its input is recorded.
func tapStdio(t *testing.T, argv []string) (command []string, seen func() []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "input")
	return append([]string{own("tap"), path}, argv...), func() []byte {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		return text
	}
}

// route is a way through the gate.
type route struct {
	name   string
	modern bool
	stdio  bool // the upstream is on stdio
}

func (r route) meta() string {
	if r.modern {
		return wire.ModernMeta + ","
	}
	return ""
}

func (r route) build(t *testing.T, up upstream) gated {
	t.Helper()
	g := gated{effects: filepath.Join(t.TempDir(), "effects")}
	g.upstream.Name = up.name
	if r.stdio {
		g.upstream.Command, g.seen = tapStdio(t, up.stdio(g.effects))
		return g
	}
	start := up.http
	if r.modern {
		start = up.modernHTTP
	}
	g.upstream.URL, g.seen = tapHTTP(t, start(t, g.effects))
	return g
}

func (g gated) gate(t *testing.T) *rig.Gate {
	t.Helper()
	return newGate(t, rig.GateSpec{
		Policy:    differentialPolicy,
		Catalog:   lowRisk(g.upstream.Name),
		Upstreams: []rig.Upstream{g.upstream},
	})
}

// TestDifferentialGate sends the table through the gate. A message that can be read in two ways
// must be refused with nothing sent on; any other is decided on exactly what the upstream runs.
func TestDifferentialGate(t *testing.T) {
	t.Parallel()
	routes := []route{
		{name: "HTTP to HTTP legacy"}, {name: "HTTP to stdio legacy", stdio: true},
		{name: "HTTP to HTTP modern", modern: true}, {name: "HTTP to stdio modern", modern: true, stdio: true},
	}
	for _, up := range upstreams() {
		for _, r := range routes {
			if r.modern && !up.modern {
				continue
			}
			t.Run(up.name+" "+r.name, func(t *testing.T) {
				t.Parallel()
				g := r.build(t, up)
				gate := g.gate(t)
				client := &wire.HTTP{
					URL:    "http://" + serveGate(t, gate) + rig.Endpoint(up.name),
					Header: http.Header{"Authorization": {"Bearer " + gate.Key}},
				}
				all := append(rows(), moreRows()...)
				if r.modern {
					maps.Copy(client.Header, modernHeader())
					all = append(all, modernRows()...)
				} else if err := client.Initialize(t.Context()); err != nil {
					t.Fatal(err)
				}
				next := row{name: "next call", body: call}
				if got := outcome(send(t, client, next, r.meta())); got != good {
					t.Fatalf("a plain call: %s", got)
				}
				for _, row := range all {
					before := g.mark()
					got := outcome(send(t, client, row, r.meta()))
					judge(t, row, got, g.since(before))
					if got := outcome(send(t, client, next, r.meta())); got != good {
						t.Fatalf("after %q the gate no longer serves: %s", row.name, got)
					}
				}
			})
		}
	}
}

// mark remembers how much an upstream has seen and run.
type mark struct{ seen, ran int }

func (g gated) mark() mark { return mark{len(g.seen()), int(size(g.effects))} }

// trace is what an upstream got, and ran, since a mark.
type trace struct {
	got []byte
	ran bool
}

func (g gated) since(m mark) trace {
	return trace{got: g.seen()[m.seen:], ran: int(size(g.effects)) > m.ran}
}

// judge fails the test when a row was not handled as it must be.
func judge(t *testing.T, r row, got string, upstream trace) {
	t.Helper()
	if got == good && r.oneReading && bytes.Contains(decoded(upstream.got), []byte("good")) {
		return
	}
	if strings.HasPrefix(got, runs) || got == lists || got == pings || strings.HasPrefix(got, other) {
		t.Errorf("%s: through the gate it %s", r.name, got)
	}
	if upstream.ran {
		t.Errorf("%s: %s, but the upstream ran a call", r.name, got)
	}
	for _, word := range []string{"good", "evil", "erase", "nosuch"} {
		if bytes.Contains(decoded(upstream.got), []byte(word)) {
			t.Errorf("%s: %s, but the upstream was sent: %.300s", r.name, got, upstream.got)
		}
	}
}

// decoded undoes the escapes that the rows use, so that a word is found however it is written.
func decoded(b []byte) []byte {
	return []byte(strings.NewReplacer(`\u0065`, "e", `\u0061`, "a", `\u006f`, "o", `\u006d`, "m", `\u0063`, "c").Replace(string(b)))
}

// TestDifferentialGateStdio sends the table through the gate's stdio front.
func TestDifferentialGateStdio(t *testing.T) {
	t.Parallel()
	routes := []route{
		{name: "stdio to stdio legacy", stdio: true}, {name: "stdio to stdio modern", stdio: true, modern: true},
		{name: "stdio to HTTP legacy"},
	}
	for _, up := range upstreams() {
		for _, r := range routes {
			if r.modern && !up.modern {
				continue
			}
			t.Run(up.name+" "+r.name, func(t *testing.T) {
				t.Parallel()
				g := r.build(t, up)
				gate := g.gate(t)
				client := openStdio(t, gate.StdioArgv(up.name), gate.Env())
				if !r.modern {
					if err := client.Initialize(); err != nil {
						t.Fatal(err)
					}
				}
				for i, row := range append(rows(), moreRows()...) {
					if row.header != nil {
						continue
					}
					before := g.mark()
					replies := ask(t, client, row, r, i)
					judgeStdio(t, row, replies, g.since(before))
				}
			})
		}
	}
}

// openStdio starts a command that speaks MCP on its standard input and output.
func openStdio(t *testing.T, argv, env []string) *wire.Stdio {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Env = env
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var printed bytes.Buffer
	cmd.Stderr = &printed
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// A program that stops answering must end the test, not hang it: closing the pipe ends the wait,
	// whoever else holds its other end.
	timer := time.AfterFunc(stdioTime, func() { _ = out.Close() })
	t.Cleanup(func() {
		timer.Stop()
		_ = in.Close()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s printed:\n%s", filepath.Base(argv[0]), end(printed.String()))
		}
	})
	return wire.NewStdio(in, out)
}

// ask sends a row and then a plain call, and returns what was answered before the plain call was.
func ask(t *testing.T, c *wire.Stdio, r row, way route, n int) []json.RawMessage {
	t.Helper()
	line := []byte(strings.ReplaceAll(r.body, "«meta»", way.meta()))
	var replies []json.RawMessage
	if r.oneReading {
		got, err := c.Ask(line, "7")
		if err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		replies = got
	} else if err := c.Write(line); err != nil {
		t.Fatalf("%s: %v", r.name, err)
	}
	id := fmt.Sprintf(`"fence-%d"`, n)
	fence := strings.NewReplacer(`"id":7`, `"id":`+id, "«meta»", way.meta()).Replace(call)
	got, err := c.Ask([]byte(fence), id)
	if err != nil {
		t.Fatalf("after %q the gate no longer serves: %v", r.name, err)
	}
	if last := outcomeOf(got[len(got)-1]); last != good {
		t.Fatalf("after %q a plain call: %s", r.name, last)
	}
	return append(replies, got[:len(got)-1]...)
}

// judgeStdio is [judge] for a stream, on which the plain call that came after the row shows too.
func judgeStdio(t *testing.T, r row, replies []json.RawMessage, upstream trace) {
	t.Helper()
	plain := 0
	for line := range bytes.Lines(upstream.got) {
		if bytes.Contains(decoded(line), []byte("good")) {
			plain++
		}
		if bytes.Contains(line, []byte("evil")) || bytes.Contains(decoded(line), []byte("erase")) {
			t.Errorf("%s: the upstream was sent: %.300s", r.name, line)
		}
	}
	if plain > 1 && !r.oneReading {
		t.Errorf("%s: the upstream was sent more than the plain call: %.600s", r.name, upstream.got)
	}
	for _, m := range replies {
		if bytes.Contains(m, []byte(`"method"`)) {
			continue
		}
		got := outcomeOf(m)
		if got != refused && got != toolErr && !(r.oneReading && got == good) {
			t.Errorf("%s: through the gate it %s", r.name, got)
		}
	}
}
