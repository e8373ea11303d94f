// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict_test

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/internal/redact"
)

// shellTool takes a command, an address to fetch and a secret.
func shellTool(safety tv.Safety) *tv.Tool {
	return gatetest.Tool("shell", func(d *tv.Definition) {
		d.Safety = safety
		d.Roles = map[string]tv.Role{"/command": {Kind: tv.RoleShell}, "/url": {Kind: tv.RoleURL}, "/keys/*/pin": {Kind: tv.RoleCode}}
		d.Sensitive = []string{"/keys/*"}
	})
}

func analysing(effects ...tv.Effect) func(*tv.Config) {
	return func(c *tv.Config) {
		c.Analyser = gatetest.Analyser(func(*tv.Tool, tv.Value) tv.Analysis { return tv.Analysis{Effects: effects} })
	}
}

// A policy sees what the analyser found, records and cards say it, and the
// outcome does not repeat it.
func TestEffectsReachPolicyRecordAndCard(t *testing.T) {
	t.Parallel()
	var got []tv.Effect
	policy := gatetest.Policy{Name: "looks", Func: func(r tv.Request) tv.Decision {
		got = r.Effects
		return gatetest.Says(tv.Ask)
	}}
	found := tv.Effect{Kind: tv.EffectDelete, Source: "/command", Path: "/srv", Deep: true}
	r := newRig(t, policy, []*tv.Tool{shellTool(tv.Destructive)}, analysing(found))
	p := call("shell", `{"command":"rm -r /srv"}`)
	asked := r.do(p)
	r.want(asked, tv.ConfirmationRequired)
	if diff := cmp.Diff([]tv.Effect{found}, got); diff != "" {
		t.Error(diff)
	}
	a, err := r.store.Approval(context.Background(), asked.Confirmation.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]tv.Effect{found}, a.Card.Effects); diff != "" {
		t.Error(diff)
	}
	p.Confirmation = r.approve(asked)
	r.want(r.do(p), "")
	for _, rec := range r.records() {
		switch intent := rec.Kind == tv.RecordDecision; {
		case intent && !cmp.Equal(rec.Effects, []tv.Effect{found}):
			t.Errorf("a decision's record has the effects %v", rec.Effects)
		case rec.Kind == tv.RecordOutcome && rec.Effects != nil:
			t.Errorf("the outcome repeats the effects %v", rec.Effects)
		}
	}
}

// What a record or card shows of effects holds no secret, nothing of a sensitive
// argument, nothing that a terminal acts on, and is bounded.
func TestEffectsThatAreShownHideSecrets(t *testing.T) {
	t.Parallel()
	effects := []tv.Effect{
		{Kind: tv.EffectExecute, Source: "/command", Program: "curl", Argv: []string{"curl", "hunter2", "a\x00"}, Verb: "\x1b[2J"},
		{Kind: tv.EffectOpaque, Source: "/keys/0/pin", Detail: "4711", Path: "/4711"},
		{Kind: tv.EffectQuery, Source: "/command", Query: &tv.Query{Verb: "select", Reads: []string{"hunter2"}}},
	}
	for i := range 100 {
		effects = append(effects, tv.Effect{Kind: tv.EffectRead, Source: "/command", Path: fmt.Sprintf("/%d", i)})
	}
	r := newRig(t, gatetest.Always(tv.Allow), []*tv.Tool{shellTool(tv.Destructive)}, func(c *tv.Config) {
		analysing(effects...)(c)
		c.Redactor = gatetest.Redactor{Secret: "hunter2"}
	})
	r.want(r.do(call("shell", `{"command":"x"}`)), "")
	rec := r.records()[0]
	want := []tv.Effect{
		{Kind: tv.EffectExecute, Source: "/command", Program: "curl", Argv: []string{"curl", "[HIDDEN]", "a…"}, Verb: "\uFFFD[2J"},
		{Kind: tv.EffectOpaque, Source: "/keys/0/pin", Detail: "of an argument that is not shown"},
		{Kind: tv.EffectQuery, Source: "/command", Query: &tv.Query{Verb: "select", Reads: []string{"[HIDDEN]"}}},
	}
	if diff := cmp.Diff(want, rec.Effects[:3]); diff != "" {
		t.Error(diff)
	}
	if len(rec.Effects) != 64 || rec.EffectsLeft != 39 {
		t.Errorf("%d effects are shown and %d are said to be left", len(rec.Effects), rec.EffectsLeft)
	}
	if effects[0].Argv[1] != "hunter2" || effects[2].Query.Reads[0] != "hunter2" {
		t.Error("what the policy saw was changed by hiding")
	}
}

