// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package gate_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon"
	"github.com/toolverdict/toolverdict/internal/doctor"
	"github.com/toolverdict/toolverdict/internal/doctor/gate"
)

const rules = `policy: p
version: v1
rules:
  - {id: ask-one, verdict: ask, reason: r, tools: ["*"], ask: {approvers: ["role:boss"]}}
`

// options are those of a folder of a test's own.
func options(t *testing.T, conf string) daemon.Options {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "policy.yaml"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "toolverdict.yaml")
	if err := os.WriteFile(file, []byte("version: 1\npolicies: [policy.yaml]\n"+conf), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return daemon.Options{Config: c, Log: slog.New(slog.DiscardHandler), Now: time.Now, Getenv: func(string) (string, bool) { return "", false }}
}

// told is how bad the worst of some findings is, and all that they say.
func told(found []doctor.Finding) (doctor.Level, string) {
	r := doctor.Report{Findings: found}
	var said []string
	for _, f := range found {
		said = append(said, string(f.Level)+" "+f.Text+" | "+f.Fix)
	}
	return r.Worst(), strings.Join(said, "\n")
}

const people = "subjects: [{id: agent, kind: agent, keys: [{example: true}]}, {id: ann, kind: person, roles: [boss, approver], keys: [{example: true}]}]\n"

func TestConfiguration(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		conf string
		want doctor.Level
		said string
	}{
		"good":            {people, doctor.OK, "0 upstreams, 2 subjects"},
		"observes":        {people + "mode: observe\n", doctor.Failure, "no rule is enforced"},
		"no approver":     {"subjects: [{id: agent, kind: agent}]\n", doctor.Warning, "nobody can approve"},
		"no file":         {people + "upstreams: {a: {command: [sh], set: {K: \"file:none\"}}}\n", doctor.Failure, "secret file"},
		"no variable":     {people + "upstreams: {a: {command: [sh], set: {K: \"env:NONE\"}}}\n", doctor.Note, "perhaps set for the gate"},
		"no such program": {people + "upstreams: {a: {command: [no-such-program-at-all]}}\n", doctor.Warning, "cannot be started here"},
	} {
		level, said := told(gate.Configuration{Options: options(t, c.conf)}.Look(t.Context()))
		if level != c.want || !strings.Contains(said, c.said) {
			t.Errorf("%s: %s", name, said)
		}
	}
}

func TestSubjects(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		conf string
		want doctor.Level
		said string
	}{
		"none":         {"", doctor.Warning, "there is nobody"},
		"without keys": {"subjects: [{id: agent, kind: agent}]\n", doctor.Note, "nobody can sign in as agent"},
		"over stdio":   {"stdio: {subject: agent}\nsubjects: [{id: agent, kind: agent}]\n", doctor.OK, "each of 1"},
		"not made yet": {people, doctor.Note, "the keys of agent, ann are made"},
	} {
		level, said := told(gate.Subjects{Config: options(t, c.conf).Config}.Look(t.Context()))
		if level != c.want || !strings.Contains(said, c.said) {
			t.Errorf("%s: %s", name, said)
		}
	}
}

