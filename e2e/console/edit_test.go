// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package console_test

import (
	"strings"
	"testing"
)

func TestArgumentsAreChangedOnAPhone(t *testing.T) {
	t.Parallel()
	g := newGate(t, "15m")
	b := open(t, g.url, phone)
	b.signIn("ada", g.password("ada"))
	g.ask(refund, `{"order_id":"A1001","amount":"250.00"}`, "s-1")
	b.see("li.card")
	b.click("li.card a")
	b.see("#edit")
	b.click("#edit summary")
	b.until(`document.getElementById("edit").open`)
	b.accessible("form to change arguments, on a phone")
	put := func(text string) {
		script[bool](b, `document.getElementById("arguments").value = `+quote(text)+`; true`)
		b.click("#change")
	}
	put(`{"order_id":"A1001","amount":"a lot"}`)
	b.see("#edit-problem")
	b.accessible("refused change, on a phone")
	b.shot("card-edit-phone")
	put(`{"order_id":"A1001","amount":"200.00"}`)
	b.see(".flash.good")
	b.see("table.diff")
	b.accessible("changed card, on a phone")
	b.shot("card-edited-phone")
	if text := b.text("main"); !strings.Contains(text, "You changed this call") {
		t.Errorf("who changed it is not told that others decide:\n%s", text)
	}
}
