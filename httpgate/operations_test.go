// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/httpgate"
	"github.com/toolverdict/toolverdict/httpgate/internal/decide"
	"github.com/toolverdict/toolverdict/httpgate/runs"
	"github.com/toolverdict/toolverdict/ledger"
	"github.com/toolverdict/toolverdict/wire"
)

// operation is one route as it is documented.
type operation struct {
	pattern, summary string
	query            object // schemas by name
	forms            map[string]object
	needed           []string // members of the form "body"
	bodyless         bool     // a body may be left out
	request          object   // the body of a standard that lets strangers add members
	answer           object
	open             bool // no key is needed
}

// known are the members of each form of a request, sorted.
func (op *operation) known() map[string][]string {
	out := map[string][]string{}
	for form, members := range op.forms {
		out[form] = slices.Sorted(maps.Keys(members))
	}
	if op.query != nil {
		out["query"] = slices.Sorted(maps.Keys(op.query))
	}
	return out
}

var inPath = regexp.MustCompile(`\{([a-z]+)\}`)

// document is the operation as OpenAPI has it.
func (op *operation) document(at string) object {
	var params []any
	for _, m := range inPath.FindAllStringSubmatch(at, -1) {
		params = append(params, object{"name": m[1], "in": "path", "required": true, "schema": text("")})
	}
	for _, name := range slices.Sorted(maps.Keys(op.query)) {
		params = append(params, object{"name": name, "in": "query", "schema": op.query[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(headersOf(op))) {
		params = append(params, object{"name": name, "in": "header", "schema": headersOf(op)[name]})
	}
	doc := object{
		"summary": op.summary, "operationId": operationID(op.pattern),
		"responses": object{
			"200":     object{"description": "The answer.", "content": object{"application/json": object{"schema": op.answer}}},
			"default": object{"description": "A problem: nothing was decided in the caller's favour.", "content": object{"application/problem+json": object{"schema": ref("Problem")}}},
		},
	}
	if params != nil {
		doc["parameters"] = params
	}
	if op.open {
		doc["security"] = []any{}
	}
	if op.request != nil {
		doc["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": op.request}}}
	}
	if len(op.forms) > 0 {
		var forms []any
		for _, form := range slices.Sorted(maps.Keys(op.forms)) {
			body := object{"type": "object", "additionalProperties": false, "properties": op.forms[form]}
			switch {
			case form == "body" && op.needed != nil:
				body["required"] = op.needed
			case form == "message":
				body["required"] = []string{"message", "shape"}
			case form == "calls", form == "outcomes":
				body["required"] = []string{form}
			}
			forms = append(forms, body)
		}
		schema := object{"oneOf": forms}
		if len(forms) == 1 {
			schema, _ = forms[0].(object)
		}
		doc["requestBody"] = object{"required": !op.bodyless, "content": object{"application/json": object{"schema": schema}}}
	}
	return doc
}

// headersOf are the headers that an operation knows.
func headersOf(op *operation) object {
	headers := object{"X-Request-Id": text("Names the request.")}
	if op.forms["message"] != nil {
		headers["Toolverdict-Shape"] = object{"type": "string", "enum": wire.Shapes(), "description": "The body is the message itself."}
		headers["Toolverdict-Run"], headers["Toolverdict-Session"] = text(""), text("")
	}
	if op.forms["body"]["idempotencyKey"] != nil || op.forms["message"] != nil {
		headers["Idempotency-Key"] = text("The same as idempotencyKey; of several calls each is its own act.")
	}
	return headers
}

// operationID is the method and the words of the path.
func operationID(pattern string) string {
	words := strings.FieldsFunc(pattern, func(r rune) bool { return strings.ContainsRune(" /{}.", r) })
	words = slices.DeleteFunc(words, func(w string) bool { return w == "v1" })
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + strings.ToLower(w[1:])
	}
	words[0] = strings.ToLower(words[0])
	return strings.Join(words, "")
}

func text(about string) object {
	s := object{"type": "string"}
	if about != "" {
		s["description"] = about
	}
	return s
}

