// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate

import (
	"context"
	"errors"
	"net/http"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/httpgate/internal/web"
)

// Grants makes, shows and takes back grants: yeses to calls like one. What it
// returns is answered as JSON. An error with a method Refusal() string says why
// something cannot be granted, in words fit for the caller.
type Grants interface {
	// Grant grants calls like one that waits, as the choice says. Without a choice
	// it writes nothing and shows the narrowest.
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
	f.handle("POST /v1/approvals/{id}/grant", f.signedIn(f.grant))
	f.handle("GET /v1/grants", f.signedIn(f.grants))
	f.handle("GET /v1/grants/{id}", f.signedIn(f.showGrant))
	f.handle("POST /v1/grants/{id}/revoke", f.signedIn(f.revokeGrant))
}

func (f *Front) grant(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	var choice []byte
	if r.ContentLength != 0 {
		var ok bool
		if choice, ok = f.bodies.Bytes(w, r); !ok {
			return
		}
	}
	out, err := f.Grants.Grant(r.Context(), by, r.PathValue("id"), choice)
	f.grantAnswer(w, out, err)
}

func (f *Front) grants(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	in := web.ReadParams(r, "all")
	all := web.Word(in, "all", "true", "false") == "true"
	if in.Refused(w) {
		return
	}
	out, err := f.Grants.Grants(r.Context(), by, all)
	f.grantAnswer(w, out, err)
}

func (f *Front) showGrant(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	out, err := f.Grants.Show(r.Context(), by, r.PathValue("id"))
	f.grantAnswer(w, out, err)
}

func (f *Front) revokeGrant(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	in, ok := f.bodies.Texts(w, r, "reason")
	if !ok {
		return
	}
	reason := in[0]
	out, err := f.Grants.TakeBack(r.Context(), by, r.PathValue("id"), reason)
	f.grantAnswer(w, out, err)
}

func (f *Front) grantAnswer(w http.ResponseWriter, v any, err error) {
	var refused interface {
		error
		Refusal() string
	}
	switch {
	case err == nil:
		web.Answer(w, v)
	case errors.As(err, &refused):
		web.Problem(w, http.StatusUnprocessableEntity, "Calls like this are not granted: "+refused.Refusal()+".")
	case errors.Is(err, tv.ErrNotFound):
		web.Problem(w, http.StatusNotFound, "There is no such approval or grant for this caller.")
	case errors.Is(err, approval.ErrTogether):
		web.Problem(w, http.StatusForbidden, "The rule asks for more than one person, and a grant would take the place of all of them: approve the call alone.")
	case errors.Is(err, approval.ErrNotEligible):
		web.Problem(w, http.StatusForbidden, "This caller may not decide it: that is for its maker, for people whom the rule names and who did not ask for the call, and for administrators where something is taken back.")
	case errors.Is(err, approval.ErrDecided):
		web.Problem(w, http.StatusConflict, "It is decided or over already.")
	default:
		f.fault(err)
		web.Problem(w, http.StatusServiceUnavailable, "The grants cannot be read or written now.")
	}
}
