// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict/e2e/internal/rig"
	"github.com/toolverdict/toolverdict/e2e/internal/suite"
)

// suiteTime bounds one run of the suite; it takes about four seconds.
const suiteTime = 2 * time.Minute

// revision is one requirement set of the suite and the conformance server's mode that meets it.
type revision struct {
	name      string
	stateless bool
	successes int // checks that succeed directly: fewer means that the suite or the server changed
}

func revisions() []revision {
	return []revision{
		{name: "2025-11-25", stateless: false, successes: 82},
		{name: "2026-07-28", stateless: true, successes: 165},
	}
}

// noStreamToClose says why a stdio upstream cannot pass or fail the checks on reconnection.
const noStreamToClose = "the scenario has the server close the HTTP stream of a call and end it on another; on stdio the server has no HTTP stream, so it answers at once"

// ownTasks are the checks that come out better through the gate: it has tasks of its own, for calls
// that wait for a person.
func ownTasks(revision string) []suite.Exempt {
	if revision != "2026-07-28" {
		return nil
	}
	return []suite.Exempt{{Scenario: "tasks-capability-negotiation", ID: "tasks-extension-advertised",
		Reason: "the gate says that calls may become tasks; the server says nothing of them, which is a failure directly"}}
}

// stdioExempt are the checks that cannot come out the same when the upstream is on stdio and the
// direct run that they are compared with is on HTTP.
func stdioExempt(revision string) []suite.Exempt {
	if revision != "2025-11-25" {
		return nil
	}
	return []suite.Exempt{
		{Scenario: "server-sse-polling", ID: "incoming-sse-event", Reason: noStreamToClose},
		{Scenario: "server-sse-polling", ID: "server-sse-retry-field", Reason: noStreamToClose},
	}
}

// TestConformance runs the official suite against the Go SDK's conformance server, directly and
// through the gate, and fails on any check that differs.
func TestConformance(t *testing.T) {
	t.Parallel()
	for _, rev := range revisions() {
		t.Run(rev.name, func(t *testing.T) {
			t.Parallel()
			direct := runSuite(t, rev.name, "http://"+everythingHTTP(t, rev.stateless))
			if got := direct.Count(suite.Success); got != rev.successes {
				t.Fatalf("directly, %d checks succeed, %d did before: the suite or the server changed", got, rev.successes)
			}
			// The key is added by a proxy, because the suite has no option for headers. That the
			// proxy changes nothing is tested first.
			t.Run("proxy alone", func(t *testing.T) {
				t.Parallel()
				addr := addKey(t, everythingHTTP(t, rev.stateless), "")
				same(t, direct, runSuite(t, rev.name, "http://"+addr), nil)
			})
			t.Run("gate HTTP to HTTP", func(t *testing.T) {
				t.Parallel()
				up := rig.Upstream{Name: "conformance", URL: "http://" + everythingHTTP(t, rev.stateless)}
				same(t, direct, suiteThroughGate(t, rev.name, up), ownTasks(rev.name))
			})
			t.Run("gate HTTP to stdio", func(t *testing.T) {
				t.Parallel()
				up := rig.Upstream{Name: "conformance", Command: []string{bin("everything-server")}}
				same(t, direct, suiteThroughGate(t, rev.name, up), append(stdioExempt(rev.name), ownTasks(rev.name)...))
			})
		})
	}
}

func everythingHTTP(t *testing.T, stateless bool) string {
	t.Helper()
	return listen(t, rig.Spec{Argv: []string{bin("everything-server"), "-http", "{addr}", fmt.Sprintf("-stateless=%t", stateless)}})
}

// suiteThroughGate runs the suite against a gate that allows everything, with one upstream.
func suiteThroughGate(t *testing.T, revision string, up rig.Upstream) suite.Run {
	t.Helper()
	g := newGate(t, rig.GateSpec{Policy: allowAll, Catalog: lowRisk(up.Name), Upstreams: []rig.Upstream{up}})
	addr := addKey(t, serveGate(t, g), g.Key)
	return runSuite(t, revision, "http://"+addr+rig.Endpoint(up.Name))
}

func addKey(t *testing.T, target, key string) string {
	t.Helper()
	addr, stop := rig.AddKey(target, key)
	t.Cleanup(stop)
	return addr
}

// runSuite runs one requirement set against a server.
func runSuite(t *testing.T, revision, url string) suite.Run {
	t.Helper()
	return conformance(t, "server", "--url", url, "--requirements", revision)
}

// conformance runs the suite and reads what it wrote. The suite's exit code is left alone: it judges
// the server or the client, and they are not what is tested.
func conformance(t *testing.T, args ...string) suite.Run {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), suiteTime)
	defer cancel()
	dir := t.TempDir()
	argv := append([]string{npm("node_modules/.bin/conformance")}, args...)
	cmd := exec.CommandContext(ctx, node(), append(argv, "-o", dir)...)
	cmd.WaitDelay = time.Second
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	_ = cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("the suite did not end within %v; it printed:\n%s", suiteTime, end(printed.String()))
	}
	run, err := suite.Read(dir)
	if err != nil {
		t.Fatalf("%v; the suite printed:\n%s", err, end(printed.String()))
	}
	return run
}

func end(s string) string { return s[max(0, len(s)-4000):] }

func same(t *testing.T, direct, other suite.Run, exempt []suite.Exempt) {
	t.Helper()
	for _, d := range suite.Compare(direct, other, exempt) {
		t.Error(d)
	}
	t.Logf("%d checks directly (%d succeed), %d here (%d succeed)",
		len(direct), direct.Count(suite.Success), len(other), other.Count(suite.Success))
}

// clientScenarios are the suite's scenarios for clients, but for those on OAuth: there the suite's
// server hands out tokens, and a gate never passes a client's token on.
func clientScenarios() map[string][]string {
	return map[string][]string{
		"2025-11-25": {"initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry", "json-schema-2020-12-preservation"},
		"2026-07-28": {"tools_call", "request-metadata", "sep-2322-client-request-state", "http-standard-headers",
			"http-custom-headers", "http-invalid-tool-headers", "json-schema-ref-no-deref"},
	}
}

// clientExempt are the checks that a gate rightly keeps from succeeding.
func clientExempt(scenario string) []suite.Exempt {
	if scenario != "http-custom-headers" {
		return nil
	}
	return []suite.Exempt{{Scenario: scenario, ID: "sep-2243-client-omit-null",
		Reason: "the call has null where the tool's own schema wants a boolean: the gate refuses it before it is sent"}}
}

// TestConformanceOfClients turns the suite around: it plays the server, and judges what the Go SDK's
// client sends it, directly and from behind the gate. The gate asks the server for its tools too, and
// is judged with the client: what succeeds directly must succeed.
func TestConformanceOfClients(t *testing.T) {
	t.Parallel()
	client := bin("everything-client")
	for revision, scenarios := range clientScenarios() {
		for _, scenario := range scenarios {
			t.Run(revision+" "+scenario, func(t *testing.T) {
				t.Parallel()
				args := []string{"client", "--scenario", scenario, "--spec-version", revision, "--command"}
				direct := conformance(t, append(args, client)...)
				if direct.Count(suite.Success) == 0 {
					t.Fatal("directly, nothing succeeds: this shows nothing")
				}
				if built.gateErr != nil {
					t.Fatal(built.gateErr)
				}
				gated := conformance(t, append(args, fmt.Sprintf("%s -gate %s -client %s", own("behind"), own("toolverdict"), client))...)
				for _, lost := range suite.Lost(direct, gated, clientExempt(scenario)) {
					t.Error(lost)
				}
			})
		}
	}
}
