// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hookgate

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Agent names a coding agent. It is also the server of its built-in tools.
type Agent string

// Agents.
const (
	ClaudeCode Agent = "claude-code"
	Codex      Agent = "codex"
	Gemini     Agent = "gemini"
	Copilot    Agent = "copilot"
	Qwen       Agent = "qwen"
	Cursor     Agent = "cursor"
	OpenCode   Agent = "opencode"
	Cline      Agent = "cline"
)

// Agents returns all of them.
func Agents() []Agent {
	return []Agent{ClaudeCode, Codex, Gemini, Copilot, Qwen, Cursor, OpenCode, Cline}
}

// Named finds an agent.
func Named(name string) (Agent, bool) {
	return Agent(name), slices.Contains(Agents(), Agent(name))
}

// MovesAlone reports whether the agent goes on asking the hook after the folder of
// its session was moved away. The others then run every call unasked.
func (a Agent) MovesAlone() bool { return a == ClaudeCode }

// ReadsWhatFailed reports whether the agent takes a denial from a hook that ended with
// an exit code. Cline is told by the denial alone: that code is no denial to it.
func (a Agent) ReadsWhatFailed() bool { return a != Cline }

// maxReason is the longest text of a denial, in bytes.
const maxReason = 1000

// NoObjection is the answer of a gate that leaves the call to the agent's own
// rules.
func NoObjection() []byte { return []byte("{}") }

// Denial is the agent's own answer that stops the tool. The text is shown to the
// model: it must hold no secret. Of an agent that is not known, it is the form
// that most read.
func Denial(a Agent, text string) []byte {
	b, err := json.Marshal(denial(a, reason(text)))
	if err != nil { // texts always marshal
		return []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"refused"}}`)
	}
	return b
}

func denial(a Agent, text string) any {
	switch a {
	case Gemini:
		return geminiDenial{Decision: deny, Reason: text}
	case Copilot:
		return copilotDenial{Decision: deny, Reason: text}
	case Cursor:
		return cursorDenial{Permission: deny, UserMessage: text, AgentMessage: text}
	case OpenCode:
		return opencodeDenial{Decision: deny, Reason: text}
	case Cline:
		return clineDenial{Cancel: true, Message: text}
	case ClaudeCode, Codex, Qwen:
	}
	return claudeDenial{claudeOutput{Event: claudeBefore, Decision: deny, Reason: text}}
}

// deny is the only verdict that is ever written.
const deny = "deny"

// reason makes a text fit for a denial: one line, never empty, because agents take
// a denial without a reason for none.
func reason(text string) string {
	text = strings.TrimSpace(plain.Line(text))
	if text == "" {
		return "Toolverdict refused the call."
	}
	if len(text) <= maxReason {
		return text
	}
	return plain.Cut(text, maxReason-len("…"))
}

// Objects reports whether an answer is exactly a denial of the agent; ok is false
// of what is none of the two answers.
func Objects(a Agent, answer []byte) (objects, ok bool) {
	v, err := canon.ParseObject(answer, canon.Limits{})
	if err != nil {
		return false, false
	}
	if v.Len() == 0 {
		return false, true
	}
	text := said(v)
	same := text != "" && bytes.Equal(bytes.TrimSpace(answer), Denial(a, text))
	return same, same
}

// Said is the text of a denial, "" of any other answer.
func Said(a Agent, answer []byte) string {
	if objects, _ := Objects(a, answer); !objects {
		return ""
	}
	v, err := canon.ParseObject(answer, canon.Limits{})
	if err != nil {
		return ""
	}
	return said(v)
}

func said(v canon.Value) string {
	for _, at := range []string{"/hookSpecificOutput/permissionDecisionReason", "/reason", "/permissionDecisionReason", "/agent_message", "/errorMessage"} {
		if text, given := v.Pointer(at); given && text.Kind() == canon.KindString {
			return text.Text()
		}
	}
	return ""
}
