// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// newGate makes a gate over the desk of a rig: it asks about every call but those
// that say "never".
func (r *rig) newGate() *tv.Gate {
	r.t.Helper()
	var n atomic.Int64
	policy := gatetest.Policy{Name: "p", Func: func(q tv.Request) tv.Decision {
		if strings.Contains(string(q.Arguments.Raw()), "never") {
			return gatetest.Says(tv.Deny)
		}
		if q.Tool.Name() == "server/look" {
			return gatetest.Says(tv.Allow)
		}
		d := gatetest.Says(tv.Ask)
		d.Asks = []tv.Requirement{{Approvers: []string{"role:finance"}, Quorum: 1}}
		return d
	}}
	ids := func() string { return fmt.Sprintf("call%08d", n.Add(1)) }
	snaps := gatetest.NewSnapshots(gatetest.Catalog{gatetest.Tool("cancel", gatetest.Destructive), gatetest.Tool("look", nil)}, policy)
	g, err := tv.New(tv.Config{
		Snapshots: snaps, Choices: r.store,
		Analyser: gatetest.Analyser(nil), Confirmations: r.desk, Store: r.store, Executor: &gatetest.Executor{Func: unescaped},
		Redactor: gatetest.Redactor{Secret: "hunter2"}, Now: r.now, NewID: ids, Node: "n",
		Limits: canon.Limits{MaxBytes: 1 << 20, MaxDepth: 64},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return g
}

// unescaped answers with the arguments, spelt as a server would that does not
// think of pages.
func unescaped(_ context.Context, p tv.Permit) tv.Outcome {
	return tv.Outcome{Status: tv.Succeeded, Content: []byte(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(p.Arguments())))}
}

// ask has an agent ask for a call.
func (r *rig) ask(arguments string) tv.Approval {
	r.t.Helper()
	res, err := r.gate.Do(r.t.Context(), tv.Proposal{
		Door: tv.DoorLibrary, Tool: "server/cancel", Arguments: []byte(arguments), Subject: tv.Subject{ID: "agent", Kind: tv.Agent, User: "clerk"},
	})
	if err != nil || res.Confirmation == nil {
		r.t.Fatalf("no approval: %+v, %v", res, err)
	}
	a, err := r.store.Approval(r.t.Context(), res.Confirmation.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return a
}

var area = regexp.MustCompile(`(?s)<textarea id="arguments"[^>]*>(.*?)</textarea>`)

// offered is what the form to change the arguments holds.
func (r *rig) offered(cookie, id string) (text string, there bool) {
	r.t.Helper()
	m := area.FindStringSubmatch(r.visit(http.MethodGet, "/console/approvals/"+id, cookie, nil).Body.String())
	if m == nil {
		return "", false
	}
	return html.UnescapeString(m[1]), true
}

func changed(a tv.Approval, arguments string) url.Values {
	form := bound(a)
	form.Set("arguments", arguments)
	form.Set("edit-reason", "the other one")
	return form
}

func TestArgumentsAreChangedOnTheCard(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.ask(`{"id": 1, "key": "hunter2", "note": "a` + "\u202e\U000e0041" + `\n<b>"}`)
	cookie := r.signIn("ada")
	text, there := r.offered(cookie, a.ID)
	want := "{\n  \"id\": 1,\n  \"key\": \"[HIDDEN]\",\n  \"note\": \"a\\u202e\\udb40\\udc41\\n\\u003cb\\u003e\"\n}"
	if !there || text != want {
		t.Fatalf("the form holds\n%s\nwant\n%s", text, want)
	}
	text = strings.ReplaceAll(strings.Replace(text, `"id": 1`, `"id": 2`, 1), "\n", "\r\n") // as browsers send lines
	w := r.visit(http.MethodPost, "/console/approvals/"+a.ID+"/edit", cookie, changed(a, text))
	if w.Code != http.StatusSeeOther || r.state(a.ID) != tv.ApprovalCancelled {
		t.Fatalf("%d, %s: %s", w.Code, r.state(a.ID), w.Body)
	}
	old, err := r.store.Approval(t.Context(), a.ID)
	if err != nil || !strings.HasPrefix(w.Header().Get("Location"), "/console/approvals/"+old.ReplacedBy+"?") {
		t.Fatalf("leads to %s, not to %s, %v", w.Header().Get("Location"), old.ReplacedBy, err)
	}
	next, err := r.store.Approval(t.Context(), old.ReplacedBy)
	if err != nil || len(next.Edited.Changes) != 1 || next.Edited.Changes[0].Path != "/id" || next.Edited.Reason != "the other one" || !strings.Contains(string(next.Call.Arguments), "hunter2") {
		t.Errorf("it became %+v, %s, %v", next.Edited, next.Call.Arguments, err)
	}
	if page := r.visit(http.MethodGet, "/console/approvals/"+a.ID, cookie, nil).Body.String(); !strings.Contains(page, `href="/console/approvals/`+next.ID+`"`) {
		t.Errorf("the old card does not lead to the new one:\n%s", page)
	}
	page := r.visit(http.MethodGet, w.Header().Get("Location"), cookie, nil).Body.String()
	if !strings.Contains(page, "You changed this call") || strings.Contains(page, `id="approve"`) || !strings.Contains(page, `class="flash good"`) {
		t.Errorf("the new card, for who changed it:\n%s", page)
	}
}

func TestAChangeThatIsRefusedIsShownWithItsReasons(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.ask(`{"id": 1, "key": "hunter2"}`)
	ada, path := r.signIn("ada"), "/console/approvals/"+a.ID+"/edit"
	for name, c := range map[string]struct {
		arguments string
		shows     string
	}{
		"denied":                 {`{"id": "never <b>"}`, "denied by a rule"},
		"nothing changed":        {`{"key":"[HIDDEN]","id":1}`, "The change changes nothing"},
		"no JSON":                {`{"id": <i>`, "malformed call"},
		"no object":              {`[1]`, "malformed call"},
		"a name twice":           {`{"id":1,"id":2}`, "malformed call"},
		"the secret, moved":      {`{"id": 1, "key": "x", "other": "[HIDDEN]"}`, "<li><code>/other</code>"},
		"another way of writing": {`{"id": 1.0, "key": "[HIDDEN]"}`, "The change changes nothing"},
	} {
		w := r.visit(http.MethodPost, path, ada, changed(a, c.arguments))
		body := w.Body.String()
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(body, c.shows) || !strings.Contains(body, `id="edit" open`) || strings.Contains(body, "hunter2") {
			t.Errorf("%s: %d, without %q:\n%s", name, w.Code, c.shows, body)
		}
		if m := area.FindStringSubmatch(body); m == nil || html.UnescapeString(m[1]) != c.arguments || strings.ContainsAny(m[1], "<>") || !strings.Contains(body, ">the other one</textarea>") {
			t.Errorf("%s: what was written is not there again: %q", name, m)
		}
		if r.state(a.ID) != tv.ApprovalPending {
			t.Fatalf("%s: it is %s", name, r.state(a.ID))
		}
	}
}

func TestOnlyApproversChangeWhatIsOnThePage(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.ask(`{"id": 1}`)
	ada, path := r.signIn("ada"), "/console/approvals/"+a.ID+"/edit"
	for name, c := range map[string]struct {
		cookie  string
		change  url.Values
		headers []string
		status  int
	}{
		"another page":   {ada, nil, []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		"nobody":         {"", nil, nil, http.StatusSeeOther},
		"a stranger":     {r.signIn("vera"), nil, nil, http.StatusNotFound},
		"an old version": {ada, url.Values{"version": {"0"}}, nil, http.StatusConflict},
		"nothing":        {ada, url.Values{"arguments": {" \r\n"}}, nil, http.StatusBadRequest},
		"no arguments":   {ada, url.Values{"arguments": nil}, nil, http.StatusBadRequest},
		"another digest": {ada, url.Values{"digest": {"x"}}, nil, http.StatusConflict},
	} {
		form := changed(a, `{"id": 2}`)
		for k := range c.change {
			form[k] = c.change[k]
		}
		if w := r.visit(http.MethodPost, path, c.cookie, form, c.headers...); w.Code != c.status || r.state(a.ID) != tv.ApprovalPending {
			t.Errorf("%s: %d, %s", name, w.Code, r.state(a.ID))
		}
	}
	if w := r.visit(http.MethodPost, "/console/approvals/"+a.ID+"/approve", ada, bound(a)); w.Code != http.StatusSeeOther {
		t.Fatalf("approve: %d", w.Code)
	}
	if _, there := r.offered(ada, a.ID); there {
		t.Error("an approved call can be changed")
	}
	now, err := r.store.Approval(t.Context(), a.ID)
	if err != nil {
		t.Fatal(err)
	}
	if w := r.visit(http.MethodPost, path, ada, changed(now, `{"id": 2}`)); w.Code != http.StatusConflict || r.state(a.ID) != tv.ApprovalApproved {
		t.Errorf("changed after it was approved: %d, %s", w.Code, r.state(a.ID))
	}
}
