// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// completed adds what the tool's schema requires beside the arguments that the
// rules look at. A call that the schema still refuses reaches no rule.
func completed(t *toolverdict.Tool, args canon.Value) (canon.Value, bool) {
	if len(t.Schema().Validate(args)) == 0 {
		return args, true
	}
	var s property
	if json.Unmarshal(t.Definition().InputSchema, &s) != nil {
		return args, false
	}
	filled := s.fill(args, 0)
	return filled, len(t.Schema().Validate(filled)) == 0
}

// property is what is read of a schema to make a value that it accepts. Where
// that is not enough, the value is refused in the end, and no witness.
type property struct {
	Type       any                  `json:"type"`
	Enum       []json.RawMessage    `json:"enum"`
	Const      json.RawMessage      `json:"const"`
	Minimum    json.RawMessage      `json:"minimum"`
	MinLength  int                  `json:"minLength"`
	MinItems   int                  `json:"minItems"`
	Items      *property            `json:"items"`
	Required   []string             `json:"required"`
	Properties map[string]*property `json:"properties"`
	Examples   []json.RawMessage    `json:"examples"`
}

const maxFilled = 8 // levels

func (p *property) fill(v canon.Value, depth int) canon.Value {
	members := v.Members()
	for _, name := range p.Required {
		if _, there := v.Get(name); !there {
			members = append(members, canon.Member{Name: name, Value: p.Properties[name].some(depth)})
		}
	}
	return canon.Object(members...)
}

// some makes a value of the property.
func (p *property) some(depth int) canon.Value {
	if p == nil || depth > maxFilled {
		return canon.String("x")
	}
	for _, given := range append(append([]json.RawMessage{p.Const}, p.Enum...), p.Examples...) {
		if v, err := canon.Parse(given, canon.Limits{}); err == nil {
			return v
		}
	}
	kind, _ := p.Type.(string)
	if list, ok := p.Type.([]any); ok && len(list) > 0 {
		kind, _ = list[0].(string)
	}
	switch kind {
	case "integer", "number":
		if v, err := canon.Parse(p.Minimum, canon.Limits{}); err == nil {
			return v
		}
		return canon.Int(1)
	case "boolean":
		return canon.Bool(true)
	case "array":
		return repeated(p.Items.some(depth+1), min(p.MinItems, 100))
	case "object":
		return p.fill(canon.Object(), depth+1)
	case "null":
		return canon.Null()
	}
	text := []byte("x")
	for len(text) < min(p.MinLength, 1000) {
		text = append(text, 'x')
	}
	return canon.String(string(text))
}
