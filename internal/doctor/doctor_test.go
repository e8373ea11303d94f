// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package doctor_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/internal/doctor"
)

// check is a check of a test.
type check struct {
	name string
	look func(ctx context.Context) []doctor.Finding
}

func (c check) Name() string                              { return c.name }
func (c check) Looks() string                             { return "the test" }
func (c check) Look(ctx context.Context) []doctor.Finding { return c.look(ctx) }

// TestRun: what a check could not find out is never well, however it came about.
func TestRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		checks := []doctor.Check{
			check{"good", func(context.Context) []doctor.Finding { return doctor.Good("%d things", 3) }},
			check{"panics", func(context.Context) []doctor.Finding { panic("broken") }},
			check{"silent", func(context.Context) []doctor.Finding { return nil }},
			check{"slow", func(ctx context.Context) []doctor.Finding { <-ctx.Done(); return doctor.Unseen("", "out of time") }},
			check{"stuck", func(ctx context.Context) []doctor.Finding { time.Sleep(time.Hour); return doctor.Good("late") }},
			check{"two", func(context.Context) []doctor.Finding {
				return append(doctor.Warned("do this", "odd"), doctor.Noted("by the way")...)
			}},
			check{"hostile\u202e", func(context.Context) []doctor.Finding {
				return doctor.Warned("do\x1b[2J that", "a\u200bb\nc\x1b]0;x\a")
			}},
		}
		var told []doctor.Finding
		r := doctor.Run(t.Context(), checks, time.Second, func(f doctor.Finding) { told = append(told, f) })
		want := []doctor.Finding{
			{Check: "good", Level: doctor.OK, Text: "3 things"},
			{Check: "panics", Level: doctor.Unknown, Text: "the check itself failed: broken", Fix: "report it: this is a fault of toolverdict"},
			{Check: "silent", Level: doctor.Unknown, Text: "the check found nothing out", Fix: "report it: this is a fault of toolverdict"},
			{Check: "slow", Level: doctor.Unknown, Text: "out of time"},
			{Check: "stuck", Level: doctor.Unknown, Text: "it took longer than 1s: the test"},
			{Check: "two", Level: doctor.Warning, Text: "odd", Fix: "do this"},
			{Check: "two", Level: doctor.Note, Text: "by the way"},
			{Check: "hostile", Level: doctor.Warning, Text: "ab c", Fix: "do that"},
		}
		if diff := cmp.Diff(want, r.Findings); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(r.Findings, told); diff != "" {
			t.Error(diff)
		}
		if r.Worst() != doctor.Unknown || r.Count(doctor.Unknown) != 4 {
			t.Errorf("%s, %d", r.Worst(), r.Count(doctor.Unknown))
		}
		time.Sleep(2 * time.Hour) // the one that is stuck ends before the test
	})
}

// TestWorst: a report is as bad as the worst in it, and an empty one is not well.
func TestWorst(t *testing.T) {
	t.Parallel()
	var r doctor.Report
	if r.Worst() != doctor.Unknown {
		t.Error("nothing was found out, and all is well")
	}
	for _, l := range doctor.Levels() {
		r.Findings = append([]doctor.Finding{{Level: l}}, r.Findings...)
		if r.Worst() != l {
			t.Errorf("%s is not the worst of %v", l, r.Findings)
		}
	}
	if !doctor.Level("new").Worse(doctor.Failure) {
		t.Error("a word that is no level passes")
	}
}
