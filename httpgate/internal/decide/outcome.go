// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"unicode/utf8"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/internal/calls"
	"github.com/toolverdict/toolverdict/httpgate/internal/web"
	"github.com/toolverdict/toolverdict/wire"
)

// Outcome is what a caller tells of a call that it ran, or did not.
type Outcome struct {
	Claim   string          `json:"claim"`
	Token   string          `json:"token"`
	Status  string          `json:"status"` // succeeded, failed, notSent or unknown
	Code    tv.Code         `json:"code,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Message string          `json:"message,omitempty"`
	Shape   wire.Shape      `json:"shape,omitempty"` // in which the model is to be answered
}

// Told is the answer to an outcome: what the model may be told, with held secrets
// hidden.
type Told struct {
	Claim string `json:"claim"`
	tv.Result

	Repeated bool            `json:"repeated,omitempty"` // it was told before, in the same words, and is answered in the same
	Answer   json.RawMessage `json:"answer,omitempty"`
	Problem  *web.Fault      `json:"problem,omitempty"` // of several: why this one was not taken
}

// outcome takes one outcome, or a list of them. What tools answer is theirs to
// write: it is not held to what arguments are.
func (f *Front) outcome(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	body, ok := f.Calls.Bodies.Results(w, r)
	if !ok {
		return
	}
	all, many, err := outcomes(body)
	if err != nil {
		web.Problem(w, http.StatusBadRequest, err.Error()+". An outcome is {claim, token, status, result, message, code, shape}, or {outcomes: [such, …]}.")
		return
	}
	if many {
		out := make([]Told, len(all))
		for i := range all {
			out[i] = f.each(r.Context(), w, by, &all[i])
		}
		web.Answer(w, map[string]any{"results": out})
		return
	}
	one := all[0]
	told, err := f.tell(r.Context(), w, by, &one)
	if err != nil {
		web.Fail(w, err)
		return
	}
	web.Answer(w, told)
}

func (f *Front) each(ctx context.Context, w http.ResponseWriter, by tv.Subject, o *Outcome) Told {
	told, err := f.tell(ctx, w, by, o)
	if err == nil {
		return told
	}
	fault, ok := errors.AsType[*web.Fault](err)
	if !ok {
		fault = web.Faultf(http.StatusBadRequest, "%v", err)
	}
	return Told{Claim: o.Claim, Problem: fault}
}

// outcomes reads one outcome, or a list of them.
func outcomes(body []byte) (all []Outcome, many bool, err error) {
	if !utf8.Valid(body) {
		return nil, false, errors.New("the body is no UTF-8")
	}
	members, err := web.Members(body)
	if err != nil {
		return nil, false, err
	}
	texts := []json.RawMessage{body}
	if list, ok := members["outcomes"]; ok {
		if many = json.Unmarshal(list, &texts) == nil && len(texts) > 0 && len(members) == 1; !many {
			return nil, false, errors.New("outcomes stands beside something else, or is no list of them")
		}
	}
	all = make([]Outcome, len(texts))
	for i, text := range texts {
		if err := all[i].fill(text); err != nil {
			return nil, many, err
		}
	}
	return all, many, nil
}

// fill reads the members of one outcome.
func (o *Outcome) fill(text []byte) error {
	members, err := web.Members(text)
	if err != nil {
		return err
	}
	for name, into := range map[string]any{
		"claim": &o.Claim, "token": &o.Token, "status": &o.Status, "code": &o.Code, "message": &o.Message, "shape": &o.Shape, "result": &o.Result,
	} {
		if value, ok := members[name]; ok && json.Unmarshal(value, into) != nil {
			return errors.New(name + " must be text")
		}
		delete(members, name)
	}
	if len(members) > 0 {
		return errors.New("there is a member that is not known")
	}
	return nil
}

// tell reports one outcome to the gate.
func (f *Front) tell(ctx context.Context, w http.ResponseWriter, by tv.Subject, o *Outcome) (Told, error) {
	outcome, err := o.read()
	if err != nil {
		return Told{}, err
	}
	words, err := json.Marshal(o)
	if err != nil {
		return Told{}, errors.New("the result is no JSON")
	}
	e, again, err := f.permits.take(by, o.Claim, o.Token, sha256.Sum256(words), f.Now())
	if err != nil {
		return Told{}, err
	}
	res := e.answer
	if again {
		if e.content && f.Content != nil { // it is the same as was told before, and so are its words
			res.Content = f.Content(outcome.Content)
		}
	} else {
		res, err = f.Gate.Report(ctx, e.permit, outcome)
		f.fault(w, err)
		f.permits.answered(e, res, f.Now())
	}
	told := Told{Claim: o.Claim, Result: res, Repeated: again}
	shape := cmp.Or(o.Shape, e.shape)
	if shape == "" {
		return told, nil
	}
	a, err := calls.Told(e.wire, &res)
	if err == nil {
		told.Answer, err = wire.One(shape, a)
	}
	f.fault(w, err)
	return told, nil
}

// read checks the words. A status that is none must not read as done.
func (o *Outcome) read() (tv.Outcome, error) {
	out := tv.Outcome{Code: o.Code, Content: o.Result, Message: o.Message}
	switch o.Status {
	case "succeeded":
		out.Status = tv.Succeeded
	case "failed":
		out.Status = tv.Failed
	case "notSent":
		out.Status = tv.NotSent
	case "unknown":
		out.Status = tv.Unknown
	default:
		return out, web.Faultf(http.StatusBadRequest, "status must be one of succeeded, failed, notSent, unknown.")
	}
	switch {
	case o.Shape != "" && !wire.Known(o.Shape):
		return out, web.Faultf(http.StatusBadRequest, "There is no such shape: see docs/shapes.md.")
	case out.Status == tv.Succeeded && o.Code != "":
		return out, web.Faultf(http.StatusBadRequest, "A call that succeeded has no code.")
	case o.Code != "" && o.Code != tv.ToolError && o.Code != tv.ToolTimeout:
		return out, web.Faultf(http.StatusBadRequest, "code must be TOOL_ERROR or TOOL_TIMEOUT.")
	}
	if out.Status != tv.Succeeded {
		out.Code = cmp.Or(out.Code, tv.ToolError)
	}
	return out, nil
}

// Sweep ends the claims whose outcome was not told in time: it is unknown.
func (f *Front) Sweep(ctx context.Context) (ended int) {
	for _, e := range f.permits.late(f.Now()) {
		_, err := f.Gate.Report(ctx, e.permit, tv.Outcome{
			Status: tv.Unknown, Code: tv.ToolTimeout, Message: "the caller that ran the call told no outcome in time",
		})
		f.fault(nil, err)
		ended++
	}
	return ended
}
