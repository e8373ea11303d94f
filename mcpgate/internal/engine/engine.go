// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package engine takes the messages of MCP clients through the gate to an
// upstream, and the answers back. It is the same for every front and every kind
// of upstream.
//
// A passive message is forwarded as it is. One that acts is a call: it goes
// through Gate.Do, and its bytes are forwarded only by the executor that the
// gate hands a permit to. So does a method that is not known, which no catalog
// has unless the operator put it there. What the upstream sends is looked at on
// the way back: requests to the client are calls too, lists lose what the caller
// may not see.
//
// The engine decides nothing itself. Its memory holds only exchanges that are
// open at this moment; what outlives one travels with the client, sealed.
package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/plain"
	"github.com/toolverdict/toolverdict/mcpgate/internal/task"
)

// Gate is the choke point.
type Gate interface {
	Do(ctx context.Context, p toolverdict.Proposal) (toolverdict.Result, error)
	// Collect answers with what came of a call that was approved; it runs nothing.
	Collect(ctx context.Context, p toolverdict.Proposal) (toolverdict.Result, error)
	Visible(ctx context.Context, s toolverdict.Subject, r toolverdict.Run) ([]*toolverdict.Tool, error)
}

// Desk is where approvals are: an approval.Desk.
type Desk interface {
	// Get returns an approval to its caller.
	Get(ctx context.Context, by toolverdict.Subject, id string) (toolverdict.Approval, error)
	// Attestable reports whether the word of the caller's client will do.
	Attestable(a *toolverdict.Approval) bool
	// Attest takes that word.
	Attest(ctx context.Context, by toolverdict.Subject, id string) (toolverdict.Approval, error)
	// Cancel is the caller taking its question back.
	Cancel(ctx context.Context, by toolverdict.Subject, id, reason string) (toolverdict.Approval, error)
}

// Sealer seals what a client carries for the gate, so that it opens only for its
// owner.
type Sealer interface {
	Seal(text []byte, owner ...string) string
	Open(sealed string, owner ...string) ([]byte, error)
}

// Tools is what is known of tools at this moment.
type Tools interface {
	// Tool finds a tool that may be called, by its full name.
	Tool(name string) (*toolverdict.Tool, bool)
	// Quarantined says why a tool of a known server waits for review.
	Quarantined(name string) (reason string, found bool)
	// Holds reports whether a definition, as a server lists it now, is the very
	// one that was reviewed, and under which full name. A list shows no other.
	Holds(server string, definition []byte) (name string, ok bool)
}

// Redactor hides held secrets in what an upstream sends. What holds none it
// returns as it is.
type Redactor interface {
	Content(message json.RawMessage) json.RawMessage
	Text(s string) string
}

// Config holds the parts that the engines of all upstreams share. All are
// required but Desk, Changed and the last five.
type Config struct {
	Gate     Gate
	Tools    Tools
	Redactor Redactor
	State    Sealer // for the state of paused calls
	Desk     Desk   // nil: a client's word counts for nothing, and no call becomes a task
	Tasks    *task.Binder
	Now      func() time.Time
	Log      *slog.Logger
	Changed  func(server string) // told when a server says that its tools changed

	Environment map[string]string // host facts of every call
	ApprovalURL string            // address that approval ids are appended to, "" for no links
	Hold        time.Duration     // how long a call waits for its approval before it is answered
	ListTTL     time.Duration     // longest time that a list may be cached
	Patience    time.Duration     // longest wait for the answer to a passive message
}

// Engine serves one upstream. It is safe for concurrent use.
type Engine struct {
	Config

	server  string
	backend mcpwire.Backend
	open    *exchanges
	headers *headerCache
}

// New returns the engine of an upstream.
func New(c Config, server string, backend mcpwire.Backend) *Engine {
	return &Engine{Config: c, server: server, backend: backend, open: newExchanges(), headers: newHeaderCache()}
}

// Caller is who sent a message, as the front established it.
type Caller struct {
	Subject toolverdict.Subject
	Run     toolverdict.Run
	Door    toolverdict.Door
	Session string      // the upstream's own session id, already opened, or ""
	Conn    string      // the connection, where ids are only unique within one
	Header  http.Header // the client's MCP headers, checked; nil for stdio
}

// principal names the subject to a backend: two subjects that the policy tells
// apart never share one.
func (c Caller) principal() string {
	return fmt.Sprintf("%d:%s,%d:%s,%s", len(c.Subject.ID), c.Subject.ID, len(c.Subject.User), c.Subject.User, c.Subject.Agent)
}

func (c Caller) wire() mcpwire.Caller {
	return mcpwire.Caller{Principal: c.principal(), Session: c.Session, Header: c.Header}
}

// Outlet is where the answer to one message goes. It is used by one goroutine at
// a time. Errors mean that nobody listens any more.
type Outlet interface {
	// Open begins an answer that is a stream.
	Open(status int, h http.Header)
	// Send writes one event of the stream.
	Send(e mcpwire.Event) error
	// Answer writes the whole answer, or, after Open, its last event.
	Answer(status int, h http.Header, body []byte) error
}

