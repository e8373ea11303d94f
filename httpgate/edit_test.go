// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

func TestCallIsChangedBeforeItIsApproved(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx := context.Background()
	agent, boss := s.as("agent-key"), s.as("boss-key")
	res, _, err := agent.Do(ctx, client.Call{Tool: "server/cancel", Arguments: []byte(`{"id":1}`)})
	if err != nil || res.Confirmation == nil {
		t.Fatalf("%+v %v", res, err)
	}
	id := res.Confirmation.ID
	for key, want := range map[string]int{"agent-key": http.StatusForbidden, "clerk-key": http.StatusForbidden, "other-key": http.StatusNotFound} {
		if _, err := s.as(key).Edit(ctx, id, []byte(`{"id":2}`), ""); status(err) != want {
			t.Errorf("%s: %v, want %d", key, err, want)
		}
	}
	for args, want := range map[string]int{`{"id":1}`: 422, `{"id":1,"id":2}`: 422, `{"id":2`: 422, `[]`: 422} {
		if _, err := boss.Edit(ctx, id, []byte(args), ""); status(err) != want {
			t.Errorf("%s: %v, want %d", args, err, want)
		}
	}
	for body, want := range map[string]int{`{}`: 400, `{"arguments":{},"reason":1}`: 400, `{"arguments":{},"by":"x"}`: 400} {
		if got, text := s.post("boss-key", "/v1/approvals/"+id+"/edit", body, nil); got != want {
			t.Errorf("%s: %d %s, want %d", body, got, text, want)
		}
	}
	next, err := boss.Edit(ctx, id, []byte(`{"id":2}`), "the other one")
	if err != nil || next.State != tv.ApprovalPending || next.Replaces != id || next.Edited.By != "boss" || next.Code == "" {
		t.Fatalf("%+v %v", next, err)
	}
	if old, err := boss.Approval(ctx, id); err != nil || old.State != tv.ApprovalCancelled || old.ReplacedBy != next.ID {
		t.Errorf("%+v %v", old, err)
	}
	if _, err := boss.Decide(ctx, next.ID, "approve", ""); status(err) != http.StatusForbidden {
		t.Errorf("the editor approved: %v", err)
	}
	if a, err := s.as("deputy-key").Decide(ctx, next.ID, "approve", ""); err != nil || a.State != tv.ApprovalApproved {
		t.Fatalf("%+v %v", a, err)
	}
	res, raw, err := agent.Do(ctx, client.Call{Confirmation: id})
	if err != nil || !res.Success || !strings.Contains(string(raw), `"edited":{"by":"boss","reason":"the other one","changes":[{"path":"/id","before":1,"after":2}]}`) {
		t.Fatalf("%s %v", raw, err)
	}
	if ran := s.exec.Ran(); len(ran) != 1 || ran[0].Arguments != `{"id":2}` {
		t.Errorf("ran %v", ran)
	}
}
