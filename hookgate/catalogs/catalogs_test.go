// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalogs_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/catalogs"
	"github.com/toolverdict/toolverdict/internal/canon"
)

func built(t *testing.T, a hookgate.Agent) *catalog.Catalog {
	t.Helper()
	overlay, err := catalogs.Overlay(a)
	if err != nil {
		t.Fatal(err)
	}
	c, report, err := catalog.Build(catalog.Input{
		Servers:  []catalog.Server{{Name: string(a), Local: true, Place: tv.Place{Root: "/workspace", Home: "/home/agent"}}},
		Overlays: []*catalog.Overlay{overlay},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range report.Tools {
		if e.State != catalog.Listed || len(e.Warnings) > 0 {
			t.Errorf("%s: %s %s %v", e.Tool, e.State, e.Reason, e.Warnings)
		}
	}
	if len(report.Warnings) > 0 {
		t.Error(report.Warnings)
	}
	return c
}

// TestGroups: rules are written by groups, so every tool is in one, and a tool of
// the groups that rules of effects are about has arguments with roles: without
// one, every such rule would match every call of it.
func TestGroups(t *testing.T) {
	t.Parallel()
	for _, a := range hookgate.Agents() {
		seen := map[string]bool{}
		for _, tool := range built(t, a).Tools() {
			if catalog.IsMethod(tool.Name()) {
				continue
			}
			def := tool.Definition()
			if len(def.Groups) != 1 || def.Risk != tv.LowRisk || !strings.HasPrefix(def.Name, string(a)+"/") {
				t.Errorf("%s: groups %v, risk %s", def.Name, def.Groups, def.Risk)
			}
			group := strings.Join(def.Groups, "")
			seen[group] = true
			effects := slices.Contains([]string{"shell", "files", "web"}, group)
			if effects != (len(def.Roles) > 0) {
				t.Errorf("%s: in group %s, with roles %v", def.Name, group, slices.Collect(maps.Keys(def.Roles)))
			}
			if def.Safety == tv.Destructive && def.Timeout == 0 {
				t.Errorf("%s: how long it may take is not said", def.Name)
			}
		}
		for _, group := range []string{"shell", "files", "agents", "notes"} {
			if !seen[group] {
				t.Errorf("%s has no tool in group %s", a, group)
			}
		}
	}
}

// TestMeaning: what the arguments of each agent's tools come to, in a session that
// works in a folder below the workspace.
func TestMeaning(t *testing.T) {
	t.Parallel()
	facts := map[string]string{"cwd": "/workspace/sub"}
	for call, want := range map[string]string{
		`claude-code/Bash {"command":"rm -rf x"}`:                                                    "execute rm -rf x; delete /workspace/sub/x; delete /workspace/sub/x and what is below",
		`claude-code/Write {"file_path":"/workspace/[id]/$x.tsx","content":""}`:                      "write /workspace/[id]/$x.tsx",
		`claude-code/Edit {"file_path":"/etc/x","old_string":"a","new_string":"b"}`:                  "read /etc/x; write /etc/x",
		`claude-code/Grep {"pattern":"x"}`:                                                           "read /workspace/sub; read /workspace/sub and what is below",
		`claude-code/Glob {"pattern":"**/*.go","path":"/etc"}`:                                       "read the names of /etc; read the names of /etc and what is below; read the names of /etc and what is below",
		`claude-code/TodoWrite {"todos":[]}`:                                                         "",
		`codex/Bash {"command":"cat a /etc/b"}`:                                                      "execute cat a /etc/b; read a file that is not known; read /etc/b",
		`codex/apply_patch {"command":"*** Begin Patch\n*** Delete File: ../a\n*** End Patch"}`:      "delete /workspace/a",
		`gemini/run_shell_command {"command":"rm x","dir_path":"sub"}`:                               "execute rm x; delete /workspace/sub/x",
		`gemini/web_fetch {"prompt":"look at http://10.0.0.1/"}`:                                     "opaque (a program in a language that is not analysed)",
		`gemini/write_file {"file_path":"a","content":""}`:                                           "write /workspace/sub/a",
		`qwen/read_file {"absolute_path":"/etc/x"}`:                                                  "read /etc/x",
		`qwen/edit {"file_path":"/workspace/a","old_string":"a","new_string":"b"}`:                   "read /workspace/a; write /workspace/a",
		`copilot/bash {"command":"rm x"}`:                                                            "execute rm x; delete /workspace/sub/x",
		`copilot/write_bash {"shellId":"1","input":"rm x"}`:                                          "opaque (a program in a language that is not analysed)",
		`copilot/create {"path":"/workspace/a","file_text":"x"}`:                                     "write /workspace/a",
		`cursor/Shell {"command":"rm x"}`:                                                            "execute rm x; delete /workspace/sub/x",
		`cursor/Read {"file_path":"a"}`:                                                              "read /workspace/sub/a",
		`cursor/Write {"target_file":"/workspace/a"}`:                                                "write /workspace/a",
		`opencode/bash {"command":"rm x"}`:                                                           "execute rm x; delete /workspace/x",
		`opencode/bash {"command":"rm x","workdir":"/etc","description":"d"}`:                        "execute rm x; delete /etc/x",
		`opencode/bash {"command":"rm x","workdir":"sub/.."}`:                                        "execute rm x; delete /workspace/x",
		`opencode/edit {"filePath":"a","oldString":"a","newString":"b"}`:                             "read /workspace/sub/a; write /workspace/sub/a",
		`opencode/apply_patch {"patchText":"*** Begin Patch\n*** Delete File: ../a\n*** End Patch"}`: "delete /workspace/a",
		`opencode/grep {"pattern":"x"}`:                                                              "read /workspace/sub; read /workspace/sub and what is below",
		`cline/run_commands {"commands":["ls","rm x"]}`:                                              "execute ls; read the names of /workspace/sub; execute rm x; delete /workspace/sub/x",
		`cline/read_files {"files":[{"path":"/etc/x"},{"path":"a","start_line":null}]}`:              "read /etc/x; read /workspace/sub/a",
		`cline/editor {"path":"a","new_text":"x"}`:                                                   "read /workspace/sub/a; write /workspace/sub/a",
		`cline/search_codebase {"queries":["x"]}`:                                                    "read /workspace/sub; read /workspace/sub and what is below",
		`cline/fetch_web_content {"requests":[{"url":"http://10.0.0.1/","prompt":"look"}]}`:          "connect http 10.0.0.1:80, private",
	} {
		name, args, _ := strings.Cut(call, " ")
		agent, _, _ := strings.Cut(name, "/")
		tool, ok := built(t, hookgate.Agent(agent)).Tool(name)
		if !ok {
			t.Errorf("%s: no such tool", name)
			continue
		}
		v, err := canon.ParseObject([]byte(args), canon.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if problem := tool.Schema().Validate(v); len(problem) > 0 {
			t.Errorf("%s: %v", call, problem)
		}
		known := facts
		if name == "codex/Bash" {
			known = nil // it does not tell the folder
		}
		var got []string
		for _, e := range effect.Effects(tool, v, known) {
			got = append(got, e.String())
		}
		if diff := cmp.Diff(want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%s: %s", call, diff)
		}
	}
}

// TestOtherArguments: an argument that nobody knows may change what a tool does.
func TestOtherArguments(t *testing.T) {
	t.Parallel()
	tool, _ := built(t, hookgate.ClaudeCode).Tool("claude-code/Bash")
	v, err := canon.ParseObject([]byte(`{"command":"ls","host":"elsewhere"}`), canon.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if len(tool.Schema().Validate(v)) == 0 {
		t.Error("an argument that is not known is accepted")
	}
	for call, fits := range map[string]bool{
		`cursor/Write {"contents":"x"}`:                              false, // where it writes is not told
		`cursor/Write {"target_file":"a","contents":"x"}`:            true,
		`cursor/Write {"target_file":"a","to":"/etc/x"}`:             false,
		`cursor/StrReplace {"path":"a","old_string":"a","file":"b"}`: false,
		`cursor/Delete {}`:                                                false,
		`cursor/Delete {"path":"a"}`:                                      true,
		`qwen/read_file {}`:                                               false,
		`qwen/read_file {"file_path":"a","offset":1}`:                     true,
		`qwen/read_file {"file_path":"a","other_path":"b"}`:               false,
		`qwen/read_many_files {"include":["/etc/*"]}`:                     false,
		`cline/run_commands {"commands":"rm x"}`:                          false, // Cline would run it
		`cline/run_commands {"command":"rm x"}`:                           false,
		`cline/run_commands {"commands":[{"command":"rm","args":["x"]}]}`: false,
		`cline/run_commands {"commands":["ls"]}`:                          true,
		`cline/read_files {"paths":"/etc/x"}`:                             false,
		`cline/search_codebase {"queries":["x"],"path":"/etc"}`:           false,
	} {
		name, args, _ := strings.Cut(call, " ")
		agent, _, _ := strings.Cut(name, "/")
		tool, ok := built(t, hookgate.Agent(agent)).Tool(name)
		v, err := canon.ParseObject([]byte(args), canon.Limits{})
		if !ok || err != nil {
			t.Fatal(name, ok, err)
		}
		if problems := tool.Schema().Validate(v); (len(problems) == 0) != fits {
			t.Errorf("%s: %v", call, problems)
		}
	}
	for _, a := range hookgate.Agents() {
		for _, tool := range built(t, a).Tools() {
			if def := tool.Definition(); def.Safety != tv.Destructive || !slices.ContainsFunc(def.Groups, func(g string) bool { return g == "shell" || g == "files" }) {
				continue
			}
			opaque := false // whatever its arguments say
			for _, role := range tool.Roles() {
				opaque = opaque || role.Kind == tv.RoleCode
			}
			if opaque {
				continue
			}
			more, _ := canon.ParseObject([]byte(`{"zz":"/etc/x"}`), canon.Limits{})
			none, _ := canon.ParseObject([]byte(`{}`), canon.Limits{})
			if len(tool.Schema().Validate(more)) == len(tool.Schema().Validate(none)) {
				t.Errorf("%s takes arguments that nobody knows", tool.Name())
			}
		}
	}
	if _, err := catalogs.Overlay("other"); err == nil {
		t.Error("an agent that there is not has tools")
	}
}
