// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/console/page"
	"github.com/toolverdict/toolverdict/internal/console/view"
)

// Grants makes, shows and takes back grants: yeses to calls like one. Choices and
// answers are those of the API. An error with a method Refusal() string says why
// something cannot be granted.
type Grants interface {
	// Grant grants calls like one that waits; without a choice, and where it says
	// preview, it writes nothing.
	Grant(ctx context.Context, by tv.Subject, approval string, choice []byte) (any, error)
	Grants(ctx context.Context, by tv.Subject, all bool) (any, error)
	Show(ctx context.Context, by tv.Subject, id string) (any, error)
	TakeBack(ctx context.Context, by tv.Subject, id, reason string) (any, error)
}

// grantRoutes are there where grants are kept.
func (f *Front) grantRoutes() {
	if f.Grants == nil {
		return
	}
	f.Lead("grants", nil)
	f.Handle("GET /console/approvals/{id}/similar", f.similar)
	f.Handle("POST /console/approvals/{id}/similar", f.similar)
	f.Handle("POST /console/approvals/{id}/grant", f.give)
	f.Handle("GET /console/grants", f.grants)
	f.Handle("GET /console/grants/{id}", f.grant)
	f.Handle("POST /console/grants/{id}/revoke", f.revokeGrant)
}

// similarBody is what the page shows on which calls like one are approved.
type similarBody struct {
	ID, Digest string
	Version    int64
	Proposal   *view.Proposal // nil where this cannot be granted
	Choice     string         // what was looked at, and nothing else is given
	Problem    string
	Refusal    string

	choice map[string]any
	status int
}

// similar shows what a choice comes to, and writes nothing.
func (f *Front) similar(w http.ResponseWriter, r *http.Request, v visitor) {
	a, err := f.Desk.Get(r.Context(), v.Subject, r.PathValue("id"))
	if err != nil {
		f.deskProblem(w, r, v, err)
		return
	}
	choice := map[string]any{}
	if r.Method == http.MethodPost {
		if err := r.ParseForm(); err != nil {
			f.Message(w, r, v, http.StatusBadRequest, "not-found")
			return
		}
		choice = view.Choice(r.PostForm)
	}
	f.showSimilar(w, r, v, a, similarBody{choice: choice})
}

func (f *Front) showSimilar(w http.ResponseWriter, r *http.Request, v visitor, a tv.Approval, body similarBody) {
	choice := body.choice
	if choice == nil {
		choice = map[string]any{}
	}
	body.ID, body.Digest, body.Version = a.ID, a.Digest, a.Version
	kept, err := json.Marshal(choice)
	if err != nil {
		f.Fault(w, r, v, err)
		return
	}
	body.Choice = string(kept)
	choice["preview"] = true
	asked, err := json.Marshal(choice)
	if err != nil {
		f.Fault(w, r, v, err)
		return
	}
	var p view.Proposal
	problem, refusal, err := f.granted(f.Grants.Grant(r.Context(), v.Subject, a.ID, asked))(&p)
	if problem == "refused" && len(choice) > 1 { // the page of the narrowest, to choose again
		body.Problem, body.Refusal, body.status = problem, refusal, http.StatusUnprocessableEntity
		body.Choice = "{}"
		problem, refusal, err = f.granted(f.Grants.Grant(r.Context(), v.Subject, a.ID, nil))(&p)
	}
	switch {
	case err != nil:
		f.deskProblem(w, r, v, err)
		return
	case problem != "":
		body.Problem, body.Refusal, body.status = problem, refusal, http.StatusUnprocessableEntity
	default:
		p.Reveal()
		p.Keep(r.PostForm)
		body.Proposal = &p
	}
	frame := f.Frame(r, v, v.L.T("similar.title"), body)
	frame.Path = "/console/approvals/" + a.ID + "/similar"
	f.Write(w, r, cmp.Or(body.status, http.StatusOK), "similar", frame)
}

// granted reads an answer into a view, or says in a word why there is none.
func (f *Front) granted(answer any, err error) func(into any) (problem, refusal string, err error) {
	return func(into any) (string, string, error) {
		var refused interface {
			error
			Refusal() string
		}
		switch {
		case errors.As(err, &refused):
			return "refused", refused.Refusal(), nil
		case view.Problem(err) != "":
			return view.Problem(err), "", nil
		case err != nil:
			return "", "", err
		}
		b, err := json.Marshal(answer)
		if err == nil {
			err = json.Unmarshal(b, into)
		}
		if err != nil {
			return "", "", fmt.Errorf("read grants: %w", err)
		}
		return "", "", nil
	}
}

