// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
)

// asEnvoy is what Envoy adds to a check, and passes on of a client's headers.
func asEnvoy(edit func(*http.Request)) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Set("X-Envoy-Auth-Partial-Body", "false")
		r.Header.Set("X-Forwarded-For", "203.0.113.7")
		r.Header.Set("X-Envoy-Internal", "true")
		if edit != nil {
			edit(r)
		}
	}
}

// checked is the answer to one check.
type checked struct {
	status int
	text   string
	rpc    struct {
		ID    json.RawMessage
		Error struct {
			Code    int
			Message string
			Data    tv.Result
		}
	}
}

func (s *site) check(key, path, body string, edit func(*http.Request)) checked {
	s.t.Helper()
	var c checked
	c.status, c.text = s.post(key, path, body, asEnvoy(edit))
	if err := json.Unmarshal([]byte(c.text), &c.rpc); err != nil {
		s.t.Fatalf("%d %s: %v", c.status, c.text, err)
	}
	return c
}

func toolCall(name, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments)
}

func (s *site) claims() []tv.Claim {
	s.t.Helper()
	all, err := s.store.Claims(context.Background(), tv.ClaimQuery{})
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

func TestEnvoyDecidesCalls(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if c := s.check("agent-key", "/envoy/mcp", toolCall("read", `{"n":1}`), nil); c.status != 200 || !strings.Contains(c.text, `"verdict":"allow"`) {
		t.Errorf("%d %s", c.status, c.text)
	}
	for tool, code := range map[string]tv.Code{"never": tv.PolicyDenied, "none": tv.UnknownTool, "@read": tv.UnknownTool, "@resources/read": tv.UnknownTool} {
		c := s.check("agent-key", "/envoy/mcp", toolCall(tool, `{}`), nil)
		if c.status != 403 || string(c.rpc.ID) != "7" || c.rpc.Error.Code != 4001 || c.rpc.Error.Data.Error == nil || c.rpc.Error.Data.Error.Code != code || !strings.HasPrefix(c.rpc.Error.Message, string(code)) {
			t.Errorf("%s: %d %s", tool, c.status, c.text)
		}
	}
	if c := s.check("agent-key", "/envoy/closed", toolCall("never", `{}`), nil); c.rpc.Error.Data.Error == nil || c.rpc.Error.Data.Error.Code != tv.ToolNotAllowed {
		t.Errorf("in a read-only run: %d %s", c.status, c.text)
	}
	if all := s.claims(); len(all) != 0 { // what only reads has none
		t.Errorf("claimed %+v", all)
	}
	if n := len(s.exec.Ran()); n != 0 {
		t.Errorf("the gate ran %d calls itself", n)
	}
}

// TestEnvoyAsksOnce: an approval is good for one request to the server.
func TestEnvoyAsksOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	call := toolCall("cancel", `{"id": 1.0}`)
	first := s.check("agent-key", "/envoy/mcp", call, nil)
	res := first.rpc.Error.Data
	if first.status != 403 || res.Confirmation == nil || res.Error.Code != tv.ConfirmationRequired || !strings.Contains(first.rpc.Error.Message, "https://gate.example/approvals/"+res.Confirmation.ID) {
		t.Fatalf("%d %s", first.status, first.text)
	}
	if again := s.check("agent-key", "/envoy/mcp", call, nil); again.status != 403 || again.rpc.Error.Data.Confirmation.ID != res.Confirmation.ID {
		t.Errorf("before it is approved: %s", again.text)
	}
	if _, err := s.as("boss-key").Decide(t.Context(), res.Confirmation.ID, "approve", "looked"); err != nil {
		t.Fatal(err)
	}
	if other := s.check("other-key", "/envoy/mcp", call, nil); other.status == 200 {
		t.Errorf("somebody else's approval counts: %s", other.text)
	}
	if c := s.check("agent-key", "/envoy/mcp", call, nil); c.status != 200 {
		t.Fatalf("approved: %d %s", c.status, c.text)
	}
	for range 2 {
		if c := s.check("agent-key", "/envoy/mcp", call, nil); c.status != 403 || c.rpc.Error.Data.Error.Code != tv.OutcomeUnknown {
			t.Errorf("passed on twice: %d %s", c.status, c.text)
		}
	}
	all := s.claims()
	states := map[tv.ClaimState]int{}
	for _, c := range all {
		states[c.State]++
	}
	if states[tv.ClaimUnknown] != 1 || states[tv.ClaimDispatched] != 0 {
		t.Errorf("the ledger says %v", states)
	}
}

