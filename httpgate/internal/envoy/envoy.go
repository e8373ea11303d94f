// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package envoy answers Envoy's filter ext_authz about requests to MCP servers that
// stand behind it. Envoy sends the request that it holds, and sends it on where the
// answer is 200; every other status goes back to the client with our body.
//
// The front decides nothing. It claims a call before it says yes, so that limits,
// history and approvals count here, too. It never hears what came of a call, so
// that each ends as unknown. It cannot change a request: what would have to reach
// the server otherwise than it was sent is refused.
package envoy

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/internal/calls"
	"github.com/toolverdict/toolverdict/httpgate/internal/web"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// Prefix is what Envoy puts before the path of a request (path_prefix).
const Prefix = "/envoy"

// Gate is the choke point: a *toolverdict.Gate.
type Gate interface {
	Check(ctx context.Context, p tv.Proposal) (tv.Permit, tv.Result, error)
	Report(ctx context.Context, p tv.Permit, o tv.Outcome) (tv.Result, error)
}

// Route is an MCP server behind Envoy.
type Route struct {
	Host     string // that clients call it by, without a port; "" is any name that the gate is called by
	Path     string // of its endpoint, byte for byte
	Server   string // as in the names of its tools
	ReadOnly bool   // every run against it is read-only
	Subject  string // the header in which Envoy names the caller; "" means that the caller is the key's subject
}

// Config is what the front is made of. All parts are required but BaseURL.
type Config struct {
	Gate    Gate
	Routes  []Route
	Calls   *calls.Reader
	Words   *calls.Words
	Subject func(id string) (tv.Subject, bool) // whom the configuration knows
	BaseURL string                             // where people reach the gate; "" for no links to approvals
	Log     *slog.Logger
}

// Front is safe for concurrent use.
type Front struct{ Config }

// New makes a front.
func New(c Config) *Front { return &Front{c} }

// visit is one request that was let in.
type visit struct {
	*Front

	w     http.ResponseWriter
	r     *http.Request
	route Route
	by    tv.Subject
}

// Serve answers a check.
func (f *Front) Serve(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	route, ok := f.route(r)
	if !ok {
		refuse(w, "There is no MCP server of this gate at this host and path: see docs/envoy.md. A query belongs to none.")
		return
	}
	by, why := f.about(r, route, by)
	if why != "" {
		refuse(w, why)
		return
	}
	v := &visit{f, w, r, route, by}
	if partial := r.Header.Values("X-Envoy-Auth-Partial-Body"); len(partial) > 0 && (len(partial) > 1 || partial[0] != "false") {
		refuse(w, "Only a part of the body was sent: set allow_partial_message to false.")
		return
	}
	switch r.Method {
	case http.MethodPost:
		v.post()
	case http.MethodGet, http.MethodDelete: // the stream of a session, and its end
		if r.ContentLength != 0 {
			refuse(w, "A body does not go with this method.")
			return
		}
		v.pass("")
	default:
		refuse(w, "Use POST, GET or DELETE.")
	}
}

// refuse answers what is no message that could be answered. The status says no to
// every proxy, not only to Envoy: others take 2xx for yes.
func refuse(w http.ResponseWriter, why string) { web.Problem(w, http.StatusForbidden, why) }

// route finds the server that is asked for, as the client wrote it: what is written
// otherwise may mean another place to the server.
func (f *Front) route(r *http.Request) (Route, bool) {
	path, ok := strings.CutPrefix(r.URL.EscapedPath(), Prefix)
	if !ok || r.URL.RawQuery != "" || r.URL.ForceQuery {
		return Route{}, false
	}
	name := r.Host
	if h, _, err := net.SplitHostPort(name); err == nil {
		name = h
	}
	var found Route
	for _, route := range f.Routes {
		switch {
		case route.Path != path:
		case strings.EqualFold(route.Host, name):
			return route, true
		case route.Host == "":
			found = route
		}
	}
	return found, found.Path != ""
}

// roleAsks is the role of a service that may ask about others, as with AuthZEN.
const roleAsks = "authzen"

