// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package console_test

import (
	"strings"
	"testing"
	"time"
)

const (
	cancelOrder = "orders/cancel_order"
	refund      = "orders/refund"
	sendMail    = "orders/send_email"
)

func TestACardAppearsAndTheHeldCallFinishes(t *testing.T) {
	t.Parallel()
	g := newGate(t, "15m")
	b := open(t, g.url, desktop)
	b.visit("/console")
	b.see("#password")
	b.accessible("sign-in")
	b.shot("sign-in")
	b.write("#user", "ada")
	b.write("#password", "not the password")
	b.click("button.primary")
	b.see(".flash.bad")
	b.signIn("ada", g.password("ada"))
	b.see(".empty")
	b.accessible("empty inbox")
	b.shot("inbox-empty")

	held := g.call(refund, `{"order_id":"A1001","amount":"250.00"}`, "s-1", time.Minute)
	b.see("li.card") // by the stream: nobody reloads the page
	b.until(`document.title.startsWith("(1) ")`)
	b.accessible("inbox")
	b.shot("inbox")
	b.click("li.card a")
	b.see("#approve")
	if text := b.text("main"); !strings.Contains(text, "Refund 250.00 EUR on order A1001") || !strings.Contains(text, "Spends €250.00") {
		t.Errorf("the card does not say what will happen:\n%s", text)
	}
	b.accessible("card")
	b.shot("card")

	// High risk wants a reason: the browser itself holds the form back.
	b.click("#approve")
	if state := g.state(); state != "pending" {
		t.Fatalf("approved without a reason: %s", state)
	}
	b.write("#yes-reason", "the parcel was lost")
	b.click("#approve")
	got := g.await(held)
	if !got.Success {
		t.Errorf("the held call did not run: %s", got.raw)
	}
	b.see(".flash.good")
	b.until(`document.querySelector(".status .state").classList.contains("done")`) // the stream again
	b.accessible("decided card")
	b.shot("card-done")
	b.click("form[action='/console/sign-out'] button")
	b.see("#password")
	b.visit("/console/inbox")
	b.see("#password")
}

func TestARejectionReachesTheAgent(t *testing.T) {
	t.Parallel()
	g := newGate(t, "15m")
	b := open(t, g.url, phone)
	b.signIn("ada", g.password("ada"))
	held := g.call(cancelOrder, `{"order_id":"A1001"}`, "s-1", time.Minute)
	b.see("li.card")
	b.accessible("inbox on a phone")
	b.shot("inbox-phone")
	b.click("li.card a")
	b.see("#reject")
	b.accessible("card on a phone")
	b.shot("card-phone")
	b.write("#no-reason", "the customer only asked whether it could be")
	b.click("#reject")
	got := g.await(held)
	if got.Success || !strings.Contains(got.raw, "only asked whether") {
		t.Errorf("the agent is not told why: %s", got.raw)
	}
	b.see(".state.rejected")
}

func TestTheConsoleSpeaksChinese(t *testing.T) {
	t.Parallel()
	g := newGate(t, "15m")
	b := open(t, g.url, screen{width: 1280, height: 900, language: "zh-CN", dark: true})
	b.signIn("ada", g.password("ada"))
	id := g.ask(refund, `{"order_id":"A1001","amount":"1250.00"}`, "s-1")
	b.visit("/console/approvals/" + id)
	b.see("#approve")
	if got := b.text("#approve"); got != "批准一次" {
		t.Errorf("the button says %q", got)
	}
	b.accessible("card in Chinese, dark")
	b.shot("card-zh-dark")
	b.click("button[name=language]")
	b.until(`document.documentElement.lang === "en"`)
	if got := b.text("#approve"); got != "Approve once" {
		t.Errorf("after the switch the button says %q", got)
	}
	b.shot("card-dark")
}

func TestHostileTextStaysText(t *testing.T) {
	t.Parallel()
	g := newGate(t, "15m")
	b := open(t, g.url, desktop)
	b.signIn("ada", g.password("ada"))
	const hostile = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>'"><b>bold</b>`
	held := g.call(sendMail, `{"to":["ann@example.com"],"subject":`+quote(hostile+"\u202egnp.exe")+`,"body":"hello"}`, hostile, time.Minute)
	b.see("li.card")
	b.click("li.card a")
	b.see("#reject")
	text := b.text("main")
	for _, want := range []string{`<b>bold</b>`, `<script>`, `\u{202E}gnp.exe`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not shown as text:\n%s", want, text)
		}
	}
	b.shot("card-hostile")
	b.write("#no-reason", hostile)
	b.click("#reject")
	g.await(held)
	b.see("blockquote")
	if script[bool](b, `document.title === "owned" || document.querySelector("main img, main script, main b") !== null`) {
		t.Error("hostile text became markup")
	}
}

