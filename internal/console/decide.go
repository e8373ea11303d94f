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
	"time"

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
	History []history

	status int // 0 means that all is well
}

// history is what was called before.
type history struct {
	Kind  string
	Calls []call
}

type call struct {
	ID, Tool, Verdict string
	Code              tv.Code
	At                time.Time
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
	var err error
	if body.History, err = f.before(r.Context(), &a); err != nil {
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

// How much of the past a card shows, and how far back it looks for it.
const (
	shownCalls = 5
	lookBack   = 20_000 // records
)

// before finds what was called before in the same session, and by the same
// caller.
func (f *Front) before(ctx context.Context, a *tv.Approval) ([]history, error) {
	mark, err := f.Log.Mark(ctx)
	if err != nil {
		return nil, err
	}
	var out []history
	for _, h := range []struct{ kind, session string }{{"session", a.Card.Session}, {"caller", ""}} {
		if h.kind == "session" && h.session == "" {
			continue
		}
		found, err := f.Log.Find(ctx, audit.Query{
			Kind: tv.RecordDecision, Subject: a.Call.Subject.ID, Session: h.session,
			Page: audit.Page{Newest: true, Limit: 4 * shownCalls, From: max(0, mark-lookBack)},
		})
		if err != nil {
			return nil, err
		}
		list := history{Kind: h.kind}
		seen := map[string]bool{}
		for i := range found {
			rec := &found[i].Record
			if seen[rec.CallID] || rec.Approval == a.ID || len(list.Calls) == shownCalls {
				continue
			}
			seen[rec.CallID] = true
			list.Calls = append(list.Calls, call{rec.CallID, view.Show(rec.Tool), rec.Verdict, rec.Code, rec.At})
		}
		out = append(out, list)
	}
	return out, nil
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