// about is whose call it is. Where Envoy names the caller in a header, only Envoy's
// own key makes it count: a client can write headers, too.
func (f *Front) about(r *http.Request, route Route, by tv.Subject) (who tv.Subject, refusal string) {
	if route.Subject == "" {
		return by, ""
	}
	if by.Kind != tv.Service || !by.HasRole(roleAsks) {
		return by, "This key may not ask about others: have Envoy send that of a service with the role " + roleAsks + "."
	}
	names := r.Header.Values(route.Subject)
	if len(names) != 1 {
		return by, "The header that names the caller is missing, or there twice."
	}
	s, ok := f.Subject(names[0])
	if !ok {
		return by, "The gate knows no such caller."
	}
	return s, ""
}

func (v *visit) post() {
	if why := unclear(v.r.Header); why != "" {
		refuse(v.w, why)
		return
	}
	limits := v.Calls.Bodies.Whole()
	limits.MaxBytes, limits.MaxDepth = max(limits.MaxBytes, 4<<20), max(limits.MaxDepth, 96)
	body, err := io.ReadAll(http.MaxBytesReader(v.w, v.r.Body, int64(limits.MaxBytes)))
	if err != nil {
		refuse(v.w, "The body is too large, or could not be read.")
		return
	}
	if len(body) == 0 {
		refuse(v.w, "There is no body: set with_request_body, or the gate cannot see what is called.")
		return
	}
	m, err := mcpwire.ParseClient(body, limits)
	if err != nil {
		v.malformed(body, err)
		return
	}
	if err := mcpwire.CheckHeaders(v.r.Header, m); err != nil {
		v.fault(err)
		return
	}
	if err := v.checkParams(m); err != nil {
		v.fault(err)
		return
	}
	v.message(m)
}

// unclear says why the server might read other bytes than the gate does. That the
// type is wanted also tells whether Envoy passes these headers on at all.
func unclear(h http.Header) string {
	kinds, encodings := h.Values("Content-Type"), h.Values("Content-Encoding")
	if len(kinds) != 1 {
		return "One Content-Type is wanted: have Envoy send the headers that docs/envoy.md lists."
	}
	kind, params, err := mime.ParseMediaType(kinds[0])
	charset := params["charset"]
	switch {
	case err != nil || kind != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8"):
		return "Content-Type must be application/json, in UTF-8."
	case len(encodings) > 0 && (len(encodings) > 1 || encodings[0] != "identity"):
		return "Content-Encoding is not accepted."
	}
	return ""
}

// checkParams compares the headers that mirror arguments, by the schema that was
// reviewed: somebody on the way may look only at those.
func (v *visit) checkParams(m *mcpwire.Message) error {
	if m.Method() != "tools/call" || !mcpwire.ModernHeader(v.r.Header) {
		return nil
	}
	name := mcpwire.ToolOf(v.route.Server, m.Params().Get("name").Text())
	for _, t := range v.Calls.All() {
		if t.Name() != name {
			continue
		}
		params, err := mcpwire.ParamHeaders(t.Definition().InputSchema)
		if err != nil {
			return nil //nolint:nilerr // annotations that are not valid mirror nothing
		}
		return mcpwire.CheckParams(v.r.Header, m, params)
	}
	return nil
}

// malformed refuses a body that is not strict. Where only the arguments of a call
// are at fault, the gate refuses the call, on record and as every front does.
func (v *visit) malformed(body []byte, err error) {
	m, lenient := mcpwire.ParseServer(body)
	if lenient == nil && m.Kind() == mcpwire.Request && m.Method() == "tools/call" {
		name, arguments := m.Params().Get("name").Text(), m.Params().Get("arguments").Bytes()
		if !v.readable(arguments) && name != "" {
			v.decide(m, mcpwire.ToolOf(v.route.Server, name), arguments)
			return
		}
	}
	v.fault(err)
}

// fault answers what the wire itself refuses.
func (v *visit) fault(err error) {
	f, ok := errors.AsType[*mcpwire.Fault](err)
	if !ok {
		f = &mcpwire.Fault{Code: mcpwire.CodeInvalidRequest, Message: "the message was not understood"}
	}
	v.answer(f.Answer())
}

// answer refuses with a message that the client understands.
func (v *visit) answer(message []byte) {
	v.w.Header().Set("Content-Type", "application/json")
	v.w.WriteHeader(http.StatusForbidden)
	_, _ = v.w.Write(message)
}

// pass says yes. Envoy drops the body.
func (v *visit) pass(call string) {
	web.Answer(v.w, struct {
		Verdict tv.Verdict `json:"verdict"`
		Call    string     `json:"callId,omitempty"`
	}{tv.Allow, call})
}
