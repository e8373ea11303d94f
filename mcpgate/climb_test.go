// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestOfficialClientClimbs has the official SDK's client meet a call that waits,
// on each rung that it knows, over both fronts: it carries the questions to its
// user and the answers back by itself.
func TestOfficialClientClimbs(t *testing.T) {
	t.Parallel()
	type user func(r *rig, p *mcp.ElicitParams) *mcp.ElicitResult
	yes := func(*rig, *mcp.ElicitParams) *mcp.ElicitResult {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": true}}
	}
	opens := func(r *rig, p *mcp.ElicitParams) *mcp.ElicitResult {
		r.approve(strings.TrimPrefix(p.URL, "https://gate.example/approvals/")) // somebody signs in and decides there
		return &mcp.ElicitResult{Action: "accept"}
	}
	headless := func(*rig, *mcp.ElicitParams) *mcp.ElicitResult { return &mcp.ElicitResult{Action: "decline"} }
	form := &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}}
	both := &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}}
	for name, c := range map[string]struct {
		weak    bool
		can     *mcp.ElicitationCapabilities
		user    user
		version string
		asked   string // how
		ran     bool
	}{
		"a form where the rule takes it":   {true, form, yes, "2026-07-28", "form", true},
		"a form that a host answers alone": {true, form, headless, "2026-07-28", "form", false},
		"a page":                           {false, both, opens, "2026-07-28", "url", true},
		"a page that nobody opens":         {false, both, headless, "2026-07-28", "url", false},
		"forms only, and a strict rule":    {false, form, yes, "2026-07-28", "", false},
		"an older revision":                {true, both, yes, "2025-11-25", "", false},
	} {
		for _, front := range []string{"http", "stdio"} {
			t.Run(name+" "+front, func(t *testing.T) {
				t.Parallel()
				s := setup{policy: verdicts(asks("up/wipe"))}
				if c.weak {
					weakly("up/wipe")(&s)
				}
				r := newRig(t, sdkUpstream(t, &mcp.StreamableHTTPOptions{Stateless: c.version >= "2026-07-28"}), s)
				how := ""
				session := r.connect(front, c.version, &mcp.ClientOptions{
					Capabilities: &mcp.ClientCapabilities{Elicitation: c.can},
					ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						how = req.Params.Mode
						return c.user(r, req.Params), nil
					},
				})
				res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "wipe", Arguments: map[string]any{}})
				if err != nil {
					t.Fatal(err)
				}
				if how != c.asked || text(res) == "wiped" != c.ran || res.IsError == c.ran {
					t.Fatalf("asked by %q, answered %q", how, text(res))
				}
				if c.ran {
					return
				}
				// Pending: once somebody approved, the same call runs.
				all := (&gated{rig: r}).pending()
				if len(all) != 1 || !strings.Contains(text(res), all[0].ID) {
					t.Fatalf("%d wait: %s", len(all), text(res))
				}
				r.approve(all[0].ID)
				for i := range 2 {
					res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "wipe", Arguments: map[string]any{}})
					if err != nil || text(res) != "wiped" {
						t.Error(fmt.Sprint(i), err, text(res))
					}
				}
			})
		}
	}
}
