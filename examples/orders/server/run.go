// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolverdict/toolverdict/examples/orders/shop"
)

const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	exitFault  = 3 // the drill of -fault exit:TOOL
)

// world is everything the program takes from outside.
type world struct {
	stdin          io.ReadCloser
	stdout, stderr io.Writer
	now            func() time.Time
	newID          func() string
	exit           func(int)
	bash           string
}

type options struct {
	data, http         string
	stateless, changes bool
	faults             faults
}

func run(ctx context.Context, args []string, w world) int {
	opts, err := parse(args, w.stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		fmt.Fprintln(w.stderr, "orders server:", err)
		return exitUsage
	}
	if opts.changes {
		err = printChanges(ctx, opts.data, w.stdout)
	} else {
		err = serve(ctx, opts, w)
	}
	if err != nil {
		fmt.Fprintln(w.stderr, "orders server:", err)
		return exitFailed
	}
	return exitOK
}

func parse(args []string, usage io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("server", flag.ContinueOnError)
	fs.SetOutput(usage)
	fs.StringVar(&o.data, "data", "", "`folder` of the database, the outbox and the scratch folder (required)")
	fs.StringVar(&o.http, "http", "", "serve Streamable HTTP on this loopback `address`, such as 127.0.0.1:8721, instead of stdio")
	fs.BoolVar(&o.stateless, "stateless", false, "with -http: no sessions, as protocol revision 2026-07-28 wants it")
	fs.BoolVar(&o.changes, "changes", false, "print what really happened so far, as JSON lines, and stop")
	fs.Func("fault", "for drills: break the answers to one tool, as `kind:tool`; may be repeated\nkinds: "+faultHelp, o.faults.add)
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	switch {
	case fs.NArg() > 0:
		return o, errors.New("read arguments: there is one that belongs to no flag: run with -h for the list")
	case o.data == "":
		return o, errors.New("read arguments: -data is needed: name a folder for the database")
	case o.changes && (o.http != "" || len(o.faults) > 0):
		return o, errors.New("read arguments: -changes serves nothing: leave out -http and -fault")
	case o.stateless && o.http == "":
		return o, errors.New("read arguments: -stateless belongs to -http: add it or leave both out")
	}
	return o, nil
}

func printChanges(ctx context.Context, dir string, to io.Writer) error {
	enc := json.NewEncoder(to)
	enc.SetEscapeHTML(false)
	return shop.ReadChanges(ctx, dir, func(c shop.Change) error { return enc.Encode(c) })
}

func serve(ctx context.Context, o options, w world) (err error) {
	s, err := shop.Open(ctx, shop.Config{Dir: o.data, Now: w.now, NewID: w.newID, Bash: w.bash})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	log := slog.New(slog.NewTextHandler(w.stderr, nil))
	server, err := newServer(s, log)
	if err != nil {
		return err
	}
	if o.http != "" {
		return serveHTTP(ctx, server, o, w)
	}
	return serveStdio(ctx, server, o, w)
}

// serveStdio serves until the client hangs up or the program is told to stop;
// both are ordinary ends.
func serveStdio(ctx context.Context, server *mcp.Server, o options, w world) error {
	out := &lineWriter{to: w.stdout}
	var t mcp.Transport = &mcp.IOTransport{Reader: w.stdin, Writer: out}
	if len(o.faults) > 0 {
		t = &faultyTransport{next: t, faults: o.faults, raw: out, exit: w.exit}
	}
	err := server.Run(ctx, t)
	if errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}
