// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/toolverdict/toolverdict/internal/child"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// conn is one process, with everything that is open on it. It is used by one
// session, one principal, or, where the configuration says so, everybody.
type conn struct {
	*Config

	backend   *Backend
	principal string // whose it is, "" for everybody
	session   string // id of the legacy session it serves, "" for none
	proc      *child.Child
	leave     func() // says that it started, or never will
	links

	idle *time.Timer // ends a process that nobody uses
}

// links are what is open on a process. Answers find their way by them.
type links struct {
	mu     sync.Mutex
	gone   error // why nothing more can be sent; nil while it can
	heard  bool  // it wrote a message
	used   uint64
	lastID int64
	open   map[string]*exchange // requests of clients, by the key of our id
	asked  map[string]*queue    // requests of the server, by its own key, and where they went
	tokens map[string][]byte    // progress tokens that outlive their requests: ours, and the client's
	stream *queue               // the session's own stream, nil while nobody reads it
	held   []entry              // what waits for that stream
}

var errGarbage = errors.New("it wrote what is no message of the protocol")

// start starts the process of a reserved conn.
func (c *conn) start() error {
	proc, err := child.Start(child.Config{
		Argv: c.Command, Dir: c.Dir, Env: c.Env, MaxLine: c.MaxMessage, Grace: c.Grace, Stderr: c.complain,
	})
	if err != nil {
		c.failedStart(err.Error())
		return fmt.Errorf("start server: it cannot be run: see the log: %w", mcpwire.ErrNotSent)
	}
	c.proc = proc
	c.mu.Lock()
	c.idle = time.AfterFunc(c.Idle, c.reap)
	c.mu.Unlock()
	go c.read()
	return nil
}

// complain logs what the process says on the side.
func (c *conn) complain(text string) {
	c.Log.Info("server says", "text", c.Text(text))
}

func (c *conn) failedStart(why string) {
	failed, pause := c.backend.starts.lost()
	if failed == hopeless {
		c.Log.Error("server does not start, giving up: it is still tried now and then, for callers",
			"attempts", failed, "why", why, "command", c.Command[0])
		return
	}
	c.Log.Warn("server did not start", "attempts", failed, "pause", pause, "why", why, "command", c.Command[0])
}

// read takes what the process writes until it ends.
func (c *conn) read() {
	for {
		line, err := c.proc.Read()
		if err != nil {
			c.lost(err)
			return
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		m, err := mcpwire.ParseServer(line)
		if err != nil {
			c.proc.Kill()
			c.lost(errGarbage)
			return
		}
		c.take(m)
	}
}

// hear notes that the process speaks the protocol.
func (c *conn) hear() {
	c.mu.Lock()
	first := !c.heard
	c.heard = true
	c.mu.Unlock()
	if first {
		c.backend.starts.lived()
		c.leave()
	}
}

// lost ends everything that is open on a process which ended, or must.
func (c *conn) lost(err error) {
	c.proc.Kill()
	<-c.proc.Exited()
	c.leave()
	why := "it ended its output"
	if !errors.Is(err, io.EOF) {
		why = err.Error()
	}
	why += " (" + c.proc.Status() + ")"
	words := c.Text(strings.Join(c.proc.LastWords(), " | "))
	c.mu.Lock()
	expected, heard := c.gone != nil, c.heard
	c.mu.Unlock()
	if expected {
		return
	}
	if words != "" {
		why += "; it said last: " + words
	}
	if heard {
		c.Log.Warn("server ended", "pid", c.proc.Pid(), "why", why)
	} else {
		c.failedStart(why)
	}
	c.shut(fmt.Errorf("the server ended while it was asked: %s", why))
}

// end ends the process in good order. It does not wait for it.
func (c *conn) end(why error) {
	if !c.shut(why) {
		return
	}
	c.backend.ending.Add(1)
	go func() {
		defer c.backend.ending.Done()
		c.proc.Stop()
	}()
}

// shut ends everything that is open, and takes the conn out of use. It reports
// whether it was in use.
func (c *conn) shut(why error) bool {
	c.mu.Lock()
	if c.gone != nil {
		c.mu.Unlock()
		return false
	}
	c.gone = why
	open := c.open
	c.open, c.held = map[string]*exchange{}, nil
	for _, x := range open {
		x.queue.end(why)
	}
	if c.stream != nil {
		c.stream.end(io.EOF)
	}
	if c.idle != nil {
		c.idle.Stop()
	}
	c.mu.Unlock()
	c.backend.forget(c)
	return true
}

// reap ends a process that nobody used for a while.
func (c *conn) reap() {
	c.mu.Lock()
	unused := c.unused()
	c.mu.Unlock()
	if unused {
		c.Log.Debug("ending a process that nobody uses", "pid", c.proc.Pid())
		c.end(errEnded)
	}
}

// unused reports whether nothing is open. The caller holds mu.
func (c *conn) unused() bool { return c.gone == nil && len(c.open) == 0 && c.stream == nil }

// touch notes use, and lets the idle time begin where nothing is open. The
// caller holds mu.
func (c *conn) touch() {
	c.used = c.backend.clock.Add(1)
	switch {
	case c.idle == nil || c.gone != nil:
	case c.unused():
		c.idle.Reset(c.Idle)
	default:
		c.idle.Stop()
	}
}

// ask sends a client's request under an id of our own.
func (c *conn) ask(ctx context.Context, principal string, m *mcpwire.Message) (*exchange, error) {
	x, line, err := c.admit(principal, m)
	if err != nil {
		return nil, err
	}
	err = c.send(ctx, line)
	switch {
	case err == nil:
		return x, nil
	case errors.Is(err, mcpwire.ErrNotSent):
		x.forget()
	default:
		x.abandon()
	}
	return nil, err
}

// admit opens an exchange and makes its line.
func (c *conn) admit(principal string, m *mcpwire.Message) (*exchange, []byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone != nil {
		return nil, nil, fmt.Errorf("ask server: %v: %w", c.gone, mcpwire.ErrNotSent)
	}
	c.lastID++
	x := &exchange{conn: c, id: strconv.FormatInt(c.lastID, 10), principal: principal, request: m, queue: newQueue()}
	line, err := x.outbound()
	if err != nil {
		return nil, nil, fmt.Errorf("ask server: %v: %w", err, mcpwire.ErrNotSent)
	}
	c.open[x.id] = x
	c.touch()
	c.hand(x)
	return x, line, nil
}

// send writes a line, and tells in the words of the interface what did not work.
func (c *conn) send(ctx context.Context, line []byte) error {
	err := c.proc.Send(ctx, line)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, child.ErrNotSent):
		return fmt.Errorf("ask server: it takes no input: %w", mcpwire.ErrNotSent)
	}
	return fmt.Errorf("ask server: %w", err)
}

// tell sends what needs no answer from the gate itself, as far as the process
// takes it.
func (c *conn) tell(message []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), tellTime)
	defer cancel()
	if err := c.send(ctx, mcpwire.OneLine(message)); err != nil {
		c.Log.Debug("server was not told", "pid", c.proc.Pid(), "error", err)
	}
}

const tellTime = 10 * time.Second
