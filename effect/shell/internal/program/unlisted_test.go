// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package program_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/effect/shell/internal/program"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// TestUnlisted: an option that no row has, of any program and subcommand of the
// table, leaves what the command does unknown; where the row is one of a builder,
// that is said as opaque.
func TestUnlisted(t *testing.T) {
	t.Parallel()
	table, err := program.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows(t) {
		for _, command := range row.commands {
			for _, option := range []string{"--no-such-option=/elsewhere", "--no-such-option", "-\u00e6"} {
				words := strings.Fields(command)
				var args []word.Word
				for _, w := range append(words[1:], option, "x", "y") {
					args = append(args, word.Lit(w))
				}
				p := table.Plan(words[0], args)
				if p.Known {
					t.Errorf("%s %s is known", command, option)
				}
				if row.builds && len(p.Opaque) == 0 {
					t.Errorf("%s %s is not opaque", command, option)
				}
			}
		}
	}
}

type row struct {
	commands []string
	builds   bool
}

// rows reads the names of the table's rows, but for those of programs that hand
// on what they do not know, or have no options, or that a function reads.
func rows(t *testing.T) []row {
	t.Helper()
	files, err := filepath.Glob("../table/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no table: %v", err)
	}
	var all []row
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			columns := strings.Split(line, "|")
			if strings.ContainsAny(line[:1], "# @\n") || len(columns) < 2 {
				continue
			}
			flags := " " + strings.TrimSpace(columns[1]) + " "
			if strings.Contains(flags, " raw ") || strings.Contains(flags, " passes ") || readByFunction(flags) {
				continue
			}
			all = append(all, row{commands: names(columns[0]), builds: strings.Contains(flags, " builds ")})
		}
	}
	return all
}

// readByFunction reports whether a function reads the options, not the row.
func readByFunction(flags string) bool {
	for _, name := range []string{"shell", "ssh", "dd", "test", "capsh", "socat", "find", "parallel", "python"} {
		if strings.Contains(flags, " special="+name+" ") {
			return true
		}
	}
	return false
}

func names(column string) []string {
	programs, verbs, sub := strings.Cut(column, ">")
	var all []string
	for p := range strings.FieldsSeq(programs) {
		p = strings.ReplaceAll(p, "python.-m", "python -m")
		if first, second, ok := strings.Cut(p, "."); ok && strings.Contains(" git docker podman go yarn ", " "+first+" ") {
			p = first + " " + second
		}
		if !sub {
			all = append(all, p)
		}
		for group := range strings.FieldsSeq(verbs) {
			verb, _, _ := strings.Cut(group, "/")
			all = append(all, p+" "+verb)
		}
	}
	return all
}
