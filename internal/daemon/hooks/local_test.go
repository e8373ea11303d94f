// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hooks_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon/hooks"
	"github.com/toolverdict/toolverdict/internal/rollout"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
	"github.com/toolverdict/toolverdict/policy"
)

const rules = `policy: p
version: v1
rules:
  - {id: allow-work, verdict: allow, reason: r, tools: "group:shell", when: {effects.every: {path: {under: %s}}}}
`

// options are those of a folder of a test's own.
func options(t testing.TB, more string) (hooks.Options, string) {
	t.Helper()
	dir := t.TempDir()
	workspace := filepath.Join(dir, "home", "app")
	c, err := config.Parse(filepath.Join(dir, "toolverdict.yaml"), fmt.Appendf(nil, `version: 1
data: .data
policies: [policy.yaml]
stdio: {subject: agent}
subjects: [{id: agent, kind: agent}]
hooks: {agents: [claude-code, codex], workspace: %q, home: %q}
%s`, workspace, filepath.Dir(workspace), more))
	if err != nil {
		t.Fatal(err)
	}
	return hooks.Options{
		Config: c, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Policies: []policy.File{{Name: "policy.yaml", Content: fmt.Appendf(nil, rules, workspace)}},
	}, workspace
}

func input(workspace, command string) []byte {
	return fmt.Appendf(nil, `{"session_id":"s","cwd":%q,"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":%q},"tool_use_id":"t"}`, workspace, command)
}

// TestEachOwnProcess: a gate for one answer finds what the one before it left.
func TestEachOwnProcess(t *testing.T) {
	t.Parallel()
	o, workspace := options(t, "")
	for command, want := range map[string]string{"ls": "{}", "rm -rf ..": "self-protection", "rm -rf /srv": "No rule"} {
		gate, err := hooks.Open(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		answer, fault := gate.Answer(context.Background(), hookgate.ClaudeCode, input(workspace, command))
		if !strings.Contains(string(answer), want) || fault != nil {
			t.Errorf("%s: %s, %v", command, answer, fault)
		}
		if err := gate.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestNoGate: what would leave rules out, or out of force, makes no gate.
func TestNoGate(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]string{
		"mode: observe": "--server",
		"bundle: {name: b, url: 'https://x.example/', keys: ['tvpub_x']}": "",
		"catalogs: [none.yaml]": "read catalog",
	} {
		dir := t.TempDir()
		c, err := config.Parse(filepath.Join(dir, "c.yaml"), []byte("version: 1\npolicies: [p.yaml]\nstdio: {subject: a}\nsubjects: [{id: a, kind: agent}]\nhooks: {agents: [codex], workspace: /srv/app, home: /home/me}\n"+more))
		if err == nil {
			_, err = hooks.Open(context.Background(), hooks.Options{Config: c, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", more, err)
		}
	}
	o, _ := options(t, "")
	o.Config.Stdio.Subject = ""
	if _, err := hooks.Open(context.Background(), o); err == nil {
		t.Error("a gate for nobody")
	}
	o.Config.Stdio.Subject, o.Config.Hooks.Workspace = "agent", filepath.Dir(o.Config.Hooks.Home)
	if _, err := hooks.Open(context.Background(), o); err == nil || !strings.Contains(err.Error(), "holds the home folder") {
		t.Errorf("a workspace that holds the home folder: %v", err)
	}
}

// TestHeld: a policy that a person went back to is not left for the files, and no
// longer than that person wishes.
func TestHeld(t *testing.T) {
	t.Parallel()
	o, _ := options(t, "")
	store, err := sqlite.Open(t.Context(), sqlite.Config{Dir: o.Config.Data, Node: "n", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	standing := rollout.Standing{Source: rollout.Point{Hash: "b"}}.Held(rollout.Hold{Point: rollout.Point{Hash: "a"}, By: "me"})
	for i, want := range []bool{true, false} {
		note, err := rollout.WriteNote(rollout.Place(o.Config.Policies), int64(i), standing)
		if err != nil {
			t.Fatal(err)
		}
		if err := store.KeepPolicy(t.Context(), rollout.Change{Notes: []rollout.NoteChange{note}, Record: tv.Record{Kind: tv.RecordAdmin, At: time.Now()}}); err != nil {
			t.Fatal(err)
		}
		gate, err := hooks.Open(t.Context(), o)
		if held := err != nil && strings.Contains(err.Error(), "went back to an earlier policy"); held != want {
			t.Errorf("held: %v, %v", held, err)
		}
		if gate != nil {
			if err := gate.Close(); err != nil {
				t.Error(err)
			}
		}
		standing = standing.Released()
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkAnswer is what a hook without a server does beside starting a process:
// it makes a gate of files and a data folder, and asks it once.
func BenchmarkAnswer(b *testing.B) {
	o, workspace := options(b, "")
	for b.Loop() {
		gate, err := hooks.Open(context.Background(), o)
		if err != nil {
			b.Fatal(err)
		}
		if answer, fault := gate.Answer(context.Background(), hookgate.ClaudeCode, input(workspace, "ls")); string(answer) != "{}" || fault != nil {
			b.Fatal(string(answer), fault)
		}
		if err := gate.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
