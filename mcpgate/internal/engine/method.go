// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package engine

// The table of methods. Whatever is in neither list is unknown.

// acting reports whether a request does something: it is decided, as the pseudo
// tool SERVER/@METHOD.
func acting(method string) bool {
	switch method {
	case "resources/read", "resources/subscribe", "prompts/get", "completion/complete",
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
		"initialize", "ping", "server/discover", "logging/setLevel",
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
