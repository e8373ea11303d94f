// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// callMembers are the members that a call may have.
func callMembers() []string {
	return []string{"id", "tool", "arguments", "confirmation", "idempotencyKey", "wait", "run", "session", "model", "trace"}
}

// call decides one call and runs it if it is cleared.
func (f *Front) call(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	body, ok := f.readBody(w, r)
	if !ok {
		return
	}
	v, err := canon.ParseObject(body, f.bodyLimits())
	if err != nil {
		f.malformed(w, r, by, body)
		return
	}
	p, err := f.proposal(v, by)
	if err != nil {
		problem(w, http.StatusBadRequest, "The call is not complete: "+err.Error()+".")
		return
	}
	res, err := f.Gate.Do(r.Context(), p)
	f.fault(err)
	f.tellUnknown(r.Context(), &p, &res)
	answer(w, res)
}

// malformed has the gate refuse and record a call that is not strict JSON. The
// body stands for the arguments: they are refused for the same reason.
func (f *Front) malformed(w http.ResponseWriter, r *http.Request, by tv.Subject, body []byte) {
	if _, err := canon.ParseArguments(body, f.Limits); err == nil {
		problem(w, http.StatusBadRequest, "The body must be one JSON object.")
		return
	}
	var named struct {
		Tool string `json:"tool"`
	}
	_ = json.Unmarshal(body, &named) // only to name the tool in the record
	res, err := f.Gate.Do(r.Context(), tv.Proposal{
		Door: tv.DoorHTTP, Tool: named.Tool, Arguments: body, Subject: by, Run: f.Run(by), Environment: f.Environment,
	})
	f.fault(err)
	answer(w, res)
}

// proposal reads a call. The arguments go on as the bytes that were sent.
func (f *Front) proposal(v canon.Value, by tv.Subject) (tv.Proposal, error) {
	known := callMembers()
	for _, m := range v.Members() {
		if !slices.Contains(known, m.Name) {
			return tv.Proposal{}, fmt.Errorf("unknown member %q: known are %s", m.Name, strings.Join(known, ", "))
		}
	}
	in := &fields{v: v}
	p := tv.Proposal{
		Door: tv.DoorHTTP, ID: in.text("id"), Tool: in.text("tool"), Subject: by, Model: in.text("model"),
		Session: in.text("session"), Environment: f.Environment, Trace: in.text("trace"),
		Confirmation: in.text("confirmation"), IdempotencyKey: in.text("idempotencyKey"),
		Wait: min(in.duration("wait"), maxWait), Run: f.Run(by),
	}
	if args, ok := v.Get("arguments"); ok {
		p.Arguments = args.Raw()
	}
	if run, ok := in.object("run"); ok {
		rf := &fields{v: run}
		p.Run.ID = rf.text("id")
		p.Run.ReadOnly = rf.truth("readOnly") || p.Run.ReadOnly
		p.Run.Disabled = append(p.Run.Disabled, rf.texts("disabled")...)
		if rf.err != nil {
			in.err = rf.err
		}
	}
	if in.err == nil && p.Tool == "" && p.Confirmation == "" {
		in.err = fmt.Errorf("name a tool, or a confirmation to run its stored call")
	}
	return p, in.err
}

// batch runs the calls of one message.
func (f *Front) batch(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	v, ok := f.readObject(w, r, "calls")
	if !ok {
		return
	}
	list, _ := v.Get("calls")
	if list.Kind() != canon.KindArray || list.Len() == 0 || list.Len() > maxBatch {
		problem(w, http.StatusBadRequest, fmt.Sprintf("calls must be a list of 1 to %d calls.", maxBatch))
		return
	}
	proposals := make([]tv.Proposal, list.Len())
	for i, c := range list.Elems() {
		if c.Kind() != canon.KindObject {
			problem(w, http.StatusBadRequest, fmt.Sprintf("Call %d is not an object.", i))
			return
		}
		p, err := f.proposal(c, by)
		if err != nil {
			problem(w, http.StatusBadRequest, fmt.Sprintf("Call %d is not complete: %v.", i, err))
			return
		}
		proposals[i] = p
	}
	results, errs := f.Gate.DoAll(r.Context(), proposals)
	for i := range results {
		f.fault(errs[i])
		f.tellUnknown(r.Context(), &proposals[i], &results[i])
	}
	answer(w, map[string]any{"results": results})
}

