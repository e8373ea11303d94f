// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main_test

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// transports are all the ways to speak to the server.
func transports() map[string]opener {
	all := over()
	all["http-stateless"] = over("-stateless")["http"]
	return all
}

func TestToolsSayWhatTheyDo(t *testing.T) {
	t.Parallel()
	type hints struct{ ReadOnly, Destructive, Idempotent, OpenWorld bool }
	read := hints{ReadOnly: true, Idempotent: true}
	want := map[string]hints{
		"query_order": read, "query_user": read, "get_weather": read,
		"cancel_order":        {Destructive: true, Idempotent: true},
		"refund":              {Destructive: true},
		"delete_user":         {Destructive: true, Idempotent: true},
		"batch_delete_orders": {Destructive: true, Idempotent: true},
		"send_email":          {OpenWorld: true},
		"execute_shell":       {Destructive: true, OpenWorld: true},
	}
	for name, open := range transports() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := open(t, newDir(t))
			list, err := s.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]hints{}
			for _, tool := range list.Tools {
				a := tool.Annotations
				got[tool.Name] = hints{a.ReadOnlyHint, *a.DestructiveHint, a.IdempotentHint, *a.OpenWorldHint}
				for what, schema := range map[string]any{"input": tool.InputSchema, "output": tool.OutputSchema} {
					if m, ok := schema.(map[string]any); !ok || m["additionalProperties"] != false || m["required"] == nil {
						t.Errorf("%s has a loose or no %s schema: %v", tool.Name, what, schema)
					}
				}
				if tool.Title == "" || tool.Description == "" {
					t.Errorf("%s has no title or description", tool.Name)
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error("tools (-want +got):\n" + d)
			}
		})
	}
}

// One working day, over each transport: every tool, and what really happened.
func TestEveryToolWorks(t *testing.T) {
	t.Parallel()
	for name, open := range transports() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := newDir(t)
			s, _ := open(t, dir)
			workADay(t, s, dir)
		})
	}
}

func workADay(t *testing.T, s *mcp.ClientSession, dir string) {
	t.Helper()
	var mailFile string
	for _, step := range []struct {
		tool string
		in   args
		want map[string]any
	}{
		{"query_order", args{"order_id": "A1001"}, map[string]any{
			"order_id": "A1001", "user_id": "u_002", "state": "paid", "item": "Standing desk", "quantity": 1.0, "currency": "EUR",
			"total": "480.00", "paid": "480.00", "refunded": "0.00", "refundable": "480.00", "cancellable": true,
			"placed_at": "2026-11-02T09:00:00Z", "updated_at": "2026-11-02T09:00:00Z",
		}},
		{"query_user", args{"user_id": "u_002"}, map[string]any{
			"user_id": "u_002", "name": "Customer 2", "email": "customer2@example.org", "status": "active",
			"orders": []any{"A1001", "A1005"}, "open_orders": 2.0,
		}},
		{"get_weather", args{"city": "Toronto"}, map[string]any{
			"city": "Toronto", "condition": "snow", "temperature_celsius": -3.0,
			"note": "Fixed example data, the same every day: not a measurement and not a forecast.",
		}},
		{"refund", args{"order_id": "A1001", "amount": "250.00"}, map[string]any{
			"refund_id": 1.0, "order_id": "A1001", "amount": "250.00", "refunded": "250.00", "refundable": "230.00", "currency": "EUR",
		}},
		{"cancel_order", args{"order_id": "A1001"}, map[string]any{
			"order_id": "A1001", "previous_state": "paid", "state": "cancelled", "refundable": "230.00", "currency": "EUR",
		}},
		{"batch_delete_orders", args{"order_ids": []string{"A1003", "A1008"}}, map[string]any{"deleted": []any{"A1003", "A1008"}}},
		{"delete_user", args{"user_id": "u_001", "confirm": true}, map[string]any{
			"user_id": "u_001", "name": "", "email": "", "status": "deleted", "orders": []any{"A1009"}, "open_orders": 0.0,
		}},
		{"execute_shell", args{"command": "cat weekly.txt", "workdir": "/scratch/reports"}, map[string]any{
			"workdir": "/scratch/reports", "exit_code": 0.0, "stdout": "Example report: 12 orders, 6 customers.\n", "stderr": "", "truncated": false,
		}},
		{"send_email", args{"to": []string{"customer2@example.org"}, "subject": "Hello", "body": "Text"}, map[string]any{
			"recipients": 1.0, "delivered": false, "note": "Written to the outbox folder; this example delivers nothing.",
		}},
	} {
		got := must(t, s, step.tool, step.in)
		if step.tool == "send_email" {
			mailFile = got["file"].(string)
			delete(got, "file")
			delete(got, "message_id")
		}
		if d := cmp.Diff(step.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", step.tool, d)
		}
	}
	var did []string
	for _, c := range changes(t, dir) {
		did = append(did, c.Tool+" "+c.What)
	}
	want := []string{
		"refund A1001", "cancel_order A1001", "batch_delete_orders A1003", "batch_delete_orders A1008",
		"delete_user u_001", "execute_shell cat weekly.txt", "send_email " + mailFile,
	}
	if d := cmp.Diff(want, did); d != "" {
		t.Error("changes (-want +got):\n" + d)
	}
	text, err := os.ReadFile(filepath.Join(dir, "outbox", mailFile))
	if err != nil || !strings.Contains(string(text), "To: customer2@example.org\r\n") {
		t.Errorf("outbox: %q, %v", text, err)
	}
}

