// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package nethttp

import (
	"net/http"
	"unicode/utf8"

	tv "github.com/toolverdict/toolverdict"
)

// answer is what a handler answers, kept until it is known to be told. It is the
// handler's [http.ResponseWriter].
type answer struct {
	Code   int         `json:"status"`
	Fields http.Header `json:"header,omitempty"`
	Body   body        `json:"body,omitempty"`

	sent http.Header // as the header stood when it was written
}

// body is a text where it can be one, so that secrets in it are found.
type body []byte

// wire is the form of a body in JSON.
type wire struct {
	Text  string `json:"text,omitempty"`
	Bytes []byte `json:"bytes,omitempty"`
}

func newAnswer() *answer { return &answer{Fields: http.Header{}} }

func (a *answer) status() int {
	if a.Code == 0 {
		return http.StatusOK
	}
	return a.Code
}

// Header implements [http.ResponseWriter].
func (a *answer) Header() http.Header { return a.Fields }

// WriteHeader implements [http.ResponseWriter].
func (a *answer) WriteHeader(status int) {
	if a.Code == 0 && status >= http.StatusOK {
		a.Code, a.sent = status, a.Fields.Clone()
	}
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	a.Body = append(a.Body, b...)
	return len(b), nil
}

// write hands an answer on. Its length may have changed.
func (a *answer) write(w http.ResponseWriter) {
	fields := a.sent
	if fields == nil {
		fields = a.Fields
	}
	for name, values := range fields {
		if name != "Content-Length" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(a.status())
	_, _ = w.Write(a.Body)
}

// statusOf is the status of a refusal. None is a success.
func statusOf(c tv.Code) int {
	switch c {
	case tv.MalformedCall, tv.InvalidInput:
		return http.StatusBadRequest
	case tv.UnknownTool, tv.ToolNotAllowed, tv.PermissionDenied, tv.PolicyDenied, tv.SessionFrozen:
		return http.StatusForbidden
	case tv.RateLimited:
		return http.StatusTooManyRequests
	case tv.ConfirmationRequired:
		return http.StatusPreconditionRequired
	case tv.ConfirmationInvalid, tv.InProgress:
		return http.StatusConflict
	case tv.GateUnavailable:
		return http.StatusServiceUnavailable
	case tv.ToolTimeout:
		return http.StatusGatewayTimeout
	default:
		return http.StatusInternalServerError
	}
}

// form is how a body goes into JSON.
func (b body) form() wire {
	if utf8.Valid(b) {
		return wire{Text: string(b)}
	}
	return wire{Bytes: b}
}
