// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/mcpgate/internal/engine"
)

var _ http.Handler = (*Front)(nil)

// visit is one HTTP request that was let in.
type visit struct {
	*Front

	up       *upstream
	subject  toolverdict.Subject
	readOnly bool
	modern   bool // the request is of a revision without sessions
	r        *http.Request
	out      *outlet
}

// ServeHTTP implements [http.Handler].
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	subject, refused := f.admit(r)
	if refused != nil {
		reject(w, refused)
		return
	}
	select {
	case f.room <- struct{}{}:
		defer func() { <-f.room }()
	default:
		w.Header().Set("Retry-After", "1")
		reject(w, &rejection{http.StatusServiceUnavailable, "Too many requests are being served. Retry later."})
		return
	}
	up := f.upstream(r.URL.Path)
	if up == nil {
		reject(w, &rejection{http.StatusNotFound, "There is no such upstream: use /mcp/NAME."})
		return
	}
	readOnly, refused := readOnlyRun(r)
	if refused == nil {
		refused = acceptable(r)
	}
	if refused != nil {
		reject(w, refused)
		return
	}
	v := &visit{Front: f, up: up, subject: subject, readOnly: readOnly, r: r}
	v.out = &outlet{w: w, now: f.config.Now, seal: v.sealSession}
	defer v.out.end()
	v.serve()
}

func (f *Front) upstream(path string) *upstream {
	if path == "/mcp" {
		return f.only
	}
	name, ok := strings.CutPrefix(path, "/mcp/")
	if !ok {
		return nil
	}
	return f.servers[name]
}

// reject refuses a request whose message was not read: in plain text, as an
// intermediary does.
func reject(w http.ResponseWriter, why *rejection) {
	h := w.Header()
	if why.status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="toolverdict"`)
	}
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(why.status)
	_, _ = io.WriteString(w, why.text+"\n") //nolint:gosec // our own fixed words, as plain text
}

func (v *visit) serve() {
	switch v.r.Method {
	case http.MethodPost:
		v.post()
	case http.MethodGet:
		v.stream()
	case http.MethodDelete:
		if c, ok := v.caller(nil); ok {
			v.up.engine.End(v.r.Context(), c, v.out)
		}
	default:
		v.out.w.Header().Set("Allow", "GET, POST, DELETE")
		reject(v.out.w, &rejection{http.StatusMethodNotAllowed, "Use POST, GET or DELETE."})
	}
}

func (v *visit) stream() {
	ids := v.r.Header.Values(mcpwire.HeaderLastEventID)
	if len(ids) > 1 {
		reject(v.out.w, &rejection{http.StatusBadRequest, "Last-Event-ID is given more than once."})
		return
	}
	if c, ok := v.caller(nil); ok {
		v.up.engine.Listen(v.r.Context(), c, strings.Join(ids, ""), v.out)
	}
}

func (v *visit) post() {
	body, err := io.ReadAll(http.MaxBytesReader(v.out.w, v.r.Body, int64(v.config.MaxMessage)))
	if err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			v.refuse(&mcpwire.Fault{Status: http.StatusRequestEntityTooLarge, Code: mcpwire.CodeTooLarge,
				Message: "the message is larger than the limit: send less, or refer to the data by name"})
			return
		}
		reject(v.out.w, &rejection{http.StatusBadRequest, "The body could not be read."})
		return
	}
	m, err := mcpwire.ParseClient(body, v.limits())
	if err != nil {
		v.malformed(body, err)
		return
	}
	if err := mcpwire.CheckHeaders(v.r.Header, m); err != nil {
		v.fault(err)
		return
	}
	v.modern = m.Modern()
	if err := v.up.engine.CheckParams(v.r.Header, m); err != nil {
		v.fault(err)
		return
	}
	if c, ok := v.caller(m); ok {
		v.up.engine.Handle(v.r.Context(), c, m, v.out)
	}
}

// malformed refuses a body that the strict reader refused.
func (v *visit) malformed(body []byte, err error) {
	var f *mcpwire.Fault
	c, ok := v.caller(nil)
	if !ok {
		return
	}
	if !errors.As(err, &f) {
		v.fault(err)
		return
	}
	v.up.engine.Malformed(v.r.Context(), c, body, f, v.out)
}

// fault answers what the wire itself refuses.
func (v *visit) fault(err error) {
	var f *mcpwire.Fault
	if !errors.As(err, &f) {
		f = &mcpwire.Fault{Status: http.StatusBadRequest, Code: mcpwire.CodeInvalidRequest, Message: "the message was not understood"}
	}
	v.refuse(f)
}

func (v *visit) refuse(f *mcpwire.Fault) { _ = v.out.Answer(f.Status, nil, f.Answer()) }

// caller tells who sends a message. The session must be one of this subject's,
// at this upstream, in this kind of run; any other is as unknown as one that
// never was. Modern requests have none, whatever their headers say.
func (v *visit) caller(m *mcpwire.Message) (engine.Caller, bool) {
	c := engine.Caller{
		Subject: v.subject, Run: v.run(v.up, v.subject, v.readOnly), Door: toolverdict.DoorMCPHTTP, Header: http.Header{},
	}
	for name, values := range v.r.Header {
		if mcpwire.ForwardedHeader(name) {
			c.Header[name] = values
		}
	}
	if v.modern {
		return c, true
	}
	ids := v.r.Header.Values(mcpwire.HeaderSession)
	if len(ids) == 0 {
		return c, true
	}
	session, err := v.sessions.OpenSame(ids[0], v.owner()...)
	if err != nil || len(ids) > 1 {
		v.refuse(&mcpwire.Fault{Status: http.StatusNotFound, Code: mcpwire.CodeSessionUnknown, ID: idOf(m),
			Message: "there is no such session: initialize a new one"})
		return c, false
	}
	c.Session = string(session)
	return c, true
}

func idOf(m *mcpwire.Message) mcpwire.Node {
	if m == nil || m.Kind() != mcpwire.Request {
		return mcpwire.Node{}
	}
	return m.ID()
}

// sealSession returns the id that the client gets for a session, always the same
// one: clients compare. A modern request has none.
func (v *visit) sealSession(id string) string {
	if v.modern {
		return ""
	}
	return v.sessions.SealSame([]byte(id), v.owner()...)
}

// owner is what a session is bound to.
func (v *visit) owner() []string {
	run := "full"
	if v.readOnly {
		run = "read-only"
	}
	return []string{v.up.Name, v.subject.ID, v.subject.User, v.subject.Agent, run}
}
