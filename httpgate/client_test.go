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
	good := `"claim":{"id":"a","token":"b","arguments":{},"deadline":"2999-01-01T00:00:00Z"},`
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
		"denied, and then not":    {200, `{"verdict":"deny","verdict":"allow",` + good + `"success":true}`},
		"in another case":         {200, `{"Verdict":"allow",` + good + `"success":true}`},
		"in a folding case":       {200, `{"verdict":"allow",` + strings.Replace(good, "token", "to\u212Aen", 1) + `"success":true}`},
		"a claim in another case": {200, `{"verdict":"allow",` + strings.Replace(good, "claim", "CLAIM", 1) + `"success":true}`},
		"a token in another case": {200, `{"verdict":"allow",` + strings.Replace(good, "token", "Token", 1) + `"success":true}`},
		"two sets of arguments":   {200, `{"verdict":"allow",` + strings.Replace(good, `"arguments":{}`, `"arguments":{"a":1},"arguments":{}`, 1) + `"success":true}`},
		"arguments in two cases":  {200, `{"verdict":"allow",` + strings.Replace(good, `"arguments":{}`, `"arguments":{"a":1},"Arguments":{}`, 1) + `"success":true}`},
		"an argument twice":       {200, `{"verdict":"allow",` + strings.Replace(good, `{}`, `{"a":1,"a":2}`, 1) + `"success":true}`},
		"no arguments":            {200, `{"verdict":"allow","claim":{"id":"a","token":"b","deadline":"2999-01-01T00:00:00Z"},"success":true}`},
		"no deadline":             {200, `{"verdict":"allow","claim":{"id":"a","token":"b","arguments":{}},"success":true}`},
		"no success":              {200, `{"verdict":"allow",` + good + `"success":false}`},
		"nothing of success":      {200, `{"verdict":"allow",` + strings.TrimSuffix(good, ",") + `}`},
		"allow with an error":     {200, `{"verdict":"allow",` + good + `"success":true,"error":{"code":"POLICY_DENIED"}}`},
		"allow of a replay":       {200, `{"verdict":"allow",` + good + `"success":true,"replayed":true}`},
		"success and no allow":    {200, `{"verdict":"deny","success":true}`},
		"neither":                 {200, `{"verdict":"deny","success":false}`},
		"more behind it":          {200, `{"verdict":"allow",` + good + `"success":true}{}`},
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

// A gate's answer that holds a tool's own JSON, whatever that is, is read.
func TestClientReadsLooseResults(t *testing.T) {
	t.Parallel()
	gate := answering(t, 200, `{"verdict":"deny","success":true,"replayed":true,"result":{"a":1,"a":2,"A":[-0,1e400]},"answer":{"b":1,"b":2}}`)
	v, err := gate.Claim(t.Context(), client.Call{Tool: "a/b"})
	if err != nil || !v.Success || !v.Replayed || !strings.Contains(string(v.Content), "1e400") {
		t.Errorf("%+v %v", v, err)
	}
}

// answering is a gate that gives one answer.
func answering(t *testing.T, status int, body string) *client.Client {
	t.Helper()
	odd := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(odd.Close)
	c, err := client.New(odd.URL, "k")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Of a call that the gate runs, an answer that says nothing is no answer.
func TestClientTakesNoOddAnswerForAResult(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{}`, `{"status":"ok"}`, `{"success":true,"error":{"code":"TOOL_ERROR"}}`} {
		if res, _, err := answering(t, 200, body).Do(t.Context(), client.Call{Tool: "a/b"}); err == nil || res.Success {
			t.Errorf("%s: %+v", body, res)
		}
	}
}

// What stands in the gate's place cannot write on a terminal, or pass for another
// status.
func TestClientShowsProblemsPlainly(t *testing.T) {
	t.Parallel()
	detail, err := json.Marshal("no\x1b[2J \u202eway\nforged line " + strings.Repeat("x", 100_000))
	if err != nil {
		t.Fatal(err)
	}
	_, err = answering(t, 500, `{"status":200,"detail":`+string(detail)+`}`).Tools(t.Context(), true)
	if err == nil || status(err) != 500 || strings.ContainsAny(err.Error(), "\x1b\u202e\n") || len(err.Error()) > 2000 || !strings.HasPrefix(err.Error(), "no") {
		t.Errorf("%.300q", err)
	}
}

func TestClientAddresses(t *testing.T) {
	t.Parallel()
	for address, good := range map[string]bool{
		"http://127.0.0.1:8711": true, "https://gate.example/prefix/": true, "http://[::1]:8711": true,
		"": false, "gate": false, "127.0.0.1:8711": false, "ftp://gate": false, "http://": false, "http://:8711": false,
		"http://me:secret@gate": false, "http://me@gate": false, "http://gate?x=secret": false, "http://gate?": false, "http://gate/#secret": false, "http://gate#": false,
	} {
		_, err := client.New(address, "k")
		if (err == nil) != good || err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", address, err)
		}
	}
}
