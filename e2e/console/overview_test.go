// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package console_test

import (
	"strings"
	"testing"
	"time"
)

func TestTheOverviewShowsHowTheGateIsDoing(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]screen{"": desktop, "-phone": phone, "-dark-zh": {width: 1280, height: 900, language: "zh-CN", dark: true}, "-phone-dark": {width: 390, height: 844, language: "en", dark: true, phone: true}} {
		t.Run("on a screen"+name, func(t *testing.T) {
			t.Parallel()
			// Nobody listens there: what cannot be delivered is seen by an administrator.
			g := newGate(t, "15m", "channels: {ops-hook: {webhook: {url: \"http://127.0.0.1:1/hook\", secrets: [env:HOOK]}}}")
			b := open(t, g.url, s)
			b.signIn("adam", g.password("adam"))
			b.visit("/console/overview")
			b.see(".tiles")
			g.busy(b)
			for range 4 {
				g.await(g.call(deleteUser, `{"user_id":"u_001","confirm":true}`, "s-2", 0))
				g.await(g.call("orders/get_weather", `{"city":"Berlin"}`, "s-2", 0))
			}
			waits := g.call(cancelOrder, `{"order_id":"A1002"}`, "s-3", time.Second)
			b.visit("/console/overview?span=hour")
			b.see(".chart svg")
			b.until(`document.querySelector("#channels .state.failing") !== null || location.reload()`)
			if text := b.text("main"); !strings.Contains(text, "ask-big-refund") || !strings.Contains(text, "orders/delete_user") || !strings.Contains(text, "orders/get_weather") {
				t.Errorf("the figures are not there:\n%s", text)
			}
			most := map[bool]float64{false: 80, true: 145}[s.phone] // whose it is and all rooms, on one line or on three
			if height := script[float64](b, `document.querySelector(".top").offsetHeight`); height > most {
				t.Errorf("the head of the page is %.0f high: it breaks into more lines than it should", height)
			}
			b.accessible("overview")
			b.shot("overview" + name)
			b.click("#verdict-table summary")
			b.see("#verdict-table table")
			b.accessible("overview with its table")
			if n := script[float64](b, `document.querySelectorAll("#verdict-table tbody tr").length`); n != 12 {
				t.Errorf("the table has %.0f rows", n)
			}
			g.await(waits)
		})
	}
}

func TestAGateThatOnlyObservesSaysSoOnEveryPage(t *testing.T) {
	t.Parallel()
	g := newGate(t, "15m", "mode: observe")
	b := open(t, g.url, phone)
	b.signIn("adam", g.password("adam"))
	g.await(g.call(deleteUser, `{"user_id":"u_001","confirm":true}`, "s-1", 0))
	for _, page := range []string{"inbox", "activity", "overview", "grants", "outcomes"} {
		b.visit("/console/" + page)
		b.see(".observe")
		b.accessible(page + " of a gate that only observes")
	}
	b.visit("/console/activity")
	b.see("li.entry.decision")
	b.shot("activity-observe-phone")
	b.click("li.entry.decision a")
	b.see("#why .flash.warn")
	b.shot("story-observe-phone")
}
