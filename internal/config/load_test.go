// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/strictyaml"
)

func load(t *testing.T, name string) *config.Config {
	t.Helper()
	c, err := config.Load(filepath.Join("testdata", "valid", name))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	c := load(t, "least.yaml")
	got := fmt.Sprint(c.Listen, filepath.Base(c.Data), c.Approvals.Approvers)
	if want := "127.0.0.1:8711data[role:approver]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestEveryKeyIsRead(t *testing.T) {
	t.Parallel()
	c := load(t, "all.yaml")
	dir := c.Dir()
	shop, remote := c.Upstreams["shop"], c.Upstreams["remote"]
	if diff := cmp.Diff([]string{filepath.Join(dir, "server"), "-data", "{data}/shop"}, shop.Command); diff != "" {
		t.Error(diff)
	}
	for name, pair := range map[string][2]any{
		"data":        {filepath.Join(dir, "state"), c.Data},
		"policies":    {[]string{filepath.Join(dir, "a.yaml"), filepath.Join(dir, "b.yaml")}, c.Policies},
		"catalogs":    {[]string{filepath.Join(dir, "c.yaml")}, c.Catalogs},
		"dir":         {filepath.Join(dir, "work"), shop.Dir},
		"pin":         {"first-sight manual", shop.Pin + " " + remote.Pin},
		"flags":       {[]bool{true, true, true}, []bool{shop.TrustAnnotations, shop.Shared, shop.ReadOnly}},
		"timeouts":    {[]time.Duration{5 * time.Second, 30 * time.Second}, []time.Duration{shop.Timeout, c.Timeout}},
		"approvals":   {[]time.Duration{30 * time.Minute, 2 * time.Minute}, []time.Duration{c.Approvals.Pending, c.Approvals.Use}},
		"grants":      {config.Grants{Off: true, Longest: 2 * time.Hour, Uses: 7}, c.Grants},
		"subjects":    {[]string{"agent", "ann@example.com", "job"}, []string{c.Subjects[0].ID, c.Subjects[1].ID, c.Subjects[2].ID}},
		"read-only":   {true, c.Subjects[0].ReadOnly},
		"stdio":       {"agent", c.Stdio.Subject},
		"limits":      {[]int{2048, 16}, []int{c.Limits.ArgumentBytes, c.Limits.Depth}},
		"watch":       {"none", c.Watch},
		"bundle":      {[]any{"prod", "https://policies.example/b?x", 1, 5 * time.Minute, 5 * time.Second, 4096, filepath.Join(dir, "ca.pem"), 1}, []any{c.Bundle.Name, c.Bundle.URL, len(c.Bundle.PublicKeys()), c.Bundle.Interval, c.Bundle.Timeout, c.Bundle.MaxBytes, c.Bundle.CA, len(c.Bundle.Headers)}},
		"environment": {map[string]string{"stage": "prod", "region": "eu"}, c.Env},
	} {
		if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if got := c.Fill(shop.Command[2]); got != filepath.Join(dir, "state")+"/shop" {
		t.Errorf("filled: %s", got)
	}
}

func TestCommandsInTheDataFolderStayThere(t *testing.T) {
	t.Parallel()
	c, err := config.Parse("x/c.yaml", []byte("version: 1\npolicies: [p]\nupstreams: {a: {command: [\"{data}/bin/a\"], dir: \"{data}\"}, b: {command: [node]}}"))
	if err != nil {
		t.Fatal(err)
	}
	a := c.Upstreams["a"]
	if a.Command[0] != "{data}/bin/a" || a.Dir != "{data}" {
		t.Errorf("command %q in %q", a.Command, a.Dir)
	}
	if got := c.Upstreams["b"].Command[0]; got != "node" {
		t.Errorf("a bare name became %q", got)
	}
}

// TestProblemsHavePlacesAndNoSecrets checks what is said of everything wrong.
func TestProblemsHavePlacesAndNoSecrets(t *testing.T) {
	t.Parallel()
	for folder := range map[string]bool{"invalid": true, "meaning": true} {
		files, err := filepath.Glob(filepath.Join("testdata", folder, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			_, err := config.Load(file)
			problems, ok := errors.AsType[strictyaml.Problems](err)
			if !ok || len(problems) == 0 {
				t.Errorf("%s: %v", file, err)
				continue
			}
			for _, p := range problems {
				if p.File != file || p.Line < 1 || p.Column < 1 || p.Message == "" {
					t.Errorf("%s: %+v", file, p)
				}
			}
			for _, secret := range []string{"hunter2", "abc", "secret@", "tv_a_b"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%s: the error quotes a secret: %v", file, err)
				}
			}
		}
	}
}

func TestListenIsCheckedWhoeverSaysIt(t *testing.T) {
	t.Parallel()
	keyless, keyed := load(t, "least.yaml"), load(t, "all.yaml")
	for _, address := range []string{"127.0.0.1:0", "[::1]:80", "localhost:1", "127.8.9.1:5"} {
		if err := keyless.SetListen(address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"0.0.0.0:0", ":80", "[::]:80", "example.com:80", "10.0.0.1:80", "localhost.example.com:80", "127.0.0.1", "x"} {
		if err := keyless.SetListen(address); err == nil {
			t.Errorf("%s: accepted without a key", address)
		}
	}
	if err := keyed.SetListen("0.0.0.0:80"); err != nil {
		t.Error(err)
	}
}

func TestSecretsResolveOrSayWhatToDo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("good", "swordfish\r\n", 0o600)
	write("open", "swordfish", 0o644)
	write("empty", "\n", 0o600)
	write("large", strings.Repeat("x", 70<<10), 0o600)
	getenv := func(name string) (string, bool) {
		v, ok := map[string]string{"SET": "value", "EMPTY": ""}[name]
		return v, ok
	}
	for ref, want := range map[string]string{
		"env:SET": "value", "file:good": "swordfish", "text:plain": "plain", "file:" + filepath.Join(dir, "good"): "swordfish",
		"env:EMPTY": "! the variable EMPTY is not set: set it before starting", "env:NONE": "! the variable NONE is not set: set it before starting",
		"file:open": "! secret file open can be read by other users: chmod 600 it", "file:empty": "! secret file empty is empty",
		"file:none": "! secret file: none: no such file or directory", "file:large": "! secret file large is larger than 65536 bytes",
	} {
		var s config.Secret
		if err := s.FromYAML(strictyaml.Node{Kind: strictyaml.Scalar, Tag: "str", Text: ref}); err != nil {
			t.Fatal(err)
		}
		got, err := s.Resolve(getenv, dir)
		if err != nil {
			got = "! " + err.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", ref, got, want)
		}
		if text := fmt.Sprintf("%v %+v %s", s, s, s); strings.Contains(text, "SET") || strings.Contains(text, "good") {
			t.Errorf("a reference shows itself: %s", text)
		}
		if s.Held() == strings.HasPrefix(ref, "text:") {
			t.Errorf("%s: held is %v", ref, s.Held())
		}
	}
	var none config.Secret
	if _, err := none.Resolve(getenv, dir); err == nil {
		t.Error("no reference resolved to something")
	}
}

func FuzzParse(f *testing.F) {
	for _, folder := range []string{"valid", "invalid", "meaning"} {
		files, _ := filepath.Glob(filepath.Join("testdata", folder, "*.yaml"))
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		c, err := config.Parse("c.yaml", in)
		if err != nil {
			return
		}
		// What was read is whole: no gate without rules, without a name for
		// everybody, or open to the world by accident.
		if c.Version != 1 || len(c.Policies) == 0 && c.Bundle == nil || c.Listen == "" || len(c.Approvals.Approvers) == 0 {
			t.Errorf("read an unusable configuration: %+v", c)
		}
		for name, u := range c.Upstreams {
			if (len(u.Command) == 0) == (u.URL == "") {
				t.Errorf("upstream %q has neither or both of command and url", name)
			}
		}
	})
}

