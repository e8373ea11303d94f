// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package notifytest

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/notify"
	"github.com/toolverdict/toolverdict/internal/notify/words"
)

// Run runs the suite.
func Run(t *testing.T, s Subject) {
	t.Helper()
	for name, test := range map[string]func(*bench){
		"approve":                approves,
		"reject":                 rejects,
		"the same event twice":   replayed,
		"an unknown button":      unknownButton,
		"an expired approval":    expired,
		"an account of nobody":   notLinked,
		"the requester":          requester,
		"without the role":       withoutRole,
		"pressed twice":          pressedTwice,
		"approve against reject": race,
		"the store is down":      storeDown,
		"the store stalls":       storeStalls,
		"high risk":              highRisk,
		"a risk not switched on": notSwitchedOn,
		"a text that was cut":    notWhole("Run echo aaaaaaaaaaaaaaaaaaaa… here"),
		"a text left out":        notWhole("Write [40961 bytes] to /srv/app/a"),
		"a long sentence":        notWhole("Run " + strings.Repeat("x", 160)),
		"decided elsewhere":      decidedElsewhere,
		"the channel is down":    channelDown,
		"harmless":               harmless,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(open(t, s, words.English))
		})
	}
	for name, p := range map[string]struct {
		press Press
		late  time.Duration
		why   string
	}{
		"tampered":        {Press{Forge: Tampered}, 0, signature(s)},
		"wrong key":       {Press{Forge: WrongKey}, 0, signature(s)},
		"malformed":       {Press{Forge: Malformed}, 0, "documented form"},
		"oversized":       {Press{Forge: Oversized}, 0, "too large"},
		"stale":           {Press{}, -notify.MaxAge - time.Second, "too old"},
		"from the future": {Press{}, notify.MaxAge + time.Second, "from the future"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t, s, words.English)
			a, token := b.waiting(nil)
			p.press.Token, p.press.At = token, b.clock.Now().Add(p.late)
			if told := b.press(p.press); !told.Refused {
				t.Errorf("it was believed: %+v", told)
			}
			b.untouched(a.ID, p.why)
			// Strangers cannot fill the log.
			for range 100 {
				b.press(p.press)
			}
			if n := len(b.store.refused()); n > 10 {
				t.Errorf("101 refused clicks left %d records", n)
			}
			// The honest one still counts.
			if b.press(Press{Token: token}); b.now(a.ID).State != tv.ApprovalApproved {
				t.Errorf("it is %s after an honest press", b.now(a.ID).State)
			}
		})
	}
	for _, language := range []words.Language{words.English, words.Chinese} {
		t.Run("card in "+string(language), func(t *testing.T) {
			t.Parallel()
			b := open(t, s, language)
			_, token := b.waiting(nil)
			shown := strings.ReplaceAll(string(b.platform.Shown()), token, "TOKEN")
			shown = regexp.MustCompile("tv-[0-9a-f]{32}").ReplaceAllString(shown, "DELIVERY")
			golden(t, language, []byte(shown), s.Update)
		})
	}
}

// signature is why a forged callback is refused: without signatures, for whom it
// is of.
func signature(s Subject) string {
	if s.NoSignature {
		return "organisation"
	}
	return "signature"
}

func approves(b *bench) {
	a, token := b.waiting(nil)
	told := b.press(Press{Token: token})
	is := b.now(a.ID)
	if told.Refused || is.State != tv.ApprovalApproved || len(is.Votes) != 1 || is.Votes[0].By.ID != alice {
		b.Fatalf("told %+v; it is %s by %v", told, is.State, is.Votes)
	}
	b.ended()
}

// ended checks that the card has no buttons any more, for anybody.
func (b *bench) ended() {
	b.Helper()
	b.deliver()
	if token := b.platform.Token(); token != "" {
		b.Errorf("the card still has buttons: %s", b.platform.Shown())
	}
}

func rejects(b *bench) {
	a, token := b.waiting(nil)
	b.press(Press{Token: token, Vote: notify.Reject})
	if is := b.now(a.ID); is.State != tv.ApprovalRejected {
		b.Errorf("it is %s", is.State)
	}
	b.ended()
}

func replayed(b *bench) {
	a, token := b.waiting(func(a *tv.Approval) { a.Requirements[0].Quorum = 2 })
	p := Press{Event: "one-event", Token: token}
	b.press(p)
	b.press(p)
	if is := b.now(a.ID); len(is.Votes) != 1 {
		b.Errorf("votes: %v", is.Votes)
	}
	if got := b.store.refused(); len(got) != 1 || !strings.Contains(got[0], "received before") {
		b.Errorf("records: %q", got)
	}
}

func unknownButton(b *bench) {
	a, token := b.waiting(nil)
	b.press(Press{Token: strings.Repeat("a", len(token))})
	b.untouched(a.ID, "button is not known")
	b.press(Press{Token: b.made(a, "another-channel")})
	b.untouched(a.ID, "button is not known")
	if n := len(b.store.refused()); n != 2 {
		b.Errorf("%d records", n)
	}
	b.press(Press{Token: token, Vote: "allow-everything"})
	b.untouched(a.ID, "says too little")
}

