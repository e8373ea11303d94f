// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package sql_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/sql"
)

// section is a part of a file of cases: blocks apart by empty lines, under a
// title.
type section struct {
	title  string
	blocks []string
}

func sections(t *testing.T, name string) []section {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "cases", name))
	if err != nil {
		t.Fatal(err)
	}
	var all []section
	for block := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		if title, ok := strings.CutPrefix(block, "# "); ok {
			all = append(all, section{title: title})
			continue
		}
		last := &all[len(all)-1]
		last.blocks = append(last.blocks, block)
	}
	return all
}

// kinds are what is asked of every case of a section, whatever its effects are
// in detail.
func kinds() map[string]func([]toolverdict.Effect) bool {
	return map[string]func([]toolverdict.Effect) bool{
		"Only reads":                     onlyReads,
		"Reads that hide what they read": onlyReads,
		"Changes of chosen rows": func(effects []toolverdict.Effect) bool {
			return chosen(effects) && !onlyReads(effects)
		},
		"Attacks": func(effects []toolverdict.Effect) bool { return !onlyReads(effects) },
	}
}

// onlyReads is the read-only rule that docs and doc.go give.
func onlyReads(effects []toolverdict.Effect) bool {
	for _, e := range effects {
		if e.Kind != toolverdict.EffectQuery || e.Query.Statement != 1 || len(e.Query.Changes) > 0 || len(e.Query.Functions) > 0 {
			return false
		}
		if v := e.Query.Verb; v != "select" && v != "show" && v != "explain" {
			return false
		}
	}
	return len(effects) > 0
}

func chosen(effects []toolverdict.Effect) bool {
	for _, e := range effects {
		if e.Kind != toolverdict.EffectQuery || !e.Query.Bounded || len(e.Query.Functions) > 0 {
			return false
		}
	}
	return true
}

// TestCases holds every case to its effects, line by line, and to what its
// section says.
func TestCases(t *testing.T) {
	t.Parallel()
	for _, dialect := range dialects() {
		benign, attacks := 0, 0
		for _, s := range sections(t, string(dialect)+".txt") {
			if s.title == "Attacks" || s.title == "Reads that hide what they read" {
				attacks += len(s.blocks)
			} else {
				benign += len(s.blocks)
			}
			for _, block := range s.blocks {
				text, want, found := strings.Cut(block, "\n=> ")
				if !found {
					t.Errorf("%s: no effects: %s", dialect, block)
				}
				effects := sql.Analyse(dialect, text)
				want = strings.ReplaceAll(want, "\n=> ", "; ")
				if got := show(effects); got != want {
					t.Errorf("%s: %s\ngot  %s\nwant %s", dialect, text, got, want)
				}
				if !kinds()[s.title](effects) {
					t.Errorf("%s: not what %q says: %s\ngot %s", dialect, s.title, text, show(effects))
				}
			}
		}
		if benign < 30 || attacks < 30 {
			t.Errorf("%s: %d benign cases and %d attacks", dialect, benign, attacks)
		}
	}
}

// TestConditions asks of conditions whether they choose rows, in every dialect
// and for every statement that has one.
func TestConditions(t *testing.T) {
	t.Parallel()
	for _, s := range sections(t, "conditions.txt") {
		want := map[string]bool{"Chosen rows": true, "Every row": false}[s.title]
		for condition := range strings.SplitSeq(s.blocks[0], "\n") {
			for _, dialect := range dialects() {
				for _, statement := range []string{"DELETE FROM users WHERE ", "UPDATE users SET total = 1 WHERE "} {
					effects := sql.Analyse(dialect, statement+condition)
					if len(effects) != 1 || effects[0].Query == nil || effects[0].Query.Bounded != want {
						t.Errorf("%s: %s%s\ngot %s", dialect, statement, condition, show(effects))
					}
				}
			}
		}
	}
}
