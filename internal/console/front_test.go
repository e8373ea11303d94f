// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/internal/console"
	"github.com/toolverdict/toolverdict/internal/console/activity"
	"github.com/toolverdict/toolverdict/internal/console/overview"
	"github.com/toolverdict/toolverdict/internal/console/session"
	"github.com/toolverdict/toolverdict/internal/identity"
	"github.com/toolverdict/toolverdict/internal/identity/password"
	"github.com/toolverdict/toolverdict/internal/identity/people"
	"github.com/toolverdict/toolverdict/internal/store/memory"
	"github.com/toolverdict/toolverdict/ledger"
)

// tester calls the servers under test. The default transport will not do: each
// httptest.Server that another test closes breaks that one's connections.
var tester = &http.Client{Transport: &http.Transport{}}

// logs is the memory store's log as the console reads it.
type logs struct{ *memory.Store }

func (l logs) Find(ctx context.Context, q audit.Query) ([]audit.Numbered, error) {
	v, err := l.Log(ctx)
	if err != nil {
		return nil, err
	}
	return v.Find(ctx, q)
}

func (l logs) Mark(ctx context.Context) (int64, error) {
	v, err := l.Log(ctx)
	if err != nil {
		return 0, err
	}
	return v.Size(ctx)
}

func (l logs) Note(ctx context.Context, r tv.Record) error {
	return l.Commit(ctx, tv.Changes{Records: []tv.Record{r}})
}

// rig is a console over a desk and a store in memory.
type rig struct {
	t     testing.TB
	now   func() time.Time
	store *memory.Store
	desk  *approval.Desk
	gate  *tv.Gate

	grants *granter
	*console.Front

	accounts *accounts
	told     told
	observe  bool
	prove    func() ([]byte, error) // instead of the store's own proofs
	shelf    *shelf
	versions *versions
	read     *int // records that the page about the policy read
}

const secret = "a right password"

