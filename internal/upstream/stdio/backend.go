// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolverdict/toolverdict/internal/child"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// Config says what to run.
type Config struct {
	Name    string   // of the upstream, for the log
	Command []string // program and arguments; no shell reads them
	Dir     string   // working folder, "" for the gate's own
	Env     []string // the whole environment, as KEY=VALUE
	Shared  bool     // one process for all principals of the stateless revisions

	Log  *slog.Logger             // nil means nowhere
	Text func(text string) string // hides held secrets in what the process says; nil hides none

	MaxProcesses    int           // running at once; 0 means 64
	MaxPerPrincipal int           // of one principal; 0 means 16
	MaxMessage      int           // longest message from the process, in bytes; 0 means mcpwire.MaxMessage
	Idle            time.Duration // unused processes are ended after this; 0 means 30 min
	Patience        time.Duration // how long a caller waits for room, or for the pause after a failed start; 0 means 2 s
	Grace           time.Duration // how long each step of ending a process waits; 0 means 2 s
	Hang            time.Duration // a process that left a request unanswered may take this long for a sign of life; 0 means 30 s
	Probe           time.Duration // how long a new process may take to say what it speaks; 0 means 20 s
}

// Defaults of Config.
const (
	defaultProcesses    = 64
	defaultPerPrincipal = 16
	defaultIdle         = 30 * time.Minute
	defaultPatience     = 2 * time.Second
	defaultGrace        = 2 * time.Second
	defaultHang         = 30 * time.Second
	defaultProbe        = 20 * time.Second
)

// Backend is an upstream that is a program. It starts processes when they are
// needed. It implements [mcpwire.Backend].
type Backend struct {
	Config

	starts *starts
	guard  struct {
		once  sync.Once
		value *child.Guard
	}
	era   era
	clock atomic.Uint64 // counts uses, to know the oldest

	mu     sync.Mutex
	closed bool
	conns  []*conn            // every process that is not gone yet
	rate   map[string]int     // starts in the last span, by principal
	shared map[string]*modern // processes of the stateless revisions, by principal
	byID   map[string]*conn   // sessions of the older ones
}

var _ mcpwire.Backend = (*Backend)(nil)

// New checks the configuration; it starts nothing.
func New(c Config) (*Backend, error) {
	if len(c.Command) == 0 || c.Command[0] == "" {
		return nil, errors.New("configure upstream command: it is empty: give a program and its arguments")
	}
	for _, word := range slices.Concat(c.Command, c.Env) {
		if strings.ContainsRune(word, 0) {
			return nil, errors.New("configure upstream command: a word or a variable holds a zero byte")
		}
	}
	for _, v := range c.Env {
		if at := strings.IndexByte(v, '='); at <= 0 {
			return nil, errors.New("configure upstream command: a variable is not written as KEY=VALUE")
		}
	}
	c.Command, c.Env = slices.Clone(c.Command), slices.Clone(c.Env)
	c.fill()
	return &Backend{
		Config: c, starts: newStarts(c.Patience), rate: map[string]int{}, shared: map[string]*modern{}, byID: map[string]*conn{},
	}, nil
}

func (c *Config) fill() {
	c.MaxProcesses = orDefault(c.MaxProcesses, defaultProcesses)
	c.MaxPerPrincipal = orDefault(c.MaxPerPrincipal, defaultPerPrincipal)
	c.MaxMessage = orDefault(c.MaxMessage, mcpwire.MaxMessage)
	c.Idle = orDefault(c.Idle, defaultIdle)
	c.Patience = orDefault(c.Patience, defaultPatience)
	c.Grace = orDefault(c.Grace, defaultGrace)
	c.Hang = orDefault(c.Hang, defaultHang)
	c.Probe = orDefault(c.Probe, defaultProbe)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Log = c.Log.With("upstream", c.Name)
	if c.Text == nil {
		c.Text = func(text string) string { return text }
	}
}

func orDefault[T int | time.Duration](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}

// Exchange implements [mcpwire.Backend].
func (b *Backend) Exchange(ctx context.Context, m mcpwire.Outbound) (*mcpwire.Reply, error) {
	switch {
	case m.Message.Kind() == mcpwire.Request && m.Message.Modern():
		return b.askModern(ctx, m)
	case m.Session != "":
		return b.inSession(ctx, m)
	case m.Message.Kind() == mcpwire.Request && m.Message.Method() == "initialize":
		return b.initialize(ctx, m)
	case m.Message.Kind() == mcpwire.Request:
		return answered(http.StatusBadRequest, mcpwire.ErrorResponse(m.Message.ID(), mcpwire.CodeInvalidRequest,
			"there is no session: send initialize first", nil)), nil
	}
	return b.tellModern(ctx, m)
}

// Listen implements [mcpwire.Backend].
func (b *Backend) Listen(ctx context.Context, c mcpwire.Caller, lastEventID string) (*mcpwire.Reply, error) {
	if c.Session == "" {
		return nil, mcpwire.ErrNoStream
	}
	if lastEventID != "" {
		return empty(http.StatusBadRequest), nil // no event of ours ever had an id
	}
	conn, err := b.session(c)
	if err != nil {
		return nil, err
	}
	return conn.listen(ctx)
}

// End implements [mcpwire.Backend].
func (b *Backend) End(_ context.Context, c mcpwire.Caller) (*mcpwire.Reply, error) {
	if c.Session == "" {
		return empty(http.StatusBadRequest), nil
	}
	conn, err := b.session(c)
	if err != nil {
		return nil, err
	}
	conn.end(errEnded)
	return empty(http.StatusNoContent), nil
}

// answered is a reply that is one message.
func answered(status int, message []byte) *mcpwire.Reply {
	return &mcpwire.Reply{
		Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: &one{message: message},
	}
}

// empty is a reply without messages.
func empty(status int) *mcpwire.Reply {
	return &mcpwire.Reply{Status: status, Header: http.Header{}, Body: &one{}}
}

func unknownSession() error {
	return fmt.Errorf("find session: %w", mcpwire.ErrNoSession)
}
