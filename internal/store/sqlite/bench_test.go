// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sqlite_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
)

// typical is a record whose leaf has about 600 bytes.
func typical(call string) tv.Record {
	hash := strings.Repeat("5f", 32)
	return tv.Record{
		Kind: tv.RecordDecision, At: time.Now(), CallID: call, CallerID: "call_Vn3pZq8", Session: "s-01JDXM4T0V",
		Run: "r-01JDXM4T0W", Subject: "agent:support", User: "eva", Agent: "support", Model: "model-1", Door: tv.DoorMCPHTTP,
		Tool: "orders/query_order", ToolHash: hash, Arguments: json.RawMessage(`{"order_id":"A1001","fields":["status","amount"]}`),
		ArgumentsMAC: hash, Verdict: "allow", Rule: "allow-lookups", Rules: []tv.Match{{Rule: "allow-lookups", Verdict: tv.Allow}},
		PolicyVersion: "v20250115_01", PolicyHash: hash, Took: 1200,
	}
}

// lately is the same call for the history.
func lately(call string) tv.Past {
	return tv.Past{
		ID: call, State: tv.PastDispatched, At: time.Now(), Tool: tv.PastTool{Name: "orders/query_order", Groups: []string{"order_read"}, Safety: tv.ReadOnly, Risk: tv.LowRisk},
		Session: "s-01JDXM4T0V", Subject: "agent:support", User: "eva", Agent: "support", Run: "r-01JDXM4T0W",
	}
}

// Durable commits a second, group-committed, against the baseline of one
// transaction and one fsync for each, by callers that take turns. A read is one
// record; a write is a record with a new ledger entry.

func BenchmarkRead1(b *testing.B)   { benchBoth(b, 1, false) }
func BenchmarkRead32(b *testing.B)  { benchBoth(b, 32, false) }
func BenchmarkRead64(b *testing.B)  { benchBoth(b, 64, false) }
func BenchmarkWrite1(b *testing.B)  { benchBoth(b, 1, true) }
func BenchmarkWrite32(b *testing.B) { benchBoth(b, 32, true) }
func BenchmarkWrite64(b *testing.B) { benchBoth(b, 64, true) }

func benchBoth(b *testing.B, callers int, claims bool) {
	b.Helper()
	b.Run("baseline-fsync-each", func(b *testing.B) { benchCommit(b, callers, claims, true) })
	b.Run("group", func(b *testing.B) { benchCommit(b, callers, claims, false) })
}

func benchCommit(b *testing.B, callers int, claims, each bool) {
	b.Helper()
	s := openBench(b)
	var all latencies
	turn := make(chan struct{}, 1)
	callersRun(b, callers, func(i int64) {
		call := fmt.Sprintf("01JDXM4T0V%012d", i)
		c := tv.Changes{Records: []tv.Record{typical(call)}, Past: []tv.Past{lately(call)}}
		if claims {
			c.Claims = []tv.ClaimChange{{To: tv.Claim{
				Key: "call:" + call, State: tv.ClaimDispatched, Digest: strings.Repeat("5f", 32), Subject: "agent:support",
				Tool: "orders/cancel_order", CallID: call, Node: "bench", Updated: time.Now(), Deadline: time.Now().Add(time.Minute),
			}}}
		}
		begin := time.Now()
		if each {
			turn <- struct{}{}
		}
		if err := s.Commit(context.Background(), c); err != nil {
			b.Error(err)
		}
		all.add(time.Since(begin))
		if each {
			<-turn
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
	all.report(b)
}

// callersRun has callers do b.N things among them, as fast as they can.
func callersRun(b *testing.B, callers int, do func(i int64)) {
	b.Helper()
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	for range callers {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				do(i)
			}
		})
	}
	wg.Wait()
	b.StopTimer()
}

// latencies collects how long each commit took.
type latencies struct {
	mu  sync.Mutex
	all []time.Duration
}

func (l *latencies) add(took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, took)
}

func (l *latencies) report(b *testing.B) {
	b.Helper()
	slices.Sort(l.all)
	for name, at := range map[string]int{"p50-µs": 50, "p99-µs": 99} {
		b.ReportMetric(float64(l.all[(len(l.all)-1)*at/100].Microseconds()), name)
	}
}

