// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"time"
	"unicode/utf8"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/match"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// kind is the type of a value that a rule looks at.
type kind uint8

const (
	absent kind = iota
	odd         // on the way to it stands something of another type
	null
	boolean
	number
	text
	array
	object
	whole  // an integer of the host
	moment // a time of the host
	texts  // a list of the host
)

// value is what a field of a request holds.
type value struct {
	kind  kind
	truth bool
	form  match.MomentKind // of a moment
	n     int64            // whole
	text  string
	json  canon.Value // number, array, object
	list  []string
	zone  *time.Location
}

// setJSON fills an empty value.
func (v *value) setJSON(j canon.Value) {
	switch j.Kind() {
	case canon.KindNull:
		v.kind = null
	case canon.KindBool:
		v.kind, v.truth = boolean, j.Bool()
	case canon.KindNumber:
		v.kind, v.json = number, j
	case canon.KindString:
		v.setText(j.Text())
	case canon.KindArray:
		v.kind, v.json = array, j
	case canon.KindObject:
		v.kind, v.json = object, j
	case canon.KindInvalid:
	}
}

func (v *value) setText(s string) { v.kind, v.text = text, s }

// setHost fills an empty value with a text of the host; an empty one is not
// there.
func (v *value) setHost(s string) {
	if s != "" {
		v.setText(s)
	}
}

func (v *value) number() canon.Number {
	if v.kind == whole {
		return canon.IntNumber(v.n)
	}
	return v.json.Number()
}

// size is what the operator length counts: characters, elements or members.
func (v *value) size() (int, bool) {
	switch v.kind {
	case text:
		return utf8.RuneCountInString(v.text), true
	case array, object:
		return v.json.Len(), true
	case texts:
		return len(v.list), true
	default:
		return 0, false
	}
}

// is reports whether the value is of a JSON type.
func (v *value) is(typeName string) bool {
	switch v.kind {
	case null:
		return typeName == "null"
	case boolean:
		return typeName == "boolean"
	case number, whole:
		return typeName == "number" || typeName == "integer" && v.number().IsInteger()
	case text, moment:
		return typeName == "string"
	case array, texts:
		return typeName == "array"
	case object:
		return typeName == "object"
	default:
		return false
	}
}

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

// read gets a field that yields one value.
func (f *field) read(e *eval, v *value) {
	*v = value{}
	switch s := f.source; {
	case s == fromArgs:
		descend(e.req.Arguments, f.Steps, v)
	case s == fromEnv:
		if text, ok := e.req.Environment[f.Steps[0].Name]; ok {
			v.setText(text)
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

func descend(from canon.Value, steps []syntax.Step, v *value) {
	for i := range steps {
		next, k := step(from, &steps[i])
		if k != object {
			v.kind = k
			return
		}
		from = next
	}
	v.setJSON(from)
}

// step takes one step. The kind is object where it led somewhere, else absent
// or odd: nothing is inside of null, and what is inside of a value of another
// type cannot be told.
func step(v canon.Value, s *syntax.Step) (canon.Value, kind) {
	var next canon.Value
	var found bool
	switch k := v.Kind(); {
	case k == canon.KindInvalid || k == canon.KindNull:
		return next, absent
	case k == canon.KindObject && s.Kind == syntax.Member:
		next, found = v.Get(s.Name)
	case k == canon.KindArray && s.Kind == syntax.Index:
		next, found = v.Index(s.Index)
	default:
		return next, odd
	}
	if !found {
		return next, absent
	}
	return next, object
}

func (f *field) readTool(t *facts, v *value) {
	switch f.source {
	case toolName:
		v.setHost(t.name)
	case toolServer:
		v.setHost(t.server)
	case toolSafety:
		v.setHost(string(t.def.Safety))
	case toolRisk:
		v.setHost(string(t.def.Risk))
	case toolPermission:
		v.setHost(t.def.Permission)
	case toolConfirmation:
		v.setHost(string(t.def.Confirmation))
	case toolExecution:
		v.setHost(string(t.def.Execution))
	case toolGroups:
		v.kind, v.list = texts, t.def.Groups
	default:
	}
}

func (f *field) readCaller(r *toolverdict.Request, v *value) {
	switch f.source {
	case subjectID:
		v.setHost(r.Subject.ID)
	case subjectKind:
		v.setHost(string(r.Subject.Kind))
	case subjectUser:
		v.setHost(r.Subject.User)
	case subjectRoles:
		v.kind, v.list = texts, r.Subject.Roles
	case subjectPermissions:
		v.kind, v.list = texts, r.Subject.Permissions
	case subjectAuthenticated:
		v.kind, v.truth = boolean, r.Subject.Authenticated()
	case agentID:
		v.setHost(agentOf(&r.Subject))
	case agentModel:
		v.setHost(r.Model)
	case sessionID:
		v.setHost(r.Session)
	case runID:
		v.setHost(r.Run.ID)
	case runReadOnly:
		v.kind, v.truth = boolean, r.Run.ReadOnly
	default:
	}
}

// agentOf names the agent that acts: the one the host named, or a subject that
// is an agent itself.
func agentOf(s *toolverdict.Subject) string {
	if s.Agent == "" && s.Kind == toolverdict.Agent {
		return s.ID
	}
	return s.Agent
}

func (f *field) readTime(at time.Time, v *value) {
	v.zone = f.zone
	switch f.source {
	case timeNow:
		v.kind, v.form = moment, match.Instant
	case timeDate:
		v.kind, v.form = moment, match.Date
	case timeClock:
		v.kind, v.form = moment, match.Clock
	case timeHour:
		v.kind, v.n = whole, int64(at.Hour())
	case timeMinute:
		v.kind, v.n = whole, int64(at.Minute())
	case timeWeekday:
		v.setText(weekdays()[at.Weekday()])
	default:
	}
}

func weekdays() [7]string { return [7]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"} }

// moment reads a time of the host, or one written in an argument.
func (v *value) moment(at time.Time) match.Moment {
	if v.kind == text {
		return match.ParseMoment(v.text)
	}
	switch at = at.In(v.zone); v.form {
	case match.Date:
		return match.DateOf(at)
	case match.Clock:
		return match.ClockOf(at)
	default:
		return match.InstantOf(at)
	}
}
