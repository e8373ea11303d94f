// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/console/view"
)

// Editor changes the arguments of a call that waits: a *toolverdict.Gate. A
// *toolverdict.Refusal leaves the question as it is.
type Editor interface {
	Edit(ctx context.Context, by tv.Subject, id string, arguments []byte, reason string) (tv.Approval, error)
}

// maxEdited bounds the arguments that a form offers to change, in bytes: with what
// browsers add to them they fit into [maxForm].
const maxEdited = 96 << 10

// editBody is the form in which arguments are changed.
type editBody struct {
	Text    string // the arguments, as they were shown or as they were written
	Reason  string
	Problem string
	Refused *tv.Refusal
}

// editor makes the form for who may change the call. What was written before and
// refused stands in it again.
func (f *Front) editor(v *visitor, a *tv.Approval, again *editBody) *editBody {
	if f.Editor == nil || a.Underway || f.Desk.MayEdit(v.Subject, a) != nil {
		return nil
	}
	if again != nil {
		return again
	}
	text := view.Editable(a.Card)
	if len(text) > maxEdited {
		return nil // by the command line
	}
	return &editBody{Text: text}
}

// edit takes changed arguments of exactly the call that was on the page.
func (f *Front) edit(w http.ResponseWriter, r *http.Request, v visitor) {
	id := r.PathValue("id")
	a, err := f.Desk.Get(r.Context(), v.Subject, id)
	if err != nil {
		f.deskProblem(w, r, v, err)
		return
	}
	written := &editBody{Text: view.Typed(r.PostFormValue("arguments")), Reason: strings.TrimSpace(r.PostFormValue("edit-reason"))}
	if !onPage(r, &a) {
		f.showApproval(w, r, v, a, approvalBody{status: http.StatusConflict, Problem: "stale"})
		return
	}
	if strings.TrimSpace(written.Text) == "" { // a call without arguments is to be meant
		written.Problem = "empty"
		f.showApproval(w, r, v, a, approvalBody{status: http.StatusBadRequest, Edit: written})
		return
	}
	next, err := f.Editor.Edit(r.Context(), v.Subject, id, []byte(r.PostFormValue("arguments")), written.Reason)
	refused, isRefused := errors.AsType[*tv.Refusal](err)
	problem := view.Problem(err)
	switch {
	case err == nil:
		http.Redirect(w, r, "/console/approvals/"+url.PathEscape(next.ID)+"?done=edit", http.StatusSeeOther)
	case isRefused:
		written.Refused, written.Problem = refused, "refused"
		f.showApproval(w, r, v, a, approvalBody{status: http.StatusUnprocessableEntity, Edit: written})
	case problem != "":
		if now, err := f.Desk.Get(r.Context(), v.Subject, id); err == nil {
			a = now
		}
		f.showApproval(w, r, v, a, approvalBody{status: http.StatusConflict, Problem: problem})
	default:
		f.deskProblem(w, r, v, err)
	}
}
