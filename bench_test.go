// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/internal/redact"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
)

// benchCallers is how many callers use one gate at once.
const benchCallers = 32

var benchArguments = []byte(`{"order_id":"A1001","limit":20,"fields":["id","state","amount"],"note":"what the customer asked for last week"}`)

// BenchmarkGatedCall times whole calls by 32 callers: decode, decide, durable
// record, dispatch to a function, outcome. The baseline is one durable append
// to a file per call, each with its own fsync, by as many callers.
func BenchmarkGatedCall(b *testing.B) {
	reading := gatetest.Tool("read", nil)
	writing := gatetest.Tool("write", gatetest.Destructive)
	redactor, err := redact.New(redact.Config{Key: make([]byte, 32)})
	if err != nil {
		b.Fatal(err)
	}
	production := func(c *tv.Config) { c.Redactor, c.Now = redactor, time.Now }
	b.Run("memory/read", func(b *testing.B) {
		r := newRig(b, gatetest.Always(tv.Allow), []*tv.Tool{reading}, production)
		benchCalls(b, r.Gate, "read")
	})
	for _, name := range []string{"read", "write"} {
		b.Run("sqlite/"+name, func(b *testing.B) {
			store, err := sqlite.Open(context.Background(), sqlite.Config{Dir: b.TempDir(), Node: "bench", Now: time.Now})
			if err != nil {
				b.Fatal(err)
			}
			defer store.Close()
			r := newRig(b, gatetest.Always(tv.Allow), []*tv.Tool{reading, writing}, func(c *tv.Config) {
				production(c)
				c.Store, c.Choices = store, store
			})
			benchCalls(b, r.Gate, name)
		})
	}
	b.Run("baseline/fsync-per-call", benchFsync)
}

func benchCalls(b *testing.B, g *tv.Gate, tool string) {
	spread(b, func() {
		p := call(tool, string(benchArguments))
		if res, err := g.Do(context.Background(), p); err != nil || !res.Success {
			b.Errorf("%+v %v", res, err)
		}
	})
}

func benchFsync(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	var mu sync.Mutex
	line := make([]byte, 600)
	spread(b, func() {
		mu.Lock()
		defer mu.Unlock()
		_, err := f.Write(line)
		if err == nil {
			err = f.Sync()
		}
		if err != nil {
			b.Error(err)
		}
	})
}

// spread runs b.N calls of f over the callers.
func spread(b *testing.B, f func()) {
	b.ReportAllocs()
	var left atomic.Int64
	left.Store(int64(b.N))
	b.ResetTimer()
	var wg sync.WaitGroup
	for range benchCallers {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				f()
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}
