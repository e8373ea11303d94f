// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpwire

import (
	"fmt"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// clear refuses what a server sent where the gate and the client could read it
// differently. A result may hold any JSON, but where the gate acts on a member,
// a second one of that name, or of a name that some programs take for the same,
// would be what the client acts on.
func (m *Message) clear() error {
	for _, part := range []Node{m.result, m.err, m.params} {
		if folds(part) {
			return fmt.Errorf("read message: a member is there twice, or in two spellings")
		}
	}
	if asks := m.result.Get("inputRequests"); asks.Exists() {
		if err := clearAsks(asks, m.result.Get("resultType").Text()); err != nil {
			return err
		}
	}
	for _, list := range []string{"tools", "prompts", "resources", "resourceTemplates"} {
		for _, item := range m.result.Get(list).Items() {
			if folds(item) || repeats(item, maxListDepth) {
				return fmt.Errorf("read message: an entry of %s has a member twice", list)
			}
		}
	}
	return nil
}

// clearAsks looks at what a server asks of the client in the middle of a call.
func clearAsks(asks Node, resultType string) error {
	if asks.Kind() != canon.KindObject || folds(asks) || resultType != "input_required" {
		return fmt.Errorf("read message: inputRequests is not what the protocol has")
	}
	for _, ask := range asks.Members() {
		params := ask.Get("params")
		if ask.Kind() != canon.KindObject || folds(ask) || ask.Get("method").Text() == "" || folds(params) || repeats(params, maxListDepth) {
			return fmt.Errorf("read message: one of inputRequests is not what the protocol has")
		}
	}
	return nil
}

// maxListDepth bounds how deep a definition is searched.
const maxListDepth = 128

// folds reports whether two members of an object have one name, or names that
// fold onto each other.
func folds(object Node) bool {
	seen := map[string]bool{}
	for name := range object.Members() {
		folded := canon.Fold(name)
		if seen[folded] {
			return true
		}
		seen[folded] = true
	}
	return false
}

// repeats reports whether an object at any depth has a member twice. What is
// nested too deep to look at counts as one.
func repeats(n Node, depth int) bool {
	if depth == 0 {
		return true
	}
	seen := map[string]bool{}
	for name, member := range n.Members() {
		if seen[name] || repeats(member, depth-1) {
			return true
		}
		seen[name] = true
	}
	for _, item := range n.Items() {
		if repeats(item, depth-1) {
			return true
		}
	}
	return false
}