func words[T ~string](all ...T) object { return object{"type": "string", "enum": all} }

func ref(name string) object { return object{"$ref": "#/components/schemas/" + name} }

func listOf(items object) object { return object{"type": "array", "items": items} }

func truth() object { return object{"type": "boolean"} }

func anyJSON(about string) object { return object{"description": about} }

// with is an object of these members, of which the first ones are always there.
func with(members object, always ...string) object {
	s := object{"type": "object", "additionalProperties": false, "properties": members}
	if always != nil {
		s["required"] = always
	}
	return s
}

// someObject is what another part answers with: its own document says what.
func someObject() object { return object{"type": "object"} }

func runMembers() object {
	return object{"id": text(""), "readOnly": truth(), "disabled": listOf(text(""))}
}

func callMembers() object {
	return object{
		"id": text("The caller's own id of the call."), "tool": text("SERVER/TOOL"),
		"arguments":    anyJSON("An object, or a string that holds one."),
		"confirmation": text("Runs the stored call of that confirmation, where no tool is named."), "idempotencyKey": text(""),
		"wait": text("How long to hold the answer while a person decides, such as 30s; at most 60s."), "run": with(runMembers()),
		"session": text(""), "model": text(""), "trace": text("W3C traceparent"),
	}
}

func messageMembers() object {
	m := callMembers()
	for _, of := range []string{"id", "tool", "arguments", "confirmation", "wait"} {
		delete(m, of)
	}
	m["shape"], m["message"] = words(wire.Shapes()...), anyJSON("What the model answered, in the form that shape names.")
	m["server"], m["turn"] = text("Whose tools the model knows by their own names."), text("Which message of the run this is.")
	return m
}

// callForms are what may be asked of one call or several.
func callForms() map[string]object {
	return map[string]object{"body": callMembers(), "calls": {"calls": listOf(with(callMembers()))}, "message": messageMembers()}
}

func reason() map[string]object { return map[string]object{"body": {"reason": text("")}} }

func operations(ts *types) []operation {
	return slices.Concat(callOperations(ts), approvalOperations(ts), adminOperations(ts), authzenOperations(ts))
}

// authzenOperations are those of the OpenID AuthZEN Authorization API 1.0.
func authzenOperations(ts *types) []operation {
	entity := func(properties ...string) object {
		members := object{"properties": object{"type": "object"}}
		for _, name := range properties {
			members[name] = text("")
		}
		return object{"type": "object", "required": properties, "properties": members}
	}
	resource := entity("type", "id")
	resource["required"] = []string{"type", "id", "properties"}
	resource["properties"].(object)["properties"] = object{
		"type": "object", "required": []string{"arguments"}, "additionalProperties": false, "properties": object{"arguments": someObject()},
	}
	question := object{
		"subject": entity("type", "id"), "action": entity("name"), "resource": resource,
		"context": object{"type": "object", "properties": object{"session": text(""), "run": text(""), "model": text("")}},
	}
	several := maps.Clone(question)
	several["evaluations"] = listOf(object{"type": "object", "properties": question})
	several["options"] = object{"type": "object", "properties": object{"evaluations_semantic": words("execute_all", "deny_on_first_deny", "permit_on_first_permit")}}
	answer := ts.of(decide.Evaluation{})
	return []operation{
		{pattern: "GET /.well-known/authzen-configuration", summary: "Where the AuthZEN endpoints are", open: true, answer: someObject()},
		{pattern: "POST /access/v1/evaluation", summary: "AuthZEN: whether a tool may be called", answer: answer,
			request: object{"type": "object", "required": []string{"subject", "action", "resource"}, "properties": question}},
		{pattern: "POST /access/v1/evaluations", summary: "AuthZEN: several questions", request: object{"type": "object", "properties": several},
			answer: object{"anyOf": []any{answer, with(object{"evaluations": listOf(answer)}, "evaluations")}}},
	}
}

