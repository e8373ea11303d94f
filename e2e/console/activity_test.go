// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package console_test

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	queryOrder = "orders/query_order"
	deleteUser = "orders/delete_user"
)

// busy has an agent do some things: what is allowed, what is denied, what a
// person approves.
func (g *gate) busy(b *browser) (approval string) {
	g.t.Helper()
	for range 3 {
		g.await(g.call(queryOrder, `{"order_id":"A1001"}`, "s-1", 0))
	}
	g.await(g.call(deleteUser, `{"user_id":"u_001","confirm":true}`, "s-1", 0))
	held := g.call(refund, `{"order_id":"A1001","amount":"250.00"}`, "s-1", time.Minute)
	b.visit("/console/inbox")
	b.see("li.card")
	b.click("li.card a")
	b.see("#approve")
	b.write("#yes-reason", "the parcel was lost")
	b.click("#approve")
	if got := g.await(held); !got.Success {
		g.t.Fatalf("the held call did not run: %s", got.raw)
	}
	b.see(".state.done, .state.claimed, .state.approved")
	at := script[string](b, `location.pathname`)
	return at[strings.LastIndex(at, "/")+1:]
}

func TestActivityTellsWhatHappened(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]screen{"": desktop, "-phone": phone, "-dark-zh": {width: 1280, height: 900, language: "zh-CN", dark: true}, "-phone-zh": {width: 390, height: 844, language: "zh-CN", dark: true, phone: true}} {
		t.Run("on a screen"+name, func(t *testing.T) {
			t.Parallel()
			g := newGate(t, "15m")
			b := open(t, g.url, s)
			b.signIn("ada", g.password("ada"))
			b.visit("/console/activity")
			b.see("#log")
			approval := g.busy(b)

			b.visit("/console/activity")
			b.see("li.entry.decision.deny")
			b.see("li.entry.outcome")
			g.await(g.call(queryOrder, `{"order_id":"A1002"}`, "s-live", 0))
			b.until(`document.querySelectorAll("li.entry.decision.allow").length >= 5`) // by the stream
			b.accessible("activity")
			b.shot("activity" + name)

			b.visit("/console/activity?id=" + approval)
			b.see("li.entry.approval")
			if n := script[float64](b, `document.querySelectorAll("li.entry").length`); n != 4 {
				t.Errorf("%.0f records are of the approval, want the question, the answer, the intent and the outcome", n)
			}
			b.shot("activity-filter" + name)
			b.click("li.entry.outcome a")
			b.see("#proof pre")
			if text := b.text("main"); !strings.Contains(text, "the parcel was lost") || !strings.Contains(text, "ask-big-refund") || !strings.Contains(text, "250.00") {
				t.Errorf("the story is not whole:\n%s", text)
			}
			b.accessible("story")
			b.shot("story" + name)
			b.click(".asked a")
			b.see("#standing .state.done")
		})
	}
}

// What the page offers is checked by the program, with nothing but the key.
func TestAProofFromThePageIsChecked(t *testing.T) {
	t.Parallel()
	g := newGate(t, "15m")
	b := open(t, g.url, desktop)
	b.signIn("ada", g.password("ada"))
	g.await(g.call(deleteUser, `{"user_id":"u_001","confirm":true}`, "s-1", 0))
	b.visit("/console/activity?verdict=deny")
	b.see("li.entry.decision.deny")
	b.click("li.entry.decision.deny a")
	b.see("#proof")
	if !script[bool](b, `document.querySelector("#get-proof") !== null`) { // not signed yet: a checkpoint is made once a second
		b.until(`fetch(location.href).then(r => r.text()).then(t => t.includes("get-proof"))`)
		b.visit(script[string](b, `location.pathname + location.search`))
	}
	text := script[string](b, `fetch(document.querySelector("#get-proof").href).then(r => r.text())`)
	command := strings.Fields(b.text("#proof pre"))
	file := filepath.Join(t.TempDir(), command[3])
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	check := func() ([]byte, error) {
		return exec.Command(filepath.Join(programs, command[0]), "audit", "check", file, "--key", filepath.Join(g.dir, "data", "audit.pub")).CombinedOutput()
	}
	if out, err := check(); err != nil || !strings.Contains(string(out), "orders/delete_user") {
		t.Errorf("%v: the proof does not hold:\n%s", err, out)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(text, "index ", "index 1", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := check(); err == nil {
		t.Errorf("a proof that was changed holds:\n%s", out)
	}
	if !strings.Contains(b.text("#proof"), g.read("audit.pub")) {
		t.Error("the page does not show the log's own key")
	}
}

func TestHostileTextStaysTextInActivity(t *testing.T) {
	t.Parallel()
	g := newGate(t, "15m")
	b := open(t, g.url, phone)
	b.signIn("adam", g.password("adam"))
	const hostile = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>'"><b>bold</b>`
	g.ask(sendMail, `{"to":["ann@example.com"],"subject":`+quote(hostile+"\u202egnp.exe")+`,"body":"hello"}`, hostile)
	g.await(g.call("orders/"+hostile, `{}`, hostile, 0)) // no such tool
	markup := `document.title === "owned" || document.querySelector("main img, main script, main b") !== null`
	b.visit("/console/activity?q=gnp.exe")
	b.see("li.entry.decision.ask")
	b.accessible("activity with hostile text")
	b.shot("activity-hostile-phone")
	script[bool](b, `document.querySelector("li.entry.decision.ask a").focus(), true`)
	b.must(chromedp.KeyEvent(kb.Enter)) // by the keyboard
	b.see("#proof")
	if text := b.text("main"); !strings.Contains(text, "<b>bold</b>") || !strings.Contains(text, `\u{202E}gnp.exe`) {
		t.Errorf("hostile text is not shown as text:\n%s", text)
	}
	b.accessible("story with hostile text")
	b.shot("story-hostile-phone")
	for _, page := range []string{"", "activity", "activity?kind=decision&verdict=deny", "overview?span=hour", "activity?q=" + url.QueryEscape(hostile) + "&verdict=" + url.QueryEscape(hostile)} {
		if page != "" {
			b.visit("/console/" + page)
			b.see("main")
		}
		if script[bool](b, markup) {
			t.Errorf("%s: hostile text became markup", page)
		}
		b.accessible(page)
	}
	b.shot("activity-problem-phone")
}

// Whoever may not look at what others did sees their own calls, and no more.
func TestAClerkSeesTheirOwnCalls(t *testing.T) {
	t.Parallel()
	g := newGate(t, "15m")
	g.await(g.call(deleteUser, `{"user_id":"u_001","confirm":true}`, "s-1", 0))
	b := open(t, g.url, phone)
	b.signIn("vera", g.password("vera"))
	b.visit("/console/activity?kind=decision")
	b.see(".empty")
	b.accessible("activity of somebody with no calls")
	b.shot("activity-empty-phone")
	if script[bool](b, `document.querySelector("a[href='/console/overview']") !== null`) {
		t.Error("a viewer is led to the overview")
	}
}
