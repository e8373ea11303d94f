// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package unguarded_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/doctor/unguarded"
	"github.com/toolverdict/toolverdict/internal/plain"
	"github.com/toolverdict/toolverdict/internal/redact"
	"github.com/toolverdict/toolverdict/internal/secret"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
	"github.com/toolverdict/toolverdict/internal/transcripts"
)

func noon() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

// gate is a data folder with these decisions, a second apart.
func gate(t *testing.T, records ...tv.Record) string {
	t.Helper()
	dir := t.TempDir()
	key, err := secret.OwnKey(dir, secret.RedactionKey)
	if err != nil {
		t.Fatal(err)
	}
	r, err := redact.New(redact.Config{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir, Node: "n", Now: noon})
	if err != nil {
		t.Fatal(err)
	}
	for i := range records {
		rec := &records[i]
		rec.Kind, rec.At = tv.RecordDecision, noon().Add(time.Duration(i)*time.Second)
		if len(rec.Arguments) > 0 {
			v, err := canon.Parse(rec.Arguments, canon.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			rec.ArgumentsMAC = r.MAC(v)
		}
	}
	if err := s.Commit(t.Context(), tv.Changes{Records: records}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestJudged(t *testing.T) {
	t.Parallel()
	args := []byte(`{"command":"ls"}`)
	dir := gate(t,
		tv.Record{CallID: "g1", CallerID: "allowed", Session: "s", Verdict: "allow"},
		tv.Record{CallID: "g2", CallerID: "denied", Session: "s", Verdict: "deny"},
		tv.Record{CallID: "g3", CallerID: "asked", Session: "s", Verdict: "ask"},
		tv.Record{CallID: "g4", CallerID: "approved", Session: "s", Verdict: "ask"},
		tv.Record{CallID: "g4", CallerID: "approved", Session: "s", Verdict: "allow"},
		tv.Record{CallID: "g5", CallerID: "same:1", Session: "by-arguments", Tool: "claude-code/Bash", Verdict: "allow", Arguments: args},
		tv.Record{CallID: "g6", CallerID: "same:2", Session: "two", Tool: "claude-code/Bash", Verdict: "deny", Arguments: args},
		tv.Record{CallID: "g7", CallerID: "same:2", Session: "two", Tool: "claude-code/Bash", Verdict: "allow", Arguments: args},
		tv.Record{CallID: "g8", CallerID: "known", Session: "ids", Tool: "claude-code/Bash", Verdict: "allow", Arguments: args},
		tv.Record{CallID: "g9", CallerID: "again", Session: "s", Verdict: "ask"},
		tv.Record{CallID: "g10", CallerID: "again", Session: "s", Verdict: "allow"},
		tv.Record{CallID: "g11", CallerID: "same:3", Session: "served", Tool: "disk/write", Verdict: "allow", Arguments: args},
	)
	at := noon().Add(5 * time.Second)
	call := func(id string, a transcripts.Answer) transcripts.Call {
		return transcripts.Call{Agent: hookgate.ClaudeCode, Session: "s", ID: id, Tool: "Bash", At: at, Arguments: args, Answer: a}
	}
	with := func(c transcripts.Call, change func(*transcripts.Call)) transcripts.Call { change(&c); return c }
	in := func(session string) func(*transcripts.Call) { return func(c *transcripts.Call) { c.Session = session } }
	for name, c := range map[string]struct {
		calls []transcripts.Call
		want  []unguarded.Problem
	}{
		"allowed, and ran":    {[]transcripts.Call{call("allowed", transcripts.Ran)}, nil},
		"allowed, and failed": {[]transcripts.Call{call("allowed", transcripts.Failed)}, nil},
		"approved, and ran":   {[]transcripts.Call{call("approved", transcripts.Ran)}, nil},
		"denied, and refused": {[]transcripts.Call{call("denied", transcripts.Refused)}, nil},
		"denied, and nothing": {[]transcripts.Call{call("denied", transcripts.None)}, nil},
		"denied, and ran":     {[]transcripts.Call{call("denied", transcripts.Ran)}, []unguarded.Problem{unguarded.Denied}},
		"denied, and failed":  {[]transcripts.Call{call("denied", transcripts.Failed)}, []unguarded.Problem{unguarded.Denied}},
		"asked, and ran":      {[]transcripts.Call{call("asked", transcripts.Ran)}, []unguarded.Problem{unguarded.Denied}},
		"no record":           {[]transcripts.Call{call("other", transcripts.Ran)}, []unguarded.Problem{unguarded.NoRecord}},
		"no record, failed":   {[]transcripts.Call{call("other", transcripts.Failed)}, []unguarded.Problem{unguarded.FailedToo}},
		"no record, refused":  {[]transcripts.Call{call("other", transcripts.Refused)}, []unguarded.Problem{unguarded.NoDenial}},
		"no record, nothing":  {[]transcripts.Call{call("other", transcripts.None)}, nil},
		"another session":     {[]transcripts.Call{with(call("allowed", transcripts.Ran), in("t"))}, []unguarded.Problem{unguarded.NoRecord}},
		"a session renamed":   {[]transcripts.Call{with(call("allowed", transcripts.Ran), func(c *transcripts.Call) { c.Session, c.Renamed = "t", true })}, nil},
		"renamed, once more": {[]transcripts.Call{
			with(call("allowed", transcripts.Ran), func(c *transcripts.Call) { c.Session, c.Renamed = "t", true }), with(call("allowed", transcripts.Ran), func(c *transcripts.Call) { c.Session, c.Renamed = "u", true }),
		}, []unguarded.Problem{unguarded.NoRecord}},
		"renamed, long after": {[]transcripts.Call{with(call("allowed", transcripts.Ran), func(c *transcripts.Call) { c.Session, c.Renamed, c.At = "t", true, at.Add(time.Hour) })}, []unguarded.Problem{unguarded.NoRecord}},
		"by its arguments":    {[]transcripts.Call{with(call("x", transcripts.Ran), in("by-arguments"))}, nil},
		"the same, once more": {[]transcripts.Call{with(call("x", transcripts.Ran), in("by-arguments")), with(call("y", transcripts.Ran), in("by-arguments"))}, []unguarded.Problem{unguarded.NoRecord}},
		"another tool":        {[]transcripts.Call{with(call("x", transcripts.Ran), func(c *transcripts.Call) { c.Session, c.Tool = "by-arguments", "Write" })}, []unguarded.Problem{unguarded.NoRecord}},
		"a server's tool":     {[]transcripts.Call{with(call("x", transcripts.Ran), func(c *transcripts.Call) { c.Session, c.Tool = "served", "disk-write" })}, nil},
		"another server's":    {[]transcripts.Call{with(call("x", transcripts.Ran), func(c *transcripts.Call) { c.Session, c.Tool = "served", "write" })}, []unguarded.Problem{unguarded.NoRecord}},
		"another's arguments": {[]transcripts.Call{with(call("unknown", transcripts.Ran), in("ids"))}, []unguarded.Problem{unguarded.NoRecord}},
		"by its id, then by its arguments": {[]transcripts.Call{
			with(call("known", transcripts.Ran), in("ids")), with(call("unknown", transcripts.Ran), in("ids")),
		}, []unguarded.Problem{unguarded.NoRecord}},
		"told in two files":      {[]transcripts.Call{call("allowed", transcripts.Ran), call("allowed", transcripts.Ran)}, nil},
		"held back, then let go": {[]transcripts.Call{call("again", transcripts.Ran)}, nil},
		"id by session, then renamed": {[]transcripts.Call{
			call("allowed", transcripts.Ran), with(call("allowed", transcripts.Ran), func(c *transcripts.Call) { c.Session, c.Renamed = "t", true }),
		}, []unguarded.Problem{unguarded.NoRecord}},
		"other arguments":        {[]transcripts.Call{with(call("x", transcripts.Ran), func(c *transcripts.Call) { c.Session, c.Arguments = "by-arguments", []byte(`{"command":"rm"}`) })}, []unguarded.Problem{unguarded.NoRecord}},
		"odd arguments":          {[]transcripts.Call{with(call("x", transcripts.Ran), func(c *transcripts.Call) { c.Session, c.Arguments = "by-arguments", []byte(`{"a":1,"a":1}`) })}, []unguarded.Problem{unguarded.NoRecord}},
		"denied, then allowed":   {[]transcripts.Call{with(call("x", transcripts.Refused), func(c *transcripts.Call) { c.Session, c.At = "two", noon().Add(6*time.Second) }), with(call("y", transcripts.Ran), func(c *transcripts.Call) { c.Session, c.At = "two", noon().Add(8*time.Second) })}, nil},
		"before any gate":        {[]transcripts.Call{with(call("x", transcripts.Ran), func(c *transcripts.Call) { c.At = noon().Add(-time.Minute) })}, nil},
		"of no time":             {[]transcripts.Call{with(call("x", transcripts.Ran), func(c *transcripts.Call) { c.At = time.Time{} })}, []unguarded.Problem{unguarded.NoRecord}},
		"never asked about":      {[]transcripts.Call{with(call("x", transcripts.Ran), func(c *transcripts.Call) { c.Unasked = "hosted" })}, []unguarded.Problem{unguarded.NeverAsked}},
		"asked about after all":  {[]transcripts.Call{with(call("allowed", transcripts.Ran), func(c *transcripts.Call) { c.Unasked = "hosted" })}, nil},
		"without id and session": {[]transcripts.Call{{Agent: hookgate.Codex, At: at, Answer: transcripts.Ran}}, []unguarded.Problem{unguarded.NoRecord}},
	} {
		log, err := unguarded.Open(t.Context(), []string{dir, t.TempDir()}, noon().Add(-time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		var r unguarded.Report
		r.Add(log, transcripts.Session{Calls: c.calls}, noon().Add(-time.Hour))
		var got []unguarded.Problem
		past := 0
		for _, e := range r.Entries {
			got = append(got, e.Problem)
			if e.Problem.Past() {
				past++
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if r.Past() != past || r.Calls != len(c.calls) || r.Decided+r.Before+r.Idle+len(r.Entries) != r.Calls {
			t.Errorf("%s: it does not add up: %+v", name, r)
		}
	}
}

// TestReport: what is told is in order, and holds no secret and no more than a line.
func TestReport(t *testing.T) {
	t.Parallel()
	log, err := unguarded.Open(t.Context(), nil, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	call := func(tool string, at time.Duration, a transcripts.Answer, args string) transcripts.Call {
		return transcripts.Call{Agent: hookgate.Codex, Session: "s", ID: tool, Tool: tool, At: noon().Add(at), Answer: a, Arguments: []byte(args)}
	}
	var r unguarded.Report
	r.Add(log, transcripts.Session{Odd: 2, Calls: []transcripts.Call{
		call("a", 1, transcripts.Failed, `{"n":1,"command":"export TOKEN=ghp_16C7e42F292c6912E7710c838347Ae178B4a\nmore"}`),
		call("b", 3, transcripts.Ran, `{"commands":["`+strings.Repeat("x", 100)+`"]}`),
		call("b", 2, transcripts.Ran, `{"n":1}`),
		call("c", -time.Hour, transcripts.Ran, `{}`),
	}}, noon())
	r.Sort()
	wantGroups := []unguarded.Group{{Problem: unguarded.NoRecord, Agent: "codex", Tool: "b", Count: 2}, {Problem: unguarded.FailedToo, Agent: "codex", Tool: "a", Count: 1}}
	if diff := cmp.Diff(wantGroups, r.Groups); diff != "" || r.Unread != 2 || r.Sessions != 1 || r.Calls != 3 {
		t.Errorf("%+v: %s", r, diff)
	}
	if len(r.Entries) != 3 || r.Entries[0].Line != strings.Repeat("x", 60)+"…" || r.Entries[1].Line != "" {
		t.Fatalf("%+v", r.Entries)
	}
	if text := r.Entries[2].Line; strings.Contains(text, "ghp_16C7") || strings.Contains(text, "more") || !strings.HasPrefix(text, "export TOKEN=") {
		t.Errorf("%q", text)
	}
}

// TestHostile: what a report holds of a transcript can be shown anywhere.
func TestHostile(t *testing.T) {
	t.Parallel()
	log, err := unguarded.Open(t.Context(), nil, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	const bad = "a\x1b]0;x\a\u202e\u200b\u0085\x7fb\nc"
	var r unguarded.Report
	r.Add(log, transcripts.Session{Calls: []transcripts.Call{{
		Agent: hookgate.Codex, Session: bad, ID: bad, Tool: bad, At: noon(), Answer: transcripts.Ran, Arguments: []byte(`{"x":"a\u001b]0;x\u0007\u202e\u200b\u0085b"}`),
	}}}, time.Time{})
	for _, text := range []string{r.Entries[0].Tool, r.Entries[0].Session, r.Entries[0].ID, r.Entries[0].Line, r.Groups[0].Tool} {
		if plain.Line(text) != text || !strings.HasPrefix(text, "a") {
			t.Errorf("%q", text)
		}
	}
}

// TestUnreadable: a log that cannot be read is no log without calls.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	dir := gate(t, tv.Record{CallID: "g", Verdict: "allow"})
	if err := os.Remove(dir + "/" + secret.RedactionKey); err != nil {
		t.Fatal(err)
	}
	if _, err := unguarded.Open(t.Context(), []string{dir}, time.Time{}); err == nil {
		t.Error("a log whose digests cannot be made was read")
	}
}
