// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package filewatch_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict/internal/filewatch"
)

// patience bounds every wait: machines may be slow, a hang must end.
const patience = 20 * time.Second

// eye is somebody who looks at one file.
type eye struct {
	t     *testing.T
	path  string
	seen  chan string // what it held at each look
	again bool
	quiet time.Duration
}

// watch watches a path until the test ends. A poll of an hour leaves
// notifications alone to tell of changes.
func watch(t *testing.T, path string, poll time.Duration) *eye {
	t.Helper()
	return watchAs(&eye{t: t, path: path, seen: make(chan string, 1000), quiet: 20 * time.Millisecond}, poll)
}

func watchAs(e *eye, poll time.Duration) *eye {
	t, path := e.t, e.path
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		filewatch.Run(ctx, filewatch.Config{
			Paths: []string{path}, Quiet: e.quiet, Poll: poll, Log: slog.New(slog.DiscardHandler), Look: e.look,
		})
	}()
	t.Cleanup(func() { cancel(); <-done })
	e.sees("first") // it looks once by itself
	return e
}

func (e *eye) look(context.Context) bool {
	b, err := os.ReadFile(e.path)
	if err != nil {
		b = []byte("nothing")
	}
	select {
	case e.seen <- string(b):
	default:
	}
	return e.again
}

// sees waits for a look at this content.
func (e *eye) sees(want string) {
	e.t.Helper()
	late := time.After(patience)
	for {
		select {
		case got := <-e.seen:
			if got == want {
				return
			}
		case <-late:
			e.t.Fatalf("nobody saw %q", want)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestWaysOfChanging: however a file is changed, somebody looks.
func TestWaysOfChanging(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, path string){
		"written in place": func(t *testing.T, path string) { t.Helper(); write(t, path, "second") },
		"replaced": func(t *testing.T, path string) {
			t.Helper()
			write(t, path+".new", "second")
			must(t, os.Rename(path+".new", path))
		},
		"removed and made": func(t *testing.T, path string) {
			t.Helper()
			must(t, os.Remove(path))
			write(t, path, "second")
		},
		"folder made anew": func(t *testing.T, path string) {
			t.Helper()
			must(t, os.RemoveAll(filepath.Dir(path)))
			write(t, path, "second")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "sub", "policy.yaml")
			write(t, path, "first")
			poll := time.Hour
			if name == "folder made anew" {
				poll = 50 * time.Millisecond // whether the end of a folder is told is the system's affair
			}
			e := watch(t, path, poll)
			change(t, path)
			e.sees("second")
			write(t, path, "third")
			e.sees("third")
		})
	}
}

// TestConfigMap lays files out as Kubernetes mounts them: the file is a link
// through a link to a folder, and that one is swapped.
func TestConfigMap(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "..1", "policy.yaml"), "first")
	must(t, os.Symlink("..1", filepath.Join(dir, "..data")))
	path := filepath.Join(dir, "policy.yaml")
	must(t, os.Symlink(filepath.Join("..data", "policy.yaml"), path))
	e := watch(t, path, time.Hour)
	for i, text := range []string{"second", "third"} {
		next := []string{"..2", "..3"}[i]
		write(t, filepath.Join(dir, next, "policy.yaml"), text)
		must(t, os.Symlink(next, filepath.Join(dir, "..tmp")))
		must(t, os.Rename(filepath.Join(dir, "..tmp"), filepath.Join(dir, "..data")))
		e.sees(text)
	}
}

// TestLinkElsewhere: a change where a link leads is seen, also of a link that
// was made later.
func TestLinkElsewhere(t *testing.T) {
	t.Parallel()
	dir, path := t.TempDir(), filepath.Join(t.TempDir(), "policy.yaml")
	write(t, filepath.Join(dir, "real.yaml"), "second")
	write(t, path, "first")
	e := watch(t, path, time.Hour)
	must(t, os.Remove(path))
	must(t, os.Symlink(filepath.Join(dir, "real.yaml"), path))
	e.sees("second")
	write(t, filepath.Join(dir, "real.yaml"), "third")
	e.sees("third")
}

// TestLinkAbove: releases are often folders, with a link to the current one.
func TestLinkAbove(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	for _, text := range []string{"first", "second", "third"} {
		write(t, filepath.Join(home, text, "a", "policy.yaml"), text)
	}
	must(t, os.Symlink(filepath.Join(home, "first"), filepath.Join(dir, "current")))
	e := watch(t, filepath.Join(dir, "current", "a", "policy.yaml"), time.Hour)
	for _, text := range []string{"second", "third"} {
		must(t, os.Symlink(filepath.Join(home, text), filepath.Join(dir, "next")))
		must(t, os.Rename(filepath.Join(dir, "next"), filepath.Join(dir, "current")))
		e.sees(text)
	}
}

// TestPoll finds what nobody is notified of: folders above were moved.
func TestPoll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a", "b", "policy.yaml"), "first")
	write(t, filepath.Join(dir, "other", "b", "policy.yaml"), "second")
	e := watch(t, filepath.Join(dir, "a", "b", "policy.yaml"), 50*time.Millisecond)
	must(t, os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "old")))
	must(t, os.Rename(filepath.Join(dir, "other"), filepath.Join(dir, "a")))
	e.sees("second")
}

// TestAgain: who found something half done looks again, though nothing happens.
func TestAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "policy.yaml")
	write(t, path, "first")
	e := watchAs(&eye{t: t, path: path, seen: make(chan string, 1000), again: true, quiet: time.Millisecond}, time.Hour)
	e.sees("first")
	e.sees("first")
}

// TestRestless: a folder in which something happens all the time hides nothing.
func TestRestless(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "policy.yaml")
	write(t, path, "first")
	e := watchAs(&eye{t: t, path: path, seen: make(chan string, 1000), quiet: time.Second}, time.Hour)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				_ = os.WriteFile(path+".noise", nil, 0o600)
			}
		}
	}()
	write(t, path, "second")
	e.sees("second")
	close(stop)
	<-stopped
}
