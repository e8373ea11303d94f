// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package doctor is the words in which checks tell what they found, and how they
// are run. It knows no check: those are below it, each in a file of its own.
//
// It fails towards distrust: what could not be looked at is never well, and a check
// that panics or takes too long has found that it could not look.
package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/toolverdict/toolverdict/internal/plain"
)

// Level says how bad a finding is.
type Level string

// Levels, from the best to the worst.
const (
	OK      Level = "ok"
	Note    Level = "note"    // worth knowing, nothing is wrong
	Warning Level = "warning" // nothing is unprotected yet
	Unknown Level = "unknown" // it could not be looked at
	Failure Level = "failure" // something is unprotected or broken
)

// Levels returns all of them, the best first.
func Levels() []Level { return []Level{OK, Note, Warning, Unknown, Failure} }

// Worse reports whether a level is worse than another. A word that is no level is
// the worst.
func (l Level) Worse(than Level) bool { return l.rank() > than.rank() }

func (l Level) rank() int {
	if i := slices.Index(Levels(), l); i >= 0 {
		return i
	}
	return len(Levels())
}

// Finding is one thing that a check found.
type Finding struct {
	Check string `json:"check"`
	Level Level  `json:"level"`
	Text  string `json:"text"`
	Fix   string `json:"fix,omitempty"` // the command or the edit that puts it right
}

// Check looks at one thing.
type Check interface {
	// Name is short and stays: programs select findings by it.
	Name() string
	// Looks says in a few words what is looked at.
	Looks() string
	// Look tells what was found. It changes nothing and stops when ctx ends.
	Look(ctx context.Context) []Finding
}

// Good is a finding that all is well.
func Good(format string, args ...any) []Finding { return one(OK, "", format, args) }

// Noted is something worth knowing.
func Noted(format string, args ...any) []Finding { return one(Note, "", format, args) }

// Warned is something that should be looked after.
func Warned(fix, format string, args ...any) []Finding { return one(Warning, fix, format, args) }

// Failed is something unprotected or broken.
func Failed(fix, format string, args ...any) []Finding { return one(Failure, fix, format, args) }

// Unseen is something that could not be looked at.
func Unseen(fix, format string, args ...any) []Finding { return one(Unknown, fix, format, args) }

func one(level Level, fix, format string, args []any) []Finding {
	return []Finding{{Level: level, Text: fmt.Sprintf(format, args...), Fix: fix}}
}

// Report is what all checks found, in the order of the checks.
type Report struct {
	Findings []Finding `json:"findings"`
}

// Worst is the worst level of all findings. A report without any found nothing out.
func (r *Report) Worst() Level {
	worst := OK
	for _, f := range r.Findings {
		if f.Level.Worse(worst) {
			worst = f.Level
		}
	}
	if len(r.Findings) == 0 {
		return Unknown
	}
	return worst
}

// Count counts the findings of one level.
func (r *Report) Count(l Level) int {
	n := 0
	for _, f := range r.Findings {
		if f.Level == l {
			n++
		}
	}
	return n
}

// Run runs checks one after another, each for no longer than a time. Told is called
// with each finding as it is made.
func Run(ctx context.Context, checks []Check, each time.Duration, told func(Finding)) Report {
	var r Report
	for _, c := range checks {
		for _, f := range look(ctx, c, each) {
			f.Check, f.Text, f.Fix = plain.Line(c.Name()), plain.Line(f.Text), plain.Line(f.Fix) // of settings and transcripts that are anybody's
			r.Findings = append(r.Findings, f)
			told(f)
		}
	}
	return r
}

// look runs one check. One that does not stop when it should is left behind.
func look(ctx context.Context, c Check, limit time.Duration) []Finding {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan []Finding, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				done <- Unseen("report it: this is a fault of toolverdict", "the check itself failed: %v", v)
			}
		}()
		done <- c.Look(ctx)
	}()
	grace := time.NewTimer(limit + limit/4)
	defer grace.Stop()
	select {
	case found := <-done:
		if len(found) == 0 {
			return Unseen("report it: this is a fault of toolverdict", "the check found nothing out")
		}
		return found
	case <-grace.C:
		return Unseen("", "it took longer than %s: %s", limit, c.Looks())
	}
}
