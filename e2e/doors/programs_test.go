// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package doors_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/desk"
	"github.com/toolverdict/toolverdict/httpgate"
)

// programs are the doors that are processes.
func (s *site) programs(t *testing.T) []door {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "toolverdict")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "../../cmd/toolverdict")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	return []door{{name: "toolverdict call", as: tv.DoorHTTP, runs: true, instead: tooDeep, ask: func(t *testing.T, r *row) answer {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), bin, "call", "--url", s.url, "--output", "json", "--session", r.label, "--", r.full(), r.Arguments)
		cmd.Env = []string{"TOOLVERDICT_KEY=" + s.keys[s.url], "HOME=" + s.dir, "PATH=" + os.Getenv("PATH")}
		out, err := cmd.Output()
		exit, ended := errors.AsType[*exec.ExitError](err)
		if err != nil && !ended {
			t.Fatal(err)
		}
		var res tv.Result
		if len(out) == 0 || json.Unmarshal(out, &res) != nil {
			return answer{verdict: "deny", code: "no result", text: string(out) + string(exit.Stderr)}
		}
		return result(&res)
	}}}
}

// everyDoorIsThere holds the list of doors to the code: the doors that records name,
// the operations of the API, and the agents that have hooks.
func everyDoorIsThere(t *testing.T, all []door, used map[tv.Door]bool) {
	t.Helper()
	want := tv.Doors()
	for _, a := range hookgate.Agents() {
		want = append(want, desk.Door(a))
	}
	for _, d := range want {
		if !used[d] {
			t.Errorf("no call of the table came through the door %q", d)
		}
	}
	for d := range used {
		if !slices.Contains(want, d) {
			t.Errorf("the door %q is on record and not in the list: add it to tv.Doors, and a door to this test", d)
		}
	}
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	must(t, json.Unmarshal(httpgate.OpenAPI(), &doc))
	for path, methods := range doc.Paths {
		if methods["post"] == nil {
			continue // what is only read decides nothing
		}
		op := "POST " + path
		there := slices.ContainsFunc(all, func(d door) bool { return d.name == op })
		if reason := decidesNoCall()[op]; there == (reason != "") {
			t.Errorf("%s: it is a door of the table: %t; why it needs to be none: %q", op, there, reason)
		}
	}
}

// decidesNoCall are the operations that are no doors, each with the reason.
func decidesNoCall() map[string]string {
	const person, own, text = "a person answers or orders", "about the caller's own runs and claims", "hides secrets in a text"
	return map[string]string{
		"POST /v1/approvals/{id}/approve": person, "POST /v1/approvals/{id}/cancel": person, "POST /v1/approvals/{id}/reject": person,
		"POST /v1/approvals/{id}/revoke": person, "POST /v1/approvals/{id}/grant": person, "POST /v1/grants/{id}/revoke": person,
		"POST /v1/approvals/{id}/edit":  "a person changes a call that came in by another door; it is decided by the same steps",
		"POST /v1/channels/{name}/test": person, "POST /v1/links": person, "POST /v1/links/remove": person,
		"POST /v1/ledger/settle": person, "POST /v1/ledger/reconcile": person, "POST /v1/policy/resume": person, "POST /v1/policy/rollback": person,
		"POST /v1/tools/{server}/{tool}/disable": person, "POST /v1/tools/{server}/{tool}/enable": person,
		"POST /v1/outcome": own, "POST /v1/runs": own, "POST /v1/runs/{id}/end": own, "POST /v1/redact": text,
		"POST /v1/hooks/{agent}": "each agent is a door of its own",
	}
}
