// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package shop_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/examples/orders/shop"
)

func TestShell(t *testing.T) {
	t.Parallel()
	s, dir := newShop(t)
	for command, want := range map[string]shop.ShellResult{
		"cat notes.txt | head -n 1": {Workdir: "/scratch", Stdout: "Example notes.\n"},
		"ls reports":                {Workdir: "/scratch", Stdout: "weekly.txt\n"},
		"echo out; echo err >&2; exit 7": {
			Workdir: "/scratch", ExitCode: 7, Stdout: "out\n", Stderr: "err\n",
		},
		"kill -TERM $$":    {Workdir: "/scratch", ExitCode: 143},
		`printf 'a\377b'`:  {Workdir: "/scratch", Stdout: "a\uFFFDb"},
		"cat":              {Workdir: "/scratch"}, // no input to wait for
		"touch made.txt":   {Workdir: "/scratch"},
		"echo /scratch/..": {Workdir: "/scratch", Stdout: "/scratch/..\n"},
	} {
		got, err := s.Shell(t.Context(), command, "")
		if err != nil {
			t.Errorf("%s: %v", command, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", command, d)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "scratch", "made.txt")); err != nil {
		t.Errorf("the command did not run in the scratch folder: %v", err)
	}
	got, err := s.Shell(t.Context(), "ls", "/scratch/reports/")
	if err != nil || got.Stdout != "weekly.txt\n" || got.Workdir != "/scratch/reports" {
		t.Errorf("in a folder of scratch: %+v, %v", got, err)
	}
	if c := changes(t, dir); len(c) != 9 || c[8].What != "ls" || c[8].Detail != "in /scratch/reports" {
		t.Errorf("changes: %v, want one for each command", c)
	}
}

func TestShellStartsInScratchOnly(t *testing.T) {
	t.Parallel()
	s, dir := newShop(t)
	scratch := filepath.Join(dir, "scratch")
	for link, target := range map[string]string{"out": dir, "up": "..", "etc": "/etc"} {
		if err := os.Symlink(target, filepath.Join(scratch, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, workdir := range []string{
		"/", "/etc", dir, scratch, "scratch", "reports", "..", "/scratch/..", "/scratch/../scratch/..", "/scratch/../outbox", "/scratchy",
		"/scratch/out", "/scratch/up", "/scratch/etc", "/scratch/missing", "/scratch/notes.txt", "/scratch/\x00", "//etc", "\\scratch",
	} {
		_, err := s.Shell(t.Context(), "touch escaped", workdir)
		wantCode(t, err, shop.InvalidWorkdir)
	}
	if c := changes(t, dir); len(c) != 0 {
		t.Errorf("refused commands were counted: %v", c)
	}
}

func TestShellRefusesWhatIsNoCommand(t *testing.T) {
	t.Parallel()
	s, _ := newShop(t)
	for _, c := range []string{"", " \n", "echo a\x00b", "echo \xff", "echo " + strings.Repeat("a", 2000)} {
		_, err := s.Shell(t.Context(), c, "")
		wantCode(t, err, shop.InvalidCommand)
	}
	cfg := config(filepath.Join(t.TempDir(), "shop"))
	cfg.Bash = ""
	_, err := open(t, cfg).Shell(t.Context(), "ls", "")
	wantCode(t, err, shop.ShellMissing)
}

func TestShellHandsOnNoEnvironment(t *testing.T) {
	t.Setenv("ORDERS_TEST_SECRET", "x")
	s, _ := newShop(t)
	got, err := s.Shell(t.Context(), "env | cut -d= -f1 | sort | tr '\\n' ' '", "")
	if err != nil {
		t.Fatal(err)
	}
	// The last three are bash's own.
	if d := cmp.Diff("HOME LANG PATH PWD SHLVL TMPDIR _ ", got.Stdout); d != "" {
		t.Error("environment (-want +got):\n" + d)
	}
}

func TestShellCapsItsOutput(t *testing.T) {
	t.Parallel()
	s, _ := newShop(t)
	got, err := s.Shell(t.Context(), "head -c 1000000 /dev/zero | tr '\\0' x; echo done >&2", "")
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Stdout) != 64<<10 || !got.Truncated || got.Stderr != "done\n" {
		t.Errorf("%d bytes, truncated %v, stderr %q", len(got.Stdout), got.Truncated, got.Stderr)
	}
}

// heldBy makes a pipe whose reader sees the end of input only when every
// process that had it open for writing is gone.
func heldBy(t *testing.T, dir string) func() {
	t.Helper()
	name := filepath.Join(dir, "scratch", "held")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		defer f.Close()
		if _, err := io.Copy(io.Discard, f); err != nil {
			t.Error(err)
		}
	}
}

func TestShellStopsWhatRunsTooLong(t *testing.T) {
	t.Parallel()
	cfg := config(filepath.Join(t.TempDir(), "shop"))
	cfg.ShellTimeout = 300 * time.Millisecond
	s := open(t, cfg)
	wait := heldBy(t, cfg.Dir)
	_, err := s.Shell(t.Context(), "(trap '' TERM; exec sleep 1000) > held & wait", "")
	wantCode(t, err, shop.CommandTimeout)
	wait()
	if c := changes(t, cfg.Dir); len(c) != 1 {
		t.Errorf("changes: %v, want the started command", c)
	}
}

func TestShellLeavesNothingInTheBackground(t *testing.T) {
	t.Parallel()
	s, dir := newShop(t)
	wait := heldBy(t, dir)
	got, err := s.Shell(t.Context(), "exec 3> held; sleep 1000 & echo started", "")
	if err != nil || got.Stdout != "started\n" {
		t.Errorf("got %+v, %v", got, err)
	}
	wait()
}

func TestShellStopsWhenTheCallerGoes(t *testing.T) {
	t.Parallel()
	s, dir := newShop(t)
	wait := heldBy(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for len(changes(t, dir)) == 0 { // the command is recorded just before it starts
			if ctx.Err() != nil {
				return
			}
		}
		cancel()
	}()
	_, err := s.Shell(ctx, "sleep 1000 > held", "")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the cancellation", err)
	}
	wait()
}
