// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package ladder

import (
	"strconv"
	"time"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// TaskExtension is the name of the extension by which calls become tasks.
const TaskExtension = "io.modelcontextprotocol/tasks"

// Words for how a task stands.
const (
	Working   = "working"
	Completed = "completed"
	Cancelled = "cancelled"
)

// How often a client should come, and how long after the question's end it may
// count on an answer.
const (
	pollEvery = 2 * time.Second
	keptFor   = 24 * time.Hour
)

// Task is a call that waits for a person, as a client may come back for it.
type Task struct {
	ID             string
	Status         string
	Message        string
	Created, Until time.Time // when the question was asked, and when it ends
	Updated        time.Time
	Result         []byte // of one that is completed
}

// Start is the answer to a call that becomes a task.
func (t *Task) Start() []byte { return t.answer("task") }

// Standing is the answer to a client that comes back.
func (t *Task) Standing() []byte { return t.answer("complete") }

func (t *Task) answer(kind string) []byte {
	b := append([]byte(`{"resultType":`), canon.Quote(kind)...)
	b = append(append(b, `,"taskId":`...), canon.Quote(t.ID)...)
	b = append(append(b, `,"status":`...), canon.Quote(t.Status)...)
	if t.Message != "" {
		b = append(append(b, `,"statusMessage":`...), canon.Quote(plain.Line(t.Message))...)
	}
	b = append(append(b, `,"createdAt":`...), canon.Quote(stamp(t.Created))...)
	b = append(append(b, `,"lastUpdatedAt":`...), canon.Quote(stamp(t.Updated))...)
	b = strconv.AppendInt(append(b, `,"ttlMs":`...), (t.Until.Sub(t.Created) + keptFor).Milliseconds(), 10)
	b = strconv.AppendInt(append(b, `,"pollIntervalMs":`...), pollEvery.Milliseconds(), 10)
	if t.Result != nil {
		b = append(append(b, `,"result":`...), t.Result...)
	}
	return append(b, '}')
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// Acknowledged is the answer to what only has to be taken.
func Acknowledged() []byte { return []byte(`{"resultType":"complete"}`) }

// NoTasks tells a client what it must be able to do.
func NoTasks() []byte {
	return []byte(`{"requiredCapabilities":{"extensions":{"` + TaskExtension + `":{}}}}`)
}

// Announced has a server's answer to server/discover say that calls may become
// tasks: a client that reads there that none do would not take one.
func Announced(answer *mcpwire.Message) *mcpwire.Message {
	capabilities := answer.Result().Get("capabilities")
	extensions := capabilities.Get("extensions")
	with := func(object mcpwire.Node, name, value string) *mcpwire.Message {
		out, err := answer.Edited(mcpwire.SetMember(object, name, []byte(value)))
		if err != nil {
			return answer
		}
		return out
	}
	switch {
	case capabilities.Kind() != canon.KindObject:
		return answer
	case !extensions.Exists():
		return with(capabilities, "extensions", `{"`+TaskExtension+`":{}}`)
	case extensions.Kind() == canon.KindObject && !extensions.Get(TaskExtension).Exists():
		return with(extensions, TaskExtension, `{}`)
	}
	return answer
}

// ForServer makes the request that a task is sent to its server as: the client
// asks for no more by then, so it says that it can do nothing else, and whatever
// answers comes in one piece.
func ForServer(came *mcpwire.Message, tool string, arguments []byte) (*mcpwire.Message, error) {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), came.ID().Bytes()...)
	b = append(append(b, `,"method":"tools/call","params":{"name":`...), canon.Quote(tool)...)
	b = append(append(b, `,"arguments":`...), arguments...)
	b = append(append(b, `,"_meta":{`...), canon.Quote(mcpwire.MetaVersion)...)
	b = append(append(b, ':'), canon.Quote(came.Version())...)
	if info := came.Meta().Get(mcpwire.MetaClientInfo); info.Exists() {
		b = append(append(append(append(b, ','), canon.Quote(mcpwire.MetaClientInfo)...), ':'), info.Bytes()...)
	}
	b = append(append(b, ','), canon.Quote(mcpwire.MetaCapabilities)...)
	return mcpwire.ParseClient(append(b, `:{}}}}`...), canon.Limits{})
}
