// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package child

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Config says what to run.
type Config struct {
	Argv []string // program and arguments
	Dir  string   // working folder, "" for the gate's own
	Env  []string // the whole environment, as KEY=VALUE

	MaxLine int           // longest line that is read, in bytes; 0 means 16 MiB
	Grace   time.Duration // how long each step of stopping waits; 0 means 2 s
	Stall   time.Duration // how long the child may leave a line untaken; 0 means 5 min
	Guard   *Guard        // kills the child's group when the gate is killed; nil leaves that to the kernel
	// Stderr is told what the child writes to its standard error, a line at a
	// time, without what could confuse a terminal. It is not called concurrently.
	// May be nil.
	Stderr func(line string)
}

// Defaults of Config.
const (
	defaultMaxLine = 16 << 20
	defaultGrace   = 2 * time.Second
	defaultStall   = 5 * time.Minute
)

// lastBreath is how long the output of a child that exited is still read: a
// process that it left behind may hold the pipe open for ever.
const lastBreath = time.Second

var (
	// ErrNotSent says that not one byte of a line was written.
	ErrNotSent = errors.New("nothing was written")
	// ErrTooLong says that the child wrote a line longer than the limit.
	ErrTooLong = errors.New("read child: its line is longer than the limit")
)

// Child is one running program. It is safe for concurrent use, but for Read.
type Child struct {
	config Config
	pid    int
	stdin  *os.File
	stdout *os.File
	lines  *bufio.Reader
	queue  chan *line
	said   stderr
	ending sync.Once // begins the graceful end
	exited chan struct{}
	status *os.ProcessState // valid once exited is closed

	mu     sync.Mutex
	reaped bool // the process id is not ours any more
}

// line is one line on its way to the child.
type line struct {
	text []byte
	done chan error // has room for one
}

// Start runs the program. The error says why it could not be started.
func Start(c Config) (*Child, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, errors.New("start child: no program is given")
	}
	c.MaxLine = orDefault(c.MaxLine, defaultMaxLine)
	c.Grace = orDefault(c.Grace, defaultGrace)
	c.Stall = orDefault(c.Stall, defaultStall)
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...) //nolint:noctx // it lives until it is stopped, not as long as one call
	cmd.Dir, cmd.Env = c.Dir, append([]string{}, c.Env...)
	if err := separate(cmd); err != nil {
		return nil, fmt.Errorf("start child: %w", err)
	}
	p := &pipes{}
	if err := p.connect(cmd); err != nil {
		p.close()
		return nil, fmt.Errorf("start child: %w", err)
	}
	ch := &Child{
		config: c, stdin: p.in, stdout: p.out, lines: bufio.NewReaderSize(p.out, 64<<10),
		queue: make(chan *line), exited: make(chan struct{}),
	}
	started := make(chan error)
	go ch.live(cmd, started)
	err := <-started
	p.closeTheirs()
	if err != nil {
		p.close()
		return nil, fmt.Errorf("start child: %w", err)
	}
	ch.said.done = make(chan struct{})
	go ch.said.read(p.err, c.Stderr)
	go ch.write()
	return ch, nil
}

func orDefault[T int | time.Duration](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}

// live starts the process and sees it to its end, all on one thread: the kernel
// takes the death of the thread that started a child for the death of its
// parent, and kills it.
func (c *Child) live(cmd *exec.Cmd, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		started <- err
		return
	}
	c.pid = cmd.Process.Pid
	c.config.Guard.watch(c.pid)
	started <- nil
	if !awaitExit(c.pid) {
		_ = cmd.Wait()
	}
	c.mu.Lock()
	_ = killGroup(c.pid) // whoever it left behind
	_ = cmd.Wait()       // its state says the same as the error
	c.reaped = true
	c.status = cmd.ProcessState
	c.mu.Unlock()
	c.config.Guard.forget(c.pid)
	close(c.exited)
	c.stdin.Close()
	time.AfterFunc(lastBreath, func() { c.stdout.Close() })
	c.said.expire(lastBreath)
}

// Pid returns the process id.
func (c *Child) Pid() int { return c.pid }

// Exited is closed when the process is gone.
func (c *Child) Exited() <-chan struct{} { return c.exited }

// Status tells how the process ended, "" while it runs.
func (c *Child) Status() string {
	select {
	case <-c.exited:
		return c.status.String()
	default:
		return ""
	}
}

// LastWords returns the last lines that the child wrote to its standard error,
// oldest first. After the exit it waits a moment for what is still in the pipe.
func (c *Child) LastWords() []string {
	select {
	case <-c.exited:
		<-c.said.done
	default:
	}
	return c.said.last()
}

// Read returns the next line that the child writes, without its end, in bytes
// of its own. io.EOF says that there will be no more. After any error the child
// should be killed. Only one goroutine may read.
func (c *Child) Read() ([]byte, error) { return readLine(c.lines, c.config.MaxLine) }

// Send writes a line, which must not hold a line end, and returns when the child
// took it. The error wraps ErrNotSent where nothing was written; otherwise the
// child may have read the line. When ctx ends while a line is being written, the
// rest is still written: half a line would break everything after it.
func (c *Child) Send(ctx context.Context, text []byte) error {
	l := &line{text: slices.Concat(text, []byte{'\n'}), done: make(chan error, 1)}
	select {
	case c.queue <- l:
	case <-c.exited:
		return fmt.Errorf("write to child: it has exited: %w", ErrNotSent)
	case <-ctx.Done():
		return fmt.Errorf("write to child: it does not take its input: %w", ErrNotSent)
	}
	select {
	case err := <-l.done:
		return err
	case <-ctx.Done():
		return errors.New("write to child: the caller stopped waiting")
	}
}

// write writes the lines one after another.
func (c *Child) write() {
	for {
		select {
		case l := <-c.queue:
			l.done <- c.put(l.text)
		case <-c.exited:
			return
		}
	}
}

func (c *Child) put(text []byte) error {
	stalled := time.AfterFunc(c.config.Stall, c.Kill)
	defer stalled.Stop()
	n, err := c.stdin.Write(text)
	switch {
	case err == nil:
		return nil
	case n == 0:
		return fmt.Errorf("write to child: its input is closed: %w", ErrNotSent)
	}
	c.Kill() // it holds half a line
	return errors.New("write to child: it closed its input in the middle of a line")
}

// Kill ends the process and its group at once. It does not wait.
func (c *Child) Kill() { c.signal(killGroup) }

func (c *Child) signal(send func(pid int) error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.reaped {
		_ = send(c.pid) // it may be gone by itself
	}
}

// Stop ends the process: its input ends, then its group is asked to end, then
// killed, each after the grace time. It returns when the process is gone. Somebody
// must read what it writes meanwhile, or it may have to be killed.
func (c *Child) Stop() {
	c.ending.Do(func() { c.stdin.Close() })
	for _, next := range []func(pid int) error{askGroup, killGroup} {
		select {
		case <-c.exited:
			return
		case <-time.After(c.config.Grace):
			c.signal(next)
		}
	}
	<-c.exited
}
