// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// allowAll lets every call through, for measuring what the gate changes when it objects to nothing.
const allowAll = `policy: allow-all
version: v1
default: deny
rules:
  - id: everything
    verdict: allow
    reason: Nothing is judged in this test
    tools: ["*"]
`

// lowRisk is an overlay that calls every named tool read-only and harmless. Without it a tool of an
// unknown server is destructive and of high risk, and a human would be asked.
func lowRisk(upstream string, tools ...string) string {
	var b strings.Builder
	b.WriteString("tools:\n")
	for _, tool := range tools {
		fmt.Fprintf(&b, "  %s/%s: {safety: read-only, risk: low}\n", upstream, tool)
	}
	return b.String()
}

// everythingTools are the names of the conformance server's tools.
func everythingTools(t *testing.T) []string {
	t.Helper()
	session := connect(t, stdioTransport([]string{bin("everything-server")}, nil))
	return toolNames(t, session)
}

func toolNames(t *testing.T, session *mcp.ClientSession) []string {
	t.Helper()
	var names []string
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	return names
}
