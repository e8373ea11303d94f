// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package decide serves callers that run tools themselves: what would be decided
// about a call, leave to run it once, and what came of it. It decides nothing and
// keeps the gate's permits for those who were given leave.
//
// It fails closed: only the literal verdict "allow" of a claim is leave to run. A
// claim whose outcome is not told in time, or whose gate dies, ends as unknown, as
// a call does whose answer was lost.
package decide

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/internal/calls"
	"github.com/toolverdict/toolverdict/httpgate/internal/envoy"
	"github.com/toolverdict/toolverdict/httpgate/internal/web"
)

// Gate is the choke point: a *toolverdict.Gate.
type Gate interface {
	Advise(ctx context.Context, p tv.Proposal) (res tv.Result, digest string, err error)
	Check(ctx context.Context, p tv.Proposal) (tv.Permit, tv.Result, error)
	Report(ctx context.Context, p tv.Permit, o tv.Outcome) (tv.Result, error)
}

// EnvoyRoute is an MCP server that stands behind an Envoy.
type EnvoyRoute = envoy.Route

// Config is what the front is made of. All parts but Content and Envoy are
// required.
type Config struct {
	Gate    Gate
	Calls   *calls.Reader
	Words   *calls.Words
	Timeout time.Duration // of a tool that sets none
	Now     func() time.Time
	NewID   func() string // unguessable
	Log     *slog.Logger

	Content func(json.RawMessage) json.RawMessage // hides secrets in what a tool said that is told again; nil: it is left out

	Subject func(id string) (tv.Subject, bool) // whom the configuration knows
	BaseURL string                             // where the gate is reached; "" means by the name of each request

	Envoy []EnvoyRoute // what is asked about by Envoy's ext_authz; none: there is no route to it
}

// Front is safe for concurrent use.
type Front struct {
	Config

	permits *permits
}

// New makes a front that has given no leave yet.
func New(c Config) *Front { return &Front{c, newPermits()} }

// Routes are what it serves.
func (f *Front) Routes() []web.Route {
	routes := []web.Route{
		{Pattern: "POST /v1/decide", Serve: f.decide},
		{Pattern: "POST /v1/claim", Serve: f.claim},
		{Pattern: "POST /v1/outcome", Serve: f.outcome},
		{Pattern: "POST /access/v1/evaluation", Serve: f.evaluation},
		{Pattern: "POST /access/v1/evaluations", Serve: f.evaluations},
	}
	if len(f.Envoy) > 0 {
		check := envoy.New(envoy.Config{
			Gate: f.Gate, Routes: f.Envoy, Calls: f.Calls, Words: f.Words, Subject: f.Subject, BaseURL: f.BaseURL, Log: f.Log,
		})
		routes = append(routes, web.Route{Pattern: envoy.Prefix + "/", Serve: check.Serve})
	}
	return routes
}

// Metadata serves what AuthZEN lets anybody ask.
func (f *Front) Metadata(w http.ResponseWriter, r *http.Request) { f.configuration(w, r) }

// Verdict is the answer to one call. Verdict is "allow", "ask" or "deny" and
// nothing else; in the answer to a claim, "allow" is leave to run the call once.
type Verdict struct {
	Verdict tv.Verdict `json:"verdict"`
	ID      string     `json:"id,omitempty"` // the caller's own id of the call
	Tool    string     `json:"tool,omitempty"`
	tv.Result

	Digest string          `json:"digest,omitempty"` // of the exact call
	Claim  *Claim          `json:"claim,omitempty"`
	Answer json.RawMessage `json:"answer,omitempty"` // for the model, in the shape of its message
}

// Claim is leave to run one call, once, and to tell what came of it.
type Claim struct {
	ID        string          `json:"id"`
	Token     string          `json:"token"`     // shown once
	Arguments json.RawMessage `json:"arguments"` // what may run: an approver may have changed it
	Deadline  time.Time       `json:"deadline"`  // until when the outcome is awaited
	Key       string          `json:"idempotencyKey,omitempty"`
}

// decide says what would be decided, one call after another.
func (f *Front) decide(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	asked, ok := f.read(w, r, by)
	if !ok {
		return
	}
	f.serve(w, r, &asked, func(ctx context.Context, c *calls.Call) Verdict {
		res, digest, err := f.Gate.Advise(ctx, c.Proposal)
		f.fault(w, err)
		v := Verdict{Result: res, Digest: digest}
		if res.Success && !res.Replayed {
			v.Verdict = res.Decision.Verdict
		}
		return v
	})
}

