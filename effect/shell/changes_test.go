// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package shell_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/shell"
)

// scene builds the folder that testdata/changes.txt speaks of.
const scene = `
printf 'a\nb\n' > a.txt; printf 'b\na\n' > b.txt; printf '[3,\n1,\n2]\n' > c.csv; echo x > old.log
printf 'a.txt\nb.txt\n' > list; echo 'echo hi' > run.sh
mkdir -p empty d/sub; echo 1 > d/a.txt; echo 2 > d/sub/x.txt; echo 3 > d/sub/.hidden
ln -s a.txt link; ln -s d dlink; tar cf t.tar d; gzip -c a.txt > z.gz
git init -q --template= repo && cd repo && git config user.email a@b.example && git config user.name a && git config gc.auto 0
echo 1 > tracked.txt; mkdir d; echo 2 > d/two.txt; git add . && git commit -qm one
echo 3 > tracked.txt; echo 4 > untracked.txt
`

// TestChanges runs commands for real and compares: what changed on the disk
// must be among the files that the effects say are written or deleted.
func TestChanges(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bash", "git", "tar", "gzip"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Logf("no %s to compare with", name)
			return
		}
	}
	text, err := os.ReadFile("testdata/changes.txt")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "scene"), 0o755); err != nil {
		t.Fatal(err)
	}
	bash(t, filepath.Join(root, "scene"), scene)
	compared := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		compared++
		work := filepath.Join(root, fmt.Sprint(compared))
		bash(t, root, "cp -a scene "+filepath.Base(work))
		compareChanges(t, work, strings.ReplaceAll(line, `\n`, "\n"))
	}
	t.Logf("%d commands", compared)
}

func compareChanges(t *testing.T, work, command string) {
	t.Helper()
	effects := shell.Analyse(command, shell.Options{Dir: work, Root: work, Home: work + "/home"})
	if isOpaque(effects) {
		t.Errorf("%s: opaque: %q", command, briefly(effects))
		return
	}
	for _, e := range effects {
		if e.Kind != toolverdict.EffectExecute || strings.Contains(e.Program, "/") {
			continue
		}
		if _, err := exec.LookPath(e.Program); err != nil && !slices.Contains(shellsOwn, e.Program) {
			return
		}
	}
	before := snapshot(t, work)
	bash(t, work, command)
	after := snapshot(t, work)
	for path := range after {
		if _, had := before[path]; had && before[path] == after[path] {
			continue
		}
		if !covered(effects, path, toolverdict.EffectWrite) && !made(effects, path, after[path]) {
			t.Errorf("%s: wrote %s, which is not among %q", command, path[len(work):], briefly(effects))
		}
	}
	for path := range before {
		_, has := after[path]
		// What is renamed inside of the workspace counts as written.
		if !has && !covered(effects, path, toolverdict.EffectDelete) && !covered(effects, path, toolverdict.EffectWrite) {
			t.Errorf("%s: deleted %s, which is not among %q", command, path[len(work):], briefly(effects))
		}
	}
}

// made reports whether a path is a folder that was made for a file below it.
func made(effects []toolverdict.Effect, path, state string) bool {
	return strings.HasPrefix(state, "d") && slices.ContainsFunc(effects, func(e toolverdict.Effect) bool {
		return e.Kind == toolverdict.EffectWrite && below(e.Path, path)
	})
}

var shellsOwn = []string{"cd", "exec", "eval", "builtin", "command", "pushd", "popd", "trap", "wait", ":", "read", "source"}

func briefly(effects []toolverdict.Effect) []string {
	var out []string
	for _, e := range effects {
		out = append(out, brief(e))
	}
	return out
}

func bash(t *testing.T, dir, script string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "--noprofile", "--norc", "-c", script)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir + "/home", "LC_ALL=C", "TMPDIR=" + dir,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z"}
	_ = cmd.Run() // some fail, and may
}

// snapshot returns what every name in a folder stands for.
func snapshot(t *testing.T, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		state := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			state += fmt.Sprintf(" %x %v", sha256.Sum256(content), info.ModTime().UnixNano())
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			state += " " + target
		}
		if path != root {
			found[path] = state
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// covered reports whether an effect of the kind may touch the path. A folder
// that changes only because of what is made in it counts for nothing.
func covered(effects []toolverdict.Effect, path string, kind toolverdict.EffectKind) bool {
	return slices.ContainsFunc(effects, func(e toolverdict.Effect) bool { return e.Kind == kind && mayTouch(e, path) })
}
