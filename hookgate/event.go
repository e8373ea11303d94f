// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookgate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// Phase says whether the tool still has to run.
type Phase string

// Phases.
const (
	Before Phase = "before"
	After  Phase = "after"
)

// Event is what an agent told its hook. Tool and Arguments come from the model.
type Event struct {
	Phase     Phase
	Tool      string // full name: the agent's own tool, or SERVER/TOOL of an MCP server
	Arguments []byte // as the agent sent them: one JSON object, or a JSON string holding one
	Call      string // the agent's id of the call; without one, a digest of the call (see Synthetic)
	Synthetic bool
	Session   string
	Subagent  Subagent
	Folder    string // where the tool starts, absolute; "" where the agent does not say
	Home      string // the folder of the session, absolute; "" where the agent does not say
	Model     string
	Failed    bool // after: the tool reported an error
	Again     bool // before: an earlier event of the agent may have told of the same call already
}

// Subagent is who of the agent's own helpers called, where it says.
type Subagent struct{ ID, Type string }

// MaxInput is the longest input of a hook, in bytes.
const MaxInput = 8 << 20

// maxDepth leaves room around arguments that are just within their limit.
const maxDepth = 128

// Read reads what an agent told its hook. Members that are not known are passed
// over; those that are read must be of their type. An input that another agent
// wrote is an error: it would read the answer in its own way.
func Read(a Agent, input []byte) (Event, error) {
	if len(input) > MaxInput {
		return Event{}, fmt.Errorf("read the input of the hook: it is larger than %d bytes", MaxInput)
	}
	v, err := canon.ParseObject(input, canon.Limits{MaxBytes: MaxInput, MaxDepth: maxDepth})
	if err != nil {
		return Event{}, fmt.Errorf("read the input of the hook: it is no plain JSON object: %v", err)
	}
	if from := caller(v); from != a {
		return Event{}, mismatch(a, from)
	}
	in := &members{v: v}
	var e Event
	switch a {
	case ClaudeCode, Codex, Qwen:
		e = readClaude(a, in)
	case Gemini:
		e = readGemini(in)
	case Copilot:
		e = readCopilot(in)
	case Cursor:
		e = readCursor(in)
	case OpenCode:
		e = readOpenCode(in)
	case Cline:
		e = readCline(in)
	default:
		in.fail("the agent is not known")
	}
	if in.err == nil && e.Session == "" {
		in.fail("no session is named")
	}
	if in.err != nil {
		return Event{}, fmt.Errorf("read the input of the hook: %w", in.err)
	}
	if e.Call == "" {
		e.Call, e.Synthetic = synthetic(&e), true
	}
	return e, nil
}

// caller tells by the form of the input which agent wrote it, "" where none did.
func caller(v canon.Value) Agent {
	has := func(names ...string) bool {
		for _, name := range names {
			if _, ok := v.Get(name); !ok {
				return false
			}
		}
		return true
	}
	event, _ := v.Get("hook_event_name")
	named := event.Kind() == canon.KindString
	switch {
	case has("cursor_version"), has("conversation_id", "generation_id"):
		return Cursor
	case has("hookName", "taskId"):
		return Cline
	case has("sessionID", "callID"):
		return OpenCode
	case has("toolName") && !named:
		return Copilot
	case named && (event.Text() == geminiBefore || event.Text() == geminiAfter):
		return Gemini
	case named && has("turn_id"):
		return Codex
	case named && has("timestamp"):
		return Qwen
	case named:
		return ClaudeCode
	}
	return ""
}

func mismatch(a, from Agent) error {
	if from == "" {
		return fmt.Errorf("read the input of the hook: it is not in the form of %s", a)
	}
	return fmt.Errorf("read the input of the hook: it is in the form of %s, and the hook was set up for %s: use 'toolverdict hook %s' there", from, a, from)
}

// synthetic is an id for a call without one. Two calls at once that are the same
// in everything share it: what came of the one is then told of either.
func synthetic(e *Event) string {
	arguments, err := canon.ParseArguments(e.Arguments, canon.Limits{MaxBytes: MaxInput, MaxDepth: maxDepth})
	text := e.Arguments
	if err == nil {
		text = canon.Append(nil, arguments)
	}
	sum := sha256.Sum256(append(append([]byte(e.Tool), '\n'), text...))
	return synthesised + hex.EncodeToString(sum[:16])
}

const synthesised = "same:"

// IsSynthetic reports whether the id of a call is a digest, for want of the agent's own.
func IsSynthetic(call string) bool { return strings.HasPrefix(call, synthesised) }

// members reads typed members and keeps the first thing that is wrong.
type members struct {
	v   canon.Value
	err error
}

func (m *members) fail(text string) {
	if m.err == nil {
		m.err = errors.New(text)
	}
}

// text reads a text; left out or null it is "".
func (m *members) text(name string) string {
	v, ok := m.v.Get(name)
	if !ok || v.Kind() == canon.KindNull {
		return ""
	}
	if v.Kind() != canon.KindString {
		m.fail(fmt.Sprintf("%s must be text", name))
		return ""
	}
	return v.Text()
}

// needed reads a text that must be there.
func (m *members) needed(name string) string {
	s := m.text(name)
	if s == "" {
		m.fail(fmt.Sprintf("%s is missing", name))
	}
	return s
}

// folder reads an absolute folder; any other is not known.
func (m *members) folder(name string) string {
	if s := m.text(name); path.IsAbs(s) {
		return path.Clean(s)
	}
	return ""
}

// arguments reads an object as the bytes that were sent.
func (m *members) arguments(name string) []byte {
	v, ok := m.v.Get(name)
	if !ok || v.Kind() != canon.KindObject {
		m.fail(fmt.Sprintf("%s must be an object", name))
		return nil
	}
	return v.Raw()
}

// argumentsOrText is the same for agents that may write the object as text.
func (m *members) argumentsOrText(name string) []byte {
	if v, ok := m.v.Get(name); ok && v.Kind() == canon.KindString {
		return v.Raw()
	}
	return m.arguments(name)
}
