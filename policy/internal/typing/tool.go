// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package typing

import "github.com/toolverdict/toolverdict"

// Tool is a tool that is known. It is not safe for concurrent use.
type Tool struct {
	Name       string // server/tool
	Definition toolverdict.Definition
	Schema     toolverdict.Schema

	tree *Field
	read bool
}

// Arguments returns what the tool's arguments can be, nil where nothing is
// known.
func (t *Tool) Arguments() *Field {
	if !t.read {
		t.tree, t.read = Arguments(t.Schema, t.Definition.InputSchema), true
	}
	return t.tree
}
