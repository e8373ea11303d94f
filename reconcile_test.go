// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
	"github.com/toolverdict/toolverdict/ledger"
)

var clerk = tv.Subject{ID: "clerk", Kind: tv.Person}

// bureau is a clerk with a whole gate: its tool server/pay loses every answer,
// and server/look says what the test wants.
type bureau struct {
	*rig

	clerk  *ledger.Clerk
	answer atomic.Pointer[tv.Outcome]
}

// pay is a tool whose calls server/look can be asked about.
func pay(d *tv.Definition) {
	d.Safety, d.Idempotency.Key = tv.Destructive, []string{"/order"}
	d.Reconcile = &tv.Reconcile{
		Tool:      "server/look",
		Arguments: map[string]tv.Term{"order": {From: "/order"}, "full": {Value: []byte(`true`)}},
		Succeeded: []tv.Finding{{At: "/state", Is: []tv.Term{{Value: []byte(`"paid"`)}, {Value: []byte(`"sent"`)}}}, {At: "/amount", Is: []tv.Term{{From: "/amount"}}}},
		Failed:    []tv.Finding{{At: "/state", Is: []tv.Term{{Value: []byte(`"open"`)}}}, {At: "/payments/0", Exists: new(false)}},
	}
}

func newBureau(t *testing.T, look tv.Verdict, tools ...*tv.Tool) *bureau {
	t.Helper()
	b := &bureau{}
	if tools == nil {
		tools = []*tv.Tool{gatetest.Tool("pay", pay), gatetest.Tool("look", nil)}
	}
	policy := gatetest.Policy{Name: "p", Func: func(r tv.Request) tv.Decision {
		if r.Tool.Name() == "server/look" {
			return gatetest.Says(look)
		}
		return gatetest.Says(tv.Allow)
	}}
	hidden := gatetest.Redactor{Secret: "s3cret"}
	b.rig = newRig(t, policy, tools, func(c *tv.Config) { c.Redactor = hidden })
	b.exec.Func = func(_ context.Context, p tv.Permit) tv.Outcome {
		if p.Tool().Name() == "server/look" {
			return *b.answer.Load()
		}
		return tv.Outcome{Status: tv.Unknown}
	}
	book, err := ledger.New(ledger.Config{Store: b.store, Now: b.clock.Now, Text: hidden.Text})
	if err != nil {
		t.Fatal(err)
	}
	b.clerk = &ledger.Clerk{Book: book, Gate: b.Gate, Run: func(tv.Subject) tv.Run { return tv.Run{} }}
	return b
}

// says sets what server/look answers.
func (b *bureau) says(content string) {
	b.answer.Store(&tv.Outcome{Status: tv.Succeeded, Content: []byte(content)})
}

// lose makes a call whose answer is lost, and returns its entry.
func (b *bureau) lose(args string) tv.Claim {
	b.t.Helper()
	res, err := b.Do(b.t.Context(), tv.Proposal{Tool: "server/pay", Arguments: []byte(args), Subject: caller})
	if err != nil || res.Error == nil || res.Error.Code != tv.OutcomeUnknown {
		b.t.Fatalf("the call was not lost: %+v, %v", res.Error, err)
	}
	all, err := b.store.Claims(b.t.Context(), tv.ClaimQuery{State: tv.ClaimUnknown})
	if err != nil || len(all) != 1 {
		b.t.Fatalf("%d lost calls, %v", len(all), err)
	}
	return all[0]
}

func (b *bureau) state(key string) tv.ClaimState {
	b.t.Helper()
	c, err := b.store.Claim(b.t.Context(), key)
	if err != nil {
		b.t.Fatal(err)
	}
	if over := c.State == tv.ClaimSucceeded || c.State == tv.ClaimFailed; over == (c.Reconcile != nil) {
		b.t.Errorf("the entry is %s and has a call to ask with: %v", c.State, c.Reconcile != nil)
	}
	return c.State
}

const lost = `{"order":"A-1","amount":"9.50"}`

