// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/client"
)

// generation writes catalog and policies that fit each other only: a rule of one
// generation covers the group that the catalog of the same one makes.
func (l *lab) generation(n int) {
	l.t.Helper()
	dir := fmt.Sprintf("..%d", n)
	if err := os.MkdirAll(filepath.Join(l.dir, dir), 0o700); err != nil {
		l.t.Fatal(err)
	}
	l.write(dir+"/catalog.yaml", fmt.Sprintf("tools:\n  up/echo: {risk: low, groups: [g%d]}\n", n))
	l.write(dir+"/one.yaml", fmt.Sprintf("policy: one\nversion: v%d\nrules:\n  - {id: one, verdict: allow, reason: The test says so, tools: \"group:g%d\"}\n", n, n))
	l.write(dir+"/two.yaml", fmt.Sprintf("policy: two\nversion: v%d\nrules:\n  - {id: two, verdict: deny, reason: Nothing else, tools: up/other}\n", n))
	if err := os.Symlink(dir, filepath.Join(l.dir, "..tmp")); err != nil {
		l.t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(l.dir, "..tmp"), filepath.Join(l.dir, "..data")); err != nil {
		l.t.Fatal(err)
	}
}

// TestReloadUnderLoad swaps all files at once, as a mounted configuration map
// is, while calls come in: each is decided by one generation whole, and none is
// lost. Nobody tells the gate.
func TestReloadUnderLoad(t *testing.T) {
	t.Parallel()
	up := newUpstream(t, true, "echo", "other")
	l := newLab(t, at(up.url, ", pin: first-sight"), nil)
	l.generation(1)
	conf, err := os.ReadFile(filepath.Join(l.dir, "toolverdict.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	l.write("toolverdict.yaml", strings.NewReplacer(
		"[policy.yaml]", "[..data/one.yaml, ..data/two.yaml]", "[catalog.yaml]", "[..data/catalog.yaml]").Replace(string(conf)))
	g := l.open()
	g.Settle(t.Context())
	if res := g.call("agent", "up/echo", `{}`); !res.Success {
		t.Fatalf("%q %s", code(&res), l.logs)
	}
	var stop atomic.Bool
	var seen sync.Map
	var calls sync.WaitGroup
	for range 4 {
		c := g.client("agent")
		calls.Go(func() {
			for !stop.Load() {
				res, _, err := c.Do(t.Context(), client.Call{Tool: "up/echo", Arguments: []byte(`{}`)})
				if err != nil || !res.Success {
					t.Errorf("lost a call: %q under %s: %v", code(&res), res.Decision.PolicyVersion, err)
					return
				}
				seen.Store(res.Decision.PolicyVersion, true)
			}
		})
	}
	for n := 2; n <= 5; n++ {
		l.generation(n)
		want := fmt.Sprintf("one@v%d+two@v%d", n, n)
		g.eventually("generation "+want, func() bool {
			_, ok := seen.Load(want)
			return ok || t.Failed()
		})
	}
	for range 20 { // somebody asks for more of it
		if err := g.Reload(t.Context()); err != nil {
			t.Error(err)
		}
	}
	stop.Store(true)
	calls.Wait()
	seen.Range(func(version, _ any) bool {
		v := fmt.Sprint(version)
		if n := strings.Count(v, v[len(v)-2:]); n != 2 {
			t.Errorf("a mixture: %s", v)
		}
		return true
	})
}

// TestWatchIsAChoice: with watch: none, files are read when somebody says so.
func TestWatchIsAChoice(t *testing.T) {
	t.Parallel()
	up := newUpstream(t, true, "echo")
	for _, watch := range []string{"files", "none"} {
		l := newLab(t, at(up.url, ", pin: first-sight"), map[string]string{"catalog.yaml": "tools:\n  up/echo: {risk: low}\n"})
		conf, err := os.ReadFile(filepath.Join(l.dir, "toolverdict.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		l.write("toolverdict.yaml", string(conf)+"watch: "+watch+"\n")
		g := l.open()
		l.write("policy.yaml", strings.Replace(allowAll, "v1", "v2", 1))
		version := func() string {
			res := g.call("agent", "up/echo", `{}`)
			return res.Decision.PolicyVersion
		}
		if watch == "files" {
			g.eventually("the new file", func() bool { return version() == "v2" })
			l.write("policy.yaml", "policy: all\nversion: [\n")
			g.eventually("word of the bad one", func() bool { return strings.Contains(l.logs.String(), "policy.yaml:2:") })
			if got := version(); got != "v2" {
				t.Errorf("after a bad file: %s", got)
			}
			continue
		}
		if got := version(); got != "v1" {
			t.Errorf("watch: none took up %s", got)
		}
		if err := g.Reload(t.Context()); err != nil || version() != "v2" {
			t.Errorf("%s, %v", version(), err)
		}
	}
}

// TestExpiredPolicy: what has ended denies, and says so to operators.
func TestExpiredPolicy(t *testing.T) {
	t.Parallel()
	up := newUpstream(t, true, "echo")
	l := newLab(t, at(up.url, ", pin: first-sight"), map[string]string{"catalog.yaml": "tools:\n  up/echo: {risk: low}\n"})
	now := atomic.Int64{}
	base := time.Now().Truncate(time.Second)
	l.clock = func() time.Time { return base.Add(time.Duration(now.Load())) }
	publish := l.bundle(base)
	publish(1, base.Add(time.Hour))
	g := l.open()
	if res := g.call("agent", "up/echo", `{}`); !res.Success || !strings.Contains(res.Decision.PolicyVersion, "org@v1") {
		t.Fatalf("%q under %s\n%s", code(&res), res.Decision.PolicyVersion, l.logs)
	}
	if err := g.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	now.Store(int64(2 * time.Hour))
	if res := g.call("agent", "up/echo", `{}`); code(&res) != tv.GateUnavailable {
		t.Errorf("after its end: %q", code(&res))
	}
	if err := g.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "ended at") {
		t.Errorf("ready: %v", err)
	}
	publish(2, time.Time{})
	if err := g.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if res := g.call("agent", "up/echo", `{}`); !res.Success || !strings.Contains(res.Decision.PolicyVersion, "org@v2") {
		t.Errorf("%q under %s", code(&res), res.Decision.PolicyVersion)
	}
}