// TestEnvoyPassesTheApprovedBytesOnly: a proxy cannot change a request, so what was
// approved otherwise does not pass.
func TestEnvoyPassesTheApprovedBytesOnly(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ask := func(args string) checked { return s.check("agent-key", "/envoy/mcp", toolCall("cancel", args), nil) }
	id := ask(`{"id":1.0}`).rpc.Error.Data.Confirmation.ID
	if _, err := s.as("boss-key").Decide(t.Context(), id, "approve", "looked"); err != nil {
		t.Fatal(err)
	}
	if c := ask(`{"id":1}`); c.status != 403 || !strings.Contains(c.text, "another spelling") {
		t.Errorf("another spelling: %d %s", c.status, c.text)
	}
	id = ask(`{"amount":2}`).rpc.Error.Data.Confirmation.ID
	status, text := s.post("boss-key", "/v1/approvals/"+id+"/edit", `{"arguments":{"amount":1},"reason":"less"}`, nil)
	var edited tv.Approval
	if err := json.Unmarshal([]byte(text), &edited); err != nil || status != 200 {
		t.Fatalf("%d %s %v", status, text, err)
	}
	if _, err := s.as("deputy-key").Decide(t.Context(), edited.ID, "approve", "looked"); err != nil {
		t.Fatal(err)
	}
	if c := ask(`{"amount":2}`); c.status != 403 || !strings.Contains(c.text, "An approver changed this call") {
		t.Errorf("changed: %d %s", c.status, c.text)
	}
}

