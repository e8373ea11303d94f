// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package tools

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/internal/console/door"
	"github.com/toolverdict/toolverdict/internal/plain"
	"github.com/toolverdict/toolverdict/internal/switches"
)

// Catalog is what is known of tools, and takes what people say of them.
type Catalog interface {
	// Tools returns those that can be called, by name.
	Tools() []*tv.Tool
	// Report tells what became of each announced and each pinned tool.
	Report() catalog.Report
	Pins(ctx context.Context) ([]catalog.Pin, error)
	// Accept takes the definition with a hash as reviewed. An error with a method
	// Refusal() string says in a word why not.
	Accept(ctx context.Context, by tv.Subject, tool, hash string) error
}

// Switches switches tools off and on: a [switches.Board].
type Switches interface {
	Disabled(ctx context.Context, user string) ([]string, error)
	Switch(ctx context.Context, by tv.Subject, of, tool string, off bool) (user string, err error)
}

// Caller is somebody who works for a user.
type Caller struct {
	ID       string
	ReadOnly bool // every run of theirs only reads
}

// Server is what the configuration says of a server's tools.
type Server struct{ ReadOnly, FirstSight bool }

// Room is the pages about tools. Every field is required.
type Room struct {
	Catalog  Catalog
	Switches Switches
	Callers  func(user string) []Caller       // whose calls a user's choices hold for
	Servers  map[string]Server                // by name
	Rules    func(tool string) (ids []string) // those that can match its calls
}

// Lay lays out the pages.
func (m Room) Lay(d *door.Door) {
	h := hall{m, d}
	d.Lead("tools", nil)
	d.Handle("GET /console/tools", h.list)
	d.Handle("GET /console/tools/{server}/{tool}", h.one)
	d.Handle("POST /console/tools/{server}/{tool}/accept", h.accept)
	d.Handle("POST /console/tools/{server}/{tool}/disable", h.choose(true))
	d.Handle("POST /console/tools/{server}/{tool}/enable", h.choose(false))
}

// hall is a room behind a door.
type hall struct {
	Room
	*door.Door
}

// mostTools bounds a page; a search narrows it.
const mostTools = 200

// listBody is what the list shows.
type listBody struct {
	Choosing

	Query   string
	Waiting []Row // held back
	Servers []shelf
	Count   int
	Left    int // tools that are not on the page
}

// Choosing is for whom tools are switched.
type Choosing struct {
	User    string
	Of      string // as the address has it: "" for oneself
	Admin   bool   // may choose for others
	Callers []Caller
}

// shelf is the tools of one server.
type shelf struct {
	Server

	Name string
	Rows []Row
}

// Row is one tool of the list.
type Row struct {
	Name, Own, Title string
	Path             string
	Safety           tv.Safety
	Risk             tv.Risk
	Groups           []string
	Off              bool
	State            catalog.State
	Reason           string
}

// address is the page of a tool. Names are those of servers and tools, which may
// hold anything.
func address(server, own string) string {
	return "/console/tools/" + url.PathEscape(server) + "/" + url.PathEscape(own)
}

func revealed(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = plain.Reveal(s)
	}
	return out
}

func (h hall) list(w http.ResponseWriter, r *http.Request, v door.Visitor) {
	body := listBody{Query: plain.Reveal(strings.TrimSpace(r.URL.Query().Get("q")))}
	off, ok := h.choosing(w, r, v, &body.Choosing)
	if !ok {
		return
	}
	wanted := func(name, title string) bool {
		q := strings.ToLower(body.Query)
		return strings.Contains(strings.ToLower(name), q) || strings.Contains(strings.ToLower(title), q)
	}
	for _, t := range h.Catalog.Tools() {
		def := t.Definition()
		own := strings.TrimPrefix(def.Name, def.Server+"/")
		if strings.HasPrefix(own, "@") || !wanted(def.Name, def.Title) {
			continue // methods of the protocol are not announced
		}
		if body.Count++; body.Count > mostTools {
			body.Left++
			continue
		}
		row := Row{
			Name: plain.Reveal(def.Name), Own: plain.Reveal(own), Title: plain.Reveal(def.Title), Path: address(def.Server, own),
			Safety: def.Safety, Risk: def.Risk, Groups: revealed(def.Groups), Off: slices.Contains(off, def.Name), State: catalog.Listed,
		}
		if n := len(body.Servers); n == 0 || body.Servers[n-1].Name != plain.Reveal(def.Server) {
			body.Servers = append(body.Servers, shelf{h.Servers[def.Server], plain.Reveal(def.Server), nil})
		}
		last := &body.Servers[len(body.Servers)-1]
		last.Rows = append(last.Rows, row)
	}
	for _, e := range h.Catalog.Report().Tools {
		if e.State == catalog.Listed || len(body.Waiting) == mostTools || !wanted(e.Tool, "") {
			continue
		}
		own := strings.TrimPrefix(e.Tool, e.Server+"/")
		body.Waiting = append(body.Waiting, Row{
			Name: plain.Reveal(e.Tool), Path: address(e.Server, own), State: e.State, Reason: plain.Reveal(e.Reason), Off: slices.Contains(off, e.Tool),
		})
	}
	h.Write(w, r, http.StatusOK, "tools", h.Frame(r, v, v.L.T("tools.title"), body))
}

// choosing finds out for whom tools are switched, and what they switched off. An
// admin may look at somebody else's; for everybody else it is their own.
func (h hall) choosing(w http.ResponseWriter, r *http.Request, v door.Visitor, c *Choosing) (off []string, ok bool) {
	c.User = switches.Owner(v.Subject)
	if of := plain.Reveal(strings.TrimSpace(r.FormValue("user"))); of != "" && of != c.User {
		if !v.HasRole("admin") {
			h.Message(w, r, v, http.StatusForbidden, "forbidden")
			return nil, false
		}
		c.User, c.Of = of, of
	}
	c.Admin, c.Callers = v.HasRole("admin"), h.Callers(c.User)
	off, err := h.Switches.Disabled(r.Context(), c.User)
	if err != nil {
		h.Fault(w, r, v, err)
		return nil, false
	}
	return off, true
}
