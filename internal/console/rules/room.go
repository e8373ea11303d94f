// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"path"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/console/door"
	"github.com/toolverdict/toolverdict/internal/console/page"
	"github.com/toolverdict/toolverdict/internal/plain"
	"github.com/toolverdict/toolverdict/internal/rollout"
	"github.com/toolverdict/toolverdict/policy"
)

// Policies tells which policy is in force, and goes back to earlier ones.
type Policies interface {
	Status(ctx context.Context) (rollout.Status, error)
	Versions(ctx context.Context) ([]rollout.Point, error)
	Rollback(ctx context.Context, by, name, reason string) (rollout.Point, error)
	Resume(ctx context.Context, by string) (rollout.Point, error)
}

// Loaded is the policy in force as it was read.
type Loaded struct {
	Rules    []policy.RuleInfo
	Warnings []string
}

// Room is the page about the policy. Every field is required.
type Room struct {
	Policies Policies
	Loaded   func() Loaded
	Log      Log
}

// Lay lays out the page.
func (m Room) Lay(d *door.Door) {
	h := &hall{Room: m, Door: d, hits: &counter{log: m.Log}}
	d.Lead("policy", (*door.Visitor).Officer)
	d.Handle("GET /console/policy", d.Officers(h.policy))
	d.Handle("POST /console/policy/rollback", d.Officers(h.rollback))
	d.Handle("POST /console/policy/resume", d.Officers(h.resume))
}

type hall struct {
	Room
	*door.Door

	hits *counter
}

// body is what the page shows.
type body struct {
	rollout.Status

	Rules    []Row
	Since    time.Time
	Warnings []string
	Versions []rollout.Point
	May      bool // this person may change which policy is in force
	Problem  string
	Refusal  string
	Reason   string // what was written

	status int
}

// Row is one rule.
type Row struct {
	ID, Verdict, Reason string
	File                string
	Line                int
	Tools               []string
	Limited             bool
	Hit
}

func (h *hall) policy(w http.ResponseWriter, r *http.Request, v door.Visitor) {
	h.show(w, r, v, body{})
}

func (h *hall) show(w http.ResponseWriter, r *http.Request, v door.Visitor, b body) {
	var err error
	if b.Status, err = h.Policies.Status(r.Context()); err != nil {
		h.Fault(w, r, v, err)
		return
	}
	hits, err := h.hits.read(r.Context(), b.Active.Hash)
	if err == nil {
		b.Versions, err = h.Policies.Versions(r.Context())
	}
	if err != nil {
		h.Fault(w, r, v, err)
		return
	}
	loaded := h.Loaded()
	b.Since, b.May = hits.Since, administrator(v.Subject)
	for _, rule := range loaded.Rules {
		row := Row{
			ID: rule.ID, Reason: plain.Reveal(rule.Reason), File: plain.Reveal(path.Base(rule.File)), Verdict: rule.Verdict.String(), Line: rule.Line,
			Tools: rule.Tools, Limited: rule.Limited, Hit: hits.Rules[rule.ID],
		}
		b.Rules = append(b.Rules, row)
	}
	for _, text := range loaded.Warnings {
		b.Warnings = append(b.Warnings, plain.Reveal(text))
	}
	frame := h.Frame(r, v, v.L.T("policy.title"), b)
	frame.Path = "/console/policy"
	if done := r.URL.Query().Get("done"); v.L.Has("policy.done", done) {
		frame.Flash = &page.Flash{Kind: "good", Text: v.L.W("policy.done", done)}
	}
	h.Write(w, r, cmp.Or(b.status, http.StatusOK), "policy", frame)
}

// administrator may change what everybody's calls are decided by, as at the API.
// An agent never may.
func administrator(by tv.Subject) bool { return by.Kind == tv.Person && by.HasRole("admin") }

// rollback goes back to a kept version, from the policy that was on the page.
func (h *hall) rollback(w http.ResponseWriter, r *http.Request, v door.Visitor) {
	to, reason := r.PostFormValue("to"), strings.TrimSpace(r.PostFormValue("reason"))
	h.change(w, r, v, "rolled-back", func(ctx context.Context) error {
		if reason == "" {
			return needed
		}
		_, err := h.Policies.Rollback(ctx, v.ID, to, reason)
		return err
	})
}

// resume goes on to what the sources say.
func (h *hall) resume(w http.ResponseWriter, r *http.Request, v door.Visitor) {
	h.change(w, r, v, "resumed", func(ctx context.Context) error {
		_, err := h.Policies.Resume(ctx, v.ID)
		return err
	})
}

// needed says that a reason is missing.
const needed = missing("reason")

type missing string

func (m missing) Error() string { return "a " + string(m) + " is needed" }

func (h *hall) change(w http.ResponseWriter, r *http.Request, v door.Visitor, done string, do func(context.Context) error) {
	if !administrator(v.Subject) {
		h.Message(w, r, v, http.StatusForbidden, "forbidden")
		return
	}
	now, err := h.Policies.Status(r.Context())
	if err != nil {
		h.Fault(w, r, v, err)
		return
	}
	b := body{Reason: strings.TrimSpace(r.PostFormValue("reason"))}
	if r.PostFormValue("from") != now.Active.Hash {
		b.Problem, b.status = "stale", http.StatusConflict
		h.show(w, r, v, b)
		return
	}
	var conflict interface {
		error
		Conflict() string
	}
	switch err := do(r.Context()); {
	case err == nil:
		http.Redirect(w, r, "/console/policy?done="+done, http.StatusSeeOther)
	case errors.Is(err, needed):
		b.Problem, b.status = "reason", http.StatusBadRequest
		h.show(w, r, v, b)
	case errors.Is(err, tv.ErrNotFound):
		b.Problem, b.status = "gone", http.StatusNotFound
		h.show(w, r, v, b)
	case errors.As(err, &conflict):
		h.Logger.Warn("the policy stays as it is", "error", plain.Line(err.Error()))
		b.Problem, b.Refusal, b.status = "refused", conflict.Conflict(), http.StatusConflict
		h.show(w, r, v, b)
	default:
		h.Fault(w, r, v, err)
	}
}
