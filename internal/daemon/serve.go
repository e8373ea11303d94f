// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/hookgate/desk"
	"github.com/toolverdict/toolverdict/httpgate"
	"github.com/toolverdict/toolverdict/httpgate/runs"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon/pages"
	"github.com/toolverdict/toolverdict/internal/daemon/records"
	"github.com/toolverdict/toolverdict/internal/grants"
	"github.com/toolverdict/toolverdict/internal/notify"
	"github.com/toolverdict/toolverdict/internal/secret"
	"github.com/toolverdict/toolverdict/internal/webguard"
	"github.com/toolverdict/toolverdict/mcpgate"
)

// Bounds of the HTTP server.
const (
	headerTimeout = 10 * time.Second
	bodyTimeout   = 30 * time.Second // from the header to the end of the body
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
	drainFor      = 5 * time.Second // what calls under way get to finish at the end
	cutFor        = 3 * time.Second // what they get to notice that they were cut off
)

func (d *Daemon) newRuns(context.Context) (err error) {
	d.runs, err = runs.New(runs.Config{
		Shelf: d.store, Environment: d.Config.Env, Claims: d.claims, Limits: limits(d.Config.Limits), Now: d.Now, NewID: secret.NewID, Log: d.Log,
	})
	return err
}

// claims are the facts that a subject may state of its runs.
func (d *Daemon) claims(s tv.Subject) []string {
	i := slices.IndexFunc(d.Config.Subjects, func(c config.Subject) bool { return c.ID == s.ID })
	if i < 0 {
		return nil
	}
	return d.Config.Subjects[i].Claims
}

func (d *Daemon) newHTTP(context.Context) (err error) {
	var page http.Handler
	if d.Config.Metrics != config.MetricsNone {
		page = d.meter.Page()
	}
	asked, err := d.hooks.Handler(d.Config, desk.Config{Gate: d.gate, Book: d.book, Run: d.run, Now: d.Now, Log: d.Log}, d.people.Authenticate)
	if err != nil {
		return err
	}
	d.api, err = httpgate.New(httpgate.Config{
		Hooks:    asked,
		Channels: d.channels,
		Metrics:  page, MetricsOpen: d.Config.Metrics == config.MetricsOpen, Stats: d.fatigue,
		Gate: d.gate, Reader: d.desk, Voter: d.desk, Book: d.clerk(), Choices: d.switches(), Records: records.Log{Store: d.store}, Policies: policyFront{d.policies}, Grants: grants.Front{Service: d.grants},
		All:          func() []*tv.Tool { return d.now.p.Load().catalog.Tools() },
		Held:         d.now.Quarantined,
		Subjects:     d.people.Of,
		Authenticate: d.people.Authenticate, Run: d.run, Ready: d.Ready, Now: d.Now, NewID: secret.NewID, Log: d.Log,
		Hosts: d.hosts(), Environment: d.Config.Env, Limits: limits(d.Config.Limits),
		Timeout: d.Config.Timeout, Redactor: d.redactor, Runs: d.runs, Routes: d.runs.Routes(), Envoy: d.envoyed(), Subject: d.people.Subject, BaseURL: d.Config.Approvals.BaseURL,
	})
	return err
}

// envoyed are the servers that an Envoy asks about.
func (d *Daemon) envoyed() []httpgate.EnvoyRoute {
	out := make([]httpgate.EnvoyRoute, len(d.Config.Envoy))
	for i, e := range d.Config.Envoy {
		out[i] = httpgate.EnvoyRoute{Host: e.Host, Path: e.Path, Server: e.Server, ReadOnly: d.Config.Upstreams[e.Server].ReadOnly, Subject: e.SubjectHeader}
	}
	return out
}