func TestGrantsHaveBounds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"longest: 8h": "", "longest: 8h1s": "8h at most", "uses: 100": "", "uses: 101": "between 1 and 100", "longest: -1s": "a duration is wanted", "uses: -1": "between 1 and 100",
	} {
		_, err := config.Parse("c.yaml", []byte("version: 1\npolicies: [p]\ngrants: {"+text+"}"))
		if got := fmt.Sprint(err); (err == nil) != (want == "") || !strings.Contains(got, want) && want != "" {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestHooks(t *testing.T) {
	t.Parallel()
	c, err := config.Parse("/etc/tv/c.yaml", []byte("version: 1\npolicies: [p]\nhooks: {agents: [claude-code, codex], workspace: app, home: /home/me, wait: 20s}"))
	if err != nil {
		t.Fatal(err)
	}
	if h := c.Hooks; h.Workspace != "/etc/tv/app" || h.Home != "/home/me" || h.Wait != 20*time.Second || len(h.Agents) != 2 {
		t.Errorf("%+v", h)
	}
	for text, want := range map[string]string{
		"envoy: [{path: mcp, server: s}]\nupstreams: {s: {command: [x]}}":                                             "a path such as /mcp",
		"envoy: [{path: /a/../mcp, server: s}]\nupstreams: {s: {command: [x]}}":                                       "a path such as /mcp",
		"envoy: [{path: /%6dcp, server: s}]\nupstreams: {s: {command: [x]}}":                                          "a path such as /mcp",
		"envoy: [{path: /mcp, server: other}]\nupstreams: {s: {command: [x]}}":                                        "no such upstream",
		"envoy: [{path: /mcp, host: \"a/b\", server: s}]\nupstreams: {s: {command: [x]}}":                             "plain name or address",
		"envoy: [{path: /mcp, server: s, subjectHeader: \"x y\"}]\nupstreams: {s: {command: [x]}}":                    "cannot name a header",
		"envoy: [{path: /mcp, host: A, server: s}, {path: /mcp, host: a, server: s}]\nupstreams: {s: {command: [x]}}": "there already",
		"hooks: {agents: [emacs], workspace: /w}":                                                                     `"emacs": use claude-code`,
		"hooks: {agents: [codex, codex], workspace: /w}":                                                              "named twice",
		"hooks: {agents: [codex]}":                                                    "hooks.workspace",
		"hooks: {workspace: /w}":                                                      "hooks.agents",
		"hooks: {agents: [codex], workspace: /w, wait: 6m}":                           "hooks.wait",
		"hooks: {agents: [codex], workspace: /w}\nupstreams: {codex: {command: [x]}}": "an upstream is called",
	} {
		if _, err := config.Parse("c.yaml", []byte("version: 1\npolicies: [p]\n"+text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
