// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canary_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/internal/doctor"
	"github.com/toolverdict/toolverdict/internal/doctor/canary"
)

// log is an audit log of a test: what was asked of a gate, if it records at all.
type log struct {
	records []tv.Record
	err     error
}

func (l *log) Find(_ context.Context, q audit.Query) ([]audit.Numbered, error) {
	var out []audit.Numbered
	for i := range l.records {
		if q.Matches(&l.records[i]) {
			out = append(out, audit.Numbered{Record: l.records[i]})
		}
	}
	return out, l.err
}

const refusal = `{"success":false,"verdict":"deny","error":{"code":"UNKNOWN_TOOL"},"decision":{"id":"d","verdict":"deny"}}`

// TestDoor: a door is proven by its refusal and the record of just this call, and by
// nothing less.
func TestDoor(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	record := func(mark string) tv.Record {
		return tv.Record{Kind: tv.RecordDecision, At: now, CallerID: mark, Tool: "a/b", Verdict: "deny"}
	}
	for name, c := range map[string]struct {
		rule  string
		knock error
		write func(mark string) []tv.Record
		err   error
		blind bool
		want  doctor.Level
		said  string
	}{
		"proven":           {write: func(m string) []tv.Record { return []tv.Record{record(m)} }, want: doctor.OK, said: "denied and recorded"},
		"no record":        {write: func(string) []tv.Record { return nil }, want: doctor.Unknown, said: "no record"},
		"another's record": {write: func(m string) []tv.Record { return []tv.Record{record(m + "x")} }, want: doctor.Unknown, said: "no record"},
		"allowed":          {write: func(m string) []tv.Record { r := record(m); r.Verdict = "allow"; return []tv.Record{r} }, want: doctor.Unknown, said: "no record"},
		"another tool":     {write: func(m string) []tv.Record { r := record(m); r.Tool = "a/c"; return []tv.Record{r} }, want: doctor.Unknown, said: "no record"},
		"an outcome":       {write: func(m string) []tv.Record { r := record(m); r.Kind = tv.RecordOutcome; return []tv.Record{r} }, want: doctor.Unknown, said: "no record"},
		"by its session":   {write: func(m string) []tv.Record { r := record(""); r.Session = m; return []tv.Record{r} }, want: doctor.OK, said: "denied and recorded"},
		"the rule":         {rule: "r", write: func(m string) []tv.Record { r := record(m); r.Rule = "r"; return []tv.Record{r} }, want: doctor.OK, said: "against rule r"},
		"another rule":     {rule: "r", write: func(m string) []tv.Record { r := record(m); r.Rule = "s"; return []tv.Record{r} }, want: doctor.Failure, said: "another rule than r"},
		"no rule":          {rule: "r", write: func(m string) []tv.Record { return []tv.Record{record(m)} }, want: doctor.Failure, said: "another rule than r"},
		"passed":           {knock: &canary.Passed{Answer: "ran"}, write: func(m string) []tv.Record { return []tv.Record{record(m)} }, want: doctor.Failure, said: "NOT GUARDED"},
		"fault":            {knock: errors.New("nobody"), write: func(string) []tv.Record { return nil }, want: doctor.Failure, said: "nobody"},
		"untried":          {knock: &canary.Untried{Why: "no key"}, write: func(string) []tv.Record { return nil }, want: doctor.Unknown, said: "not tried: no key"},
		"unreadable log":   {write: func(string) []tv.Record { return nil }, err: errors.New("damaged"), want: doctor.Unknown, said: "damaged"},
		"no log":           {blind: true, write: func(string) []tv.Record { return nil }, want: doctor.Unknown, said: "could not be looked for"},
	} {
		l := &log{err: c.err}
		d := canary.Door{Way: "w", Tool: "a/b", Rule: c.rule, Log: l, Now: func() time.Time { return now }, Knock: func(_ context.Context, mark string) error {
			l.records = c.write(mark)
			return c.knock
		}}
		if c.blind {
			d.Log = nil
		}
		found := d.Look(t.Context())
		if len(found) != 1 || found[0].Level != c.want || !strings.Contains(found[0].Text, c.said) {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// world is what stands where a gate should.
type world struct {
	log    *log
	answer func(r *http.Request, mark string) (status int, body string)
	record bool
}

// ServeHTTP writes the record that a gate would, and answers as the test says.
func (s *world) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var in struct {
		ID, Tool, Session string
		Session2          string `json:"session_id"`
		Name              string `json:"tool_name"`
		Context           struct{ Session string }
	}
	_ = json.Unmarshal(b, &in)
	rec := tv.Record{Kind: tv.RecordDecision, At: time.Now(), CallerID: in.ID, Session: in.Context.Session + in.Session2, Tool: in.Tool, Verdict: "deny", Subject: "agent"}
	if server, ok := strings.CutPrefix(r.URL.Path, "/mcp/"); ok {
		rec.Tool = server + "/toolverdictcanary"
	}
	if r.URL.Path == "/envoy/mcp" && r.Host == "tools.example" {
		rec.Tool = "orders/toolverdictcanary"
	}
	if agent, ok := strings.CutPrefix(r.URL.Path, "/v1/hooks/"); ok {
		if rec.Tool = agent + "/" + in.Name; in.Name == "Bash" {
			rec.Rule = "self-protection"
		}
	}
	if rec.Tool == "" {
		rec.Tool = "toolverdictcanary/toolverdictcanary"
	}
	if s.record {
		s.log.records = append(s.log.records, rec)
	}
	status, body := s.answer(r, in.ID)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// honest answers as a gate does.
func honest(r *http.Request, mark string) (int, string) {
	switch {
	case strings.HasPrefix(r.URL.Path, "/envoy/"):
		return 403, `{"jsonrpc":"2.0","id":"` + mark + `","error":{"code":4001,"message":"m","data":` + refusal + `}}`
	case strings.HasPrefix(r.URL.Path, "/mcp/"):
		return 400, `{"jsonrpc":"2.0","id":"` + mark + `","error":{"code":-32602,"message":"m","data":` + refusal + `}}`
	case r.URL.Path == "/access/v1/evaluation":
		return 200, `{"decision":false,"context":{"verdict":"deny","reason":"UNKNOWN_TOOL"}}`
	case strings.HasPrefix(r.URL.Path, "/v1/hooks/"):
		return 200, string(hookgate.Denial(hookgate.ClaudeCode, "UNKNOWN_TOOL POLICY_DENIED"))
	}
	return 200, refusal
}

// TestDoorsOverHTTP: whatever else answers in the place of a gate, no door is proven.
func TestDoorsOverHTTP(t *testing.T) {
	t.Parallel()
	same := func(status int, body string) func(*http.Request, string) (int, string) {
		return func(*http.Request, string) (int, string) { return status, body }
	}
	for name, c := range map[string]struct {
		answer func(*http.Request, string) (int, string)
		record bool
		proven bool
	}{
		"a gate":                  {honest, true, true},
		"a gate without a record": {honest, false, false},
		"empty":                   {same(200, ""), true, false},
		"empty object":            {same(200, "{}"), true, false},
		"allow":                   {same(200, `{"success":true,"verdict":"allow","decision":{"id":"d","verdict":"allow"}}`), true, false},
		"a word of its own":       {same(200, `{"success":false,"verdict":"denied","error":{"code":"UNKNOWN_TOOL"},"decision":{"id":"d","verdict":"denied"}}`), true, false},
		"refused with leave":      {same(200, strings.Replace(refusal, `"error"`, `"claim":{"id":"c"},"error"`, 1)), true, false},
		"another refusal":         {same(200, strings.Replace(refusal, "UNKNOWN_TOOL", "POLICY_DENIED", 1)), true, false},
		"no decision":             {same(200, `{"success":false,"verdict":"deny","error":{"code":"UNKNOWN_TOOL"}}`), true, false},
		"a server's own error":    {same(400, `{"jsonrpc":"2.0","id":"x","error":{"code":-32602,"message":"Unknown tool"}}`), true, false},
		"an answer to another":    {same(400, `{"jsonrpc":"2.0","id":"x","error":{"code":-32602,"data":`+refusal+`}}`), true, false},
		"a result beside it": {func(r *http.Request, mark string) (int, string) {
			if !strings.HasPrefix(r.URL.Path, "/mcp/") {
				return 200, "{}"
			}
			return 200, `{"jsonrpc":"2.0","id":"` + mark + `","result":{},"error":{"code":-32602,"data":` + refusal + `}}`
		}, true, false},
		"not let in": {same(401, `{"title":"Unauthorized"}`), true, false},
		"created":    {same(201, refusal), true, false},
		"a page":     {same(200, "<html>\x1b[31m"), true, false},
		"fault":      {same(500, refusal), true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &log{}
			server := httptest.NewServer(&world{l, c.answer, c.record})
			defer server.Close()
			g := canary.Gate{URL: server.URL, Key: "k", Client: server.Client(), Log: l, Now: time.Now}
			doors := g.Doors(canary.Ways{
				Servers: []string{"orders"}, Envoys: []canary.Envoy{{Host: "tools.example", Path: "/mcp", Server: "orders"}},
				Hooks: []canary.Hook{{Agent: hookgate.ClaudeCode, Workspace: "/w", Home: "/h"}},
			})
			if len(doors) != 8 {
				t.Fatalf("%d doors", len(doors))
			}
			for _, d := range doors {
				found := d.Look(t.Context())
				if (found[0].Level == doctor.OK) != c.proven || strings.Contains(found[0].Text, "\x1b") {
					t.Errorf("%s: %+v", d.Way, found)
				}
			}
		})
	}
}

// TestEnvoysKey: a door that is asked with somebody else's key is not tried.
func TestEnvoysKey(t *testing.T) {
	t.Parallel()
	doors := canary.Gate{Now: time.Now}.Doors(canary.Ways{Envoys: []canary.Envoy{{Path: "/mcp", Server: "s", Keyed: true}}})
	found := doors[len(doors)-1].Look(t.Context())
	if found[0].Level != doctor.Unknown || !strings.Contains(found[0].Text, "key of Envoy's own") {
		t.Errorf("%+v", found)
	}
}

// TestInputs: the gate reads what would be told by each agent, and as just the call
// that is meant.
func TestInputs(t *testing.T) {
	t.Parallel()
	for _, a := range hookgate.Agents() {
		h := canary.Hook{Agent: a, Workspace: "/home/o'neil/app", Home: "/home/o'neil"}
		for _, c := range h.Calls() {
			e, err := hookgate.Read(a, h.Input("canary-1", c))
			if err != nil {
				t.Errorf("%s: %v", a, err)
				continue
			}
			if e.Phase != hookgate.Before || e.Session != "canary-1" || e.Home != h.Workspace || e.Tool != c.Tool {
				t.Errorf("%s: %+v", a, e)
			}
			if c.Rule != "" && !strings.Contains(string(e.Arguments), `rm '/home/o'\\''neil/.config/toolverdict/toolverdictcanary'`) {
				t.Errorf("%s: %s", a, e.Arguments)
			}
		}
	}
}
