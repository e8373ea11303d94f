// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"maps"
	"slices"
	"time"

	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// moment is a test of the time of the decision.
type moment struct {
	name string // now, date, clock, hour, minute, weekday
	zone *time.Location
	ops  []syntax.Op
}

// alike reports whether all tests look at the same thing in the same zone.
func alike(list []moment) bool {
	return !slices.ContainsFunc(list, func(m moment) bool {
		return m.name != list[0].name || m.zone.String() != list[0].zone.String() || m.name == "minute"
	})
}

const (
	maxDays  = 60
	maxTimes = 600
)

// times returns points in time around everything that is compared with. The
// week that starts the list has no meaning of its own. They are complete where
// all tests look at the same thing and no bound was met.
func times(list []moment) (out []time.Time, complete bool) {
	base := time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC) // a Monday
	around := around{clocks: []time.Duration{12 * time.Hour, 0}}
	zones := map[string]*time.Location{}
	for i := range 7 {
		around.days = append(around.days, base.AddDate(0, 0, i))
	}
	for _, m := range list {
		zones[m.zone.String()] = m.zone
		g := gathered{}
		g.gather(m.ops)
		unit := time.Hour
		if m.name == "minute" {
			unit = time.Minute
		}
		for _, n := range g.numbers {
			i, _ := n.Number.Int64()
			around.clocks = append(around.clocks, time.Duration(i-1)*unit, time.Duration(i)*unit, time.Duration(i+1)*unit)
		}
		for _, s := range slices.Concat(g.moments, g.literals) {
			around.text(s)
		}
	}
	out = around.instants
	for _, name := range slices.Sorted(maps.Keys(zones)) {
		out = append(out, crossed(zones[name], around.days, around.clocks)...)
	}
	return out[:min(len(out), maxTimes)], alike(list) && len(out) <= maxTimes && len(around.days) <= maxDays
}

// around collects what lies around the times that are compared with.
type around struct {
	days     []time.Time
	clocks   []time.Duration
	instants []time.Time
}

func (a *around) text(s string) {
	if at, err := time.Parse(time.RFC3339, s); err == nil {
		a.instants = append(a.instants, at.Add(-time.Second), at, at.Add(time.Second))
	}
	if at, err := time.Parse(time.DateOnly, s); err == nil {
		a.days = append(a.days, at.AddDate(0, 0, -1), at, at.AddDate(0, 0, 1))
	}
	for _, form := range []string{"15:04", "15:04:05"} {
		if at, err := time.Parse(form, s); err == nil {
			clock := time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute + time.Duration(at.Second())*time.Second
			a.clocks = append(a.clocks, clock-time.Second, clock, clock+time.Second)
		}
	}
}

func crossed(zone *time.Location, days []time.Time, clocks []time.Duration) []time.Time {
	slices.Sort(clocks)
	clocks = slices.Compact(clocks)
	var out []time.Time
	for _, day := range days[:min(len(days), maxDays)] {
		midnight := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone)
		for _, c := range clocks {
			if c >= 0 && c < 24*time.Hour {
				out = append(out, midnight.Add(c))
			}
		}
	}
	return out
}
