// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package effect_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// TestOperands: a script that would be run is known by what it says, below the
// root that the gate sees and nowhere else.
func TestOperands(t *testing.T) {
	t.Parallel()
	root, outside := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(root, "run.sh"), "echo one")
	write(filepath.Join(outside, "run.sh"), "echo outside")
	write(filepath.Join(root, "large.sh"), "")
	if err := os.Truncate(filepath.Join(root, "large.sh"), 8<<20+1); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"inside.sh": "run.sh", "out.sh": filepath.Join(outside, "run.sh"), "gone.sh": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(root, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	sum := func(text string) string {
		b := sha256.Sum256([]byte(text))
		return hex.EncodeToString(b[:])
	}
	const opaque = "opaque"
	for name, c := range map[string]struct {
		command string
		links   bool
		want    []string // digests in the order of effects, and the word opaque
	}{
		"run by its path":         {"./run.sh", true, []string{sum("echo one")}},
		"by its whole path":       {root + "/run.sh a b", true, []string{sum("echo one")}},
		"by a shell":              {"bash -x run.sh", true, []string{sum("echo one")}},
		"by an interpreter":       {"python3 run.sh", true, []string{sum("echo one")}},
		"from another folder":     {"cd sub && ../run.sh", true, []string{sum("echo one")}},
		"sourced":                 {". ./run.sh", true, []string{sum("echo one")}},
		"twice":                   {"./run.sh; ./run.sh", true, []string{sum("echo one"), sum("echo one")}},
		"through a link":          {"./inside.sh", true, []string{sum("echo one")}},
		"a link out of the root":  {"./out.sh", true, []string{opaque}},
		"a link to nothing":       {"./gone.sh", true, []string{"none"}},
		"one that is not there":   {"./later.sh", true, []string{"none"}},
		"one that is too large":   {"./large.sh", true, []string{opaque}},
		"a folder":                {"./sub", true, []string{opaque}},
		"outside":                 {outside + "/run.sh", true, nil},
		"only read":               {"cat run.sh", true, nil},
		"where nobody looks":      {"./run.sh", false, nil},
		"more than are looked at": {strings.Repeat("./a ", 1) + many(17), true, append(repeat("none", 16), opaque)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place := tv.Place{Root: root, Links: c.links}
			b, err := json.Marshal(map[string]string{"cmd": c.command})
			if err != nil {
				t.Fatal(err)
			}
			args, err := canon.Parse(b, canon.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			tl := tool(t, tv.Destructive, place, map[string]tv.Role{"/cmd": {Kind: tv.RoleShell, Dialect: "bash"}})
			var got []string
			for _, e := range (&effect.Analyser{Operands: true}).Analyse(context.Background(), tl, args, nil).Effects {
				switch {
				case e.SHA256 != "":
					got = append(got, e.SHA256)
				case e.Kind == tv.EffectOpaque:
					got = append(got, opaque)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			for _, e := range effect.Effects(tl, args, nil) {
				if e.SHA256 != "" {
					t.Errorf("a file was read for the text alone: %+v", e)
				}
			}
		})
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n - 1 {
		b.WriteString("; ./b" + string(rune('a'+i)))
	}
	return b.String()
}

func repeat(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}
