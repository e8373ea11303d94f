// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Command plain is the upstream that overhead is measured against: the least an MCP server can do,
// written by hand so that the server itself costs next to nothing. It serves one read-only tool,
// echo, in both eras of the protocol, over stdio or Streamable HTTP. As a reverse proxy it is the
// other baseline: a hop that looks at nothing.
//
// Usage: plain [-http ADDR [-proxy URL]]
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"time"
)

// maxMessage bounds one message.
const maxMessage = 4 << 20

func main() {
	addr := flag.String("http", "", "serve Streamable HTTP at this address instead of stdio")
	target := flag.String("proxy", "", "forward every request to this URL instead of answering it")
	flag.Parse()
	if *addr == "" {
		if err := serveStdio(os.Stdin, os.Stdout); err != nil {
			log.Fatalf("serve stdio: %v", err)
		}
		return
	}
	handler := http.Handler(http.HandlerFunc(serveHTTP))
	if *target != "" {
		to, err := url.Parse(*target)
		if err != nil {
			log.Fatalf("read the URL to forward to: %v", err)
		}
		handler = proxy(to)
	}
	s := &http.Server{Addr: *addr, Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(s.ListenAndServe())
}

// proxy is net/http/httputil's reverse proxy as it comes, but for two things: it keeps as many idle
// connections as there are clients, for with the default of two it would measure dialling; and it
// reads a request's body before it forwards it, for otherwise an upstream that answers at once makes
// the server close the body under the proxy, which loses a call now and then.
func proxy(to *url.URL) http.Handler {
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forbidigo // a copy shares no connection with it
	transport.MaxIdleConnsPerHost = 256
	forward := &httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
		if err != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		forward.ServeHTTP(w, r)
	})
}

func serveHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	reply := answer(body)
	if reply == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(reply)
}

// serveStdio answers one line after another, and flushes when nothing more is waiting.
func serveStdio(in io.Reader, out io.Writer) error {
	r, w := bufio.NewReaderSize(in, 64<<10), bufio.NewWriterSize(out, 64<<10)
	for {
		line, err := r.ReadBytes('\n')
		if reply := answer(line); reply != nil {
			if _, err := w.Write(append(reply, '\n')); err != nil {
				return err
			}
		}
		if r.Buffered() == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
