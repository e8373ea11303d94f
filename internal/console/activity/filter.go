// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package activity

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
)

// filter is what somebody asks the list for, as they wrote it.
type filter struct {
	Verdict, Tool, Subject, Session, Run, Code, Kind, Ref, Since, Until, Before, Text string
}

// fields are the filter's parts by their names in addresses.
func (f *filter) fields() map[string]*string {
	return map[string]*string{
		"q": &f.Text, "verdict": &f.Verdict, "kind": &f.Kind, "tool": &f.Tool, "subject": &f.Subject, "session": &f.Session,
		"run": &f.Run, "code": &f.Code, "id": &f.Ref, "since": &f.Since, "until": &f.Until, "before": &f.Before,
	}
}

// longest bounds each part, in bytes.
const longest = 512

func readFilter(values url.Values) filter {
	var f filter
	for name, field := range f.fields() {
		*field = strings.TrimSpace(values.Get(name))
	}
	return f
}

// Any reports whether anything is asked for.
func (f filter) Any() bool { f.Before = ""; return f != (filter{}) }

// More reports whether one of the fields is used that are folded away at first.
func (f filter) More() bool { f.Text, f.Verdict, f.Tool = "", "", ""; return f.Any() }

// older is the address of the page with what is before a place.
func (f filter) older(before int64) string {
	f.Before = strconv.FormatInt(before, 10)
	return f.address()
}

func (f *filter) address() string {
	values := url.Values{}
	for name, field := range f.fields() {
		if *field != "" {
			values.Set(name, *field)
		}
	}
	if len(values) == 0 {
		return "/console/activity"
	}
	return "/console/activity?" + values.Encode()
}

// clock is how browsers write the time that a form asks for. It is taken as UTC,
// which the form says.
const clock = "2006-01-02T15:04"

// query is what the filter selects before a place; not ok where it is not
// understood: a slip must not select more than was meant.
func (f *filter) query(mark int64) (q audit.Query, before int64, ok bool) {
	q = audit.Query{
		Verdict: f.Verdict, Tool: f.Tool, Subject: f.Subject, Session: f.Session, Code: tv.Code(f.Code), Kind: tv.RecordKind(f.Kind),
		Mention: audit.Mention{Run: f.Run, Ref: f.Ref, Text: f.Text},
	}
	for _, field := range f.fields() {
		if len(*field) > longest {
			return q, 0, false
		}
	}
	before = mark
	var errs [3]error
	if f.Before != "" {
		var at int64
		at, errs[0] = strconv.ParseInt(f.Before, 10, 64)
		before = min(before, at)
	}
	if f.Since != "" {
		q.Since, errs[1] = time.Parse(clock, f.Since)
	}
	if f.Until != "" {
		q.Until, errs[2] = time.Parse(clock, f.Until)
	}
	ok = errs == [3]error{} && before >= 0 &&
		(f.Verdict == "" || slices.Contains(listBody{}.Verdicts(), f.Verdict)) &&
		(f.Kind == "" || slices.Contains(listBody{}.Kinds(), q.Kind)) &&
		(f.Code == "" || slices.Contains(tv.Codes(), q.Code))
	return q, before, ok
}
