// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict_test

import (
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
)

// A rule may ask by the clock, the session, the model or a limit, none of which
// is in the digest of a call. An approval that one rule asked for is not one
// that another rule asks for.
func TestApprovalDoesNotCountForAnotherQuestion(t *testing.T) {
	t.Parallel()
	asks := func(rules ...string) tv.Decision {
		d := gatetest.Says(tv.Ask)
		d.Asks = nil
		for _, rule := range rules {
			d.Asks = append(d.Asks, tv.Requirement{Rule: rule, Approvers: []string{"role:approver"}, Quorum: 1})
		}
		return d
	}
	for name, c := range map[string]struct {
		then, now tv.Decision
		want      tv.Code
	}{
		"the same rule":                  {asks("a"), asks("a"), ""},
		"one of the rules":               {asks("a", "b"), asks("b"), ""},
		"nobody asks any more":           {asks("a"), gatetest.Says(tv.Allow), ""},
		"another rule":                   {asks("a"), asks("b"), tv.ConfirmationRequired},
		"one rule more":                  {asks("a"), asks("a", "b"), tv.ConfirmationRequired},
		"a rule where the default asked": {asks(), asks("b"), tv.ConfirmationRequired},
		"the default where a rule asked": {asks("a"), asks(), tv.ConfirmationRequired},
	} {
		for _, how := range []string{"by the confirmation's id", "by the same call", "by the id alone"} {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				policy := gatetest.Policy{Name: "p", Func: func(r tv.Request) tv.Decision {
					if r.Session == "s-2" {
						return c.now
					}
					return c.then
				}}
				r := newRig(t, policy, []*tv.Tool{cancelTool()}, nil)
				id := r.approve(r.do(call("cancel", `{"id":"A1"}`)))
				p := call("cancel", `{"id":"A1"}`)
				switch how {
				case "by the confirmation's id":
					p.Confirmation = id
				case "by the id alone":
					p = tv.Proposal{Door: tv.DoorHTTP, Confirmation: id, Subject: caller}
				}
				p.Session = "s-2"
				res := r.do(p)
				r.want(res, c.want)
				if c.want == "" {
					r.wantRuns(1)
					return
				}
				r.wantRuns(0)
				if res.Confirmation.ID == id {
					t.Error("the old approval was offered for another question")
				}
			})
		}
	}
}

// A call that was held while the clock moved on is asked about anew where
// another rule asks by then.
func TestHeldCallIsAskedAnewWhenAnotherRuleAsks(t *testing.T) {
	t.Parallel()
	var night time.Time
	policy := gatetest.Policy{Name: "p", Func: func(r tv.Request) tv.Decision {
		d := gatetest.Says(tv.Ask)
		if !r.At.Before(night) {
			d.Rule, d.Asks[0].Rule, d.Asks[0].Approvers = "night", "night", []string{"role:night-shift"}
		}
		return d
	}}
	r := newRig(t, policy, []*tv.Tool{cancelTool()}, nil)
	night = r.clock.Now().Add(time.Minute)
	p := call("cancel", `{"id":"A1"}`)
	p.Confirmation = r.approve(r.do(p))
	r.clock.Pass(2 * time.Minute)
	res := r.do(p)
	r.want(res, tv.ConfirmationRequired)
	r.wantRuns(0)
	if res.Decision.Rule != "night" {
		t.Errorf("asked by %q", res.Decision.Rule)
	}
}
