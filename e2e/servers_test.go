// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolverdict/toolverdict/e2e/internal/rig"
)

// step is one call of a tool; «dir» in the arguments stands for the server's own folder.
type step struct{ tool, args string }

// published is a published server, what a client does with it, and what policy keeps from it.
type published struct {
	name    string
	command func(dir string) []string
	policy  string
	allowed []step // run directly and through the gate, with the same results
	denied  []step // run through the gate only
	// unharmed fails when a denied step had an effect.
	unharmed func(t *testing.T, dir string)
}

func publishedServers() []published {
	return []published{filesystem(), memory(), everything()}
}

func filesystem() published {
	const policy = `policy: filesystem
version: v1
default: deny
rules:
  - id: look
    verdict: allow
    reason: Looking changes nothing
    tools: ["filesystem/read_*", "filesystem/list_*", "filesystem/get_file_info", "filesystem/directory_tree"]
  - id: write-in-open
    verdict: allow
    reason: The folder that agents may write to
    tools: ["filesystem/write_file", "filesystem/create_directory"]
    when: {args.path: {under: «dir»/open}}
`
	return published{
		name:    "filesystem",
		command: func(dir string) []string { return npmServer("filesystem", dir) },
		policy:  policy,
		allowed: []step{
			{"create_directory", `{"path":"«dir»/open/sub"}`},
			{"write_file", `{"path":"«dir»/open/sub/a.txt","content":"first\nsecond\n"}`},
			{"read_text_file", `{"path":"«dir»/open/sub/a.txt","head":1}`},
			{"list_directory", `{"path":"«dir»/open"}`},
			{"read_text_file", `{"path":"/etc/hostname"}`}, // the server's own refusal comes through
			{"read_multiple_files", `{"paths":["«dir»/kept.txt","«dir»/open/sub/a.txt"]}`},
			{"list_allowed_directories", `{}`},
		},
		denied: []step{
			{"write_file", `{"path":"«dir»/kept.txt","content":"overwritten"}`},
			{"write_file", `{"path":"«dir»/open/../kept.txt","content":"overwritten"}`},
			{"write_file", `{"path":"«dir»/open-not/b.txt","content":"by prefix"}`},
			{"write_file", `{"path":"open/../kept.txt","content":"relative"}`},
			{"move_file", `{"source":"«dir»/kept.txt","destination":"«dir»/open/kept.txt"}`},
			{"edit_file", `{"path":"«dir»/kept.txt","edits":[{"oldText":"kept","newText":"lost"}]}`},
			{"create_directory", `{"path":"«dir»/elsewhere"}`},
		},
		unharmed: func(t *testing.T, dir string) {
			if got, err := os.ReadFile(filepath.Join(dir, "kept.txt")); string(got) != "kept\n" {
				t.Errorf("kept.txt: %q, %v", got, err)
			}
			for _, path := range []string{"elsewhere", "open/kept.txt", "open-not/b.txt"} {
				if exists(filepath.Join(dir, path)) {
					t.Errorf("%s was made", path)
				}
			}
		},
	}
}

func memory() published {
	const policy = `policy: memory
version: v1
default: deny
rules:
  - id: remember-and-look
    verdict: allow
    reason: The graph may grow and be read
    tools: ["memory/create_*", "memory/add_*", "memory/read_graph", "memory/search_nodes", "memory/open_nodes"]
  - id: never-forget
    verdict: deny
    reason: Nothing is deleted
    tools: ["memory/delete_*"]
`
	return published{
		name: "memory",
		command: func(dir string) []string {
			return append([]string{"/usr/bin/env", "MEMORY_FILE_PATH=" + filepath.Join(dir, "memory.jsonl")}, npmServer("memory")...)
		},
		policy: policy,
		allowed: []step{
			{"create_entities", `{"entities":[{"name":"gate","entityType":"thing","observations":["stands in front"]},{"name":"tool","entityType":"thing","observations":[]}]}`},
			{"create_relations", `{"relations":[{"from":"gate","to":"tool","relationType":"guards"}]}`},
			{"add_observations", `{"observations":[{"entityName":"tool","contents":["ünïcödé 𝄞"]}]}`},
			{"search_nodes", `{"query":"gate"}`},
			{"read_graph", `{}`},
		},
		denied: []step{
			{"delete_entities", `{"entityNames":["gate"]}`},
			{"delete_observations", `{"deletions":[{"entityName":"gate","observations":["stands in front"]}]}`},
			{"delete_relations", `{"relations":[{"from":"gate","to":"tool","relationType":"guards"}]}`},
		},
		unharmed: func(t *testing.T, dir string) {
			got, err := os.ReadFile(filepath.Join(dir, "memory.jsonl"))
			for _, word := range []string{`"gate"`, "stands in front", "guards"} {
				if !strings.Contains(string(got), word) {
					t.Errorf("the memory lost %s: %q, %v", word, got, err)
				}
			}
		},
	}
}

