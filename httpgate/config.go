// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/httpgate/internal/calls"
	"github.com/toolverdict/toolverdict/httpgate/internal/decide"
	"github.com/toolverdict/toolverdict/httpgate/internal/web"
	"github.com/toolverdict/toolverdict/ledger"
)

// Gate is the choke point: a *toolverdict.Gate.
type Gate interface {
	Runner
	decide.Gate
}

// Runner runs calls.
type Runner interface {
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

// EnvoyRoute is an MCP server that stands behind an Envoy, which asks this gate.
type EnvoyRoute = decide.EnvoyRoute

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
	Hooks        http.Handler                           // answers coding agents' hooks, with a sign-in of its own; nil: there are none, and no routes to them
	Metrics      http.Handler                           // the page of figures; nil: there is none
	MetricsOpen  bool                                   // it is shown without a key
	All          func() []*tv.Tool                      // the whole catalog, by name
	Held         func(tool string) (string, bool)       // why a tool waits for review, fit to be shown; nil means that none does
	Subjects     func(user string) []string             // the ids of those whom a user's choices hold for; nil means nobody
	Authenticate func(bearer string) (tv.Subject, bool) // the only source of a subject
	Run          func(s tv.Subject) tv.Run              // what the host says of every run of a subject; it only tightens
	Ready        func(ctx context.Context) error        // whether calls can be decided and recorded
	Now          func() time.Time
	NewID        func() string // names requests
	Log          *slog.Logger

	Hosts       []string          // names besides loopback ones
	Environment map[string]string // host facts of every call
	Limits      web.Limits        // of the arguments

	Timeout  time.Duration // of a tool that sets none, where the caller runs it; 0 means 60 s
	Redactor Redactor      // nil: there is no route to it, and an outcome that is told again is answered without its result

	Subject func(id string) (tv.Subject, bool) // whom the configuration knows; nil means nobody
	BaseURL string                             // where the gate is reached; "" means by the name of each request

	Envoy []EnvoyRoute // what is asked about by Envoy's ext_authz; none: there is no route to it

	Runs   calls.Runs  // the runs that are started here; nil: none
	Routes []web.Route // what is served beside, under the same sign-in
}

// Front is the handler. It is safe for concurrent use.
type Front struct {
	Config
	guard    *web.Guard
	mux      *http.ServeMux
	patterns []string
	bodies   web.Bodies
	calls    calls.Reader
	words    calls.Words
	leave    *decide.Front // for callers that run tools themselves
}

// New checks the parts and lays out the routes.
func New(c Config) (*Front, error) {
	if c.Gate == nil || c.Reader == nil || c.Voter == nil || c.Book == nil || c.Choices == nil || c.Records == nil || c.All == nil ||
		c.Authenticate == nil || c.Run == nil || c.Ready == nil || c.Now == nil || c.NewID == nil || c.Log == nil {
		return nil, errors.New("make HTTP front: every part is needed")
	}
	c.Limits = web.Full(c.Limits)
	if c.Held == nil {
		c.Held = func(string) (string, bool) { return "", false }
	}
	if c.Subject == nil {
		c.Subject = func(string) (tv.Subject, bool) { return tv.Subject{}, false }
	}
	if c.Subjects == nil {
		c.Subjects = func(string) []string { return nil }
	}
	f := &Front{
		Config: c, guard: web.NewGuard(slices.Concat(c.Hosts, envoyHosts(c.Envoy))), mux: http.NewServeMux(), bodies: web.Bodies{Limits: c.Limits},
		words: calls.Words{Visible: c.Gate.Visible, Get: c.Reader.Get, Held: c.Held},
	}
	f.calls = calls.Reader{Bodies: f.bodies, Run: c.Run, Runs: c.Runs, Environment: c.Environment, All: c.All}
	if c.Timeout <= 0 {
		c.Timeout = time.Minute
	}
	var content func(json.RawMessage) json.RawMessage
	if c.Redactor != nil {
		content = c.Redactor.Content
	}
	f.leave = decide.New(decide.Config{
		Content: content,
		Gate:    c.Gate, Calls: &f.calls, Words: &f.words, Timeout: c.Timeout, Now: c.Now, NewID: c.NewID, Log: c.Log,
		Subject: c.Subject, BaseURL: c.BaseURL, Envoy: c.Envoy,
	})
	f.routes()
	return f, nil
}

// handle keeps what is served, so that the document of it can be held to it.
func (f *Front) handle(pattern string, serve http.HandlerFunc) {
	f.patterns = append(f.patterns, pattern)
	f.mux.HandleFunc(pattern, serve)
}

// Patterns are all that is served here, as patterns of [http.ServeMux].
func (f *Front) Patterns() []string { return slices.Clone(f.patterns) }

