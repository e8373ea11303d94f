// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package apifuzz_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/wire"
)

// TestNoRequestBreaksTheGate asks in a row whatever one could. Run more with
// -rapid.checks.
func TestNoRequestBreaksTheGate(t *testing.T) {
	l := newLab(t)
	rapid.Check(t, l.row(40))
	l.covers(t)

}

// row asks so many requests in a row, and then whether the gate is well.
func (l *lab) row(of int) func(*rapid.T) {
	return func(t *rapid.T) {
		for range of {
			m := &maker{T: t, lab: l, shapes: texts(wire.Shapes())}
			l.try(t, m.request())
		}
		l.well(t)
	}
}

func texts[T ~string](in []T) []string {
	out := make([]string, len(in))
	for i, v := range in {
		out[i] = string(v)
	}
	return out
}

// try sends one request and holds the answer to the document and to the policy.
func (l *lab) try(t *rapid.T, r request) {
	req, err := r.read()
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	w := httptest.NewRecorder()
	l.take()
	l.handler.ServeHTTP(w, req.WithContext(ctx))
	body := w.Body.Bytes()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%s\n%.1500q\nanswered %d %v\n%.1500s", fmt.Sprintf(format, args...), r.raw, w.Code, w.Header(), body)
	}
	if w.Code >= 500 {
		fail("the gate failed")
	}
	a := read(body)
	if at := req.URL.Path; w.Code == http.StatusOK && (strings.HasSuffix(at, "/approve") || strings.HasSuffix(at, "/grant")) {
		l.approved++
	}
	if err := l.allowed(w.Code, r.as, req, r.body, body, &a); err != nil {
		fail("fail-open: %v", err)
	}
	if w.Code == http.StatusOK && r.op.body != nil && r.body != "" && req.Method == http.MethodPost && (a.Success || !refuses(req.URL.Path)) && !strict(r.body) {
		fail("it did what no strict reader could have read")
	}
	if served := req.Method == r.op.method && l.documented(r.op, req); served || w.Code != http.StatusOK {
		if err := l.asDocumented(r.op, req.Method, w); err != nil {
			fail("not as documented: %v", err)
		}
	}
	l.remember(r.as, &a)
	l.reached[fmt.Sprintf("%s %s %d", r.op.method, r.op.path, w.Code)]++
}

// documented reports whether a request is still one for the operation that it was
// made for.
func (l *lab) documented(op *operation, req *http.Request) bool {
	want, got := strings.Split(op.path, "/"), strings.Split(req.URL.EscapedPath(), "/")
	return len(want) == len(got) && !slices.ContainsFunc(want, func(part string) bool {
		i := slices.Index(want, part)
		return !strings.HasPrefix(part, "{") && got[i] != part
	})
}

func (l *lab) asDocumented(op *operation, method string, w *httptest.ResponseRecorder) error {
	if w.Code == http.StatusNoContent || w.Header().Get("X-Request-Id") == "" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
		return fmt.Errorf("its status or its headers")
	}
	if method == http.MethodHead {
		return nil
	}
	if !utf8.Valid(w.Body.Bytes()) {
		return fmt.Errorf("it is no UTF-8")
	}
	kind, schema := "application/json", op.answer
	if w.Code != http.StatusOK {
		kind, schema = "application/problem+json", l.api.problem
	}
	if got := w.Header().Get("Content-Type"); got != kind {
		return fmt.Errorf("Content-Type %q", got)
	}
	return fits(schema, w.Body.Bytes())
}

// refuses reports whether what cannot be read is answered there by the gate's
// own refusal, which is recorded.
func refuses(path string) bool {
	return slices.Contains([]string{"/v1/calls", "/v1/claim", "/v1/decide"}, path) || strings.HasPrefix(path, "/v1/hooks/")
}

// strict reports whether every reader of JSON reads the same in a body: no member
// of its outer objects stands there twice, in any case of its letters.
func strict(body string) bool {
	if !utf8.ValidString(body) || !json.Valid([]byte(body)) {
		return false
	}
	d := json.NewDecoder(strings.NewReader(body))
	if open, _ := d.Token(); open != json.Delim('{') {
		return true
	}
	seen := map[string]bool{}
	for d.More() {
		name, _ := d.Token()
		text, _ := name.(string)
		if seen[strings.ToLower(text)] {
			return false
		}
		seen[strings.ToLower(text)] = true
		var rest json.RawMessage
		if d.Decode(&rest) != nil {
			return false
		}
	}
	return true
}

// answer is what a caller may take for leave in an answer.
type answer struct {
	Success  bool
	Replayed bool
	Verdict  string
	Status   string
	ID       string
	Decision json.RawMessage // a decision, or AuthZEN's true
	Claim    json.RawMessage // a claim, or the id of one
	Tool     string

	Evaluations  []answer
	Results      []answer
	Approvals    []answer
	Confirmation struct{ ID string }
}

func read(body []byte) (a answer) {
	_ = json.Unmarshal(body, &a) // what it is not stays empty
	return a
}

func (a *answer) all() []answer {
	return append(append([]answer{*a}, a.Results...), a.Evaluations...)
}

