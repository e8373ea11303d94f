// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpwire

import (
	"errors"
	"net/http"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// Codes of JSON-RPC and of MCP.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
	CodeHeaderMismatch = -32020
	CodeNoCapability   = -32021
	CodeVersion        = -32022
	CodeNeedsURL       = -32042
	CodeRefused        = 4001 // ours, outside every reserved range: a decision of the gate
	CodeTooLarge       = 4013 // ours: the message is larger than the gate takes
	CodeUpstream       = 4502 // ours: the upstream gave no usable answer
	CodeSessionUnknown = -32001
)

// Fault is a message that the wire itself refuses, in a form that can be
// answered. It never quotes what was sent.
type Fault struct {
	Status  int    // HTTP status of the answer
	Code    int    // JSON-RPC error code
	ID      Node   // of the request, absent where it is not known
	Message string // what was wrong and what to send instead
	Data    []byte // JSON for error.data, or nil
}

// Error implements error.
func (f *Fault) Error() string { return "read message: " + f.Message }

// Answer returns the JSON-RPC error response, with id null where it is unknown.
func (f *Fault) Answer() []byte { return ErrorResponse(f.ID, f.Code, f.Message, f.Data) }

func invalid(id Node, message string) *Fault {
	return &Fault{Status: http.StatusBadRequest, Code: CodeInvalidRequest, ID: id, Message: message}
}

// unreadable is the fault for bytes that are not strict JSON.
func unreadable(err error) *Fault {
	f := &Fault{Status: http.StatusBadRequest, Code: CodeParse, Message: err.Error()}
	var syntax *canon.SyntaxError
	if errors.As(err, &syntax) && syntax.Reason == canon.ReasonTooLarge {
		f.Status, f.Code = http.StatusRequestEntityTooLarge, CodeTooLarge
	}
	return f
}
