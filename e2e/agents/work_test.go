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

// TestWork: in a mode that asks its user nothing, what is allowed runs and what is denied
// does not, by the agent itself, in one message with others, by a helper and by an MCP
// server; the model is told why; and the folder of the session stays where it is.
func TestWork(t *testing.T) {
	t.Parallel()
	for _, a := range agents() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			if a.Aborts {
				aborts(t, a)
				return
			}
			s := a.stage(t)
			in := func(name string) string { return filepath.Join(s.Project, name) }
			out := func(name string) string { return filepath.Join(s.Outside, name) }
			write := func(path string) model.Call { return a.Shell("echo ran > " + path) }
			turns := []model.Turn{
				{Calls: []model.Call{write(in("alone"))}},
				{Calls: []model.Call{write(in("first")), write(out("second")), write(in("third"))}},
				{Calls: []model.Call{a.Shell("mv " + s.Project + " " + s.Project + "-moved")}},
			}
			turns = append(append(turns, a.Write(in("disk"))...), a.Write(out("disk"))...)
			disk := len(turns) - 1
			turns = append(turns, a.Spawn("Please do helper-script now.")...)
			turns = append(turns, model.Turn{Calls: []model.Call{write(in("last"))}})
			r := s.Run(t, s.Usual(), model.Script{Word: "main-script", Turns: turns}, model.Script{Word: "helper-script", Turns: []model.Turn{
				{Calls: []model.Call{write(in("helper"))}}, {Calls: []model.Call{write(out("helper"))}}, model.Say("The helper is done."),
			}})
			for _, name := range []string{"alone", "first", "third", "disk", "helper", "last"} {
				if !drive.Exists(in(name)) {
					t.Errorf("%s was not written, and the gate has nothing against it", name)
				}
			}
			nothing(t, s.Outside)
			if drive.Exists(s.Project + "-moved") {
				t.Error("the folder of the session was moved")
			}
			told(t, r, 1, 1, "deny-outside")
			told(t, r, 2, 0, "self-protection")
			told(t, r, disk, 0, "deny-outside")
			if text, _ := r.Shown("helper-script", 1, 0); !strings.Contains(text, "deny-outside") {
				t.Errorf("the helper's model was not told why: %q", text)
			}
		})
	}
}

// told checks the reason that the model was given.
func told(t *testing.T, r *drive.Run, turn, call int, want string) {
	t.Helper()
	if text, _ := r.Shown("main-script", turn, call); !strings.Contains(text, want) {
		t.Errorf("turn %d, call %d: the model was told %q, not %q", turn, call, text, want)
	}
}

// nothing checks that a folder is empty.
func nothing(t *testing.T, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		t.Errorf("%s was written", f.Name())
	}
}

// aborts is TestWork for an agent that gives up with the first denial.
func aborts(t *testing.T, a installed) {
	t.Helper()
	for name, turns := range map[string]func(s *drive.Stage) []model.Turn{
		"shell": func(s *drive.Stage) []model.Turn {
			return []model.Turn{{Calls: []model.Call{a.Shell("echo ran > " + s.Outside + "/f")}}}
		},
		"folder": func(s *drive.Stage) []model.Turn {
			return []model.Turn{{Calls: []model.Call{a.Shell("mv " + s.Project + " " + s.Outside)}}}
		},
		"disk":   func(s *drive.Stage) []model.Turn { return a.Write(s.Outside + "/f") },
		"helper": func(*drive.Stage) []model.Turn { return a.Spawn("Please do helper-script now.") },
	} {
		s := a.stage(t)
		before := model.Turn{Calls: []model.Call{a.Shell("echo ran > " + s.Project + "/f")}}
		s.Run(t, s.Usual(), model.Script{Word: "main-script", Turns: append([]model.Turn{before}, turns(s)...)},
			model.Script{Word: "helper-script", Turns: []model.Turn{{Calls: []model.Call{a.Shell("echo ran > " + s.Outside + "/f")}}}})
		if !drive.Exists(s.Project + "/f") {
			t.Errorf("%s: what is allowed did not run", name)
		}
		nothing(t, s.Outside)
	}
}

// TestAsk: what needs a person does not run and the model is told the confirmation's id;
// after approval the same call, made again in another session, runs, and once.
func TestAsk(t *testing.T) {
	t.Parallel()
	for _, a := range agents() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			s := a.stage(t)
			release := filepath.Join(s.Project, "release")
			if err := os.Mkdir(release, 0o755); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(release, "log")
			script := model.Script{Word: "main-script", Turns: []model.Turn{{Calls: []model.Call{a.Shell("echo ran >> " + file)}}}}
			asked := s.Run(t, s.Usual(), script)
			if drive.Exists(file) {
				t.Fatal("what a person has to approve ran before")
			}
			id := s.Asked(t)
			// An agent that gives up with the first denial tells nobody why.
			if !a.Aborts && drive.Asked(t, asked.All()+asked.Output) != id {
				t.Errorf("the model was told of another confirmation than %s", id)
			}
			s.Approve(t, id)
			script.Turns = append(script.Turns, script.Turns...)
			again := s.Run(t, s.Usual(), script)
			if b, err := os.ReadFile(file); err != nil || string(b) != "ran\n" {
				t.Errorf("after approval, two calls wrote %q (%v)", b, err)
			}
			if !a.Aborts {
				drive.Asked(t, again.All()+again.Output)
			}
		})
	}
}