// claim asks for leave to run.
func (f *Front) claim(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	asked, ok := f.read(w, r, by)
	if !ok {
		return
	}
	if !f.permits.reserve(by, len(asked.Calls)) {
		web.Problem(w, http.StatusTooManyRequests, "Too many claims wait for their outcome: tell those first.")
		return
	}
	given := 0
	defer func() { f.permits.release(by, len(asked.Calls)-given) }()
	f.serve(w, r, &asked, func(ctx context.Context, c *calls.Call) Verdict {
		permit, res, err := f.Gate.Check(ctx, c.Proposal)
		f.fault(w, err)
		if !permit.Valid() {
			return Verdict{Result: res}
		}
		given++
		token := f.NewID()
		deadline := f.Now().Add(permit.Tool().Timeout(f.Timeout))
		f.permits.keep(&entry{permit: permit, owner: owner(by), token: hash(token), wire: c.InMessage(), shape: asked.Shape, deadline: deadline})
		return Verdict{Verdict: tv.Allow, Tool: permit.Tool().Name(), Result: res, Digest: permit.Digest(), Claim: &Claim{
			ID: permit.CallID(), Token: token, Arguments: permit.Arguments(), Deadline: deadline, Key: permit.IdempotencyKey(),
		}}
	})
}

func (f *Front) read(w http.ResponseWriter, r *http.Request, by tv.Subject) (calls.Asked, bool) {
	asked, ok := f.Calls.Read(w, r, by)
	if !ok {
		return asked, false
	}
	waits := func(c calls.Call) bool { return c.Proposal.Wait > 0 }
	if !asked.One && slices.ContainsFunc(asked.Calls, waits) {
		web.Problem(w, http.StatusBadRequest, "wait is for one call: of several, repeat those that wait for a person once they are approved.")
		return asked, false
	}
	return asked, true
}

// serve answers calls in their order, one after another, so that each is decided
// by what those before it left.
func (f *Front) serve(w http.ResponseWriter, r *http.Request, asked *calls.Asked, do func(context.Context, *calls.Call) Verdict) {
	out := make([]Verdict, len(asked.Calls))
	for i := range asked.Calls {
		out[i] = do(r.Context(), &asked.Calls[i])
		f.finish(r.Context(), asked, i, &out[i])
	}
	exact := exactly(out)
	if asked.One {
		web.AnswerExactly(w, out[0], exact)
		return
	}
	web.AnswerExactly(w, f.many(asked, out), exact)
}

// exactly puts the arguments that may run aside, so that they are answered as the
// bytes that were decided. The token in their place is known to nobody yet.
func exactly(all []Verdict) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for i := range all {
		if c := all[i].Claim; c != nil {
			place := "arguments of " + c.Token
			out[place], c.Arguments = c.Arguments, json.RawMessage(strconv.Quote(place))
		}
	}
	return out
}

// finish puts words to a verdict, and the model's answer beside a refusal.
func (f *Front) finish(ctx context.Context, asked *calls.Asked, i int, v *Verdict) {
	c := &asked.Calls[i]
	f.Words.Explain(ctx, c, &v.Result)
	v.ID, v.Tool = c.Proposal.ID, cmp.Or(v.Tool, c.Proposal.Tool) // a confirmation names no tool, and leave does
	if v.Error != nil && v.Error.Code == tv.ConfirmationRequired {
		v.Verdict = tv.Ask
	}
	if asked.Shape == "" || v.Verdict == tv.Allow {
		return
	}
	var err error
	v.Answer, err = asked.Answer(i, &v.Result)
	f.fault(nil, err)
}

// many answers several calls. The verdict is the strictest. Where none may run,
// the model's next message is complete.
func (f *Front) many(asked *calls.Asked, all []Verdict) any {
	out := struct {
		Verdict  tv.Verdict      `json:"verdict"`
		Results  []Verdict       `json:"results"`
		Messages json.RawMessage `json:"messages,omitempty"`
	}{Verdict: tv.Allow, Results: all}
	refused := make([]tv.Result, len(all))
	allowed := false
	for i := range all {
		out.Verdict = tv.Stricter(out.Verdict, all[i].Verdict)
		refused[i] = all[i].Result
		allowed = allowed || all[i].Verdict == tv.Allow
	}
	if asked.Shape == "" || allowed {
		return out
	}
	var err error
	if out.Messages, err = asked.Answers(refused); err != nil {
		f.fault(nil, err)
	}
	return out
}

// fault logs what the gate could not do; the caller has its refusal.
func (f *Front) fault(w http.ResponseWriter, err error) {
	if err == nil {
		return
	}
	id := ""
	if w != nil {
		id = w.Header().Get(web.RequestID)
	}
	f.Log.Error("claim", "requestId", id, "door", tv.DoorHTTP, "error", err)
}
