// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package hooked_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/setup"
	"github.com/toolverdict/toolverdict/internal/doctor"
	"github.com/toolverdict/toolverdict/internal/doctor/hooked"
)

// place is a user with a program of the gate's, which leaves a trace where it is run.
type place struct {
	hooked.User

	ran string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	dir := t.TempDir()
	p := &place{ran: filepath.Join(dir, "ran")}
	p.Home, p.Project, p.Program = filepath.Join(dir, "home"), filepath.Join(dir, "home", "app"), filepath.Join(dir, "bin", "toolverdict")
	p.Work, p.Now, p.Env, p.Client = p.Project, time.Now, []string{"PATH=/usr/bin:/bin"}, &http.Client{}
	p.Getenv = func(name string) (string, bool) { return "tv_secret", name == "TOOLVERDICT_KEY" }
	for _, folder := range []string{p.Project, filepath.Dir(p.Program)} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.program(t, p.Program)
	return p
}

// program writes one that objects to nothing.
func (p *place) program(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n: > '"+p.ran+"'\necho '{}'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}

func (p *place) install(t *testing.T, a hookgate.Agent, scope setup.Scope, e setup.Entry) {
	t.Helper()
	c, err := setup.Plan(setup.Place{Agent: a, Home: p.Home, Project: p.Project, Scope: scope}, e)
	if err == nil {
		err = c.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// found is what all checks tell.
func (p *place) found(t *testing.T) string {
	t.Helper()
	r := doctor.Run(t.Context(), p.Checks(), time.Minute, func(doctor.Finding) {})
	var b strings.Builder
	for _, f := range r.Findings {
		b.WriteString(string(f.Level) + " " + f.Check + ": " + f.Text + "\n")
	}
	return b.String()
}

func (p *place) hasRun() bool {
	_, err := os.Stat(p.ran)
	return err == nil
}

// TestWhatIsRun: what a project's settings name is run only where it is this program,
// and asks nobody; what the user's name, unless an agent could have written it.
func TestWhatIsRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		scope   setup.Scope
		program string // below the folder of all, "" for this one
		args    []string
		ran     bool
		said    string
	}{
		"the user's":             {setup.User, "", nil, true, "NOT GUARDED"},
		"another of the user's":  {setup.User, "other/toolverdict", nil, true, "NOT GUARDED"},
		"in the workspace":       {setup.User, "home/app/toolverdict", nil, false, "lies in the workspace"},
		"a project's":            {setup.Project, "", nil, true, "NOT GUARDED"},
		"another of a project's": {setup.Project, "other/toolverdict", nil, false, "another program than this one"},
		"a project's server":     {setup.Project, "", []string{"--server", "http://127.0.0.1:1", "--key-file", "/etc/hostname"}, false, "name a server"},
		"a project's file":       {setup.Project, "", []string{"--config", "/etc/toolverdict.yaml"}, false, "name a configuration"},
		"a project's folder":     {setup.Project, "", []string{"--data=/var/lib/x"}, false, "name a configuration"},
		"the user's file":        {setup.User, "", []string{"--config", "/etc/toolverdict.yaml"}, true, "NOT GUARDED"},
		"written in one":         {setup.Project, "", []string{"--server=http://127.0.0.1:1"}, false, "name a server"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			program := p.Program
			if c.program != "" {
				program = filepath.Join(filepath.Dir(p.Home), c.program)
				p.program(t, program)
			}
			p.install(t, hookgate.Gemini, c.scope, setup.Entry{Program: program, Arguments: c.args})
			said := p.found(t)
			if p.hasRun() != c.ran || !strings.Contains(said, c.said) {
				t.Errorf("ran: %v\n%s", p.hasRun(), said)
			}
		})
	}
}

// TestKeysStay: an address out of a project's settings is sent no key.
func TestKeysStay(t *testing.T) {
	t.Parallel()
	for _, scope := range []setup.Scope{setup.User, setup.Project} {
		asked := false
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			asked = asked || r.Header.Get("Authorization") == "Bearer tv_secret"
		}))
		p := newPlace(t)
		p.Client = server.Client()
		p.install(t, hookgate.ClaudeCode, scope, setup.Entry{Server: server.URL, KeyVariable: "TOOLVERDICT_KEY"})
		said := p.found(t)
		if asked != (scope == setup.User) {
			t.Errorf("%s: asked: %v\n%s", scope, asked, said)
		}
		server.Close()
	}
}

// TestPlugin: opencode has loaded the plugin since it was written, or it is told.
func TestPlugin(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.install(t, hookgate.OpenCode, setup.User, setup.Entry{Program: p.Program})
	if said := p.found(t); !strings.Contains(said, "warning hook opencode: opencode has not loaded the gate's plugin yet") {
		t.Error(said)
	}
	beacon := filepath.Join(p.Home, ".config", "toolverdict", "beacons", "opencode.json")
	if err := os.MkdirAll(filepath.Dir(beacon), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(beacon, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for age, want := range map[time.Duration]string{time.Hour: "has not loaded the gate's plugin since", -time.Hour: "ok hook opencode: it is set up"} {
		at := time.Now().Add(-age)
		if err := os.Chtimes(beacon, at, at); err != nil {
			t.Fatal(err)
		}
		if said := p.found(t); !strings.Contains(said, want) {
			t.Errorf("%s: %s", age, said)
		}
	}
}

// TestWanted: an agent of which there is no trace is not told of, unless it was named.
func TestWanted(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if said := p.found(t); said != "" {
		t.Error(said)
	}
	p.Wanted = []hookgate.Agent{hookgate.Codex}
	if said := p.found(t); said != "failure hook codex: it does not ask the gate\n" {
		t.Error(said)
	}
	if err := os.MkdirAll(filepath.Join(p.Home, ".codex"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.Wanted = nil
	if said := p.found(t); said != "" {
		t.Error("an empty folder:", said)
	}
	if err := os.WriteFile(filepath.Join(p.Home, ".codex", "auth.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := p.found(t); said != "warning hook codex: it is used here, and does not ask the gate\n" {
		t.Error(said)
	}
	if err := os.WriteFile(filepath.Join(p.Home, ".codex", "hooks.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := p.found(t); !strings.HasPrefix(said, "unknown hook codex: ") {
		t.Error(said)
	}
	p.Home = ""
	if said := p.found(t); said != "" {
		t.Error(said)
	}
}