func newRig(t testing.TB, change ...func(*rig)) *rig {
	t.Helper()
	at := time.Now() // and no later: how fast the machine is changes nothing
	r := &rig{t: t, now: func() time.Time { return at }, accounts: &accounts{}, shelf: newShelf(), versions: newVersions(), read: new(int)}
	for _, do := range change {
		do(r)
	}
	var err error
	if r.store, err = memory.New(memory.Config{Now: r.now}); err != nil {
		t.Fatal(err)
	}
	var n atomic.Int64
	r.desk, err = approval.New(approval.Config{
		Store: r.store, Now: r.now, NewID: func() string { return fmt.Sprintf("approval%05d", n.Add(1)) },
		Text: func(s string) string { return s }, Approvers: []string{"role:finance"},
	})
	if err != nil {
		t.Fatal(err)
	}
	known, err := identity.New([]identity.Entry{
		{ID: "ada", Kind: tv.Person, Roles: []string{"finance"}}, {ID: "vera", Kind: tv.Person, Roles: []string{"viewer"}},
		{ID: "root", Kind: tv.Person, Roles: []string{"admin"}}, {ID: "fina", Kind: tv.Person, Roles: []string{"finance", "auditor"}}, {ID: "olga", Kind: tv.Person, Roles: []string{"auditor"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	hash, err := password.New(secret)
	if err != nil {
		t.Fatal(err)
	}
	directory, err := people.New(people.Config{
		Configured: known, Passwords: map[string]password.Hash{"ada": hash, "vera": hash, "root": hash, "fina": hash, "olga": hash}, Shelf: r.store, Now: r.now,
	})
	if err != nil {
		t.Fatal(err)
	}
	sessions, err := session.New(session.Config{Shelf: r.store, Now: r.now, Log: slog.New(slog.DiscardHandler), BaseURL: "http://127.0.0.1:8711"})
	if err != nil {
		t.Fatal(err)
	}
	book, err := ledger.New(ledger.Config{Store: r.store, Now: r.now, Text: func(s string) string { return s }})
	if err != nil {
		t.Fatal(err)
	}
	r.gate, r.grants = r.newGate(), &granter{desk: r.desk, now: r.now}
	toolRoom, ruleRoom := r.rooms()
	ruleRoom.Log = reads{logs{r.store}, r.read}
	calls, err := activity.New(activity.Config{
		Log: proving{logs{r.store}, r}, Approval: r.desk.Get, Tool: func(string) (*tv.Tool, bool) { return nil, false },
		Reasons: func(policy string) map[string]string {
			return map[string]map[string]string{"the-policy": {"ask-refund": "because it must"}}[policy]
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	figures, err := overview.New(overview.Config{
		Find: func(ctx context.Context, q audit.Query) ([]audit.Numbered, error) {
			r.told.finds.Add(1)
			return logs{r.store}.Find(ctx, q)
		}, Waiting: r.told.Waiting, Unknown: r.told.Unknown, Answers: r.told.Answers, Channels: r.told.Channels,
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Front, err = console.New(console.Config{
		Acts: console.Acts{Book: &ledger.Clerk{Book: book, Gate: r.gate, Run: func(tv.Subject) tv.Run { return tv.Run{} }}, Editor: r.gate, Grants: r.grants},
		Desk: r.desk, People: directory, Log: logs{r.store}, Sessions: sessions, Links: r.accounts, Rooms: []console.Room{calls, figures, toolRoom, ruleRoom}, Observe: r.observe,
		Tool:  func(string) (*tv.Tool, bool) { return nil, false },
		Wrong: func(err error) bool { return errors.Is(err, people.ErrWrong) }, Now: r.now, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// open asks for a refund, with some texts of the caller's choice.
func (r *rig) open(hostile string, needs ...tv.Requirement) tv.Approval {
	r.t.Helper()
	tool := gatetest.Tool("refund", func(d *tv.Definition) {
		d.Safety, d.Risk, d.Permission, d.Summary, d.Impact = tv.Destructive, tv.HighRisk, "p", "Refund {amount}", hostile
	})
	args, err := json.Marshal(map[string]string{"amount": "9.50", "note": hostile})
	if err != nil {
		r.t.Fatal(err)
	}
	a := r.desk.Draft(tv.Question{
		Call: &tv.Call{ID: "c-1", Tool: tool.Name(), Subject: tv.Subject{ID: "agent", Kind: tv.Agent, User: "clerk"}, Session: hostile, Bytes: []byte(`{"card":"4111-secret"}`)},
		Tool: tool, Decision: tv.Decision{Verdict: tv.Ask, Asks: needs, Reason: hostile, Rules: []tv.Match{{Rule: "ask-" + hostile, Verdict: tv.Ask}}},
		Digest: "digest", Key: "key", Redacted: args, Effects: []tv.Effect{{Kind: tv.EffectSend, Recipient: hostile}},
	})
	err = r.store.Commit(context.Background(), tv.Changes{Records: []tv.Record{{Kind: tv.RecordDecision, At: r.now(), Subject: "agent", Session: hostile, Tool: hostile, CallID: "c-0", Verdict: "deny"}}, Approvals: []tv.ApprovalChange{{To: a}}})
	if err != nil {
		r.t.Fatal(err)
	}
	a.Version = 1
	return a
}

// visit sends a request as a page of the console would.
func (r *rig) visit(method, path, cookie string, form url.Values, headers ...string) *httptest.ResponseRecorder {
	r.t.Helper()
	req := httptest.NewRequest(method, "http://127.0.0.1:8711"+path, strings.NewReader(form.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set("Origin", "http://127.0.0.1:8711")
	for i := 0; i+1 < len(headers); i += 2 {
		if req.Header.Del(headers[i]); headers[i+1] != "" {
			req.Header.Set(headers[i], headers[i+1])
		}
	}
	if cookie != "" {
		req.AddCookie(&http.Cookie{Name: "__Host-toolverdict-8711", Value: cookie})
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	return w
}

func (r *rig) signIn(user string) (cookie string) {
	r.t.Helper()
	w := r.visit(http.MethodPost, "/console/sign-in", "", url.Values{"user": {user}, "password": {secret}})
	for _, c := range w.Result().Cookies() {
		cookie = c.Value
	}
	if w.Code != http.StatusSeeOther || cookie == "" {
		r.t.Fatalf("sign-in of %s: %d %s", user, w.Code, w.Body)
	}
	return cookie
}

func (r *rig) state(id string) tv.ApprovalState {
	r.t.Helper()
	a, err := r.store.Approval(context.Background(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	return a.State
}

func bound(a tv.Approval) url.Values {
	return url.Values{"digest": {a.Digest}, "version": {fmt.Sprint(a.Version)}, "reason": {"because"}}
}

func TestOnlyTheConsolesOwnPagesChangeAnything(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.open("x")
	cookie := r.signIn("ada")
	path := "/console/approvals/" + a.ID + "/approve"
	for name, headers := range map[string][]string{
		"neither header":               {"Origin", "", "Sec-Fetch-Site", ""},
		"cross-site":                   {"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"},
		"same-site":                    {"Origin", "http://127.0.0.1:9999", "Sec-Fetch-Site", "same-site"},
		"cross-site without an origin": {"Origin", "", "Sec-Fetch-Site", "cross-site"},
		"an old browser, foreign page": {"Origin", "https://evil.example", "Sec-Fetch-Site", ""},
		"a hidden origin":              {"Origin", "null", "Sec-Fetch-Site", ""},
		"its own word for it":          {"Origin", "https://evil.example", "Sec-Fetch-Site", "same-origin"},
	} {
		if w := r.visit(http.MethodPost, path, cookie, bound(a), headers...); w.Code != http.StatusForbidden {
			t.Errorf("%s: status %d", name, w.Code)
		}
	}
	empty := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8711"+path, strings.NewReader(bound(a).Encode()))
	empty.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Sec-Fetch-Site": {""}, "Cookie": {"__Host-toolverdict-8711=" + cookie}}
	said := httptest.NewRecorder()
	if r.ServeHTTP(said, empty); said.Code != http.StatusForbidden {
		t.Errorf("a header that says nothing: status %d", said.Code)
	}
	req := httptest.NewRequest(http.MethodPost, "http://rebound.example"+path, strings.NewReader(bound(a).Encode()))
	req.Header.Set("Origin", "http://rebound.example")
	w := httptest.NewRecorder()
	if r.ServeHTTP(w, req); w.Code != http.StatusForbidden {
		t.Errorf("another host: status %d", w.Code)
	}
	for name, w := range map[string]*httptest.ResponseRecorder{
		"get":             r.visit(http.MethodGet, path+"?"+bound(a).Encode(), cookie, nil),
		"no cookie":       r.visit(http.MethodPost, path, "", bound(a)),
		"a bearer":        r.visit(http.MethodPost, path, "", bound(a), "Authorization", "Bearer "+cookie),
		"another cookie":  r.visit(http.MethodPost, path, cookie+"x", bound(a)),
		"in the query":    r.visit(http.MethodPost, path+"?"+bound(a).Encode(), cookie, nil),
		"somebody else's": r.visit(http.MethodPost, path, r.signIn("vera"), bound(a)),
	} {
		if r.state(a.ID) != tv.ApprovalPending {
			t.Fatalf("%s: it was approved (%d)", name, w.Code)
		}
	}
	if w := r.visit(http.MethodPost, path, cookie, bound(a)); w.Code != http.StatusSeeOther || r.state(a.ID) != tv.ApprovalApproved {
		t.Errorf("the own page: %d, %s", w.Code, r.state(a.ID))
	}
}

func TestAStaleFormIsRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	cookie := r.signIn("ada")
	a := r.open("x", tv.Requirement{Approvers: []string{"role:finance"}, Quorum: 2})
	for name, c := range map[string]struct {
		change url.Values
		status int
	}{
		"another digest":  {url.Values{"digest": {"other"}}, http.StatusConflict},
		"no digest":       {url.Values{"digest": nil}, http.StatusConflict},
		"another version": {url.Values{"version": {"2"}}, http.StatusConflict},
		"no version":      {url.Values{"version": nil}, http.StatusConflict},
		"no reason":       {url.Values{"reason": {"  "}}, http.StatusBadRequest},
	} {
		form := bound(a)
		maps.Copy(form, c.change)
		w := r.visit(http.MethodPost, "/console/approvals/"+a.ID+"/approve", cookie, form)
		if w.Code != c.status || r.state(a.ID) != tv.ApprovalPending {
			t.Errorf("%s: %d, %s", name, w.Code, r.state(a.ID))
		}
		if c.status == http.StatusConflict && !strings.Contains(w.Body.String(), "because") {
			t.Errorf("%s: what was written is lost", name)
		}
	}
	if w := r.visit(http.MethodPost, "/console/approvals/"+a.ID+"/claim", cookie, bound(a)); w.Code != http.StatusNotFound {
		t.Errorf("an answer that there is not: %d", w.Code)
	}
	if w := r.visit(http.MethodPost, "/console/approvals/"+a.ID+"/approve", cookie, bound(a)); w.Code != http.StatusSeeOther {
		t.Fatalf("the first vote: %d", w.Code)
	}
	if w := r.visit(http.MethodPost, "/console/approvals/"+a.ID+"/approve", cookie, bound(a)); w.Code != http.StatusConflict || r.state(a.ID) != tv.ApprovalPending {
		t.Errorf("a second click: %d, %s", w.Code, r.state(a.ID))
	}
}

func TestHostileTextIsEscapedEverywhere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const hostile = `<script>x</script>"'><img src=x onerror=y>` + "\u202e\u200b"
	a := r.open(hostile)
	cookie := r.signIn("ada")
	for _, path := range []string{"/console/inbox", "/console/approvals/" + a.ID, "/console/approvals/" + url.PathEscape(hostile), "/console/" + url.PathEscape(hostile), "/console/sign-in?back=" + url.QueryEscape(hostile)} {
		w := r.visit(http.MethodGet, path, cookie, nil)
		for _, bad := range []string{"<script>x", "<img", "\u202e", "\u200b", "4111-secret"} {
			if strings.Contains(w.Body.String(), bad) {
				t.Errorf("%.40s shows %q", path, bad)
			}
		}
	}
	form := bound(a)
	form.Set("reason", hostile)
	form.Set("version", "9")
	w := r.visit(http.MethodPost, "/console/approvals/"+a.ID+"/reject", cookie, form)
	if strings.Contains(w.Body.String(), "<script>x") {
		t.Error("a reason that is shown again is markup")
	}
	w = r.visit(http.MethodPost, "/console/sign-in", "", url.Values{"user": {hostile}, "password": {"x"}})
	if strings.Contains(w.Body.String(), "<script>x") {
		t.Error("a user that is shown again is markup")
	}
}

func TestSignInIsSlowForThoseWhoGuess(t *testing.T) {
	t.Parallel()
	at := time.Now()
	r := newRig(t, func(r *rig) { r.now = func() time.Time { return at } }) // however long the guesses take here
	try := func(user, given string) int {
		return r.visit(http.MethodPost, "/console/sign-in", "", url.Values{"user": {user}, "password": {given}}).Code
	}
	codes := map[int]int{}
	for i := range 12 {
		codes[try(fmt.Sprintf("nobody%d", i), "guess")]++ // one address, many names
	}
	if codes[http.StatusForbidden] != 10 || codes[http.StatusTooManyRequests] != 2 {
		t.Errorf("12 guesses: %v", codes)
	}
	if code := try("ada", secret); code != http.StatusTooManyRequests {
		t.Errorf("the right password right after: %d", code)
	}
}

// Signing in oneself does not make guesses at others free.
func TestSignInPaysForNoGuesses(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	try := func(user, given string) int {
		return r.visit(http.MethodPost, "/console/sign-in", "", url.Values{"user": {user}, "password": {given}}).Code
	}
	for range 12 { // as often as one likes
		if code := try("vera", secret); code != http.StatusSeeOther {
			t.Fatalf("signing in: %d", code)
		}
	}
	for i := range 9 {
		if code := try(fmt.Sprintf("nobody%d", i), "guess"); code != http.StatusForbidden {
			t.Fatalf("guess %d: %d", i, code)
		}
	}
	if code := try("vera", secret); code != http.StatusSeeOther {
		t.Fatalf("signing in between: %d", code)
	}
	codes := map[int]int{}
	for i := range 4 {
		codes[try(fmt.Sprintf("somebody%d", i), "guess")]++
	}
	if codes[http.StatusForbidden] != 1 {
		t.Errorf("guesses after signing in: %v", codes)
	}
}

func TestSignInTellsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	wrong := r.visit(http.MethodPost, "/console/sign-in", "", url.Values{"user": {"ada"}, "password": {"guess"}})
	unknown := r.visit(http.MethodPost, "/console/sign-in", "", url.Values{"user": {"eve"}, "password": {"guess"}})
	if wrong.Code != unknown.Code || strings.ReplaceAll(wrong.Body.String(), "ada", "eve") != unknown.Body.String() {
		t.Error("the answer tells whether there is such a person")
	}
	for _, back := range []string{"https://evil.example/", "//evil.example/", "/\\evil.example", "/console//evil.example", "javascript:x", "/v1/approvals", "/console/../v1"} {
		w := r.visit(http.MethodPost, "/console/language", "", url.Values{"language": {"zh-CN"}, "back": {back}})
		if to := w.Header().Get("Location"); !strings.HasPrefix(to, "/console/") || strings.Contains(to, "evil") {
			t.Errorf("%s leads to %s", back, to)
		}
	}
}

var inline = regexp.MustCompile(`(?i)<script(?: [^>]*)?>[^<]|\son[a-z]+=|\sstyle=|<style|javascript:|https?://`)

func TestPagesAreSmallAndStrict(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var last tv.Approval
	for range 60 {
		last = r.open(strings.Repeat("some words ", 12))
	}
	cookie := r.signIn("ada")
	for _, path := range []string{"/console/sign-in", "/console/inbox", "/console/approvals/" + last.ID} {
		w := r.visit(http.MethodGet, path, cookie, nil)
		if path == "/console/sign-in" {
			w = r.visit(http.MethodGet, path, "", nil)
		}
		body := w.Body.String()
		if w.Code != http.StatusOK || len(body) > 100<<10 {
			t.Errorf("%s: status %d, %d bytes", path, w.Code, len(body))
		}
		if found := inline.FindString(body); found != "" {
			t.Errorf("%s holds %q", path, found)
		}
		for name, want := range map[string]string{
			"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
		} {
			if got := w.Header().Get(name); !strings.Contains(got, want) {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
		csp := w.Header().Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") || !strings.Contains(csp, "frame-ancestors 'none'") {
			t.Errorf("%s: policy %q", path, csp)
		}
		for _, asset := range regexp.MustCompile(`(?:src|href)="(/console/assets/[^"]+)"`).FindAllStringSubmatch(body, -1) {
			if w := r.visit(http.MethodGet, asset[1], "", nil); w.Code != http.StatusOK || w.Body.Len() == 0 {
				t.Errorf("%s: status %d", asset[1], w.Code)
			}
		}
	}
	w := r.visit(http.MethodGet, "/console/inbox", cookie, nil)
	if n := strings.Count(w.Body.String(), `<li class="card`); n != 25 {
		t.Errorf("the inbox shows %d cards at once", n)
	}
	next := regexp.MustCompile(`/console/inbox\?after=[^"]+`).FindString(w.Body.String())
	if w := r.visit(http.MethodGet, next, cookie, nil); strings.Count(w.Body.String(), `<li class="card`) != 25 {
		t.Errorf("the next page, %s: %s", next, w.Body)
	}
}

func TestStreamsTellOfChangesAndEndWithTheSession(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	cookie := r.signIn("ada")
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	open := func(cookie, last string) (*http.Response, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/console/events?since=1", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.AddCookie(&http.Cookie{Name: "__Host-toolverdict-8711", Value: cookie})
		if last != "" {
			req.Header.Set("Last-Event-ID", last)
		}
		return tester.Do(req)
	}
	resp, err := open("stranger", "")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a stranger's stream: %d", resp.StatusCode)
	}
	if resp, err = open(cookie, ""); err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	r.open("x")
	read := func(body io.Reader, want string) {
		t.Helper()
		var got strings.Builder
		buf := make([]byte, 4096)
		for !strings.Contains(got.String(), want) {
			n, err := body.Read(buf)
			got.Write(buf[:n])
			if err != nil && !strings.Contains(got.String(), want) {
				t.Fatalf("%v before %q in %q", err, want, got.String())
			}
		}
	}
	read(resp.Body, "id: 2\nevent: change\ndata: 1\n")
	again, err := open(cookie, "1") // comes back from before the change
	if err != nil {
		t.Fatal(err)
	}
	defer again.Body.Close()
	read(again.Body, "id: 2\nevent: change\ndata: 1\n")
	r.visit(http.MethodPost, "/console/sign-out", cookie, nil)
	r.open("y")
	read(resp.Body, "event: over\n")
	if _, err := io.ReadAll(resp.Body); err != nil {
		t.Errorf("the stream did not end: %v", err)
	}
}

func TestNewWantsItsParts(t *testing.T) {
	t.Parallel()
	if _, err := console.New(console.Config{}); err == nil {
		t.Error("made a console of nothing")
	}
}
