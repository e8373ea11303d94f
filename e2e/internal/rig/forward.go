// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package rig

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
)

// Forward returns a proxy that forwards everything to an address as it is. Its requests keep the caller's Host and
// Origin, for they are part of what is tested, except where the caller named the proxy's own
// address, self: that becomes the target's. A rewrite may change requests further.
func Forward(target, self string, rewrite func(*httputil.ProxyRequest)) http.Handler {
	to := &url.URL{Scheme: "http", Host: target}
	forward := &httputil.ReverseProxy{
		FlushInterval: -1, // event streams
		// Clients that hang up are part of the tests and no news.
		ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host
			r.Out.Host = r.In.Host
			if r.In.Host == self {
				r.Out.Host = target
			}
			if r.In.Header.Get("Origin") == "http://"+self {
				r.Out.Header.Set("Origin", "http://"+target)
			}
			if rewrite != nil {
				rewrite(r)
			}
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The body is read first: an answer that comes while the transport still looks for the end
		// of a streamed body makes the server close that body under it, which breaks the connection
		// to the target and loses the call now and then.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		forward.ServeHTTP(w, r)
	})
}

// AddKey starts a proxy that forwards everything and adds an API key to requests that have none, for
// clients without an option for headers. It returns the proxy's address.
func AddKey(target, key string) (addr string, stop func()) {
	s := httptest.NewUnstartedServer(nil)
	s.Config.Handler = Forward(target, s.Listener.Addr().String(), func(r *httputil.ProxyRequest) {
		if key != "" && r.In.Header.Get("Authorization") == "" {
			r.Out.Header.Set("Authorization", "Bearer "+key)
		}
	})
	s.Start()
	return s.Listener.Addr().String(), func() {
		s.CloseClientConnections()
		s.Close()
	}
}
