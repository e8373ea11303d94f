// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package webguard keeps web pages of others away from an HTTP front, on
// loopback too: a page can reach that by rebinding a name of its own. It knows
// names, paths and headers only, no subjects.
package webguard

import (
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// Guard knows by which names a front may be called, and from which origins. It
// is immutable and safe for concurrent use.
type Guard struct {
	hosts, origins map[string]bool
}

// New makes a guard. Loopback names are always known; hosts are further names
// without ports, origins are written scheme://host.
func New(hosts, origins []string) *Guard {
	g := &Guard{hosts: map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true}, origins: map[string]bool{}}
	for _, h := range hosts {
		g.hosts[strings.ToLower(h)] = true
	}
	for _, o := range origins {
		g.origins[strings.ToLower(o)] = true
	}
	return g
}

// Host reports whether the request calls the front by one of its names.
func (g *Guard) Host(r *http.Request) bool {
	name := r.Host
	if h, _, err := net.SplitHostPort(name); err == nil {
		name = h
	}
	return g.hosts[strings.ToLower(strings.Trim(name, "[]"))]
}

// Plain reports whether a request's path is one that no [http.ServeMux] leads
// away from: none of its parts is empty, "." or "..".
func Plain(r *http.Request) bool {
	at := r.URL.EscapedPath()
	clean := path.Clean(at)
	return strings.HasPrefix(at, "/") && (clean == at || clean+"/" == at)
}

// Origin accepts requests that no web page made, those of the front's own pages
// and those of configured origins.
func (g *Guard) Origin(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	foreign := site == "cross-site" || site == "same-site"
	values := r.Header.Values("Origin")
	if len(values) == 0 {
		return !foreign
	}
	origin := strings.ToLower(values[0])
	if len(values) > 1 {
		return false
	}
	if g.origins[origin] {
		return true
	}
	u, err := url.Parse(origin)
	return !foreign && err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host == strings.ToLower(r.Host)
}

// Bearer returns the token of the one Authorization header.
func Bearer(h http.Header) (string, bool) {
	values := h.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	scheme, token, ok := strings.Cut(values[0], " ")
	token = strings.TrimSpace(token)
	return token, ok && strings.EqualFold(scheme, "bearer") && token != ""
}
