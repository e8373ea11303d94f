// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package grants

import (
	"encoding/json"
	"fmt"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/policy"
)

// class is a compiled condition over the calls of one tool.
type class struct {
	tool *tv.Tool
	set  *policy.Set
}

// compile reads a condition as that of an allow rule about the tool, the only
// rule there is: whatever policies make of values, lists and what is not known,
// a class makes of them.
func compile(tool *tv.Tool, when json.RawMessage) (*class, error) {
	covers := "*"
	if strings.Contains(tool.Name(), "/@") {
		covers = "*/@*"
	}
	content, err := json.Marshal(map[string]any{
		"policy": "grant", "version": "v1", "default": "deny",
		"rules": []any{map[string]any{"id": "grant", "verdict": "allow", "reason": "granted", "tools": covers, "when": when}},
	})
	if err != nil {
		return nil, fmt.Errorf("compile grant: %w", err)
	}
	set, _, err := policy.Compile([]policy.File{{Name: "grant.json", Content: content}}, alone{tool}, policy.Options{})
	if err != nil {
		return nil, fmt.Errorf("compile grant: %w", err)
	}
	return &class{tool, set}, nil
}

// holds reports whether a call surely is in the class.
func (c *class) holds(r tv.Request) bool {
	return r.Tool == c.tool && c.set.Decide(r).Verdict == tv.Allow
}

// alone is a catalog of one tool.
type alone struct{ tool *tv.Tool }

// Tool implements [tv.Catalog].
func (a alone) Tool(name string) (*tv.Tool, bool) { return a.tool, name == a.tool.Name() }

// Tools implements [tv.Catalog].
func (a alone) Tools() []*tv.Tool { return []*tv.Tool{a.tool} }
