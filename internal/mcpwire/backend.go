// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpwire

import (
	"context"
	"errors"
	"net/http"
)

// Backend is one upstream MCP server, whatever its transport and era. It
// decides nothing: what reaches it was parsed, checked against its headers and
// decided before. It is safe for concurrent use.
//
// Every stream it returns ends when the ctx of the call that opened it ends.
type Backend interface {
	// Exchange sends one client message (request, notification or response) and
	// returns the upstream's answer. It returns as soon as status and form of
	// the answer are known; messages follow from [Reply.Next]. What was not
	// accepted by the upstream's transport is still a Reply (status 4xx); an
	// error means that there is no answer: it wraps ErrNotSent where it is
	// certain that not one byte of the message reached the server, ErrNoSession
	// where the session is unknown, ErrRefused where the server would not take it;
	// otherwise the message may have arrived.
	//
	// When ctx ends before the answer is complete, a backend without streams of
	// its own tells the server (notifications/cancelled).
	Exchange(ctx context.Context, m Outbound) (*Reply, error)

	// Listen opens the legacy stream of server messages (HTTP GET), or resumes a
	// stream where LastEventID is set. A transport without one returns
	// ErrNoStream; an unknown session is ErrNoSession.
	Listen(ctx context.Context, c Caller, lastEventID string) (*Reply, error)

	// End ends a legacy session (HTTP DELETE). The Reply has no messages.
	End(ctx context.Context, c Caller) (*Reply, error)

	// Close ends every session and stream and frees what the backend holds.
	Close() error
}

// Errors that a Backend's errors wrap.
var (
	// ErrNotSent says that nothing of the message can have reached the server:
	// running it again is safe.
	ErrNotSent = errors.New("nothing was sent")
	// ErrRefused says that the server's transport took the message and refused
	// it as a whole, before any tool: its credentials, its address.
	ErrRefused = errors.New("the server refused the message")
	// ErrNoSession says that the session is not (or no longer) known.
	ErrNoSession = errors.New("no such session")
	// ErrNoStream says that the upstream offers no stream of its own.
	ErrNoStream = errors.New("no stream")
	// ErrBusy says that a limit on sessions, children or streams is reached. It
	// goes together with ErrNotSent.
	ErrBusy = errors.New("too many sessions")
)

// Caller is on whose behalf a message goes to an upstream. All of it comes from
// the host or was checked by it.
type Caller struct {
	// Principal is the authenticated subject. Nothing may ever be shared between
	// principals that could carry one's messages to the other.
	Principal string
	// Session is the legacy session as the upstream named it, "" for none: the
	// front has already checked that it belongs to the principal.
	Session string
	// Header holds the MCP headers of the client's request: those that
	// ForwardedHeader accepts, never credentials. They were checked against the
	// body. Nil for a stdio client.
	Header http.Header
}

// GatePrincipal is the gate itself as a caller: it lists tools and runs calls
// whose front door has no connection of its own. No subject can have this name.
const GatePrincipal = "@gate"

// Outbound is one client message on its way to an upstream.
type Outbound struct {
	Caller
	Message *Message
}

// Reply is the upstream's answer to one message. Exactly one goroutine reads
// it, and must Close it.
type Reply struct {
	// Status is the HTTP status: 200 for an answer with messages, 202 for an
	// accepted notification or response, 4xx and 5xx for what the upstream or
	// its transport refused. A backend without HTTP uses [HTTPStatus].
	Status int
	// Header holds what may be passed on to an HTTP client: Content-Type, and
	// Mcp-Session-Id where the message opened a session. Never nil.
	Header http.Header
	// Stream says that the answer is a stream of messages (text/event-stream).
	// Otherwise there is at most one event, the whole body.
	Stream bool
	// Body yields the messages, and frees the stream.
	Body EventReader
}

// EventReader yields the messages of one answer in order.
type EventReader interface {
	// Next blocks for the next event. io.EOF says that the server ended the
	// answer; any other error that it broke, and what was still to come is lost.
	Next() (Event, error)
	// Close frees the stream. It may be called at any time, and more than once.
	Close() error
}

// Event is one message from an upstream, with what its event stream said
// besides.
type Event struct {
	ID    string // SSE id, where HasID
	HasID bool
	Type  string // SSE event type, "" for "message"
	Retry string // SSE retry field, "" for none
	Data  []byte // one JSON-RPC message; may be empty for an event that only carries an id
	// Raw is the event block exactly as the server wrote it, with its closing
	// empty line, so that it can be passed on untouched. Nil where the backend
	// made the event. In an answer that is no stream it is nil too.
	Raw []byte
}
