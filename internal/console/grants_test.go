// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
)

// granter is a service of grants that frees nothing but the id, and keeps one.
type granter struct {
	desk  *approval.Desk
	now   func() time.Time
	given map[string]any
}

type refusal struct{ error }

func (r refusal) Refusal() string { return r.Error() }

func (g *granter) Grant(ctx context.Context, by tv.Subject, id string, choice []byte) (any, error) {
	var c struct {
		Free map[string]struct {
			Between []int `json:"between"`
		} `json:"free"`
		Scope, Expires, Reason string
		Uses                   int
		Preview                bool
	}
	c.Preview, c.Expires, c.Uses = choice == nil, "30m", 5
	if choice != nil {
		d := json.NewDecoder(bytes.NewReader(choice))
		d.DisallowUnknownFields()
		if err := d.Decode(&c); err != nil {
			return nil, refusal{err}
		}
	}
	lasts, err := time.ParseDuration(c.Expires)
	free, freed := c.Free["/id"]
	if err != nil || lasts > time.Hour || c.Uses > 20 || freed && (len(free.Between) != 2 || free.Between[0] > 1) {
		return nil, refusal{errors.New("out of bounds")}
	}
	label := "server/cancel: id = 1"
	if freed {
		label = fmt.Sprintf("server/cancel: id from %d to %d", free.Between[0], free.Between[1])
	}
	if c.Preview {
		one := []any{map[string]any{"arguments": map[string]int{"id": 10}, "differs": "/id"}}
		return map[string]any{
			"label": label, "arguments": []any{map[string]any{"at": "/id", "value": 1, "forms": []string{"between", "in"}}},
			"admits": one, "refuses": one, "scope": "subject", "scopes": []string{"subject"}, "expires": c.Expires, "uses": c.Uses, "mostExpires": "1h", "mostUses": 20,
		}, nil
	}
	if _, err := g.desk.Approve(ctx, by, id, c.Reason); err != nil {
		return nil, err
	}
	g.given = map[string]any{
		"id": "grant-1", "status": "open", "tool": "server/cancel", "label": label, "scope": "subject", "by": by.ID, "expires": g.now().Add(lasts), "maxUses": c.Uses,
	}
	return g.given, nil
}

func (g *granter) Grants(_ context.Context, _ tv.Subject, all bool) (any, error) {
	list := []any{}
	if g.given != nil && (all || g.given["status"] == "open") {
		list = append(list, g.given)
	}
	return map[string]any{"grants": list}, nil
}

func (g *granter) Show(_ context.Context, by tv.Subject, id string) (any, error) {
	if g.given == nil || id != "grant-1" || by.ID != g.given["by"] {
		return nil, tv.ErrNotFound
	}
	return g.given, nil
}

func (g *granter) TakeBack(ctx context.Context, by tv.Subject, id, _ string) (any, error) {
	if _, err := g.Show(ctx, by, id); err != nil {
		return nil, err
	}
	if g.given["status"] != "open" {
		return nil, approval.ErrDecided
	}
	g.given["status"] = "revoked"
	return g.given, nil
}

var kept = regexp.MustCompile(`name="choice" value="([^"]*)"`)

// looked previews a choice and returns the form that grants it.
func (r *rig) looked(cookie string, a tv.Approval, choice url.Values) url.Values {
	r.t.Helper()
	w := r.visit(http.MethodPost, "/console/approvals/"+a.ID+"/similar", cookie, choice)
	m := kept.FindStringSubmatch(w.Body.String())
	if w.Code != http.StatusOK || m == nil || r.state(a.ID) != tv.ApprovalPending {
		r.t.Fatalf("%d, %s: %s", w.Code, r.state(a.ID), w.Body)
	}
	form := bound(a)
	form.Set("choice", html.UnescapeString(m[1]))
	return form
}

func freed(form, value string) url.Values {
	return url.Values{"at": {"/id"}, "form": {form}, "value": {value}, "does": {""}, "expires": {"10m"}, "uses": {"2"}}
}

