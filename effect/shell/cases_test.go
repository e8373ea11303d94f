// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/shell"
)

var options = shell.Options{Dir: "/srv/app", Root: "/srv/app", Home: "/home/user"}

// commandCase is a command with what must hold for its effects.
type commandCase struct {
	command string
	want    []string // claims, and effects as brief writes them
}

// readCases reads a file of testdata; benign.txt tells the form.
func readCases(t testing.TB, name string) []commandCase {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var cases []commandCase
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		last := len(cases) - 1
		switch {
		case strings.HasPrefix(line, "$ "):
			cases = append(cases, commandCase{command: line[2:]})
		case strings.HasPrefix(line, ">") && last >= 0:
			cases[last].command += "\n" + strings.TrimPrefix(line[1:], " ")
		case strings.HasPrefix(line, "\t") && last >= 0:
			cases[last].want = append(cases[last].want, line[1:])
		case line != "" && line[0] != '#':
			t.Fatalf("%s: what is %q?", name, line)
		}
	}
	return cases
}

// claims are what a case says of all its effects.
var claims = map[string]func(toolverdict.Effect) bool{
	"only reads": func(e toolverdict.Effect) bool {
		return e.Kind == toolverdict.EffectRead || e.Kind == toolverdict.EffectExecute && e.Known
	},
	"no delete":  func(e toolverdict.Effect) bool { return !opaqueOr(e, toolverdict.EffectDelete) },
	"no connect": func(e toolverdict.Effect) bool { return !opaqueOr(e, toolverdict.EffectConnect) },
	"no search": func(e toolverdict.Effect) bool {
		return e.Kind != toolverdict.EffectRead || !e.Deep || e.Names
	},
	"clear": func(e toolverdict.Effect) bool {
		switch e.Kind {
		case toolverdict.EffectExecute:
			return e.Known
		case toolverdict.EffectRead, toolverdict.EffectWrite, toolverdict.EffectDelete:
			return slices.ContainsFunc([]string{"/srv/app", "/tmp"}, func(dir string) bool { return below(e.Path, dir) })
		default:
			return false
		}
	},
}

func opaqueOr(e toolverdict.Effect, kind toolverdict.EffectKind) bool {
	return e.Kind == toolverdict.EffectOpaque || e.Kind == kind
}

func TestCases(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"benign.txt", "acting.txt"} {
		for _, c := range readCases(t, name) {
			t.Run(c.command, func(t *testing.T) {
				t.Parallel()
				c.check(t)
			})
		}
	}
}

func (c commandCase) check(t *testing.T) {
	t.Helper()
	effects := shell.Analyse(c.command, options)
	var got []string
	for _, e := range effects {
		got = append(got, brief(e))
	}
	if len(c.want) == 0 {
		t.Error("the case wants nothing")
	}
	for _, want := range c.want {
		claim, is := claims[want]
		switch {
		case is && slices.ContainsFunc(effects, func(e toolverdict.Effect) bool { return !claim(e) }):
			t.Errorf("not %q: %q", want, got)
		case !is && !slices.Contains(got, want):
			t.Errorf("no %q among %q", want, got)
		}
	}
}