// The word behind --password is a secret in the command, and a word like any
// other by itself: it is in no part of an effect. What else the call does is seen.
func TestSecretsOfACommandAreInNoEffect(t *testing.T) {
	t.Parallel()
	const secret = "hunter2x"
	effects := []tv.Effect{
		{Kind: tv.EffectExecute, Source: "/command", Program: "mysql", Argv: []string{"mysql", "--password", secret}, Detail: "1:1"},
		{Kind: tv.EffectRead, Source: "/command", Path: "/srv/" + secret},
		{Kind: tv.EffectDelete, Source: "/command", Path: "/srv/data", Deep: true},
		{Kind: tv.EffectOpaque, Detail: secret},
	}
	key := bytes.Repeat([]byte{7}, 32)
	for _, args := range []string{`{"command": "mysql --password hunter2x; rm -r /srv/DATA"}`, `{"command":"mysql --password hunter2x; rm -r /srv/data"}`} {
		r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{shellTool(tv.Destructive)}, func(c *tv.Config) {
			analysing(effects...)(c)
			var err error
			if c.Redactor, err = redact.New(redact.Config{Key: key}); err != nil {
				t.Fatal(err)
			}
		})
		res := r.do(call("shell", args))
		r.want(res, tv.ConfirmationRequired)
		a, err := r.store.Approval(t.Context(), res.Confirmation.ID)
		if err != nil {
			t.Fatal(err)
		}
		const why = "its argument holds a secret"
		want := []tv.Effect{
			{Kind: tv.EffectExecute, Source: "/command", Program: "mysql", Argv: []string{"mysql", "--password", "[not shown]"}, Detail: why},
			{Kind: tv.EffectRead, Source: "/command", Path: "[not shown]", Detail: why},
			{Kind: tv.EffectDelete, Source: "/command", Path: "/srv/data", Deep: true, Detail: why},
			{Kind: tv.EffectOpaque, Detail: "of an argument that is not shown"},
		}
		for what, got := range map[string][]tv.Effect{"record": r.records()[0].Effects, "card": a.Card.Effects} {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s of %s: %s", what, args, diff)
			}
		}
	}
}

// A record, which is kept and copied, does not name home folders; a person who
// decides sees which path it is.
func TestWhoDecidesSeesPaths(t *testing.T) {
	t.Parallel()
	read := tv.Effect{Kind: tv.EffectRead, Source: "/command", Path: "/home/ana/notes"}
	r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{shellTool(tv.Destructive)}, func(c *tv.Config) {
		analysing(read)(c)
		c.Redactor = gatetest.Redactor{Home: "/home/ana"}
	})
	res := r.do(call("shell", `{"command":"cat /home/ana/notes"}`))
	r.want(res, tv.ConfirmationRequired)
	rec := r.records()[0]
	if rec.Effects[0].Path != "[HOME]/notes" || string(rec.Arguments) != `{"command":"cat [HOME]/notes"}` {
		t.Errorf("the record has %v and %s", rec.Effects, rec.Arguments)
	}
	a, err := r.store.Approval(t.Context(), res.Confirmation.ID)
	if err != nil {
		t.Fatal(err)
	}
	const shown = `{"command":"cat /home/ana/notes"}`
	if a.Card.Effects[0].Path != "/home/ana/notes" || string(a.Card.Arguments) != shown || a.Card.Whole != nil {
		t.Errorf("the card has %v, %s and %s", a.Card.Effects, a.Card.Arguments, a.Card.Whole)
	}
}

// A tool that is declared read-only is held to it, whatever the rules say.
func TestReadOnlyIsHeldToItsWord(t *testing.T) {
	t.Parallel()
	reads := tv.Effect{Kind: tv.EffectRead, Source: "/command", Path: "/srv"}
	for name, c := range map[string]struct {
		effect tv.Effect
		passes bool
	}{
		"reads":                    {reads, true},
		"reads names":              {tv.Effect{Kind: tv.EffectRead, Source: "/command", Names: true}, true},
		"writes":                   {tv.Effect{Kind: tv.EffectWrite, Source: "/command"}, false},
		"deletes":                  {tv.Effect{Kind: tv.EffectDelete, Source: "/command"}, false},
		"runs":                     {tv.Effect{Kind: tv.EffectExecute, Source: "/command", Known: true}, false},
		"sends":                    {tv.Effect{Kind: tv.EffectSend, Source: "/command"}, false},
		"spends":                   {tv.Effect{Kind: tv.EffectSpend, Source: "/command"}, false},
		"opaque":                   {tv.Effect{Kind: tv.EffectOpaque, Source: "/command"}, false},
		"a kind of a later day":    {tv.Effect{Kind: "teleport", Source: "/command"}, false},
		"connects by its URL":      {tv.Effect{Kind: tv.EffectConnect, Source: "/url"}, true},
		"connects by one of them":  {tv.Effect{Kind: tv.EffectConnect, Source: "/url/3"}, true},
		"connects by its command":  {tv.Effect{Kind: tv.EffectConnect, Source: "/command"}, false},
		"connects from nowhere":    {tv.Effect{Kind: tv.EffectConnect}, false},
		"queries":                  {tv.Effect{Kind: tv.EffectQuery, Query: &tv.Query{Verb: "select", Reads: []string{"a"}}}, true},
		"a query that is not told": {tv.Effect{Kind: tv.EffectQuery}, false},
		"a query that changes":     {tv.Effect{Kind: tv.EffectQuery, Query: &tv.Query{Verb: "select", Changes: []string{"a"}}}, false},
		"a query that calls":       {tv.Effect{Kind: tv.EffectQuery, Query: &tv.Query{Verb: "select", Functions: []string{"f"}}}, false},
		"a query of another verb":  {tv.Effect{Kind: tv.EffectQuery, Query: &tv.Query{Verb: "set"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, gatetest.Always(tv.Allow), []*tv.Tool{shellTool(tv.ReadOnly)}, analysing(reads, c.effect))
			res := r.do(call("shell", `{"command":"x"}`))
			if c.passes {
				r.want(res, "")
				return
			}
			r.want(res, tv.PolicyDenied)
			if !strings.Contains(res.Error.Message, "declared read-only") || res.StateChanged != tv.Unchanged || !res.SecurityBlocked {
				t.Errorf("got %+v", res.Error)
			}
			r.wantRuns(0)
			if recs := r.records(); len(recs) != 1 || recs[0].Code != tv.PolicyDenied || len(recs[0].Effects) != 2 {
				t.Errorf("the records are %+v", recs)
			}
			destructive := newRig(t, gatetest.Always(tv.Allow), []*tv.Tool{shellTool(tv.Destructive)}, analysing(reads, c.effect))
			destructive.want(destructive.do(call("shell", `{"command":"x"}`)), "")
		})
	}
}

