// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Command compare measures all engines of enginebench on the same rules and
// calls and prints what each takes for a decision, and how many times that is of
// ours.
//
// Times are of the processor, of the whole process, and the least of several
// rounds in which the engines take turns: that is what a busy machine changes
// least. Before anything is measured, every engine is held to the oracle.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/toolverdict/toolverdict/contrib/enginebench"
)

func main() {
	sizes := flag.String("rules", "10,100,1000,10000", "numbers of rules")
	rounds := flag.Int("rounds", 8, "rounds of which the least counts")
	flag.Parse()
	for _, size := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			fmt.Fprintf(os.Stderr, "compare: -rules: %v\n", err)
			os.Exit(2)
		}
		for _, hot := range []bool{false, true} {
			if hot && n < 1000 {
				continue
			}
			if err := compare(n, hot, *rounds); err != nil {
				fmt.Fprintf(os.Stderr, "compare: %v\n", err)
				os.Exit(1)
			}
		}
	}
}

// measured is one engine with the least time that a decision took.
type measured struct {
	name   string
	decide enginebench.Engine
	batch  int
	load   time.Duration
	best   float64 // nanoseconds
}

func compare(n int, hot bool, rounds int) error {
	w := enginebench.New(n, hot)
	var engines []*measured
	for _, e := range enginebench.Engines() {
		if e.Most > 0 && n > e.Most {
			continue
		}
		m, err := prepare(w, e)
		if err != nil {
			return fmt.Errorf("%s at %d rules: %w", e.Name, n, err)
		}
		engines = append(engines, m)
	}
	for range rounds {
		for _, m := range engines {
			runtime.GC() // each pays for its own garbage
			if err := m.round(len(w.Calls)); err != nil {
				return fmt.Errorf("%s at %d rules: %w", m.name, n, err)
			}
		}
	}
	where := "over 200 tools"
	if hot {
		where = "on one tool"
	}
	fmt.Printf("\n%d rules %s\n", n, where)
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "engine\tload ms\tns a decision\ttimes ours\t")
	for _, m := range engines {
		fmt.Fprintf(out, "%s\t%d\t%.0f\t%.1f\t\n", m.name, m.load.Milliseconds(), m.best, m.best/engines[0].best)
	}
	return out.Flush()
}

// prepare makes an engine, holds it to the oracle, and finds out how many calls
// take long enough to be measured.
func prepare(w *enginebench.Workload, e enginebench.Entry) (*measured, error) {
	begin := busy()
	decide, err := e.Make(w)
	if err != nil {
		return nil, err
	}
	m := &measured{name: e.Name, decide: decide, batch: 1, load: busy() - begin}
	if err := enginebench.Agrees(w, decide, 64); err != nil {
		return nil, err
	}
	const enough = 4 * time.Millisecond
	for m.batch < 1<<16 {
		begin := busy()
		if err := m.run(len(w.Calls)); err != nil {
			return nil, err
		}
		if busy()-begin >= enough && m.batch >= len(w.Calls) {
			break
		}
		m.batch *= 2
	}
	return m, nil
}

func (m *measured) run(calls int) error {
	for i := range m.batch {
		if _, err := m.decide(i % calls); err != nil {
			return err
		}
	}
	return nil
}

func (m *measured) round(calls int) error {
	begin := busy()
	if err := m.run(calls); err != nil {
		return err
	}
	if took := float64(busy()-begin) / float64(m.batch); m.best == 0 || took < m.best {
		m.best = took
	}
	return nil
}

// busy is how long the process has kept processors busy.
func busy() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