// Handle takes one client message. It returns when the answer is complete, or
// when somebody else completes it.
func (e *Engine) Handle(ctx context.Context, c Caller, m *mcpwire.Message, out Outlet) {
	defer func() { e.recovered(m, out, recover()) }()
	sent := m
	if id, ok := e.ownTask(c, m); ok {
		e.answerTask(ctx, c, m, id, out)
		return
	}
	m, err := e.Tasks.In(sent, e.taskOwner(c)...)
	switch {
	case err != nil:
		_ = out.Answer(http.StatusBadRequest, nil, fault(sent, mcpwire.CodeInvalidParams, "The task's id is not readable."))
	case m.Method() == "tools/call":
		e.callTool(ctx, c, m, out)
	case m.Method() == "notifications/cancelled":
		e.cancelled(ctx, c, m, out)
	case mcpwire.Passive(m.Method()):
		e.pass(ctx, c, m, out)
	default:
		e.callMethod(ctx, c, m, out)
	}
}

// cancelled stops waiting for a request that the client took back. The older
// revisions have the server told so; in the modern ones, leaving tells it.
func (e *Engine) cancelled(ctx context.Context, c Caller, m *mcpwire.Message, out Outlet) {
	x := e.open.find(c, mcpwire.Key(m.Params().Get("requestId")))
	if x != nil && x.modern {
		x.cancel()
		_ = out.Answer(http.StatusAccepted, nil, nil)
		return
	}
	e.pass(ctx, c, m, out)
	if x != nil {
		x.cancel()
	}
}

// recovered answers a message that the engine broke down on. What came of a call
// is on record by then, or will be unknown.
func (e *Engine) recovered(m *mcpwire.Message, out Outlet, broken any) {
	if broken == nil {
		return
	}
	e.Log.Error("engine broke down", "server", e.server, "panic", broken, "stack", string(debug.Stack()))
	_ = out.Answer(http.StatusInternalServerError, nil, fault(m, mcpwire.CodeInternal, "The gate broke down on this message. Tell the operator."))
}

// pass forwards a message that decides nothing and relays the answer.
func (e *Engine) pass(ctx context.Context, c Caller, m *mcpwire.Message, out Outlet) {
	if m.Kind() == mcpwire.Request && m.Method() != "subscriptions/listen" {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, e.Patience)
		defer cancel()
	}
	ctx, done := e.open.track(ctx, c, m)
	defer done()
	r, err := e.backend.Exchange(ctx, mcpwire.Outbound{Caller: c.wire(), Message: m})
	if err != nil {
		e.unreachable(m, out, err)
		return
	}
	defer r.Body.Close()
	e.relay(ctx, c, m, r, out)
}

// unreachable answers what the upstream gave no answer to: a message, or, where
// that is nil, a request for a session's stream or end.
func (e *Engine) unreachable(m *mcpwire.Message, out Outlet, err error) {
	if errors.Is(err, mcpwire.ErrNoSession) {
		_ = out.Answer(http.StatusNotFound, nil, noSession(m))
		return
	}
	method := "" // of a session's stream, or its end
	if m != nil {
		method = plain.Line(m.Method())
	}
	e.Log.Warn("upstream gave no answer", "server", e.server, "method", method, "error", err)
	status, text := http.StatusBadGateway, "The upstream gave no answer. Retry later; if it persists, tell the operator."
	if errors.Is(err, mcpwire.ErrBusy) {
		status, text = http.StatusServiceUnavailable, "The gate has no room for another session of this upstream. Retry later."
	}
	_ = out.Answer(status, nil, fault(m, mcpwire.CodeUpstream, text))
}

func noSession(m *mcpwire.Message) []byte {
	return fault(m, mcpwire.CodeSessionUnknown, "There is no such session. Initialize a new one.")
}

// fault is the JSON-RPC error for a message, without an id where it has none.
func fault(m *mcpwire.Message, code int, text string) []byte {
	if m == nil || m.Kind() != mcpwire.Request {
		return mcpwire.ErrorResponse(mcpwire.Node{}, code, text, nil)
	}
	return mcpwire.ErrorResponse(m.ID(), code, text, nil)
}

// taskOwner is what the ids of tasks are bound to.
func (e *Engine) taskOwner(c Caller) []string {
	return []string{e.server, c.Subject.ID, c.Subject.User, c.Subject.Agent}
}

// outward makes a message of the upstream one that the caller may have: without
// held secrets, and with task ids of its own.
func (e *Engine) outward(c Caller, body []byte) []byte {
	return e.Tasks.Out(e.redact(body), e.taskOwner(c)...)
}

// redact hides held secrets in a body: JSON, or text for people.
func (e *Engine) redact(body []byte) []byte {
	switch {
	case len(body) == 0:
		return body
	case json.Valid(body):
		return e.Redactor.Content(body)
	}
	if s := e.Redactor.Text(string(body)); s != string(body) {
		return []byte(s)
	}
	return body
}

func (e *Engine) methodTool(method string) string { return mcpwire.MethodTool(e.server, method) }

// sessionLabel names the session in records and to limit rules. A caller without
// one shares it with all its own calls, never with another's.
func (e *Engine) sessionLabel(c Caller) string {
	if c.Session == "" {
		return "subject:" + c.Subject.ID
	}
	return fmt.Sprintf("mcp:%x", shortHash(e.server, c.Session))
}

// The table of methods. Whatever is in neither list is unknown: it is decided
// too, and so refused, unless the operator put it into the catalog.

// acting reports whether the gate knows a request that does something. It is
// decided as the pseudo tool SERVER/@METHOD.
func acting(method string) bool {
	switch method {
	case "resources/read", "resources/subscribe", "prompts/get", "completion/complete", "logging/setLevel",
		"tasks/get", "tasks/result", "tasks/list", "tasks/cancel", "tasks/update":
		return true
	}
	return false
}

// passiveFromServer reports whether a server's request only keeps the protocol
// going. Its notifications all pass; every other request is decided.
func passiveFromServer(method string) bool { return method == "ping" }
