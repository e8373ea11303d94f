// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/httpgate/client"
	"github.com/toolverdict/toolverdict/internal/daemon"
)

const (
	outgoing = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	incoming = "whsec_QkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJC"
)

// TestDecidedInAChannel: a held call is shown in a channel, its account linked to
// a person, and approved by a press there; the call then runs, and the card says
// so.
func TestDecidedInAChannel(t *testing.T) {
	t.Parallel()
	cards := make(chan event, 16)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if h, err := standard.NewWebhook(outgoing); err != nil || h.Verify(body, r.Header) != nil {
			t.Error("the event is not signed")
		}
		var e event
		if err := json.Unmarshal(body, &e); err != nil {
			t.Error(err)
		}
		cards <- e
	}))
	t.Cleanup(receiver.Close)
	l := newLab(t, at(newUpstream(t, true, "pay").url, ", pin: first-sight"), map[string]string{
		"policy.yaml":  "policy: p\nversion: v1\nrules:\n  - {id: ask-pay, verdict: ask, reason: Money leaves, tools: up/pay, ask: {approvers: [\"role:approver\"]}}\n",
		"catalog.yaml": "tools:\n  up/pay: {safety: destructive, risk: medium, permission: pay.all, summary: \"Pay {amount}\"}\n",
	})
	l.env["OUT"], l.env["IN"] = outgoing, incoming
	l.append("toolverdict.yaml", "channels:\n  hook:\n    decide: [low, medium]\n    webhook: {url: \""+receiver.URL+"\", secrets: [\"env:OUT\"], callers: [\"env:IN\"]}\n")
	g := l.open()
	done := make(chan tv.Result, 1)
	go func() {
		res, _, err := g.client("agent").Do(t.Context(), client.Call{Tool: "up/pay", Arguments: []byte(`{"amount":"9"}`), Wait: 30 * time.Second})
		if err != nil {
			t.Error(err)
		}
		done <- res
	}()
	asked := <-cards
	if asked.Type != "approval.asked" || asked.Data.Summary != "Pay 9" || asked.Data.Token == "" || strings.Contains(asked.Data.Link, asked.Data.Token) {
		t.Fatalf("%+v", asked)
	}
	status, told := g.press(t, "e1", asked.Data.Token)
	if status != http.StatusOK || told.Counted {
		t.Fatalf("a press of nobody: %d %+v", status, told)
	}
	code := told.Link[strings.LastIndexByte(told.Link, '/')+1:]
	if link, err := g.client("boss").Link(t.Context(), code); err != nil || link.Subject != "boss" || link.Operator != "ann" {
		t.Fatalf("%+v, %v", link, err)
	}
	if status, told = g.press(t, "e1", asked.Data.Token); told.Counted {
		t.Errorf("the same press again: %d %+v", status, told)
	}
	if status, told = g.press(t, "e2", asked.Data.Token); status != http.StatusOK || !told.Counted {
		t.Errorf("a press of a person: %d %+v", status, told)
	}
	if res := <-done; !res.Success {
		t.Errorf("%+v", res)
	}
	if ended := <-cards; ended.Type != "approval.ended" || ended.Data.Token != "" || ended.Data.Note != "Decided by: boss" {
		t.Errorf("%+v", ended)
	}
	g.recorded(t, "approved in channel hook", `account "ann" of channel "hook": linked`, "did not count: the account is not linked", "did not count: it was received before")
	links, err := g.client("boss").Links(t.Context())
	if err != nil || len(links) != 1 {
		t.Errorf("%+v, %v", links, err)
	}
	all, err := g.client("boss").Channels(t.Context())
	if err != nil || len(all) != 1 || all[0].Kind != "webhook" || !strings.HasSuffix(all[0].Callback, "/channels/hook") || all[0].Error != "" {
		t.Errorf("%+v, %v", all, err)
	}
}

type event struct {
	Type string
	Data struct{ Summary, Token, Link, Note string }
}

type outcome struct {
	Counted    bool
	Text, Link string
}

// press has a program say that ann approves.
func (g *gate) press(t *testing.T, id, token string) (int, outcome) {
	t.Helper()
	body := []byte(`{"type":"approval.decide","data":{"vote":"approve","operator":"ann","token":"` + token + `"}}`)
	h, err := standard.NewWebhook(incoming)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	signature, err := h.Sign(id, now, body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.url+"/channels/hook", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "gate.example" // a platform calls by the public name, whatever the gate is told of it
	req.Header.Set("webhook-id", id)
	req.Header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	req.Header.Set("webhook-signature", signature)
	resp, err := tester.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var out outcome
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		t.Error(err)
	}
	return resp.StatusCode, out
}

// recorded checks that records say these things.
func (g *gate) recorded(t *testing.T, details ...string) {
	t.Helper()
	var all []audit.Numbered
	for _, kind := range []string{"approval", "admin"} {
		found, err := g.client("boss").Audit(t.Context(), url.Values{"kind": {kind}})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	for _, want := range details {
		seen := false
		for i := range all {
			seen = seen || strings.Contains(all[i].Record.Detail, want)
		}
		if !seen {
			t.Errorf("no record says %q", want)
		}
	}
}

// TestChannelWithoutItsSecret stops the start, and says which one, not what.
func TestChannelWithoutItsSecret(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ channel, env, want string }{
		"missing": {`slack: {to: C1, token: "env:TOKEN"}`, "", "TOKEN is not set"},
		"no key":  {`webhook: {url: "https://x.example", secrets: ["env:TOKEN"]}`, "tooshort", "whsec_"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, "  {}\n", nil)
			if c.env != "" {
				l.env["TOKEN"] = c.env
			}
			l.append("toolverdict.yaml", "channels:\n  ops: {"+c.channel+"}\n")
			_, err := daemon.Open(t.Context(), l.options())
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `channel "ops"`) || c.env != "" && strings.Contains(err.Error(), c.env) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// append adds to a file.
func (l *lab) append(name, text string) {
	l.t.Helper()
	b, err := os.ReadFile(filepath.Join(l.dir, name))
	if err != nil {
		l.t.Fatal(err)
	}
	l.write(name, string(b)+text)
}