func callOperations(ts *types) []operation {
	result, verdict, told := ts.of(tv.Result{}), ts.of(decide.Verdict{}), ts.of(decide.Told{})
	ts.schemas["Verdicts"] = with(object{"verdict": words("allow", "ask", "deny"), "results": listOf(verdict), "messages": anyJSON("What is to be appended to the conversation.")}, "verdict", "results")
	ts.of(decide.Outcome{})
	outcome, _ := ts.schemas["Outcome"].(object)
	outcomeMembers, _ := outcome["properties"].(object)
	delete(ts.schemas, "Outcome") // it is a request, and strict
	outcomeMembers["status"], outcomeMembers["shape"] = words("succeeded", "failed", "notSent", "unknown"), words(wire.Shapes()...)
	outcomeMembers["code"] = words(tv.ToolError, tv.ToolTimeout)
	one := object{"anyOf": []any{verdict, ref("Verdicts")}}
	run := ts.of(runs.Run{})
	return []operation{
		{pattern: "GET /v1/openapi.json", summary: "This document", answer: someObject(), open: true},
		{pattern: "POST /v1/hooks/{agent}", summary: "What a coding agent tells its hook, answered in the agent's own form, always with status 200: an empty object, or a denial", answer: someObject()},
		{pattern: "POST /v1/calls", summary: "Decide a call and run it if it is cleared", forms: map[string]object{"body": callMembers()}, answer: result},
		{pattern: "POST /v1/batch", summary: "The calls of one message", forms: map[string]object{"calls": {"calls": listOf(with(callMembers()))}, "message": messageMembers()},
			answer: with(object{"results": listOf(result), "messages": anyJSON("What is to be appended to the conversation.")}, "results")},
		{pattern: "POST /v1/decide", summary: "What would be decided about a call, or several: no leave to run them", forms: callForms(), answer: one},
		{pattern: "POST /v1/claim", summary: "Leave to run a call, or several, oneself: only the verdict allow is leave", forms: callForms(), answer: one},
		{pattern: "POST /v1/outcome", summary: "What came of a claimed call",
			forms: map[string]object{"body": outcomeMembers, "outcomes": {"outcomes": listOf(with(outcomeMembers, "claim", "token", "status"))}}, needed: []string{"claim", "token", "status"},
			answer: object{"anyOf": []any{told, with(object{"results": listOf(told)}, "results")}}},
		{pattern: "POST /v1/runs", summary: "Start a run",
			forms:  map[string]object{"body": {"readOnly": truth(), "disabled": listOf(text("")), "environment": object{"type": "object", "additionalProperties": text("")}, "expires": text("Such as 8h")}},
			answer: run},
		{pattern: "GET /v1/runs/{id}", summary: "A run", answer: run},
		{pattern: "POST /v1/runs/{id}/end", summary: "End a run", forms: map[string]object{"body": {}}, answer: run},
		{pattern: "POST /v1/redact", summary: "Hide secrets in a text or in any JSON", forms: map[string]object{"body": {"text": text(""), "value": anyJSON("")}},
			answer: with(object{"text": text(""), "value": anyJSON("")})},
		{pattern: "GET /v1/tools", summary: "The tools that this caller may see", query: object{
			"readOnly": words("true", "false"), "all": words("true", "false"), "run": text(""), "shape": words(wire.Shapes()...),
		}, answer: object{"anyOf": []any{
			with(object{"tools": listOf(ts.of(httpgate.ToolView{}))}, "tools"), with(object{"shape": text(""), "tools": anyJSON("As the model's API wants it.")}, "shape", "tools"),
		}}},
		{pattern: "POST /v1/tools/{server}/{tool}/disable", summary: "Switch a tool off", query: object{"user": text("")}, answer: ts.of(httpgate.Choice{})},
		{pattern: "POST /v1/tools/{server}/{tool}/enable", summary: "Switch a tool on", query: object{"user": text("")}, answer: ts.of(httpgate.Choice{})},
	}
}

