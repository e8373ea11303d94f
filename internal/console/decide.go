// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/console/page"
	"github.com/toolverdict/toolverdict/internal/console/view"
)

// approvalBody is what the page of an approval shows.
type approvalBody struct {
	Card    view.Card
	Forms   bool      // there may still be something to do
	Problem string    // why the last answer was not taken
	Reason  string    // what was written with it
	Cannot  string    // why there is no form to decide
	Similar bool      // calls like it can be approved, too
	Edit    *editBody // nil where they may not change it
	History []view.Earlier
	Alike   *view.Comparison // with the last such call that was approved

	status int // 0 means that all is well
}

func (f *Front) approval(w http.ResponseWriter, r *http.Request, v visitor) {
	a, err := f.Desk.Get(r.Context(), v.Subject, r.PathValue("id"))
	if err != nil {
		f.deskProblem(w, r, v, err)
		return
	}
	f.showApproval(w, r, v, a, approvalBody{})
}

func (f *Front) showApproval(w http.ResponseWriter, r *http.Request, v visitor, a tv.Approval, body approvalBody) {
	tool, _ := f.Tool(a.Card.Tool)
	body.Card = view.NewCard(v.L, &a, f.Desk.Standing(v.Subject, a), tool, f.Now())
	body.Forms = body.Card.Open()
	body.Cannot = cannot(&body.Card)
	if body.Cannot == "not-eligible" && slices.Contains(a.Editors, v.ID) {
		body.Cannot = "edited"
	}
	body.Similar = f.Grants != nil && body.Card.Vote && a.Card.Risk != tv.HighRisk
	body.Edit = f.editor(&v, &a, body.Edit)
	if err := f.before(r.Context(), &v, &a, &body); err != nil {
		f.Fault(w, r, v, err)
		return
	}
	frame := f.Frame(r, v, body.Card.Summary, body)
	frame.Path = "/console/approvals/" + a.ID
	if done := r.URL.Query().Get("done"); v.L.Has("decide.done", done) {
		frame.Flash = &page.Flash{Kind: "good", Text: v.L.W("decide.done", done)}
	}
	f.Write(w, r, cmp.Or(body.status, http.StatusOK), "approval", frame)
}

// cannot says why somebody has no vote.
func cannot(c *view.Card) string {
	switch {
	case c.State == tv.ApprovalApproved:
		return "approved"
	case !c.Open():
		return "over"
	case c.Voted:
		return "voted"
	case c.Asked:
		return "asked"
	}
	return "not-eligible"
}

// How much of the past a card shows, how much it counts, and how far back it
// looks for it.
const (
	shownCalls  = 5
	countedPast = 500 // records of the caller
	soughtAlike = 12  // approvals
	lookBack    = 20_000
)

// before finds what was called before in the same session and by the same
// caller, and the last call like this one that was approved. All of a caller's
// calls are seen by those who may look at what others did, and by the caller
// themselves; approvals by those whom they concern.
func (f *Front) before(ctx context.Context, v *visitor, a *tv.Approval, body *approvalBody) error {
	caller := a.Call.Subject
	found, err := f.Log.Find(ctx, audit.Query{
		Subject: caller.ID, Until: a.Created,
		Page: audit.Page{Newest: true, Limit: countedPast, From: max(0, v.Mark-lookBack)},
	})
	if err != nil {
		return err
	}
	if a.Card.Session != "" {
		body.History = append(body.History, view.NewEarlier("session", found, a, shownCalls))
	}
	if v.Officer() || v.ID == caller.ID || v.ID == caller.User {
		all := view.NewEarlier("caller", found, a, shownCalls)
		if len(body.History) == 0 || all.All != body.History[0].All { // there is more than the session
			body.History = append(body.History, all)
		}
	}
	for _, id := range view.Approvals(found, a.Call.Tool, soughtAlike) {
		other, err := f.Desk.Get(ctx, v.Subject, id)
		switch {
		case errors.Is(err, tv.ErrNotFound):
			continue
		case err != nil:
			return err
		}
		if id != a.ID && other.Call.Subject.ID == caller.ID && view.WasApproved(&other) {
			c := view.Compare(a, &other)
			body.Alike = &c
			return nil
		}
	}
	return nil
}

// answers are what people can do about an approval.
func (f *Front) answers(act string) func(ctx context.Context, by tv.Subject, id, reason string) (tv.Approval, error) {
	switch act {
	case "approve":
		return f.Desk.Approve
	case "reject":
		return f.Desk.Reject
	case "cancel":
		return f.Desk.Cancel
	case "revoke":
		return f.Desk.Revoke
	}
	return nil
}

// decide takes an answer to exactly what was on the page: the form names the
// call's digest and the version of the approval that the person looked at.
func (f *Front) decide(w http.ResponseWriter, r *http.Request, v visitor) {
	id, act := r.PathValue("id"), r.PathValue("act")
	answer := f.answers(act)
	if answer == nil {
		f.NotFound(w, r, v)
		return
	}
	a, err := f.Desk.Get(r.Context(), v.Subject, id)
	if err != nil {
		f.deskProblem(w, r, v, err)
		return
	}
	reason := strings.TrimSpace(r.PostFormValue("reason"))
	switch {
	case !onPage(r, &a):
		f.showApproval(w, r, v, a, approvalBody{status: http.StatusConflict, Problem: "stale", Reason: reason})
		return
	case reason == "" && (act == "reject" || act == "revoke"):
		f.showApproval(w, r, v, a, approvalBody{status: http.StatusBadRequest, Problem: "reason"})
		return
	}
	_, err = answer(r.Context(), v.Subject, id, reason)
	problem := view.Problem(err)
	switch {
	case err == nil:
		http.Redirect(w, r, "/console/approvals/"+url.PathEscape(id)+"?done="+url.QueryEscape(act), http.StatusSeeOther)
	case problem == "reason":
		f.showApproval(w, r, v, a, approvalBody{status: http.StatusBadRequest, Problem: problem})
	case problem != "":
		if now, err := f.Desk.Get(r.Context(), v.Subject, id); err == nil {
			a = now
		}
		f.showApproval(w, r, v, a, approvalBody{status: http.StatusConflict, Problem: problem, Reason: reason})
	default:
		f.deskProblem(w, r, v, err)
	}
}

// onPage reports whether a form is of the approval as it is now.
func onPage(r *http.Request, a *tv.Approval) bool {
	version, err := strconv.ParseInt(r.PostFormValue("version"), 10, 64)
	return err == nil && version == a.Version && r.PostFormValue("digest") == a.Digest
}

func (f *Front) deskProblem(w http.ResponseWriter, r *http.Request, v visitor, err error) {
	if errors.Is(err, tv.ErrNotFound) {
		f.NotFound(w, r, v)
		return
	}
	f.Fault(w, r, v, err)
}
