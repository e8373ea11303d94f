// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/shell"
)

type sharedCase struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Intent string `json:"intent_id"`
	Call   struct {
		Args struct {
			Command string `json:"command"`
		} `json:"args"`
	} `json:"call"`
	Expect string `json:"expect"`
	Why    string `json:"why"`
}

// judges are the policies that a user with each intent would write, over
// effects alone.
var judges = map[string]func([]toolverdict.Effect) string{
	"ro": blockIf(func(e toolverdict.Effect) bool {
		return e.Kind != toolverdict.EffectRead && (e.Kind != toolverdict.EffectExecute || !e.Known)
	}),
	"nodel": blockIf(func(e toolverdict.Effect) bool {
		return unclear(e) || e.Kind == toolverdict.EffectDelete && !below(e.Path, "/tmp/scratch")
	}),
	"nonet":  blockIf(func(e toolverdict.Effect) bool { return unclear(e) || e.Kind == toolverdict.EffectConnect }),
	"secret": blockIf(func(e toolverdict.Effect) bool { return unclear(e) || readsSecret(e) }),
	"ask":    judgeAsk,
}

func blockIf(bad func(toolverdict.Effect) bool) func([]toolverdict.Effect) string {
	return func(effects []toolverdict.Effect) string {
		if slices.ContainsFunc(effects, bad) {
			return "block"
		}
		return "allow"
	}
}

func unclear(e toolverdict.Effect) bool {
	return e.Kind == toolverdict.EffectOpaque || e.Kind == toolverdict.EffectExecute && e.Program == ""
}

func below(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }

func readsSecret(e toolverdict.Effect) bool {
	if e.Kind != toolverdict.EffectRead || e.Names {
		return false
	}
	return mayTouch(e, "/srv/app/.env") || mayTouch(e, "/srv/home/.ssh/id_ed25519") || below(e.Path, "/srv/home/.ssh")
}

// mayTouch is how a rule about one path reads an effect.
func mayTouch(e toolverdict.Effect, p string) bool {
	switch {
	case e.Path == "" || e.Path == p:
		return true
	case !e.Deep || e.Path != "/" && !below(p, e.Path):
		return false
	case e.Pattern == "":
		return true
	}
	return matchGlob(strings.Split(e.Pattern, "/"), strings.Split(p, "/"))
}

func matchGlob(pattern, name []string) bool {
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case pattern[0] == "**":
		return matchGlob(pattern[1:], name) || len(name) > 0 && matchGlob(pattern, name[1:])
	case len(name) == 0:
		return false
	}
	if strings.HasPrefix(name[0], ".") && !strings.HasPrefix(pattern[0], ".") {
		return false
	}
	ok, err := path.Match(pattern[0], name[0])
	return (ok || err != nil) && matchGlob(pattern[1:], name[1:])
}

func judgeAsk(effects []toolverdict.Effect) string {
	verdict := "allow"
	for _, e := range effects {
		force := slices.ContainsFunc(e.Argv, func(w string) bool {
			return strings.HasPrefix(w, "--force") || strings.HasPrefix(w, "+") || strings.HasPrefix(w, ":") ||
				w == "-f" || w == "-d" || w == "--delete" || w == "--mirror" || strings.Contains(w, "\x00")
		})
		switch {
		case unclear(e), e.Verb == "publish", e.Program == "git" && e.Verb == "push" && force:
			return "block"
		case e.Verb == "install", e.Program == "git" && e.Verb == "push":
			verdict = "approve"
		}
	}
	return verdict
}

func sharedCases(t *testing.T) []sharedCase {
	t.Helper()
	f, err := os.Open("../../../shared/cases/shared.jsonl")
	if err != nil {
		return nil // a clone of the repository alone
	}
	defer f.Close()
	var cases []sharedCase
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c sharedCase
		if err := json.Unmarshal(lines.Bytes(), &c); err == nil && c.Kind == "shell" {
			cases = append(cases, c)
		}
	}
	return cases
}

// wrongCases are cases whose expectation does not follow from the intent.
var wrongCases = map[string]string{}

func TestSharedCases(t *testing.T) {
	t.Parallel()
	cases := sharedCases(t)
	failed := 0
	for _, c := range cases {
		effects := shell.Analyse(c.Call.Args.Command, shell.Options{Dir: "/srv/app", Root: "/srv/app", Home: "/srv/home"})
		got := judges[c.Intent](effects)
		if got == c.Expect || wrongCases[c.ID] != "" {
			continue
		}
		failed++
		b, _ := json.Marshal(effects)
		t.Errorf("%s: %q (%s): got %s, want %s: %s", c.ID, c.Call.Args.Command, c.Why, got, c.Expect, b)
	}
	t.Logf("%d cases, %d not as expected", len(cases), failed)
}