// TestApprovers: a question is answered by enough people who can sign in, and not by
// whoever asks.
func TestApprovers(t *testing.T) {
	t.Parallel()
	agent := "{id: agent, kind: agent, user: ann}"
	ask := func(more string) string { return strings.Replace(rules, `["role:boss"]`, `["role:boss"]`+more, 1) }
	for name, c := range map[string]struct {
		rules, subjects string
		want            doctor.Level
		said            string
	}{
		"one":               {rules, "{id: agent, kind: agent}, {id: ann, kind: person, roles: [boss, approver], keys: [{example: true}]}", doctor.OK, "1 rules ask"},
		"only who asks":     {rules, agent + ", {id: ann, kind: person, roles: [boss, approver], keys: [{example: true}]}", doctor.Warning, "rule ask-one: what agent asks can be answered by nobody of role:boss"},
		"in other letters":  {rules, "{id: agent, kind: agent, user: ANN}, {id: ANN, kind: person, roles: [boss, approver], keys: [{example: true}]}", doctor.Warning, "rule ask-one"},
		"it may":            {ask(", selfApproval: true"), agent + ", {id: ann, kind: person, roles: [boss, approver], keys: [{example: true}]}, {id: bob, kind: person, roles: [approver], keys: [{example: true}]}", doctor.OK, ""},
		"two of two":        {ask(", quorum: 2"), "{id: agent, kind: agent}, {id: ann, kind: person, roles: [boss, approver], keys: [{example: true}]}, {id: bob, kind: person, groups: [x], roles: [boss], keys: [{example: true}]}", doctor.OK, ""},
		"one of two":        {ask(", quorum: 2"), "{id: agent, kind: agent}, {id: ann, kind: person, roles: [boss, approver], keys: [{example: true}]}", doctor.Warning, "fewer than the 2 needed"},
		"cannot sign in":    {rules, "{id: agent, kind: agent}, {id: ann, kind: person, roles: [boss, approver]}", doctor.Warning, "nobody of role:boss"},
		"an agent":          {rules, "{id: agent, kind: agent}, {id: bot, kind: agent, roles: [boss, approver], keys: [{example: true}]}", doctor.Warning, "nobody of role:boss"},
		"another after all": {ask(", escalate: {to: [\"user:bob\"]}"), "{id: agent, kind: agent}, {id: bob, kind: person, roles: [approver], keys: [{example: true}]}", doctor.OK, ""},
		"high risk":         {rules, "{id: agent, kind: agent}, {id: ann, kind: person, roles: [boss], keys: [{example: true}]}", doctor.Warning, "tools of high risk: what agent asks"},
		"does not load":     {"policy: p\n", "{id: agent, kind: agent}", doctor.Unknown, "does not load"},
	} {
		o := options(t, "subjects: ["+c.subjects+"]\n")
		if err := os.WriteFile(o.Config.Policies[0], []byte(c.rules), 0o600); err != nil {
			t.Fatal(err)
		}
		level, said := told(gate.Approvers{Options: o}.Look(t.Context()))
		if level != c.want || !strings.Contains(said, c.said) {
			t.Errorf("%s: %s", name, said)
		}
	}
	o := options(t, people+"channels: {ops: {webhook: {url: 'https://x.example/', secrets: ['env:S']}}}\n")
	if level, said := told(gate.Approvers{Options: o}.Look(t.Context())); level != doctor.Note || !strings.Contains(said, "not tried: --channels") {
		t.Error(said)
	}
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rules string
		want  doctor.Level
		said  string
	}{
		"good":              {rules, doctor.OK, "1 rules"},
		"never matches":     {rules + "  - {id: never, verdict: allow, reason: r, tools: [\"*\"], when: {args.a: {eq: 1, ne: 1}}}\n", doctor.Warning, "policy.yaml:5:"},
		"a group of nobody": {rules + "  - {id: none, verdict: allow, reason: r, tools: \"group:nobody\"}\n", doctor.Failure, "covers no known tool"},
		"does not load":     {"policy: p\n", doctor.Failure, "a gate would not start"},
	} {
		o := options(t, people+"upstreams: {app: {local: true}}\ncatalogs: [catalog.yaml]\n")
		err := os.WriteFile(o.Config.Catalogs[0], []byte("version: 1\ntools: {app/t: {risk: low, safety: read-only, schema: {type: object, properties: {a: {type: integer}}}}}\n"), 0o600)
		if err == nil {
			err = os.WriteFile(o.Config.Policies[0], []byte(c.rules), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		level, said := told(gate.Policy{Options: o}.Look(t.Context()))
		if level != c.want || !strings.Contains(said, c.said) {
			t.Errorf("%s: %s: %s", name, level, said)
		}
	}
}

// TestServed: what answers must be well, and be the gate of this configuration.
func TestServed(t *testing.T) {
	t.Parallel()
	live := func(path string, status int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == path {
				w.WriteHeader(status)
				_, _ = io.WriteString(w, "disk is full\n")
			}
		})
	}
	for name, c := range map[string]struct {
		handler http.Handler
		word    func(o *daemon.Options, s *daemon.Served)
		want    doctor.Level
		said    string
	}{
		"well":            {live("/", 0), func(*daemon.Options, *daemon.Served) {}, doctor.Note, "it listens on"},
		"not ready":       {live("/readyz", 503), func(*daemon.Options, *daemon.Served) {}, doctor.Failure, "cannot decide: status 503: disk is full"},
		"not there":       {live("/livez", 404), func(*daemon.Options, *daemon.Served) {}, doctor.Failure, "no gate answers"},
		"another file":    {live("/", 0), func(_ *daemon.Options, s *daemon.Served) { s.Config = "/elsewhere.yaml" }, doctor.Warning, "another configuration"},
		"an earlier file": {live("/", 0), func(_ *daemon.Options, s *daemon.Served) { s.Since = time.Now().Add(-time.Hour) }, doctor.Warning, "was changed after"},
	} {
		o := options(t, people)
		server := httptest.NewServer(c.handler)
		word := daemon.Served{URL: server.URL, Config: o.Config.File, PID: os.Getpid(), Since: time.Now().Add(time.Hour)}
		c.word(&o, &word)
		if _, err := daemon.WriteServed(o.Config.Data, word); err != nil {
			t.Fatal(err)
		}
		_, said := told(gate.Served{Options: o, Client: server.Client()}.Look(t.Context()))
		if !strings.Contains(said, string(c.want)+" ") || !strings.Contains(said, c.said) {
			t.Errorf("%s: %s", name, said)
		}
		if level, said := told(gate.Served{Options: daemon.Options{}, Server: server.URL, Client: server.Client()}.Look(t.Context())); (level == doctor.Failure) != (c.want == doctor.Failure) {
			t.Errorf("%s, by its address: %s", name, said)
		}
		server.Close()
	}
	o := options(t, people)
	if level, said := told(gate.Served{Options: o, Client: &http.Client{}}.Look(t.Context())); level != doctor.Warning || !strings.Contains(said, "toolverdict serve") {
		t.Error(said)
	}
}

// TestChannels: a card that was taken, one that was not, and no gate to send any.
func TestChannels(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer k" || r.URL.Path != "/v1/channels/good/test" {
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, "the platform did not take it")
		}
	}))
	defer server.Close()
	c := gate.Channels{Server: server.URL, Key: "k", Names: []string{"good", "bad"}, Client: server.Client()}
	if level, said := told(c.Try(t.Context())); level != doctor.Warning || !strings.Contains(said, "channel good: a card was taken") || !strings.Contains(said, "channel bad: status 409: the platform") {
		t.Error(said)
	}
	c.Key = ""
	if level, _ := told(c.Try(t.Context())); level != doctor.Unknown {
		t.Error("channels were tried without a key")
	}
}
