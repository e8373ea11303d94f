// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package child_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolverdict/toolverdict/internal/child"
)

// short is a grace time for children that will not end by themselves.
const short = 10 * time.Millisecond

func start(t *testing.T, c child.Config) *child.Child {
	t.Helper()
	ch, err := child.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ch.Kill()
		<-ch.Exited()
	})
	return ch
}

func read(t *testing.T, c *child.Child) string {
	t.Helper()
	line, err := c.Read()
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

func TestLinesGoThereAndBack(t *testing.T) {
	t.Parallel()
	c := start(t, child.Config{Argv: as("echo")})
	for _, line := range []string{"{}", "", `{"a":"` + strings.Repeat("é", 200_000) + `"}`, "x\ry"} {
		sent := make(chan error, 1)
		go func() { sent <- c.Send(t.Context(), []byte(line)) }()
		if got := read(t, c); got != line {
			t.Errorf("line of %d bytes came back as %d bytes", len(line), len(got))
		}
		if err := <-sent; err != nil {
			t.Fatal(err)
		}
	}
	c.Stop()
	if line, err := c.Read(); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %q, %v", line, err)
	}
	if got := c.Status(); got != "exit status 0" {
		t.Errorf("a child that ends when its input does ended with %q", got)
	}
}

func TestSendersDoNotMix(t *testing.T) {
	t.Parallel()
	c := start(t, child.Config{Argv: as("echo")})
	const senders, each = 8, 50
	var all sync.WaitGroup
	for i := range senders {
		all.Go(func() {
			line := bytes.Repeat([]byte{byte('a' + i)}, 3000)
			for range each {
				if err := c.Send(t.Context(), line); err != nil {
					t.Error(err)
				}
			}
		})
	}
	counts := map[string]int{}
	for range senders * each {
		line := read(t, c)
		if strings.Trim(line, line[:1]) != "" || len(line) != 3000 {
			t.Fatal("lines were mixed")
		}
		counts[line[:1]]++
	}
	all.Wait()
	for who, n := range counts {
		if n != each {
			t.Errorf("%d lines of %s, want %d", n, who, each)
		}
	}
}

func TestOnlyTheGivenEnvironment(t *testing.T) {
	// Not parallel: it changes the environment.
	t.Setenv("CHILD_TEST_SECRET", "hunter2")
	dir := t.TempDir()
	for name, test := range map[string]struct{ env, want []string }{
		"none": {nil, nil},
		"some": {[]string{"A=1", "B=two words=2"}, []string{"A=1", "B=two words=2"}},
	} {
		c := start(t, child.Config{Argv: as("env"), Dir: dir, Env: test.env})
		at, err := filepath.EvalSymlinks(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, c); got != at {
			t.Errorf("%s: child runs in %q, want %q", name, got, at)
		}
		// A shell-less start adds nothing, not even PWD.
		if got := read(t, c); got != strings.Join(test.want, " ") {
			t.Errorf("%s: environment %q, want %q", name, got, test.want)
		}
	}
}

func TestArgumentsMeetNoShell(t *testing.T) {
	t.Parallel()
	hostile := "$(echo pwned); `id` && rm -rf ~ *\n"
	c := start(t, child.Config{Argv: as("write", hostile)})
	if got := read(t, c); got+"\n" != hostile {
		t.Errorf("argument arrived as %q", got)
	}
}

func TestStartFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]child.Config{
		"nothing":   {},
		"no name":   {Argv: []string{""}},
		"not there": {Argv: []string{"/nowhere/at/all"}},
		"no folder": {Argv: as("echo"), Dir: "/nowhere/at/all"},
		"no PATH":   {Argv: []string{"surely-no-such-program"}},
	} {
		if ch, err := child.Start(c); err == nil {
			ch.Kill()
			t.Errorf("%s: it was started", name)
		} else if !strings.HasPrefix(err.Error(), "start child: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLineLimit(t *testing.T) {
	t.Parallel()
	c := start(t, child.Config{Argv: as("write", "12345\n123456\r\n1234567\nok\n"), MaxLine: 6})
	if got := []string{read(t, c), read(t, c)}; !cmp.Equal(got, []string{"12345", "123456"}) {
		t.Errorf("lines within the limit: %q", got)
	}
	if line, err := c.Read(); !errors.Is(err, child.ErrTooLong) {
		t.Errorf("a line over the limit: %q, %v", line, err)
	}
}

func TestLastLineWithoutEnd(t *testing.T) {
	t.Parallel()
	c := start(t, child.Config{Argv: as("write", "whole\nhalf")})
	if got := []string{read(t, c), read(t, c)}; !cmp.Equal(got, []string{"whole", "half"}) {
		t.Errorf("lines: %q", got)
	}
	if _, err := c.Read(); !errors.Is(err, io.EOF) {
		t.Errorf("then: %v", err)
	}
}

func TestStopTakesTheGroup(t *testing.T) {
	t.Parallel()
	w := newWitness(t)
	c := start(t, child.Config{Argv: as("hold", w.address), Grace: short})
	w.meets()
	c.Stop()
	w.mourns()
	if got := c.Status(); got != "signal: killed" {
		t.Errorf("a child that ignores requests to end ended with %q", got)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	t.Parallel()
	w := newWitness(t)
	c := start(t, child.Config{Argv: as("leave", w.address)})
	w.meets()
	c.Stop()
	w.mourns()
	if got := c.Status(); got != "exit status 0" {
		t.Errorf("the child itself ended with %q", got)
	}
	if line, err := c.Read(); !errors.Is(err, io.EOF) {
		t.Errorf("output goes on: %q, %v", line, err)
	}
}

func TestKillOfTheGateKillsChildren(t *testing.T) {
	t.Parallel()
	roles := []string{"guarded gate"}
	if runtime.GOOS == "linux" { // whose kernel does it too
		roles = append(roles, "gate")
	}
	for _, role := range roles {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			killGate(t, role)
		})
	}
}

