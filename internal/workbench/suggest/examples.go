// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package suggest

import (
	"encoding/json"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/workbench/draft"
	"github.com/toolverdict/toolverdict/policy"
)

const mostExamples = 3

// examples puts calls that were seen beside a rule, and calls one step outside
// of its bounds: they are tests that every load runs.
func (w *writer) examples(r *draft.Rule, fits []*seen) error {
	set, err := w.alone(*r)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, s := range fits {
		text := string(canon.Append(nil, s.Arguments))
		if len(s.Hidden) > 0 || known[text] || len(text) > 500 {
			continue
		}
		known[text] = true
		if len(r.Match) < mostExamples {
			r.Match = append(r.Match, s.example(s.Arguments, s.effects))
		}
		if len(r.NoMatch) < mostExamples {
			r.NoMatch = append(r.NoMatch, outside(set, s)...)
		}
	}
	r.NoMatch = r.NoMatch[:min(len(r.NoMatch), mostExamples)]
	if r.Verdict == tv.Ask {
		r.NoMatch = nil // what is unknown matches a rule that asks
	}
	return nil
}

func (s *seen) example(args canon.Value, effects []tv.Effect) draft.Map {
	out := draft.One("args", draft.Value(args))
	if !s.told {
		return out
	}
	list := []any{}
	for i := range effects {
		list = append(list, effectValue(&effects[i]))
	}
	return append(out, draft.Entry{Key: "effects", Value: list})
}

// effectValue writes an effect as an example has it: what is for people is left
// out.
func effectValue(e *tv.Effect) any {
	one := *e
	one.Detail = ""
	b, err := json.Marshal(one)
	if err != nil {
		return draft.Map{}
	}
	v, err := canon.Parse(b, canon.Limits{})
	if err != nil {
		return draft.Map{}
	}
	out, _ := draft.Value(v).(draft.Map)
	if one.Query != nil && len(out) > 0 {
		for i, entry := range out {
			if entry.Key == "query" {
				out[i].Value = queryValue(one.Query)
			}
		}
	}
	return out
}

func queryValue(q *tv.Query) draft.Map {
	out := draft.Map{{Key: "verb", Value: q.Verb}, {Key: "bounded", Value: q.Bounded}}
	for _, l := range []struct {
		key  string
		list []string
	}{{"reads", q.Reads}, {"changes", q.Changes}, {"columns", q.Columns}, {"functions", q.Functions}} {
		if len(l.list) > 0 {
			out = append(out, draft.Entry{Key: l.key, Value: listOf(l.list)})
		}
	}
	return out
}

// outside makes calls that differ from one that was seen in one argument, or in
// doing something that was not understood. Those that the rule lets through are
// no examples of what it does not.
func outside(set *policy.Set, s *seen) []draft.Map {
	var out []draft.Map
	try := func(args canon.Value, effects []tv.Effect) {
		changed := *s.Call
		changed.Arguments = args
		one := &seen{Call: &changed, tool: s.tool, effects: effects, told: s.told}
		if !matches(set, one) && len(s.tool.Schema().Validate(args)) == 0 {
			out = append(out, s.example(args, effects))
		}
	}
	if s.told {
		try(s.Arguments, append(append([]tv.Effect{}, s.effects...), tv.Effect{Kind: tv.EffectOpaque}))
	}
	for name, v := range s.Arguments.Fields() {
		if other, ok := beyond(v); ok {
			try(replaced(s.Arguments, name, other), s.effects)
		}
	}
	return out
}

// beyond is a value of the same type that is likely out of bounds.
func beyond(v canon.Value) (canon.Value, bool) {
	switch v.Kind() {
	case canon.KindString:
		return canon.String("/elsewhere/" + v.Text()), true
	case canon.KindNumber:
		n, err := canon.ParseNumber("1e9")
		return n.Value(), err == nil
	case canon.KindBool:
		return canon.Bool(!v.Bool()), true
	}
	return v, false
}

func replaced(args canon.Value, name string, with canon.Value) canon.Value {
	members := args.Members()
	for i := range members {
		if members[i].Name == name {
			members[i].Value = with
		}
	}
	return canon.Object(members...)
}
