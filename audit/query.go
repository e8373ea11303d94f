// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"bytes"
	"slices"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
)

// Query selects records. A zero field selects nothing away.
type Query struct {
	Since    time.Time // at or after
	Until    time.Time // before
	Call     string    // the gate's or the caller's id of a call
	Tool     string    // full name; a star at its end stands for any rest
	Subject  string    // id of the subject, or of the user on whose behalf
	Session  string
	Verdict  string // allow, ask or deny
	Code     tv.Code
	Kind     tv.RecordKind
	Approval string
	Mention
	Page Page
}

// Mention selects records by what else they mention.
type Mention struct {
	Run  string // id of the run
	Ref  string // id of an approval or of a grant
	Key  string // of the entry in the ledger
	Text string // in any of a record's texts, whether in small letters or capitals
}

// Page selects a stretch of the log.
type Page struct {
	From   int64 // first record to look at, by its place in the log
	Before int64 // look at records before this place; 0 means to the end
	Newest bool  // newest first
	Limit  int   // how many records to return at most; 0 means 100
}

// Matches reports whether a record is selected. The page has no part in it.
func (q *Query) Matches(r *tv.Record) bool {
	tool, wild := strings.CutSuffix(q.Tool, "*")
	switch {
	case !q.Since.IsZero() && r.At.Before(q.Since),
		!q.Until.IsZero() && !r.At.Before(q.Until),
		q.Call != "" && q.Call != r.CallID && q.Call != r.CallerID,
		q.Tool != "" && r.Tool != q.Tool && !(wild && strings.HasPrefix(r.Tool, tool)),
		q.Subject != "" && q.Subject != r.Subject && q.Subject != r.User,
		q.Session != "" && q.Session != r.Session,
		q.Verdict != "" && q.Verdict != r.Verdict,
		q.Code != "" && q.Code != r.Code,
		q.Kind != "" && q.Kind != r.Kind,
		q.Approval != "" && q.Approval != r.Approval:
		return false
	}
	return q.Mention.matches(r)
}

func (m *Mention) matches(r *tv.Record) bool {
	switch {
	case m.Run != "" && m.Run != r.Run,
		m.Ref != "" && m.Ref != r.Approval && m.Ref != r.Grant,
		m.Key != "" && m.Key != r.Key,
		m.Text != "" && !says(r, strings.ToLower(m.Text)):
		return false
	}
	return true
}

// says looks through the texts of a record: what it is about and what was
// called, not the names of its fields.
func says(r *tv.Record, lower string) bool {
	in := func(texts ...string) bool {
		return slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(strings.ToLower(s), lower) })
	}
	if in(r.CallID, r.CallerID, r.Trace, r.Session, r.Run, r.Subject, r.User, r.Agent, r.Model, r.Tool, r.Rule, r.Detail,
		r.Approval, r.Grant, r.Key, string(r.Kind), string(r.Code), r.Verdict, r.PolicyVersion, string(r.Arguments)) {
		return true
	}
	if slices.ContainsFunc(r.Rules, func(m tv.Match) bool { return in(m.Rule) }) {
		return true
	}
	return slices.ContainsFunc(r.Effects, func(e tv.Effect) bool {
		return in(e.Path, e.Pattern, e.Program, e.Host, e.IP, e.Recipient, e.Amount, e.Currency, e.Detail) || in(e.Argv...)
	})
}

// Scan decodes leaves that a query may select. A zero Scan selects all.
type Scan struct {
	query   Query
	needles [][]byte
	lower   []byte // is in the leaf once its letters are small; nil where that cannot be told
}

// Scan prepares the query for many leaves: those that cannot match are told
// apart without decoding them.
func (q Query) Scan() *Scan {
	s := &Scan{query: q}
	for _, word := range []string{
		q.Call, strings.TrimSuffix(q.Tool, "*"), q.Subject, q.Session, q.Verdict,
		string(q.Code), string(q.Kind), q.Approval, q.Run, q.Ref, q.Key,
	} {
		if word != "" && plainText(word) {
			s.needles = append(s.needles, []byte(word))
		}
	}
	if plainText(q.Text) {
		s.lower = []byte(strings.ToLower(q.Text))
	}
	return s
}

// Match decodes a leaf if the query selects it.
func (s *Scan) Match(leaf []byte) (Numbered, bool, error) {
	for _, needle := range s.needles {
		if !bytes.Contains(leaf, needle) {
			return Numbered{}, false, nil
		}
	}
	if len(s.lower) > 0 && !bytes.Contains(bytes.ToLower(leaf), s.lower) {
		return Numbered{}, false, nil
	}
	n, err := Decode(leaf)
	if err != nil {
		return n, false, err
	}
	return n, s.query.Matches(&n.Record), nil
}

// plainText reports whether JSON writes the text as it stands.
func plainText(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || r > '~' || strings.ContainsRune(`"\<>&`, r)
	})
}
