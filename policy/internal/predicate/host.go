// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package predicate

import (
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// Source is where a field's value comes from, found once at load.
type Source uint8

// Sources. What comes from the host is in the order tool, caller, time.
const (
	Nowhere Source = iota // always absent
	FromArguments
	FromEnvironment
	ToolName
	ToolServer
	ToolSafety
	ToolRisk
	ToolPermission
	ToolConfirmation
	ToolExecution
	ToolGroups
	SubjectID
	SubjectKind
	SubjectUser
	SubjectRoles
	SubjectPermissions
	SubjectAuthenticated
	AgentID
	AgentModel
	SessionID
	RunID
	RunReadOnly
	TimeNow
	TimeDate
	TimeClock
	TimeHour
	TimeMinute
	TimeWeekday
)

// SourceOf finds the source of a field of the host by root and name.
func SourceOf(f *syntax.Field) Source {
	names := [...]string{
		ToolName: "tool.name", ToolServer: "tool.server", ToolSafety: "tool.safety", ToolRisk: "tool.risk",
		ToolPermission: "tool.permission", ToolConfirmation: "tool.confirmation", ToolExecution: "tool.execution", ToolGroups: "tool.groups",
		SubjectID: "subject.id", SubjectKind: "subject.kind", SubjectUser: "subject.user", SubjectRoles: "subject.roles",
		SubjectPermissions: "subject.permissions", SubjectAuthenticated: "subject.authenticated",
		AgentID: "agent.id", AgentModel: "agent.model", SessionID: "session.id", RunID: "run.id", RunReadOnly: "run.readOnly",
		TimeNow: "time.now", TimeDate: "time.date", TimeClock: "time.clock", TimeHour: "time.hour", TimeMinute: "time.minute", TimeWeekday: "time.weekday",
	}
	switch f.Root {
	case "args":
		return FromArguments
	case "env":
		return FromEnvironment
	}
	for s, name := range names {
		if name == f.Root+"."+f.Steps[0].Name {
			return Source(s)
		}
	}
	return Nowhere
}

// Tool is what the host says of a tool.
type Tool struct {
	Name, Server string
	Definition   *toolverdict.Definition
}

// IsList reports whether the source is a list of texts.
func (s Source) IsList() bool { return s == ToolGroups || s == SubjectRoles || s == SubjectPermissions }

// ReadTool fills an empty value with a fact of a tool.
func (s Source) ReadTool(t Tool, v *Value) {
	switch s {
	case ToolName:
		v.SetHost(t.Name)
	case ToolServer:
		v.SetHost(t.Server)
	case ToolSafety:
		v.SetHost(string(t.Definition.Safety))
	case ToolRisk:
		v.SetHost(string(t.Definition.Risk))
	case ToolPermission:
		v.SetHost(t.Definition.Permission)
	case ToolConfirmation:
		v.SetHost(string(t.Definition.Confirmation))
	case ToolExecution:
		v.SetHost(string(t.Definition.Execution))
	case ToolGroups:
		v.Kind, v.List = Texts, t.Definition.Groups
	default:
	}
}

// ReadCaller fills an empty value with what is known of who calls.
func (s Source) ReadCaller(r *toolverdict.Request, v *Value) {
	switch s {
	case SubjectID:
		v.SetHost(r.Subject.ID)
	case SubjectKind:
		v.SetHost(string(r.Subject.Kind))
	case SubjectUser:
		v.SetHost(r.Subject.User)
	case SubjectRoles:
		v.Kind, v.List = Texts, r.Subject.Roles
	case SubjectPermissions:
		v.Kind, v.List = Texts, r.Subject.Permissions
	case SubjectAuthenticated:
		v.Kind, v.Truth = Boolean, r.Subject.Authenticated()
	case AgentID:
		v.SetHost(r.Subject.Acting())
	case AgentModel:
		v.SetHost(r.Model)
	case SessionID:
		v.SetHost(r.Session)
	case RunID:
		v.SetHost(r.Run.ID)
	case RunReadOnly:
		v.Kind, v.Truth = Boolean, r.Run.ReadOnly
	default:
	}
}

// ReadTime fills an empty value with the time as it is in a zone.
func (s Source) ReadTime(at time.Time, zone *time.Location, v *Value) {
	at, v.Zone = at.In(zone), zone
	switch s {
	case TimeNow:
		v.Kind, v.Form = Moment, Instant
	case TimeDate:
		v.Kind, v.Form = Moment, Date
	case TimeClock:
		v.Kind, v.Form = Moment, Clock
	case TimeHour:
		v.Kind, v.N = Whole, int64(at.Hour())
	case TimeMinute:
		v.Kind, v.N = Whole, int64(at.Minute())
	case TimeWeekday:
		v.SetText(weekdays()[at.Weekday()])
	default:
	}
}

func weekdays() [7]string { return [7]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"} }
