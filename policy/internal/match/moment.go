// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package match

import (
	"cmp"
	"time"
)

// MomentKind says how a text with a time in it is written.
type MomentKind uint8

// Kinds of moment.
const (
	NoMoment MomentKind = iota
	Instant             // RFC 3339 date-time
	Date                // YYYY-MM-DD
	Clock               // HH:MM or HH:MM:SS
)

// String names the kind for a message.
func (k MomentKind) String() string {
	switch k {
	case Instant:
		return "RFC 3339 time"
	case Date:
		return "date"
	case Clock:
		return "time of day"
	case NoMoment:
	}
	return "text"
}

// Moment is a point in time, a date or a time of day.
type Moment struct {
	Kind MomentKind
	at   time.Time
	secs int // of a clock
}

// ParseMoment reads the strict forms, and NoMoment for everything else: years
// of four digits, two digits elsewhere, no leap second.
func ParseMoment(s string) Moment {
	switch {
	case len(s) == 5 && s[2] == ':' || len(s) == 8 && s[2] == ':':
		return parseClock(s)
	case len(s) == len(time.DateOnly):
		t, err := time.Parse(time.DateOnly, s)
		if err != nil {
			return Moment{}
		}
		return Moment{Kind: Date, at: t}
	case len(s) >= len("2006-01-02T15:04:05Z") && len(s) <= len("2006-01-02T15:04:05.123456789+00:00"):
		var t time.Time
		if err := t.UnmarshalText([]byte(s)); err != nil || s[len("2006-01-02T15:04:05")] == ',' {
			return Moment{}
		}
		return Moment{Kind: Instant, at: t}
	}
	return Moment{}
}

func parseClock(s string) Moment {
	layout := "15:04"
	if len(s) == 8 {
		layout = time.TimeOnly
	}
	t, err := time.Parse(layout, s)
	if err != nil {
		return Moment{}
	}
	return ClockOf(t)
}

// InstantOf returns a point in time.
func InstantOf(t time.Time) Moment { return Moment{Kind: Instant, at: t} }

// Time returns the point in time that an Instant is.
func (m Moment) Time() time.Time { return m.at }

// DateOf returns the date of a time in its own zone.
func DateOf(t time.Time) Moment {
	y, m, d := t.Date()
	return Moment{Kind: Date, at: time.Date(y, m, d, 0, 0, 0, 0, time.UTC)}
}

// ClockOf returns the time of day of a time in its own zone, to the second.
func ClockOf(t time.Time) Moment {
	h, m, s := t.Clock()
	return Moment{Kind: Clock, secs: h*3600 + m*60 + s}
}

// Compare orders two moments of one kind; ok is false for different kinds.
func (m Moment) Compare(n Moment) (order int, ok bool) {
	if m.Kind != n.Kind || m.Kind == NoMoment {
		return 0, false
	}
	if m.Kind == Clock {
		return cmp.Compare(m.secs, n.secs), true
	}
	return m.at.Compare(n.at), true
}
