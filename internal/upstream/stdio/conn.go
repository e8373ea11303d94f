// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"context"
	"errors"
	"fmt"
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
	leave     func() // says that it started, or never will
	stopped   chan struct{}
	links
}

// links are what is open on a process. Answers find their way by them.
type links struct {
	mu      sync.Mutex
	proc    *child.Child // nil until it is started
	gone    error        // why nothing more can be sent; nil while it can
	open    map[string]*exchange
	lastID  int64             // of the exchanges, which are kept by the key of their id
	asked   map[string]*queue // requests of the server, by its own key, and where they went
	tokens  map[string][]byte // progress tokens that outlive their requests: ours, and the client's
	stream  *queue            // the session's own stream, nil while nobody reads it
	held    held              // what waits for that stream
	signs   uint64            // messages that the process wrote
	use     use
	dubious bool // it is being found out whether it hangs
}

// use is how much a process is in use.
type use struct {
	owed    bool        // somebody stopped waiting for an answer that may still come
	last    uint64      // when it was last used, by the backend's count of uses
	idle    *time.Timer // ends a process that nobody uses
	retired bool        // it gets no new requests
}

// start starts the process of a reserved conn.
func (c *conn) start() error {
	if c.isGone() {
		return fmt.Errorf("start server: %w: %w", errClosed, mcpwire.ErrNotSent)
	}
	proc, err := child.Start(child.Config{
		Argv: c.Command, Dir: c.Dir, Env: c.Env, MaxLine: c.MaxMessage, Grace: c.Grace,
		Guard:  c.backend.guarded(),
		Stderr: (&voice{log: c.Log, text: c.Text}).say,
	})
	if err != nil {
		why := c.Text(strings.TrimPrefix(err.Error(), "start child: "))
		c.backend.failed(why)
		return fmt.Errorf("start server: its program cannot be run: %s: %w", why, mcpwire.ErrNotSent)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.proc = proc
	c.Log.Info("server process started", "pid", proc.Pid(), "session", c.session != "")
	c.use.idle = time.AfterFunc(c.Idle, c.reap)
	time.AfterFunc(startTime, c.leave)
	go c.run(proc)
	if c.gone != nil {
		go proc.Stop()
		return fmt.Errorf("start server: %w: %w", c.gone, mcpwire.ErrNotSent)
	}
	return nil
}

// end ends the process in good order. It does not wait for it.
func (c *conn) end(why error) {
	if proc := c.shut(why); proc != nil {
		go proc.Stop()
	}
}

// shut takes the conn out of use and ends everything that is open. It returns
// the process if this call did that.
func (c *conn) shut(why error) *child.Child {
	if !c.withdraw(why) {
		return nil
	}
	return c.endAll(why)
}

// withdraw takes the conn out of use for what is new. It reports whether it was
// in use.
func (c *conn) withdraw(why error) bool {
	c.mu.Lock()
	inUse := c.gone == nil
	if inUse {
		c.gone = why
	}
	c.mu.Unlock()
	if inUse {
		c.backend.retire(c)
	}
	return inUse
}

// endAll ends everything that is open. It returns the process.
func (c *conn) endAll(why error) *child.Child {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range c.open {
		x.queue.end(why)
	}
	if c.stream != nil {
		c.stream.end(errStreamEnd)
	}
	if c.use.idle != nil {
		c.use.idle.Stop()
	}
	c.open, c.held, c.stream = map[string]*exchange{}, held{}, nil
	return c.proc
}

// reap ends a process that nobody used for a while.
func (c *conn) reap() {
	c.mu.Lock()
	unused := c.unused()
	c.mu.Unlock()
	if unused {
		c.Log.Debug("ending a server process that nobody uses")
		c.end(errEnded)
	}
}

// unused reports whether nothing is open. The caller holds mu.
func (c *conn) unused() bool { return c.gone == nil && len(c.open) == 0 && c.stream == nil }

// touch notes use, and lets the idle time begin where nothing is open. The
// caller holds mu.
func (c *conn) touch() {
	c.use.last = c.backend.clock.Add(1)
	switch {
	case c.use.idle == nil || c.gone != nil:
	case !c.unused():
		c.use.idle.Stop()
	case c.use.retired:
		c.use.idle.Reset(0)
	default:
		c.use.idle.Reset(c.Idle)
	}
}

func (c *conn) isGone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gone != nil
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
		err = x.obituary(ctx, err)
		x.close()
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
		return nil, nil, fmt.Errorf("ask server: %w: %w", c.gone, mcpwire.ErrNotSent)
	}
	c.lastID++
	x := &exchange{
		conn: c, number: c.lastID, id: strconv.FormatInt(c.lastID, 10), principal: principal, request: m, queue: newQueue(), signs: c.signs,
	}
	line, err := x.outbound()
	if err != nil {
		return nil, nil, fmt.Errorf("ask server: %w: %w", err, mcpwire.ErrNotSent)
	}
	c.open[x.id] = x
	c.touch()
	c.handHeld(x)
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
		c.Log.Debug("server was not told", "error", err)
	}
}

const tellTime = 10 * time.Second
