// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build clients

package doors_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	tv "github.com/toolverdict/toolverdict"
)

// TestClients takes the table through the clients in other languages. They must be
// built: make clients does that first.
func TestClients(t *testing.T) { //nolint:tparallel // the doors end before their records are looked at
	t.Parallel()
	s := newSite(t)
	var all []door
	for name, argv := range map[string][]string{
		"Python":     {"python3", "-W", "error", "testdata/client.py"},
		"TypeScript": {"node", "testdata/client.mjs"},
	} {
		for _, how := range []string{"claim", "decide"} {
			all = append(all, door{name: name + ": " + how, as: tv.DoorHTTP, ask: s.program(t, how, argv), instead: byClients})
		}
	}
	s.through(t, all)
}

// byClients: the clients send an object as it is, and whatever else they are given as
// a text. What they take for an object and the gate does not makes the body broken.
func byClients(r *row) (not, bool) {
	const malformed = "MALFORMED_CALL"
	n := not{code: malformed, record: "deny " + malformed}
	k := r.kind()
	n.orNone = k == broken || k == deepest
	return n, n.orNone || k == text || k == null
}

// program is a client that is a process of its own.
func (s *site) program(t *testing.T, how string, argv []string) func(*testing.T, *row) answer {
	t.Helper()
	cmd := exec.CommandContext(context.Background(), argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "GATE="+s.url, "KEY="+s.keys[s.url], "PYTHONPATH=../../clients/python/src", "PYTHONDONTWRITEBYTECODE=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %v", argv, err)
		}
	})
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	return func(t *testing.T, r *row) answer {
		t.Helper()
		_, err := io.WriteString(in, fmt.Sprintf(`{"how":%q,"label":%s,"tool":%s,"arguments":%s}`+"\n", how, ascii(r.label), ascii(r.full()), ascii(r.Arguments)))
		must(t, err)
		if !lines.Scan() {
			t.Fatalf("%v ended: %v", argv, lines.Err())
		}
		var said struct{ Verdict, Code, Leave, Text string }
		must(t, json.Unmarshal(lines.Bytes(), &said))
		return answer{said.Verdict, said.Code, said.Leave, said.Text}
	}
}