func TestOnlyWhoMayDecides(t *testing.T) {
	t.Parallel()
	g := newGate(t, "15m")
	id := g.ask(refund, `{"order_id":"A1001","amount":"250.00"}`, "s-1")
	for _, c := range []struct{ user, sees string }{
		{"vera", ".narrow"},  // has nothing to do with it: there is no such page
		{"u_100", ".cannot"}, // it was asked on their behalf
		{"olaf", ".narrow"},  // approves other calls; this one is finance's
	} {
		b := open(t, g.url, desktop)
		b.signIn(c.user, g.password(c.user))
		b.visit("/console/approvals/" + id)
		b.see(c.sees)
		if script[bool](b, `document.querySelector("#approve") !== null`) {
			t.Errorf("%s is offered to approve", c.user)
		}
		// A form of their own making gets them nowhere.
		if c.user == "vera" {
			status := script[float64](b, `fetch("/console/approvals/`+id+`/approve", {method: "POST", body: new URLSearchParams({reason: "x", version: "1", digest: "x"})}).then(r => r.status)`)
			if status != 404 {
				t.Errorf("a viewer's own form: status %v", status)
			}
		}
	}
	if state := g.state(); state != "pending" {
		t.Errorf("state is %s", state)
	}
}

func TestAStalePageDecidesNothing(t *testing.T) {
	t.Parallel()
	g := newGate(t, "15m")
	id := g.ask(cancelOrder, `{"order_id":"A1001"}`, "s-1")
	one, two := open(t, g.url, desktop), open(t, g.url, desktop)
	for _, b := range []*browser{one, two} {
		b.signIn("ada", g.password("ada"))
		b.visit("/console/approvals/" + id)
		b.see("#approve")
	}
	one.write("#no-reason", "no")
	one.click("#reject")
	one.see(".state.rejected")
	two.see("#decide .flash.warn") // told by the stream; the form is shut
	if !script[bool](two, `document.querySelector("#approve").disabled`) {
		t.Error("a stale page still offers to approve")
	}
	two.shot("card-stale")
	status := script[float64](two, `fetch("/console/approvals/`+id+`/approve", {method: "POST", body: new URLSearchParams(new FormData(document.querySelector("form.yes")))}).then(r => r.status)`)
	if status != 409 {
		t.Errorf("a stale form: status %v", status)
	}
}

func TestSilenceDenies(t *testing.T) {
	t.Parallel()
	g := newGate(t, "10s")
	b := open(t, g.url, desktop)
	b.signIn("ada", g.password("ada"))
	// The rule's own 15 minutes hold for cancel_order; mail asks for the default.
	held := g.call(sendMail, `{"to":["ann@example.com"],"subject":"hi","body":"hello"}`, "s-1", time.Minute)
	b.see("li.card")
	b.click("li.card a")
	b.see("#standing")
	if got := g.await(held); got.Success {
		t.Errorf("it ran: %s", got.raw)
	}
	b.see(".state.expired")
}

func TestASessionOutlivesARestart(t *testing.T) {
	t.Parallel()
	g := newGate(t, "15m")
	b := open(t, g.url, desktop)
	b.signIn("ada", g.password("ada"))
	id := g.ask(cancelOrder, `{"order_id":"A1001"}`, "s-1")
	b.visit("/console/approvals/" + id)
	b.see("#approve")
	listen := strings.TrimPrefix(g.url, "http://")
	g.stop()
	g.start(listen)
	b.write("#yes-reason", "still here")
	b.click("#approve")
	b.see(".state.approved, .state.done")
}

func (g *gate) state() string {
	g.t.Helper()
	all, err := g.agent.Approvals(g.t.Context(), "")
	if err != nil || len(all) != 1 {
		g.t.Fatalf("%d approvals, %v", len(all), err)
	}
	return string(all[0].State)
}
