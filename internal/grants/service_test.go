// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package grants_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/approval"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/internal/grants"
)

func (r *rig) records() []audit.Numbered {
	r.t.Helper()
	view, err := r.store.Log(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	found, err := view.Find(context.Background(), audit.Query{Page: audit.Page{Limit: 1 << 20}})
	if err != nil {
		r.t.Fatal(err)
	}
	return found
}

func TestGivingApprovesTheCallAndItsLike(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	id := r.asked("refund", `{"order":"A1","amount":50,"card":"4111 secret"}`)
	before := len(r.records())
	v, err := r.Preview(t.Context(), boss, id, choice(t, `{"free":{"/amount":{"between":[1,100]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(r.records()); n != before {
		t.Errorf("a preview left %d records", n-before)
	}
	got, err := r.Give(t.Context(), boss, id, choice(t, `{"free":{"/amount":{"between":[1,100]}},"uses":2,"expires":"10m","reason":"month's end"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := grants.View{
		ID: got.ID, State: "open", Approval: id, Tool: "s/refund", Label: v.Label, Scope: "run", Subject: "agent", By: "boss", Reason: "month's end",
		Created: r.clock.Now(), Expires: r.clock.Now().Add(10 * time.Minute), MaxUses: 2,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	a, err := r.store.Approval(t.Context(), id)
	if err != nil || a.State != tv.ApprovalApproved {
		t.Errorf("the call at hand is %s, %v", a.State, err)
	}
	p := call("refund", `{"order":"A1","amount":50,"card":"4111 secret"}`)
	p.Confirmation = id
	if res := r.do(p); !res.Success || res.Decision.Grant != "" {
		t.Errorf("the call at hand ran under its own approval? %+v", res)
	}
	for _, ok := range []bool{true, true, false} {
		if ran := r.runs(call("refund", `{"order":"A1","amount":60,"card":"4111 secret"}`)); ran != ok {
			t.Errorf("ran: %v, want %v", ran, ok)
		}
	}
	if v, err := r.Get(t.Context(), boss, got.ID); err != nil || v.State != "used up" || v.Used != 2 {
		t.Errorf("%+v, %v", v, err)
	}
	recorded := 0
	for _, rec := range r.records() {
		if text, _ := json.Marshal(rec.Record); strings.Contains(string(text), "4111") {
			t.Errorf("a record holds what is sensitive: %s", text)
		}
		if rec.Kind == tv.RecordAdmin {
			recorded++
			if rec.Subject != "boss" || rec.Grant != got.ID || rec.Approval != id || !strings.Contains(rec.Detail, "amount from 1 to 100") {
				t.Errorf("%+v", rec.Record)
			}
		}
	}
	if recorded != 1 || strings.Contains(v.Label, "4111") {
		t.Errorf("%d records of the grant; its label: %s", recorded, v.Label)
	}
}

// Every example is a call that was tried: those that are said to run do, those
// that are said to ask do.
func TestExamplesTellTheTruth(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ tool, args, choice string }{
		"fixed":     {"refund", `{"order":"A1","amount":50,"status":"open"}`, `{}`},
		"numbers":   {"refund", `{"order":"A1","amount":50,"status":"open"}`, `{"free":{"/amount":{"between":[1,100]},"/status":{"in":["open","paid","late"]}}}`},
		"texts":     {"refund", `{"order":"A1","tags":["a","b"]}`, `{"free":{"/order":{"prefix":"A"},"/tags":{"subset":["a","b","c"]}}}`},
		"globs":     {"refund", `{"order":"A1-x"}`, `{"free":{"/order":{"glob":"A?-*"}}}`},
		"paths":     {"file", `{"path":"/srv/app/a/b.txt","text":"x"}`, `{"free":{"/path":{"under":["/srv/app/a"]}}}`},
		"lists":     {"files", `{"paths":["/srv/app/a","/srv/app/b"]}`, `{"free":{"/paths":{"under":["/srv/app"]}}}`},
		"hosts":     {"fetch", `{"url":"https://api.example.com/a"}`, `{"free":{"/url":{"hosts":["api.example.com"]}}}`},
		"mail":      {"mail", `{"to":"ann@corp.example","subject":"Hello"}`, `{"free":{"/to":{"domains":["corp.example"]}}}`},
		"money":     {"pay", `{"amount":"250.00","currency":"EUR"}`, `{"free":{"/amount":{"between":[1,300]}}}`},
		"decimals":  {"bill", `{"amount":"250.00","currency":"EUR"}`, `{"free":{"/amount":{"between":[1,300]}}}`},
		"commands":  {"run", `{"command":"cat /srv/app/a.txt"}`, `{"free":{"/command":{"does":[{"kind":"execute","programs":["cat"]},{"kind":"read","under":["/srv/app"]}]}}}`},
		"verbs":     {"run", `{"command":"git status"}`, `{"free":{"/command":{"does":[{"kind":"execute","programs":["git"],"verbs":["status","log","diff"]},{"kind":"read","under":["/srv/app"]}]}}}`},
		"reading":   {"sql", `{"q":"SELECT a FROM orders WHERE id = 1"}`, `{"free":{"/q":{"does":[{"kind":"query","verbs":["select"],"reads":["orders"]}]}}}`},
		"changing":  {"sql", `{"q":"UPDATE orders SET a = 1 WHERE id = 1"}`, `{"free":{"/q":{"does":[{"kind":"query","verbs":["update"],"reads":["orders"],"changes":["orders"]}]}}}`},
		"a program": {"code", `{"script":"print(1)"}`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil)
			id := r.asked(c.tool, c.args)
			pick := choice(t, c.choice)
			v, err := r.Preview(t.Context(), boss, id, pick)
			if err != nil {
				t.Fatal(err)
			}
			pick.Uses = 20
			if _, err := r.Give(t.Context(), boss, id, pick); err != nil {
				t.Fatal(err)
			}
			most := 3
			if len(pick.Free) == 0 {
				most = 1 // there is but one such call
			}
			if len(v.Admits) != most || len(v.Refuses) != 3 {
				t.Errorf("%d calls that would run, %d that would ask: want %d and 3\n%+v", len(v.Admits), len(v.Refuses), most, v)
			}
			seen := map[string]bool{}
			for i, e := range slices.Concat(v.Admits, v.Refuses) {
				p := call(c.tool, string(e.Arguments))
				if string(e.Arguments) == c.args {
					r.do(p) // the approval of the call at hand
				}
				if seen[string(e.Arguments)] {
					t.Errorf("told twice: %s", e.Arguments)
				}
				seen[string(e.Arguments)] = true
				if ran, want := r.runs(p), i < len(v.Admits); ran != want {
					t.Errorf("%s: ran %v, and the preview says %v", e.Arguments, ran, want)
				}
			}
		})
	}
}

func TestWhoMayGrant(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tool string
		by   tv.Subject
		want error
	}{
		"an approver":                   {"refund", boss, nil},
		"the agent that asked":          {"refund", agent, approval.ErrNotEligible},
		"the person it works for":       {"refund", clerk, approval.ErrNotEligible},
		"somebody of another role":      {"refund", finance, tv.ErrNotFound},
		"an administrator":              {"refund", admin, tv.ErrNotFound},
		"a viewer":                      {"refund", viewer, tv.ErrNotFound},
		"nobody":                        {"refund", tv.Subject{}, tv.ErrNotFound},
		"one of two who are asked":      {"two", boss, approval.ErrTogether},
		"one where two roles are":       {"dear", boss, approval.ErrTogether},
		"the other where two roles are": {"dear", finance, approval.ErrTogether},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil)
			id := r.asked(c.tool, `{"order":"A1"}`)
			if _, err := r.Preview(t.Context(), c.by, id, grants.Choice{}); !errors.Is(err, c.want) {
				t.Errorf("preview: got %v, want %v", err, c.want)
			}
			if _, err := r.Give(t.Context(), c.by, id, grants.Choice{}); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			a, err := r.store.Approval(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			if voted := len(a.Votes) > 0; voted != (c.want == nil) {
				t.Errorf("votes: %v", a.Votes)
			}
			if c.want == nil {
				return
			}
			if r.runs(call(c.tool, `{"order":"A1"}`)) {
				t.Error("ran under a grant that nobody could give")
			}
		})
	}
}

