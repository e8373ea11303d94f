// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"net/http"
	"strconv"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/console/view"
)

// Bounds of a page, and of the number in its title.
const (
	inboxPage = 25
	mostCount = 99
)

// inboxBody is what the inbox shows.
type inboxBody struct {
	Cards []item
	Count int
	More  bool   // there are more than the page shows
	First bool   // this is not the first page
	Next  string // the last approval of this page, where there is a next one
}

// item is a card of the inbox: it shows only the first few effects.
type item struct{ view.Card }

const shownEffects = 3

// Short returns the effects that are shown, those to look at twice first.
func (i item) Short() []view.Effect {
	var first, rest []view.Effect
	for _, e := range i.Effects {
		if e.Danger {
			first = append(first, e)
		} else {
			rest = append(rest, e)
		}
	}
	return append(first, rest...)[:min(len(i.Effects), shownEffects)]
}

// Rest is how many effects are not shown.
func (i item) Rest() int { return len(i.Effects) - min(len(i.Effects), shownEffects) + i.More }

// inbox lists what waits and concerns the visitor, oldest first.
func (f *Front) inbox(w http.ResponseWriter, r *http.Request, v visitor) {
	after := r.FormValue("after")
	all, err := f.Desk.List(r.Context(), v.Subject, tv.ApprovalQuery{State: tv.ApprovalPending, AfterID: after, Limit: inboxPage + 1})
	if err != nil {
		f.Fault(w, r, v, err)
		return
	}
	body := inboxBody{First: after != ""}
	if after == "" && len(all) <= inboxPage { // these are all: they need not be looked for twice
		n := f.count(v.Subject, all)
		v.Waiting = &n
	}
	if len(all) > inboxPage {
		all = all[:inboxPage]
		body.More, body.Next = true, all[inboxPage-1].ID
	}
	now := f.Now()
	for i := range all {
		if all[i].StateAt(now) != tv.ApprovalPending {
			continue // its time ran out a moment ago
		}
		body.Cards = append(body.Cards, item{view.NewCard(v.L, &all[i], f.Desk.Standing(v.Subject, all[i]), nil, now)})
	}
	body.Count = len(body.Cards)
	f.Write(w, r, http.StatusOK, "inbox", f.Frame(r, v, v.L.T("inbox.title"), body))
}

// waiting is how many approvals somebody could decide now, as the title shows
// it.
func (f *Front) waiting(ctx context.Context, by tv.Subject) (string, error) {
	all, err := f.Desk.List(ctx, by, tv.ApprovalQuery{State: tv.ApprovalPending, Limit: mostCount + 1})
	if err != nil {
		return "", err
	}
	return f.count(by, all), nil
}

func (f *Front) count(by tv.Subject, all []tv.Approval) string {
	n := 0
	for i := range all {
		if f.Desk.Standing(by, all[i]).Vote {
			n++
		}
	}
	switch {
	case n == 0:
		return ""
	case len(all) > mostCount:
		return strconv.Itoa(min(n, mostCount)) + "+"
	}
	return strconv.Itoa(n)
}
