// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package format

import (
	"strings"
	"time"
)

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// isTime follows RFC 3339: a leap second is one only at the end of a day in UTC.
func isTime(s string) bool {
	if len(s) < len("00:00:00Z") || s[2] != ':' || s[5] != ':' {
		return false
	}
	hour, minute, second := number(s[:2]), number(s[3:5]), number(s[6:8])
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60 {
		return false
	}
	s = s[8:]
	if fraction, found := strings.CutPrefix(s, "."); found {
		if s = strings.TrimLeft(fraction, digits); s == fraction {
			return false
		}
	}
	east, ok := offset(s)
	if !ok {
		return false
	}
	const day = 24 * 60
	return second < 60 || (hour*60+minute-east+day)%day == day-1
}

// offset reads Z or +hh:mm, in minutes east of Greenwich.
func offset(s string) (minutes int, ok bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != len("+00:00") || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return 0, false
	}
	h, m := number(s[1:3]), number(s[4:6])
	if h < 0 || h > 23 || m < 0 || m > 59 {
		return 0, false
	}
	if s[0] == '-' {
		return -(h*60 + m), true
	}
	return h*60 + m, true
}

// number reads two digits; -1 is none.
func number(s string) int {
	if len(s) != 2 || !only(s, digits) {
		return -1
	}
	return int(s[0]-'0')*10 + int(s[1]-'0')
}

func isDateTime(s string) bool {
	const date = len("2006-01-02")
	return len(s) > date && (s[date] == 'T' || s[date] == 't') && isDate(s[:date]) && isTime(s[date+1:])
}

// isDuration follows appendix A of RFC 3339, where units may be left out.
func isDuration(s string) bool {
	s, found := strings.CutPrefix(s, "P")
	if !found || s == "" {
		return false
	}
	if weeks, found := strings.CutSuffix(s, "W"); found {
		return weeks != "" && only(weeks, digits)
	}
	days, hours, timed := strings.Cut(s, "T")
	return inUnits(days, "YMD") && (!timed || hours != "" && inUnits(hours, "HMS"))
}

// inUnits reads numbers that are each followed by a unit, in the order given.
func inUnits(s, units string) bool {
	for s != "" {
		rest := strings.TrimLeft(s, digits)
		if rest == s || rest == "" {
			return false
		}
		at := strings.IndexByte(units, rest[0])
		if at < 0 {
			return false
		}
		s, units = rest[1:], units[at+1:]
	}
	return true
}

// isPeriod reads two ends, or one and how long it takes to the other.
func isPeriod(s string) bool {
	start, end, found := strings.Cut(s, "/")
	switch {
	case !found:
		return false
	case strings.HasPrefix(start, "P"):
		return isDuration(start) && isDateTime(end)
	case strings.HasPrefix(end, "P"):
		return isDateTime(start) && isDuration(end)
	}
	return isDateTime(start) && isDateTime(end)
}