func approvalOperations(ts *types) []operation {
	a := ts.of(httpgate.Approval{})
	ops := []operation{
		{pattern: "GET /v1/approvals", summary: "What waits and what was decided", query: object{"status": text(""), "after": text(""), "limit": object{"type": "integer", "minimum": 0}},
			answer: with(object{"approvals": listOf(a)}, "approvals")},
		{pattern: "GET /v1/approvals/{id}", summary: "An approval", answer: a},
		{pattern: "POST /v1/approvals/{id}/edit", summary: "Change the call before it is approved", forms: map[string]object{"body": {"arguments": anyJSON(""), "reason": text("")}}, answer: a},
		{pattern: "POST /v1/approvals/{id}/grant", summary: "Approve it and grant calls like it", answer: someObject()},
		{pattern: "GET /v1/grants", summary: "Grants", query: object{"all": words("true", "false")}, answer: someObject()},
		{pattern: "GET /v1/grants/{id}", summary: "A grant", answer: someObject()},
		{pattern: "POST /v1/grants/{id}/revoke", summary: "Take a grant back", forms: reason(), answer: someObject()},
	}
	for verb, summary := range map[string]string{"approve": "Approve a call", "reject": "Reject a call", "cancel": "Take a question back", "revoke": "Take an approval back"} {
		ops = append(ops, operation{pattern: "POST /v1/approvals/{id}/" + verb, summary: summary, forms: reason(), answer: a})
	}
	return ops
}

func adminOperations(ts *types) []operation {
	record := ts.of(audit.Numbered{})
	return []operation{
		{pattern: "GET /v1/ledger", summary: "What was dispatched", query: object{"state": text("")}, answer: with(object{"claims": listOf(ts.of(tv.Claim{}))}, "claims")},
		{pattern: "POST /v1/ledger/settle", summary: "Settle an unknown outcome",
			forms: map[string]object{"body": {"key": text(""), "as": words("succeeded", "failed"), "evidence": text("")}}, answer: with(object{"key": text(""), "state": text("")}, "key", "state")},
		{pattern: "POST /v1/ledger/reconcile", summary: "Ask the tool what came of a call", forms: map[string]object{"body": {"key": text("")}}, answer: ts.of(ledger.Found{})},
		{pattern: "GET /v1/audit", summary: "Records", query: object{
			"call": text(""), "tool": text(""), "subject": text(""), "session": text(""), "verdict": words("allow", "ask", "deny"), "code": text(""), "kind": text(""),
			"approval": text(""), "order": words("newest", "oldest"), "limit": object{"type": "integer", "minimum": 0},
		}, answer: with(object{"records": listOf(record)}, "records")},
		{pattern: "GET /v1/policy", summary: "Which policy is in force", answer: someObject()},
		{pattern: "GET /v1/policy/versions", summary: "The policies that can be gone back to", answer: with(object{"versions": anyJSON("")}, "versions")},
		{pattern: "POST /v1/policy/rollback", summary: "Go back to a policy", forms: map[string]object{"body": {"to": text("Version, or start of a hash"), "reason": text("")}}, answer: someObject()},
		{pattern: "POST /v1/policy/resume", summary: "End a rollback", forms: map[string]object{"body": {}}, answer: someObject()},
		{pattern: "GET /v1/channels", summary: "How the channels are doing", answer: with(object{"channels": anyJSON("")}, "channels")},
		{pattern: "POST /v1/channels/{name}/test", summary: "Send a card that is of no approval", forms: map[string]object{"body": {}}, answer: with(object{"channel": text(""), "delivered": truth()}, "channel", "delivered")},
		{pattern: "GET /v1/links", summary: "Accounts of channels", answer: with(object{"links": anyJSON("")}, "links")},
		{pattern: "POST /v1/links", summary: "Link the account of a one-time code", forms: map[string]object{"body": {"code": text("")}}, answer: someObject()},
		{pattern: "POST /v1/links/remove", summary: "Take a link back", forms: map[string]object{"body": {"channel": text(""), "operator": text("")}},
			answer: with(object{"channel": text(""), "operator": text(""), "removed": truth()}, "channel", "operator", "removed")},
	}
}
