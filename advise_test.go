// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict_test

import (
	"context"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/gatetest"
)

// advise asks what would be decided, and holds that nothing came of it but a
// record.
func (r *rig) advise(p tv.Proposal) (tv.Result, string) {
	r.t.Helper()
	before := len(r.records())
	res, digest, err := r.Advise(context.Background(), p)
	if err != nil {
		r.t.Fatal(err)
	}
	if n := len(r.records()) - before; n != 1 {
		r.t.Errorf("%d records of one advice: %s", n, r.story())
	}
	return res, digest
}

func TestAdvice(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[tv.Verdict]tv.Code{tv.Allow: "", tv.Ask: tv.ConfirmationRequired, tv.Deny: tv.PolicyDenied} {
		r := newRig(t, gatetest.Always(verdict), []*tv.Tool{cancelTool()}, nil)
		res, digest := r.advise(call("cancel", `{"id":"A1"}`))
		r.want(res, want)
		if res.Decision.Verdict != verdict || digest == "" || res.Confirmation != nil {
			t.Errorf("%s: %+v, digest %q", verdict, res.Decision, digest)
		}
		if all, _ := r.store.Claims(context.Background(), tv.ClaimQuery{}); len(all) != 0 {
			t.Errorf("%s: claimed %+v", verdict, all)
		}
		if all, _ := r.store.Approvals(context.Background(), tv.ApprovalQuery{}); len(all) != 0 {
			t.Errorf("%s: asked %+v", verdict, all)
		}
		r.wantRuns(0)
	}
	r := newRig(t, gatetest.Always(tv.Allow), []*tv.Tool{cancelTool()}, nil)
	if res, digest := r.advise(call("cancel", `{"id":1,"id":2}`)); code(res) != tv.MalformedCall || digest != "" {
		t.Errorf("%+v %q", res, digest)
	}
	if res, _ := r.advise(call("nothing", `{}`)); code(res) != tv.UnknownTool {
		t.Errorf("%+v", res)
	}
	if res, _ := r.advise(tv.Proposal{Confirmation: "none", Subject: caller}); code(res) != tv.ConfirmationInvalid {
		t.Errorf("%+v", res)
	}
}

// Who was asked already, and said yes, is not asked again; advice uses nothing up.
func TestAdviceSeesAnswers(t *testing.T) {
	t.Parallel()
	r := newRig(t, gatetest.Always(tv.Ask), []*tv.Tool{cancelTool()}, nil)
	p := call("cancel", `{"id":"A1"}`)
	asked := r.do(p)
	if res, _ := r.advise(p); code(res) != tv.ConfirmationRequired || res.Confirmation == nil || res.Confirmation.ID != asked.Confirmation.ID {
		t.Errorf("%+v", res)
	}
	r.approve(asked)
	for range 2 {
		if res, _ := r.advise(p); !res.Success || res.Decision.Verdict != tv.Allow || res.Decision.Code != "" {
			t.Errorf("%+v", res)
		}
	}
	r.want(r.do(p), "")
	if res, _ := r.advise(p); !res.Replayed {
		t.Errorf("%+v", res)
	}
	r.wantRuns(1)
}

func TestAdviceSeesGrants(t *testing.T) {
	t.Parallel()
	tool := cancelTool()
	r := granting(t, gatetest.Always(tv.Ask), []*tv.Tool{tool}, nil)
	g := r.grant(tool, nil)
	if res, _ := r.advise(call("cancel", `{"id":"A1"}`)); !res.Success || res.Decision.Grant != g.ID || res.Decision.Verdict != tv.Allow {
		t.Errorf("%+v", res)
	}
	if n := r.used(g.ID); n != 0 {
		t.Errorf("used %d times", n)
	}
}

// Whatever part goes wrong, advice is a denial: never an allow without a record.
func TestAdviceFailsClosed(t *testing.T) {
	t.Parallel()
	for _, panics := range []bool{false, true} {
		for at := int64(1); ; at++ {
			b := &breaker{at: at, panic: panics}
			r := newRig(t, gatetest.Always(tv.Allow), []*tv.Tool{cancelTool()}, func(c *tv.Config) {
				c.Store, c.Redactor, c.Choices = brokenStore{c.Store, b}, brokenRedactor{c.Redactor, b}, brokenChoices{c.Choices, b}
			})
			res, _, err := r.Advise(context.Background(), call("cancel", `{"id":"A1"}`))
			if b.uses.Load() < at {
				break // everything was broken once
			}
			if res.Success && !strings.Contains(r.story(), "decision:allow") {
				t.Errorf("use %d, panic %v: allowed without a record", at, panics)
			}
			if res.Success && err != nil || !res.Success && (code(res) != tv.GateUnavailable || res.Decision.Verdict != tv.Deny) {
				t.Errorf("use %d, panic %v: %+v %v", at, panics, res, err)
			}
		}
	}
}