// Sessions and protocol revisions are as the README says.
func TestRevisions(t *testing.T) {
	t.Parallel()
	want := map[string]string{"stdio": "2026-07-28", "http": "2025-11-25", "http-stateless": "2026-07-28"}
	for name, open := range transports() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := open(t, newDir(t))
			if got := s.InitializeResult().ProtocolVersion; got != want[name] {
				t.Errorf("revision %s, want %s", got, want[name])
			}
			if session := s.ID() != ""; session != (name == "http") {
				t.Errorf("has a session: %v", session)
			}
		})
	}
}

func TestTextSaysWhatTheStructureSays(t *testing.T) {
	t.Parallel()
	s, _ := stdio(t, newDir(t))
	res, text := call(t, s, "get_weather", args{"city": "Lisbon"})
	if !strings.Contains(text, "not a forecast") {
		t.Errorf("text %q does not say that the data is fixed", text)
	}
	var again map[string]any
	if err := json.Unmarshal([]byte(res.Content[1].(*mcp.TextContent).Text), &again); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(res.StructuredContent, any(again)); d != "" {
		t.Error("text against structure:\n" + d)
	}
}

func TestDomainErrors(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s, _ := stdio(t, dir)
	mail := func(extra args) args {
		a := args{"to": []string{"customer1@example.com"}, "subject": "Hello", "body": "Text"}
		maps.Copy(a, extra)
		return a
	}
	for _, c := range []struct {
		tool string
		in   args
		code string
	}{
		{"query_order", args{"order_id": "20240101"}, "unknown_order"},
		{"query_user", args{"user_id": "u_999"}, "unknown_user"},
		{"get_weather", args{"city": "Atlantis"}, "unknown_city"},
		{"cancel_order", args{"order_id": "A9999"}, "unknown_order"},
		{"cancel_order", args{"order_id": "A1004"}, "order_not_cancellable"},
		{"cancel_order", args{"order_id": "A1009"}, "already_cancelled"},
		{"refund", args{"order_id": "A1001", "amount": "480.01"}, "refund_too_large"},
		{"refund", args{"order_id": "A1001", "amount": "1e2"}, "invalid_amount"},
		{"refund", args{"order_id": "A1002", "amount": "1.00"}, "nothing_paid"},
		{"delete_user", args{"user_id": "u_001", "confirm": false}, "confirm_missing"},
		{"delete_user", args{"user_id": "u_002", "confirm": true}, "user_has_open_orders"},
		{"batch_delete_orders", args{"order_ids": []string{"A1003", "A1001"}}, "order_not_deletable"},
		{"batch_delete_orders", args{"order_ids": []string{"A1003", "A1003"}}, "invalid_order_list"},
		{"send_email", mail(args{"subject": "Hi\r\nBcc: x@example.net"}), "invalid_subject"},
		{"send_email", mail(args{"bcc": []string{"a@example.com\nX: y"}}), "invalid_recipient"},
		{"send_email", mail(args{"body": "\x00"}), "invalid_body"},
		{"execute_shell", args{"command": "ls", "workdir": "/scratch/../outbox"}, "invalid_workdir"},
		{"execute_shell", args{"command": "  "}, "invalid_command"},
	} {
		res, text := call(t, s, c.tool, c.in)
		if !res.IsError || !strings.HasPrefix(text, c.code+": ") {
			t.Errorf("%s: error %v, %q; want %s", c.tool, res.IsError, text, c.code)
		}
	}
	if got := changes(t, dir); len(got) != 0 {
		t.Errorf("refused calls changed something: %v", got)
	}
}

