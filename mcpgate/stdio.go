// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/mcpgate/internal/engine"
)

// Stdio says who a stdio client is: whoever can start the process. All of it
// comes from the host.
type Stdio struct {
	Server   string              // the upstream it speaks to; "" where there is only one
	Subject  toolverdict.Subject // must be authenticated
	ReadOnly bool                // the run is read-only
}

// Bounds of a stdio connection.
const (
	maxOpen = 128             // requests of one client that are open at once
	grace   = 5 * time.Second // what open calls get to finish when the client leaves
)

// ServeStdio serves one client, one message a line, until it closes in or ctx
// ends; open calls then get a moment to finish, so that what came of them is
// recorded. The error says that the connection could not be served or broke.
func (f *Front) ServeStdio(ctx context.Context, in io.Reader, out io.Writer, who Stdio) error {
	up := f.only
	if who.Server != "" {
		up = f.servers[who.Server]
	}
	switch {
	case up == nil:
		return fmt.Errorf("serve stdio client: there is no upstream %q: name one of the configuration", who.Server)
	case !who.Subject.Authenticated():
		return errors.New("serve stdio client: no subject: name one in the configuration")
	}
	s := &stdioConn{Front: f, up: up, who: who, label: rand.Text(), out: out, room: make(chan struct{}, maxOpen), agreed: agreed{lost: make(chan struct{})}}
	return s.serve(ctx, in)
}

// stdioConn is one stdio client.
type stdioConn struct {
	*Front

	up    *upstream
	who   Stdio
	label string
	room  chan struct{}
	tasks sync.WaitGroup

	writing sync.Mutex
	out     io.Writer

	mu sync.Mutex
	agreed
}

// agreed is what initialize settled.
type agreed struct {
	session string        // of the upstream
	version string        // of the protocol
	lost    chan struct{} // closed when that session is gone
	losing  sync.Once
}

// errLost ends a connection whose session is gone. A stdio client initializes
// once: only starting the process again gives it another one.
var errLost = errors.New("serve stdio client: the server's session is gone: start this command again")

func (s *stdioConn) serve(ctx context.Context, in io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	listening, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- s.read(ctx, listening, in) }()
	var err error
	select {
	case err = <-ended:
	case <-s.lost:
		err = errLost
	}
	stop()
	finished := make(chan struct{})
	go func() {
		s.tasks.Wait()
		close(finished)
	}()
	select {
	case <-finished:
	case <-time.After(grace):
	case <-ctx.Done():
	}
	s.leave(ctx)
	cancel()
	<-finished
	return err
}

// leave ends the upstream's session.
func (s *stdioConn) leave(ctx context.Context) {
	c := s.caller(nil)
	if c.Session == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	s.up.engine.End(ctx, c, &stdioOutlet{conn: s, mute: true})
}

func (s *stdioConn) read(ctx, listening context.Context, in io.Reader) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	for ctx.Err() == nil {
		line, err := readLine(lines, s.config.MaxMessage)
		switch {
		case errors.Is(err, errLong):
			f := mcpwire.Fault{Code: mcpwire.CodeTooLarge, Message: "the message is larger than the limit: send less, or refer to the data by name"}
			_ = s.write(f.Answer()) // a client that is gone is noticed by reading
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read stdio client: %w", err)
		case len(bytes.TrimSpace(line)) > 0:
			s.take(ctx, listening, line)
		}
	}
	return nil
}

var errLong = errors.New("line too long")

// readLine reads one line into bytes of its own. One that is too long is read
// to its end and dropped, so that the next line is a message again.
func readLine(in *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > limit+1; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (!errors.Is(err, io.EOF) || len(line) == 0):
			return nil, err
		case long:
			return nil, errLong
		}
		return bytes.TrimRight(line, "\r\n"), nil
	}
}

// take handles one message. Requests run side by side. Notifications and answers
// keep their order, and nothing overtakes initialize, so that a client may send
// the next messages without waiting for its answer.
func (s *stdioConn) take(ctx, listening context.Context, line []byte) {
	m, err := mcpwire.ParseClient(line, s.limits())
	if err != nil {
		s.malformed(ctx, line, err)
		return
	}
	out := &stdioOutlet{conn: s, request: m}
	if m.Kind() != mcpwire.Request || m.Method() == "initialize" {
		s.up.engine.Handle(ctx, s.caller(m), m, out)
		if m.Method() == "notifications/initialized" {
			s.tasks.Go(func() { s.listen(listening) })
		}
		return
	}
	s.room <- struct{}{}
	s.tasks.Go(func() {
		defer func() { <-s.room }()
		s.up.engine.Handle(ctx, s.caller(m), m, out)
	})
}