func killGate(t *testing.T, role string) {
	t.Helper()
	w := newWitness(t)
	argv := as(role, w.address)
	gate := exec.Command(argv[0], argv[1:]...)
	if err := gate.Start(); err != nil {
		t.Fatal(err)
	}
	w.meets()
	if err := gate.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = gate.Wait()
	w.mourns()
}

func TestGuardForgetsTheDead(t *testing.T) {
	t.Parallel()
	g, err := child.StartGuard()
	if err != nil {
		t.Fatal(err)
	}
	w, other := newWitness(t), newWitness(t)
	alive := start(t, child.Config{Argv: as("hold", w.address), Guard: g})
	w.meets()
	dead := start(t, child.Config{Argv: as("hold", other.address), Guard: g})
	other.meets()
	dead.Kill()
	other.mourns()
	g.Close() // as if the gate had died: it kills who is left
	w.mourns()
	<-alive.Exited()
	g.Close()
	if _, err := child.Start(child.Config{Argv: as("write", ""), Guard: g}); err != nil {
		t.Errorf("without its guard: %v", err)
	}
}

// TestChildrenOutliveThreads ends threads while children are started and live: a
// goroutine that ends while it is locked to its thread takes the thread along.
func TestChildrenOutliveThreads(t *testing.T) {
	t.Parallel()
	var children []*child.Child
	for range 10 {
		children = append(children, start(t, child.Config{Argv: as("echo")}))
		var threads sync.WaitGroup
		for range 20 {
			threads.Go(func() {
				runtime.LockOSThread()
				runtime.Gosched()
			})
		}
		threads.Wait()
	}
	for i, c := range children {
		if err := c.Send(t.Context(), []byte("alive")); err != nil {
			t.Fatalf("child %d: %v", i, err)
		}
		if line, err := c.Read(); string(line) != "alive" {
			t.Errorf("child %d says %q, %v", i, line, err)
		}
	}
}

func TestSendSaysWhatWasNotSent(t *testing.T) {
	t.Parallel()
	t.Run("after the end", func(t *testing.T) {
		t.Parallel()
		c := start(t, child.Config{Argv: as("write", "")})
		<-c.Exited()
		if err := c.Send(t.Context(), []byte("x")); !errors.Is(err, child.ErrNotSent) {
			t.Errorf("got %v, want ErrNotSent", err)
		}
	})
	t.Run("while it does not read", func(t *testing.T) {
		t.Parallel()
		w := newWitness(t)
		c := start(t, child.Config{Argv: as("hold", w.address), Grace: short})
		w.meets()
		// More than a pipe holds: the first line stays half written, so it may have
		// been received; the second waits behind it and was certainly not sent.
		ctx, cancel := context.WithCancel(t.Context())
		first := make(chan error)
		go func() { first <- c.Send(ctx, make([]byte, 1<<20)) }()
		second, cancelSecond := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancelSecond()
		err := c.Send(second, []byte("x"))
		for err == nil { // it came before the first
			err = c.Send(second, []byte("x"))
		}
		if !errors.Is(err, child.ErrNotSent) {
			t.Errorf("second: %v, want ErrNotSent", err)
		}
		cancel()
		if err := <-first; err == nil || errors.Is(err, child.ErrNotSent) {
			t.Errorf("first: %v, want an error that leaves it open", err)
		}
	})
	t.Run("when it closes its input", func(t *testing.T) {
		t.Parallel()
		c := start(t, child.Config{Argv: as("half")})
		err := c.Send(t.Context(), make([]byte, 1<<20))
		if err == nil || errors.Is(err, child.ErrNotSent) {
			t.Errorf("half a line: %v, want an error that leaves it open", err)
		}
		<-c.Exited() // it held half a line, and is killed
	})
	t.Run("when it never takes it", func(t *testing.T) {
		t.Parallel()
		w := newWitness(t)
		// Long enough for the line to be begun on a busy machine: one of which nothing
		// was written is another case.
		c := start(t, child.Config{Argv: as("hold", w.address), Stall: 2 * time.Second})
		w.meets()
		if err := c.Send(t.Context(), make([]byte, 1<<20)); err == nil || errors.Is(err, child.ErrNotSent) {
			t.Errorf("got %v, want an error that leaves it open", err)
		}
		w.mourns()
	})
}

