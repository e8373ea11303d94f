// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
)

// lose leaves a call of which nobody knows what came.
func (r *rig) lose(key, hostile string) (path string) {
	r.t.Helper()
	args, err := json.Marshal(map[string]string{"order": "A-77" + hostile})
	if err != nil {
		r.t.Fatal(err)
	}
	err = r.store.Commit(context.Background(), tv.Changes{
		Records: []tv.Record{{Kind: tv.RecordDecision, At: r.now(), CallID: "call-" + key, Subject: "agent" + hostile, User: hostile, Tool: "refund" + hostile, Verdict: "allow", Arguments: args}},
		Claims:  []tv.ClaimChange{{To: tv.Claim{Key: key, State: tv.ClaimUnknown, Subject: "agent" + hostile, Tool: "refund" + hostile, CallID: "call-" + key, Updated: r.now(), Deadline: r.now()}}},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return "/console/outcomes/" + base64.RawURLEncoding.EncodeToString([]byte(key))
}

func (r *rig) claim(key string) tv.Claim {
	r.t.Helper()
	c, err := r.store.Claim(context.Background(), key)
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

func TestAnOfficerSettlesAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for as, state := range map[string]tv.ClaimState{"succeeded": tv.ClaimSucceeded, "failed": tv.ClaimFailed} {
		key := "client:a/b?\n" + as
		path := r.lose(key, "")
		cookie := r.signIn("root")
		if list := r.visit(http.MethodGet, "/console/outcomes", cookie, nil).Body.String(); !strings.Contains(list, `href="`+path+`"`) {
			t.Fatalf("the list does not lead to the entry:\n%s", list)
		}
		shown := r.visit(http.MethodGet, path, cookie, nil)
		if shown.Code != http.StatusOK || !strings.Contains(shown.Body.String(), "A-77") {
			t.Fatalf("%d: the page does not show the arguments:\n%s", shown.Code, shown.Body)
		}
		form := url.Values{"epoch": {"1"}, "as": {as}, "evidence": {"booking 12 is there"}}
		w := r.visit(http.MethodPost, path, cookie, form)
		if w.Code != http.StatusSeeOther || r.claim(key).State != state {
			t.Fatalf("%s: %d, %s", as, w.Code, r.claim(key).State)
		}
		if done := r.visit(http.MethodGet, w.Header().Get("Location"), cookie, nil).Body.String(); !strings.Contains(done, `class="flash good"`) || strings.Contains(done, path) {
			t.Errorf("the list after that:\n%s", done)
		}
		if w := r.visit(http.MethodPost, path, cookie, form); w.Code != http.StatusNotFound {
			t.Errorf("settled again: %d", w.Code)
		}
	}
}

func TestWhatIsRefusedSettlesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const key = "k-1"
	path := r.lose(key, "")
	root := r.signIn("root")
	whole := func(change url.Values) url.Values {
		form := url.Values{"epoch": {"1"}, "as": {"failed"}, "evidence": {"looked"}}
		maps.Copy(form, change)
		return form
	}
	for name, c := range map[string]struct {
		cookie, path string
		change       url.Values
		headers      []string
		status       int
	}{
		"no officer":    {r.signIn("vera"), path, nil, nil, http.StatusForbidden},
		"an approver":   {r.signIn("ada"), path, nil, nil, http.StatusForbidden}, // by another role
		"nobody":        {"", path, nil, nil, http.StatusSeeOther},
		"another page":  {root, path, nil, []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		"stale":         {root, path, url.Values{"epoch": {"0"}}, nil, http.StatusConflict},
		"no epoch":      {root, path, url.Values{"epoch": nil}, nil, http.StatusConflict},
		"no evidence":   {root, path, url.Values{"evidence": {" \n"}}, nil, http.StatusBadRequest},
		"long evidence": {root, path, url.Values{"evidence": {strings.Repeat("x", 2001)}}, nil, http.StatusBadRequest},
		"another state": {root, path, url.Values{"as": {"dispatched"}}, nil, http.StatusBadRequest},
		"no such entry": {root, path + "AA", nil, nil, http.StatusNotFound},
		"no key":        {root, "/console/outcomes/%21", nil, nil, http.StatusNotFound},
	} {
		if w := r.visit(http.MethodPost, c.path, c.cookie, whole(c.change), c.headers...); w.Code != c.status {
			t.Errorf("%s: status %d, want %d", name, w.Code, c.status)
		}
		if got := r.claim(key); got.State != tv.ClaimUnknown {
			t.Fatalf("%s: it is %s", name, got.State)
		}
	}
	for _, at := range []string{"/console/outcomes", path} {
		w := r.visit(http.MethodGet, at, r.signIn("vera"), nil)
		if w.Code != http.StatusForbidden || strings.Contains(w.Body.String(), "A-77") || strings.Contains(w.Body.String(), `href="/console/outcomes"`) {
			t.Errorf("%s shows somebody without the role: %d\n%s", at, w.Code, w.Body)
		}
	}
	w := r.visit(http.MethodPost, path, root, whole(url.Values{"as": {"maybe"}, "evidence": {"I looked <b>twice</b>"}}))
	if !strings.Contains(w.Body.String(), "I looked &lt;b&gt;twice&lt;/b&gt;</textarea>") {
		t.Errorf("what was written is not shown again, or as markup:\n%s", w.Body)
	}
}

func TestHostileOutcomesAreEscaped(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	const hostile = `<script>x</script>"'><img src=x>` + "\u202e\u200b"
	path := r.lose(hostile, hostile)
	cookie := r.signIn("root")
	for _, at := range []string{"/console/outcomes", path} {
		w := r.visit(http.MethodGet, at, cookie, nil)
		if w.Code != http.StatusOK {
			t.Errorf("%s: %d", at, w.Code)
		}
		for _, bad := range []string{"<script>x", "<img", "\u202e", "\u200b"} {
			if strings.Contains(w.Body.String(), bad) {
				t.Errorf("%s shows %q", at, bad)
			}
		}
		if found := inline.FindString(w.Body.String()); found != "" {
			t.Errorf("%s holds %q", at, found)
		}
	}
}

// Whoever makes calls names them, and must not have another call shown in the
// place of the lost one.
func TestACallWithTheNameOfALostOneIsNotTakenForIt(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	path := r.lose("k", "")
	for _, rec := range []tv.Record{{CallID: "c-2", CallerID: "call-k"}, {CallID: "c-3", CallerID: "call-k", Subject: "other"}} {
		rec.Kind, rec.At, rec.Tool, rec.Arguments = tv.RecordDecision, r.now(), "refund", []byte(`{"order":"harmless"}`)
		if rec.Subject == "" {
			rec.Subject = "agent"
		}
		if err := r.store.Commit(t.Context(), tv.Changes{Records: []tv.Record{rec}}); err != nil {
			t.Fatal(err)
		}
	}
	if shown := r.visit(http.MethodGet, path, r.signIn("root"), nil).Body.String(); strings.Contains(shown, "harmless") || !strings.Contains(shown, "A-77") {
		t.Errorf("the page shows another call:\n%s", shown)
	}
	if err := r.store.Commit(t.Context(), tv.Changes{Records: []tv.Record{{Kind: tv.RecordOutcome, At: r.now(), CallID: "call-old"}}, Claims: []tv.ClaimChange{{To: tv.Claim{Key: "old", State: tv.ClaimUnknown, Subject: "agent", Tool: "refund", CallID: "call-old", Updated: r.now(), Deadline: r.now()}}}}); err != nil {
		t.Fatal(err)
	}
	old := "/console/outcomes/" + base64.RawURLEncoding.EncodeToString([]byte("old"))
	if w := r.visit(http.MethodGet, old, r.signIn("root"), nil); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "too far back") {
		t.Errorf("a call that the log does not reach: %d\n%s", w.Code, w.Body)
	}
}

// loseAsk leaves a lost call whose tool can be asked: server/look answers with
// its arguments.
func (r *rig) loseAsk(key, state string) (path string) {
	r.t.Helper()
	b, err := json.Marshal(state)
	if err != nil {
		r.t.Fatal(err)
	}
	ask := &tv.Reconcile{
		Tool: "server/look", Arguments: map[string]tv.Term{"state": {Value: b}},
		Succeeded: []tv.Finding{{At: "/state", Is: []tv.Term{{Value: []byte(`"done"`)}}}},
		Failed:    []tv.Finding{{At: "/state", Is: []tv.Term{{Value: []byte(`"open"`)}}}},
	}
	claim := tv.Claim{Key: key, State: tv.ClaimUnknown, Subject: "agent", Tool: "refund", CallID: "call-" + key, Updated: r.now(), Reconcile: ask}
	err = r.store.Commit(r.t.Context(), tv.Changes{Records: []tv.Record{{Kind: tv.RecordDecision, At: r.now()}}, Claims: []tv.ClaimChange{{To: claim}}})
	if err != nil {
		r.t.Fatal(err)
	}
	return "/console/outcomes/" + base64.RawURLEncoding.EncodeToString([]byte(key))
}

func TestAnOfficerAsksTheTool(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	root, epoch := r.signIn("root"), url.Values{"epoch": {"1"}}
	bare, ran := r.lose("bare", ""), r.loseAsk("ran", "done")
	if shown := r.visit(http.MethodGet, bare, root, nil).Body.String(); strings.Contains(shown, "/ask") {
		t.Errorf("nobody can be asked, and it is offered:\n%s", shown)
	}
	if shown := r.visit(http.MethodGet, ran, root, nil).Body.String(); !strings.Contains(shown, `action="`+ran+`/ask"`) || !strings.Contains(shown, "server/look") {
		t.Errorf("the page does not offer to ask:\n%s", shown)
	}
	for name, c := range map[string]struct {
		cookie, path string
		form         url.Values
		headers      []string
		status       int
	}{
		"no officer":    {r.signIn("vera"), ran, epoch, nil, http.StatusForbidden},
		"nobody":        {"", ran, epoch, nil, http.StatusSeeOther},
		"another page":  {root, ran, epoch, []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		"stale":         {root, ran, url.Values{"epoch": {"0"}}, nil, http.StatusConflict},
		"nobody to ask": {root, bare, epoch, nil, http.StatusConflict},
		"no such entry": {root, ran + "AA", epoch, nil, http.StatusNotFound},
	} {
		if w := r.visit(http.MethodPost, c.path+"/ask", c.cookie, c.form, c.headers...); w.Code != c.status {
			t.Errorf("%s: status %d, want %d", name, w.Code, c.status)
		}
		if got := r.claim("ran"); got.State != tv.ClaimUnknown {
			t.Fatalf("%s: it is %s", name, got.State)
		}
	}
	w := r.visit(http.MethodPost, ran+"/ask", root, epoch)
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/console/outcomes?done=succeeded" || r.claim("ran").State != tv.ClaimSucceeded {
		t.Errorf("%d, %s", w.Code, r.claim("ran").State)
	}
	if w := r.visit(http.MethodPost, ran+"/ask", root, epoch); w.Code != http.StatusNotFound {
		t.Errorf("asked again: %d", w.Code)
	}
}

func TestAnAnswerThatDoesNotTellIsShownAsText(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	root, epoch := r.signIn("root"), url.Values{"epoch": {"1"}}
	early := r.visit(http.MethodPost, r.loseAsk("open", "open")+"/ask", root, epoch)
	if early.Code != http.StatusOK || !strings.Contains(early.Body.String(), "may still be on its way") || r.claim("open").State != tv.ClaimUnknown {
		t.Errorf("%d: %s:\n%s", early.Code, r.claim("open").State, early.Body)
	}
	const hostile = `<script>x</script>"'><img src=x></pre>` + "\u202e\u200b"
	w := r.visit(http.MethodPost, r.loseAsk("hostile", hostile+strings.Repeat("é", 2000))+"/ask", root, epoch)
	shown := w.Body.String()
	if w.Code != http.StatusOK || !strings.Contains(shown, "does not tell") || !strings.Contains(shown, "&lt;script&gt;x") {
		t.Errorf("%d: the answer is not shown:\n%s", w.Code, shown)
	}
	for _, bad := range []string{"<script>x", "<img", "\u202e", "\u200b", strings.Repeat("é", 1500), "\ufffd"} {
		if strings.Contains(shown, bad) {
			t.Errorf("the page shows %q", bad)
		}
	}
}
