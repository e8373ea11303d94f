// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/internal/calls"
	"github.com/toolverdict/toolverdict/httpgate/internal/web"
)

// OpenID AuthZEN, Authorization API 1.0: gateways that speak it ask whether a tool
// may be called. It is advice like any other: recorded, and nothing is claimed.

// What is asked about, in AuthZEN's words.
const (
	actionCall   = "tools/call"
	resourceTool = "tool"
	roleAsks     = "authzen" // of a service that may ask about others
)

// Evaluation is the answer to one question.
type Evaluation struct {
	Decision bool    `json:"decision"`
	Context  Reasons `json:"context"`
}

// Reasons say more of a decision.
type Reasons struct {
	ID           string               `json:"id,omitempty"` // of the decision's record
	Verdict      tv.Verdict           `json:"verdict"`
	Reason       tv.Code              `json:"reason,omitempty"`
	Message      string               `json:"message,omitempty"`
	RetryAfter   float64              `json:"retryAfter,omitempty"` // seconds
	Digest       string               `json:"digest,omitempty"`
	Confirmation *tv.ConfirmationInfo `json:"confirmation,omitempty"`
	Decision     *tv.Decision         `json:"decision,omitempty"`
}

// entities are the parts of a question. In a list, one that is left out is that
// of all.
type entities struct{ subject, action, resource, context web.Value }

func (f *Front) evaluation(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	v, ok := f.Calls.Bodies.Open(w, r)
	if !ok {
		return
	}
	out, err := f.evaluate(r.Context(), w, by, entitiesOf(v, entities{}))
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.Answer(w, out)
}

func entitiesOf(v web.Value, e entities) entities {
	for name, into := range map[string]*web.Value{"subject": &e.subject, "action": &e.action, "resource": &e.resource, "context": &e.context} {
		if m, ok := v.Get(name); ok {
			*into = m
		}
	}
	return e
}

// evaluations answers several questions in their order, until the first that the
// asker stops at.
func (f *Front) evaluations(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	v, ok := f.Calls.Bodies.Open(w, r)
	if !ok {
		return
	}
	common := entitiesOf(v, entities{})
	list, given := v.Get("evaluations")
	if !given || list.Len() == 0 {
		out, err := f.evaluate(r.Context(), w, by, common)
		if err != nil {
			web.Fail(w, err)
			return
		}
		web.Answer(w, out)
		return
	}
	stop, err := semantic(v)
	if err == nil && (!web.IsList(list) || list.Len() > calls.Most) {
		err = web.Faultf(http.StatusBadRequest, "evaluations must be a list of at most %d.", calls.Most)
	}
	if err != nil {
		web.Fail(w, err)
		return
	}
	var out []Evaluation
	for i, one := range list.Elems() {
		if !web.IsObject(one) {
			web.Fail(w, web.Faultf(http.StatusBadRequest, "Evaluation %d is no object.", i))
			return
		}
		e, err := f.evaluate(r.Context(), w, by, entitiesOf(one, common))
		if err != nil {
			web.Fail(w, err)
			return
		}
		if out = append(out, e); stop(e.Decision) {
			break
		}
	}
	web.Answer(w, map[string]any{"evaluations": out})
}

// semantic says after which decision no more are made.
func semantic(v web.Value) (stop func(decision bool) bool, err error) {
	options, _ := v.Get("options")
	word, _ := options.Get("evaluations_semantic")
	switch word.Text() {
	case "execute_all":
		return func(bool) bool { return false }, nil
	case "deny_on_first_deny":
		return func(decision bool) bool { return !decision }, nil
	case "permit_on_first_permit":
		return func(decision bool) bool { return decision }, nil
	}
	if word.IsZero() {
		return func(bool) bool { return false }, nil
	}
	return nil, web.Faultf(http.StatusBadRequest, "options.evaluations_semantic must be execute_all, deny_on_first_deny or permit_on_first_permit.")
}

