// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package overview

import "math"

// The chart of verdicts: a column for each slot, drawn by the server.
const (
	chartHeight = 100
	columnWidth = 10
	columnGap   = 3
)

// chart is the columns, and how large they are together.
type chart struct {
	Width, Height int
	Columns       []column
	Most          int // decisions in the highest column
}

// column is the bars of one slot, and the slot itself, to be read.
type column struct {
	slot
	X, Width int
	Bars     []bar
}

// bar is the decisions of one verdict.
type bar struct {
	Verdict   string
	Y, Height float64
}

func newChart(slots []slot) chart {
	c := chart{Width: len(slots) * columnWidth, Height: chartHeight}
	for i := range slots {
		c.Most = max(c.Most, slots[i].Sum())
	}
	for i, s := range slots {
		col := column{slot: s, X: i*columnWidth + columnGap/2, Width: columnWidth - columnGap}
		below := 0
		for _, b := range []struct {
			verdict string
			n       int
		}{{"allow", s.Allow}, {"ask", s.Ask}, {"deny", s.Deny}} {
			if b.n == 0 {
				continue
			}
			below += b.n
			col.Bars = append(col.Bars, bar{b.verdict, chartHeight - c.high(below), c.high(b.n)})
		}
		c.Columns = append(c.Columns, col)
	}
	return c
}

// high is how high some decisions stand, to a hundredth.
func (c *chart) high(n int) float64 {
	return math.Round(chartHeight*100*float64(n)/float64(c.Most)) / 100
}
