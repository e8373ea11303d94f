// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package unguarded

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/transcripts"
)

// Problem says what is wrong with a call.
type Problem string

// Problems, the worst first.
const (
	NoRecord   Problem = "ran-without-a-record"     // no gate was asked, or it is another one's
	Denied     Problem = "ran-though-denied"        // the agent did not heed the answer
	FailedToo  Problem = "failed-without-a-record"  // whether it did something is not told
	NoDenial   Problem = "refused-without-a-record" // a hook at fault refuses so, and writes nothing
	NeverAsked Problem = "never-asked-about"        // the agent has no hook for it
)

// Problems returns all of them, the worst first.
func Problems() []Problem { return []Problem{NoRecord, Denied, FailedToo, NoDenial, NeverAsked} }

// Past reports whether such a call went past the gate.
func (p Problem) Past() bool { return p == NoRecord || p == Denied }

// Entry is a call that something is wrong with.
type Entry struct {
	Problem Problem   `json:"problem"`
	Agent   string    `json:"agent"`
	Tool    string    `json:"tool"`
	At      time.Time `json:"at,omitzero"`
	Session string    `json:"session,omitempty"`
	ID      string    `json:"id,omitempty"`
	Why     string    `json:"why,omitempty"`
	Line    string    `json:"line,omitempty"` // of the arguments: short, without secrets
}

// Group counts such calls of one tool.
type Group struct {
	Problem Problem `json:"problem"`
	Agent   string  `json:"agent"`
	Tool    string  `json:"tool"`
	Count   int     `json:"count"`
}

// Report is what was found in all transcripts.
type Report struct {
	Sessions int     `json:"sessions"` // files that were read
	Calls    int     `json:"calls"`
	Decided  int     `json:"decided"` // of which a gate decided, and the agent heeded it
	Before   int     `json:"before"`  // made before the first record of any gate
	Idle     int     `json:"idle"`    // of which nothing came: they did not run
	Unread   int     `json:"unread"`  // parts of transcripts that could not be read
	Groups   []Group `json:"groups"`
	Entries  []Entry `json:"entries"` // newest first
}

// Add holds the calls of one transcript against the log, those since a time.
func (r *Report) Add(l *Log, s transcripts.Session, since time.Time) {
	r.Sessions++
	r.Unread += s.Odd
	for i := range s.Calls {
		c := &s.Calls[i]
		if !c.At.IsZero() && c.At.Before(since) {
			continue
		}
		r.Calls++
		r.judge(l, c)
	}
}

func (r *Report) judge(l *Log, c *transcripts.Call) {
	d := l.find(c)
	did := c.Answer == transcripts.Ran || c.Answer == transcripts.Failed
	switch {
	case d != nil && (d.allowed || !did):
		r.Decided++
	case d != nil:
		r.entry(l, c, Denied)
	case !c.At.IsZero() && c.At.Before(l.first):
		r.Before++
	case c.Unasked != "":
		r.entry(l, c, NeverAsked)
	case c.Answer == transcripts.Ran:
		r.entry(l, c, NoRecord)
	case c.Answer == transcripts.Failed:
		r.entry(l, c, FailedToo)
	case c.Answer == transcripts.Refused:
		r.entry(l, c, NoDenial)
	default:
		r.Idle++
	}
}

// entry takes down a call. What a model or a server wrote is made fit to show here, for
// programs that print it, too.
func (r *Report) entry(l *Log, c *transcripts.Call, p Problem) {
	tool := transcripts.Shown(c.Tool)
	r.Entries = append(r.Entries, Entry{
		Problem: p, Agent: string(c.Agent), Tool: tool, At: c.At, Session: transcripts.Shown(c.Session), ID: transcripts.Shown(c.ID), Why: c.Unasked, Line: transcripts.Shown(l.line(c.Arguments)),
	})
	i := slices.IndexFunc(r.Groups, func(g Group) bool { return g.Problem == p && g.Agent == string(c.Agent) && g.Tool == tool })
	if i < 0 {
		i = len(r.Groups)
		r.Groups = append(r.Groups, Group{p, string(c.Agent), tool, 0})
	}
	r.Groups[i].Count++
}

// Sort brings the worst groups and the newest calls to the front.
func (r *Report) Sort() {
	rank := func(p Problem) int { return slices.Index(Problems(), p) }
	slices.SortStableFunc(r.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(rank(a.Problem), rank(b.Problem)), cmp.Compare(b.Count, a.Count), strings.Compare(a.Agent+" "+a.Tool, b.Agent+" "+b.Tool))
	})
	slices.SortStableFunc(r.Entries, func(a, b Entry) int { return b.At.Compare(a.At) })
}

// Past counts the calls that went past the gate.
func (r *Report) Past() int {
	n := 0
	for _, e := range r.Entries {
		if e.Problem.Past() {
			n++
		}
	}
	return n
}

// maxText is the longest line of arguments that is shown, in characters.
const maxText = 60

// line is the first line of the first text among the arguments. Secrets are hidden
// before it is shortened: half of one would not be known for one.
func (l *Log) line(arguments []byte) string {
	v, err := canon.ParseArguments(arguments, canon.Limits{MaxBytes: maxArguments, MaxDepth: maxDepth})
	if err != nil {
		return ""
	}
	for _, value := range v.Fields() {
		if value.Kind() == canon.KindArray {
			value, _ = value.Index(0)
		}
		if value.Kind() != canon.KindString {
			continue
		}
		text, _, more := strings.Cut(strings.TrimSpace(l.texts.Text(value.Text())), "\n")
		if runes := []rune(text); len(runes) > maxText {
			text, more = string(runes[:maxText]), true
		}
		if more {
			text += "…"
		}
		return text
	}
	return ""
}
