// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package session

import "net/http"

// policy is the Content-Security-Policy of every page: nothing from elsewhere,
// nothing inline, no frame around it, no markup made of text.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// Admit lets a request to the pages in, or answers it: those who call the gate
// by a name that is not its own, and what no page of the console sent and could
// change something, stay outside. Every answer tells browsers what a page may
// do.
func (s *Sessions) Admit(w http.ResponseWriter, r *http.Request) bool {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin") // a page's own forms must say where they come from
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	switch {
	case !s.guard.Host(r):
		http.Error(w, "This Host is not served here.", http.StatusForbidden)
		return false
	case !s.ours(r):
		http.Error(w, "Only the console's own pages may do this.", http.StatusForbidden)
		return false
	}
	return true
}

// ours accepts what only looks, and else what a page of the console sent. Not
// saying where it comes from is not enough: browsers say it.
func (s *Sessions) ours(r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	if r.Header.Get("Origin") == "" && r.Header.Get("Sec-Fetch-Site") == "" { // an empty one says nothing either
		return false
	}
	return s.cross.Check(r) == nil && s.guard.Origin(r)
}
