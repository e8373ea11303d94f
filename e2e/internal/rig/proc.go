// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package rig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// stopGrace is how long a program may take to end by itself after SIGTERM.
	stopGrace = 10 * time.Second
	// readyWait is how long a program may take to listen; Node servers on a busy machine need some.
	readyWait = 30 * time.Second
	// keptOutput is how much of a program's last output a failure shows.
	keptOutput = 16 << 10
)

// Spec says how to start a program.
type Spec struct {
	Argv []string
	Dir  string   // working folder; empty: the caller's
	Env  []string // KEY=VALUE; nil: the caller's environment
	// User runs the program as another user, for programs that refuse to run as root.
	User *syscall.Credential
}

// Proc is a running program in a process group of its own. Its methods are safe for concurrent use.
type Proc struct {
	name string
	cmd  *exec.Cmd
	out  *tail
	done chan struct{}
	err  error // valid after done is closed
	stop sync.Once
}

// Start starts a program; standard output and error are kept for [Proc.Output].
func Start(s Spec) (*Proc, error) {
	if len(s.Argv) == 0 {
		return nil, errors.New("start program: no command given")
	}
	cmd := exec.Command(s.Argv[0], s.Argv[1:]...)
	cmd.Dir, cmd.Env = s.Dir, s.Env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: s.User}
	p := &Proc{name: s.Argv[0], cmd: cmd, out: &tail{grew: make(chan struct{})}, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.out, p.out
	// A grandchild that keeps the pipe open must not keep Wait waiting.
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %v", p.name, err)
	}
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// PID is the process id, which is also the id of its group.
func (p *Proc) PID() int { return p.cmd.Process.Pid }

// Output is the end of what the program printed.
func (p *Proc) Output() string { return p.out.String() }

// Exited is closed when the program has ended.
func (p *Proc) Exited() <-chan struct{} { return p.done }

// Stop ends the program and its group: politely first, so that it can stop what it started in other
// groups, then by force. It returns when the program is gone, and may be called again.
func (p *Proc) Stop() {
	p.stop.Do(func() {
		_ = syscall.Kill(-p.PID(), syscall.SIGTERM)
		timer := time.NewTimer(stopGrace)
		defer timer.Stop()
		select {
		case <-p.done:
		case <-timer.C:
		}
		_ = syscall.Kill(-p.PID(), syscall.SIGKILL)
		<-p.done
	})
}

// Kill ends the program and its group at once, as a crash would.
func (p *Proc) Kill() {
	p.stop.Do(func() {
		_ = syscall.Kill(-p.PID(), syscall.SIGKILL)
		<-p.done
	})
}

// WaitListening returns when something accepts connections at addr, and an error with the
// program's output when it ends first or takes too long.
func (p *Proc) WaitListening(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, readyWait)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	var dialer net.Dialer
	for {
		if conn, err := dialer.DialContext(ctx, "tcp", addr); err == nil {
			return conn.Close()
		}
		select {
		case <-tick.C:
		case <-p.done:
			return fmt.Errorf("wait for %s: it ended (%v); it printed:\n%s", p.name, p.err, p.Output())
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: nothing listens at %s; it printed:\n%s", p.name, addr, p.Output())
		}
	}
}

// WaitLine returns the rest of the first printed line that contains mark, and an error with the
// program's output when it ends first or takes too long.
func (p *Proc) WaitLine(ctx context.Context, mark string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, readyWait)
	defer cancel()
	for {
		text, grew := p.out.snapshot()
		for line := range strings.Lines(text) {
			if _, rest, ok := strings.Cut(line, mark); ok && strings.HasSuffix(line, "\n") {
				return strings.TrimSpace(rest), nil
			}
		}
		select {
		case <-grew:
		case <-p.done:
			return "", fmt.Errorf("wait for %s: it ended (%v) without printing %q; it printed:\n%s", p.name, p.err, mark, p.Output())
		case <-ctx.Done():
			return "", fmt.Errorf("wait for %s: it did not print %q; it printed:\n%s", p.name, mark, p.Output())
		}
	}
}

// FreePort is a TCP port on 127.0.0.1 that was free a moment ago, for programs that cannot be told
// to choose one and say which.
func FreePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %v", err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}

// tail keeps the end of what was written to it.
type tail struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	grew chan struct{} // closed and replaced at every write
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf.Write(b)
	if extra := t.buf.Len() - keptOutput; extra > 0 {
		t.buf.Next(extra)
	}
	close(t.grew)
	t.grew = make(chan struct{})
	return len(b), nil
}

func (t *tail) String() string {
	text, _ := t.snapshot()
	return text
}

func (t *tail) snapshot() (string, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.String(), t.grew
}