// TestEnvoyMessages: what passes is a closed table. Nothing that acts passes
// undecided, and nothing passes beside what was decided.
func TestEnvoyMessages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	request := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":"a","method":%q,"params":%s}`, method, params)
	}
	with := func(member string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read","arguments":{},` + member + `}}`
	}
	modern := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	for body, passes := range map[string]bool{
		request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`): true,
		request("ping", `{}`):       true,
		request("tools/list", `{}`): true, request("prompts/list", `{}`): true, request("resources/list", `{}`): true,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`:                                      true,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`:               true,
		`{"jsonrpc":"2.0","id":3,"result":{}}`:                                                        true,
		`{"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"declined"}}`:                           true,
		`{"jsonrpc":"2.0","id":3,"result":{"action":"accept","content":{"password":"x"}}}`:            false,
		`{"jsonrpc":"2.0","method":"notifications/other"}`:                                            false,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"read"}}`:                            false,
		`[` + toolCall("read", `{}`) + `]`:                                                            false,
		toolCall("read", `{}`) + toolCall("never", `{}`):                                              false,
		request("resources/read", `{"uri":"file:///etc/passwd"}`):                                     false,
		request("prompts/get", `{"name":"x"}`):                                                        false,
		request("sampling/createMessage", `{}`):                                                       false,
		request("tools/call ", `{"name":"read"}`):                                                     false,
		request("Tools/Call", `{"name":"read"}`):                                                      false,
		request("tools/call", `{"arguments":{}}`):                                                     false,
		request("tools/call", `{"name":"read","arguments":"{}"}`):                                     false,
		request("tools/call", `{"name":"read","arguments":[]}`):                                       false,
		request("tools/call", `{"name":"read"}`):                                                      true,
		request("tools/call", `{"name":"read","arguments":null}`):                                     true,
		request("tools/call", `{"name":"read","Name":"never","arguments":{}}`):                        false,
		request("tools/call", `{"name":"read","name":"never","arguments":{}}`):                        false,
		request("tools/call", `{"name":"read","arguments":{"a":1,"a":2}}`):                            false,
		with(`"task":{"ttl":60}`):                                                                     true,
		with(`"task":{"ttl":60,"tool":"never"}`):                                                      false,
		with(`"more":1`):                                                                              false,
		with(`"requestState":"x"`):                                                                    false,
		with(`"inputResponses":{}`):                                                                   false,
		with(`"_meta":{"progressToken":1,"toolverdict/idempotencyKey":"k"}`):                          true,
		with(`"_meta":{"toolverdict/addresses":{"a.example":["192.0.2.1"]}}`):                         false,
		with(`"_meta":{"Toolverdict/confirmation":"x"}`):                                              false,
		request("ping", `{"_meta":{"toolverdict/addresses":{}}}`):                                     false,
		request("tools/list", `{"requestState":"x"}`):                                                 false,
		request("subscriptions/listen", `{"inputResponses":{"1":{"action":"accept"}}}`):               false,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"_meta":{"toolverdict/x":1}}}`: false,
		with(modern): false, // whose headers are not there
		``:           false,
		`{`:          false,
	} {
		status, text := s.post("agent-key", "/envoy/mcp", body, asEnvoy(nil))
		if want := map[bool]int{true: 200, false: 403}[passes]; status != want {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
	refused, err := finder{s.store}.Find(t.Context(), audit.Query{})
	if err != nil {
		t.Fatal(err)
	}
	broken := 0
	for _, r := range refused {
		if r.Record.Code == tv.MalformedCall && r.Record.Door == tv.DoorEnvoy {
			broken++
		}
	}
	if broken != 2 { // the list, and the member that is there twice
		t.Errorf("%d broken calls are on record", broken)
	}
}

// TestEnvoyRequests: what a server might read otherwise than the gate does not pass,
// and nothing that is not asked as it is documented.
func TestEnvoyRequests(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	set := func(name string, values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header[http.CanonicalHeaderKey(name)] = values }
	}
	modern := strings.Replace(toolCall("read", `{}`), `{"name"`, `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"name"`, 1)
	mirrors := func(name string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
			r.Header.Set("Mcp-Method", "tools/call")
			r.Header.Set("Mcp-Name", name)
		}
	}
	read := toolCall("read", `{}`)
	for name, c := range map[string]struct {
		key, method, path, body string
		edit                    func(*http.Request)
		want                    int
	}{
		"as documented":              {"agent-key", "POST", "/envoy/mcp", read, nil, 200},
		"of the modern revision":     {"agent-key", "POST", "/envoy/mcp", modern, mirrors("read"), 200},
		"another name in a header":   {"agent-key", "POST", "/envoy/mcp", modern, mirrors("never"), 403},
		"no key":                     {"none", "POST", "/envoy/mcp", read, nil, 401},
		"a stream":                   {"agent-key", "GET", "/envoy/mcp", "", nil, 200},
		"the end of a session":       {"agent-key", "DELETE", "/envoy/mcp", "", nil, 200},
		"a stream without a key":     {"none", "GET", "/envoy/mcp", "", nil, 401},
		"a body with GET":            {"agent-key", "GET", "/envoy/mcp", read, nil, 403},
		"another method":             {"agent-key", "PUT", "/envoy/mcp", read, nil, 403},
		"another path":               {"agent-key", "POST", "/envoy/mcp2", read, nil, 403},
		"a path below":               {"agent-key", "POST", "/envoy/mcp/x", read, nil, 403},
		"a slash more":               {"agent-key", "POST", "/envoy/mcp/", read, nil, 403},
		"an escaped path":            {"agent-key", "POST", "/envoy/%6dcp", read, nil, 403},
		"a query":                    {"agent-key", "POST", "/envoy/mcp?x=1", read, nil, 403},
		"an empty query":             {"agent-key", "POST", "/envoy/mcp?", read, nil, 403},
		"a host that is not served":  {"agent-key", "POST", "/envoy/mcp", read, func(r *http.Request) { r.Host = "evil.example" }, 403},
		"a part of the body":         {"agent-key", "POST", "/envoy/mcp", read, set("X-Envoy-Auth-Partial-Body", "true"), 403},
		"a part, said twice":         {"agent-key", "POST", "/envoy/mcp", read, set("X-Envoy-Auth-Partial-Body", "false", "true"), 403},
		"a part, in another word":    {"agent-key", "POST", "/envoy/mcp", read, set("X-Envoy-Auth-Partial-Body", "False"), 403},
		"no type":                    {"agent-key", "POST", "/envoy/mcp", read, set("Content-Type"), 403},
		"two types":                  {"agent-key", "POST", "/envoy/mcp", read, set("Content-Type", "application/json", "text/plain"), 403},
		"another charset":            {"agent-key", "POST", "/envoy/mcp", read, set("Content-Type", "application/json; charset=utf-16"), 403},
		"UTF-8, said so":             {"agent-key", "POST", "/envoy/mcp", read, set("Content-Type", "application/json; charset=UTF-8"), 200},
		"an encoding":                {"agent-key", "POST", "/envoy/mcp", read, set("Content-Encoding", "br"), 403},
		"two versions":               {"agent-key", "POST", "/envoy/mcp", read, set("Mcp-Protocol-Version", "2025-11-25", "2026-07-28"), 403},
		"a version in a header only": {"agent-key", "POST", "/envoy/mcp", read, set("Mcp-Protocol-Version", "2026-07-28"), 403},
		"no body":                    {"agent-key", "POST", "/envoy/mcp", "", nil, 403},
	} {
		status, text := s.send(c.key, c.method, c.path, c.body, asEnvoy(c.edit))
		if status != c.want {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
}

// TestEnvoyNamesTheCaller: a header names somebody only where it is configured, and
// only with the key of a service that may ask about others.
func TestEnvoyNamesTheCaller(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	as := func(host string, users ...string) func(*http.Request) {
		return func(r *http.Request) {
			r.Host = host
			r.Header["X-User"] = users
		}
	}
	for name, c := range map[string]struct {
		key  string
		edit func(*http.Request)
		want string
	}{
		"Envoy about one that is known": {"proxy-key", as("tools.example:8443", "agent"), "other/read by agent"},
		"Envoy about a stranger":        {"proxy-key", as("tools.example", "mallory"), ""},
		"Envoy about nobody":            {"proxy-key", as("tools.example"), ""},
		"Envoy about two":               {"proxy-key", as("tools.example", "agent", "clerk"), ""},
		"a client about another":        {"agent-key", as("tools.example", "clerk"), ""},
		"a client about itself":         {"agent-key", as("tools.example", "agent"), ""},
		"a route without the header":    {"agent-key", as("localhost", "clerk"), "server/read by agent"},
	} {
		before, err := finder{s.store}.Find(t.Context(), audit.Query{})
		if err != nil {
			t.Fatal(err)
		}
		s.post(c.key, "/envoy/mcp", toolCall("read", `{}`), asEnvoy(c.edit))
		after, err := finder{s.store}.Find(t.Context(), audit.Query{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(after) > len(before) {
			r := after[len(before)].Record
			got = r.Tool + " by " + r.Subject
		}
		if got != c.want {
			t.Errorf("%s: decided %q, want %q", name, got, c.want)
		}
	}
}