// Handler is every front over HTTP: MCP under /mcp, the rest beside it. A
// caller that comes right after the start waits for the first tools.
func (d *Daemon) Handler() http.Handler {
	mux := http.NewServeMux()
	if d.mcp != nil {
		mux.Handle("/mcp", d.mcp)
		mux.Handle("/mcp/", d.mcp)
	}
	mux.Handle("/console", d.console)
	mux.Handle("/console/", d.console)
	mux.HandleFunc("GET /approvals/{id}", pages.ToCard)
	mux.Handle("/", d.api)
	mux.Handle(notify.CallbackPath, d.channels.Callbacks())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !needsNoTools(r.URL.Path) {
			d.Settle(r.Context())
		}
		if r.ContentLength != 0 {
			conn := http.NewResponseController(w)
			if conn.SetReadDeadline(d.Now().Add(bodyTimeout)) == nil {
				r.Body = &timedBody{ReadCloser: r.Body, conn: conn}
			}
		}
		if !webguard.Plain(r) {
			d.api.ServeHTTP(w, r) // which refuses it: mux would lead elsewhere
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// needsNoTools reports whether a path is answered before the first tools are
// known: probes, and platforms of chats, which do not wait for long.
func needsNoTools(path string) bool {
	return path == "/livez" || path == "/readyz" || path == "/metrics" || strings.HasPrefix(path, notify.CallbackPath)
}

// timedBody lifts the deadline of a request's body once it is read: the answer
// may be a stream that takes hours.
type timedBody struct {
	io.ReadCloser

	conn *http.ResponseController
}

// Read implements [io.Reader].
func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		_ = b.conn.SetReadDeadline(time.Time{}) // fails only on a connection that is gone
	}
	return n, err
}

// Serve serves HTTP until ctx ends; calls under way then get a moment to
// finish, so that what came of them is known to those who asked.
func (d *Daemon) Serve(ctx context.Context, l net.Listener) error {
	streams, cut := context.WithCancel(context.Background())
	defer cut()
	calls, stop := context.WithCancel(context.Background())
	defer stop()
	handler := d.Handler()
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet { // streams have no end of their own
				within, done := context.WithCancel(r.Context())
				defer done()
				defer context.AfterFunc(streams, done)()
				r = r.WithContext(within)
			}
			handler.ServeHTTP(w, r)
		}),
		BaseContext:       func(net.Listener) context.Context { return calls },
		ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(d.Log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve HTTP: %w", err)
	case <-ctx.Done():
	}
	cut()
	if err := within(drainFor, server.Shutdown); err == nil {
		return nil
	}
	d.Log.Warn("calls under way were cut off: what comes of them may read as unknown")
	stop()
	if err := within(cutFor, server.Shutdown); err != nil {
		return errors.Join(fmt.Errorf("stop HTTP: %w", err), server.Close())
	}
	return nil
}

func within(patience time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return do(ctx)
}

// ServeStdio serves one MCP client over standard input and output, as the
// subject that the configuration names.
func (d *Daemon) ServeStdio(ctx context.Context, in io.Reader, out io.Writer, upstream string, readOnly bool) error {
	subject, ok := d.people.Subject(d.Config.Stdio.Subject)
	switch {
	case !ok:
		return d.Config.Problem("stdio.subject: there is no subject %q", d.Config.Stdio.Subject)
	case d.mcp == nil:
		return d.Config.Problem("there is no upstream to serve")
	}
	d.Settle(ctx)
	return d.mcp.ServeStdio(ctx, in, out, mcpgate.Stdio{Server: upstream, Subject: subject, ReadOnly: readOnly})
}

// Ready says why the gate could not decide and record a call now, or nil.
func (d *Daemon) Ready(ctx context.Context) error {
	now := d.now.p.Load()
	if now == nil {
		return errors.New("no policy is in force")
	}
	if end := now.Expires; !end.IsZero() && !d.Now().Before(end) {
		return fmt.Errorf("the policy in force ended at %s: a newer bundle is needed", end.Format(time.RFC3339))
	}
	if err := d.store.Healthy(ctx); err != nil {
		return fmt.Errorf("state and audit log cannot be written: %w", err)
	}
	return nil
}

// hosts are the names, besides loopback ones, that clients reach the gate by.
func (d *Daemon) hosts() []string {
	host, _, err := net.SplitHostPort(d.Config.Listen)
	ip := net.ParseIP(host)
	if err != nil || host == "" || config.Loopback(host) || ip != nil && ip.IsUnspecified() {
		return d.Config.Hosts
	}
	return append([]string{host}, d.Config.Hosts...)
}