// give approves the call and grants calls like it: what was on the page.
func (f *Front) give(w http.ResponseWriter, r *http.Request, v visitor) {
	a, err := f.Desk.Get(r.Context(), v.Subject, r.PathValue("id"))
	if err != nil {
		f.deskProblem(w, r, v, err)
		return
	}
	if !onPage(r, &a) {
		f.showSimilar(w, r, v, a, similarBody{Problem: "stale", status: http.StatusConflict})
		return
	}
	choice := map[string]any{}
	if json.Unmarshal([]byte(r.PostFormValue("choice")), &choice) != nil || choice == nil {
		choice = map[string]any{"choice": ""} // refused: there is no such member
	}
	if reason := strings.TrimSpace(r.PostFormValue("reason")); reason != "" {
		choice["reason"] = reason
	}
	sent, err := json.Marshal(choice)
	if err != nil {
		f.Fault(w, r, v, err)
		return
	}
	var g view.Grant
	problem, refusal, err := f.granted(f.Grants.Grant(r.Context(), v.Subject, a.ID, sent))(&g)
	switch {
	case err != nil:
		f.deskProblem(w, r, v, err)
	case problem != "" || g.ID == "":
		f.showSimilar(w, r, v, a, similarBody{Problem: cmp.Or(problem, "refused"), Refusal: refusal, status: http.StatusUnprocessableEntity})
	default:
		http.Redirect(w, r, "/console/grants/"+url.PathEscape(g.ID)+"?done=given", http.StatusSeeOther)
	}
}

// grantsBody is what the list shows.
type grantsBody struct {
	Grants []view.Grant
	All    bool
}

func (f *Front) grants(w http.ResponseWriter, r *http.Request, v visitor) {
	all, _ := strconv.ParseBool(r.URL.Query().Get("all"))
	var list struct {
		Grants []view.Grant `json:"grants"`
	}
	if _, _, err := f.granted(f.Grants.Grants(r.Context(), v.Subject, all))(&list); err != nil {
		f.Fault(w, r, v, err)
		return
	}
	for i := range list.Grants {
		list.Grants[i].Reveal()
	}
	f.Write(w, r, http.StatusOK, "grants", f.Frame(r, v, v.L.T("grants.title"), grantsBody{list.Grants, all}))
}

// grantBody is what the page of one grant shows.
type grantBody struct {
	Grant   view.Grant
	Problem string
	Reason  string

	status int
}

func (f *Front) grant(w http.ResponseWriter, r *http.Request, v visitor) {
	f.showGrant(w, r, v, grantBody{})
}

func (f *Front) showGrant(w http.ResponseWriter, r *http.Request, v visitor, body grantBody) {
	if _, _, err := f.granted(f.Grants.Show(r.Context(), v.Subject, r.PathValue("id")))(&body.Grant); err != nil {
		f.deskProblem(w, r, v, err)
		return
	}
	body.Grant.Reveal()
	frame := f.Frame(r, v, v.L.T("grants.one"), body)
	frame.Path = "/console/grants/" + body.Grant.ID
	if done := r.URL.Query().Get("done"); v.L.Has("grants.done", done) {
		frame.Flash = &page.Flash{Kind: "good", Text: v.L.W("grants.done", done)}
	}
	f.Write(w, r, cmp.Or(body.status, http.StatusOK), "grant", frame)
}

func (f *Front) revokeGrant(w http.ResponseWriter, r *http.Request, v visitor) {
	id, reason := r.PathValue("id"), strings.TrimSpace(r.PostFormValue("reason"))
	if reason == "" {
		f.showGrant(w, r, v, grantBody{Problem: "reason", status: http.StatusBadRequest})
		return
	}
	var g view.Grant
	problem, _, err := f.granted(f.Grants.TakeBack(r.Context(), v.Subject, id, reason))(&g)
	switch {
	case err != nil:
		f.deskProblem(w, r, v, err)
	case problem != "":
		f.showGrant(w, r, v, grantBody{Problem: problem, Reason: reason, status: http.StatusConflict})
	default:
		http.Redirect(w, r, "/console/grants/"+url.PathEscape(id)+"?done=revoked", http.StatusSeeOther)
	}
}