// allowed holds what ran, and what would be taken for leave, to the policy.
func (l *lab) allowed(status int, as string, req *http.Request, body string, answered []byte, a *answer) error {
	calls := l.take()
	if len(calls) > 0 && (status != http.StatusOK || as == "" || !slices.Contains([]string{"/v1/calls", "/v1/batch"}, req.URL.Path)) {
		return fmt.Errorf("ran %v", calls)
	}
	said := 0
	for _, one := range a.all() {
		if one.Success && !one.Replayed {
			said++
		}
	}
	if len(calls) > said {
		return fmt.Errorf("ran %v, and said so of %d", calls, said)
	}
	for _, c := range calls {
		if err := l.may(as, c.tool, []byte(c.arguments)); err != nil {
			return err
		}
	}
	if status != http.StatusOK {
		return nil
	}
	for _, one := range a.all() {
		var c struct{ Arguments json.RawMessage }
		if json.Unmarshal(one.Claim, &c) == nil && one.Verdict == "allow" {
			if err := l.may(as, one.Tool, c.Arguments); err != nil {
				return fmt.Errorf("leave: %w", err)
			}
		}
	}
	if strings.HasPrefix(req.URL.Path, "/v1/hooks/") && strings.Contains(string(answered), "allow\"") {
		return errors.New("a hook that allows takes an agent's own questions away")
	}
	return l.advised(as, req.URL.Path, body, a)
}

// advised holds what is only said to the policy, too.
func (l *lab) advised(as, path, body string, a *answer) error {
	var q struct {
		Tool, Confirmation string
		Arguments          json.RawMessage
		Subject            struct{ ID string }
		Resource           struct {
			ID         string
			Properties struct{ Arguments json.RawMessage }
		}
	}
	err := json.Unmarshal([]byte(body), &q)
	switch {
	case path == "/access/v1/evaluation" && string(a.Decision) == "true":
		return cmp.Or(err, l.may(q.Subject.ID, q.Resource.ID, q.Resource.Properties.Arguments))
	case path == "/v1/decide" && a.Verdict == "allow" && q.Tool != "":
		return cmp.Or(err, l.may(as, q.Tool, q.Arguments))
	}
	return nil
}

// may says why a call may not run, by the test's own reading of the policy.
func (l *lab) may(as, tool string, arguments []byte) error {
	if len(arguments) > 0 && arguments[0] == '"' {
		var text string
		if json.Unmarshal(arguments, &text) == nil {
			arguments = []byte(text)
		}
	}
	switch v := verdict(tool, arguments); {
	case v == "allow" && (as != "reader" || strings.HasSuffix(tool, "/read")):
		return nil
	case v == "ask" && l.approved > 0:
		return nil
	default:
		return fmt.Errorf("%s of %s with %s, by %s", v, tool, arguments, as)
	}
}

// remember keeps names for later requests.
func (l *lab) remember(as string, a *answer) {
	s := &l.seen
	if strings.HasPrefix(a.ID, "run_") {
		s.runs = append(s.runs, a.ID)
	}
	for _, one := range a.all() {
		if id := one.Confirmation.ID; id != "" {
			s.approvals = append(s.approvals, id)
		}
		var c struct{ ID, Token, IdempotencyKey string }
		if json.Unmarshal(one.Claim, &c) == nil && c.Token != "" {
			s.claims = append(s.claims, claim{c.ID, c.Token, as})
			s.keys = append(s.keys, cmp.Or(c.IdempotencyKey, "k"))
		}
	}
}

// well checks that the gate still does what it should, and tells what came of
// all claims.
func (l *lab) well(t *rapid.T) {
	if w := l.ask(t, http.MethodGet, "/readyz", "", ""); w.Code != http.StatusOK {
		t.Fatalf("not ready: %d %s", w.Code, w.Body)
	}
	for _, c := range l.seen.claims {
		w := l.ask(t, http.MethodPost, "/v1/outcome", c.owner, fmt.Sprintf(`{"claim":%q,"token":%q,"status":"failed"}`, c.id, c.token))
		if w.Code != http.StatusOK && w.Code != http.StatusConflict {
			t.Fatalf("outcome of a claim: %d %s", w.Code, w.Body)
		}
	}
	l.seen.claims = nil
	l.take()
	l.calls++ // each is another call than those that somebody may have approved
	for body, want := range map[string]int{
		fmt.Sprintf(`{"tool":"up/pay","arguments":{"amount":50,"n":%d}}`, l.calls): 1, fmt.Sprintf(`{"tool":"up/pay","arguments":{"amount":5000,"n":%d}}`, l.calls): 0, `{"tool":"up/wipe"}`: 0,
	} {
		for _, tool := range []string{"read", "pay", "wipe"} { // whoever switched them off
			l.ask(t, http.MethodPost, "/v1/tools/up/"+tool+"/enable?user=clerk", "root", "{}")
		}
		w := l.ask(t, http.MethodPost, "/v1/calls", "agent", body)
		a := read(w.Body.Bytes())
		if ran := l.take(); w.Code != http.StatusOK || len(ran) != want || (want > 0) != (a.Success && !a.Replayed) {
			t.Fatalf("%s ran %d times, want %d: %d %s", body, len(ran), want, w.Code, w.Body)
		}
	}
}

// covers fails where the requests did not come far enough to mean anything.
func (l *lab) covers(t *testing.T) {
	t.Helper()
	for _, want := range []string{
		"POST /v1/calls 200", "POST /v1/batch 200", "POST /v1/claim 200", "POST /v1/decide 200", "POST /v1/outcome 200", "POST /access/v1/evaluation 200", "GET /v1/tools 200", "POST /v1/runs 200",
		"GET /v1/audit 200", "GET /v1/audit 403", "POST /v1/hooks/{agent} 200", "POST /v1/calls 400", "POST /v1/calls 401", "POST /v1/calls 415",
	} {
		if l.reached[want] == 0 {
			t.Errorf("no request came to %s", want)
		}
	}
}
