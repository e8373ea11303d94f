// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package console_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// askAboutCustomers is a rule beside the example's: none of those that ask there
// is of a risk that can be granted.
const askAboutCustomers = `policy: customers
version: v1
rules:
  - id: ask-customer
    verdict: ask
    reason: Customers' data is looked at for a reason
    tools: orders/query_user
    ask: {approvers: ["role:approver"]}
    match: [{args: {user_id: u_001}}]
`

// withCustomers starts a gate that asks about customers.
func withCustomers(t *testing.T) *gate {
	t.Helper()
	g := newGate(t, "15m")
	own := filepath.Join(g.dir, "customers.yaml")
	if err := os.WriteFile(own, []byte(askAboutCustomers), 0o600); err != nil {
		t.Fatal(err)
	}
	g.restart(func(config string) string { return strings.Replace(config, "policy.yaml]", "policy.yaml, "+own+"]", 1) })
	return g
}

const queryUser = "orders/query_user"

func TestCallsLikeOneAreGranted(t *testing.T) {
	t.Parallel()
	g := withCustomers(t)
	id := g.ask(queryUser, `{"user_id":"u_001"}`, "s-1")
	zh := open(t, g.url, screen{width: 390, height: 844, language: "zh-CN", dark: true, phone: true})
	zh.signIn("ada", g.password("ada"))
	zh.visit("/console/approvals/" + id + "/similar")
	zh.see("#give")
	zh.accessible("approve similar in Chinese, on a phone")
	zh.shot("similar-phone-zh")
	b := open(t, g.url, desktop)
	b.signIn("ada", g.password("ada"))
	b.visit("/console/approvals/" + id)
	b.see("#similar")
	b.click("#similar")
	b.see("#give")
	b.accessible("approve similar")
	b.shot("similar")
	script[bool](b, `document.getElementById("form-0").value = "in", true`)
	b.write("#value-0", "u_001, u_002")
	b.write("#uses", "2")
	b.click("#preview")
	b.until(`document.querySelector(".impact").textContent.includes("u_002")`)
	if text := b.text("main"); !strings.Contains(text, "Up to 2 calls") {
		t.Errorf("the preview does not say how many:\n%s", text)
	}
	if kept := script[string](b, `document.getElementById("form-0").value + " " + document.getElementById("value-0").value`); kept != "in u_001, u_002" {
		t.Errorf("what was chosen is now %q", kept)
	}
	b.accessible("approve similar, with a choice")
	b.shot("similar-preview")
	b.click("#give")
	b.see(".flash.good")
	b.see("#revoke")
	b.accessible("grant")
	b.shot("grant")
	if got := g.await(g.call(queryUser, `{"user_id":"u_002"}`, "s-1", 0)); !got.Success {
		t.Errorf("a call like it: %s", got.raw)
	}
	if got := g.await(g.call(queryUser, `{"user_id":"u_003"}`, "s-1", 0)); got.Success || got.Confirmation == nil {
		t.Errorf("a call that is not like it: %s", got.raw)
	}
	b.visit("/console/grants")
	b.see("li.card")
	b.accessible("grants")
	b.shot("grants")
	zh.visit("/console/grants")
	zh.see("li.card")
	zh.accessible("grants in Chinese, on a phone")
	zh.shot("grants-phone-zh")
	b.click("li.card a")
	b.see("#revoke")
	b.write("#reason", "the case is closed")
	b.click("#revoke")
	b.see(".flash.good")
	if got := g.await(g.call(queryUser, `{"user_id":"u_002"}`, "s-1", 0)); got.Success || got.Confirmation == nil {
		t.Errorf("after it was taken back: %s", got.raw)
	}
}

// The card holds a call against the last one that was approved.
func TestACardComparesWithTheLastOne(t *testing.T) {
	t.Parallel()
	g := newGate(t, "15m")
	b := open(t, g.url, desktop)
	b.signIn("ada", g.password("ada"))
	held := g.call(refund, `{"order_id":"A1001","amount":"150.00"}`, "s-1", time.Minute)
	b.see("li.card")
	b.click("li.card a")
	b.see("#yes-reason")
	b.write("#yes-reason", "a scratch")
	b.click("#approve")
	g.await(held)
	g.await(g.call("orders/get_weather", `{"city":"Berlin"}`, "s-1", 0))
	g.await(g.call("orders/delete_user", `{"user_id":"u_001"}`, "s-1", 0))
	id := g.ask(refund, `{"order_id":"A1001","amount":"250.00"}`, "s-1")
	b.visit("/console/approvals/" + id)
	b.see("#alike")
	if text := b.text("#alike"); !strings.Contains(text, "150.00") || !strings.Contains(text, "250.00") || strings.Contains(text, "A1001") {
		t.Errorf("the comparison says:\n%s", text)
	}
	if text := b.text("main"); !strings.Contains(text, "3 calls:") {
		t.Errorf("the card does not count what was called before:\n%s", text)
	}
	b.accessible("card with a comparison")
	b.shot("card-alike")
	zh := open(t, g.url, screen{width: 390, height: 844, language: "zh-CN", phone: true})
	zh.signIn("ada", g.password("ada"))
	zh.visit("/console/approvals/" + id)
	zh.see("#alike")
	zh.accessible("card with a comparison, in Chinese, on a phone")
	zh.shot("card-alike-phone-zh")
}
