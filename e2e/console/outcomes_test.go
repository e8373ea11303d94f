// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package console_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestALostAnswerIsSettled(t *testing.T) {
	t.Parallel()
	g := newGate(t, "15m")
	program := filepath.Join(programs, "orders-server")
	direct, mute := `command: [`+program+`, -data, "{data}/shop"]`, `command: [sh, -c, "`+program+` -data {data}/shop | sed -u '/Refunded [0-9]/d'"]`
	g.restart(func(config string) string { return strings.Replace(config, direct, mute, 1) })
	id := g.ask(refund, `{"order_id":"A1001","amount":"150.00"}`, "s-1")
	b := open(t, g.url, desktop)
	b.signIn("ada", g.password("ada"))
	b.visit("/console/approvals/" + id)
	b.see("#yes-reason")
	b.write("#yes-reason", "a scratch")
	b.click("#approve")
	b.see(".state.approved")
	go func() { <-g.call(refund, `{"order_id":"A1001","amount":"150.00"}`, "s-1", time.Minute) }()
	b.until(`document.querySelector("#standing .state").classList.contains("claimed")`)
	if err := g.cmd.Process.Kill(); err != nil { // the server's answer is lost with it
		t.Fatal(err)
	}
	g.restart(func(config string) string { return strings.Replace(config, mute, direct, 1) })
	for name, s := range map[string]screen{"": desktop, "-phone-zh": {width: 390, height: 844, language: "zh-CN", dark: true, phone: true}} {
		each := open(t, g.url, s)
		each.signIn("ada", g.password("ada"))
		each.visit("/console/outcomes")
		each.see("li.card")
		each.accessible("unknown outcomes" + name)
		each.shot("outcomes" + name)
		each.click("li.card a")
		each.see("#succeeded")
		each.accessible("unknown outcome" + name)
		each.shot("outcome" + name)
	}
	b.visit("/console/outcomes")
	b.click("li.card a")
	b.see("#succeeded")
	b.click("#succeeded") // the browser holds back a form without evidence
	b.write("#evidence", "the bank has booking 4711")
	b.click("#succeeded")
	b.see(".flash.good")
	b.see(".empty")
	b.accessible("no unknown outcome")
	b.shot("outcomes-empty")
}

func TestTimeRunsOutBeforeTheEyes(t *testing.T) {
	t.Parallel()
	g := newGate(t, "8s")
	b := open(t, g.url, phone)
	b.signIn("ada", g.password("ada"))
	held := g.call(sendMail, `{"to":["ann@example.com"],"subject":"hi","body":"hello"}`, "s-1", time.Minute)
	b.see("li.card")
	b.click("li.card a")
	b.see("#standing time.soon") // the last minutes stand out
	first := script[string](b, `document.querySelector("#standing time").textContent`)
	b.until(`document.querySelector("#standing time") === null || document.querySelector("#standing time").textContent !== ` + quote(first))
	b.accessible("a card whose time runs out")
	if got := g.await(held); got.Success {
		t.Errorf("it ran: %s", got.raw)
	}
	b.see(".state.expired")
	b.see("#decide .flash.warn")
	if !script[bool](b, `[...document.querySelectorAll("#decide button")].every(x => x.disabled)`) {
		t.Error("a card that is over still takes answers")
	}
	b.accessible("a card whose time ran out")
	b.shot("card-expired-phone")
	b.visit("/console/inbox")
	b.see(".empty")
}

// What is refused inside the form is seen whole, wherever the form is.
func TestARefusedChangeIsSeenWhole(t *testing.T) {
	t.Parallel()
	g := newGate(t, "15m")
	id := g.ask(refund, `{"order_id":"A1001","amount":"250.00"}`, "s-1")
	for name, s := range map[string]screen{"": desktop, "-phone-zh": {width: 390, height: 844, language: "zh-CN", phone: true}} {
		b := open(t, g.url, s)
		b.signIn("ada", g.password("ada"))
		b.visit("/console/approvals/" + id)
		b.click("#edit summary")
		b.until(`document.getElementById("edit").open`)
		script[bool](b, `document.getElementById("arguments").value = '{"order_id":"`+strings.Repeat("A1001-and-more", 20)+`","amount":"a lot"}', true`)
		b.click("#change")
		b.see("#edit-problem")
		clipped := script[string](b, `[...document.querySelectorAll("#edit-problem, #edit-problem *, #edit, #arguments")].filter(e =>
			e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline" || e.getBoundingClientRect().right > innerWidth).map(e => e.tagName + "#" + e.id).join(" ")`)
		if clipped != "" {
			t.Errorf("%s: clipped: %s", name, clipped)
		}
		b.accessible("refused change" + name)
		b.shot("card-edit-refused" + name)
	}
}