func TestWhatCannotBeGranted(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 70<<10)
	for name, c := range map[string]struct {
		tool, args, choice string
		before             func(*rig, string)
		conf               func(*grants.Config)
		want               string
	}{
		"high risk":              {tool: "high", args: `{}`, want: "high risk"},
		"switched off":           {conf: func(c *grants.Config) { c.Off = true }, want: "switches grants off"},
		"too long":               {choice: `{"expires":"61m"}`, want: "1h at most"},
		"too often":              {choice: `{"uses":21}`, want: "20 calls"},
		"less than was set":      {choice: `{"expires":"11m"}`, conf: func(c *grants.Config) { c.Longest = 10 * time.Minute }, want: "10m at most"},
		"beyond what can be set": {choice: `{"expires":"9h"}`, conf: func(c *grants.Config) { c.Longest = 24 * time.Hour }, want: "8h at most"},
		"a scope there is not":   {choice: `{"scope":"all"}`, want: "run, session, subject"},
		"after a change of the tool": {before: func(r *rig, _ string) {
			r.snaps.Swap(gatetest.Catalog{tool(r.t, "refund", `{"type":"object"}`, nil)}, r.snaps.Current().Policy)
		}, want: "tool is no longer"},
		"of a tool that is gone":     {before: func(r *rig, _ string) { r.snaps.Swap(gatetest.Catalog{}, r.snaps.Current().Policy) }, want: "tool is no longer"},
		"after a change of policy":   {before: func(r *rig, _ string) { r.snaps.Swap(r.snaps.Current().Catalog, gatetest.Always(tv.Ask)) }, want: "policy is no longer"},
		"an argument there is not":   {choice: `{"free":{"/nothing":{"either":true}}}`, want: `no single argument "/nothing"`},
		"an object as a whole":       {args: `{"who":{"name":"x"}}`, choice: `{"free":{"/who":{"either":true}}}`, want: "no single argument"},
		"what is sensitive":          {choice: `{"free":{"/card":{"prefix":"4"}}}`, want: "is not shown as it is"},
		"what holds a secret":        {args: `{"order":"x AKIAIOSFODNN7EXAMPLE y"}`, choice: `{"free":{"/order":{"prefix":"x"}}}`, want: "is not shown as it is"},
		"any text":                   {choice: `{"free":{"/order":{"glob":"*"}}}`, want: "any text"},
		"a range the wrong way":      {choice: `{"free":{"/amount":{"between":[9,1]}}}`, want: "above the second"},
		"more than the tool takes":   {choice: `{"free":{"/amount":{"between":[1,501]}}}`, want: "at most 500"},
		"a value the tool refuses":   {choice: `{"free":{"/status":{"in":["open","gone"]}}}`, want: "only its listed values"},
		"a value of another type":    {choice: `{"free":{"/status":{"in":["open",1]}}}`, want: "not all of the list are"},
		"not what the call has":      {choice: `{"free":{"/amount":{"between":[60,70]}}}`, want: "would not be in this class"},
		"text by numbers":            {choice: `{"free":{"/order":{"between":[1,2]}}}`, want: "not of the kind"},
		"a path that is no path":     {choice: `{"free":{"/order":{"under":["/srv"]}}}`, want: "not of the kind"},
		"the root":                   {tool: "file", args: `{"path":"/srv/app/a"}`, choice: `{"free":{"/path":{"under":["/"]}}}`, want: "no folder below the root"},
		"a relative folder":          {tool: "file", args: `{"path":"/srv/app/a"}`, choice: `{"free":{"/path":{"under":["srv"]}}}`, want: "no folder below the root"},
		"a path by its text":         {tool: "file", args: `{"path":"/srv/app/a"}`, choice: `{"free":{"/path":{"prefix":"/srv"}}}`, want: "use under"},
		"a command by its text":      {tool: "run", args: `{"command":"cat a"}`, choice: `{"free":{"/command":{"prefix":"cat "}}}`, want: "by what it does"},
		"a command by a list":        {tool: "run", args: `{"command":"cat a"}`, choice: `{"free":{"/command":{"in":["cat a","cat b"]}}}`, want: "by what it does"},
		"a statement by its form":    {tool: "sql", args: `{"q":"select 1"}`, choice: `{"free":{"/q":{"glob":"select *"}}}`, want: "by what it does"},
		"code by anything":           {tool: "code", args: `{"script":"1"}`, choice: `{"free":{"/script":{"prefix":"1"}}}`, want: "not analysed"},
		"code by what it does":       {tool: "code", args: `{"script":"1"}`, choice: `{"free":{"/script":{"does":[{"kind":"read","under":["/srv"]}]}}}`, want: "not analysed"},
		"a command not understood":   {tool: "run", args: `{"command":"python -c x"}`, choice: `{"free":{"/command":{"does":[{"kind":"execute","programs":["python"]}]}}}`, want: "not understood"},
		"a program not known":        {tool: "run", args: `{"command":"make x"}`, choice: `{"free":{"/command":{"does":[{"kind":"execute","programs":["make"]}]}}}`, want: "would not be in this class"},
		"a command without programs": {tool: "run", args: `{"command":"cat a"}`, choice: `{"free":{"/command":{"does":[{"kind":"read","under":["/srv/app"]}]}}}`, want: "name the programs"},
		"a doing of no kind":         {tool: "run", args: `{"command":"cat a"}`, choice: `{"free":{"/command":{"does":[{"kind":"opaque"}]}}}`, want: "kind must be"},
		"no programs":                {tool: "run", args: `{"command":"cat a"}`, choice: `{"free":{"/command":{"does":[{"kind":"execute"}]}}}`, want: "needs programs"},
		"does of plain text":         {choice: `{"free":{"/order":{"does":[{"kind":"read","under":["/srv"]}]}}}`, want: "is no program"},
		"too much of it":             {args: `{"order":"` + long + `"}`, choice: `{}`, want: "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.tool == "" {
				c.tool = "refund"
			}
			if c.args == "" {
				c.args = `{"order":"A1","amount":50,"status":"open","card":"4111"}`
			}
			if c.choice == "" {
				c.choice = `{}`
			}
			r := newRig(t, c.conf)
			id := r.asked(c.tool, c.args)
			if c.before != nil {
				c.before(r, id)
			}
			_, err := r.Give(t.Context(), boss, id, choice(t, c.choice))
			why, ok := errors.AsType[*grants.Refused](err)
			if !ok || !strings.Contains(why.Refusal(), c.want) {
				t.Fatalf("got %v, want a refusal that says %q", err, c.want)
			}
			if a, err := r.store.Approval(t.Context(), id); err != nil || a.State != tv.ApprovalPending {
				t.Errorf("the call at hand is %s, %v", a.State, err)
			}
		})
	}
}

func TestDecidedApprovalsGrantNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	id := r.asked("refund", `{"order":"A1"}`)
	if _, err := r.desk.Approve(t.Context(), second, id, ""); err != nil {
		t.Fatal(err)
	}
	late := r.asked("refund", `{"order":"A2"}`)
	r.clock.Pass(time.Hour)
	for _, id := range []string{id, late} {
		if _, err := r.Give(t.Context(), boss, id, grants.Choice{}); !errors.Is(err, approval.ErrDecided) {
			t.Errorf("got %v", err)
		}
	}
}

// Two people at once: one of them grants, the other is told.
func TestGrantIsGivenOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	id := r.asked("refund", `{"order":"A1"}`)
	errs := make(chan error, 2)
	for _, by := range []tv.Subject{boss, second} {
		go func() {
			_, err := r.Give(context.Background(), by, id, grants.Choice{})
			errs <- err
		}()
	}
	a, b := <-errs, <-errs
	if (a == nil) == (b == nil) || !errors.Is(errors.Join(a, b), approval.ErrDecided) {
		t.Errorf("got %v and %v", a, b)
	}
	if all, err := r.List(t.Context(), boss, true); err != nil || len(all) != 1 {
		t.Errorf("%d grants, %v", len(all), err)
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	other := func(edit func(*tv.Proposal)) tv.Proposal {
		p := call("refund", `{"order":"A1"}`)
		edit(&p)
		return p
	}
	session := other(func(p *tv.Proposal) { p.Session = "se-2" })
	run := other(func(p *tv.Proposal) { p.Run.ID = "ru-2" })
	both := other(func(p *tv.Proposal) { p.Run.ID, p.Session = "ru-2", "se-2" })
	for scope, want := range map[string][]bool{
		"": {true, false, false}, "run": {true, false, false}, "session": {false, true, false}, "subject": {true, true, true},
	} {
		t.Run(scope, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil)
			pick := `{"uses":20}`
			if scope != "" {
				pick = `{"uses":20,"scope":"` + scope + `"}`
			}
			r.granted("refund", `{"order":"A1"}`, pick)
			r.do(call("refund", `{"order":"A1"}`)) // the approval
			for i, p := range []tv.Proposal{session, run, both} {
				if ran := r.runs(p); ran != want[i] {
					t.Errorf("call %d: ran %v, want %v", i, ran, want[i])
				}
			}
			strange := other(func(p *tv.Proposal) { p.Subject = stranger })
			if r.runs(strange) {
				t.Error("ran for another subject")
			}
		})
	}
}

