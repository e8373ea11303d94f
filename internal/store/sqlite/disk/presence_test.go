// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package disk_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/toolverdict/toolverdict/internal/store/sqlite/disk"
)

func appear(t *testing.T, dir, node string) *disk.Presence {
	t.Helper()
	p, err := disk.Appear(dir, node)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWhoLives(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "nodes")
	a, b := appear(t, dir, "a"), appear(t, dir, "b")
	if !a.Alive("a") || !a.Alive("b") || !b.Alive("a") {
		t.Error("one that lives reads as gone")
	}
	for _, node := range []string{"", "c", "../nodes/b", ".", "b\x00"} {
		if a.Alive(node) {
			t.Errorf("%q reads as alive", node)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "stale"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if a.Alive("stale") {
		t.Error("a file that nobody holds reads as alive")
	}
	if err := a.Sweep(); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != 2 {
		t.Errorf("after the sweep there are %v (%v)", left, err)
	}
	if err := b.Vanish(); err != nil {
		t.Fatal(err)
	}
	if a.Alive("b") {
		t.Error("one that has gone reads as alive")
	}
	if err := a.Vanish(); err != nil {
		t.Fatal(err)
	}
}

// TestFileTakenAway: a process whose file somebody removed is gone for the
// others, and its name is free.
func TestFileTakenAway(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "nodes")
	a, b := appear(t, dir, "a"), appear(t, dir, "b")
	if err := os.Remove(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	if b.Alive("a") {
		t.Error("it reads as alive")
	}
	again := appear(t, dir, "a")
	if !b.Alive("a") {
		t.Error("its successor reads as gone")
	}
	if err := a.Vanish(); err != nil || !b.Alive("a") {
		t.Errorf("going, it took its successor's file away (%v)", err)
	}
	if err := errors.Join(again.Vanish(), b.Vanish()); err != nil {
		t.Fatal(err)
	}
}

func TestTurnsAreTaken(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "turn")
	var inside atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			f, err := disk.Turn(context.Background(), path)
			if err != nil {
				t.Error(err)
				return
			}
			if inside.Add(1) != 1 {
				t.Error("two have their turn at once")
			}
			inside.Add(-1)
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	f, err := disk.Turn(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := disk.Turn(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the context ended", err)
	}
}
