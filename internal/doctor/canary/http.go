// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package canary

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/hookgate"
)

// Gate is a served gate and whoever calls it.
type Gate struct {
	URL    string
	Key    string
	Client *http.Client
	Log    Log
	Now    func() time.Time
}

// tool is the full name of the tool that there is not, at a server that there is not.
const tool = tv.CanaryName + "/" + tv.CanaryName

const fixServed = "see that what listens there is 'toolverdict serve', and nothing stands between"

// Ways say what a served gate has doors for, besides its API.
type Ways struct {
	Servers []string // over MCP
	Envoys  []Envoy
	Hooks   []Hook
}

// Doors are the ways into a served gate.
func (g Gate) Doors(w Ways) []Door {
	doors := []Door{
		g.door("POST /v1/calls", tool, func(ctx context.Context, mark string) error { return g.call(ctx, "/v1/calls", mark) }),
		g.door("POST /v1/decide", tool, func(ctx context.Context, mark string) error { return g.call(ctx, "/v1/decide", mark) }),
		g.door("POST /v1/claim", tool, func(ctx context.Context, mark string) error { return g.call(ctx, "/v1/claim", mark) }),
		g.door("POST /access/v1/evaluation", tool, g.evaluation),
	}
	for _, name := range w.Servers {
		doors = append(doors, g.door("MCP /mcp/"+name, name+"/"+tv.CanaryName, func(ctx context.Context, mark string) error { return g.mcp(ctx, name, mark) }))
	}
	for _, e := range w.Envoys {
		doors = append(doors, g.door("Envoy "+e.Host+e.Path, e.Server+"/"+tv.CanaryName, func(ctx context.Context, mark string) error { return g.envoy(ctx, e, mark) }))
	}
	for _, h := range w.Hooks {
		for _, c := range h.Calls() {
			d := g.door(c.way("POST /v1/hooks/"+string(h.Agent)), c.Tool, func(ctx context.Context, mark string) error {
				answer, err := g.post(ctx, "/v1/hooks/"+string(h.Agent), h.Input(mark, c), nil)
				if err != nil {
					return err
				}
				return h.refused(answer, c)
			})
			d.Rule = c.Rule
			doors = append(doors, d)
		}
	}
	return doors
}

func (g Gate) door(way, tool string, knock func(context.Context, string) error) Door {
	return Door{Way: way, Tool: tool, Log: g.Log, Fix: fixServed, Knock: knock, Now: g.Now}
}

// maxAnswer bounds what is read of an answer.
const maxAnswer = 256 << 10

// answerTime bounds one answer.
const answerTime = 20 * time.Second

// fault is an answer that is none of a gate's, with its status.
type fault struct {
	status int
	said   []byte
}

// Error implements error.
func (f *fault) Error() string { return fmt.Sprintf("status %d: %v", f.status, passed(f.said)) }

func (g Gate) post(ctx context.Context, path string, body []byte, header map[string]string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the gate's address is none")
	}
	req.Header.Set("Authorization", "Bearer "+g.Key)
	req.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		req.Header.Set(name, value)
	}
	if host := header["Host"]; host != "" {
		req.Host = host
		req.Header.Del("Host")
	}
	res, err := g.Client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("no answer: %v", err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("no whole answer: %v", err)
	}
	if res.StatusCode != http.StatusOK {
		return answer, &fault{res.StatusCode, answer}
	}
	return answer, nil
}

// said is what the API answers to a call.
type said struct {
	Success  *bool                  `json:"success"`
	Verdict  string                 `json:"verdict"`
	Claim    json.RawMessage        `json:"claim"`
	Error    struct{ Code tv.Code } `json:"error"`
	Decision struct {
		ID      string
		Verdict string
	} `json:"decision"`
}

// refuses reports whether an answer is the refusal of the tool that there is not.
func (s *said) refuses() bool {
	return s.Success != nil && !*s.Success && s.Error.Code == tv.UnknownTool && s.Decision.ID != "" && s.Decision.Verdict == tv.Deny.String() &&
		(s.Verdict == "" || s.Verdict == tv.Deny.String()) && (len(s.Claim) == 0 || string(s.Claim) == "null")
}

func (g Gate) call(ctx context.Context, path, mark string) error {
	body, err := json.Marshal(map[string]any{"tool": tool, "arguments": map[string]any{}, "id": mark})
	if err != nil {
		return err
	}
	answer, err := g.post(ctx, path, body, nil)
	if err != nil {
		return denied(err)
	}
	var s said
	if json.Unmarshal(answer, &s) != nil || !s.refuses() || path != "/v1/calls" && s.Verdict == "" {
		return passed(answer)
	}
	return nil
}

// denied says what a key that is not known, or not let in, means here.
func denied(err error) error {
	if f, ok := errors.AsType[*fault](err); ok && (f.status == http.StatusUnauthorized || f.status == http.StatusForbidden) {
		return &Untried{fmt.Sprintf("the key is not let in (status %d): name the file of another with --key-file", f.status)}
	}
	return err
}

// evaluation asks as AuthZEN has it. Whose key it is the gate's own record of a
// question says, because a key asks about its own subject.
func (g Gate) evaluation(ctx context.Context, mark string) error {
	if g.Log == nil {
		return &Untried{"whose key it is is not known without the audit log: name the gate's data folder with --data"}
	}
	first := mark + "-1"
	if err := g.call(ctx, "/v1/decide", first); err != nil {
		return err
	}
	found, err := g.Log.Find(ctx, audit.Query{Call: first, Since: g.Now().Add(-early)})
	if err != nil || len(found) == 0 {
		return fmt.Errorf("whose key it is is not known: no record of a question was found: %v", err)
	}
	body, err := json.Marshal(map[string]any{
		"subject": map[string]any{"type": "user", "id": found[0].Subject}, "action": map[string]any{"name": "tools/call"},
		"resource": map[string]any{"type": "tool", "id": tool, "properties": map[string]any{"arguments": map[string]any{}}},
		"context":  map[string]any{"session": mark},
	})
	if err != nil {
		return err
	}
	answer, err := g.post(ctx, "/access/v1/evaluation", body, nil)
	if err != nil {
		return denied(err)
	}
	var s struct {
		Decision *bool
		Context  struct {
			Verdict string
			Reason  tv.Code
		}
	}
	if json.Unmarshal(answer, &s) != nil || s.Decision == nil || *s.Decision || s.Context.Verdict != tv.Deny.String() || s.Context.Reason != tv.UnknownTool {
		return passed(answer)
	}
	return nil
}

// Hook is an agent whose hook asks, and the folders that it works with.
type Hook struct {
	Agent     hookgate.Agent
	Workspace string // in which its session is
	Home      string // of the user who runs it
}

// refused holds an answer against the agent's own form of a denial.
func (h Hook) refused(answer []byte, c Call) error {
	answer = bytes.TrimSpace(answer)
	if objects, ok := hookgate.Objects(h.Agent, answer); !ok || !objects {
		return passed(answer)
	}
	if text := hookgate.Said(h.Agent, answer); !strings.Contains(text, string(c.Code)) {
		return fmt.Errorf("it refuses for another reason: %s", text)
	}
	return nil
}
