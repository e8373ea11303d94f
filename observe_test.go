// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
)

func observing(c *tv.Config) { c.Observe = true }

func TestObservedVerdictsAreRecordedAndPassedOver(t *testing.T) {
	t.Parallel()
	for v, want := range map[tv.Verdict]tv.Observed{
		tv.Deny:  {Verdict: tv.Deny, Code: tv.PolicyDenied, Rule: "r"},
		tv.Ask:   {Verdict: tv.Ask, Code: tv.ConfirmationRequired, Rule: "r"},
		tv.Allow: {Verdict: tv.Allow, Rule: "r"},
	} {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			said := gatetest.Policy{Name: "p", Func: func(tv.Request) tv.Decision {
				return tv.Decision{Verdict: v, Code: want.Code, Rule: "r", Rules: []tv.Match{{Rule: "r", Verdict: v}}}
			}}
			r := newRig(t, said, []*tv.Tool{cancelTool()}, observing)
			res := r.do(call("cancel", `{"id":"A1"}`))
			r.want(res, "")
			r.wantRuns(1)
			if res.Decision.Observed == nil {
				t.Fatal("the caller is not told that the gate only observes")
			}
			intent := r.records()[0]
			if intent.Verdict != "allow" || intent.Observed == nil {
				t.Fatalf("%+v", intent.Record)
			}
			if diff := cmp.Diff(want, *intent.Observed); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]tv.Match{{Rule: "r", Verdict: v}}, intent.Rules); diff != "" {
				t.Error(diff)
			}

			strict := newRig(t, said, []*tv.Tool{cancelTool()}, nil)
			if strict.do(call("cancel", `{"id":"A1"}`)); strict.records()[0].Observed != nil {
				t.Error("a gate that enforces says that it observes")
			}
		})
	}
}

// What the rules say is passed over, and nothing else is.
func TestAllElseIsEnforcedWhileObserving(t *testing.T) {
	t.Parallel()
	guarded := func(d *tv.Definition) { d.Risk, d.Permission = tv.MediumRisk, "q.special" }
	risky := func(d *tv.Definition) { gatetest.Destructive(d); d.Risk, d.Permission = tv.HighRisk, "p.cancel" }
	tools := []*tv.Tool{cancelTool(), gatetest.Tool("guarded", guarded), gatetest.Tool("risky", risky)}
	readOnly := call("cancel", `{}`)
	readOnly.Run.ReadOnly = true
	off := call("cancel", `{}`)
	off.Run.Disabled = []string{"server/cancel"}
	for name, c := range map[string]struct {
		call tv.Proposal
		want tv.Code
	}{
		"a tool that is not known":     {call("nothing", `{}`), tv.UnknownTool},
		"bytes that are no call":       {call("cancel", `{"a":1,"a":2}`), tv.MalformedCall},
		"a read-only run":              {readOnly, tv.ToolNotAllowed},
		"a tool that was switched off": {off, tv.ToolNotAllowed},
		"a permission that is missing": {call("guarded", `{}`), tv.PermissionDenied},
		"a risk that needs a person":   {call("risky", `{}`), tv.ConfirmationRequired},
		"a confirmation that is none":  {tv.Proposal{Door: tv.DoorLibrary, Confirmation: "none", Subject: caller}, tv.ConfirmationInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, gatetest.Always(tv.Deny), tools, observing)
			r.want(r.do(c.call), c.want)
			r.wantRuns(0)
		})
	}
}

func TestARepeatIsNoSecondDispatchWhileObserving(t *testing.T) {
	t.Parallel()
	r := newRig(t, gatetest.Always(tv.Deny), []*tv.Tool{cancelTool()}, observing)
	p := call("cancel", `{"id":"A1"}`)
	p.IdempotencyKey = "k"
	r.want(r.do(p), "")
	again := r.do(p)
	r.want(again, "")
	if r.wantRuns(1); !again.Replayed {
		t.Errorf("%+v", again)
	}
}
