// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/internal/web"
)

// Policies tells which policy is in force, and goes back to earlier ones. What
// it returns is answered as JSON. An error with a method Conflict() string says
// why something cannot be granted now, in words fit for the caller.
type Policies interface {
	Status(ctx context.Context) (any, error)
	Versions(ctx context.Context) (any, error)
	Rollback(ctx context.Context, by, name, reason string) (any, error)
	Resume(ctx context.Context, by string) (any, error)
}

// policyRoutes are there where policies are kept.
func (f *Front) policyRoutes() {
	if f.Policies == nil {
		return
	}
	f.handle("GET /v1/policy", f.signedIn(f.policy))
	f.handle("GET /v1/policy/versions", f.signedIn(f.policyVersions))
	f.handle("POST /v1/policy/rollback", f.signedIn(f.rollback))
	f.handle("POST /v1/policy/resume", f.signedIn(f.resume))
}

func (f *Front) policy(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	if !officer(w, by) {
		return
	}
	s, err := f.Policies.Status(r.Context())
	f.policyAnswer(w, s, err)
}

func (f *Front) policyVersions(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	if !officer(w, by) {
		return
	}
	all, err := f.Policies.Versions(r.Context())
	f.policyAnswer(w, map[string]any{"versions": all}, err)
}

// administrator refuses callers who may not do what is for administrators. An
// agent never is one, whatever its roles.
func administrator(w http.ResponseWriter, by tv.Subject, what string) bool {
	if by.Kind == tv.Person && by.HasRole("admin") {
		return true
	}
	web.Problem(w, http.StatusForbidden, "Only a person with the role admin may "+what+".")
	return false
}

func (f *Front) rollback(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	if !administrator(w, by, "change which policy is in force") {
		return
	}
	in, ok := f.bodies.Texts(w, r, "to", "reason")
	if !ok {
		return
	}
	to, reason := in[0], in[1]
	p, err := f.Policies.Rollback(r.Context(), by.ID, to, reason)
	f.policyAnswer(w, p, err)
}

func (f *Front) resume(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	if !administrator(w, by, "change which policy is in force") {
		return
	}
	if _, ok := f.bodies.Object(w, r); !ok {
		return
	}
	p, err := f.Policies.Resume(r.Context(), by.ID)
	f.policyAnswer(w, p, err)
}

func (f *Front) policyAnswer(w http.ResponseWriter, v any, err error) {
	f.partAnswer(w, v, err, said{
		"No policy of this version or hash is kept: see GET /v1/policy/versions.", "The policy stays as it is: %s.",
		"The policies cannot be read or written now.",
	})
}

// said are the words for what a part of the gate does not give: what is not
// there, what cannot be now (with the reason put in), what is broken.
type said struct{ missing, conflict, fault string }

// partAnswer answers with what a part of the gate returned, or why there is
// nothing.
func (f *Front) partAnswer(w http.ResponseWriter, v any, err error, words said) {
	var conflict interface {
		error
		Conflict() string
	}
	switch {
	case err == nil:
		web.Answer(w, v)
	case errors.Is(err, tv.ErrNotFound):
		web.Problem(w, http.StatusNotFound, words.missing)
	case errors.As(err, &conflict):
		f.fault(err)
		web.Problem(w, http.StatusConflict, fmt.Sprintf(words.conflict, conflict.Conflict()))
	default:
		f.fault(err)
		web.Problem(w, http.StatusServiceUnavailable, words.fault)
	}
}
