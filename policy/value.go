// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"strings"
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
	n     int64 // whole; of a moment, its match.MomentKind
	text  string
	json  canon.Value // number, array, object
	list  []string
	zone  *time.Location
}

func jsonValue(v canon.Value) value {
	switch v.Kind() {
	case canon.KindNull:
		return value{kind: null}
	case canon.KindBool:
		return value{kind: boolean, truth: v.Bool()}
	case canon.KindNumber:
		return value{kind: number, json: v}
	case canon.KindString:
		return value{kind: text, text: v.Text()}
	case canon.KindArray:
		return value{kind: array, json: v}
	case canon.KindObject:
		return value{kind: object, json: v}
	case canon.KindInvalid:
	}
	return value{}
}

// hostText is a text that the host fills; an empty one is not there.
func hostText(s string) value {
	if s == "" {
		return value{}
	}
	return value{kind: text, text: s}
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

// field is one compiled field. Equal fields are one field.
type field struct {
	syntax.Field
	id   int
	fan  bool // holds [*]
	list bool // a list of the host
	zone *time.Location
}

// get reads a field that yields one value.
func (f *field) get(e *eval) value {
	switch f.Root {
	case "args":
		return descend(e.req.Arguments, f.Steps)
	case "env":
		v, ok := e.req.Environment[f.Steps[0].Name]
		if !ok {
			return value{}
		}
		return value{kind: text, text: v}
	case "tool":
		return f.ofTool(e)
	case "time":
		return f.ofTime(e.req.At)
	}
	return f.ofCaller(e.req)
}

func descend(v canon.Value, steps []syntax.Step) value {
	for i := range steps {
		next, k := step(v, &steps[i])
		if k != object {
			return value{kind: k}
		}
		v = next
	}
	return jsonValue(v)
}

// step takes one step. The kind is object where it led somewhere, else absent
// or odd: nothing is inside of null, and what is inside of a value of another
// type cannot be told.
func step(v canon.Value, s *syntax.Step) (canon.Value, kind) {
	var next canon.Value
	found := false
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

func (f *field) ofTool(e *eval) value {
	t := e.facts
	switch f.Steps[0].Name {
	case "name":
		return hostText(t.name)
	case "server":
		return hostText(t.server)
	case "safety":
		return hostText(string(t.def.Safety))
	case "risk":
		return hostText(string(t.def.Risk))
	case "permission":
		return hostText(t.def.Permission)
	case "confirmation":
		return hostText(string(t.def.Confirmation))
	case "execution":
		return hostText(string(t.def.Execution))
	case "groups":
		return value{kind: texts, list: t.def.Groups}
	}
	return value{}
}

func (f *field) ofCaller(r *toolverdict.Request) value {
	name := f.Steps[0].Name
	switch f.Root {
	case "agent":
		if name == "model" {
			return hostText(r.Model)
		}
		return hostText(agentOf(&r.Subject))
	case "session":
		return hostText(r.Session)
	case "run":
		if name == "readOnly" {
			return value{kind: boolean, truth: r.Run.ReadOnly}
		}
		return hostText(r.Run.ID)
	}
	switch name {
	case "id":
		return hostText(r.Subject.ID)
	case "kind":
		return hostText(string(r.Subject.Kind))
	case "user":
		return hostText(r.Subject.User)
	case "roles":
		return value{kind: texts, list: r.Subject.Roles}
	case "permissions":
		return value{kind: texts, list: r.Subject.Permissions}
	case "authenticated":
		return value{kind: boolean, truth: r.Subject.Authenticated()}
	}
	return value{}
}

// agentOf names the agent that acts: the one the host named, or a subject that
// is an agent itself.
func agentOf(s *toolverdict.Subject) string {
	if s.Agent == "" && s.Kind == toolverdict.Agent {
		return s.ID
	}
	return s.Agent
}

func (f *field) ofTime(at time.Time) value {
	if at.IsZero() {
		return value{}
	}
	at = at.In(f.zone)
	switch f.Steps[0].Name {
	case "now":
		return value{kind: moment, n: int64(match.Instant), zone: f.zone}
	case "date":
		return value{kind: moment, n: int64(match.Date), zone: f.zone}
	case "clock":
		return value{kind: moment, n: int64(match.Clock), zone: f.zone}
	case "hour":
		return value{kind: whole, n: int64(at.Hour())}
	case "minute":
		return value{kind: whole, n: int64(at.Minute())}
	case "weekday":
		return value{kind: text, text: strings.ToLower(at.Weekday().String()[:3])}
	}
	return value{}
}

// moment reads a time of the host, or one written in an argument.
func (v *value) moment(at time.Time) match.Moment {
	if v.kind == text {
		return match.ParseMoment(v.text)
	}
	switch at = at.In(v.zone); match.MomentKind(v.n) {
	case match.Date:
		return match.DateOf(at)
	case match.Clock:
		return match.ClockOf(at)
	default:
		return match.InstantOf(at)
	}
}