func (f *Front) evaluate(ctx context.Context, w http.ResponseWriter, by tv.Subject, e entities) (Evaluation, error) {
	q, err := e.read()
	if err != nil {
		return Evaluation{}, web.Faultf(http.StatusBadRequest, "%v", err)
	}
	about, err := f.about(by, q.subject)
	if err != nil {
		return Evaluation{}, err
	}
	c, err := f.Calls.Plain(ctx, about, q.call)
	if err != nil {
		return Evaluation{}, err
	}
	res, digest, err := f.Gate.Advise(ctx, c.Proposal)
	f.fault(w, err)
	v := Verdict{Result: res, Digest: digest}
	if res.Success && !res.Replayed {
		v.Verdict = res.Decision.Verdict
	}
	f.finish(ctx, &calls.Asked{Calls: []calls.Call{c}, One: true}, 0, &v)
	return v.evaluation(), nil
}

func (v *Verdict) evaluation() Evaluation {
	out := Evaluation{Decision: v.Verdict == tv.Allow, Context: Reasons{
		ID: v.CallID, Verdict: v.Verdict, Digest: v.Digest, Confirmation: v.Confirmation, Decision: &v.Decision,
	}}
	if v.Error != nil {
		out.Context.Reason, out.Context.Message, out.Context.RetryAfter = v.Error.Code, v.Error.Message, v.Error.RetryAfter
	}
	return out
}

// about is whose call it is: the key's own, or, where a service may ask about
// others, one that the configuration knows. Nothing in a question makes a subject.
func (f *Front) about(by tv.Subject, id string) (tv.Subject, error) {
	if id == by.ID {
		return by, nil
	}
	if by.Kind == tv.Service && by.HasRole(roleAsks) {
		if s, ok := f.Subject(id); ok {
			return s, nil
		}
		return tv.Subject{}, web.Faultf(http.StatusBadRequest, "subject.id: the gate knows no such subject.")
	}
	return tv.Subject{}, web.Faultf(http.StatusForbidden, "This key may ask about its own subject only: a service with the role %s asks about others.", roleAsks)
}

// question is what is asked, in our words.
type question struct {
	subject string
	call    calls.Plain
}

func (e *entities) read() (question, error) {
	subject, action, resource := web.Fields{V: e.subject}, web.Fields{V: e.action}, web.Fields{V: e.resource}
	q := question{subject: subject.Text("id")}
	q.call.Tool = resource.Text("id")
	for _, needed := range [][2]string{
		{"subject.type", subject.Text("type")}, {"subject.id", q.subject}, {"action.name", action.Text("name")},
		{"resource.type", resource.Text("type")}, {"resource.id", q.call.Tool},
	} {
		if needed[1] == "" {
			return q, fmt.Errorf("%s is missing, or no text", needed[0])
		}
	}
	if name := action.Text("name"); name != actionCall {
		return q, errors.New("action.name: this gate decides about " + actionCall)
	}
	if kind := resource.Text("type"); kind != resourceTool {
		return q, errors.New("resource.type: this gate decides about a " + resourceTool)
	}
	if err := q.take(e); err != nil {
		return q, err
	}
	said := web.Fields{V: e.context}
	q.call.Session, q.call.Run, q.call.Model = said.Text("session"), said.Text("run"), said.Text("model")
	for _, f := range []web.Fields{subject, action, resource, said} {
		if f.Err != nil {
			return q, f.Err
		}
	}
	return q, nil
}

// take takes the arguments from the one place where they stand. A caller that put
// them elsewhere, and was told of a call without any, would run what nobody
// decided.
func (q *question) take(e *entities) error {
	properties, _ := e.resource.Get("properties")
	args, ok := properties.Get("arguments")
	if !ok {
		return errors.New("resource.properties.arguments is missing: give the call's arguments there, {} where it has none")
	}
	if len(properties.Members()) > 1 {
		return errors.New("resource.properties: only arguments is known; nothing else of a call can be decided")
	}
	if more, _ := e.action.Get("properties"); len(more.Members()) > 0 {
		return errors.New("action.properties: nothing is known there; arguments stand in resource.properties.arguments")
	}
	q.call.Arguments = args.Raw()
	return nil
}

// configuration is AuthZEN's metadata.
func (f *Front) configuration(w http.ResponseWriter, r *http.Request) {
	base := f.BaseURL
	if base == "" {
		base = "http://" + r.Host // a name that this gate is served by: the guard knows no other
	}
	web.Answer(w, map[string]any{
		"policy_decision_point":       base,
		"access_evaluation_endpoint":  base + "/access/v1/evaluation",
		"access_evaluations_endpoint": base + "/access/v1/evaluations",
	})
}
