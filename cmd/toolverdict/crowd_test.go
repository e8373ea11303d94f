// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main_test

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

// crowdAtTwoGates has 200 clicks and resumes at once, on one approval, at two
// processes on one data folder: one yes counts, and one resume runs.
func crowdAtTwoGates(t *testing.T, gate, orders string) {
	t.Helper()
	s := newShop(t, gate, orders)
	gates := []*process{s.serve(s.gate), s.serve(s.gate)}
	res := s.do(cancelCall("A1001", ""))
	if res.Confirmation == nil {
		t.Fatalf("no confirmation: %s", codeIn(&res))
	}
	id := res.Confirmation.ID
	const each = 50 // clicks and resumes at each gate
	var (
		start   = make(chan struct{})
		mu      sync.Mutex
		yes     int // clicks that counted
		late    int // clicks that came too late
		ran     int
		refused = map[tv.Code]int{}
		crowd   sync.WaitGroup
	)
	for _, g := range gates {
		agent, boss := s.clientOf(g.url, "agent"), s.clientOf(g.url, "approver")
		for range each {
			crowd.Go(func() {
				<-start
				_, err := boss.Decide(t.Context(), id, "approve", "looked")
				problem, refused := errors.AsType[*client.Problem](err)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					yes++
				case refused && problem.Status == http.StatusConflict:
					late++
				default:
					t.Errorf("a click: %v", err)
				}
			})
			crowd.Go(func() {
				<-start
				call := cancelCall("A1001", id)
				call.Wait = 30 * time.Second // whoever comes before the yes waits for it
				res, _, err := agent.Do(t.Context(), call)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err != nil:
					t.Errorf("a resume: %v", err)
				case res.Success && !res.Replayed:
					ran++
				default:
					refused[codeIn(&res)]++
				}
			})
		}
	}
	close(start)
	crowd.Wait()
	if n := s.cancelled("A1001"); ran != 1 || n != 1 || yes != 1 || late != 2*each-1 {
		t.Errorf("%d resumes ran, %d cancellations happened, %d clicks counted and %d came late", ran, n, yes, late)
	}
	if refused[tv.InProgress]+refused[tv.ConfirmationInvalid] != 2*each-1 {
		t.Errorf("the other resumes ended in %v", refused)
	}
	records := s.verify()
	for what, want := range map[string]int{
		`"kind":"outcome"`: 1, `"approvalState":"claimed"`: 1, `"approvalState":"approved"`: 1, `"approvalState":"pending"`: 1,
	} {
		got := 0
		for record := range strings.Lines(records) {
			if strings.Contains(record, `"tool":"orders/cancel_order"`) && strings.Contains(record, what) {
				got++
			}
		}
		if got != want {
			t.Errorf("%d records say %s, want %d", got, what, want)
		}
	}
}