func TestSchemasTellTypesApart(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s, _ := stdio(t, dir)
	for _, c := range []struct {
		tool string
		in   args
	}{
		{"delete_user", args{"user_id": "u_001", "confirm": "true"}},
		{"delete_user", args{"user_id": "u_001", "confirm": 1}},
		{"delete_user", args{"user_id": "u_001"}},
		{"delete_user", args{"user_id": "u_001", "confirm": true, "force": true}},
		{"delete_user", args{"user_id": "u_001", "Confirm": true}},
		{"refund", args{"order_id": "A1001", "amount": 250}},
		{"refund", args{"order_id": "A1001", "amount": nil}},
		{"cancel_order", args{"order_id": []string{"A1001"}}},
		{"cancel_order", args{}},
		{"batch_delete_orders", args{"order_ids": []string{}}},
		{"batch_delete_orders", args{"order_ids": "A1003"}},
		{"send_email", args{"to": "customer1@example.com", "subject": "x", "body": "x"}},
		{"send_email", args{"to": []string{}, "subject": "x", "body": "x"}},
		{"execute_shell", args{"command": strings.Repeat("a", 2001)}},
	} {
		res, text := call(t, s, c.tool, c.in)
		if !res.IsError || !strings.Contains(text, "arguments") {
			t.Errorf("%s %v: error %v, %q; want a schema error", c.tool, c.in, res.IsError, text)
		}
	}
	if got := changes(t, dir); len(got) != 0 {
		t.Errorf("invalid calls changed something: %v", got)
	}
}

// A fault of the machine shows nothing of the inside; a business refusal does.
func TestFaultsOfTheMachineStayInside(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s, _ := stdio(t, dir)
	must(t, s, "query_order", args{"order_id": "A1001"})
	if err := os.RemoveAll(filepath.Join(dir, "outbox")); err != nil {
		t.Fatal(err)
	}
	res, text := call(t, s, "send_email", args{"to": []string{"customer1@example.com"}, "subject": "Hello", "body": "Text"})
	if !res.IsError || text != "internal_error: the shop could not do it; look at the server's log" {
		t.Errorf("error %v, %q", res.IsError, text)
	}
	if got := changes(t, dir); len(got) != 0 {
		t.Errorf("mail that was not written is on record: %v", got)
	}
}

func TestManyCancellationsAreOne(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	one, _ := stdio(t, dir)
	two, _ := overHTTP(t, dir) // another process on the same folder
	var wg sync.WaitGroup
	var done atomic.Int64
	for i := range 20 {
		s := []*mcp.ClientSession{one, two}[i%2]
		wg.Go(func() {
			res, text := call(t, s, "cancel_order", args{"order_id": "A1001"})
			if !res.IsError {
				done.Add(1)
			} else if !strings.HasPrefix(text, "already_cancelled: ") {
				t.Error(text)
			}
		})
	}
	wg.Wait()
	if n := count(t, dir, "cancel_order", "A1001"); n != 1 || done.Load() != 1 {
		t.Errorf("%d cancellations on record, %d answered as done; want one", n, done.Load())
	}
}