func TestRevoking(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		by   tv.Subject
		want error
	}{
		"its maker":         {boss, nil},
		"another approver":  {second, nil},
		"an administrator":  {admin, nil},
		"the agent":         {agent, approval.ErrNotEligible},
		"an auditor":        {auditor, approval.ErrNotEligible},
		"another role":      {finance, tv.ErrNotFound},
		"another agent":     {stranger, tv.ErrNotFound},
		"a machine as boss": {tv.Subject{ID: "boss", Kind: tv.Service, Roles: []string{"approver", "admin"}}, tv.ErrNotFound},
		"nobody":            {tv.Subject{}, tv.ErrNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil)
			g := r.granted("refund", `{"order":"A1"}`, `{}`)
			r.do(call("refund", `{"order":"A1"}`)) // the approval
			if !r.runs(call("refund", `{"order":"A1"}`)) {
				t.Fatal("does not run")
			}
			v, err := r.Revoke(t.Context(), c.by, g.ID, "enough\x1b")
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			if ran := r.runs(call("refund", `{"order":"A1"}`)); ran == (c.want == nil) {
				t.Errorf("ran %v", ran)
			}
			if c.want != nil {
				return
			}
			if v.State != "revoked" || v.Revoked.By != c.by.ID || v.Revoked.Reason != "enough\uFFFD" {
				t.Errorf("%+v", v)
			}
			if _, err := r.Revoke(t.Context(), c.by, g.ID, ""); !errors.Is(err, approval.ErrDecided) {
				t.Errorf("twice: %v", err)
			}
			all := r.records()
			i := slices.IndexFunc(all, func(n audit.Numbered) bool { return n.Grant == g.ID && strings.HasPrefix(n.Detail, "revoked") })
			if i < 0 || all[i].Kind != tv.RecordAdmin || all[i].Subject != c.by.ID {
				t.Error("there is no record of it")
			}
		})
	}
}

