// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/predicate"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// source is where a field's value comes from, found once at load.
type source uint8

const (
	nowhere source = iota // always absent
	fromArgs
	fromEnv
	toolName
	toolServer
	toolSafety
	toolRisk
	toolPermission
	toolConfirmation
	toolExecution
	toolGroups
	subjectID
	subjectKind
	subjectUser
	subjectRoles
	subjectPermissions
	subjectAuthenticated
	agentID
	agentModel
	sessionID
	runID
	runReadOnly
	timeNow
	timeDate
	timeClock
	timeHour
	timeMinute
	timeWeekday
)

// sourceOf finds the source of a field of the host by root and name.
func sourceOf(f *syntax.Field) source {
	names := [...]string{
		toolName: "tool.name", toolServer: "tool.server", toolSafety: "tool.safety", toolRisk: "tool.risk",
		toolPermission: "tool.permission", toolConfirmation: "tool.confirmation", toolExecution: "tool.execution", toolGroups: "tool.groups",
		subjectID: "subject.id", subjectKind: "subject.kind", subjectUser: "subject.user", subjectRoles: "subject.roles",
		subjectPermissions: "subject.permissions", subjectAuthenticated: "subject.authenticated",
		agentID: "agent.id", agentModel: "agent.model", sessionID: "session.id", runID: "run.id", runReadOnly: "run.readOnly",
		timeNow: "time.now", timeDate: "time.date", timeClock: "time.clock", timeHour: "time.hour", timeMinute: "time.minute", timeWeekday: "time.weekday",
	}
	switch f.Root {
	case "args":
		return fromArgs
	case "env":
		return fromEnv
	}
	for s, name := range names {
		if name == f.Root+"."+f.Steps[0].Name {
			return source(s)
		}
	}
	return nowhere
}

// field is one compiled field. Equal fields are one field.
type field struct {
	syntax.Field
	id     int
	source source
	fan    bool // holds [*]
	list   bool // a list of the host
	zone   *time.Location
}

// read fills an empty value with a field that yields one.
func (f *field) read(e *eval, v *predicate.Value) {
	switch s := f.source; {
	case s == fromArgs:
		v.Descend(e.req.Arguments, f.Steps)
	case s == fromEnv:
		if text, ok := e.req.Environment[f.Steps[0].Name]; ok {
			v.SetText(text)
		}
	case s >= timeNow:
		if !e.req.At.IsZero() {
			f.readTime(e.req.At.In(f.zone), v)
		}
	case s >= subjectID:
		f.readCaller(&e.req, v)
	case s >= toolName:
		f.readTool(e.facts, v)
	}
}

func (f *field) readTool(t *facts, v *predicate.Value) {
	switch f.source {
	case toolName:
		v.SetHost(t.name)
	case toolServer:
		v.SetHost(t.server)
	case toolSafety:
		v.SetHost(string(t.def.Safety))
	case toolRisk:
		v.SetHost(string(t.def.Risk))
	case toolPermission:
		v.SetHost(t.def.Permission)
	case toolConfirmation:
		v.SetHost(string(t.def.Confirmation))
	case toolExecution:
		v.SetHost(string(t.def.Execution))
	case toolGroups:
		v.Kind, v.List = predicate.Texts, t.def.Groups
	default:
	}
}

func (f *field) readCaller(r *toolverdict.Request, v *predicate.Value) {
	switch f.source {
	case subjectID:
		v.SetHost(r.Subject.ID)
	case subjectKind:
		v.SetHost(string(r.Subject.Kind))
	case subjectUser:
		v.SetHost(r.Subject.User)
	case subjectRoles:
		v.Kind, v.List = predicate.Texts, r.Subject.Roles
	case subjectPermissions:
		v.Kind, v.List = predicate.Texts, r.Subject.Permissions
	case subjectAuthenticated:
		v.Kind, v.Truth = predicate.Boolean, r.Subject.Authenticated()
	case agentID:
		v.SetHost(r.Subject.Acting())
	case agentModel:
		v.SetHost(r.Model)
	case sessionID:
		v.SetHost(r.Session)
	case runID:
		v.SetHost(r.Run.ID)
	case runReadOnly:
		v.Kind, v.Truth = predicate.Boolean, r.Run.ReadOnly
	default:
	}
}

func (f *field) readTime(at time.Time, v *predicate.Value) {
	v.Zone = f.zone
	switch f.source {
	case timeNow:
		v.Kind, v.Form = predicate.Moment, predicate.Instant
	case timeDate:
		v.Kind, v.Form = predicate.Moment, predicate.Date
	case timeClock:
		v.Kind, v.Form = predicate.Moment, predicate.Clock
	case timeHour:
		v.Kind, v.N = predicate.Whole, int64(at.Hour())
	case timeMinute:
		v.Kind, v.N = predicate.Whole, int64(at.Minute())
	case timeWeekday:
		v.SetText(weekdays()[at.Weekday()])
	default:
	}
}

func weekdays() [7]string { return [7]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"} }
