// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/sample"
	"github.com/toolverdict/toolverdict/policy/internal/syntax"
)

// value is one value of a variable. The zero value is absent.
type value struct {
	json    canon.Value // of an argument, or of what the host says
	odd     bool        // what leads to the argument is of another type
	at      time.Time
	effects []toolverdict.Effect
	counts  [2]int // dispatches that a limit has counted, under the old and the new policy
}

// variable is one thing that a call can vary, with values that tell the tests of
// it apart.
type variable struct {
	field  sample.Field
	limit  string // id of a limit rule, "" for a field
	values []value
}

// lists reports whether a variable of the host is a list.
func (v *variable) lists() bool {
	return v.field.Root == "subject" && (v.name() == "roles" || v.name() == "permissions")
}

func (v *variable) name() string {
	if len(v.field.Steps) == 0 {
		return ""
	}
	return v.field.Steps[len(v.field.Steps)-1].Name
}

// fixed is when a call is decided where nothing looks at the time.
func fixed() time.Time { return time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC) }

// build makes the request in which the variables have the values, and for limit
// rules what is counted. Values that cannot be together are not ok.
func build(t *toolverdict.Tool, vars []*variable, picked []int) (r toolverdict.Request, counts map[string][2]int, ok bool) {
	r = toolverdict.Request{Tool: t, At: fixed(), Subject: toolverdict.Subject{ID: "somebody"}, Arguments: canon.Object()}
	counts = map[string][2]int{}
	args := tree{}
	for i, v := range vars {
		at := max(picked[i], 0)
		if at >= len(v.values) {
			continue
		}
		one := v.values[at]
		switch {
		case v.limit != "":
			counts[v.limit] = one.counts
		case v.field.Root == sample.Time:
			r.At = one.at
		case v.field.Root == sample.Effects:
			r.Effects = one.effects
		case v.field.Root == "args":
			if !args.put(v.field.Steps, &one) {
				return r, counts, false
			}
		default:
			host(&r, v, one.json)
		}
	}
	r.Arguments, ok = args.value()
	return r, counts, ok
}

// host sets what the host says of a call.
func host(r *toolverdict.Request, v *variable, j canon.Value) {
	text := j.Text()
	var list []string
	for _, e := range j.Items() {
		list = append(list, e.Text())
	}
	switch v.field.Root + "." + v.name() {
	case "subject.id":
		r.Subject.ID = text
	case "subject.kind":
		r.Subject.Kind = toolverdict.SubjectKind(text)
	case "subject.user":
		r.Subject.User = text
	case "subject.roles":
		r.Subject.Roles = list
	case "subject.permissions":
		r.Subject.Permissions = list
	case "subject.authenticated":
		if !j.Bool() {
			r.Subject = toolverdict.Subject{}
		}
	case "agent.id":
		r.Subject.Agent = text
	case "agent.model":
		r.Model = text
	case "session.id":
		r.Session = text
	case "run.id":
		r.Run.ID = text
	case "run.readOnly":
		r.Run.ReadOnly = j.Bool()
	default:
		if v.field.Root == "env" && !j.IsZero() {
			if r.Environment == nil {
				r.Environment = map[string]string{}
			}
			r.Environment[v.name()] = text
		}
	}
}

// tree is arguments under construction.
type tree struct {
	leaf    canon.Value
	members map[string]*tree
	items   map[int]*tree
}

