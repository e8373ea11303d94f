// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	tv "github.com/toolverdict/toolverdict"
)

// said is what a caller hears of a call: the gate's code, and where a person has
// to approve it, the approval.
type said struct {
	code tv.Code
	id   string
}

// TestResumeThroughAnyDoor asks through each door, kills the gate once the call
// is approved, and has it resumed by its id through each door of the next one. It
// runs once, and whoever comes after that, through whichever door, is told so.
func TestResumeThroughAnyDoor(t *testing.T) {
	t.Parallel()
	s := newShop(t, theGate(t), buildOrders(t))
	doors := map[string]func(amount, id string) said{"http": s.overHTTP, "cli": s.overCLI, "mcp": s.overMCP, "stdio": s.overStdio}
	names := []string{"http", "cli", "mcp", "stdio"}
	p := s.serve(s.gate)
	type pair struct{ amount, asked, resumed, id string }
	var pairs []pair
	for i, asked := range names {
		for j, resumed := range names {
			amount := fmt.Sprintf("%d.%d0", i+1, j+1)
			first := doors[asked](amount, "")
			if first.code != tv.ConfirmationRequired || first.id == "" {
				t.Fatalf("asked through %s: %+v", asked, first)
			}
			if j == (i+1)%len(names) { // once for each door: they take their time to start
				if early := doors[resumed](amount, first.id); early.code != tv.ConfirmationRequired || early.id != first.id {
					t.Errorf("asked through %s, through %s before anybody answered: %+v", asked, resumed, early)
				}
			}
			if _, err := s.client("approver").Decide(t.Context(), first.id, "approve", "looked"); err != nil {
				t.Fatal(err)
			}
			pairs = append(pairs, pair{amount, asked, resumed, first.id})
		}
	}
	p.kill()
	p = s.serve(s.gate)
	for _, c := range pairs {
		if got := doors[c.resumed](c.amount, c.id); got.code != "" {
			t.Errorf("asked through %s, resumed through %s: %+v", c.asked, c.resumed, got)
		}
	}
	p.kill()
	s.serve(s.gate)
	for _, c := range pairs {
		after := names[(slices.Index(names, c.resumed)+1)%len(names)]
		if got := doors[after](c.amount, c.id); got.code != tv.ConfirmationInvalid {
			t.Errorf("asked through %s, resumed through %s, and again through %s: %+v", c.asked, c.resumed, after, got)
		}
		if c.asked != after {
			continue
		}
		if got := doors[c.asked](c.amount, ""); got.code != "" {
			t.Errorf("made again through %s, it does not return what is stored: %+v", c.asked, got)
		}
	}
	done := s.refunds()
	for _, c := range pairs {
		if done[c.amount] != 1 {
			t.Errorf("asked through %s, resumed through %s: done %d times", c.asked, c.resumed, done[c.amount])
		}
	}
	s.verify()
}

func (s *shop) overHTTP(amount, id string) said {
	s.t.Helper()
	res := s.do(refund(amount, id))
	out := said{code: codeIn(&res)}
	if res.Confirmation != nil {
		out.id = res.Confirmation.ID
	}
	return out
}

func (s *shop) overCLI(amount, id string) said {
	s.t.Helper()
	args := []string{"call", "refund", string(refund(amount, "").Arguments), "--data", s.data(), "--output", "json"}
	if id != "" {
		args = append(args, "--confirmation", id)
	}
	out, err := exec.CommandContext(s.t.Context(), s.gate, args...).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		s.t.Fatal(err)
	} else if len(out) == 0 {
		s.t.Fatalf("no answer: %s", exit.Stderr)
	}
	var res tv.Result
	if err := json.Unmarshal(out, &res); err != nil {
		s.t.Fatalf("%v:\n%s", err, out)
	}
	heard := said{code: codeIn(&res)}
	if res.Confirmation != nil {
		heard.id = res.Confirmation.ID
	}
	return heard
}

// mcpCall is a call as an MCP client makes it; more is put into its _meta. It ends
// with a line, as messages do that come out of a file: stdio servers were seen to
// die of that.
func mcpCall(amount, id string, more ...string) []byte {
	if id != "" {
		more = append(more, `"toolverdict/confirmation":"`+id+`"`)
	}
	return []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"refund","arguments":` + string(refund(amount, "").Arguments) +
		`,"_meta":{` + strings.Join(more, ",") + `}}}` + "\n")
}

func (s *shop) overMCP(amount, id string) said {
	s.t.Helper()
	body := mcpCall(amount, id, `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`, `"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}`, `"io.modelcontextprotocol/clientCapabilities":{}`)
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+"/mcp/orders", bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join(s.data(), "keys", "agent"))
	if err != nil {
		s.t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + strings.TrimSpace(string(key)), "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "refund",
	} {
		req.Header.Set(name, value)
	}
	resp, err := tester.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %s, %v", resp.Status, answer, err)
	}
	return s.heard(answer)
}

// overStdio starts a gate of its own, as clients do.
func (s *shop) overStdio(amount, id string) said {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), s.gate, "mcp", "--config", filepath.Join(s.dir, "toolverdict.yaml"), "--data", s.data(), "--upstream", "orders")
	in, err := cmd.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	defer func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			s.t.Errorf("the gate of a client: %v: %s", err, &log)
		}
	}()
	answers := json.NewDecoder(out)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n",
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + string(mcpCall(amount, id)),
	} {
		if _, err := io.WriteString(in, line); err != nil {
			s.t.Fatal(err)
		}
		for {
			var answer json.RawMessage
			if err := answers.Decode(&answer); err != nil {
				s.t.Fatalf("%v: %s", err, &log)
			}
			if bytes.Contains(answer, []byte(`"id":7`)) {
				return s.heard(answer)
			}
			if bytes.Contains(answer, []byte(`"id":1`)) {
				break
			}
		}
	}
	return said{}
}

// heard reads what a client of MCP shows its model.
func (s *shop) heard(answer []byte) said {
	s.t.Helper()
	text := string(answer)
	if !strings.Contains(text, `"isError":true`) {
		if !strings.Contains(text, "Refunded") && !strings.Contains(text, "refund_id") {
			s.t.Fatalf("it is no result: %s", text)
		}
		return said{}
	}
	code := regexp.MustCompile(`\b[A-Z]+_[A-Z_]+\b`).FindString(text)
	id := regexp.MustCompile(`Confirmation id: ([a-z0-9]+)`).FindStringSubmatch(text)
	if id == nil {
		return said{code: tv.Code(code)}
	}
	return said{tv.Code(code), id[1]}
}
