// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/shell"
)

// TestSpelledOut: a rule about --force or -f meets the option in a cluster and
// cut short.
func TestSpelledOut(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"git push -uf origin x":             "git push -u -f origin x",
		"git push --del origin x":           "git push --delete origin x",
		"git -c user.name=a push -fu":       "git -c user.name=a push -f -u",
		"git branch -dr origin/x":           "git branch -d -r origin/x",
		"git commit -am 'a b'":              "git commit -a -m a b",
		"git push -- -f":                    "git push -- -f",
		"git push -f":                       "git push -f",
		"docker run -itv /a:/b image rm -f": "docker run -i -t -v /a:/b image rm -f",
	}
	for command, want := range cases {
		found := slices.ContainsFunc(shell.Analyse(command, options), func(e toolverdict.Effect) bool {
			return e.Kind == toolverdict.EffectExecute && strings.Join(e.Argv, " ") == want
		})
		if !found {
			t.Errorf("%s: not spelled out as %q", command, want)
		}
	}
	if effects := shell.Analyse("git push -f", options); len(effects) != 2 {
		t.Errorf("nothing is to be spelled out: %+v", effects)
	}
}
