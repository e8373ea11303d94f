// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package console_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// screen is what a browser looks like.
type screen struct {
	width, height int64
	language      string
	dark          bool
	phone         bool
}

var (
	desktop = screen{width: 1280, height: 900, language: "en"}
	phone   = screen{width: 390, height: 844, language: "en", phone: true}
)

// browser is one person's browser, with a profile of its own.
type browser struct {
	t   *testing.T
	ctx context.Context
	url string

	mu       sync.Mutex
	problems []string // what the browser complained of: refused by the policy, exceptions
}

// open starts a browser. When the test ends, it must have complained of nothing.
func open(t *testing.T, url string, s screen) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox,
		chromedp.Flag("lang", s.language), chromedp.Flag("accept-lang", s.language), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("force-color-profile", "srgb"))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx, url: url}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	scheme := "light"
	if s.dark {
		scheme = "dark"
	}
	metrics := emulation.SetDeviceMetricsOverrideParams{Width: s.width, Height: s.height, DeviceScaleFactor: 1, Mobile: s.phone}
	if s.phone {
		metrics.DeviceScaleFactor = 2
	}
	b.must(chromedp.Navigate("about:blank"))
	if _, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, metrics); err != nil {
		t.Fatal(err)
	}
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, p := range b.problems {
			t.Errorf("the browser complained: %s", p)
		}
	})
	return b
}

// hear notes what the browser complains of. That a page was answered with a
// status of an error is what some tests want.
func (b *browser) hear(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := ev.(type) {
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" && e.Entry.Source != "network" {
			b.problems = append(b.problems, fmt.Sprintf("%s: %s", e.Entry.Source, e.Entry.Text))
		}
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, e.ExceptionDetails.Text)
	}
}

const patience = 20 * time.Second

// must does steps, each within the patience of a test.
func (b *browser) must(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := b.ctx, context.CancelFunc(func() {})
	if chromedp.FromContext(ctx) != nil && chromedp.FromContext(ctx).Target != nil {
		ctx, cancel = context.WithTimeout(ctx, patience)
	}
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.shot("failed-" + strings.ReplaceAll(b.t.Name(), "/", "-"))
		b.t.Fatalf("%v\nthe page:\n%s", err, b.text("body"))
	}
}

// see waits until an element is there and visible.
func (b *browser) see(selector string) {
	b.t.Helper()
	b.must(chromedp.WaitVisible(chromedp.CSS(selector)))
}

func (b *browser) visit(path string) { b.t.Helper(); b.must(chromedp.Navigate(b.url + path)) }

func (b *browser) click(selector string) {
	b.t.Helper()
	b.must(chromedp.ScrollIntoView(chromedp.CSS(selector)), chromedp.Click(chromedp.CSS(selector)))
}

func (b *browser) write(selector, text string) {
	b.t.Helper()
	script[bool](b, `document.querySelector(`+quote(selector)+`).value = "", true`)
	b.must(chromedp.SendKeys(chromedp.CSS(selector), text))
}

// script evaluates an expression in the page.
func script[T any](b *browser, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression[:min(len(expression), 80)], err)
	}
	return v
}

func (b *browser) text(selector string) string {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	text, _ := chromedp.Run(ctx, chromedp.Text(chromedp.CSS(selector)))
	return text
}

// until waits until an expression is true.
func (b *browser) until(expression string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	_, err := chromedp.Run(ctx, chromedp.Poll[bool](expression))
	for err != nil && ctx.Err() == nil { // the page was left while it was asked
		_, err = chromedp.Run(ctx, chromedp.Poll[bool](expression))
	}
	if err != nil {
		b.shot("failed-" + strings.ReplaceAll(b.t.Name(), "/", "-"))
		b.t.Fatalf("%s: %v\nthe page:\n%s", expression, err, b.text("body"))
	}
}

// signIn signs somebody in and waits for the inbox.
func (b *browser) signIn(user, password string) {
	b.t.Helper()
	b.visit("/console")
	b.see("#password")
	b.write("#user", user)
	b.write("#password", password)
	b.click("button.primary")
	b.see("#inbox")
}

// shots is where the tests leave what the browser showed.
const shots = ".shots"

func (b *browser) shot(name string) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.MkdirAll(shots, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(shots, name+".png"), png, 0o644)
	}
	if err != nil {
		b.t.Errorf("save what the browser shows: %v", err)
	}
}

// accessible runs axe-core on the page: no serious finding is allowed, and no
// part of the page may be wider than the screen.
func (b *browser) accessible(what string) {
	b.t.Helper()
	script[bool](b, axe+"; true")
	found := script[string](b, `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations
		.filter(v => v.impact === "serious" || v.impact === "critical")
		.map(v => v.id + ": " + v.nodes.map(n => n.target + " " + n.failureSummary).join("; ")).join("\n"))`)
	if found != "" {
		b.t.Errorf("%s: axe-core finds:\n%s", what, found)
	}
	if wide := script[float64](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
		b.t.Errorf("%s: the page is %.0f pixels wider than the screen", what, wide)
	}
}