func TestLastWords(t *testing.T) {
	t.Parallel()
	told := make(chan string, 100)
	c := start(t, child.Config{
		Argv:   as("complain", "\x1b[31mred\x1b[0m alert", "", "\x1b]0;title\aname", "a\u202eb\u200bc", strings.Repeat("x", 9000)),
		Stderr: func(line string) { told <- line },
	})
	<-c.Exited()
	want := []string{"red alert", "name", "abc", strings.Repeat("x", 2000)} // of a line, only the beginning
	got := c.LastWords()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("last words (-want +got):\n%s", diff)
	}
	close(told)
	var heard []string
	for line := range told {
		heard = append(heard, line)
	}
	if diff := cmp.Diff(got, heard); diff != "" {
		t.Errorf("told and kept differ:\n%s", diff)
	}
}

func TestLastWordsAreFew(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 500 {
		lines = append(lines, fmt.Sprint("line ", i))
	}
	c := start(t, child.Config{Argv: as("complain", lines...)})
	<-c.Exited()
	got := c.LastWords()
	if len(got) != 10 || !strings.HasPrefix(got[9], "line 499") {
		t.Errorf("kept %d lines, the last %q", len(got), got[len(got)-1])
	}
}

// TestNoLeaks starts and stops children, and counts what is left. It is not
// parallel, so that nothing else runs.
func TestNoLeaks(t *testing.T) {
	round := func() {
		w := newWitness(t)
		g, err := child.StartGuard()
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		quiet, stubborn := start(t, child.Config{Argv: as("echo"), Guard: g}), start(t, child.Config{Argv: as("hold", w.address), Grace: short})
		w.meets()
		for _, c := range []*child.Child{quiet, stubborn} {
			c.Stop()
			for {
				if _, err := c.Read(); err != nil {
					break
				}
			}
		}
		w.conn.Close()
		w.listener.Close()
		if ch, err := child.Start(child.Config{Argv: []string{"/nowhere/at/all"}}); err == nil {
			ch.Kill()
			t.Fatal("started what is not there")
		}
	}
	round()
	goroutines, files := settled(t, 2, 0)
	for range 10 {
		round()
	}
	moreGoroutines, moreFiles := settled(t, goroutines, files)
	if moreGoroutines > goroutines || moreFiles > files {
		t.Errorf("%d goroutines and %d files before, %d and %d after", goroutines, files, moreGoroutines, moreFiles)
	}
}

// settled counts goroutines and open files once they are down to what is
// wanted, or do not change for a while.
func settled(t *testing.T, wantGoroutines, wantFiles int) (goroutines, files int) {
	t.Helper()
	for range 15 {
		entries, err := os.ReadDir("/dev/fd")
		if err != nil {
			t.Fatal(err)
		}
		goroutines, files = runtime.NumGoroutine(), len(entries)
		if goroutines <= wantGoroutines && files <= wantFiles {
			break
		}
		runtime.GC()
		time.Sleep(100 * time.Millisecond)
	}
	return goroutines, files
}

func FuzzReadLine(f *testing.F) {
	f.Add([]byte("a\nb\r\n\nc"), 4)
	f.Fuzz(func(t *testing.T, in []byte, limit int) {
		if limit < 1 || limit > 1<<16 {
			return
		}
		next := child.LineReader(bytes.NewReader(in), limit)
		want := strings.Split(string(in), "\n")
		if want[len(want)-1] == "" {
			want = want[:len(want)-1]
		}
		for i, w := range want {
			w = strings.TrimSuffix(w, "\r")
			got, err := next()
			if len(w) > limit {
				if !errors.Is(err, child.ErrTooLong) {
					t.Fatalf("line %d of %d bytes over a limit of %d: %v", i, len(w), limit, err)
				}
				return
			}
			if err != nil || string(got) != w {
				t.Fatalf("line %d: %q, %v, want %q", i, got, err, w)
			}
		}
		if got, err := next(); !errors.Is(err, io.EOF) {
			t.Fatalf("after the end: %q, %v", got, err)
		}
	})
}
