// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// endpoint is the one path that is served.
const endpoint = "/mcp"

// serveHTTP serves until the program is told to stop. There is no
// authentication, so only this machine may reach it, and no web page in its
// browsers: Host (by the SDK) and Origin are checked.
func serveHTTP(ctx context.Context, server *mcp.Server, o options, w world) error {
	addr, err := loopback(o.http)
	if err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("listen: %v", err)
	}
	var h http.Handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: o.stateless, PropagateRequestCancellation: true})
	if len(o.faults) > 0 {
		h = &faultyHandler{next: h, faults: o.faults, exit: w.exit}
	}
	mux := http.NewServeMux()
	mux.Handle(endpoint, http.NewCrossOriginProtection().Handler(h))
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	fmt.Fprintf(w.stdout, "listening on http://%s%s\n", l.Addr(), endpoint)

	stopped := make(chan error, 1)
	go func() { stopped <- srv.Serve(l) }()
	select {
	case err = <-stopped:
	case <-ctx.Done():
		// Open streams never end by themselves, so there is nothing to wait for.
		err = errors.Join(srv.Close(), <-stopped)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// loopback refuses an address that another machine could reach. A name is
// refused too, localhost apart: what it resolves to is not in our hands.
func loopback(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", errors.New("listen: the address has no port: write -http 127.0.0.1:8721")
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.Unmap().IsLoopback() {
		return "", errors.New("listen: only a loopback address is served, for there is no authentication: write -http 127.0.0.1:8721")
	}
	return net.JoinHostPort(host, port), nil
}
