// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package arch_test

import (
	"path"
	"regexp"
	"strings"
)

// bannedText never belongs in the repository. The patterns are put together
// from pieces, so that this file does not hold what it bans.
var bannedText = []struct {
	pattern *regexp.Regexp
	goOnly  bool
	why     string
}{
	{join(`(?m)(^|[^A-Za-z0-9_.])/(wo`, `rk|fa`, `rm)/`), false, "a path of the machine it was written on"},
	{join(`/tmp/br`, `ief|farm-`, `bench|farm-`, `studio|before-`, `stop`), false, "a name of the workplace it was written in"},
	{join(`proxy\.go`, `lang\.org|registry\.npm`, `js|deb\.de`, `bian\.org`), false, "a registry's host: the client's own configuration names it"},
	{join(`t\.Sk`, `ip|\bTO`, `DO\b|\bFIX`, `ME\b|panic\("not im`, `plemented|\bunim`, `plemented\b`), true, "a loose end: finish it, or leave it out"},
}

func join(pieces ...string) *regexp.Regexp { return regexp.MustCompile(strings.Join(pieces, "")) }

// checkWords reads every text file.
func checkWords(t *tree) []problem {
	var problems []problem
	for _, name := range t.names() {
		if path.Base(name) == "go.sum" {
			continue
		}
		for _, banned := range bannedText {
			if banned.goOnly && path.Ext(name) != ".go" {
				continue
			}
			for _, at := range banned.pattern.FindAllIndex(t.text[name], -1) {
				problems = append(problems, problem{rule: "word", path: name,
					line: lines(t.text[name][:at[1]]) + 1, text: banned.why})
			}
		}
	}
	return problems
}
