// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package view

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Comparison is how a call differs from one like it that a person approved.
type Comparison struct {
	ID      string // of the other approval
	By      []string
	At      time.Time // of the last yes
	State   tv.ApprovalState
	Changes []Changed
	More    int // places that are not listed
}

// Changed is one place in which the arguments differ; a side that is not there is
// "".
type Changed struct{ Path, Before, After string }

// Bounds of a comparison: places, and one value in bytes.
const (
	mostChanged = 16
	mostText    = 400
)

// WasApproved reports whether people said yes to a call and it was not taken
// back.
func WasApproved(a *tv.Approval) bool {
	switch a.State {
	case tv.ApprovalApproved, tv.ApprovalClaimed, tv.ApprovalDone, tv.ApprovalFailed, tv.ApprovalUnknown:
		return true
	default:
		return false
	}
}

// Compare holds a call against one that was approved before, by what cards show
// of both: what is hidden is not compared.
func Compare(now, before *tv.Approval) Comparison {
	out := Comparison{ID: before.ID, State: before.State}
	for _, v := range before.Votes {
		if v.Approved {
			out.By = append(out.By, plain.Reveal(v.By.ID))
			if v.At.After(out.At) {
				out.At = v.At
			}
		}
	}
	a, errA := canon.Parse(shownArguments(before), limits())
	b, errB := canon.Parse(shownArguments(now), limits())
	if errA != nil || errB != nil {
		out.More = 1 // they cannot be told to be the same
		return out
	}
	c := comparing{out: &out}
	c.compare(nil, a, b)
	return out
}

func limits() canon.Limits {
	return canon.Limits{MaxBytes: canon.HardMaxBytes, MaxDepth: canon.HardMaxDepth, AllowFoldedSiblings: true}
}

func shownArguments(a *tv.Approval) json.RawMessage {
	if len(a.Card.Whole) > 0 {
		return a.Card.Whole
	}
	return a.Card.Arguments
}

type comparing struct{ out *Comparison }

func (c comparing) compare(path []string, a, b canon.Value) {
	switch {
	case canon.Equal(a, b):
	case a.Kind() == canon.KindObject && b.Kind() == canon.KindObject:
		for name, old := range a.Fields() {
			if now, there := b.Get(name); there {
				c.compare(step(path, name), old, now)
			} else {
				c.add(step(path, name), shownValue(old), "")
			}
		}
		for name, now := range b.Fields() {
			if _, there := a.Get(name); !there {
				c.add(step(path, name), "", shownValue(now))
			}
		}
	case a.Kind() == canon.KindArray && b.Kind() == canon.KindArray && a.Len() == b.Len():
		for i, old := range a.Items() {
			now, _ := b.Index(i)
			c.compare(step(path, strconv.Itoa(i+1)), old, now)
		}
	case a.Kind() != b.Kind(): // 1 and "1" must not look the same
		c.add(path, cut(string(canon.Append(nil, a))), cut(string(canon.Append(nil, b))))
	default:
		c.add(path, shownValue(a), shownValue(b))
	}
}

func (c comparing) add(path []string, before, after string) {
	if len(c.out.Changes) == mostChanged {
		c.out.More++
		return
	}
	c.out.Changes = append(c.out.Changes, Changed{plain.Reveal(strings.Join(path, " › ")), before, after})
}

func step(path []string, name string) []string { return append(slices.Clip(path), name) }

func shownValue(v canon.Value) string {
	s := v.Text()
	if v.Kind() != canon.KindString {
		s = string(canon.Append(nil, v))
	}
	if v.Kind() == canon.KindString && strings.TrimSpace(s) == "" {
		s = strconv.Quote(s) // or it would not be seen
	}
	return cut(s)
}

func cut(s string) string {
	return plain.Reveal(plain.Cut(s, mostText))
}
