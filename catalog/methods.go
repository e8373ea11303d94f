// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"encoding/json"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// method is a request of MCP, other than tools/call, that acts: it reads what
// the server keeps, hands something to it, or asks something of the client's
// side. Each is decided like a tool, under the name SERVER/@METHOD.
type method struct {
	name       string
	safety     toolverdict.Safety
	summary    string
	properties string // of its parameters
}

// methods is the table. Requests that are not in it (ping, initialize,
// server/discover, the lists, notifications) change nothing and show only names;
// they are not decided. Giving input to a task and ending one change what runs,
// so they are destructive; everything else reads.
func methods() []method {
	const (
		uri  = `"uri":{"type":"string"}`
		task = `"taskId":{"type":"string"}`
		read = toolverdict.ReadOnly
	)
	return []method{
		{"resources/read", read, "Read the resource {uri}", uri},
		{"resources/subscribe", read, "Watch the resource {uri}", uri},
		{"prompts/get", read, "Fetch the prompt {name}", `"name":{"type":"string"},"arguments":{"type":"object"}`},
		{"completion/complete", read, "Complete an argument", `"ref":{"type":"object"},"argument":{"type":"object"},"context":{"type":"object"}`},
		{"sampling/createMessage", read, "Let the server use the client's model", `"messages":{"type":"array"},"systemPrompt":{"type":"string"},"maxTokens":{"type":"number"}`},
		{"elicitation/create", read, "Let the server ask the user: {message}", `"mode":{"type":"string"},"message":{"type":"string"},"url":{"type":"string"},"requestedSchema":{"type":"object"}`},
		{"roots/list", read, "Tell the server the client's folders", ""},
		{"tasks/get", read, "Read the state of a task", task},
		{"tasks/result", read, "Fetch the result of a task", task},
		{"tasks/list", read, "List tasks", `"cursor":{"type":"string"}`},
		{"tasks/update", toolverdict.Destructive, "Give input to a task", task},
		{"tasks/cancel", toolverdict.Destructive, "Cancel a task", task},
		{"logging/setLevel", read, "Set the level of the server's log messages", `"level":{"type":"string"}`},
	}
}

// MethodTool returns the full name under which a method of a server is decided.
func MethodTool(server, method string) string { return server + "/@" + method }

// IsMethod reports whether a full name, or a pattern, is about methods.
func IsMethod(full string) bool { return strings.Contains(full, "/@") }

// definition of a method. It is low risk and open: rules say who may use it,
// and an overlay may tighten it.
func (m method) definition(server string) toolverdict.Definition {
	return toolverdict.Definition{
		Name: MethodTool(server, m.name), Server: server, Title: m.name, Description: m.summary,
		InputSchema: json.RawMessage(`{"properties":{` + m.properties + `},"type":"object"}`),
		Safety:      m.safety, Risk: toolverdict.LowRisk, Confirmation: toolverdict.ConfirmByRisk,
		Execution: toolverdict.Parallel, Summary: m.summary,
	}
}

// otherMethod is a method that MCP does not have but the operator let through.
// Nothing is known of it, so it counts as destructive.
func otherMethod(name string) method {
	return method{name, toolverdict.Destructive, "Call the method " + plain.Text(name), ""}
}
