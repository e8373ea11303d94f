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
		"in another case":         {strings.ToUpper(root) + "/run.sh", true, nil},
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

// TestOperandsOfFoldedPlaces: where names that differ in case are one, a script
// below the root is found by whichever name is given of the root.
func TestOperandsOfFoldedPlaces(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "caf\u00e9")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "run.sh"), []byte("echo one"), 0o700); err != nil {
		t.Fatal(err)
	}
	b := sha256.Sum256([]byte("echo one"))
	sum := hex.EncodeToString(b[:])
	for program, want := range map[string]string{
		root + "/run.sh":                                          sum,
		strings.ToUpper(root) + "/run.sh":                         sum,
		strings.ReplaceAll(root, "\u00e9", "e\u0301") + "/run.sh": sum,
		root + "x/run.sh":                                         "",
		strings.ToUpper(filepath.Dir(root)) + "/run.sh":           "",
	} {
		tl := tool(t, tv.Destructive, tv.Place{Root: root, Links: true, Folded: true}, map[string]tv.Role{"/cmd": {Kind: tv.RoleShell, Dialect: "bash"}})
		args := canon.Object(canon.Member{Name: "cmd", Value: canon.String(program)})
		got := "not run"
		for _, e := range (&effect.Analyser{Operands: true}).Analyse(context.Background(), tl, args, nil).Effects {
			if e.Kind == tv.EffectExecute {
				got = e.SHA256
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", program, got, want)
		}
	}
}

// TestOrderOfOperands: what is not understood stands in one order, whenever the
// call is looked at.
func TestOrderOfOperands(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	roles := map[string]tv.Role{}
	var members []canon.Member
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "ha"} {
		if err := os.MkdirAll(filepath.Join(root, name[:1]), 0o700); err != nil {
			t.Fatal(err)
		}
		roles["/"+name] = tv.Role{Kind: tv.RoleShell, Dialect: "bash"}
		members = append(members, canon.Member{Name: name, Value: canon.String("./" + name[:1])})
	}
	tl := tool(t, tv.Destructive, tv.Place{Root: root, Links: true}, roles)
	var got []string
	for _, e := range (&effect.Analyser{Operands: true}).Analyse(context.Background(), tl, canon.Object(members...), nil).Effects {
		if e.Kind == tv.EffectOpaque {
			got = append(got, e.Source)
		}
	}
	if diff := cmp.Diff([]string{"/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h", "/ha"}, got); diff != "" {
		t.Error(diff)
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