func (s *stdioConn) malformed(ctx context.Context, line []byte, err error) {
	var f *mcpwire.Fault
	if !errors.As(err, &f) {
		f = &mcpwire.Fault{Code: mcpwire.CodeInvalidRequest, Message: "the message was not understood"}
	}
	s.up.engine.Malformed(ctx, s.caller(nil), line, f, &stdioOutlet{conn: s})
}

func (s *stdioConn) caller(m *mcpwire.Message) engine.Caller {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := engine.Caller{
		Subject: s.who.Subject, Run: s.run(s.up, s.who.Subject, s.who.ReadOnly), Door: toolverdict.DoorMCPStdio,
		Conn: s.label, Header: http.Header{},
	}
	if m != nil && m.Kind() == mcpwire.Request && m.Modern() {
		c.Header = s.up.engine.MirrorHeaders(m)
		return c
	}
	c.Session = s.session
	if s.version != "" {
		c.Header.Set(mcpwire.HeaderVersion, s.version)
	}
	return c
}

// sessionOf reports whether a request was made in the upstream's session.
func (s *stdioConn) sessionOf(m *mcpwire.Message) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.session != "" && !m.Modern() && m.Method() != "initialize"
}

// settle keeps what initialize settled, before the client hears of it.
func (s *stdioConn) settle(h http.Header, body []byte) {
	m, err := mcpwire.ParseServer(body)
	if err != nil || !m.Result().Exists() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session = h.Get(mcpwire.HeaderSession)
	s.version = m.Result().Get("protocolVersion").Text()
}

// listen keeps the stream of server messages open, where the upstream's
// transport has one apart.
func (s *stdioConn) listen(ctx context.Context) {
	last := ""
	for wait := time.Second; ctx.Err() == nil; wait = min(2*wait, time.Minute) {
		out := &stdioOutlet{conn: s, mute: true, lastID: last}
		c := s.caller(nil)
		s.up.engine.Listen(ctx, c, last, out)
		if !out.opened {
			return // there is none
		}
		last = out.lastID
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

func (s *stdioConn) write(message []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	line := append(make([]byte, 0, len(message)+1), message...)
	_, err := s.out.Write(append(mcpwire.OneLine(line), '\n'))
	return err
}

// stdioOutlet writes the answer to one message of a stdio client.
type stdioOutlet struct {
	conn    *stdioConn
	request *mcpwire.Message // nil where there is none
	mute    bool             // nobody waits for an answer, only for events
	opened  bool
	header  http.Header
	lastID  string
}

// Open implements engine.Outlet.
func (o *stdioOutlet) Open(_ int, h http.Header) { o.opened, o.header = true, h }

// Send implements engine.Outlet.
func (o *stdioOutlet) Send(e mcpwire.Event) error {
	if e.HasID {
		o.lastID = e.ID
	}
	if len(e.Data) == 0 {
		return nil
	}
	if o.request != nil && o.request.Method() == "initialize" {
		o.conn.settle(o.header, e.Data)
	}
	return o.conn.write(e.Data)
}

// Answer implements engine.Outlet. What an HTTP upstream refused in words
// becomes an error of the protocol.
func (o *stdioOutlet) Answer(status int, h http.Header, body []byte) error {
	if o.mute || o.request != nil && o.request.Kind() != mcpwire.Request {
		return nil
	}
	if o.request != nil {
		if m, err := mcpwire.ParseServer(body); err != nil || m.Kind() != mcpwire.Response {
			body = mcpwire.ErrorResponse(o.request.ID(), mcpwire.CodeUpstream, fmt.Sprintf("The upstream refused the request with status %d.", status), nil)
		}
		if o.request.Method() == "initialize" {
			o.conn.settle(h, body)
		}
	}
	err := o.conn.write(body)
	if o.request != nil && status == http.StatusNotFound && o.conn.sessionOf(o.request) {
		o.conn.losing.Do(func() { close(o.conn.lost) })
	}
	return err
}