func expired(b *bench) {
	a, token := b.waiting(nil)
	b.clock.move(15 * time.Minute)
	b.press(Press{Token: token})
	b.untouched(a.ID, "has ended")
	b.ended()
}

// notLinked: an account that is nobody's is told how to be somebody's, and is
// then.
func notLinked(b *bench) {
	a, token := b.waiting(nil)
	told := b.press(Press{Token: token, Who: eve, Link: true})
	b.untouched(a.ID, "not linked")
	_, code, ok := strings.Cut(told.Text, "https://gate.example"+notify.LinkPath)
	if !ok {
		b.Fatalf("told %q", told.Text)
	}
	code = strings.Fields(code)[0]
	if account, err := b.gate.Offered(b.Context(), code); err != nil || account.Operator != b.platform.Account(eve) {
		b.Errorf("offered %+v, %v", account, err)
	}
	by, _ := people(bob)
	if _, err := b.gate.Accept(b.Context(), by, code); err != nil {
		b.Fatal(err)
	}
	b.press(Press{Token: token, Who: eve})
	if is := b.now(a.ID); is.State != tv.ApprovalApproved || is.Votes[0].By.ID != bob {
		b.Errorf("it is %s by %v", is.State, is.Votes)
	}
}

func requester(b *bench) {
	a, token := b.waiting(nil)
	b.press(Press{Token: token, Who: clerk})
	b.untouched(a.ID, "may not decide")
}

func withoutRole(b *bench) {
	a, token := b.waiting(nil)
	b.press(Press{Token: token, Who: dora})
	b.untouched(a.ID, "may not decide")
}

// pressedTwice: of two presses at once, one is a vote, a hundred times.
func pressedTwice(b *bench) {
	for range 100 {
		a, token := b.waiting(func(a *tv.Approval) { a.Requirements[0].Quorum = 2 })
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() { b.press(Press{Token: token}) })
		}
		both.Wait()
		if is := b.now(a.ID); is.State != tv.ApprovalPending || len(is.Votes) != 1 {
			b.Fatalf("it is %s with votes %v", is.State, is.Votes)
		}
		b.press(Press{Token: token, Who: bob})
		if is := b.now(a.ID); is.State != tv.ApprovalApproved || len(is.Votes) != 2 {
			b.Fatalf("it is %s with votes %v", is.State, is.Votes)
		}
		b.ended()
	}
}

// race: of a yes and a no at once, the first counts alone.
func race(b *bench) {
	for range 25 {
		a, token := b.waiting(nil)
		var both sync.WaitGroup
		both.Go(func() { b.press(Press{Token: token}) })
		both.Go(func() { b.press(Press{Token: token, Who: bob, Vote: notify.Reject}) })
		both.Wait()
		is := b.now(a.ID)
		if len(is.Votes) != 1 || is.Votes[0].Approved != (is.State == tv.ApprovalApproved) || is.State == tv.ApprovalPending {
			b.Fatalf("it is %s with votes %v", is.State, is.Votes)
		}
		b.ended()
	}
}

func storeDown(b *bench) {
	a, token := b.waiting(nil)
	b.store.down.Store(true)
	if told := b.press(Press{Token: token, Link: true}); told.Refused || told.Ended || !strings.Contains(told.Text, "https://gate.example/") {
		b.Errorf("told %+v", told)
	}
	b.store.down.Store(false)
	if is := b.now(a.ID); is.State != tv.ApprovalPending || len(is.Votes) != 0 {
		b.Errorf("it is %s with votes %v", is.State, is.Votes)
	}
	if b.press(Press{Token: token}); b.now(a.ID).State != tv.ApprovalApproved {
		b.Error("another press, once the store was there again, did not count")
	}
}

func storeStalls(b *bench) {
	a, token := b.waiting(nil)
	b.store.stalled.Store(true)
	if told := b.press(Press{Token: token, Link: true}); told.Refused || told.Ended {
		b.Errorf("told %+v", told)
	}
	b.store.stalled.Store(false)
	if is := b.now(a.ID); is.State != tv.ApprovalPending || len(is.Votes) != 0 {
		b.Errorf("it is %s with votes %v", is.State, is.Votes)
	}
}

// highRisk has a card without buttons; a button that somebody makes up for it is
// refused with a link.
func highRisk(b *bench) {
	a := b.ask(func(a *tv.Approval) { a.Card.Risk = tv.HighRisk })
	b.deliver()
	if b.platform.Token() != "" || !strings.Contains(string(b.platform.Shown()), "https://gate.example/approvals/"+a.ID) {
		b.Errorf("shown: %s", b.platform.Shown())
	}
	told := b.press(Press{Token: b.made(a, ChannelName), Link: true})
	b.untouched(a.ID, "risk is not decided")
	if !strings.Contains(told.Text, "https://gate.example/approvals/"+a.ID) || !strings.Contains(told.Text, "high risk") {
		b.Errorf("told %q", told.Text)
	}
}

