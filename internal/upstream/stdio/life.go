// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/toolverdict/toolverdict/internal/child"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/plain"
)

var (
	errGarbage   = errors.New("it wrote what is no message of the protocol")
	errHangs     = errors.New("the server is lost: it gave no sign of life")
	errStreamEnd = io.EOF
)

// run takes what the process writes until it ends, and sees it off.
func (c *conn) run(proc *child.Child) {
	err := c.lines(proc)
	proc.Kill()
	c.leave()
	c.lost(proc, err)
	<-proc.Exited()
	c.backend.remove(c)
	close(c.stopped)
}

// maxBanner is how many lines of plain text a process may write before its first
// message: many servers greet.
const maxBanner = 20

func (c *conn) lines(proc *child.Child) error {
	greeting := 0
	for {
		line, err := proc.Read()
		if err != nil {
			return err
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		m, err := mcpwire.ParseServer(line)
		if err == nil {
			greeting = maxBanner
			c.take(m)
			continue
		}
		if greeting == maxBanner || bytes.IndexByte([]byte(`{["`), line[0]) >= 0 {
			return errGarbage
		}
		greeting++
		c.Log.Info("server writes text to its standard output, where only messages belong", "text", c.Text(plain.Line(string(cut(line)))))
	}
}

const maxQuoted = 500

func cut(line []byte) []byte { return line[:min(len(line), maxQuoted)] }

// lost ends everything that is open on a process that ended, or must.
func (c *conn) lost(proc *child.Child, err error) {
	if !c.withdraw(errors.New("the server is lost")) {
		return // as it should
	}
	select {
	case <-proc.Exited():
	case <-time.After(time.Second):
	}
	why := "it ended"
	if !errors.Is(err, io.EOF) {
		why = err.Error()
	}
	if status := proc.Status(); status != "" {
		why += " (" + status + ")"
	}
	if words := proc.LastWords(); len(words) > 0 {
		why += "; it said last: " + c.Text(strings.Join(words[max(0, len(words)-3):], " | "))
	}
	c.mu.Lock()
	heard := c.signs > 0
	c.mu.Unlock()
	if heard {
		c.Log.Warn("server process is lost", "why", why)
	} else {
		c.backend.failed(why)
	}
	if errors.Is(err, child.ErrTooLong) {
		c.endAll(fmt.Errorf("the server is lost: %w", mcpwire.ErrTooLarge))
		return
	}
	c.endAll(errors.New("the server is lost: " + why))
}

// hear notes a sign of life.
func (c *conn) hear() {
	c.mu.Lock()
	c.signs++
	first := c.signs == 1
	c.mu.Unlock()
	if first {
		c.backend.starts.lived()
		c.leave()
	}
}

// suspect finds out whether a process hangs, after it left a request without
// any sign of life. It is asked something that every server answers at once.
// Until it does, it gets no new requests of the stateless revisions; when it does
// not at all, it is ended.
func (c *conn) suspect() {
	c.mu.Lock()
	busy := c.dubious || c.gone != nil
	c.dubious = true
	proc := c.proc
	c.mu.Unlock()
	if busy {
		return
	}
	if !c.answers(c.Hang / 10) {
		c.backend.retire(c)
		if !c.answers(c.Hang) {
			c.Log.Warn("server process hangs and is ended")
			c.shut(errHangs)
			proc.Kill()
			return
		}
	}
	c.mu.Lock()
	c.dubious = false
	c.touch()
	c.mu.Unlock()
}

// answers reports whether the process gives a sign of life in time.
func (c *conn) answers(patience time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c.mu.Lock()
	before := c.signs
	c.mu.Unlock()
	method, params := "server/discover", discoverParams()
	if c.session != "" {
		method, params = "ping", "{}"
	}
	_, err := c.own(ctx, method, params)
	c.mu.Lock()
	defer c.mu.Unlock()
	return err == nil || c.signs != before
}

// Bounds of what is logged of a process's standard error.
const (
	maxSaid  = 200 // lines in one span
	saidSpan = 10 * time.Second
)

// voice logs what a process says on the side, as long as it is not too much.
type voice struct {
	log  *slog.Logger
	text func(string) string

	mu   sync.Mutex
	said int
}

func (v *voice) say(line string) {
	v.mu.Lock()
	v.said++
	said := v.said
	v.mu.Unlock()
	switch {
	case said == 1:
		time.AfterFunc(saidSpan, v.rest)
	case said > maxSaid:
		return
	}
	v.log.Info("server says", "text", v.text(line))
}

func (v *voice) rest() {
	v.mu.Lock()
	dropped := v.said - maxSaid
	v.said = 0
	v.mu.Unlock()
	if dropped > 0 {
		v.log.Warn("server said too much; not all of it is logged", "lines", dropped)
	}
}
