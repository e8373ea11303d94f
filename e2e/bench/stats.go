// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// sample is what one target did in one round.
type sample struct {
	p50, p99 time.Duration
	rate     float64       // calls per second
	cpu      time.Duration // of the hop's own process, per call; 0 where there is no hop
}

// newSample sums up the latencies of one round. It sorts them.
func newSample(latencies []time.Duration, took, cpu time.Duration) sample {
	slices.Sort(latencies)
	n := len(latencies)
	return sample{
		p50:  percentile(latencies, 0.50),
		p99:  percentile(latencies, 0.99),
		rate: float64(n) / took.Seconds(),
		cpu:  cpu / time.Duration(n),
	}
}

// percentile is the value at a share of a sorted list, by nearest rank.
func percentile(sorted []time.Duration, share float64) time.Duration {
	i := int(share*float64(len(sorted)) + 0.5)
	return sorted[min(max(i-1, 0), len(sorted)-1)]
}

// middle is the median of each figure over the rounds, so that one disturbed round counts little.
func middle(rounds []sample) sample {
	return sample{
		p50:  median(rounds, func(s sample) time.Duration { return s.p50 }),
		p99:  median(rounds, func(s sample) time.Duration { return s.p99 }),
		rate: median(rounds, func(s sample) float64 { return s.rate }),
		cpu:  median(rounds, func(s sample) time.Duration { return s.cpu }),
	}
}

func median[T time.Duration | float64](rounds []sample, of func(sample) T) T {
	values := make([]T, len(rounds))
	for i, s := range rounds {
		values[i] = of(s)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// line is one row of the table.
type line struct {
	group, name string
	concurrent  int
	direct      bool // the row that the others of its group and concurrency are compared with
	gate        bool // a row that waits for a durable record
	sample
}

// printTable prints every row beside its direct one: what was added, and the ratio to one direct hop.
func printTable(w io.Writer, lines []line) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "path\tat once\tp50 µs\tadded µs\tless a commit\tratio\tp99 µs\tratio\tcalls/s\tratio\tCPU µs\t")
	for i, l := range lines {
		if i > 0 && l.group != lines[i-1].group {
			fmt.Fprintln(t, "\t\t\t\t\t\t\t\t\t\t\t")
		}
		base, ok := directOf(lines, l)
		if !ok {
			return fmt.Errorf("print table: %s has no direct row at %d", l.group, l.concurrent)
		}
		fmt.Fprintf(t, "%s, %s\t%d\t%s\t%s\t%s\t%.2f\t%s\t%.2f\t%.0f\t%.2f\t%s\t\n", l.group, l.name, l.concurrent,
			micros(l.p50), added(l, base), lessCommit(lines, l, base), ratio(l.p50, base.p50), micros(l.p99), ratio(l.p99, base.p99), l.rate, l.rate/base.rate, cpu(l))
	}
	return t.Flush()
}

func directOf(lines []line, l line) (line, bool) {
	i := slices.IndexFunc(lines, func(o line) bool { return o.direct && o.group == l.group && o.concurrent == l.concurrent })
	if i < 0 {
		return line{}, false
	}
	return lines[i], true
}

func micros(d time.Duration) string { return fmt.Sprintf("%.0f", float64(d)/float64(time.Microsecond)) }

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

func added(l, base line) string {
	if l.direct {
		return "-"
	}
	return micros(l.p50 - base.p50)
}

// lessCommit is what the gate adds besides the wait for one durable record.
func lessCommit(lines []line, l, base line) string {
	commit, ok := directOf(lines, line{group: commitGroup, concurrent: l.concurrent})
	if !ok || !l.gate {
		return "-"
	}
	return micros(l.p50 - base.p50 - commit.p50)
}

func cpu(l line) string {
	if l.cpu == 0 {
		return "-"
	}
	return micros(l.cpu)
}
