// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package drive

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict/e2e/agents/internal/model"
	"github.com/toolverdict/toolverdict/hookgate"
	"github.com/toolverdict/toolverdict/hookgate/setup"
)

// runTime is how long one run of an agent may take on a busy machine.
const runTime = 3 * time.Minute

// Stage is a machine in small: a home, a project in it, and a gate.
type Stage struct {
	Agent   *Agent
	Home    string
	Project string
	Outside string // a folder that the project's agent has no business in
	Gate    string // the gate's program
	Disk    []string
	Waits   int // how many seconds the agent waits for its hook, where not as usual

	wrapped bool
}

// New makes a stage. The gate's program is copied there, so that a test can break it.
func New(t *testing.T, a *Agent, gate string, disk []string) *Stage {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &Stage{
		Agent: a, Home: filepath.Join(root, "home"), Project: filepath.Join(root, "home", "app"),
		Outside: filepath.Join(root, "outside"), Gate: filepath.Join(root, "bin", "toolverdict"), Disk: append(disk, root),
	}
	for _, dir := range []string{s.Project, s.Outside, filepath.Dir(s.Gate)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(gate, s.Gate); err != nil {
		t.Fatal(err)
	}
	own := s.Own()
	s.Put(t, filepath.Join(own, "toolverdict.yaml"), s.fill(configuration))
	s.Put(t, filepath.Join(own, "policy.yaml"), s.fill(rules))
	s.Put(t, filepath.Join(own, "disk.yaml"), diskCatalog)
	t.Cleanup(func() { s.end(t) })
	return s
}

// Own is the folder of the gate's own configuration.
func (s *Stage) Own() string { return filepath.Join(s.Home, ".config", "toolverdict") }

// Data is the gate's data folder.
func (s *Stage) Data() string { return filepath.Join(s.Own(), "data") }

func (s *Stage) fill(text string) string {
	return strings.NewReplacer("PROJECT", s.Project, "OUTSIDE", s.Outside, "HOME", s.Home, "AGENT", string(s.Agent.Name)).Replace(text)
}

// Put writes a file.
func (s *Stage) Put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Record has all inputs of the hook kept in a folder, one file each.
func (s *Stage) Record(t *testing.T, folder string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	s.Wrap(t, "tee "+folder+"/$$.json | GATE \"$@\"")
}

// Wrap puts a shell script in the place of the gate's program, which is GATE in it.
func (s *Stage) Wrap(t *testing.T, script string) {
	t.Helper()
	behind := s.Gate + "-real"
	if err := os.Rename(s.Gate, behind); err != nil {
		t.Fatal(err)
	}
	s.wrapped = true
	text := "#!/bin/sh\n" + strings.ReplaceAll(script, "GATE", behind) + "\n"
	if err := os.WriteFile(s.Gate, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// Usual is the hook as 'toolverdict hook install' sets it up, with more arguments.
func (s *Stage) Usual(more ...string) setup.Entry {
	return setup.Entry{Program: s.Gate, Arguments: more}
}

// Run is what came of one run.
type Run struct {
	*model.Server

	Output string
	Took   time.Duration
}

// Run runs the agent once, with the prompt that names the first script.
func (s *Stage) Run(t *testing.T, h setup.Entry, scripts ...model.Script) *Run {
	t.Helper()
	return s.Prompt(t, h, "Please do "+scripts[0].Word+" now.", scripts...)
}

// Prompt is the same for a prompt of the test's own.
func (s *Stage) Prompt(t *testing.T, h setup.Entry, prompt string, scripts ...model.Script) *Run {
	t.Helper()
	m := model.Start(scripts...)
	t.Cleanup(m.Close)
	s.settle(t, h, m.URL)
	argv, env := s.Agent.Command(s, prompt)
	ctx, cancel := context.WithTimeout(t.Context(), runTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.WaitDelay = s.Project, time.Second
	cmd.Env = append([]string{"HOME=" + s.Home, "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"}, fill(env, m.URL)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	at := time.Now()
	err := cmd.Run()
	r := &Run{Server: m, Output: out.String(), Took: time.Since(at)}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s ended with %v after %s and printed:\n%s\nits model was told:\n%s\nand asked what nobody knows: %v", s.Agent.Name, err, r.Took, r.Output, r.All(), r.Strays())
		}
	})
	if ctx.Err() != nil {
		t.Fatalf("%s did not end", s.Agent.Name)
	}
	return r
}

func fill(env []string, url string) []string {
	out := make([]string, 0, len(env))
	for _, e := range env {
		out = append(out, strings.ReplaceAll(e, "MODEL", url))
	}
	return out
}

// settle writes the agent's settings, and sets the hook up where one is given.
func (s *Stage) settle(t *testing.T, h setup.Entry, url string) {
	t.Helper()
	for file, text := range s.Agent.Settings(s, url) {
		s.Put(t, filepath.Join(s.Home, file), text)
	}
	if h.Program == "" && h.Server == "" {
		return
	}
	if h.Program == s.Gate && len(h.Arguments) == 0 && !s.wrapped && Exists(s.Gate) {
		s.install(t)
		return
	}
	change, err := setup.Plan(setup.Place{Agent: s.Agent.Name, Home: s.Home, Project: s.Project, Scope: setup.User}, h)
	if err == nil {
		err = change.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
	s.shorten(t, change)
}

// install sets the hook up as a user does.
func (s *Stage) install(t *testing.T) {
	t.Helper()
	name := string(s.Agent.Name)
	if s.Agent.Name == hookgate.ClaudeCode {
		name = "claude"
	}
	// The version of the agent is looked at, too.
	bin := filepath.Dir(s.Gate)
	if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\nexec "+strings.Join(s.Agent.Program, " ")+" \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), s.Gate, "hook", "install", string(s.Agent.Name), "--yes")
	cmd.Dir, cmd.Env = s.Home, []string{"HOME=" + s.Home, "PATH=" + bin + ":/usr/bin:/bin"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("hook install: %v\n%s", err, out)
	}
}

// shorten has the agent wait for its hook no longer than a test says.
func (s *Stage) shorten(t *testing.T, change setup.Change) {
	t.Helper()
	if s.Waits == 0 {
		return
	}
	for _, f := range change.Files {
		s.Put(t, f.Path, waits.ReplaceAllStringFunc(f.After, func(was string) string {
			name, seconds, _ := strings.Cut(was, ":")
			if len(strings.TrimSpace(seconds)) > 3 { // they are milliseconds
				return fmt.Sprintf("%s: %d", name, s.Waits*1000)
			}
			return fmt.Sprintf("%s: %d", name, s.Waits)
		}))
	}
}

// waits is how long an agent waits for its hook, in its settings.
var waits = regexp.MustCompile(`"(timeout|timeoutSec|deadline)":\s*[0-9]+`)

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of texts always marshal
	}
	return string(b)
}

// end kills what a run left behind: those processes, each by its id, whose home is the
// stage's. A daemon may just be starting another, so that it looks until nothing is left
// twice in a row.
func (s *Stage) end(t *testing.T) {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for quiet := 0; quiet < 2; <-tick.C {
		left := s.leftovers(t)
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may be gone meanwhile
		}
		if quiet++; len(left) > 0 {
			quiet = 0
		}
	}
}

func (s *Stage) leftovers(t *testing.T) []int {
	t.Helper()
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, file := range environments {
		b, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(append([]byte{0}, b...), []byte("\x00HOME="+s.Home+"\x00")) {
			continue // it is gone, or not ours
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, pid)
	}
	return out
}

// Exists reports whether a file is there.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
