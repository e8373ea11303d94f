// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package syntax

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/policy/internal/layout"
)

// policyOrder and casesOrder are the orders of keys in which files are laid out.
func policyOrder() layout.Order {
	return layout.Order{
		File: []string{"policy", "version", "description", "default", "unsafeDefaultAllow", "timezone", "define", "rules"},
		Entries: map[string][]string{"rules": {
			"id", "description", "tags", "verdict", "reason", "tools", "when", "unless", "limit", "ask", "match", "noMatch",
		}},
	}
}

func casesOrder() layout.Order {
	return layout.Order{
		File:    []string{"description", "policies", "catalogs", "servers", "context", "cases"},
		Entries: map[string][]string{"cases": append([]string{"name", "tool", "args"}, "effects", "as", "subject", "session", "run", "model", "env", "time", "counts", "want")},
	}
}

// Format lays a policy, or a file of tests, out anew. A file that does not parse
// is not touched, nor is one of which the new layout would say something else,
// or lose a comment.
func Format(name string, content []byte) ([]byte, Problems) {
	order, parse := policyOrder(), parsesAsPolicy
	if isCases(content) {
		order, parse = casesOrder(), parsesAsCases
	}
	if problems := parse(name, content); len(problems) > 0 {
		return nil, problems
	}
	refuse := func(why string) Problems {
		return Problems{{Pos: Pos{File: name, Line: 1, Column: 1}, Message: why, Hint: "format it by hand"}}
	}
	var out []byte
	if strings.HasSuffix(strings.ToLower(name), ".json") {
		var indented bytes.Buffer
		if json.Indent(&indented, bytes.TrimSpace(content), "", "  ") != nil {
			return nil, refuse("the file cannot be laid out")
		}
		out = append(indented.Bytes(), '\n')
	} else {
		var err error
		if out, err = layout.Format(content, order); err != nil {
			return nil, refuse("the file cannot be laid out")
		}
		before, after := layout.Comments(content), layout.Comments(out)
		slices.Sort(before)
		slices.Sort(after)
		if !slices.Equal(before, after) {
			return nil, refuse("a comment stands where the layout has no place for it")
		}
	}
	if !bytes.Equal(meaning(name, content), meaning(name, out)) {
		return nil, refuse("the file would say something else in the usual layout")
	}
	return out, nil
}

func parsesAsPolicy(name string, content []byte) Problems {
	_, problems := Parse(name, content)
	return problems
}

func parsesAsCases(name string, content []byte) Problems {
	_, problems := ParseCases(name, content)
	return problems
}

// isCases reports whether a file is one of tests: it has cases where a policy
// has rules.
func isCases(content []byte) bool {
	r := reader{file: "a.yaml"}
	root := r.read(content)
	return root != nil && root.kind == object && slices.ContainsFunc(root.keys, func(k *node) bool { return k.text == "cases" })
}

// meaning is what a file says, whatever it looks like: canonical JSON. Nil is
// equal to nothing that parses.
func meaning(name string, content []byte) []byte {
	r := reader{file: name}
	root := r.read(content)
	if root == nil {
		return nil
	}
	v, err := canon.Parse(root.appendJSON(nil), canon.Limits{MaxBytes: canon.HardMaxBytes, MaxDepth: 2 * maxDepth, AllowFoldedSiblings: true})
	if err != nil {
		return nil
	}
	return canon.Append(nil, v)
}
