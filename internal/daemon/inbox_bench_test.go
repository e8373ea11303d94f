// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
)

// BenchmarkInbox is the console's inbox as it is asked for by somebody who is
// signed in, while 10 000 approvals wait: all of them for that person, or none.
func BenchmarkInbox(b *testing.B) {
	for name, approvers := range map[string]string{"all for me": "role:approver", "none for me": "role:others"} {
		b.Run(name, func(b *testing.B) {
			l := newLab(b, at("http://127.0.0.1:1/mcp", ""), nil)
			conf, err := os.ReadFile(filepath.Join(l.dir, "toolverdict.yaml"))
			if err != nil {
				b.Fatal(err)
			}
			l.write("toolverdict.yaml", strings.Replace(string(conf), "{id: boss, kind: person, roles: [approver, admin], ", "{id: boss, kind: person, roles: [approver, admin], password: {example: true}, ", 1))
			g := l.open()
			g.crowd(b, approvers, 10_000)
			page := g.signedIn(b, "boss")
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				w := page("/console/inbox")
				took = append(took, time.Since(start))
				if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "Refund 9.50") != (name == "all for me") {
					b.Fatalf("%d %s", w.Code, w.Body)
				}
			}
			slices.Sort(took)
			b.ReportMetric(ms(took[len(took)/2]), "median-ms")
			b.ReportMetric(ms(took[len(took)*99/100]), "p99-ms")
		})
	}
}

// crowd has this many approvals wait for some approvers.
func (g *gate) crowd(b *testing.B, approvers string, n int) {
	b.Helper()
	store, desk := g.Inside()
	tool := gatetest.Tool("refund", func(d *tv.Definition) { d.Safety, d.Summary = tv.Destructive, "Refund {amount}" })
	for at := 0; at < n; {
		c := tv.Changes{Records: []tv.Record{{Kind: tv.RecordAdmin, At: time.Now()}}}
		for ; len(c.Approvals) < 100; at++ {
			a := desk.Draft(tv.Question{
				Call: &tv.Call{Tool: tool.Name(), Subject: tv.Subject{ID: "agent", Kind: tv.Agent, User: "clerk"}, Bytes: []byte(`{}`)}, Tool: tool,
				Decision: tv.Decision{Verdict: tv.Ask, Asks: []tv.Requirement{{Rule: "ask", Approvers: []string{approvers}, Quorum: 1, Expires: time.Hour}}},
				Digest:   "d", Key: fmt.Sprint(at), Redacted: []byte(`{"amount":"9.50"}`), Effects: []tv.Effect{{Kind: tv.EffectSpend, Amount: "9.5", Currency: "EUR"}},
			})
			c.Approvals = append(c.Approvals, tv.ApprovalChange{To: a})
		}
		if err := store.Commit(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
}

// signedIn returns what asks for pages as somebody who signed in with a password.
func (g *gate) signedIn(b *testing.B, who string) func(path string) *httptest.ResponseRecorder {
	b.Helper()
	secret, err := os.ReadFile(filepath.Join(g.lab.dir, "data", "passwords", who))
	if err != nil {
		b.Fatal(err)
	}
	handler := g.Handler()
	var cookies []*http.Cookie
	ask := func(method, path, form string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(b.Context(), method, "http://127.0.0.1:8711"+path, strings.NewReader(form))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		r.Header.Set("Origin", "http://127.0.0.1:8711")
		for _, c := range cookies {
			r.AddCookie(c)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	w := ask(http.MethodPost, "/console/sign-in", url.Values{"user": {who}, "password": {strings.TrimSpace(string(secret))}}.Encode())
	if cookies = w.Result().Cookies(); w.Code != http.StatusSeeOther || len(cookies) == 0 {
		b.Fatalf("sign in: %d %s", w.Code, w.Body)
	}
	return func(path string) *httptest.ResponseRecorder { return ask(http.MethodGet, path, "") }
}
