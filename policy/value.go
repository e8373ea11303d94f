// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"time"

	"github.com/toolverdict/toolverdict/policy/internal/predicate"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// field is one compiled field. Equal fields are one field.
type field struct {
	syntax.Field
	id     int
	source predicate.Source
	fan    bool // holds [*]
	list   bool // a list of the host
	zone   *time.Location
}

// read fills an empty value with a field that yields one.
func (f *field) read(e *eval, v *predicate.Value) {
	switch s := f.source; {
	case s == predicate.FromArguments:
		v.Descend(e.req.Arguments, f.Steps)
	case s == predicate.FromEnvironment:
		if text, ok := e.req.Environment[f.Steps[0].Name]; ok {
			v.SetText(text)
		}
	case s >= predicate.TimeNow:
		if !e.req.At.IsZero() {
			s.ReadTime(e.req.At, f.zone, v)
		}
	case s >= predicate.SubjectID:
		s.ReadCaller(&e.req, v)
	case s >= predicate.ToolName:
		s.ReadTool(predicate.Tool{Name: e.facts.name, Server: e.facts.server, Definition: &e.facts.def}, v)
	}
}
