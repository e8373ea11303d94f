// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/internal/calls"
	"github.com/toolverdict/toolverdict/httpgate/internal/web"
)

// call decides one call and runs it if it is cleared.
func (f *Front) call(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	asked, ok := f.calls.Read(w, r, by)
	if !ok {
		return
	}
	if !asked.One {
		web.Problem(w, http.StatusBadRequest, "This is more than one call: send it to POST /v1/batch.")
		return
	}
	web.Answer(w, f.do(r.Context(), &asked.Calls[0]))
}

func (f *Front) do(ctx context.Context, c *calls.Call) tv.Result {
	res, err := f.Gate.Do(ctx, c.Proposal)
	f.fault(err)
	f.words.Explain(ctx, c, &res)
	return res
}

// batch runs the calls of one message, and answers a model in its own form.
func (f *Front) batch(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	asked, ok := f.calls.Read(w, r, by)
	switch {
	case !ok:
		return
	case asked.Broken:
		f.do(r.Context(), &asked.Calls[0]) // which refuses it, and records that
		web.Problem(w, http.StatusBadRequest, "The body is not acceptable JSON.")
		return
	case asked.One:
		web.Problem(w, http.StatusBadRequest, "This is one call: send it to POST /v1/calls, or a list of calls here.")
		return
	}
	proposals := make([]tv.Proposal, len(asked.Calls))
	for i := range asked.Calls {
		proposals[i] = asked.Calls[i].Proposal
	}
	results, errs := f.Gate.DoAll(r.Context(), proposals)
	for i := range results {
		f.fault(errs[i])
		f.words.Explain(r.Context(), &asked.Calls[i], &results[i])
	}
	out := map[string]any{"results": results}
	if asked.Shape != "" {
		messages, err := asked.Answers(results)
		if err != nil {
			f.fault(err)
			web.Problem(w, http.StatusInternalServerError, "The calls ran, and their answers could not be written.")
			return
		}
		out["messages"] = messages
	}
	web.Answer(w, out)
}

// fault logs what the gate could not do; the caller has its refusal.
func (f *Front) fault(err error) {
	if err != nil {
		f.Log.Error("call", "door", tv.DoorHTTP, "error", err)
	}
}

// ToolView is a tool as a caller sees it.
type ToolView struct {
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
	in := web.ReadParams(r, "readOnly", "all", "run", "shape")
	readOnly, all, shape := in.Truth("readOnly"), in.Truth("all"), web.Word(in, "shape", calls.Shapes()...)
	if in.Refused(w) {
		return
	}
	run, err := f.calls.RunOf(r.Context(), by, in.Text("run"))
	if err != nil {
		web.Fail(w, err)
		return
	}
	run.ReadOnly = run.ReadOnly || readOnly
	visible, err := f.Gate.Visible(r.Context(), by, run)
	if err != nil {
		f.fault(err)
		web.Problem(w, http.StatusServiceUnavailable, "The tools cannot be listed now.")
		return
	}
	if shape != "" {
		list, err := f.calls.Tools(shape, visible)
		f.fault(err)
		web.Answer(w, map[string]any{"shape": shape, "tools": list})
		return
	}
	shown := visible
	if all {
		shown = f.All()
	}
	views := make([]ToolView, 0, len(shown))
	for _, t := range shown {
		d := t.Definition()
		views = append(views, ToolView{
			Name: d.Name, Server: d.Server, Title: d.Title, Description: d.Description, InputSchema: d.InputSchema,
			Safety: d.Safety, Risk: d.Risk, Permission: d.Permission, Confirmation: d.Confirmation,
			Execution: d.Execution, Groups: d.Groups, Hash: t.Hash(), Hidden: !slices.Contains(visible, t),
		})
	}
	web.Answer(w, map[string]any{"tools": views})
}

// choose switches one tool off or on for the user that the caller is or works
// for.
func (f *Front) choose(off bool) web.Handler {
	return func(w http.ResponseWriter, r *http.Request, by tv.Subject) {
		in := web.ReadParams(r, "user")
		if in.Refused(w) {
			return
		}
		tool := r.PathValue("server") + "/" + r.PathValue("tool")
		user, err := f.Choices.Switch(r.Context(), by, in.Text("user"), tool, off)
		var refused interface {
			error
			Refusal() (why string, forbidden bool)
		}
		switch {
		case err == nil:
			web.Answer(w, Choice{User: user, Tool: tool, Disabled: off, Subjects: web.Listed(f.Subjects(user))})
		case errors.As(err, &refused):
			why, forbidden := refused.Refusal()
			status := http.StatusBadRequest
			if forbidden {
				status = http.StatusForbidden
			}
			web.Problem(w, status, why)
		case errors.Is(err, tv.ErrNotFound):
			web.Problem(w, http.StatusNotFound, "There is no such tool: GET /v1/tools lists them, toolverdict tools list too.")
		default:
			f.fault(err)
			web.Problem(w, http.StatusServiceUnavailable, "The choice could not be stored.")
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