// An analyser that breaks down ends in a denial; one that is not needed is not
// asked.
func TestAnalyserThatFails(t *testing.T) {
	t.Parallel()
	r := newRig(t, gatetest.Always(tv.Allow), []*tv.Tool{shellTool(tv.Destructive), gatetest.Tool("plain", nil)}, func(c *tv.Config) {
		c.Analyser = gatetest.Analyser(func(*tv.Tool, tv.Value) tv.Analysis { panic("broken") })
	})
	if res, err := r.Do(context.Background(), call("shell", `{}`)); err == nil || code(res) != tv.GateUnavailable {
		t.Errorf("got %v, %v", res.Error, err)
	}
	r.wantRuns(0)
	r.want(r.do(call("plain", `{}`)), "")
}

// Addresses that the decision rests on reach whoever runs the call.
func TestPinnedAddressesReachTheExecutor(t *testing.T) {
	t.Parallel()
	pins := map[string][]netip.Addr{"example.com": {netip.MustParseAddr("192.0.2.1")}}
	r := newRig(t, gatetest.Always(tv.Allow), []*tv.Tool{shellTool(tv.Destructive)}, func(c *tv.Config) {
		c.Analyser = gatetest.Analyser(func(*tv.Tool, tv.Value) tv.Analysis { return tv.Analysis{Addresses: pins} })
	})
	var got map[string][]netip.Addr
	r.exec.Func = func(_ context.Context, p tv.Permit) tv.Outcome {
		got = p.Addresses()
		return tv.Outcome{Status: tv.Succeeded}
	}
	r.want(r.do(call("shell", `{"url":"https://example.com"}`)), "")
	if len(got["example.com"]) != 1 || got["example.com"][0] != pins["example.com"][0] {
		t.Errorf("got %v", got)
	}
}

func TestEffectInWords(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]tv.Effect{
		"delete /srv and what is below":                      {Kind: tv.EffectDelete, Path: "/srv", Deep: true},
		"read /srv/*.go":                                     {Kind: tv.EffectRead, Path: "/srv", Deep: true, Pattern: "/srv/*.go"},
		"read the names of /srv":                             {Kind: tv.EffectRead, Path: "/srv", Names: true},
		"write a file that is not known":                     {Kind: tv.EffectWrite},
		"execute git push … main":                            {Kind: tv.EffectExecute, Program: "git", Argv: []string{"git", "push", "\x00", "main"}},
		"execute make":                                       {Kind: tv.EffectExecute, Program: "make"},
		"connect https example.com:443 at 10.0.0.1, private": {Kind: tv.EffectConnect, Scheme: "https", Host: "example.com", Port: 443, IP: "10.0.0.1", Network: "private"},
		"send cc a@example.com":                              {Kind: tv.EffectSend, Field: "cc", Recipient: "a@example.com"},
		"spend 12.50 EUR":                                    {Kind: tv.EffectSpend, Amount: "12.50", Currency: "EUR"},
		"query delete users, any number of rows, reads a, b, calls f": {Kind: tv.EffectQuery, Query: &tv.Query{
			Verb: "delete", Changes: []string{"users"}, Reads: []string{"a", "b"}, Functions: []string{"f"},
		}},
		"query":             {Kind: tv.EffectQuery},
		"opaque (too long)": {Kind: tv.EffectOpaque, Detail: "too long"},
	} {
		if got := e.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