// BenchmarkCall is what a whole read-only call asks of the store: the user's
// choices, a durable record, a lazy one.
func BenchmarkCall(b *testing.B) {
	for _, callers := range []int{1, 32} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			s := openBench(b)
			callersRun(b, callers, func(i int64) {
				ctx, r := context.Background(), typical(fmt.Sprintf("01JDXM4T0V%012d", i))
				if _, err := s.Disabled(ctx, "eva"); err != nil {
					b.Error(err)
				}
				if err := s.Commit(ctx, tv.Changes{Records: []tv.Record{r}, Past: []tv.Past{lately(r.CallID)}}); err != nil {
					b.Error(err)
				}
				r.Kind = tv.RecordOutcome
				settled := []tv.Settled{{ID: r.CallID, State: tv.PastSucceeded}}
				if err := s.Commit(ctx, tv.Changes{Records: []tv.Record{r}, Settled: settled, Lazy: true}); err != nil {
					b.Error(err)
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}

// BenchmarkLook looks back in a history of 100 000 calls, of which 1000 belong
// to the session.
func BenchmarkLook(b *testing.B) {
	s := openBench(b)
	const size = 100_000
	for i := range size {
		p := lately(fmt.Sprint(i))
		p.Tool.Name = fmt.Sprint("orders/tool-", i%50)
		p.Session, p.Numbers = fmt.Sprint("s-", i%100), []tv.Number{{Name: "args.amount", Value: "12.50"}}
		if err := s.Commit(context.Background(), tv.Changes{Records: []tv.Record{typical(p.ID)}, Past: []tv.Past{p}, Lazy: i%250 != 0}); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Commit(context.Background(), tv.Changes{Records: []tv.Record{typical("last")}}); err != nil {
		b.Fatal(err)
	}
	one := func(t tv.PastTool) bool { return t.Name == "orders/tool-7" }
	look := tv.Look{Tools: one, Ties: []tv.Tie{{By: "session", Value: "s-7"}}, Subject: "agent:support", Within: time.Hour, Least: tv.PastDispatched, Most: 1}
	for name, edit := range map[string]func(*tv.Look){
		"any":      func(*tv.Look) {},
		"none":     func(l *tv.Look) { l.Ties[0].Value = "s-8" },
		"count100": func(l *tv.Look) { l.Most = 100 },
		"sum1000":  func(l *tv.Look) { l.Most, l.Sum = 10_000, "args.amount" },
		"anyone":   func(l *tv.Look) { l.Ties = nil },
		"alltools": func(l *tv.Look) { l.Tools = func(tv.PastTool) bool { return true } },
	} {
		b.Run(name, func(b *testing.B) {
			l := look
			l.Ties = slices.Clone(look.Ties)
			edit(&l)
			for b.Loop() {
				if _, err := s.Seen(context.Background(), []tv.Look{l}, time.Now()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkVerify reads and checks a log of 100 000 records.
func BenchmarkVerify(b *testing.B) {
	s := openBench(b)
	const size = 100_000
	for i := range size {
		if err := s.Commit(context.Background(), tv.Changes{Records: []tv.Record{typical(fmt.Sprint(i))}, Lazy: i%250 != 0}); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Commit(context.Background(), tv.Changes{Records: []tv.Record{typical("last")}}); err != nil {
		b.Fatal(err)
	}
	v, err := s.Log(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	defer v.Close()
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			if r, err := audit.Verify(context.Background(), audit.Job{Log: v, Key: v.Key()}); err != nil || !r.OK() {
				b.Fatal(err, r.Fault)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/size, "ns/record")
	})
	b.Run("prove", func(b *testing.B) {
		for b.Loop() {
			if _, err := v.Prove(context.Background(), v.Key(), 54_321); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("find", func(b *testing.B) {
		for b.Loop() {
			if _, err := v.Find(context.Background(), audit.Query{Call: "no such call"}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/size, "ns/record")
	})
}

// openBench opens a store on the disk that holds temporary folders; TMPDIR names
// another one.
func openBench(b *testing.B) *sqlite.Store {
	b.Helper()
	s, err := sqlite.Open(context.Background(), sqlite.Config{Dir: b.TempDir(), Node: "bench", Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	return s
}