func TestSeeingGrants(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	g := r.granted("refund", `{"order":"A1"}`, `{}`)
	gone := r.granted("refund", `{"order":"A2"}`, `{"expires":"1m"}`)
	r.clock.Pass(time.Minute)
	for name, c := range map[string]struct {
		by   tv.Subject
		sees bool
	}{
		"its maker": {boss, true}, "another approver": {second, true}, "an administrator": {admin, true}, "an auditor": {auditor, true},
		"the agent": {agent, true}, "the person it works for": {tv.Subject{ID: "clerk", Kind: tv.Person}, true},
		"another agent": {stranger, false}, "another role": {finance, false}, "a viewer": {viewer, false}, "nobody": {tv.Subject{}, false},
	} {
		_, err := r.Get(t.Context(), c.by, g.ID)
		if sees := err == nil; sees != c.sees || !sees && !errors.Is(err, tv.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
		open, err := r.List(t.Context(), c.by, false)
		if err != nil || len(open) != map[bool]int{true: 1}[c.sees] {
			t.Errorf("%s sees %d open ones, %v", name, len(open), err)
		}
		all, err := r.List(t.Context(), c.by, true)
		if err != nil || len(all) != map[bool]int{true: 2}[c.sees] {
			t.Errorf("%s sees %d, %v", name, len(all), err)
		}
	}
	if v, err := r.Get(t.Context(), boss, gone.ID); err != nil || v.State != "expired" {
		t.Errorf("%+v, %v", v, err)
	}
}

// What a grant's condition holds of arguments is gone once it can cover nothing
// more.
func TestConditionsAreForgotten(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	g := r.granted("refund", `{"order":"A1","card":"4111"}`, `{"expires":"1m"}`)
	if n, err := r.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
	r.clock.Pass(time.Minute)
	if n, err := r.Sweep(t.Context()); n != 1 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
	if n, err := r.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("swept %d again, %v", n, err)
	}
	kept, err := r.store.Grant(t.Context(), g.ID)
	if text, _ := json.Marshal(kept); err != nil || strings.Contains(string(text), "4111") || kept.When != nil {
		t.Errorf("%s, %v", text, err)
	}
}

