// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package engine takes the messages of MCP clients through the gate to an
// upstream, and the answers back. It is the same for every front and every kind
// of upstream.
//
// A passive message is forwarded as it is. One that acts is a call: it goes
// through Gate.Do, and its bytes are forwarded only by the executor that the
// gate hands a permit to. So does a method that is not known, which no catalog
// has unless the operator put it there. What the upstream sends is looked at on
// the way back: requests to the client are calls too, lists lose what the caller
// may not see.
//
// The engine decides nothing itself. Its memory holds only exchanges that are
// open at this moment; what outlives one travels with the client, sealed.
package engine

// The table of methods. Whatever is in neither list is unknown: it is decided
// too, and so refused, unless the operator put it into the catalog.

// acting reports whether the gate knows a request that does something. It is
// decided as the pseudo tool SERVER/@METHOD.
func acting(method string) bool {
	switch method {
	case "resources/read", "resources/subscribe", "prompts/get", "completion/complete", "logging/setLevel",
		"tasks/get", "tasks/result", "tasks/list", "tasks/cancel", "tasks/update":
		return true
	}
	return false
}

// passive reports whether a client's message only keeps the protocol going: it
// is forwarded. Lists are filtered on their way back.
func passive(method string) bool {
	switch method {
	case "", // an answer to a request of the server, which was decided itself
		"initialize", "ping", "server/discover",
		"tools/list", "resources/list", "resources/templates/list", "prompts/list",
		"resources/unsubscribe", "subscriptions/listen",
		"notifications/initialized", "notifications/cancelled", "notifications/progress",
		"notifications/roots/list_changed":
		return true
	}
	return false
}

// passiveFromServer reports whether a server's request only keeps the protocol
// going. Its notifications all pass; every other request is decided.
func passiveFromServer(method string) bool { return method == "ping" }
