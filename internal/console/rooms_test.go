// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/internal/console/rules"
	"github.com/toolverdict/toolverdict/internal/console/tools"
	"github.com/toolverdict/toolverdict/internal/rollout"
	"github.com/toolverdict/toolverdict/internal/switches"
	"github.com/toolverdict/toolverdict/policy"
)

const nasty = `<script>x</script>"'><img src=x onerror=y>` + "\u202e\u200b"

// shelf is a catalog with one tool, and others that wait.
type shelf struct {
	report   catalog.Report
	accepted []string
	refuses  error
}

func newShelf() *shelf {
	big := json.RawMessage(`{"name":"big","description":"` + strings.Repeat("x", 200<<10) + `"}`)
	return &shelf{report: catalog.Report{Tools: []catalog.Entry{
		{Tool: "shop/big", Server: "shop", State: catalog.New, Reason: "new", Seen: catalog.Pin{Hash: "big", Definition: big}},
		{Tool: "shop/gone", Server: "shop", State: catalog.Gone, Reason: nasty},
		{Tool: "shop/mail", Server: "shop", State: catalog.Changed, Reason: nasty, Warnings: []string{nasty},
			Changes: []catalog.Change{{Path: "/" + nasty, Before: quoted("was " + nasty), After: quoted("is " + nasty)}},
			Seen:    catalog.Pin{Hash: "seen", Definition: quoted(nasty)}},
		{Tool: "shop/sell", Server: "shop", State: catalog.Listed},
	}}}
}

func quoted(s string) json.RawMessage {
	b, _ := json.Marshal(s)
	return b
}

func (s *shelf) Tools() []*tv.Tool {
	return []*tv.Tool{gatetest.Tool("shop/sell", func(d *tv.Definition) {
		d.Name, d.Server, d.Title, d.Description, d.Summary, d.Impact, d.Groups = "shop/sell", "shop", nasty, nasty, nasty, nasty, []string{nasty}
		d.InputSchema, d.Sensitive, d.Roles = quoted(nasty), []string{"/" + nasty}, map[string]tv.Role{"/" + nasty: {Kind: tv.RoleShell}}
	})}
}

func (s *shelf) Report() catalog.Report { return s.report }

func (s *shelf) Pins(context.Context) ([]catalog.Pin, error) {
	return []catalog.Pin{{Tool: "shop/mail", By: nasty, Hash: "old", Definition: quoted(nasty)}, {Tool: "shop/sell", By: catalog.FirstSightBy}}, nil
}

func (s *shelf) Accept(_ context.Context, by tv.Subject, tool, hash string) error {
	s.accepted = append(s.accepted, by.ID+" "+tool+" "+hash)
	return s.refuses
}

// refusal is how a service says in a word why not.
type notTaken string

func (r notTaken) Error() string   { return string(r) }
func (r notTaken) Refusal() string { return string(r) }

// versions are policies that can be gone back to.
type versions struct {
	status rollout.Status
	calls  []string
	err    error
}

func newVersions() *versions {
	at := time.Unix(1_800_000_000, 0)
	return &versions{status: rollout.Status{
		Active: rollout.Point{Hash: "hash-two", Version: nasty, Origin: nasty, At: at}, Source: rollout.Point{Version: nasty},
		Hold:    &rollout.Hold{Point: rollout.Point{Hash: "hash-two"}, By: nasty, Reason: nasty},
		Refused: &rollout.Refusal{Origin: nasty, Reason: nasty, At: at},
	}}
}

func (v *versions) Status(context.Context) (rollout.Status, error) { return v.status, nil }

func (v *versions) Versions(context.Context) ([]rollout.Point, error) {
	return []rollout.Point{v.status.Active, {Hash: "hash-one", Version: nasty, Origin: nasty}}, nil
}

func (v *versions) Rollback(_ context.Context, by, name, reason string) (rollout.Point, error) {
	v.calls = append(v.calls, "rollback "+by+" "+name+" "+reason)
	return rollout.Point{}, v.err
}

func (v *versions) Resume(_ context.Context, by string) (rollout.Point, error) {
	v.calls = append(v.calls, "resume "+by)
	return rollout.Point{}, v.err
}

