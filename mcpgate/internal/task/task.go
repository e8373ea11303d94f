// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package task binds the ids of tasks to who may use them. To an upstream, all
// callers of the gate are one, and whoever names a task may read it, feed it and
// end it. So a client gets ids that are sealed for its subject, and the upstream
// gets its own back. An id that was not sealed for the caller reaches the
// upstream as one that names nothing, and the upstream says so in its own words.
package task

import (
	"bytes"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/mcpgate/internal/seal"
)

const (
	member  = "taskId"
	waiting = "waits for an approval"
)

// Binder seals and opens ids. It is safe for concurrent use.
type Binder struct {
	Sealer *seal.Sealer
	// Lists says that ids in the upstream's lists of tasks are sealed too: only
	// for an upstream that tells the gate's callers apart. Elsewhere a list would
	// hand everybody's tasks to everybody.
	Lists bool
}

// Waiting returns the id of a task that is a call which waits for an approval.
// There is one for each.
func (b *Binder) Waiting(approval string, owner ...string) string {
	return b.Sealer.SealSame([]byte(approval), append(slices.Clip(owner), waiting)...)
}

// Approval returns the approval that such a task waits for. Ids of an upstream's
// tasks never open as one, nor the other way round.
func (b *Binder) Approval(id string, owner ...string) (approval string, ok bool) {
	text, err := b.Sealer.OpenSame(id, append(slices.Clip(owner), waiting)...)
	return string(text), err == nil
}

// Out returns a server's message with its task ids sealed for the owner. Those
// in the server's own requests name the client's tasks, and stay.
func (b *Binder) Out(message []byte, owner ...string) []byte {
	if !bytes.Contains(message, []byte(member)) {
		return message
	}
	m, err := mcpwire.ParseServer(message)
	if err != nil {
		return message
	}
	places := []mcpwire.Node{m.Meta().Lookup(mcpwire.MetaRelatedTask, member)}
	switch m.Kind() {
	case mcpwire.Response:
		places = append(places, m.Result().Get(member), m.Result().Lookup("task", member))
		for _, item := range m.Result().Get("tasks").Items() {
			if b.Lists {
				places = append(places, item.Get(member))
			}
		}
	case mcpwire.Notification:
		places = append(places, m.Params().Get(member))
	case mcpwire.Request:
	}
	var edits []canon.Edit
	for _, n := range places {
		if n.Kind() == canon.KindString {
			edits = append(edits, mcpwire.Replace(n, canon.Quote(b.Sealer.SealSame([]byte(n.Text()), owner...))))
		}
	}
	out, err := m.Edited(edits...)
	if err != nil {
		return message
	}
	return out.Bytes()
}

// In returns a client's message with the upstream's own ids in it. In _meta an id
// is only a label: one that is not the gate's stays, and means nothing.
func (b *Binder) In(m *mcpwire.Message, owner ...string) (*mcpwire.Message, error) {
	var edits []canon.Edit
	if m.Kind() == mcpwire.Request && strings.HasPrefix(m.Method(), "tasks/") {
		if n := m.Params().Get(member); n.Exists() {
			edits = append(edits, mcpwire.Replace(n, canon.Quote(b.own(n, owner))))
		}
	}
	if n := m.Meta().Lookup(mcpwire.MetaRelatedTask, member); n.Exists() {
		if id, err := b.Sealer.OpenSame(n.Text(), owner...); err == nil {
			edits = append(edits, mcpwire.Replace(n, canon.Quote(string(id))))
		}
	}
	return m.Edited(edits...)
}

// own returns the upstream's id that a client means. What was not sealed for
// this owner becomes a text that nobody can choose, and so no task's id.
func (b *Binder) own(n mcpwire.Node, owner []string) string {
	if id, err := b.Sealer.OpenSame(n.Text(), owner...); err == nil {
		return string(id)
	}
	return b.Sealer.SealSame(n.Bytes(), append(slices.Clip(owner), "foreign")...)
}
