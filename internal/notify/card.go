// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package notify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/notify/words"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Card is what a channel shows of an approval: texts that are redacted and on
// one line each. A channel makes them harmless in its own markup.
type Card struct {
	ID      string // of the approval
	State   tv.ApprovalState
	Risk    tv.Risk
	Title   string
	Summary string // one plain sentence of what would happen
	Facts   []Fact // in the order in which they matter
	Note    string // why there are no buttons, or who decided
	Link    string // to where it can be seen and decided
	Open    string // what the link says
	Token   string // of the buttons; "" where there are none
	Yes, No string // what the buttons say
}

// Fact is one line of a card. Its name is the same in every language.
type Fact struct {
	Name        words.Word
	Label, Text string
}

// Bounds of what a card says, in characters. Platforms have their own beside.
const (
	maxSummary = 600
	maxDecided = 160 // of a sentence that is decided on: every platform shows as many
	maxFact    = 300
)

// look is how a channel's cards are made.
type look struct {
	language words.Language
	link     func(approval string) string
	decides  func(tv.Risk) bool
}

func (l look) say(w words.Word) string { return words.In(l.language, w) }

// card shows an approval as it is at a time. The token is that of its buttons;
// without one, or where it cannot be decided here, it has none.
func (l look) card(a *tv.Approval, token string, at time.Time) Card {
	c := Card{
		ID: a.ID, State: a.StateAt(at), Risk: a.Card.Risk, Title: l.say(words.Needed), Summary: Line(a.Card.Summary, maxSummary),
		Link: l.link(a.ID), Open: l.say(words.Open),
	}
	c.Facts = l.facts(a)
	switch {
	case c.State != tv.ApprovalPending:
		c.Title = l.say(l.ending(a, c.State))
		c.Note = l.decidedBy(a)
	case token != "" && l.decides(a.Card.Risk) && whole(c.Summary):
		c.Token, c.Yes, c.No = token, l.say(words.Yes), l.say(words.No)
	default:
		c.Note = l.say(words.LinkOnly)
	}
	return c
}

// whole reports whether a sentence tells all that it is to tell. Arguments are cut
// where they are long: a chat shows no more of them, so that who is asked there
// would agree to what nobody sees.
func whole(summary string) bool {
	return utf8.RuneCountInString(summary) <= maxDecided && !strings.Contains(summary, "…") && !strings.Contains(summary, " bytes]")
}

func (l look) facts(a *tv.Approval) []Fact {
	var out []Fact
	add := func(w words.Word, text string) {
		if text = Line(text, maxFact); text != "" {
			out = append(out, Fact{w, l.say(w), text})
		}
	}
	add(words.Risk, l.risk(a.Card.Risk))
	who := a.Card.Requester
	if a.Card.Agent != "" && a.Card.Agent != who {
		who = a.Card.Agent + " → " + who
	}
	add(words.Asks, who)
	add(words.Reason, a.Card.Reason)
	add(words.Code, a.Code())
	add(words.Rule, rules(a))
	add(words.Until, a.Expires.UTC().Format("2006-01-02 15:04 MST"))
	add(words.Tool, a.Card.Tool)
	add(words.Impact, a.Card.Impact)
	if quorum := quorum(a); quorum > 1 {
		add(words.Votes, fmt.Sprintf("%d / %d", len(a.Votes), quorum))
	}
	return out
}

func (l look) risk(r tv.Risk) string {
	switch r {
	case tv.LowRisk:
		return l.say(words.LowRisk)
	case tv.MediumRisk:
		return l.say(words.MediumRisk)
	default: // what is not known is not low
		return l.say(words.HighRisk)
	}
}

func rules(a *tv.Approval) string {
	var names []string
	for _, m := range a.Card.Rules {
		names = append(names, m.Rule)
	}
	return strings.Join(names, ", ")
}

func quorum(a *tv.Approval) int {
	most := 1
	for i := range a.Requirements {
		most = max(most, a.Requirements[i].Quorum)
	}
	return most
}

func (l look) ending(a *tv.Approval, state tv.ApprovalState) words.Word {
	switch state {
	case tv.ApprovalApproved, tv.ApprovalClaimed, tv.ApprovalDone, tv.ApprovalFailed, tv.ApprovalUnknown:
		return words.Approved
	case tv.ApprovalRejected:
		return words.Rejected
	case tv.ApprovalExpired:
		return words.Expired
	case tv.ApprovalRevoked:
		return words.Revoked
	case tv.ApprovalCancelled:
		if a.ReplacedBy != "" {
			return words.Replaced
		}
		return words.Cancelled
	default:
		return words.Over
	}
}

func (l look) decidedBy(a *tv.Approval) string {
	var who []string
	for _, v := range a.Votes {
		if v.Approved == (a.State != tv.ApprovalRejected) {
			who = append(who, v.By.ID)
		}
	}
	if len(who) == 0 {
		return ""
	}
	return l.say(words.DecidedBy) + ": " + Line(strings.Join(who, ", "), maxFact)
}

// Line makes a text fit for one line of a card: nothing that cannot be seen or
// that turns the rest around, and no more than so many characters.
func Line(s string, most int) string {
	return Clip(strings.TrimSpace(plain.Mark(s)), most)
}

// Clip shortens a text to so many characters and says so.
func Clip(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:max(most-1, 0)]) + "…"
}

// ClipBytes shortens a text to so many bytes and says so.
func ClipBytes(s string, most int) string {
	const more = "…"
	if len(s) <= most {
		return s
	}
	cut := 0
	for i := range s {
		if i > most-len(more) {
			break
		}
		cut = i
	}
	return s[:cut] + more
}

// named reports whether a requirement of an approval names one of these
// approvers. No approvers stand for all.
func named(a *tv.Approval, approvers []string) bool {
	if len(approvers) == 0 {
		return true
	}
	return slices.ContainsFunc(a.Requirements, func(r tv.Requirement) bool {
		return slices.ContainsFunc(slices.Concat(r.Approvers, r.Escalate.To), func(who string) bool { return slices.Contains(approvers, who) })
	})
}

// keyOf is the key of what belongs to an account in a channel. The name of a
// channel holds no slash, so that two of them never have one key.
func keyOf(channel, account string) string { return cmp.Or(channel, "?") + "/" + account }
