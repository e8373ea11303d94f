// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/internal/console/door"
	"github.com/toolverdict/toolverdict/internal/console/page"
	"github.com/toolverdict/toolverdict/internal/plain"
	"github.com/toolverdict/toolverdict/internal/switches"
)

// body is what the page of a tool shows.
type body struct {
	Row
	Choosing

	Server  string
	Known   *known // nil where it cannot be called
	Held    *held  // nil where it can
	Pin     *pin   // nil where nobody agreed to any definition
	Problem string

	status int
}

// known is what the catalog says of a tool.
type known struct {
	Text, Permission string
	Confirmation     tv.Confirmation
	Execution        tv.Execution
	Timeout          time.Duration
	Summary, Impact  string
	Sensitive        []string
	Rules            []string
	ServerReads      bool // every run against its server only reads
	shape
}

// shape is what a tool takes and gives.
type shape struct {
	Roles          []role
	Schema, Output string
}

// role is what one argument means.
type role struct {
	At   string
	Kind tv.RoleKind
}

// pin is who agreed to a definition.
type pin struct {
	By   string // "" where it was taken at first sight
	At   time.Time
	Hash string
}

// held is a tool that waits, and how it differs from what was agreed to.
type held struct {
	Changes []Difference
	Notes   []string
	Whole   string // the definition that is announced now
	Before  string // the one that was agreed to
	Hash    string // of what is announced now
	Waits   bool   // accepting it helps
	Large   bool   // more than the page shows: it is not accepted here
	May     bool   // this person may accept it
}

// mostShown bounds a definition that is shown whole, in bytes.
const mostShown = 128 << 10

func (h hall) one(w http.ResponseWriter, r *http.Request, v door.Visitor) { h.show(w, r, v, body{}) }

// show writes the page of a tool.
func (h hall) show(w http.ResponseWriter, r *http.Request, v door.Visitor, b body) {
	server, own := r.PathValue("server"), r.PathValue("tool")
	name := server + "/" + own
	off, ok := h.choosing(w, r, v, &b.Choosing)
	if !ok {
		return
	}
	pins, err := h.Catalog.Pins(r.Context())
	if err != nil {
		h.Fault(w, r, v, err)
		return
	}
	at := slices.IndexFunc(pins, func(p catalog.Pin) bool { return p.Tool == name })
	if at >= 0 {
		b.Pin = &pin{plain.Reveal(pins[at].By), pins[at].At, pins[at].Hash}
		if pins[at].By == catalog.FirstSightBy {
			b.Pin.By = ""
		}
	}
	b.Row = Row{Name: plain.Reveal(name), Own: plain.Reveal(own), Path: address(server, own), Off: slices.Contains(off, name), State: catalog.Listed}
	b.Server = plain.Reveal(server)
	report := h.Catalog.Report()
	if e, there := report.Entry(name); there && e.State != catalog.Listed {
		b.State, b.Reason = e.State, plain.Reveal(e.Reason)
		b.Held = h.held(&e, v)
		if at >= 0 {
			b.Held.Before = document(pins[at].Definition)
		}
	}
	tools := h.Catalog.Tools()
	switch i := slices.IndexFunc(tools, func(t *tv.Tool) bool { return t.Name() == name }); {
	case i >= 0:
		h.describe(&b, tools[i])
	case b.Held == nil && !b.Off:
		h.NotFound(w, r, v)
		return
	}
	frame := h.Frame(r, v, b.Name, b)
	frame.Path = b.Path
	if done := r.URL.Query().Get("done"); v.L.Has("tools.done", done) {
		frame.Flash = &page.Flash{Kind: "good", Text: v.L.W("tools.done", done)}
	}
	h.Write(w, r, cmp.Or(b.status, http.StatusOK), "tool", frame)
}

