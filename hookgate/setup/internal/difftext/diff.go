// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package difftext shows what changes in a text, for people to read: a unified
// diff. It is bounded, and fit for a terminal.
package difftext

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/internal/plain"
)

// around is how many lines are shown before and after a change.
const around = 3

// maxLines bounds how many lines are compared one by one: what is longer is shown
// as taken out and put in.
const maxLines = 1000

// line is one of a diff: kept ' ', taken out '-' or put in '+'.
type line struct {
	sign byte
	text string
}

// Unified returns the diff of two texts, "" where they are the same.
func Unified(from, to, before, after string) string {
	if before == after {
		return ""
	}
	lines := compare(split(before), split(after))
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", plain.Line(from), plain.Line(to))
	oldAt, newAt := 1, 1
	for i := 0; i < len(lines); {
		end := hunk(lines, i)
		if end == i {
			i, oldAt, newAt = i+1, oldAt+1, newAt+1
			continue
		}
		var minus, plus int
		for _, l := range lines[i:end] {
			if l.sign != '+' {
				minus++
			}
			if l.sign != '-' {
				plus++
			}
		}
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", place(oldAt, minus), place(newAt, plus))
		for _, l := range lines[i:end] {
			fmt.Fprintf(&b, "%c%s\n", l.sign, show(l.text))
		}
		i, oldAt, newAt = end, oldAt+minus, newAt+plus
	}
	return b.String()
}

func place(at, lines int) string {
	if lines == 0 {
		at--
	}
	return fmt.Sprintf("%d,%d", at, lines)
}

// hunk is where the part that begins here ends; where it does not begin here, it is
// empty: no change is near enough.
func hunk(lines []line, start int) int {
	end, quiet := start, 0
	for i := start; i < len(lines) && quiet <= 2*around; i++ {
		if quiet++; lines[i].sign != ' ' {
			end, quiet = i+1, 0
		}
		if end == start && quiet > around {
			return start
		}
	}
	if end == start {
		return start
	}
	return min(end+around, len(lines))
}

// show makes a line fit for a terminal.
func show(text string) string {
	body, unended := strings.CutSuffix(text, noEnd)
	body = plain.Reveal(strings.TrimSuffix(strings.ReplaceAll(body, "\t", "    "), "\r"))
	if unended {
		return body + "\n\\ No newline at end of file"
	}
	return body
}

// noEnd marks a last line without an end.
const noEnd = "\x00"

func split(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	last := len(lines) - 1
	if lines[last] == "" {
		return lines[:last]
	}
	lines[last] += noEnd
	return lines
}

// compare finds a shortest way from one text to the other, between what they begin
// and end with alike.
func compare(a, b []string) []line {
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	out := make([]line, 0, len(a)+len(b))
	for _, l := range a[:head] {
		out = append(out, line{' ', l})
	}
	out = append(out, middle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, l := range a[len(a)-tail:] {
		out = append(out, line{' ', l})
	}
	return out
}

func middle(a, b []string) []line {
	var out []line
	i, j := 0, 0
	if len(a) <= maxLines && len(b) <= maxLines {
		common := longest(a, b)
		for i < len(a) && j < len(b) {
			switch {
			case a[i] == b[j]:
				out = append(out, line{' ', a[i]})
				i, j = i+1, j+1
			case common[i+1][j] >= common[i][j+1]:
				out = append(out, line{'-', a[i]})
				i++
			default:
				out = append(out, line{'+', b[j]})
				j++
			}
		}
	}
	for ; i < len(a); i++ {
		out = append(out, line{'-', a[i]})
	}
	for ; j < len(b); j++ {
		out = append(out, line{'+', b[j]})
	}
	return out
}

// longest says how many lines the rests have in common.
func longest(a, b []string) [][]int {
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i, x := range slices.Backward(a) {
		for j, y := range slices.Backward(b) {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); x == y {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	return common
}
