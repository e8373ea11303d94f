// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package console_test

import (
	"testing"
	"time"
)

// What docs/approvals.md shows, in each language of its own: `make screenshots`
// puts it there.
func TestWhatTheDocsShow(t *testing.T) {
	t.Parallel()
	g := withCustomers(t)
	first := open(t, g.url, desktop)
	first.signIn("ada", g.password("ada"))
	held := g.call(refund, `{"order_id":"A1001","amount":"150.00"}`, "case-17", time.Minute)
	first.see("li.card")
	first.click("li.card a")
	first.see("#yes-reason")
	first.write("#yes-reason", "The parcel was damaged")
	first.click("#approve")
	if got := g.await(held); !got.Success {
		t.Fatal(got.raw)
	}
	g.await(g.call("orders/query_order", `{"order_id":"A1001"}`, "case-17", 0))
	g.await(g.call("orders/delete_user", `{"user_id":"u_001"}`, "case-17", 0))
	card := g.ask(refund, `{"order_id":"A1001","amount":"250.00"}`, "case-17")
	like := g.ask(queryUser, `{"user_id":"u_001"}`, "case-17")
	for end, language := range map[string]string{"": "en", ".zh-CN": "zh-CN"} {
		b := open(t, g.url, screen{width: 1280, height: 900, language: language})
		b.signIn("ada", g.password("ada"))
		for _, shown := range []struct{ name, path, sees string }{
			{"inbox", "/console/inbox", "li.card"},
			{"card", "/console/approvals/" + card, "#alike"},
			{"similar", "/console/approvals/" + like + "/similar", "#give"},
			{"activity", "/console/activity", "main a"},
		} {
			b.visit(shown.path)
			b.see(shown.sees)
			b.accessible(shown.name + " " + language)
			b.shot("docs-" + shown.name + end)
		}
	}
}
