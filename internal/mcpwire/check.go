// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpwire

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// checkClient refuses what a client's message must not hold, whatever it asks
// for: names inside params and _meta that only look like one of the protocol's,
// and methods in the wrong kind of message, which some servers run all the same.
func (m *Message) checkClient() error {
	if m.kind == Response {
		return nil
	}
	if (m.kind == Notification) != strings.HasPrefix(m.method, "notifications/") {
		return invalid(m.id, "this method is not sent in this kind of message: requests have an id, notifications have none")
	}
	params, _ := m.value.Get("params")
	for name := range params.Fields() {
		if exact := paramName(canon.Fold(name)); exact != "" && exact != name {
			return invalid(m.id, "a member of params is spelt so that two programs could read it differently")
		}
	}
	return m.checkMeta(params)
}

func (m *Message) checkMeta(params canon.Value) error {
	meta, found := params.Get("_meta")
	if !found {
		return nil
	}
	if meta.Kind() != canon.KindObject {
		return invalid(m.id, "params._meta must be an object")
	}
	for name := range meta.Fields() {
		if exact := metaName(canon.Fold(name)); exact != "" && exact != name {
			return invalid(m.id, "a member of params._meta is spelt so that two programs could read it differently")
		}
	}
	return m.checkToken(m.params.Get("_meta").Get(MetaProgress))
}

func (m *Message) checkToken(token Node) error {
	ok := !token.Exists() || token.Kind() == canon.KindString || token.Kind() == canon.KindNumber && Integer(token)
	if !ok {
		return invalid(m.id, "progressToken must be a string, or an integer of at most 53 bits")
	}
	return nil
}

// paramName returns the name that the protocol gives a member of params, by its
// folded form, or "".
func paramName(folded string) string {
	switch folded {
	case "name", "arguments", "uri", "_meta", "cursor", "task", "ref", "argument", "context", "level", "capabilities", "reason", "progress", "total", "message", "messages", "temperature", "metadata", "tools", "mode", "url", "notifications", "roots":
		return folded
	case "requeststate":
		return "requestState"
	case "inputresponses":
		return "inputResponses"
	case "taskid":
		return "taskId"
	case "protocolversion":
		return "protocolVersion"
	case "clientinfo":
		return "clientInfo"
	case "progresstoken":
		return "progressToken"
	case "requestid":
		return "requestId"
	case "modelpreferences":
		return "modelPreferences"
	case "systemprompt":
		return "systemPrompt"
	case "includecontext":
		return "includeContext"
	case "maxtokens":
		return "maxTokens"
	case "stopsequences":
		return "stopSequences"
	case "toolchoice":
		return "toolChoice"
	case "requestedschema":
		return "requestedSchema"
	case "elicitationid":
		return "elicitationId"
	}
	return ""
}

// metaName is paramName for members of _meta.
func metaName(folded string) string {
	switch folded {
	case "io.modelcontextprotocol/related-task", "traceparent", "tracestate", "baggage":
		return folded
	case "progresstoken":
		return MetaProgress
	case "io.modelcontextprotocol/protocolversion":
		return MetaVersion
	case "io.modelcontextprotocol/clientinfo":
		return MetaClientInfo
	case "io.modelcontextprotocol/clientcapabilities":
		return MetaCapabilities
	case "io.modelcontextprotocol/loglevel":
		return MetaLogLevel
	case "io.modelcontextprotocol/subscriptionid":
		return MetaSubscription
	}
	return ""
}

// clear refuses what a server sent where the gate and the client could read it
// differently. A result may hold any JSON, but where the gate acts on a member,
// a second one of that name, or of a name that some programs take for the same,
// would be what the client acts on.
func (m *Message) clear() error {
	if slices.ContainsFunc([]Node{m.result, m.err, m.params}, folds) {
		return fmt.Errorf("read message: a member is there twice, or in two spellings")
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

// What a message is decided as. Every front has to read it in the same way.

// Passive reports whether a client's message only keeps the protocol going. Every
// other one is decided, also one of a method that nobody knows.
func Passive(method string) bool {
	switch method {
	case "", // an answer to a request of the server
		"initialize", "ping", "server/discover",
		"tools/list", "resources/list", "resources/templates/list", "prompts/list",
		"resources/unsubscribe", "subscriptions/listen",
		"notifications/initialized", "notifications/cancelled", "notifications/progress",
		"notifications/roots/list_changed":
		return true
	}
	return false
}

// ToolOf returns the full name of a tool that a tools/call names. One that looks
// like a pseudo tool of a method is none.
func ToolOf(server, name string) string {
	if IsMethod(name) {
		name = "@tools/call/" + name
	}
	return server + "/" + name
}

// IsMethod reports whether the name of a tool is one of those that stand for
// methods.
func IsMethod(name string) bool { return strings.HasPrefix(name, "@") }

// MethodTool returns the full name under which a method is decided.
func MethodTool(server, method string) string { return server + "/@" + method }

// MethodArguments returns what a method is decided on: its parameters without what
// only labels the message, or nil where there are none.
func MethodArguments(params Node) []byte {
	if !params.Exists() {
		return nil
	}
	return KeepMembers(params, func(name string) bool {
		return name != "_meta" && name != "requestState" && name != "inputResponses"
	}).With
}

// OnlyTTL reports whether a task parameter says no more than how long its result
// is kept.
func OnlyTTL(task Node) bool {
	for option, value := range task.Members() {
		if option != "ttl" || value.Kind() != canon.KindNumber {
			return false
		}
	}
	return task.Kind() == canon.KindObject
}
