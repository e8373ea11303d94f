// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/execute"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

const done = `{"content":[{"type":"text","text":"done"}]}`

func answerDone(m mcpwire.Outbound) (*mcpwire.Reply, error) { return result(m, done), nil }

func TestCallsInBothEras(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		server  *server
		methods string
		session string
		version string
	}{
		"modern": {modern(answerDone), "server/discover tools/call", "", "2026-07-28"},
		"legacy that knows the question": {
			discovering(legacy(answerDone)), "server/discover initialize notifications/initialized tools/call", "session-1", "2025-06-18",
		},
		"legacy": {legacy(answerDone), "server/discover initialize notifications/initialized tools/call", "session-1", "2025-06-18"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			peer := execute.NewPeer(c.server, "v1")
			const args = `{ "b":1.0, "a":"\u00e9" }`
			res := do(t, peer, "write", args)
			if !res.Success || string(res.Content) != done || res.StateChanged != tv.Changed {
				t.Errorf("result: %+v", res)
			}
			if got := c.server.methods(); got != c.methods {
				t.Errorf("sent %s, want %s", got, c.methods)
			}
			call := c.server.last("tools/call")
			if got := string(call.Message.Params().Get("arguments").Bytes()); got != args {
				t.Errorf("arguments went as %s, want the very bytes %s", got, args)
			}
			if got := call.Message.Params().Get("name").Text(); got != "write" {
				t.Errorf("tool %q", got)
			}
			if call.Session != c.session || call.Header.Get(mcpwire.HeaderVersion) != c.version {
				t.Errorf("session %q, version %q", call.Session, call.Header.Get(mcpwire.HeaderVersion))
			}
			// The second call needs no second handshake.
			do(t, peer, "write", args)
			if got := c.server.methods(); got != c.methods+" tools/call" {
				t.Errorf("sent %s", got)
			}
			if err := peer.Close(context.Background()); err != nil {
				t.Error(err)
			}
			want := []string(nil)
			if c.session != "" {
				want = []string{c.session}
			}
			if diff := cmp.Diff(want, c.server.ended); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// discovering makes a server of the older era answer which revisions it knows.
func discovering(s *server) *server {
	inner := s.answer
	s.answer = func(m mcpwire.Outbound) (*mcpwire.Reply, error) {
		if m.Message.Method() == "server/discover" {
			return result(m, `{"supportedVersions":["2025-11-25","2025-06-18"],"capabilities":{}}`), nil
		}
		return inner(m)
	}
	return s
}

func TestMirroredHeaders(t *testing.T) {
	t.Parallel()
	s := modern(answerDone)
	if res := do(t, execute.NewPeer(s, "v1"), "read", `{"region":"eu west"}`); !res.Success {
		t.Fatalf("%+v", res.Error)
	}
	h := s.last("tools/call").Header
	if h.Get("Mcp-Method") != "tools/call" || h.Get("Mcp-Name") != "read" || h.Get("Mcp-Param-Region") != "eu west" {
		t.Errorf("headers: %v", h)
	}
}

func TestMethodsAreCalledByTheirName(t *testing.T) {
	t.Parallel()
	s := modern(func(m mcpwire.Outbound) (*mcpwire.Reply, error) {
		return result(m, `{"contents":[]}`), nil
	})
	res := do(t, execute.NewPeer(s, "v1"), "@resources/read", `{"uri":"a://b"}`)
	if !res.Success || string(res.Content) != `{"contents":[]}` {
		t.Errorf("%+v", res)
	}
	if got := s.last("resources/read").Message.Params().Get("uri").Text(); got != "a://b" {
		t.Errorf("uri %q", got)
	}
}

// TestTruthAboutFaults: what surely did not arrive failed and changed nothing;
// what may have arrived is unknown, and says so.
func TestTruthAboutFaults(t *testing.T) {
	t.Parallel()
	fail := func(err error) func(mcpwire.Outbound) (*mcpwire.Reply, error) {
		return func(mcpwire.Outbound) (*mcpwire.Reply, error) { return nil, err }
	}
	broken := func(list []string, err error) func(mcpwire.Outbound) (*mcpwire.Reply, error) {
		return func(mcpwire.Outbound) (*mcpwire.Reply, error) {
			r := reply(http.StatusOK)
			r.Body = &events{list: list, err: err}
			return r, nil
		}
	}
	for name, c := range map[string]struct {
		call    func(mcpwire.Outbound) (*mcpwire.Reply, error)
		code    tv.Code
		changed tv.StateChange
	}{
		"not sent":             {fail(fmt.Errorf("dial: %w", mcpwire.ErrNotSent)), tv.ToolError, tv.Unchanged},
		"busy":                 {fail(fmt.Errorf("%w: %w", mcpwire.ErrBusy, mcpwire.ErrNotSent)), tv.ToolError, tv.Unchanged},
		"lost":                 {fail(errors.New("connection reset")), tv.OutcomeUnknown, tv.MaybeChange},
		"too large":            {fail(mcpwire.ErrTooLarge), tv.OutcomeUnknown, tv.MaybeChange},
		"stream broke":         {broken(nil, errors.New("reset")), tv.OutcomeUnknown, tv.MaybeChange},
		"stream ended early":   {broken([]string{`{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`}, nil), tv.OutcomeUnknown, tv.MaybeChange},
		"garbage":              {broken([]string{"<html>"}, nil), tv.OutcomeUnknown, tv.MaybeChange},
		"another request's":    {broken([]string{`{"jsonrpc":"2.0","id":999,"result":{}}`}, nil), tv.OutcomeUnknown, tv.MaybeChange},
		"refused by transport": {fail(mcpwire.ErrRefused), tv.ToolError, tv.MaybeChange},
		"error of the server":  {func(m mcpwire.Outbound) (*mcpwire.Reply, error) { return rpcError(m, -32603), nil }, tv.ToolError, tv.MaybeChange},
		"error without an id":  {broken([]string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`}, nil), tv.ToolError, tv.MaybeChange},
		"tool says error": {func(m mcpwire.Outbound) (*mcpwire.Reply, error) {
			return result(m, `{"isError":true,"content":[{"type":"text","text":"no stock"}]}`), nil
		}, tv.ToolError, tv.MaybeChange},
		"tool asks for more": {func(m mcpwire.Outbound) (*mcpwire.Reply, error) {
			return result(m, `{"resultType":"input_required","inputRequests":{}}`), nil
		}, tv.ToolError, tv.MaybeChange},
		"status without message": {func(mcpwire.Outbound) (*mcpwire.Reply, error) { return reply(http.StatusBadRequest), nil }, tv.ToolError, tv.MaybeChange},
		// A proxy whose server was too slow answers so, and the tool may have run.
		"a proxy gave up":           {func(mcpwire.Outbound) (*mcpwire.Reply, error) { return reply(http.StatusGatewayTimeout), nil }, tv.OutcomeUnknown, tv.MaybeChange},
		"a proxy's page gave up":    {func(mcpwire.Outbound) (*mcpwire.Reply, error) { return reply(http.StatusBadGateway, "<html>"), nil }, tv.OutcomeUnknown, tv.MaybeChange},
		"the request was malformed": {func(mcpwire.Outbound) (*mcpwire.Reply, error) { return reply(http.StatusBadRequest, "no"), nil }, tv.ToolError, tv.MaybeChange},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := do(t, execute.NewPeer(modern(c.call), "v1"), "write", `{}`)
			if code(&res) != c.code || res.StateChanged != c.changed {
				t.Errorf("got %s, changed %s; want %s, %s", code(&res), res.StateChanged, c.code, c.changed)
			}
			// A tool that only reads changed nothing, whatever was lost.
			res = do(t, execute.NewPeer(modern(c.call), "v1"), "read", `{}`)
			if res.Success || res.StateChanged != tv.Unchanged {
				t.Errorf("of a reading tool: %+v", res)
			}
		})
	}
}

func TestToolErrorsReachTheAgent(t *testing.T) {
	t.Parallel()
	s := modern(func(m mcpwire.Outbound) (*mcpwire.Reply, error) {
		return result(m, `{"isError":true,"content":[{"type":"image","data":""},{"type":"text","text":"`+strings.Repeat("é", 3000)+`"}]}`), nil
	})
	res := do(t, execute.NewPeer(s, "v1"), "write", `{}`)
	if msg := res.Error.Message; !strings.HasPrefix(msg, "éé") || len(msg) > 2100 || !strings.HasSuffix(msg, "…") || strings.Contains(msg, "\uFFFD") {
		t.Errorf("message of %d bytes: %.20s", len(msg), msg)
	}
	if !strings.Contains(string(res.Content), "isError") {
		t.Error("the tool's own answer is not there")
	}
}

// A server that forgot the session took nothing of the call: it is made once
// more in a new session, and no more than once.
func TestForgottenSession(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		forgets int
		code    tv.Code
		calls   int
	}{"once": {1, "", 2}, "always": {100, tv.ToolError, 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			forgot := 0
			s := legacy(func(m mcpwire.Outbound) (*mcpwire.Reply, error) {
				if forgot < c.forgets {
					forgot++
					return nil, fmt.Errorf("call: %w", mcpwire.ErrNoSession)
				}
				return result(m, done), nil
			})
			res := do(t, execute.NewPeer(s, "v1"), "write", `{}`)
			if code(&res) != c.code {
				t.Errorf("got %s, want %s", code(&res), c.code)
			}
			if c.code != "" && res.StateChanged != tv.Unchanged {
				t.Errorf("state changed: %s", res.StateChanged)
			}
			if n := strings.Count(s.methods(), "tools/call"); n != c.calls {
				t.Errorf("%d calls, want %d", n, c.calls)
			}
		})
	}
}

// A lost answer is never asked for again: the tool may have run.
func TestLostCallsAreNotRepeated(t *testing.T) {
	t.Parallel()
	s := modern(func(mcpwire.Outbound) (*mcpwire.Reply, error) { return nil, errors.New("reset") })
	do(t, execute.NewPeer(s, "v1"), "write", `{}`)
	if n := strings.Count(s.methods(), "tools/call"); n != 1 {
		t.Errorf("%d calls, want one", n)
	}
}

func TestServersThatCannotBeReached(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(mcpwire.Outbound) (*mcpwire.Reply, error){
		"down":         func(mcpwire.Outbound) (*mcpwire.Reply, error) { return nil, mcpwire.ErrNotSent },
		"no handshake": func(m mcpwire.Outbound) (*mcpwire.Reply, error) { return rpcError(m, -32600), nil },
		"no version":   func(m mcpwire.Outbound) (*mcpwire.Reply, error) { return named(m, `{"capabilities":{}}`), nil },
		"odd version": func(m mcpwire.Outbound) (*mcpwire.Reply, error) {
			return named(m, `{"protocolVersion":"2025-11-26","capabilities":{}}`), nil
		},
		"handshake bad": func(m mcpwire.Outbound) (*mcpwire.Reply, error) { return reply(http.StatusOK, "{"), nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &server{answer: answer}
			res := do(t, execute.NewPeer(s, "v1"), "write", `{}`)
			if code(&res) != tv.ToolError || res.StateChanged != tv.Unchanged || strings.Contains(s.methods(), "tools/call") {
				t.Errorf("got %s, changed %s after %s", code(&res), res.StateChanged, s.methods())
			}
		})
	}
}

// named answers a handshake with a result, everything else with an error.
func named(m mcpwire.Outbound, json string) *mcpwire.Reply {
	if m.Message.Method() == "initialize" {
		return result(m, json)
	}
	return rpcError(m, -32601)
}

// What a server asks the gate itself is answered, not obeyed: it is no user, no
// model and has no folders.
func TestServersThatAsk(t *testing.T) {
	t.Parallel()
	s := legacy(func(m mcpwire.Outbound) (*mcpwire.Reply, error) {
		if m.Message.Method() == "" {
			return reply(http.StatusAccepted), nil
		}
		return reply(http.StatusOK,
			`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`,
			`{"jsonrpc":"2.0","id":"p","method":"ping"}`,
			`{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"message":"your password?"}}`,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.Message.ID().Bytes(), done)), nil
	})
	if res := do(t, execute.NewPeer(s, "v1"), "write", `{}`); !res.Success {
		t.Fatalf("%+v", res.Error)
	}
	var answers []string
	for _, m := range s.seen {
		if m.Message.Method() == "" {
			answers = append(answers, string(m.Message.Bytes()))
		}
	}
	if len(answers) != 2 || !strings.Contains(answers[0], `"result":{}`) || !strings.Contains(answers[1], `"code":-32601`) {
		t.Errorf("answers: %q", answers)
	}
}

func TestOnlyTheGatesPermits(t *testing.T) {
	t.Parallel()
	s := modern(answerDone)
	peer := execute.NewPeer(s, "v1")
	for name, run := range map[string]tv.Executor{"peer": peer, "router": execute.Router{"server": peer}} {
		if o := run.Execute(t.Context(), tv.Permit{}); o.Status != tv.NotSent {
			t.Errorf("%s: a forged permit ended %q", name, o.Status)
		}
	}
	if s.methods() != "" {
		t.Errorf("sent %s", s.methods())
	}
}

func TestRouter(t *testing.T) {
	t.Parallel()
	s := modern(answerDone)
	if res := do(t, execute.Router{"server": execute.NewPeer(s, "v1")}, "write", `{}`); !res.Success {
		t.Errorf("%+v", res.Error)
	}
	res := do(t, execute.Router{"other": execute.NewPeer(s, "v1")}, "write", `{}`)
	if code(&res) != tv.ToolError || res.StateChanged != tv.Unchanged {
		t.Errorf("without its server: %s, changed %s", code(&res), res.StateChanged)
	}
}

// A tool that does not answer in its time may still have run.
func TestTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // its clock stands still while anything runs
		slow := &hanging{server: modern(answerDone)}
		res := do(t, execute.NewPeer(slow, "v1"), "slow", `{}`)
		if code(&res) != tv.OutcomeUnknown || res.StateChanged != tv.MaybeChange {
			t.Errorf("got %s, changed %s", code(&res), res.StateChanged)
		}
	})
}

// hanging answers handshakes and nothing else.
type hanging struct{ *server }

func (h *hanging) Exchange(ctx context.Context, m mcpwire.Outbound) (*mcpwire.Reply, error) {
	if m.Message.Method() != "tools/call" {
		return h.server.Exchange(context.WithoutCancel(ctx), m)
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestAddressesAreTold: a server learns where the names of a call lead, beside
// what its revision wants to know.
func TestAddressesAreTold(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*server{"modern": modern(answerDone), "legacy": legacy(answerDone)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			peer := execute.NewPeer(s, "v1")
			if res := do(t, peer, "fetch", `{"url":"https://example.com"}`); !res.Success {
				t.Fatalf("result: %+v", res)
			}
			meta := s.last("tools/call").Message.Meta()
			if got := string(meta.Get(mcpwire.MetaAddresses).Bytes()); got != `{"example.com":["192.0.2.7"]}` {
				t.Errorf("told %s", got)
			}
			if name == "modern" && !meta.Get(mcpwire.MetaVersion).Exists() {
				t.Error("the protocol's own members are gone")
			}
			do(t, peer, "write", `{}`)
			if s.last("tools/call").Message.Meta().Get(mcpwire.MetaAddresses).Exists() {
				t.Error("a call that names nobody was sent with addresses")
			}
		})
	}
}
