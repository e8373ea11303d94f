// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package agents_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/e2e/agents/internal/drive"
	"github.com/toolverdict/toolverdict/e2e/agents/internal/model"
)

// patch adds a file as Codex writes it.
func patch(path string) string {
	return "*** Begin Patch\n*** Add File: " + path + "\n+hello\n*** End Patch\n"
}

func free(name, text string) model.Turn {
	return model.Turn{Calls: []model.Call{{Name: name, Free: true, Input: text}}}
}

// TestCodexPatches: a patch is decided by the files that it changes, whichever of the
// three ways it comes: a tool of its own, a text in a command, a script.
func TestCodexPatches(t *testing.T) {
	t.Parallel()
	a := codex()
	s := a.stage(t)
	in, out := filepath.Join(s.Project, "absolute"), filepath.Join(s.Outside, "file")
	command := func(path string) model.Turn {
		return model.Turn{Calls: []model.Call{a.Shell("apply_patch <<'EOF'\n" + patch(path) + "EOF")}}
	}
	r := s.Run(t, s.Usual(), model.Script{Word: "main-script", Turns: []model.Turn{
		free("apply_patch", patch("relative")), free("apply_patch", patch(in)), free("apply_patch", patch(out)), free("apply_patch", patch("../../outside/file")),
		command(out), command(filepath.Join(s.Project, "command")),
	}})
	for _, name := range []string{"relative", "absolute"} {
		if !drive.Exists(filepath.Join(s.Project, name)) {
			t.Errorf("%s was not written", name)
		}
	}
	nothing(t, s.Outside)
	told(t, r, 2, 0, "deny-outside")
	told(t, r, 3, 0, "deny-outside")
	told(t, r, 4, 0, "Toolverdict")

	script := func(path string) model.Turn {
		return free("exec", "text(await tools.apply_patch("+quoted(patch(path))+"))")
	}
	s.Agent = drive.CodexCode(codexProgram(), "gpt-6.2-sol")
	r = s.Run(t, s.Usual(), model.Script{Word: "main-script", Turns: []model.Turn{script("script"), script(out)}})
	if !drive.Exists(filepath.Join(s.Project, "script")) {
		t.Error("the script's patch was not applied")
	}
	nothing(t, s.Outside)
	told(t, r, 1, 0, "deny-outside")
}

func quoted(text string) string {
	return `"` + strings.NewReplacer(`"`, `\"`, "\n", `\n`).Replace(text) + `"`
}

// TestCodexTyping: a shell to type into is opaque, and no rule allows it. What is typed
// into a program that was allowed is never asked about, which is a gap that the docs
// name: the gate hears of the program alone.
func TestCodexTyping(t *testing.T) {
	t.Parallel()
	a := codex()
	s := a.stage(t)
	heard := t.TempDir()
	s.Record(t, heard)
	typed := filepath.Join(s.Project, "typed")
	open := func(command string) model.Turn {
		return model.Turn{Calls: []model.Call{{Name: "exec_command", Input: `{"cmd":` + quoted(command) + `,"tty":true,"yield_time_ms":500}`}}}
	}
	write := func(text string) model.Turn {
		return model.Turn{Calls: []model.Call{{Name: "write_stdin", Find: `session ID (\d+)`, Input: `{"session_id":FOUND,"chars":` + quoted(text) + `,"yield_time_ms":500}`}}}
	}
	r := s.Run(t, s.Usual(), model.Script{Word: "main-script", Turns: []model.Turn{open("bash"), open("sh -i"), open("python3"), open("tee " + typed), write("hello\n")}})
	for turn := range 3 {
		told(t, r, turn, 0, "Toolverdict")
	}
	b, err := os.ReadFile(typed)
	if err != nil || !strings.Contains(string(b), "hello") {
		t.Errorf("typing wrote %q (%v)", b, err)
	}
	inputs, err := filepath.Glob(filepath.Join(heard, "*.json"))
	if err != nil || len(inputs) < 4 {
		t.Fatal(inputs, err)
	}
	for _, file := range inputs {
		if b, err := os.ReadFile(file); err != nil || strings.Contains(string(b), "write_stdin") {
			t.Errorf("the hook is told of typing, and the docs say that it is not: %s (%v)", b, err)
		}
	}
}

// TestCodexTrust: a hook that nobody trusted is passed over without a word. It is why
// 'toolverdict doctor' looks at it.
func TestCodexTrust(t *testing.T) {
	t.Parallel()
	a := codex()
	s := a.stage(t)
	trusting := a.Command
	s.Agent.Command = func(s *drive.Stage, prompt string) (argv, env []string) {
		argv, env = trusting(s, prompt)
		kept := argv[:0]
		for _, arg := range argv {
			if arg != "--dangerously-bypass-hook-trust" {
				kept = append(kept, arg)
			}
		}
		return kept, env
	}
	file := filepath.Join(s.Outside, "file")
	s.Run(t, s.Usual(), model.Script{Word: "main-script", Turns: []model.Turn{{Calls: []model.Call{a.Shell("echo ran > " + file)}}}})
	if !drive.Exists(file) {
		t.Error("a hook that nobody trusted is asked: the docs may say so")
	}
}