// rooms are the pages about tools and policy over a rig.
func (r *rig) rooms() (tools.Room, rules.Room) {
	return tools.Room{
			Catalog: r.shelf, Servers: map[string]tools.Server{"shop": {ReadOnly: true}}, Rules: func(string) []string { return []string{"sell-" + nasty} },
			Switches: switches.Board{Store: r.store, Known: func(tool string) bool { return tool == "shop/sell" }, Now: r.now},
			Callers: func(user string) []tools.Caller {
				return []tools.Caller{{ID: user + "-bot", ReadOnly: true}, {ID: nasty}}
			},
		}, rules.Room{Policies: r.versions, Log: logs{r.store}, Loaded: func() rules.Loaded {
			return rules.Loaded{Warnings: []string{nasty}, Rules: []policy.RuleInfo{
				{ID: "sell", Reason: nasty, File: "/etc/secret-place/" + nasty, Verdict: tv.Allow, Tools: []string{nasty}}, {ID: "mail", Verdict: tv.Ask},
			}}
		}}
}

func TestToolsAndPolicyShowHostileTextAsText(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	cookie := r.signIn("root")
	for _, path := range []string{"/console/tools", "/console/tools?q=" + url.QueryEscape(nasty), "/console/tools?user=" + url.QueryEscape(nasty), "/console/tools/shop/sell", "/console/tools/shop/mail", "/console/tools/shop/gone", "/console/tools/shop/" + url.PathEscape(nasty), "/console/policy"} {
		w := r.visit(http.MethodGet, path, cookie, nil)
		for _, bad := range []string{"<script>x", "<img", "\u202e", "\u200b", "secret-place"} {
			if strings.Contains(w.Body.String(), bad) {
				t.Errorf("%.40s shows %q", path, bad)
			}
		}
		if want := map[bool]int{true: http.StatusNotFound, false: http.StatusOK}[strings.Contains(path, "script") && strings.Contains(path, "shop")]; w.Code != want {
			t.Errorf("%.60s: status %d", path, w.Code)
		}
	}
}

func TestADefinitionIsAcceptedAsItWasOnThePage(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	root, ada := r.signIn("root"), r.signIn("ada")
	const path = "/console/tools/shop/mail"
	if body := r.visit(http.MethodGet, path, root, nil).Body.String(); !strings.Contains(body, `name="hash" value="seen"`) {
		t.Errorf("the form does not name the definition:\n%s", body)
	}
	if body := r.visit(http.MethodGet, path, ada, nil).Body.String(); strings.Contains(body, path+"/accept") {
		t.Error("who is no admin is offered to accept")
	}
	if body := r.visit(http.MethodGet, "/console/tools/shop/big", root, nil).Body.String(); strings.Contains(body, "/accept") || len(body) > 300<<10 {
		t.Errorf("what is not shown whole is offered to be accepted, on %d bytes", len(body))
	}
	if w := r.visit(http.MethodPost, path+"/accept", root, url.Values{"hash": {"seen"}}); w.Code != http.StatusSeeOther {
		t.Errorf("accept: %d", w.Code)
	}
	r.shelf.refuses = notTaken("stale")
	if w := r.visit(http.MethodPost, path+"/accept", ada, url.Values{"hash": {"other"}}); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "no longer, the one that waits") {
		t.Errorf("what the service refuses: %d", w.Code)
	}
	r.shelf.refuses = fmt.Errorf("disk full")
	if w := r.visit(http.MethodPost, path+"/accept", root, url.Values{"hash": {"seen"}}); w.Code != http.StatusServiceUnavailable || strings.Contains(w.Body.String(), "disk full") {
		t.Errorf("what is broken: %d", w.Code)
	}
	for _, headers := range [][]string{{"Origin", "", "Sec-Fetch-Site", ""}, {"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}} {
		if w := r.visit(http.MethodPost, path+"/accept", root, url.Values{"hash": {"seen"}}, headers...); w.Code != http.StatusForbidden {
			t.Errorf("a form of another page: %d", w.Code)
		}
	}
	want := []string{"root shop/mail seen", "ada shop/mail other", "root shop/mail seen"}
	if !slices.Equal(r.shelf.accepted, want) {
		t.Errorf("the service was asked %q, want %q", r.shelf.accepted, want)
	}
}

