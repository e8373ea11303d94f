// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestChangedCallOverMCP: the server is sent the call as an approver changed it,
// and the model reads what was changed.
func TestChangedCallOverMCP(t *testing.T) {
	t.Parallel()
	g := newGated(t, asks("up/wipe"), nil)
	message := func(id int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"wipe","arguments":{"path":"/srv"}}}`, id)
	}
	id := g.call(aliceKey, message(1)).Result().Lookup("structuredContent", "confirmation", "id").Text()
	next, err := g.gate.Edit(t.Context(), subjects()[approverKey], id, []byte(`{"path":"/srv/tmp"}`), "not all of it\u202e")
	if err != nil {
		t.Fatal(err)
	}
	const want = `An approver (user:carol) changed this call before it was approved: /path: "/srv" is now "/srv/tmp". The reason given: not all of it`
	waits := g.call(aliceKey, message(2))
	if code(waits) != "CONFIRMATION_REQUIRED" || waits.Result().Lookup("structuredContent", "confirmation", "id").Text() != next.ID ||
		!strings.Contains(did(waits), want) || strings.Contains(string(waits.Bytes()), "\u202e") {
		t.Fatalf("got %s", waits.Bytes())
	}
	if _, err := g.desk.Approve(t.Context(), subjects()[deputyKey], next.ID, ""); err != nil {
		t.Fatal(err)
	}
	for round := range 2 { // it runs, and then it is told again
		done := g.call(aliceKey, message(3+round))
		var texts []string
		for _, item := range done.Result().Get("content").Items() {
			texts = append(texts, item.Get("text").Text())
		}
		if len(texts) != 2 || !strings.Contains(texts[0], want) || texts[1] != "did wipe" {
			t.Fatalf("got %s", done.Bytes())
		}
	}
	if calls := g.up.calls(); len(calls) != 1 || !strings.Contains(fmt.Sprint(calls[0]), "/srv/tmp") {
		t.Errorf("the server was sent %v", calls)
	}
}
