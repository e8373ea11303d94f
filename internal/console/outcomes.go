// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/console/page"
	"github.com/toolverdict/toolverdict/internal/console/view"
	"github.com/toolverdict/toolverdict/ledger"
)

// Book looks after the ledger: a *ledger.Clerk.
type Book interface {
	List(ctx context.Context, q tv.ClaimQuery) ([]tv.Claim, error)
	Settle(ctx context.Context, by tv.Subject, key string, as tv.ClaimState, evidence string) error
	Reconcile(ctx context.Context, by tv.Subject, key string) (ledger.Found, error)
}

// Bounds of what is looked through: entries on the page, entries among which one
// is found again, records back in time.
const (
	shownOutcomes  = 25
	soughtOutcomes = 1000
	soughtRecords  = 10 * lookBack
)

// outcomeRoutes are there where a ledger is.
func (f *Front) outcomeRoutes() {
	if f.Book == nil {
		return
	}
	f.Lead("outcomes", (*visitor).Officer)
	f.Handle("GET /console/outcomes", f.Officers(f.outcomes))
	f.Handle("GET /console/outcomes/{key}", f.Officers(f.outcome))
	f.Handle("POST /console/outcomes/{key}", f.Officers(f.settle))
	f.Handle("POST /console/outcomes/{key}/ask", f.Officers(f.ask))
}

// outcomesBody is what the list shows.
type outcomesBody struct {
	Entries []view.Outcome
	More    bool
}

func (f *Front) outcomes(w http.ResponseWriter, r *http.Request, v visitor) {
	found, err := f.Book.List(r.Context(), tv.ClaimQuery{State: tv.ClaimUnknown, Limit: shownOutcomes + 1})
	if err != nil {
		f.Fault(w, r, v, err)
		return
	}
	body := outcomesBody{More: len(found) > shownOutcomes}
	for i := range found[:min(len(found), shownOutcomes)] {
		body.Entries = append(body.Entries, view.NewOutcome(&found[i], address(found[i].Key)))
	}
	frame := f.Frame(r, v, v.L.T("outcomes.title"), body)
	if done := r.URL.Query().Get("done"); v.L.Has("outcomes.done", done) {
		frame.Flash = &page.Flash{Kind: "good", Text: v.L.W("outcomes.done", done)}
	}
	f.Write(w, r, http.StatusOK, "outcomes", frame)
}

// address is a key as a part of an address: keys of clients hold any text.
func address(key string) string { return base64.RawURLEncoding.EncodeToString([]byte(key)) }

// unsettled finds an entry again, if its outcome is unknown still.
func (f *Front) unsettled(ctx context.Context, at string) (tv.Claim, error) {
	key, err := base64.RawURLEncoding.DecodeString(at)
	if err != nil {
		return tv.Claim{}, tv.ErrNotFound
	}
	found, err := f.Book.List(ctx, tv.ClaimQuery{State: tv.ClaimUnknown, Limit: soughtOutcomes})
	if err != nil {
		return tv.Claim{}, err
	}
	for i := range found {
		if found[i].Key == string(key) {
			return found[i], nil
		}
	}
	return tv.Claim{}, tv.ErrNotFound
}

// outcomeBody is what the page of one entry shows.
type outcomeBody struct {
	Entry    view.Outcome
	Call     *view.Past // what the log has of the call
	Card     bool       // its approval concerns the one who looks
	Problem  string
	Evidence string
	Asked    *view.Asked // what its tool was asked and did not tell

	status int
}

func (f *Front) outcome(w http.ResponseWriter, r *http.Request, v visitor) {
	c, err := f.unsettled(r.Context(), r.PathValue("key"))
	if err != nil {
		f.outcomeProblem(w, r, v, err)
		return
	}
	f.showOutcome(w, r, v, c, outcomeBody{})
}

func (f *Front) showOutcome(w http.ResponseWriter, r *http.Request, v visitor, c tv.Claim, body outcomeBody) {
	body.Entry = view.NewOutcome(&c, address(c.Key))
	past, err := f.decided(r.Context(), v.Mark, &c)
	if err != nil {
		f.Fault(w, r, v, err)
		return
	}
	if past != nil {
		tool, _ := f.Tool(c.Tool)
		body.Call = view.NewPast(v.L, past, tool)
	}
	if c.Approval != "" {
		_, err := f.Desk.Get(r.Context(), v.Subject, c.Approval)
		body.Card = err == nil // without the link the page is as good
	}
	frame := f.Frame(r, v, body.Entry.Tool, body)
	frame.Path = "/console/outcomes/" + body.Entry.At
	f.Write(w, r, cmp.Or(body.status, http.StatusOK), "outcome", frame)
}