func TestToolsAreSwitchedForWhomOneMay(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	root, ada := r.signIn("root"), r.signIn("ada")
	off := func(user string) []string {
		t.Helper()
		list, err := r.store.Disabled(context.Background(), user)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	const path = "/console/tools/shop/sell"
	if w := r.visit(http.MethodPost, path+"/disable", ada, nil); w.Code != http.StatusSeeOther || len(off("ada")) != 1 {
		t.Errorf("her own: %d, %v", w.Code, off("ada"))
	}
	if body := r.visit(http.MethodGet, path, ada, nil).Body.String(); !strings.Contains(body, path+"/enable") || !strings.Contains(body, "ada-bot") {
		t.Error("the page does not say that it is off, and for whom")
	}
	for _, w := range []int{
		r.visit(http.MethodPost, path+"/disable", ada, url.Values{"user": {"vera"}}).Code,
		r.visit(http.MethodGet, path+"?user=vera", ada, nil).Code,
		r.visit(http.MethodGet, "/console/tools?user=vera", ada, nil).Code,
	} {
		if w != http.StatusForbidden {
			t.Errorf("somebody else's: %d", w)
		}
	}
	if w := r.visit(http.MethodPost, path+"/disable", root, url.Values{"user": {"vera"}}); w.Code != http.StatusSeeOther || len(off("vera")) != 1 || len(off("root")) != 0 {
		t.Errorf("an admin for another: %d, %v", w.Code, off("vera"))
	}
	if w := r.visit(http.MethodPost, path+"/enable", ada, nil); w.Code != http.StatusSeeOther || len(off("ada")) != 0 {
		t.Errorf("on again: %d, %v", w.Code, off("ada"))
	}
	if w := r.visit(http.MethodPost, "/console/tools/shop/nothing/disable", ada, nil); w.Code != http.StatusNotFound {
		t.Errorf("no such tool: %d", w.Code)
	}
}

func TestThePolicyIsChangedByAdminsFromWhatWasOnThePage(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	root, olga, ada := r.signIn("root"), r.signIn("olga"), r.signIn("ada")
	if w := r.visit(http.MethodGet, "/console/policy", ada, nil); w.Code != http.StatusForbidden {
		t.Errorf("who may not see what others do: %d", w.Code)
	}
	if w := r.visit(http.MethodGet, "/console/policy", olga, nil); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "/console/policy/r") {
		t.Errorf("an auditor: %d, or they are offered to change it", w.Code)
	}
	form := func(from, to, reason string) url.Values {
		return url.Values{"from": {from}, "to": {to}, "reason": {reason}}
	}
	for name, c := range map[string]struct {
		cookie string
		form   url.Values
		status int
	}{
		"an auditor":     {olga, form("hash-two", "hash-one", "x"), http.StatusForbidden},
		"a stale page":   {root, form("hash-zero", "hash-one", "x"), http.StatusConflict},
		"no reason":      {root, form("hash-two", "hash-one", " "), http.StatusBadRequest},
		"no page at all": {root, url.Values{}, http.StatusConflict},
	} {
		if w := r.visit(http.MethodPost, "/console/policy/rollback", c.cookie, c.form); w.Code != c.status || r.versions.calls != nil {
			t.Errorf("%s: %d, and the service was asked %q", name, w.Code, r.versions.calls)
		}
	}
	r.versions.err = rollout.ErrUnusable
	if w := r.visit(http.MethodPost, "/console/policy/rollback", root, form("hash-two", "hash-one", "why")); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), "it cannot be put in force") {
		t.Errorf("what cannot be: %d", w.Code)
	}
	r.versions.err = fmt.Errorf("find: %w", tv.ErrNotFound)
	if w := r.visit(http.MethodPost, "/console/policy/rollback", root, form("hash-two", "hash-nine", "why")); w.Code != http.StatusNotFound {
		t.Errorf("what is not kept: %d", w.Code)
	}
	r.versions.err = nil
	if w := r.visit(http.MethodPost, "/console/policy/resume", root, form("hash-two", "", "")); w.Code != http.StatusSeeOther {
		t.Errorf("resume: %d", w.Code)
	}
	if want := []string{"rollback root hash-one why", "rollback root hash-nine why", "resume root"}; !slices.Equal(r.versions.calls, want) {
		t.Errorf("the service was asked %q, want %q", r.versions.calls, want)
	}
}

// reads counts how many records a page reads.
type reads struct {
	logs
	n *int
}

