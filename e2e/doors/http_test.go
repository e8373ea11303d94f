// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package doors_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/guard"
	"github.com/toolverdict/toolverdict/guard/remote"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

// body is a call as the API has it.
func (r *row) body() string {
	return fmt.Sprintf(`{"id":%s,"tool":%s,"arguments":%s}`, ascii(r.label), ascii(r.full()), r.Arguments)
}

// status is the answer to what was no call.
func status(code int, text string) answer {
	return answer{verdict: "deny", code: fmt.Sprintf("status %d", code), text: text}
}

// ruling is an answer of the API, of any of its forms.
type ruling struct {
	Verdict string
	tv.Result

	Claim *struct {
		ID, Token string
		Arguments json.RawMessage
	}
	Results []json.RawMessage
}

func (s *site) ruling(t *testing.T, path, body string) (ruling, answer, bool) {
	t.Helper()
	code, text := s.post(t, path, body, nil)
	if code != http.StatusOK {
		return ruling{}, status(code, text), false
	}
	var out ruling
	must(t, json.Unmarshal([]byte(text), &out))
	if len(out.Results) == 1 {
		one := ruling{}
		must(t, json.Unmarshal(out.Results[0], &one))
		out = one
	}
	a := result(&out.Result)
	if a.text = text; out.Verdict != "" {
		a.verdict = out.Verdict
	}
	return out, a, true
}

// decided asks one of the API's operations.
func (s *site) decided(path string) func(*testing.T, string, *row) answer {
	return func(t *testing.T, body string, _ *row) answer {
		t.Helper()
		out, a, ok := s.ruling(t, path, body)
		if ok && out.Claim != nil {
			a.leave = string(out.Claim.Arguments)
			s.settle(t, out.Claim.ID, out.Claim.Token)
		}
		return a
	}
}

// settle tells what came of a claim.
func (s *site) settle(t *testing.T, id, token string) {
	t.Helper()
	code, text := s.post(t, "/v1/outcome", fmt.Sprintf(`{"claim":%q,"token":%q,"status":"succeeded"}`, id, token), nil)
	if code != http.StatusOK {
		t.Errorf("tell the outcome: %d %s", code, text)
	}
}

// brokenBody: arguments that are no strict JSON make the body none. The gate
// refuses it, and the record cannot carry the id that stood in it.
func brokenBody(n not) func(r *row) (not, bool) {
	return func(r *row) (not, bool) { return n, !r.kind().strict() }
}

func (s *site) overHTTP(t *testing.T) []door {
	t.Helper()
	one := func(r *row) string { return r.body() }
	many := func(r *row) string { return `{"calls":[` + r.body() + `]}` }
	malformed := brokenBody(not{code: "MALFORMED_CALL"})
	return []door{
		{name: "POST /v1/calls", as: tv.DoorHTTP, runs: true, write: one, send: s.decided("/v1/calls"), instead: malformed},
		{name: "POST /v1/batch", as: tv.DoorHTTP, runs: true, write: many, send: s.decided("/v1/batch"), instead: brokenBody(not{code: "status 400"})},
		{name: "POST /v1/decide", as: tv.DoorHTTP, write: one, send: s.decided("/v1/decide"), instead: malformed},
		{name: "POST /v1/decide, a list", as: tv.DoorHTTP, write: many, send: s.decided("/v1/decide"), instead: malformed},
		{name: "POST /v1/claim", as: tv.DoorHTTP, write: one, send: s.decided("/v1/claim"), instead: malformed},
		{name: "POST /v1/claim, a list", as: tv.DoorHTTP, write: many, send: s.decided("/v1/claim"), instead: malformed},
		{name: "POST /access/v1/evaluation", as: tv.DoorHTTP, write: question, send: s.evaluated("/access/v1/evaluation"), instead: brokenBody(not{code: "status 400"})},
		{name: "POST /access/v1/evaluations", as: tv.DoorHTTP, write: func(r *row) string { return `{"evaluations":[` + question(r) + `]}` }, send: s.evaluated("/access/v1/evaluations"), instead: brokenBody(not{code: "status 400"})},
		{name: "guard over HTTP", as: tv.DoorHTTP, runs: true, instead: tooDeep, ask: s.guarded(guard.Guard{Source: remote.Gate{Client: s.client(t)}, Server: server})},
		{name: "client: Do", as: tv.DoorHTTP, runs: true, instead: tooDeep, ask: func(t *testing.T, r *row) answer {
			t.Helper()
			res, _, err := s.client(t).Do(t.Context(), r.call())
			must(t, err)
			return result(&res)
		}},
		{name: "client: Advise", as: tv.DoorHTTP, instead: tooDeep, ask: func(t *testing.T, r *row) answer {
			t.Helper()
			v, err := s.client(t).Advise(t.Context(), r.call())
			must(t, err)
			a := result(&v.Result)
			a.verdict = v.Verdict.String()
			return a
		}},
		{name: "client: Claim", as: tv.DoorHTTP, instead: tooDeep, ask: func(t *testing.T, r *row) answer {
			t.Helper()
			v, err := s.client(t).Claim(t.Context(), r.call())
			must(t, err)
			a := result(&v.Result)
			if a.verdict = v.Verdict.String(); v.Claim != nil {
				a.leave = string(v.Claim.Arguments)
				s.settle(t, v.Claim.ID, v.Claim.Token)
			}
			return a
		}},
	}
}

// tooDeep: the client sends what is no JSON as a text, and all else as it is. What
// is too deep for any body is refused as a body.
func tooDeep(r *row) (not, bool) { return not{code: "MALFORMED_CALL"}, r.kind() == deepest }

func (r *row) call() client.Call {
	return client.Call{ID: r.label, Tool: r.full(), Arguments: []byte(r.Arguments)}
}

// question is a call in AuthZEN's words.
func question(r *row) string {
	return fmt.Sprintf(`{"subject":{"type":"user","id":"agent"},"action":{"name":"tools/call"},"resource":{"type":"tool","id":%s,"properties":{"arguments":%s}},"context":{"session":%s}}`,
		ascii(r.full()), r.Arguments, ascii(r.label))
}

func (s *site) evaluated(path string) func(*testing.T, string, *row) answer {
	type evaluation struct {
		Decision bool
		Context  struct{ Verdict, Reason string }
	}
	return func(t *testing.T, body string, _ *row) answer {
		t.Helper()
		code, text := s.post(t, path, body, nil)
		if code != http.StatusOK {
			return status(code, text)
		}
		var out struct {
			evaluation

			Evaluations []evaluation
		}
		must(t, json.Unmarshal([]byte(text), &out))
		e := out.evaluation
		if len(out.Evaluations) == 1 {
			e = out.Evaluations[0]
		}
		if e.Decision != (e.Context.Verdict == "allow") {
			t.Errorf("decision and verdict differ: %s", text)
		}
		return answer{verdict: e.Context.Verdict, code: e.Context.Reason, text: text}
	}
}