// fault logs what the gate could not do; the caller has its refusal.
func (f *Front) fault(err error) {
	if err != nil {
		f.Log.Error("call", "door", tv.DoorHTTP, "error", err)
	}
}

// toolView is a tool as a caller sees it.
type toolView struct {
	Name         string          `json:"name"`
	Server       string          `json:"server"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema,omitempty"`
	Safety       tv.Safety       `json:"safety"`
	Risk         tv.Risk         `json:"risk"`
	Permission   string          `json:"permission,omitempty"`
	Confirmation tv.Confirmation `json:"confirmation"`
	Execution    tv.Execution    `json:"execution"`
	Groups       []string        `json:"groups,omitempty"`
	Hash         string          `json:"hash"`
	Hidden       bool            `json:"hidden,omitempty"` // switched off, or not for a read-only run: a call is refused
}

// tools lists what this caller may see; with all=true also what is hidden from
// the model, marked so.
func (f *Front) tools(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	in := readParams(r, "readOnly", "all")
	readOnly, all := in.truth("readOnly"), in.truth("all")
	if in.refused(w) {
		return
	}
	run := f.Run(by)
	run.ReadOnly = run.ReadOnly || readOnly
	visible, err := f.Gate.Visible(r.Context(), by, run)
	if err != nil {
		f.fault(err)
		problem(w, http.StatusServiceUnavailable, "The tools cannot be listed now.")
		return
	}
	shown := visible
	if all {
		shown = f.All()
	}
	views := make([]toolView, 0, len(shown))
	for _, t := range shown {
		d := t.Definition()
		views = append(views, toolView{
			Name: d.Name, Server: d.Server, Title: d.Title, Description: d.Description, InputSchema: d.InputSchema,
			Safety: d.Safety, Risk: d.Risk, Permission: d.Permission, Confirmation: d.Confirmation,
			Execution: d.Execution, Groups: d.Groups, Hash: t.Hash(), Hidden: !slices.Contains(visible, t),
		})
	}
	answer(w, map[string]any{"tools": views})
}

// choose switches one tool off or on for the user that the caller is or works
// for.
func (f *Front) choose(off bool) handler {
	return func(w http.ResponseWriter, r *http.Request, by tv.Subject) {
		in := readParams(r, "user")
		if in.refused(w) {
			return
		}
		tool := r.PathValue("server") + "/" + r.PathValue("tool")
		user, err := f.Choices.Switch(r.Context(), by, in.text("user"), tool, off)
		var refused interface {
			error
			Refusal() (why string, forbidden bool)
		}
		switch {
		case err == nil:
			answer(w, Choice{User: user, Tool: tool, Disabled: off, Subjects: listed(f.Subjects(user))})
		case errors.As(err, &refused):
			why, forbidden := refused.Refusal()
			status := http.StatusBadRequest
			if forbidden {
				status = http.StatusForbidden
			}
			problem(w, status, why)
		case errors.Is(err, tv.ErrNotFound):
			problem(w, http.StatusNotFound, "There is no such tool: GET /v1/tools lists them, toolverdict tools list too.")
		default:
			f.fault(err)
			problem(w, http.StatusServiceUnavailable, "The choice could not be stored.")
		}
	}
}

// Choice is what one tool is for a user now.
type Choice struct {
	User     string   `json:"user"`
	Tool     string   `json:"tool"`
	Disabled bool     `json:"disabled"`
	Subjects []string `json:"subjects"` // whose calls it holds for, by id; empty where nobody is this user or works for them
}
