// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package activity is the pages of the console that show what the gate decided
// and what came of it, from the audit log: a list to look through, and the whole
// story of one call with the proof of its record.
//
// It only reads. Who may look at what others did sees all of the log; anybody
// else their own calls, and nothing tells them whether there are others. However
// long the log is, a page looks at a bounded part of it and says so.
package activity

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/console/door"
)

// Log is the audit log.
type Log interface {
	Find(ctx context.Context, q audit.Query) ([]audit.Numbered, error)
	// Prove returns the proof of a record, for whoever has the key. There is no
	// proof, and no error, of a record that no checkpoint covers yet.
	Prove(ctx context.Context, place int64) (proof []byte, key *audit.Verifier, err error)
}

// Config is what the pages are made of. All of it is required.
type Config struct {
	Log      Log
	Approval func(ctx context.Context, by tv.Subject, id string) (tv.Approval, error) // for those whom it concerns
	Tool     func(name string) (*tv.Tool, bool)
	Reasons  func(policy string) map[string]string // of the rules of a policy, by its hash, where they are at hand
}

// Room is the pages.
type Room struct {
	Config
	*door.Door
}

// New checks the parts.
func New(c Config) (*Room, error) {
	if c.Log == nil || c.Approval == nil || c.Tool == nil || c.Reasons == nil {
		return nil, errors.New("make pages of activity: every part is needed")
	}
	return &Room{Config: c}, nil
}

// Lay lays the pages out behind a door.
func (m *Room) Lay(d *door.Door) {
	m.Door = d
	d.Lead("activity", nil)
	d.Handle("GET /console/activity", m.list)
	d.Handle("GET /console/activity/{call}", m.story)
	d.Handle("GET /console/activity/{call}/proof", m.proof)
}

// How much a page shows, and how far it looks for that.
const (
	shownRows   = 40
	lookRecords = 20_000
)

// own keeps those who may not look at what others did to their own calls.
func own(v *door.Visitor, q *audit.Query) {
	if !v.Officer() {
		q.Subject = v.ID
	}
}

// owns reports whether somebody may see a record.
func owns(v *door.Visitor, r *tv.Record) bool {
	return v.Officer() || v.ID != "" && (r.Subject == v.ID || r.User == v.ID)
}

// listBody is what the list shows.
type listBody struct {
	Filter  filter
	Others  bool // may be asked for what others did
	Codes   []tv.Code
	Rows    []row
	Live    bool // the newest page: it is kept fresh
	Older   string
	Looked  int  // how many records were looked at, where that is not all
	Problem bool // the filter is not understood
}

// Kinds are those of records.
func (listBody) Kinds() []tv.RecordKind {
	return []tv.RecordKind{tv.RecordDecision, tv.RecordOutcome, tv.RecordApproval, tv.RecordReplay, tv.RecordAdmin}
}

// Verdicts are those that a rule can give.
func (listBody) Verdicts() []string { return []string{"allow", "ask", "deny"} }

// Newest is the address of the first page with the same filter.
func (b listBody) Newest() string {
	b.Filter.Before = ""
	return b.Filter.address()
}

func (m *Room) list(w http.ResponseWriter, r *http.Request, v door.Visitor) {
	f := readFilter(r.URL.Query())
	body := listBody{Filter: f, Others: v.Officer(), Codes: tv.Codes(), Live: f.Before == ""}
	q, before, ok := f.query(v.Mark)
	if !ok || !v.Officer() && f.Subject != "" { // who sees their own calls only is not offered to ask for others'
		body.Problem, body.Live = true, false
		m.Write(w, r, http.StatusBadRequest, "activity", m.Frame(r, v, v.L.T("activity.title"), body))
		return
	}
	own(&v, &q)
	floor := max(0, before-lookRecords)
	q.Page = audit.Page{From: floor, Before: before, Newest: true, Limit: shownRows + 1}
	var found []audit.Numbered
	if before > 0 { // 0 would mean the whole log
		var err error
		if found, err = m.Log.Find(r.Context(), q); err != nil {
			m.Fault(w, r, v, err)
			return
		}
	}
	switch {
	case len(found) > shownRows:
		found = found[:shownRows]
		body.Older = f.older(found[shownRows-1].Seq)
	case floor > 0:
		body.Older, body.Looked = f.older(floor), lookRecords
	}
	for i := range found {
		body.Rows = append(body.Rows, newRow(&found[i]))
	}
	m.Write(w, r, http.StatusOK, "activity", m.Frame(r, v, v.L.T("activity.title"), body))
}

// page is the address of the story of a record's call.
func page(n *audit.Numbered) string {
	id := n.CallID
	if id == "" {
		id = loneRecord
	}
	return "/console/activity/" + url.PathEscape(id) + "?at=" + strconv.FormatInt(n.Seq, 10)
}

// loneRecord stands in addresses for the call of a record that is about none.
const loneRecord = "record"