func (l reads) Find(ctx context.Context, q audit.Query) ([]audit.Numbered, error) {
	found, err := l.logs.Find(ctx, q)
	*l.n += len(found)
	return found, err
}

func TestMatchesAreCountedOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	cookie := r.signIn("root")
	start := r.now().Add(-time.Hour)
	decided := func(at time.Time, hash string, matched ...string) {
		t.Helper()
		rec := tv.Record{Kind: tv.RecordDecision, At: at, PolicyHash: hash}
		for _, id := range matched {
			rec.Rules = append(rec.Rules, tv.Match{Rule: id})
		}
		if err := r.store.Commit(context.Background(), tv.Changes{Records: []tv.Record{rec}}); err != nil {
			t.Fatal(err)
		}
	}
	page := func() string {
		t.Helper()
		*r.read = 0
		w := r.visit(http.MethodGet, "/console/policy", cookie, nil)
		if w.Code != http.StatusOK {
			t.Fatal(w.Code)
		}
		return w.Body.String()
	}
	if body := page(); !strings.Contains(body, "No call has been decided") {
		t.Error("a log without decisions is counted")
	}
	decided(start, "hash-one", "sell")
	for i := range 1200 { // more than are read at once
		decided(start.Add(time.Duration(i)*time.Second), "hash-two", "sell")
	}
	decided(start, "hash-two", "sell", "mail")
	if body := page(); !strings.Contains(body, "1,201 matches") || !strings.Contains(body, "1 match<") {
		t.Errorf("1201 and 1 matches are shown as:\n%s", body)
	}
	if *r.read != 1202 {
		t.Errorf("%d records were read", *r.read)
	}
	decided(r.now(), "hash-two", "mail")
	if body := page(); !strings.Contains(body, "2 matches") || *r.read != 1 {
		t.Errorf("one more: %d records were read", *r.read)
	}
	r.versions.status.Active.Hash = "hash-one"
	if body := page(); !strings.Contains(body, "1 match<") || strings.Contains(body, "1,201") {
		t.Error("another policy has the matches of the first")
	}
}

// What a card tells of the past is what the one who looks may see of it.
func TestTheCardComparesOnlyWithWhatOneMaySee(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	finance := tv.Requirement{Approvers: []string{"role:finance"}}
	both := tv.Requirement{Approvers: []string{"role:finance", "user:vera"}}
	ask := func(amount string, need tv.Requirement) tv.Approval {
		t.Helper()
		a := r.open("note", need)
		a.Card.Arguments = json.RawMessage(`{"amount":"` + amount + `"}`)
		record := tv.Record{Kind: tv.RecordDecision, At: r.now().Add(-time.Minute), Subject: "agent", Tool: a.Call.Tool, CallID: a.ID, Verdict: "ask", Code: tv.ConfirmationRequired, Approval: a.ID}
		if err := r.store.Commit(context.Background(), tv.Changes{Records: []tv.Record{record}, Approvals: []tv.ApprovalChange{{From: 1, To: a}}}); err != nil {
			t.Fatal(err)
		}
		a.Version = 2
		return a
	}
	first, second := ask("10.00", both), ask("77.00", finance)
	for _, a := range []tv.Approval{first, second} {
		if _, err := r.desk.Approve(context.Background(), tv.Subject{ID: "ada", Kind: tv.Person, Roles: []string{"finance"}}, a.ID, "fine"); err != nil {
			t.Fatal(err)
		}
	}
	card := ask("900.00", both)
	for user, c := range map[string]struct{ sees, not string }{
		"ada":  {"77.00", "10.00"}, // the last of those that concern her
		"vera": {"10.00", "77.00"},
		"fina": {"77.00", "10.00"},
	} {
		body := r.visit(http.MethodGet, "/console/approvals/"+card.ID, r.signIn(user), nil).Body.String()
		if !strings.Contains(body, c.sees) || strings.Contains(body, c.not) || !strings.Contains(body, `id="alike"`) {
			t.Errorf("%s is not shown the call of %s, or that of %s:\n%s", user, c.sees, c.not, body)
		}
		if all := strings.Contains(body, "Earlier by the same caller"); all != (user == "fina") {
			t.Errorf("%s sees what the caller did elsewhere: %v", user, all)
		}
		if strings.Contains(body, "· waits for a person") {
			t.Errorf("%s is told of a call that was answered that it waits", user)
		}
	}
}