// put sets the value at a path. It fails where the path leads through something
// that was set already.
func (t *tree) put(steps []syntax.Step, v *value) bool {
	if v.odd {
		return t.descend(steps[:len(steps)-1], func(at *tree) bool {
			return at.set(canon.String("x"))
		})
	}
	if v.json.IsZero() {
		return true
	}
	every := slices.IndexFunc(steps, func(s syntax.Step) bool { return s.Kind == syntax.Every })
	if every < 0 {
		return t.descend(steps, func(at *tree) bool { return at.set(v.json) })
	}
	return t.descend(steps[:every], func(at *tree) bool {
		if v.json.Kind() != canon.KindArray {
			return at.set(v.json)
		}
		if v.json.Len() == 0 && len(at.items) == 0 {
			return at.set(v.json)
		}
		for i, e := range v.json.Items() {
			if at.items == nil {
				at.items = map[int]*tree{}
			}
			if at.items[i] == nil {
				at.items[i] = &tree{}
			}
			if !at.items[i].put(steps[every+1:], &value{json: e}) && len(steps) > every+1 {
				return false
			}
		}
		return true
	})
}

func (t *tree) set(v canon.Value) bool {
	if !t.leaf.IsZero() || t.members != nil || t.items != nil {
		return false
	}
	t.leaf = v
	return true
}

func (t *tree) descend(steps []syntax.Step, last func(*tree) bool) bool {
	if len(steps) == 0 {
		return last(t)
	}
	if !t.leaf.IsZero() {
		return false
	}
	var next *tree
	if s := steps[0]; s.Kind == syntax.Member {
		if t.members == nil {
			t.members = map[string]*tree{}
		}
		if next = t.members[s.Name]; next == nil {
			next = &tree{}
			t.members[s.Name] = next
		}
	} else {
		if t.items == nil {
			t.items = map[int]*tree{}
		}
		if next = t.items[s.Index]; next == nil {
			next = &tree{}
			t.items[s.Index] = next
		}
	}
	return next.descend(steps[1:], last)
}

func (t *tree) value() (canon.Value, bool) {
	switch {
	case t.members != nil && t.items != nil:
		return canon.Value{}, false
	case t.items != nil:
		most := 0
		for i := range t.items {
			most = max(most, i+1)
		}
		if most > 1000 {
			return canon.Value{}, false
		}
		list := make([]canon.Value, most)
		for i := range list {
			list[i] = canon.Null()
			if t.items[i] != nil {
				v, ok := t.items[i].value()
				if !ok {
					return v, false
				}
				list[i] = v
			}
		}
		return canon.Array(list...), true
	case !t.leaf.IsZero():
		return t.leaf, true
	}
	members := make([]canon.Member, 0, len(t.members))
	for name, m := range t.members {
		v, ok := m.value()
		if !ok {
			return v, false
		}
		members = append(members, canon.Member{Name: name, Value: v})
	}
	slices.SortFunc(members, func(a, b canon.Member) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	out := canon.Object(members...)
	// Names that fold onto one another make a call that no rule ever sees.
	again, err := canon.Parse(out.Raw(), canon.Limits{})
	return again, err == nil
}

// example writes a request as an example in a policy.
func example(r *toolverdict.Request, counts map[string][2]int, vars []*variable, effects bool) json.RawMessage {
	looked := map[string]bool{}
	for _, v := range vars {
		looked[v.field.Root] = true
	}
	out := map[string]any{"args": json.RawMessage(r.Arguments.Raw())}
	if looked["subject"] || looked["agent"] {
		out["subject"] = r.Subject
	}
	if r.Model != "" {
		out["model"] = r.Model
	}
	if r.Session != "" {
		out["session"] = r.Session
	}
	if r.Run.ID != "" || r.Run.ReadOnly {
		out["run"] = r.Run
	}
	if len(r.Environment) > 0 {
		out["env"] = r.Environment
	}
	if looked[sample.Time] {
		out["time"] = r.At.Format(time.RFC3339)
	}
	if effects && looked[sample.Effects] {
		out["effects"] = append([]toolverdict.Effect{}, r.Effects...)
	}
	counted := map[string]string{}
	for id, n := range counts {
		if n[0]+n[1] > 0 {
			counted[id] = strconv.Itoa(max(n[0], n[1]))
		}
	}
	if len(counted) > 0 {
		out["dispatched"] = counted
	}
	b, err := json.Marshal(out)
	if err != nil {
		return json.RawMessage("{}")
	}
	return b
}