// decided finds the decision on a call, or nil where it is too far back. A query
// finds callers' own names of calls, too: what only calls itself like this one is
// another call.
func (f *Front) decided(ctx context.Context, mark int64, c *tv.Claim) (*tv.Record, error) {
	found, err := f.Log.Find(ctx, audit.Query{
		Call: c.CallID, Subject: c.Subject, Kind: tv.RecordDecision,
		Page: audit.Page{Limit: 50, From: max(0, mark-soughtRecords)}, // oldest first: nobody knows the name before
	})
	for i := range found {
		if rec := &found[i].Record; rec.CallID == c.CallID && rec.Tool == c.Tool {
			return rec, nil
		}
	}
	return nil, err
}

// settle writes down what a person found out about the entry that was on the page.
func (f *Front) settle(w http.ResponseWriter, r *http.Request, v visitor) {
	c, err := f.unsettled(r.Context(), r.PathValue("key"))
	if err != nil {
		f.outcomeProblem(w, r, v, err)
		return
	}
	as, evidence := tv.ClaimState(r.PostFormValue("as")), strings.TrimSpace(r.PostFormValue("evidence"))
	again := outcomeBody{Evidence: evidence}
	if f.stale(w, r, v, c, again) {
		return
	}
	err = f.Book.Settle(r.Context(), v.Subject, c.Key, as, evidence)
	switch {
	case err == nil:
		isSettled(w, r, as)
	case errors.Is(err, ledger.ErrIncomplete):
		again.status, again.Problem = http.StatusBadRequest, "incomplete"
		f.showOutcome(w, r, v, c, again)
	default:
		f.outcomeProblem(w, r, v, err)
	}
}

// ask has the tool asked what came of the entry that was on the page.
func (f *Front) ask(w http.ResponseWriter, r *http.Request, v visitor) {
	c, err := f.unsettled(r.Context(), r.PathValue("key"))
	if err != nil {
		f.outcomeProblem(w, r, v, err)
		return
	}
	if f.stale(w, r, v, c, outcomeBody{}) {
		return
	}
	found, err := f.Book.Reconcile(r.Context(), v.Subject, c.Key)
	switch {
	case errors.Is(err, ledger.ErrNoReconcile):
		f.showOutcome(w, r, v, c, outcomeBody{status: http.StatusConflict, Problem: "nobody"})
	case err != nil:
		f.outcomeProblem(w, r, v, err)
	case found.State == tv.ClaimUnknown:
		f.showOutcome(w, r, v, c, outcomeBody{Asked: view.NewAsked(string(found.Doubt), found.Detail, found.Answer)})
	default:
		isSettled(w, r, found.State)
	}
}

// stale answers where the entry is not as it was on the page.
func (f *Front) stale(w http.ResponseWriter, r *http.Request, v visitor, c tv.Claim, again outcomeBody) bool {
	epoch, err := strconv.ParseInt(r.PostFormValue("epoch"), 10, 64)
	if err == nil && epoch == c.Epoch {
		return false
	}
	again.status, again.Problem = http.StatusConflict, "stale"
	f.showOutcome(w, r, v, c, again)
	return true
}

func isSettled(w http.ResponseWriter, r *http.Request, as tv.ClaimState) {
	http.Redirect(w, r, "/console/outcomes?done="+string(as), http.StatusSeeOther) //nolint:gosec // G710: one of two words, or it had not been settled
}

func (f *Front) outcomeProblem(w http.ResponseWriter, r *http.Request, v visitor, err error) {
	_, conflict := errors.AsType[*tv.ConflictError](err)
	switch {
	case errors.Is(err, tv.ErrNotFound):
		f.Message(w, r, v, http.StatusNotFound, "settled")
	case errors.Is(err, ledger.ErrNotUnknown), conflict:
		f.Message(w, r, v, http.StatusConflict, "settled")
	default:
		f.Fault(w, r, v, err)
	}
}
