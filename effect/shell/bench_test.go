// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell_test

import (
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/effect/shell"
)

// commands are typical of what an agent runs.
var commands = map[string]string{
	"short":    "git status --short",
	"pipeline": "grep -rn 'needle' src | sort | uniq -c | head -20",
	"wrapped":  "sudo -u www timeout 5 bash -c 'rm -rf /srv/app/cache'",
	"find":     "find . -name '*.go' -exec grep -l needle {} +",
	"script": strings.Join([]string{
		"set -euo pipefail", "dir=build/out", `mkdir -p "$dir"`, "for f in a b c; do", `  cp "src/$f.txt" "$dir/"`, "done",
		`if [ -f "$dir/a.txt" ]; then tar czf out.tgz -C "$dir" .; fi`,
	}, "\n"),
}

func BenchmarkAnalyse(b *testing.B) {
	for name, command := range commands {
		b.Run(name, func(b *testing.B) {
			o := shell.Options{Dir: "/srv/app", Root: "/srv/app", Home: "/home/user"}
			b.ReportAllocs()
			for b.Loop() {
				shell.Analyse(command, o)
			}
		})
	}
}