func TestCallsLikeOneAreGrantedAndTakenBack(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.ask(`{"id": 1, "key": "hunter2"}`)
	ada := r.signIn("ada")
	if card := r.visit(http.MethodGet, "/console/approvals/"+a.ID, ada, nil).Body.String(); !strings.Contains(card, `id="similar"`) {
		t.Fatalf("the card does not lead there:\n%s", card)
	}
	first := r.visit(http.MethodGet, "/console/approvals/"+a.ID+"/similar", ada, nil).Body.String()
	if !strings.Contains(first, "id = 1") || !strings.Contains(first, "Would still ask") || strings.Contains(first, "hunter2") || inline.MatchString(first) {
		t.Fatalf("the narrowest:\n%s", first)
	}
	form := r.looked(ada, a, freed("between", "1, 9"))
	w := r.visit(http.MethodPost, "/console/approvals/"+a.ID+"/grant", ada, form)
	to := w.Header().Get("Location")
	if w.Code != http.StatusSeeOther || !strings.HasPrefix(to, "/console/grants/") || r.state(a.ID) != tv.ApprovalApproved {
		t.Fatalf("%d, %s: %s", w.Code, r.state(a.ID), w.Body)
	}
	at, _, _ := strings.Cut(to, "?")
	if page := r.visit(http.MethodGet, to, ada, nil).Body.String(); !strings.Contains(page, "0 of 2 used") || !strings.Contains(page, `class="flash good"`) {
		t.Errorf("its page:\n%s", page)
	}
	if list := r.visit(http.MethodGet, "/console/grants", ada, nil).Body.String(); !strings.Contains(list, `href="`+at+`"`) {
		t.Errorf("the list:\n%s", list)
	}
	if w := r.visit(http.MethodGet, at, r.signIn("vera"), nil); w.Code != http.StatusNotFound {
		t.Errorf("a stranger sees it: %d", w.Code)
	}
	if w := r.visit(http.MethodPost, at+"/revoke", r.signIn("vera"), url.Values{"reason": {"x"}}); w.Code != http.StatusNotFound {
		t.Errorf("a stranger takes it back: %d", w.Code)
	}
	if w := r.visit(http.MethodPost, at+"/revoke", ada, nil); w.Code != http.StatusBadRequest {
		t.Errorf("taken back without a reason: %d", w.Code)
	}
	if w := r.visit(http.MethodPost, at+"/revoke", ada, url.Values{"reason": {"enough"}}, "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"); w.Code != http.StatusForbidden {
		t.Errorf("taken back by another page: %d", w.Code)
	}
	if w := r.visit(http.MethodPost, at+"/revoke", ada, url.Values{"reason": {"enough"}}); w.Code != http.StatusSeeOther {
		t.Fatalf("not taken back: %d", w.Code)
	}
	if w := r.visit(http.MethodPost, at+"/revoke", ada, url.Values{"reason": {"again"}}); w.Code != http.StatusConflict {
		t.Errorf("taken back twice: %d", w.Code)
	}
	if list := r.visit(http.MethodGet, "/console/grants", ada, nil).Body.String(); strings.Contains(list, at) {
		t.Errorf("it is listed still:\n%s", list)
	}
	if list := r.visit(http.MethodGet, "/console/grants?all=true", ada, nil).Body.String(); !strings.Contains(list, at) || !strings.Contains(list, "Taken back") {
		t.Errorf("it is not among all:\n%s", list)
	}
}

func TestNothingIsGrantedThatWasNotOnThePage(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.ask(`{"id": 1}`)
	ada, path := r.signIn("ada"), "/console/approvals/"+a.ID
	for name, choice := range map[string]url.Values{
		"too long": {"expires": {"100h"}}, "no time": {"expires": {"soon"}}, "too many": {"uses": {"1000"}}, "no number": {"uses": {"many"}},
		"not its value": freed("between", "5, 9"), "half a range": freed("between", "1"), "another form": freed("hosts", "x"), "no form": freed("<b>", "x"),
	} {
		w := r.visit(http.MethodPost, path+"/similar", ada, choice)
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "Calls like this are not granted:") || strings.Contains(w.Body.String(), "<b>") {
			t.Errorf("%s: %d\n%s", name, w.Code, w.Body)
		}
	}
	good := r.looked(ada, a, freed("between", "1, 9"))
	for name, change := range map[string]url.Values{
		"stale": {"version": {"0"}}, "another call": {"digest": {"x"}}, "no choice": {"choice": nil}, "null": {"choice": {"null"}},
		"no JSON": {"choice": {"{"}}, "only looked": {"choice": {`{"preview":true}`}}, "too much": {"choice": {`{"uses":1000}`}},
	} {
		form := url.Values{}
		for k := range good {
			form[k] = good[k]
		}
		for k := range change {
			form[k] = change[k]
		}
		if w := r.visit(http.MethodPost, path+"/grant", ada, form); w.Code < 400 || r.state(a.ID) != tv.ApprovalPending {
			t.Errorf("%s: %d, %s", name, w.Code, r.state(a.ID))
		}
	}
	if w := r.visit(http.MethodPost, path+"/grant", r.signIn("vera"), good); w.Code != http.StatusNotFound || r.state(a.ID) != tv.ApprovalPending {
		t.Errorf("a stranger: %d", w.Code)
	}
}