func (f *Front) routes() {
	f.handle("GET /v1/openapi.json", document)
	f.handle("GET /.well-known/authzen-configuration", f.leave.Metadata)
	f.handle("GET /livez", f.live)
	f.handle("GET /readyz", f.ready)
	f.handle("POST /v1/calls", f.signedIn(f.call))
	f.handle("POST /v1/batch", f.signedIn(f.batch))
	f.handle("GET /v1/tools", f.signedIn(f.tools))
	f.handle("POST /v1/tools/{server}/{tool}/disable", f.signedIn(f.choose(true)))
	f.handle("POST /v1/tools/{server}/{tool}/enable", f.signedIn(f.choose(false)))
	f.handle("GET /v1/approvals", f.signedIn(f.approvals))
	if f.Stats != nil {
		f.handle("GET /v1/approvals/stats", f.signedIn(f.stats))
	}
	f.handle("GET /v1/approvals/{id}", f.signedIn(f.approval))
	f.handle("POST /v1/approvals/{id}/approve", f.signedIn(f.vote(f.Voter.Approve)))
	f.handle("POST /v1/approvals/{id}/reject", f.signedIn(f.vote(f.Voter.Reject)))
	f.handle("POST /v1/approvals/{id}/cancel", f.signedIn(f.vote(f.Voter.Cancel)))
	f.handle("POST /v1/approvals/{id}/revoke", f.signedIn(f.vote(f.Voter.Revoke)))
	f.handle("POST /v1/approvals/{id}/edit", f.signedIn(f.edit))
	f.handle("GET /v1/ledger", f.signedIn(f.ledger))
	f.handle("POST /v1/ledger/settle", f.signedIn(f.settle))
	f.handle("POST /v1/ledger/reconcile", f.signedIn(f.reconcile))
	f.handle("GET /v1/audit", f.signedIn(f.audit))
	if f.Redactor != nil {
		f.handle("POST /v1/redact", f.signedIn(f.redact))
	}
	for _, route := range slices.Concat(f.leave.Routes(), f.Routes) {
		f.handle(route.Pattern, f.signedIn(route.Serve))
	}
	f.policyRoutes()
	f.channelRoutes()
	f.grantRoutes()
	f.metricsRoute()
	if f.Hooks != nil {
		f.handle("POST /v1/hooks/{agent}", f.Hooks.ServeHTTP)
	}
	f.handle("/", f.nothing)
}

// nothing answers where no route is, or one for another method.
func (f *Front) nothing(w http.ResponseWriter, r *http.Request) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		other := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := f.mux.Handler(other); strings.HasPrefix(pattern, method+" ") {
			w.Header().Set("Allow", method)
			web.Problem(w, http.StatusMethodNotAllowed, "This is there for "+method+".")
			return
		}
	}
	web.Problem(w, http.StatusNotFound, "There is nothing here: see docs/api.md for what there is.")
}

// envoyHosts are the names of servers behind Envoy, which it leaves as they are.
func envoyHosts(routes []EnvoyRoute) []string {
	var out []string
	for _, r := range routes {
		if r.Host != "" {
			out = append(out, r.Host)
		}
	}
	return out
}

// Sweep ends claims whose outcome nobody told in time, and returns how many.
func (f *Front) Sweep(ctx context.Context) int { return f.leave.Sweep(ctx) }

func (f *Front) signedIn(next web.Handler) http.HandlerFunc {
	return web.SignedIn(f.Authenticate, next)
}

// ServeHTTP implements [http.Handler].
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	id := r.Header.Get(web.RequestID)
	if !web.IsRequestID(id) {
		id = f.NewID()
	}
	h.Set(web.RequestID, id)
	seen := &status{ResponseWriter: w}
	w = seen
	defer func() {
		if seen.code >= http.StatusInternalServerError {
			f.Log.Warn("request failed", "requestId", id, "pattern", r.Pattern, "status", seen.code)
		}
	}()
	switch {
	case !f.guard.Host(r):
		web.Problem(w, http.StatusForbidden, "This Host is not served here.")
	case r.Method != http.MethodGet && !f.guard.Origin(r):
		web.Problem(w, http.StatusForbidden, "Web pages of other origins may not call this.")
	case !web.Plain(r):
		// A ServeMux would lead elsewhere, where another act is: "approvals//approve" is
		// what a client makes of an empty id.
		web.Problem(w, http.StatusNotFound, "There is nothing here: the path has an empty part, or one of dots.")
	default:
		f.mux.ServeHTTP(w, r)
	}
}

// status remembers what was answered.
type status struct {
	http.ResponseWriter

	code int
}

// WriteHeader implements [http.ResponseWriter].
func (s *status) WriteHeader(code int) {
	s.code = code
	s.ResponseWriter.WriteHeader(code)
}