func everything() published {
	const policy = `policy: everything
version: v1
default: deny
rules:
  - id: all-but-the-environment
    verdict: allow
    reason: The reference server's tools are harmless, but for the one below
    tools: ["*", "@*"]
  - id: no-environment
    verdict: deny
    reason: This tool prints the server's environment, secrets and all
    tools: ["everything/get-env"]
`
	return published{
		name:    "everything",
		command: func(string) []string { return npmServer("everything") },
		policy:  policy,
		allowed: []step{
			{"echo", `{"message":"hello"}`},
			{"echo", `{"message":"` + strings.Repeat("long ", 20_000) + `"}`},
			{"get-sum", `{"a":9007199254740991,"b":-0.5}`},
			{"get-tiny-image", `{}`},
			{"get-annotated-message", `{"messageType":"error","includeImage":true}`},
			{"get-structured-content", `{"location":"Chicago"}`},
			{"get-resource-links", `{"count":3}`},
			{"trigger-long-running-operation", `{"duration":0.2,"steps":2}`},
		},
		denied:   []step{{"get-env", `{}`}},
		unharmed: func(*testing.T, string) {},
	}
}

// TestPublishedServers uses published servers with a published client: the same steps give the same
// results directly and through the gate, and denied ones have no effect.
func TestPublishedServers(t *testing.T) {
	t.Parallel()
	for _, server := range publishedServers() {
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			dir := serverDir(t)
			session := connect(t, stdioTransport(server.command(dir), nil))
			want := transcript(t, session, server.allowed, dir)
			names := toolNames(t, session)
			for _, front := range []string{"HTTP front", "stdio front", "wrapped"} {
				t.Run(front, func(t *testing.T) {
					t.Parallel()
					dir := serverDir(t)
					g := server.gate(t, dir)
					session := connect(t, throughGate(t, g, server.name)[front])
					if diff := cmp.Diff(names, toolNames(t, session)); diff != "" {
						t.Errorf("tools listed (-direct +gate):\n%s", diff)
					}
					if diff := cmp.Diff(want, transcript(t, session, server.allowed, dir)); diff != "" {
						t.Errorf("results (-direct +gate):\n%.4000s", diff)
					}
					for _, s := range server.denied {
						got := callStep(t, session, s, dir)
						if !got.IsError || !strings.Contains(text(got), "POLICY_DENIED") {
							t.Errorf("%s %s: not denied: %.300s", s.tool, s.args, text(got))
						}
					}
					server.unharmed(t, dir)
				})
			}
		})
	}
}

func (p published) gate(t *testing.T, dir string) *rig.Gate {
	t.Helper()
	return newGate(t, rig.GateSpec{
		Policy:    strings.ReplaceAll(p.policy, "«dir»", dir),
		Catalog:   lowRisk(p.name),
		Upstreams: []rig.Upstream{{Name: p.name, Command: p.command(dir)}},
	})
}

// serverDir is a folder for one server, as the steps expect it.
func serverDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"open", "open-not"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "kept.txt"), []byte("kept\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// transcript runs steps and writes down every result, with the folder's name taken out.
func transcript(t *testing.T, session *mcp.ClientSession, steps []step, dir string) []string {
	t.Helper()
	var lines []string
	for _, s := range steps {
		got, err := json.Marshal(callStep(t, session, s, dir))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s: %s", s.tool, strings.ReplaceAll(string(got), dir, "«dir»")))
	}
	return lines
}

func callStep(t *testing.T, session *mcp.ClientSession, s step, dir string) *mcp.CallToolResult {
	t.Helper()
	args := json.RawMessage(strings.ReplaceAll(s.args, "«dir»", dir))
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: s.tool, Arguments: args})
	if err != nil {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}
	}
	return got
}
