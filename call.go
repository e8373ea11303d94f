// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"time"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// Value is strictly parsed JSON: see the package canon for what is refused.
type Value = canon.Value

// Door names the front door a call came through. It is recorded, and has no
// part in any verdict.
type Door string

// Front doors.
const (
	DoorLibrary  Door = "library"
	DoorMCPStdio Door = "mcp-stdio"
	DoorMCPHTTP  Door = "mcp-http"
	DoorHTTP     Door = "http"
	DoorEnvoy    Door = "ext-authz"
)

// Doors returns the gate's own front doors. Hooks of coding agents are further ones.
func Doors() []Door { return []Door{DoorLibrary, DoorMCPStdio, DoorMCPHTTP, DoorHTTP, DoorEnvoy} }

// Proposal is one call as a front door received it. Tool and Arguments come
// from the model and are hostile; everything else comes from the host.
//
// A proposal with a Confirmation and no Tool asks to run the stored call of
// that confirmation.
type Proposal struct {
	Door      Door
	ID        string // the caller's own id for the call: recorded, never trusted to be unique
	Tool      string // full name, "server/tool", already unmangled by the front door
	Arguments []byte // the bytes the model produced: one JSON object, or a JSON string holding one

	Subject     Subject
	Model       string
	Run         Run
	Session     string
	Environment map[string]string // host facts that rules read as env.*
	Trace       string            // W3C traceparent, recorded

	Confirmation   string        // id of an approval to use
	IdempotencyKey string        // the client's key: repeats with it are one call
	Continues      string        // call id of a paused call that this one carries on (see Paused)
	Handle         string        // what another process will name this call by when it tells the outcome: see [Handle]; "" means that none will
	Wait           time.Duration // how long to hold the call open while a human decides; 0 answers at once

	// Via dispatches this call in place of the gate's own executor, for front
	// doors whose upstream connection belongs to the caller. It is given the
	// same permit. Nil means the gate's own.
	Via Executor
}

// Call is a decoded proposal: what is decided, approved, recorded and run.
type Call struct {
	ID          string // the gate's own, unique
	CallerID    string
	Door        Door
	Tool        string
	Arguments   Value
	Bytes       []byte // the validated bytes that Arguments was read from
	Subject     Subject
	Model       string
	Run         Run
	Session     string
	Environment map[string]string
	Trace       string
	At          time.Time

	// Files are the digests of files that the call would run, by path: a yes to a
	// script is a yes to what it said then.
	Files map[string]string
}

// StoredCall is a call as an approval keeps it, so that what was approved is
// what runs, also after a restart.
type StoredCall struct {
	Tool        string            `json:"tool"`
	Arguments   []byte            `json:"arguments"`
	Subject     Subject           `json:"subject"`
	Model       string            `json:"model,omitempty"`
	Run         Run               `json:"run"`
	Session     string            `json:"session,omitempty"`
	Environment map[string]string `json:"environment,omitempty"`
}

// Store returns the call in the form an approval keeps.
func (c *Call) Store() StoredCall {
	return StoredCall{
		Tool: c.Tool, Arguments: c.Bytes, Subject: c.Subject, Model: c.Model,
		Run: c.Run, Session: c.Session, Environment: c.Environment,
	}
}