func TestChangesWhileServing(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s, cmd := stdio(t, dir)
	must(t, s, "cancel_order", args{"order_id": "A1002"})
	out, _, _ := runOnce(t, "-data", dir, "-changes")
	line := regexp.MustCompile(`^\{"seq":1,"at":"[0-9T:.-]+Z","tool":"cancel_order","what":"A1002","detail":"placed -> cancelled"\}\n$`)
	if !line.MatchString(out) {
		t.Errorf("printed %q", out)
	}
	if err := cmd.Process.Kill(); err != nil { // kill -9: the change stays
		t.Fatal(err)
	}
	if n := count(t, dir, "cancel_order", "A1002"); n != 1 {
		t.Errorf("%d cancellations after a kill, want 1", n)
	}
	again, _ := stdio(t, dir)
	if o := must(t, again, "query_order", args{"order_id": "A1002"}); o["state"] != "cancelled" {
		t.Errorf("state after a restart: %v", o["state"])
	}
}

func TestOrdinaryEnds(t *testing.T) {
	t.Parallel()
	t.Run("the client hangs up", func(t *testing.T) {
		t.Parallel()
		s, cmd := stdio(t, newDir(t))
		if err := s.Close(); err != nil || cmd.ProcessState.ExitCode() != 0 {
			t.Errorf("error %v, %v", err, cmd.ProcessState)
		}
	})
	t.Run("told to stop over stdio", func(t *testing.T) {
		t.Parallel()
		s, cmd := stdio(t, newDir(t))
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := s.Wait(); err != nil && !errors.Is(err, mcp.ErrConnectionClosed) {
			t.Log(err) // how the client words it is its own business
		}
		_ = s.Close()
		if cmd.ProcessState.ExitCode() != 0 {
			t.Errorf("%v", cmd.ProcessState)
		}
	})
	t.Run("told to stop over HTTP", func(t *testing.T) {
		t.Parallel()
		l := startHTTP(t, newDir(t))
		connect(t, &mcp.StreamableClientTransport{Endpoint: l.url, MaxRetries: -1})
		if err := l.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := l.cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestUsage(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"help":                  {[]string{"-h"}, 0, "hang-after"},
		"no folder":             {nil, 2, "-data is needed"},
		"stray argument":        {[]string{"-data", dir, "serve"}, 2, "-h"},
		"unknown flag":          {[]string{"-data", dir, "-port", "1"}, 2, "-port"},
		"changes and http":      {[]string{"-data", dir, "-changes", "-http", "127.0.0.1:0"}, 2, "leave out"},
		"stateless stdio":       {[]string{"-data", dir, "-stateless"}, 2, "-http"},
		"unknown fault":         {[]string{"-data", dir, "-fault", "explode:refund"}, 2, "hang-after"},
		"fault of unknown tool": {[]string{"-data", dir, "-fault", "hang:nothing"}, 2, "no such tool"},
		"two faults":            {[]string{"-data", dir, "-fault", "hang:refund", "-fault", "exit:refund"}, 2, "one"},
		"all interfaces":        {[]string{"-data", dir, "-http", ":8721"}, 1, "loopback"},
		"any address":           {[]string{"-data", dir, "-http", "0.0.0.0:0"}, 1, "loopback"},
		"any v6 address":        {[]string{"-data", dir, "-http", "[::]:0"}, 1, "loopback"},
		"other machine":         {[]string{"-data", dir, "-http", "192.0.2.1:0"}, 1, "loopback"},
		"name":                  {[]string{"-data", dir, "-http", "shop.example.com:0"}, 1, "loopback"},
		"no port":               {[]string{"-data", dir, "-http", "127.0.0.1"}, 1, "port"},
		"changes of nothing":    {[]string{"-data", filepath.Join(dir, "none"), "-changes"}, 1, "start the server"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, stderr, code := runOnce(t, c.args...)
			if code != c.code || !strings.Contains(stderr, c.says) {
				t.Errorf("code %d, want %d; %q should say %q", code, c.code, stderr, c.says)
			}
		})
	}
}

// The data folder holds what the server made and nothing that others may read.
func TestDataIsPrivate(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	s, _ := stdio(t, dir)
	must(t, s, "send_email", args{"to": []string{"customer1@example.com"}, "subject": "Hello", "body": "Text"})
	var loose []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			loose = append(loose, path)
		}
		return err
	})
	if slices.Sort(loose); err != nil || len(loose) != 0 {
		t.Errorf("others may use %v; %v", loose, err)
	}
}
