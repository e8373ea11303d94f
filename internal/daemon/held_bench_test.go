// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolverdict/toolverdict/httpgate/client"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// holding is a gate that holds calls of a tool which asks, and when its server
// was sent one.
func holding(b *testing.B) (g *gate, sent chan time.Time) {
	b.Helper()
	sent = make(chan time.Time, 1)
	up := newUpstream(b, true)
	up.AddTool(&mcp.Tool{Name: "wipe", Description: "wipes", InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			sent <- time.Now()
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "wiped"}}}, nil
		})
	l := newLab(b, at(up.url, ", pin: first-sight"), map[string]string{
		"catalog.yaml": "tools:\n  up/wipe: {risk: low}\n",
		"policy.yaml":  "policy: all\nversion: v1\nrules:\n  - {id: ask, verdict: ask, reason: The test says so, tools: \"*\"}\n",
	})
	conf, err := os.ReadFile(filepath.Join(l.dir, "toolverdict.yaml"))
	if err != nil {
		b.Fatal(err)
	}
	l.write("toolverdict.yaml", string(conf)+"approvals: {hold: 5m, openPerRun: 1000}\n")
	g = l.open()
	g.Settle(b.Context())
	return g, sent
}

// waits returns the id of the one approval that waits, once it does.
func waits(b *testing.B, boss *client.Client) string {
	b.Helper()
	for range 5000 {
		all, err := boss.Approvals(b.Context(), "pending")
		if err != nil {
			b.Fatal(err)
		}
		if len(all) > 0 {
			return all[0].ID
		}
		time.Sleep(time.Millisecond)
	}
	b.Fatal("nothing waits")
	return ""
}

// BenchmarkApproval is the time from an approver's click, as the gate is sent it,
// to the held call's arrival at its server, for each door.
func BenchmarkApproval(b *testing.B) {
	for name, hold := range map[string]func(g *gate, n int) error{
		"HTTP": func(g *gate, n int) error {
			res, _, err := g.client("agent").Do(g.lab.t.Context(), client.Call{Tool: "up/wipe", Arguments: fmt.Appendf(nil, `{"n":%d}`, n), Wait: time.Minute})
			if err == nil && !res.Success {
				err = res.Error
			}
			return err
		},
		"MCP": func(g *gate, n int) error { return g.wipeOverMCP(n) },
	} {
		b.Run(name, func(b *testing.B) {
			g, sent := holding(b)
			boss := g.client("boss")
			var took []time.Duration
			for n := 0; b.Loop(); n++ {
				done := make(chan error, 1)
				go func() { done <- hold(g, n) }()
				id := waits(b, boss)
				clicked := time.Now()
				if _, err := boss.Decide(b.Context(), id, "approve", ""); err != nil {
					b.Fatal(err)
				}
				select {
				case at := <-sent:
					took = append(took, at.Sub(clicked))
				case err := <-done:
					b.Fatalf("the call ended without being sent: %v", err)
				}
				if err := <-done; err != nil {
					b.Fatal(err)
				}
			}
			slices.Sort(took)
			b.ReportMetric(ms(took[len(took)/2]), "median-ms")
			b.ReportMetric(ms(took[len(took)*99/100]), "p99-ms")
		})
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// wipeOverMCP makes the call as an MCP client, and waits for its answer.
func (g *gate) wipeOverMCP(n int) error {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"wipe","arguments":{"n":%d},"_meta":{%q:"2026-07-28",%q:{}}}}`,
		n, n, mcpwire.MetaVersion, mcpwire.MetaCapabilities)
	r, err := http.NewRequestWithContext(g.lab.t.Context(), http.MethodPost, g.url+"/mcp/up", strings.NewReader(body))
	if err != nil {
		return err
	}
	key, err := os.ReadFile(filepath.Join(g.lab.dir, "data", "keys", "agent"))
	if err != nil {
		return err
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + strings.TrimSpace(string(key)), "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		mcpwire.HeaderVersion: "2026-07-28", mcpwire.HeaderMethod: "tools/call", mcpwire.HeaderName: "wipe",
	} {
		r.Header.Set(name, value)
	}
	resp, err := tester.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && !strings.Contains(string(text), "wiped") {
		err = fmt.Errorf("%s: %s", resp.Status, text)
	}
	return err
}

// BenchmarkHeld is what 500 held calls cost in memory over an idle gate, with the
// callers' own connections and goroutines, which are in the same process here.
func BenchmarkHeld(b *testing.B) {
	const calls = 500
	for b.Loop() {
		g, _ := holding(b)
		agent := g.client("agent")
		idle := inUse()
		ctx, leave := context.WithCancel(b.Context())
		var held sync.WaitGroup
		for n := range calls {
			held.Go(func() {
				_, _, _ = agent.Do(ctx, client.Call{Tool: "up/wipe", Arguments: fmt.Appendf(nil, `{"n":%d}`, n), Wait: time.Minute})
			})
		}
		for waiting := 0; waiting < calls; time.Sleep(10 * time.Millisecond) {
			var err error
			if waiting, err = g.Waiting(ctx); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(inUse()-idle)/(1<<20), "MiB/500-held")
		leave()
		held.Wait()
	}
}

// inUse is what heap and stacks hold, garbage aside.
func inUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}
