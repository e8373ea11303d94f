// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

func TestClientClaimsRunsAndTells(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.permit()
	ctx, c := context.Background(), s.as("agent-key")
	call := client.Call{Tool: "server/never", Arguments: []byte(`{"n":1.0}`)}
	if v, err := c.Advise(ctx, call); err != nil || v.Verdict != tv.Allow || v.Claim != nil || v.Digest == "" {
		t.Errorf("%+v %v", v, err)
	}
	v, err := c.Claim(ctx, call)
	if err != nil || v.Verdict != tv.Allow || string(v.Claim.Arguments) != `{"n":1.0}` {
		t.Fatalf("%+v %v", v, err)
	}
	res, err := c.Tell(ctx, client.Outcome{Claim: v.Claim.ID, Token: v.Claim.Token, Status: "succeeded", Result: json.RawMessage(`{"ok":true}`)})
	if err != nil || !res.Success || string(res.Content) != `{"ok":true}` {
		t.Errorf("%+v %v", res, err)
	}
	if _, err := c.Tell(ctx, client.Outcome{Claim: v.Claim.ID, Token: "x", Status: "failed"}); status(err) != http.StatusForbidden {
		t.Errorf("%v", err)
	}
	if _, err := c.Tell(ctx, client.Outcome{Status: "failed", Result: json.RawMessage(`{`)}); err == nil {
		t.Error("told what is no JSON")
	}
}

// TestClientTakesNoOddAnswerForLeave answers as a broken gate, a proxy or a thief
// would: none of it is leave.
func TestClientTakesNoOddAnswerForLeave(t *testing.T) {
	t.Parallel()
	good := `"claim":{"id":"a","token":"b","arguments":{}},`
	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"a misspelt verdict":      {200, `{"verdict":"Allow",` + good + `"success":true}`},
		"another word":            {200, `{"verdict":"permit",` + good + `"success":true}`},
		"no verdict":              {200, `{` + good + `"success":true}`},
		"allow without a claim":   {200, `{"verdict":"allow","success":true}`},
		"allow without a token":   {200, `{"verdict":"allow","claim":{"id":"a","arguments":{}},"success":true}`},
		"a claim and no allow":    {200, `{"verdict":"deny",` + good + `"success":true}`},
		"nothing":                 {200, ``},
		"no content":              {204, ``},
		"a page":                  {200, `<html>`},
		"half an answer":          {200, `{"verdict":"allow",` + good},
		"an error with an answer": {500, `{"verdict":"allow",` + good + `"success":true}`},
		"created":                 {201, `{"verdict":"allow",` + good + `"success":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			odd := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			}))
			defer odd.Close()
			gate, err := client.New(odd.URL, "k")
			if err != nil {
				t.Fatal(err)
			}
			v, err := gate.Claim(context.Background(), client.Call{Tool: "a/b"})
			if err == nil || v.Verdict != tv.Deny || v.Claim != nil {
				t.Errorf("%+v %v", v, err)
			}
			if err != nil && strings.Contains(err.Error(), "token") {
				t.Errorf("the error shows the answer: %v", err)
			}
		})
	}
}