// describe fills in what the catalog says of a tool that can be called.
func (h hall) describe(b *body, t *tv.Tool) {
	def := t.Definition()
	b.Title, b.Safety, b.Risk, b.Groups = plain.Reveal(def.Title), def.Safety, def.Risk, revealed(def.Groups)
	b.Known = &known{
		Text: plain.Reveal(def.Description), Permission: def.Permission, Confirmation: def.Confirmation, Execution: def.Execution,
		Timeout: def.Timeout, Summary: plain.Reveal(def.Summary), Impact: plain.Reveal(def.Impact), Sensitive: def.Sensitive,
		shape: shape{Schema: document(def.InputSchema), Output: document(def.OutputSchema)}, Rules: h.Rules(def.Name),
		ServerReads: h.Servers[def.Server].ReadOnly,
	}
	for at, r := range t.Roles() {
		b.Known.Roles = append(b.Known.Roles, role{plain.Reveal(at), r.Kind})
	}
}

func (h hall) held(e *catalog.Entry, v door.Visitor) *held {
	out := &held{
		Changes: Differences(e.Changes), Hash: e.Seen.Hash,
		Waits: e.Seen.Hash != "" && (e.State == catalog.New || e.State == catalog.Changed),
		May:   v.Kind == tv.Person && v.HasRole("admin"), // what is offered: the service judges
	}
	if e.State == catalog.New {
		out.Changes = Added(e.Seen.Definition)
	}
	for _, w := range e.Warnings {
		out.Notes = append(out.Notes, plain.Reveal(w))
	}
	out.Whole = document(e.Seen.Definition)
	out.Large = len(e.Seen.Definition) > mostShown
	return out
}

// document shows JSON of strangers, or as much of it as a page bears.
func document(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	if len(raw) > mostShown {
		return plain.Reveal(string(raw[:mostShown])) + "…"
	}
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return plain.Reveal(string(raw))
	}
	return plain.Reveal(b.String())
}

// accept takes exactly the definition as reviewed that was on the page.
func (h hall) accept(w http.ResponseWriter, r *http.Request, v door.Visitor) {
	server, own := r.PathValue("server"), r.PathValue("tool")
	err := h.Catalog.Accept(r.Context(), v.Subject, server+"/"+own, r.PostFormValue("hash"))
	var refused interface {
		error
		Refusal() string
	}
	switch {
	case err == nil:
		http.Redirect(w, r, address(server, own)+"?done=accepted", http.StatusSeeOther) //nolint:gosec // G710: address makes a path of the console's own
	case errors.As(err, &refused):
		h.show(w, r, v, body{Problem: refused.Refusal(), status: http.StatusConflict})
	default:
		h.Logger.Error("a definition that somebody accepted is not in force", "tool", plain.Line(server+"/"+own), "error", err)
		h.show(w, r, v, body{Problem: "fault", status: http.StatusServiceUnavailable})
	}
}

// choose switches a tool off or on.
func (h hall) choose(off bool) door.Handler {
	return func(w http.ResponseWriter, r *http.Request, v door.Visitor) {
		server, own, of := r.PathValue("server"), r.PathValue("tool"), strings.TrimSpace(r.PostFormValue("user"))
		_, err := h.Switches.Switch(r.Context(), v.Subject, of, server+"/"+own, off)
		switch {
		case err == nil:
			done := "on"
			if off {
				done = "off"
			}
			q := url.Values{"done": {done}}
			if of != "" {
				q.Set("user", of)
			}
			http.Redirect(w, r, address(server, own)+"?"+q.Encode(), http.StatusSeeOther) //nolint:gosec // G710: address makes a path of the console's own
		case errors.Is(err, switches.ErrNotAdmin), errors.Is(err, switches.ErrNotPerson):
			h.Message(w, r, v, http.StatusForbidden, "forbidden")
		case errors.Is(err, switches.ErrName), errors.Is(err, tv.ErrNotFound):
			h.NotFound(w, r, v)
		default:
			h.Fault(w, r, v, err)
		}
	}
}