// notWhole has a card without buttons where its sentence does not tell all: an
// agent that writes at length hides what comes last.
func notWhole(summary string) func(*bench) {
	return func(b *bench) {
		a := b.ask(func(a *tv.Approval) { a.Card.Summary = summary })
		b.deliver()
		if b.platform.Token() != "" || !strings.Contains(string(b.platform.Shown()), "https://gate.example/approvals/"+a.ID) {
			b.Errorf("shown: %s", b.platform.Shown())
		}
		told := b.press(Press{Token: b.made(a, ChannelName), Link: true})
		b.untouched(a.ID, "does not tell all")
		if !strings.Contains(told.Text, "https://gate.example/approvals/"+a.ID) {
			b.Errorf("told %q", told.Text)
		}
	}
}

func notSwitchedOn(b *bench) {
	a := b.ask(func(a *tv.Approval) { a.Card.Risk = "extreme" }) // no risk that anybody knows
	b.deliver()
	if b.platform.Token() != "" {
		b.Errorf("shown: %s", b.platform.Shown())
	}
	b.press(Press{Token: b.made(a, ChannelName), Link: true})
	b.untouched(a.ID, "risk is not decided")
}

// decidedElsewhere: a vote at the desk changes the card, and a press that comes
// after it changes nothing.
func decidedElsewhere(b *bench) {
	a, token := b.waiting(nil)
	by, _ := people(bob)
	if _, err := b.desk.Reject(b.Context(), by, a.ID, "no"); err != nil {
		b.Fatal(err)
	}
	b.ended()
	if shown := string(b.platform.Shown()); !strings.Contains(shown, "Rejected") || !strings.Contains(shown, bob) {
		b.Errorf("shown: %s", shown)
	}
	b.press(Press{Token: token})
	if is := b.now(a.ID); is.State != tv.ApprovalRejected || len(is.Votes) != 1 {
		b.Errorf("it is %s with votes %v", is.State, is.Votes)
	}
}

// channelDown: an approval is decided as ever while its channel is down, the
// error is there to be seen, and the card comes when the channel does.
func channelDown(b *bench) {
	b.platform.Fail(http.StatusBadGateway)
	lost, kept := b.ask(nil), b.ask(nil)
	b.deliver()
	by, _ := people(bob)
	if _, err := b.desk.Approve(b.Context(), by, lost.ID, ""); err != nil {
		b.Fatal(err)
	}
	all, err := b.gate.Status(b.Context())
	if err != nil || len(all) != 1 || all[0].Failing != 2 || all[0].Error == "" || all[0].Since.IsZero() {
		b.Errorf("status: %+v, %v", all, err)
	}
	b.platform.Fail(0)
	b.clock.move(10 * time.Second)
	b.deliver()
	if token := b.platform.Token(); token == "" {
		b.Error("the card did not come")
	} else if b.press(Press{Token: token}); b.now(kept.ID).State != tv.ApprovalApproved {
		b.Errorf("it is %s", b.now(kept.ID).State)
	}
	b.ended()
	if all, err = b.gate.Status(b.Context()); err != nil || all[0].Error != "" || all[0].Failing+all[0].Queued+all[0].Shown != 0 {
		b.Errorf("status: %+v, %v", all, err)
	}
}

// Hostile is text that would be a mention, a link, a format or a trick in one
// platform or another.
const Hostile = "<!channel> <@U1> @all <at id=all></at> [pay](https://evil.example) **bold** `code` \u202egnp.exe <b>x</b>"

// harmless: what somebody else wrote is shown and means nothing, and a card is
// within what a platform takes.
func harmless(b *bench) {
	look := func() {
		b.Helper()
		shown := string(b.platform.Shown())
		if strings.ContainsRune(shown, '\u202e') || strings.Contains(shown, `\u202e`) {
			b.Errorf("text that turns others around is shown: %s", shown)
		}
		if checker, ok := b.platform.(interface{ Harmless(testing.TB, []byte) }); ok {
			checker.Harmless(b.T, b.platform.Shown())
		}
	}
	hostile := func(a *tv.Approval) {
		a.Card.Summary, a.Card.Requester = Hostile, Hostile
		a.Card.Tool, a.Card.Reason, a.Card.Impact = Hostile, Hostile+strings.Repeat("长", 2000), strings.Repeat("\\\"<&>", 500)
	}
	b.ask(func(a *tv.Approval) { // as long as it gets: without buttons
		hostile(a)
		a.Card.Summary += strings.Repeat(" long", 400)
	})
	b.deliver()
	look()
	_, token := b.waiting(hostile)
	look()
	if b.press(Press{Token: token}); !strings.Contains(string(b.platform.Shown()), "evil") {
		b.Errorf("what was written is hidden: %s", b.platform.Shown())
	}
}
