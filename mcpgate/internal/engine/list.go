// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"context"
	"strconv"
	"unicode/utf8"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/plain"
	"github.com/toolverdict/toolverdict/mcpgate/internal/ladder"
)

// filtered returns the answer to a passive request as the caller may see it.
// What it leaves out could not be called either: the gate decides that by
// itself.
func (e *Engine) filtered(ctx context.Context, c Caller, m, answer *mcpwire.Message) []byte {
	array := listed(m.Method())
	switch {
	case !answer.Result().Exists():
		return answer.Bytes()
	case m.Method() == "server/discover" && e.Desk != nil:
		return ladder.Announced(readable(answer)).Bytes()
	case m.Method() == "initialize" || m.Method() == "server/discover":
		return readable(answer).Bytes()
	case array == "":
		return answer.Bytes()
	}
	wanted, err := e.visible(ctx, c, m.Method())
	if err != nil {
		e.Log.Error("filter list", "server", e.server, "error", err)
		return fault(m, mcpwire.CodeRefused, "The gate could not tell which of these the caller may see, so none is listed. Retry later.")
	}
	out := answer
	if items := answer.Result().Get(array); items.Kind() == canon.KindArray {
		if edit, changed := mcpwire.KeepItems(items, wanted); changed {
			if out, err = answer.Edited(edit); err != nil {
				return fault(m, mcpwire.CodeUpstream, "The upstream's list could not be filtered, so it is not shown.")
			}
		}
	}
	return e.hinted(m, readable(out))
}

// listed is the member that holds the items of a list, "" for any other method.
func listed(method string) string {
	switch method {
	case "tools/list":
		return "tools"
	case "prompts/list":
		return "prompts"
	case "resources/list":
		return "resources"
	case "resources/templates/list":
		return "resourceTemplates"
	}
	return ""
}

// readable takes out of titles, descriptions and instructions what a person would
// not see and a model would read: invisible characters, and what turns text
// round or drives a terminal. Everything else stays as it is.
func readable(m *mcpwire.Message) *mcpwire.Message {
	b := m.Result().Bytes()
	if !bytes.Contains(b, []byte(`\u`)) && !bytes.ContainsFunc(b, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return m
	}
	edits := plainEdits(m.Result(), nil, maxPlainDepth)
	if len(edits) == 0 {
		return m
	}
	out, err := m.Edited(edits...)
	if err != nil {
		return m
	}
	return out
}

// maxPlainDepth bounds how deep a definition is searched for texts.
const maxPlainDepth = 64

func plainEdits(n mcpwire.Node, edits []canon.Edit, depth int) []canon.Edit {
	if depth == 0 {
		return edits
	}
	for _, item := range n.Items() {
		edits = plainEdits(item, edits, depth-1)
	}
	for name, member := range n.Members() {
		switch name {
		case "default", "const", "enum", "examples":
			continue // values, not texts about them
		case "title", "description", "instructions":
			if text := member.Text(); plain.Text(text) != text {
				edits = append(edits, mcpwire.Replace(member, canon.Quote(plain.Text(text))))
			}
		}
		edits = plainEdits(member, edits, depth-1)
	}
	return edits
}

// visible returns what of a list the caller may see.
func (e *Engine) visible(ctx context.Context, c Caller, method string) (func(mcpwire.Node) bool, error) {
	tools, err := e.Gate.Visible(ctx, c.Subject, c.Run)
	if err != nil {
		return nil, err
	}
	names := make(map[string]bool, len(tools))
	for _, t := range tools {
		if t.Server() == e.server {
			names[t.Name()] = true
		}
	}
	use := map[string]string{
		"prompts/list": "prompts/get", "resources/list": "resources/read", "resources/templates/list": "resources/read",
	}[method]
	if use != "" {
		usable := names[e.methodTool(use)]
		return func(mcpwire.Node) bool { return usable }, nil
	}
	return func(tool mcpwire.Node) bool { return e.shown(names, tool) }, nil
}

// shown reports whether a tool is listed: it may be seen, and is defined as it
// was when it was reviewed.
func (e *Engine) shown(names map[string]bool, tool mcpwire.Node) bool {
	name := tool.Get("name").Text()
	if !names[e.server+"/"+name] || mcpwire.IsMethod(name) {
		return false
	}
	if full, ok := e.Tools.Holds(e.server, tool.Bytes()); ok && full == e.server+"/"+name {
		return true
	}
	e.Log.Warn("left a tool out of a list: its definition is not the reviewed one", "server", e.server, "tool", plain.Line(name))
	if e.Changed != nil {
		e.Changed(e.server)
	}
	return false
}

// hinted takes care that nobody shows one caller's list to another, or keeps it
// for longer than the policy is.
func (e *Engine) hinted(request, m *mcpwire.Message) []byte {
	out := m
	if ttl := m.Result().Get("ttlMs"); ttl.Exists() && e.ListTTL > 0 {
		limit := e.ListTTL.Milliseconds()
		if n, err := strconv.ParseInt(string(ttl.Bytes()), 10, 64); err != nil || n > limit {
			out = edited(out, mcpwire.Replace(ttl, strconv.AppendInt(nil, limit, 10)))
		}
	}
	if request.Modern() && !m.Result().Get("cacheScope").Exists() {
		return edited(out, mcpwire.SetMember(out.Result(), "cacheScope", []byte(`"private"`))).Bytes()
	}
	return private(out, "")
}

// private makes a cacheable answer one for this caller only. An answer without
// a hint is of a revision that has none, or of a kind that is not cached.
func private(m *mcpwire.Message, method string) []byte {
	scope := m.Result().Get("cacheScope")
	if method != "" && method != "resources/read" || !scope.Exists() || scope.Text() == "private" {
		return m.Bytes()
	}
	return edited(m, mcpwire.Replace(scope, []byte(`"private"`))).Bytes()
}

// edited applies an edit that is known to fit.
func edited(m *mcpwire.Message, e canon.Edit) *mcpwire.Message {
	if out, err := m.Edited(e); err == nil {
		return out
	}
	return m
}