// names resolves to whatever a test says.
type names struct{ ip string }

func (n *names) Resolve(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr(n.ip)}, nil
}

// A fixed argument may come to do something else: what the approver saw of it is
// part of the class.
func TestWhatIsFixedMustDoWhatItDid(t *testing.T) {
	t.Parallel()
	resolver := &names{"93.184.216.34"}
	analyser := &effect.Analyser{Names: resolver}
	r := newRig(t, func(c *grants.Config) { c.Analyser = analyser })
	r.gate.Analyser = analyser
	url := tool(t, "look", `{"type":"object"}`, func(d *tv.Definition) { d.Roles = map[string]tv.Role{"/url": {Kind: tv.RoleURL, Resolve: true}} })
	r.snaps.Swap(gatetest.Catalog(append(r.snaps.Current().Catalog.Tools(), url)), r.snaps.Current().Policy)
	r.granted("look", `{"url":"https://example.com/"}`, `{}`)
	r.do(call("look", `{"url":"https://example.com/"}`))
	if !r.runs(call("look", `{"url":"https://example.com/"}`)) {
		t.Fatal("does not run")
	}
	resolver.ip = "169.254.169.254"
	if r.runs(call("look", `{"url":"https://example.com/"}`)) {
		t.Error("ran though the name leads elsewhere now")
	}
}

// No example is made of a secret: one with another letter in it would be known as
// one to nobody.
func TestExamplesHoldNoSecret(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	id := r.asked("refund", `{"order":"AKIAIOSFODNN7EXAMPLE","amount":5,"card":"4111"}`)
	v, err := r.Preview(t.Context(), boss, id, grants.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(v)
	if err != nil || strings.Contains(string(text), "AKIAIOSF") || strings.Contains(string(text), "4111") {
		t.Errorf("%s, %v", text, err)
	}
	if len(v.Refuses) != 3 || v.Refuses[0].Differs != "/amount" {
		t.Errorf("%+v", v.Refuses)
	}
}
