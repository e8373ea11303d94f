// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolverdict/toolverdict/cmd/toolverdict/internal/cli"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon"
)

func (a *app) serveCommand() *cobra.Command {
	var listen, logs string
	var observe bool
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the gate: MCP and HTTP on one address",
		Long: `Run the gate: MCP under /mcp/NAME for each upstream, the HTTP API under /v1.

It runs until SIGTERM or SIGINT; calls under way get a moment to finish. Policy
and catalog files are read anew when they change, unless the configuration says
watch: none, and at SIGHUP, which fetches a configured bundle, too. Where they
are wrong, what was in force stays and the log says so.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			conf, err := a.Configuration(false)
			if err != nil {
				return err
			}
			if listen != "" {
				if err := conf.SetListen(listen); err != nil {
					return cli.Usage("--listen: %v", err)
				}
			}
			log, err := a.logger(logs)
			if err != nil {
				return err
			}
			return a.serve(c.Context(), conf, log, observe)
		},
	}
	c.Flags().StringVar(&listen, "listen", "", "`address` to listen on; wins over the configuration's")
	logFlag(c, &logs)
	observeFlag(c, &observe)
	return a.FileFlags(c)
}

func observeFlag(c *cobra.Command, observe *bool) {
	c.Flags().BoolVar(observe, "observe", false, "confirm mode: observe of the configuration: no rule is enforced")
}

func logFlag(c *cobra.Command, logs *string) {
	c.Flags().StringVar(logs, "log", "text", "`form` of the log on standard error: text or json")
}

func (a *app) logger(form string) (*slog.Logger, error) {
	switch form {
	case "text":
		return slog.New(slog.NewTextHandler(a.Stderr, nil)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(a.Stderr, nil)), nil
	}
	return nil, cli.Usage("--log: text or json")
}

func (a *app) serve(ctx context.Context, conf *config.Config, log *slog.Logger, observe bool) (err error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", conf.Listen)
	if err != nil {
		return cli.Usage("listen: %v: is another gate running? Choose another address, such as --listen 127.0.0.1:0 for any free port", err)
	}
	at := "http://" + reachable(l.Addr())
	d, err := a.open(ctx, daemon.Options{Config: conf, BaseURL: at, Log: log, Observe: observe})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	forget, err := a.announce(conf, at)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, forget()) }()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go a.followHangup(ctx, d, conf, stop)
	go func() {
		d.Settle(ctx)
		if unfit := d.Unfit(); unfit != nil {
			stop(cli.Usage("%v", unfit))
		}
	}()
	a.greet(conf, at, d)
	if err := d.Serve(ctx, l); err != nil {
		return err
	}
	if exit, ok := errors.AsType[*cli.Error](context.Cause(ctx)); ok {
		return exit
	}
	return nil
}

// announce leaves word for commands on this machine, and says where several
// gates are served on one data folder: commands then speak to the newest.
func (a *app) announce(conf *config.Config, at string) (forget func() error, err error) {
	others, err := daemon.ReadServed(conf.Data)
	if err != nil {
		return nil, err
	}
	for _, other := range others {
		fmt.Fprintf(a.Stderr, "toolverdict: another gate is served on this data folder at %s: commands without --url speak to this one\n", cli.Line(other.URL))
	}
	return daemon.WriteServed(conf.Data, daemon.Served{URL: at, Config: absolute(conf.File), PID: os.Getpid(), Since: a.Now()})
}

// reachable is the address under which this machine reaches a listener. Others
// need its name: approvals.baseURL.
func reachable(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return a.String()
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
}

// open assembles the gate. What is wrong with the files is the operator's to
// correct.
func (a *app) open(ctx context.Context, o daemon.Options) (*daemon.Daemon, error) {
	o.Version, o.Getenv, o.Now = version, a.Getenv, a.Now
	d, err := daemon.Open(ctx, o)
	if err != nil {
		return nil, cli.Usage("start: %v", err)
	}
	return d, nil
}

// followHangup reads the files anew at each hangup, but stops where the hangup
// was that of the terminal: nobody would be left to stop the gate.
func (a *app) followHangup(ctx context.Context, d *daemon.Daemon, conf *config.Config, stop context.CancelCauseFunc) {
	before, _ := os.ReadFile(conf.File) // it was read a moment ago
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.hangup:
			if _, err := fmt.Fprintln(a.Stderr, "hangup: reading policies and catalogs anew"); err != nil {
				stop(nil)
				return
			}
			if now, err := os.ReadFile(conf.File); err != nil || !bytes.Equal(before, now) {
				d.Log.Warn("the configuration is not as it was at the start: it is read at the start only", "file", conf.File)
			}
			if d.Reload(ctx) == nil { // it says itself what is wrong
				d.Log.Info("policies and catalogs were read anew")
			}
		}
	}
}

// greet says where the gate is and what to try.
func (a *app) greet(conf *config.Config, at string, d *daemon.Daemon) {
	var b strings.Builder
	fmt.Fprintf(&b, "listening on %s\n", at)
	if conf.Mode == config.ModeObserve {
		b.WriteString("  OBSERVE ONLY: rules are recorded and not enforced\n")
	}
	for _, name := range slices.Sorted(maps.Keys(conf.Upstreams)) {
		if !conf.Upstreams[name].Local {
			fmt.Fprintf(&b, "  MCP server %s: %s/mcp/%s\n", name, at, name)
		}
	}
	fmt.Fprintf(&b, "  HTTP API: %s/v1 (every request needs a key: Authorization: Bearer KEY)\n", at)
	fmt.Fprintf(&b, "  console: %s/console\n", at)
	for _, m := range d.Made() {
		fmt.Fprintf(&b, "    sign in as %s with the password %s\n", m.ID, m.Password)
	}
	fmt.Fprintf(&b, "  approvals: toolverdict approvals list\n")
	if conf.Try != "" {
		b.WriteString("try, in another terminal:\n")
	}
	for command := range strings.Lines(conf.Try) {
		fmt.Fprintf(&b, "  %s\n", strings.TrimRight(cli.Plain(command), "\n"))
	}
	fmt.Fprint(a.Stdout, b.String())
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
