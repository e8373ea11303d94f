// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package plugin_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/setup"
)

// said is what the driver prints.
type said struct {
	Exports int    `json:"exports"`
	Runs    bool   `json:"runs"`
	Changed bool   `json:"changed"`
	Why     string `json:"why"`
	Next    string `json:"next"` // why the call after it does not run
}

// stage is a home with the plugin, for a program in the gate's place.
type stage struct{ home, plugin string }

// set writes the plugin for a program: a shell script, "" for one that is not there.
func set(t *testing.T, script string) stage {
	t.Helper()
	home := t.TempDir()
	program := filepath.Join(home, "bin dir", "toolverdict")
	if script != "" {
		if err := os.Mkdir(filepath.Dir(program), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	change, err := setup.Plan(setup.Place{Agent: hookgate.OpenCode, Home: home, Scope: setup.User}, setup.Entry{Program: program})
	if err != nil {
		t.Fatal(err)
	}
	if err := change.Apply(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(change.Files[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	short := strings.Replace(string(text), `"deadline":30000`, `"deadline":1500`, 1)
	if short == string(text) {
		t.Fatal("the plugin has no such deadline")
	}
	s := stage{home, filepath.Join(home, "plugin.mjs")}
	if err := os.WriteFile(s.plugin, []byte(short), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// drive does with the plugin what opencode does.
func (s stage) drive(t *testing.T, args string, fails bool) said {
	t.Helper()
	return s.driven(t, args, fails, "")
}

// driven has another plugin do something to the call before.
func (s stage) driven(t *testing.T, args string, fails bool, early string) said {
	t.Helper()
	call := `{"args":` + args + `,"servers":["my-srv.x"],"fails":` + map[bool]string{true: "true", false: "false"}[fails] + `,"early":"` + early + `"}`
	cmd := exec.CommandContext(t.Context(), node(t), filepath.Join("testdata", "drive.mjs"), s.plugin, call)
	cmd.Env = append(os.Environ(), "HOME="+s.home)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var got said
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return got
}

// node is the Node that setup.sh installed, or the one on the path where npm has none
// for the platform.
func node(t *testing.T) string {
	t.Helper()
	at, err := filepath.Abs("../npm/node_modules/.bin/node")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(at); err == nil {
		return at
	}
	return "node"
}

const (
	args   = `{"id":1,"deep":[0]}`
	denial = `{"decision":"deny","reason":"Toolverdict: no"}`
)

// TestAnswers: only the answer {} of a program that ends well lets a tool run.
func TestAnswers(t *testing.T) {
	t.Parallel()
	const none, undecided = "no answer that can be relied on", "could not decide"
	for name, c := range map[string]struct{ script, why string }{
		"no objection":         {`cat >/dev/null; echo '{}'`, ""},
		"input is not read":    {`echo ' {} '`, ""},
		"denial":               {`echo '` + denial + `'`, "Toolverdict: no"},
		"denial and a code":    {`echo '` + denial + `'; exit 2`, "Toolverdict: no"},
		"no objection, a code": {`echo '{}'; exit 2`, none},
		"nothing":              {`true`, none},
		"a line before":        {`echo log; echo '{}'`, none},
		"a line behind":        {`echo '{}'; echo '{}'`, none},
		"cut":                  {`printf '{'`, none},
		"another word":         {`echo '{"decision":"Deny","reason":"x"}'`, none},
		"another agent's":      {`echo '{"permission":"allow"}'`, none},
		"allow":                {`echo '{"decision":"allow","reason":"x"}'`, none},
		"no reason":            {`echo '{"decision":"deny","reason":""}'`, none},
		"null":                 {`echo null`, none},
		"no end":               {`yes`, undecided + ".*has no end"},
		"killed":               {`kill -KILL $$`, none},
		"on standard error":    {`echo '{}' >&2`, none},
		"hangs":                {`exec sleep 60`, undecided + ".*no answer in time"},
		"answers and hangs":    {`echo '{}'; exec sleep 60`, undecided + ".*no answer in time"},
		"missing":              {"", undecided + ".*could not be started (ENOENT)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := set(t, c.script).drive(t, args, false)
			if got.Runs != (c.why == "") || got.Exports != 1 || got.Changed {
				t.Errorf("%+v", got)
			}
			for part := range strings.SplitSeq(c.why, ".*") {
				if !strings.Contains(got.Why, part) {
					t.Errorf("%q is not in %q", part, got.Why)
				}
			}
		})
	}
}

// TestTold: what the program is told is what hookgate reads, before and after, and in
// which folder and environment it is started.
func TestTold(t *testing.T) {
	t.Parallel()
	for _, fails := range []bool{false, true} {
		s := set(t, `cat >> "$HOME/told"; echo >> "$HOME/told"; echo "$PWD $OPENCODE_PROJECT_DIR $*" >> "$HOME/where"; echo '{}'`)
		if got := s.drive(t, args, fails); !got.Runs {
			t.Fatal(got)
		}
		b, err := os.ReadFile(filepath.Join(s.home, "told"))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(b)), "\n")
		want := hookgate.Event{
			Phase: hookgate.Before, Tool: "my-srv.x/read_it", Arguments: []byte(args), Call: "c", Session: "s", Folder: "/workspace", Home: "/workspace",
		}
		if len(lines) != 2 {
			t.Fatalf("it is told %d times: %s", len(lines), b)
		}
		for i, line := range lines {
			if i == 1 {
				want.Phase, want.Failed = hookgate.After, fails
			}
			got, err := hookgate.Read(hookgate.OpenCode, []byte(line))
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Error(diff, err)
			}
		}
		where, err := os.ReadFile(filepath.Join(s.home, "where"))
		if err != nil || string(where) != "/ /workspace hook opencode\n/ /workspace hook opencode\n" {
			t.Error(string(where), err)
		}
		var beacon struct{ Agent, Session, Directory string }
		b, err = os.ReadFile(filepath.Join(s.home, ".config", "toolverdict", "beacons", "opencode.json"))
		if err != nil || json.Unmarshal(b, &beacon) != nil || beacon.Agent != "opencode" || beacon.Session != "s" || beacon.Directory != "/workspace" {
			t.Error(string(b), err)
		}
	}
}

// TestPluginBefore: what a plugin before it froze in part is frozen altogether, and one
// that puts other arguments in the place of a call's is found out by what ran.
func TestPluginBefore(t *testing.T) {
	t.Parallel()
	for early, next := range map[string]string{"leave": "", "freeze": "", "replace": "ran what was not decided"} {
		got := set(t, `echo '{}'`).driven(t, args, false, early)
		if !got.Runs || got.Changed || (next == "") != (got.Next == "") || !strings.Contains(got.Next, next) {
			t.Errorf("%q: %+v", early, got)
		}
	}
}

// TestOdd: arguments that are no object, or that are large, stop nothing but the tool.
func TestOdd(t *testing.T) {
	t.Parallel()
	s := set(t, `echo '{}'`)
	large := `{"text":"` + strings.Repeat("x", 100<<10) + `","deep":[]}`
	if got := s.drive(t, large, false); !got.Runs {
		t.Error(got)
	}
	if got := s.drive(t, `{"frozen":true,"deep":[]}`, false); !got.Runs || got.Changed {
		t.Error("what lies in a frozen object is changed", got)
	}
	denied := set(t, `cat > /dev/null; echo '`+denial+`'`)
	if got := denied.drive(t, `null`, false); got.Runs || got.Why != "Toolverdict: no" {
		t.Error(got)
	}
}