func TestWhatAnAnswerMeans(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		want   tv.ClaimState
		doubt  ledger.Doubt
	}{
		"it ran":                  {`{"state":"paid","amount":"9.50"}`, tv.ClaimSucceeded, ""},
		"another word for it":     {`{"state":"sent","amount":"9.50"}`, tv.ClaimSucceeded, ""},
		"structured":              {`{"content":[],"structuredContent":{"state":"paid","amount":"9.50"}}`, tv.ClaimSucceeded, ""},
		"one text":                {`{"content":[{"type":"text","text":"{\"state\":\"paid\",\"amount\":\"9.50\"}"}]}`, tv.ClaimSucceeded, ""},
		"it did not run":          {`{"state":"open","payments":[]}`, tv.ClaimFailed, ""},
		"another amount":          {`{"state":"paid","amount":"9.5"}`, tv.ClaimUnknown, ledger.DoubtNeither},
		"half of it":              {`{"state":"paid"}`, tv.ClaimUnknown, ledger.DoubtNeither},
		"another type":            {`{"state":true,"amount":9.5}`, tv.ClaimUnknown, ledger.DoubtNeither},
		"something is there":      {`{"state":"open","payments":[{}]}`, tv.ClaimUnknown, ledger.DoubtNeither},
		"no place for it":         {`{"state":"open"}`, tv.ClaimUnknown, ledger.DoubtNeither},
		"no list":                 {`{"state":"open","payments":"none"}`, tv.ClaimUnknown, ledger.DoubtNeither},
		"nothing":                 {`{}`, tv.ClaimUnknown, ledger.DoubtNeither},
		"null":                    {`null`, tv.ClaimUnknown, ledger.DoubtNeither},
		"structured comes first":  {`{"structuredContent":null,"content":[{"type":"text","text":"{\"state\":\"paid\",\"amount\":\"9.50\"}"}]}`, tv.ClaimUnknown, ledger.DoubtNeither},
		"said twice":              {`{"state":"open","state":"paid","amount":"9.50"}`, tv.ClaimUnknown, ledger.DoubtUnreadable},
		"said in two spellings":   {`{"state":"paid","State":"open","amount":"9.50"}`, tv.ClaimUnknown, ledger.DoubtUnreadable},
		"two texts":               {`{"content":[{"type":"text","text":"{}"},{"type":"text","text":"{}"}]}`, tv.ClaimUnknown, ledger.DoubtUnreadable},
		"no text":                 {`{"content":[{"type":"image","data":""}]}`, tv.ClaimUnknown, ledger.DoubtUnreadable},
		"a sentence":              {`{"content":[{"type":"text","text":"it is paid"}]}`, tv.ClaimUnknown, ledger.DoubtUnreadable},
		"more than can be read":   {`{"state":"paid","amount":"9.50","x":"` + strings.Repeat("x", 1<<20) + `"}`, tv.ClaimUnknown, ledger.DoubtUnreadable},
		"deeper than can be read": {`{"state":"paid","amount":"9.50","x":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `}`, tv.ClaimUnknown, ledger.DoubtUnreadable},
		"no answer":               {``, tv.ClaimUnknown, ledger.DoubtUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBureau(t, tv.Allow)
			entry := b.lose(lost)
			b.says(c.answer)
			b.clock.Pass(time.Hour)
			found, err := b.clerk.Reconcile(t.Context(), clerk, entry.Key)
			if err != nil || found.State != c.want || found.Doubt != c.doubt {
				t.Fatalf("found %q, %q (%s), %v; want %q, %q", found.State, found.Doubt, found.Detail, err, c.want, c.doubt)
			}
			if got := b.state(entry.Key); got != c.want {
				t.Errorf("the entry is %s", got)
			}
			if len(c.answer) < 1000 && string(found.Answer) != c.answer || len(found.Answer) > 64<<10 {
				t.Errorf("the answer is handed on as %.100s", found.Answer)
			}
			if ran := b.exec.Ran(); len(ran) != 2 || ran[1].Arguments != `{"full":true,"order":"A-1"}` {
				t.Errorf("ran %v", ran)
			}
		})
	}
}

// Both at once is a mistake of whoever wrote the catalog, or a server's game.
func TestAnAnswerThatTellsBothSettlesNothing(t *testing.T) {
	t.Parallel()
	b := newBureau(t, tv.Allow, gatetest.Tool("look", nil), gatetest.Tool("pay", func(d *tv.Definition) {
		pay(d)
		d.Reconcile.Succeeded, d.Reconcile.Failed = d.Reconcile.Succeeded[:1], []tv.Finding{{At: "/error", Exists: new(true)}}
	}))
	entry := b.lose(lost)
	b.says(`{"state":"paid","error":"no"}`)
	b.clock.Pass(time.Hour)
	if found, err := b.clerk.Reconcile(t.Context(), clerk, entry.Key); err != nil || found.Doubt != ledger.DoubtNeither || b.state(entry.Key) != tv.ClaimUnknown {
		t.Errorf("%+v, %v", found, err)
	}
}

// A call may be on its way still when its tool is asked for it. Taking that for
// a failure would let it be made again.
func TestNotSeenYetIsNoFailure(t *testing.T) {
	t.Parallel()
	b := newBureau(t, tv.Allow)
	entry := b.lose(lost)
	b.says(`{"state":"open","payments":[]}`)
	b.clock.Pass(5*time.Minute - 1)
	if found, err := b.clerk.Reconcile(t.Context(), clerk, entry.Key); err != nil || found.Doubt != ledger.DoubtEarly || b.state(entry.Key) != tv.ClaimUnknown {
		t.Fatalf("too early: %+v, %v", found, err)
	}
	b.clock.Pass(1)
	if found, err := b.clerk.Reconcile(t.Context(), clerk, entry.Key); err != nil || found.State != tv.ClaimFailed || b.state(entry.Key) != tv.ClaimFailed {
		t.Errorf("in time: %+v, %v", found, err)
	}
}

func TestTheAskingIsACallLikeAny(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		verdict tv.Verdict
		bend    func(b *bureau)
		doubt   ledger.Doubt
		asked   bool // the tool was reached
	}{
		"denied":        {tv.Deny, nil, ledger.DoubtRefused, false},
		"asks a person": {tv.Ask, nil, ledger.DoubtWaits, false},
		"no such tool": {tv.Allow, func(b *bureau) {
			b.snaps.Swap(gatetest.Catalog{}, gatetest.Always(tv.Allow))
		}, ledger.DoubtRefused, false},
		"a tool that changes things now": {tv.Allow, func(b *bureau) {
			b.snaps.Swap(gatetest.Catalog{gatetest.Tool("look", gatetest.Destructive)}, gatetest.Always(tv.Allow))
		}, ledger.DoubtRefused, false},
		"switched off": {tv.Allow, func(b *bureau) {
			b.clerk.Run = func(tv.Subject) tv.Run { return tv.Run{Disabled: []string{"server/look"}} }
		}, ledger.DoubtRefused, false},
		"an error": {tv.Allow, func(b *bureau) {
			b.answer.Store(&tv.Outcome{Status: tv.Failed, Code: tv.ToolError, Message: "no \u202es3cret", Content: []byte(`{"state":"paid","amount":"9.50"}`)})
		}, ledger.DoubtTool, true},
		"lost": {tv.Allow, func(b *bureau) {
			b.answer.Store(&tv.Outcome{Status: tv.Unknown, Code: tv.ToolTimeout})
		}, ledger.DoubtTool, true},
		"more questions": {tv.Allow, func(b *bureau) {
			b.answer.Store(&tv.Outcome{Status: tv.Paused, Content: []byte(`{"state":"paid","amount":"9.50"}`)})
		}, ledger.DoubtTool, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBureau(t, c.verdict)
			entry := b.lose(lost)
			b.says(`{"state":"paid","amount":"9.50"}`)
			if c.bend != nil {
				c.bend(b)
			}
			found, err := b.clerk.Reconcile(t.Context(), clerk, entry.Key)
			if err != nil || found.Doubt != c.doubt || b.state(entry.Key) != tv.ClaimUnknown {
				t.Fatalf("%+v, %v", found, err)
			}
			if asked := len(b.exec.Ran()) == 2; asked != c.asked {
				t.Errorf("the tool was reached: %v", asked)
			}
			if strings.Contains(found.Detail, "s3cret") || strings.Contains(found.Detail, "\u202e") {
				t.Errorf("it shows %q", found.Detail)
			}
			if (found.Confirmation != "") != (c.doubt == ledger.DoubtWaits) {
				t.Errorf("confirmation %q", found.Confirmation)
			}
			if last := b.last(tv.RecordDecision); last.Subject != clerk.ID || last.Tool != "server/look" || !last.ReadOnlyRun {
				t.Errorf("the asking is recorded as %+v", last)
			}
		})
	}
}

// last returns the newest record of a kind.
func (b *bureau) last(kind tv.RecordKind) tv.Record {
	b.t.Helper()
	for _, rec := range slices.Backward(b.records()) {
		if rec.Kind == kind {
			return rec.Record
		}
	}
	b.t.Fatalf("there is no %s", kind)
	return tv.Record{}
}

// A question that a person approved is answered once; a repeat gets the stored
// answer, which may be older than the call that is asked about.
func TestAStoredAnswerSettlesNothing(t *testing.T) {
	t.Parallel()
	b := newBureau(t, tv.Ask)
	b.says(`{"state":"open","payments":[]}`)
	first := b.lose(lost)
	b.clock.Pass(10 * time.Minute)
	approved := func() ledger.Found {
		found, err := b.clerk.Reconcile(t.Context(), clerk, first.Key)
		if err != nil {
			t.Fatal(err)
		}
		if found.Confirmation == "" {
			return found
		}
		if _, err := b.desk.Approve(t.Context(), approver, found.Confirmation, ""); err != nil {
			t.Fatal(err)
		}
		if found, err = b.clerk.Reconcile(t.Context(), clerk, first.Key); err != nil {
			t.Fatal(err)
		}
		return found
	}
	if found := approved(); found.State != tv.ClaimFailed {
		t.Fatalf("once approved, the tool was not asked: %+v", found)
	}
	b.lose(lost) // it failed, so it may be made again, and is lost again
	b.clock.Pass(6 * time.Minute)
	if found := approved(); found.Doubt != ledger.DoubtStale || b.state(first.Key) != tv.ClaimUnknown {
		t.Errorf("settled by an answer from before: %+v", found)
	}
}

// Between question and answer somebody else settles the entry, and its call is
// made and lost again: the answer is about no such call.
func TestAnAnswerIsAboutOneCallOnly(t *testing.T) {
	t.Parallel()
	b := newBureau(t, tv.Allow)
	entry := b.lose(lost)
	b.clock.Pass(time.Hour)
	b.says(`{"state":"open","payments":[]}`)
	ask := b.Gate
	b.clerk.Gate = gateFunc(func(ctx context.Context, p tv.Proposal) (tv.Result, error) {
		res, err := ask.Do(ctx, p)
		if err := b.clerk.Settle(ctx, clerk, entry.Key, tv.ClaimFailed, "looked"); err != nil {
			t.Fatal(err)
		}
		b.lose(lost)
		return res, err
	})
	_, err := b.clerk.Reconcile(t.Context(), clerk, entry.Key)
	if _, conflict := errors.AsType[*tv.ConflictError](err); !conflict || b.state(entry.Key) != tv.ClaimUnknown {
		t.Errorf("settled by another call's answer: %v", err)
	}
}

type gateFunc func(ctx context.Context, p tv.Proposal) (tv.Result, error)

func (f gateFunc) Do(ctx context.Context, p tv.Proposal) (tv.Result, error) { return f(ctx, p) }

func TestWhoAndWhatCanBeAsked(t *testing.T) {
	t.Parallel()
	b := newBureau(t, tv.Allow)
	entry := b.lose(lost)
	b.says(`{"state":"paid","amount":"9.50"}`)
	for key, state := range map[string]tv.ClaimState{"running": tv.ClaimDispatched, "bare": tv.ClaimUnknown} {
		err := b.store.Commit(t.Context(), tv.Changes{
			Records: []tv.Record{{Kind: tv.RecordDecision, At: b.clock.Now()}},
			Claims:  []tv.ClaimChange{{To: tv.Claim{Key: key, State: state, Updated: b.clock.Now(), Deadline: b.clock.Now().Add(time.Minute)}}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		by   tv.Subject
		key  string
		want error
	}{
		"an agent":      {caller, entry.Key, ledger.ErrIncomplete},
		"nobody":        {tv.Subject{Kind: tv.Person}, entry.Key, ledger.ErrIncomplete},
		"no entry":      {clerk, "nothing", tv.ErrNotFound},
		"still running": {clerk, "running", ledger.ErrNotUnknown},
		"nobody to ask": {clerk, "bare", ledger.ErrNoReconcile},
	} {
		if _, err := b.clerk.Reconcile(t.Context(), c.by, c.key); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if ran := b.exec.Ran(); len(ran) != 1 {
		t.Errorf("asked all the same: %v", ran)
	}
	broken := errors.New("the gate is broken")
	b.clerk.Gate = gateFunc(func(context.Context, tv.Proposal) (tv.Result, error) { return tv.Result{}, broken })
	if _, err := b.clerk.Reconcile(t.Context(), clerk, entry.Key); !errors.Is(err, broken) || b.state(entry.Key) != tv.ClaimUnknown {
		t.Errorf("a fault of the gate: %v", err)
	}
}

// The evidence names the call that asked and what of its answer counted, and no
// value of the lost call's arguments: they may be private.
func TestEvidenceOfAnAnswer(t *testing.T) {
	t.Parallel()
	b := newBureau(t, tv.Allow)
	entry := b.lose(`{"order":"A-1","amount":"private"}`)
	b.says(`{"state":"paid","amount":"private","note":"\u202e s3cret"}`)
	found, err := b.clerk.Reconcile(t.Context(), clerk, entry.Key)
	if err != nil {
		t.Fatal(err)
	}
	rec := b.last(tv.RecordAdmin)
	sum := fmt.Sprintf("%x", sha256.Sum256(found.Answer))
	want := tv.Record{
		Kind: tv.RecordAdmin, At: b.clock.Now(), CallID: entry.CallID, Subject: clerk.ID, Tool: "server/pay", Key: entry.Key, Claim: tv.ClaimSucceeded,
		Detail: "asked server/look (call " + found.CallID + "), whose answer has the SHA-256 " + sum + `: /state is "paid", /amount is the call's /amount`,
	}
	if d := cmp.Diff(want, rec); d != "" || found.Detail != rec.Detail {
		t.Errorf("record (-want +got):\n%s", d)
	}
	if strings.Contains(string(found.Answer), "s3cret") {
		t.Errorf("the answer shows a secret: %s", found.Answer)
	}
	res, err := b.Do(t.Context(), tv.Proposal{Tool: "server/pay", Arguments: []byte(`{"order":"A-1","amount":"private"}`), Subject: caller})
	if err != nil || !res.Success || !res.Replayed {
		t.Errorf("a repeat of what is settled: %+v, %v", res, err)
	}
}

// What a lost call did not have cannot be asked about.
func TestACallWithoutTheReferenceCannotBeAskedAbout(t *testing.T) {
	t.Parallel()
	b := newBureau(t, tv.Allow)
	entry := b.lose(`{"order":"A-1"}`)
	if _, err := b.clerk.Reconcile(t.Context(), clerk, entry.Key); !errors.Is(err, ledger.ErrNoReconcile) {
		t.Errorf("%v", err)
	}
}
