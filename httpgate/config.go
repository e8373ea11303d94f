// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/webguard"
	"github.com/toolverdict/toolverdict/ledger"
)

// Gate is the choke point: a *toolverdict.Gate.
type Gate interface {
	Do(ctx context.Context, p tv.Proposal) (tv.Result, error)
	DoAll(ctx context.Context, calls []tv.Proposal) ([]tv.Result, []error)
	Visible(ctx context.Context, s tv.Subject, r tv.Run) ([]*tv.Tool, error)
	Edit(ctx context.Context, by tv.Subject, id string, arguments []byte, reason string) (tv.Approval, error)
}

// Reader shows approvals to those they concern: an *approval.Desk.
type Reader interface {
	Get(ctx context.Context, by tv.Subject, id string) (tv.Approval, error)
	List(ctx context.Context, by tv.Subject, q tv.ApprovalQuery) ([]tv.Approval, error)
}

// Voter takes answers to approvals: an *approval.Desk.
type Voter interface {
	Approve(ctx context.Context, by tv.Subject, id, reason string) (tv.Approval, error)
	Reject(ctx context.Context, by tv.Subject, id, reason string) (tv.Approval, error)
	Cancel(ctx context.Context, by tv.Subject, id, reason string) (tv.Approval, error)
	Revoke(ctx context.Context, by tv.Subject, id, reason string) (tv.Approval, error)
}

// Book lists and settles what was dispatched: a *ledger.Clerk.
type Book interface {
	List(ctx context.Context, q tv.ClaimQuery) ([]tv.Claim, error)
	Settle(ctx context.Context, by tv.Subject, key string, as tv.ClaimState, evidence string) error
	Reconcile(ctx context.Context, by tv.Subject, key string) (ledger.Found, error)
}

// Choices switches tools off for users, and on again: a switches.Board. An error
// with a method Refusal() says why somebody may not, in words fit for them.
type Choices interface {
	Switch(ctx context.Context, by tv.Subject, of, tool string, off bool) (user string, err error)
}

// Records finds audit records, newest first or oldest first as the query says.
type Records interface {
	Find(ctx context.Context, q audit.Query) ([]audit.Numbered, error)
}

// Config holds what the front is made of. Fields without a default are
// required.
type Config struct {
	Gate         Gate
	Reader       Reader
	Voter        Voter
	Book         Book
	Choices      Choices
	Records      Records
	Policies     Policies                               // nil: they are not kept, and there are no routes to them
	Channels     Channels                               // nil: there are none, and no routes to them
	Grants       Grants                                 // nil: there are none, and no routes to them
	Stats        Stats                                  // nil: it is not told, and there is no route to it
	Metrics      http.Handler                           // the page of figures; nil: there is none
	MetricsOpen  bool                                   // it is shown without a key
	All          func() []*tv.Tool                      // the whole catalog, by name
	Held         func(tool string) (string, bool)       // why a tool waits for review, fit to be shown; nil means that none does
	Subjects     func(user string) []string             // the ids of those whom a user's choices hold for; nil means nobody
	Authenticate func(bearer string) (tv.Subject, bool) // the only source of a subject
	Run          func(s tv.Subject) tv.Run              // what the host says of every run of a subject; it only tightens
	Ready        func(ctx context.Context) error        // whether calls can be decided and recorded
	Now          func() time.Time
	Log          *slog.Logger

	Hosts       []string          // names besides loopback ones
	Environment map[string]string // host facts of every call
	Limits      canon.Limits      // of the arguments
}

// Bounds of a request.
const (
	bodySlack = 64 << 10         // what a call may hold besides its arguments, in bytes
	maxWait   = 60 * time.Second // how long one request may hold a call; clients ask again
	maxBatch  = 64
)

// Front is the handler. It is safe for concurrent use.
type Front struct {
	Config
	guard *webguard.Guard
	mux   *http.ServeMux
}

// New checks the parts and lays out the routes.
func New(c Config) (*Front, error) {
	if c.Gate == nil || c.Reader == nil || c.Voter == nil || c.Book == nil || c.Choices == nil || c.Records == nil || c.All == nil ||
		c.Authenticate == nil || c.Run == nil || c.Ready == nil || c.Now == nil || c.Log == nil {
		return nil, errors.New("make HTTP front: every part is needed")
	}
	if c.Limits.MaxBytes == 0 {
		c.Limits.MaxBytes = canon.DefaultLimits().MaxBytes
	}
	if c.Limits.MaxDepth == 0 {
		c.Limits.MaxDepth = canon.DefaultLimits().MaxDepth
	}
	if c.Held == nil {
		c.Held = func(string) (string, bool) { return "", false }
	}
	if c.Subjects == nil {
		c.Subjects = func(string) []string { return nil }
	}
	f := &Front{Config: c, guard: webguard.New(c.Hosts, nil), mux: http.NewServeMux()}
	f.routes()
	return f, nil
}

func (f *Front) routes() {
	f.mux.HandleFunc("GET /livez", f.live)
	f.mux.HandleFunc("GET /readyz", f.ready)
	f.mux.HandleFunc("POST /v1/calls", f.signedIn(f.call))
	f.mux.HandleFunc("POST /v1/batch", f.signedIn(f.batch))
	f.mux.HandleFunc("GET /v1/tools", f.signedIn(f.tools))
	f.mux.HandleFunc("POST /v1/tools/{server}/{tool}/disable", f.signedIn(f.choose(true)))
	f.mux.HandleFunc("POST /v1/tools/{server}/{tool}/enable", f.signedIn(f.choose(false)))
	f.mux.HandleFunc("GET /v1/approvals", f.signedIn(f.approvals))
	if f.Stats != nil {
		f.mux.HandleFunc("GET /v1/approvals/stats", f.signedIn(f.stats))
	}
	f.mux.HandleFunc("GET /v1/approvals/{id}", f.signedIn(f.approval))
	f.mux.HandleFunc("POST /v1/approvals/{id}/approve", f.signedIn(f.vote(f.Voter.Approve)))
	f.mux.HandleFunc("POST /v1/approvals/{id}/reject", f.signedIn(f.vote(f.Voter.Reject)))
	f.mux.HandleFunc("POST /v1/approvals/{id}/cancel", f.signedIn(f.vote(f.Voter.Cancel)))
	f.mux.HandleFunc("POST /v1/approvals/{id}/revoke", f.signedIn(f.vote(f.Voter.Revoke)))
	f.mux.HandleFunc("POST /v1/approvals/{id}/edit", f.signedIn(f.edit))
	f.mux.HandleFunc("GET /v1/ledger", f.signedIn(f.ledger))
	f.mux.HandleFunc("POST /v1/ledger/settle", f.signedIn(f.settle))
	f.mux.HandleFunc("POST /v1/ledger/reconcile", f.signedIn(f.reconcile))
	f.mux.HandleFunc("GET /v1/audit", f.signedIn(f.audit))
	f.policyRoutes()
	f.channelRoutes()
	f.grantRoutes()
	f.metricsRoute()
	f.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		problem(w, http.StatusNotFound, "There is nothing here: see docs/api.md for what there is.")
	})
}

// ServeHTTP implements [http.Handler].
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	switch {
	case !f.guard.Host(r):
		problem(w, http.StatusForbidden, "This Host is not served here.")
	case r.Method != http.MethodGet && !f.guard.Origin(r):
		problem(w, http.StatusForbidden, "Web pages of other origins may not call this.")
	default:
		f.mux.ServeHTTP(w, r)
	}
}
