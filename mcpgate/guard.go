// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import (
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
)

// rejection is an HTTP request that is refused before its body is read.
type rejection struct {
	status int
	text   string
}

// admit checks who calls, by which name, and from where. It is the same on
// loopback: a web page reaches that too, by rebinding a name of its own.
func (f *Front) admit(r *http.Request) (toolverdict.Subject, *rejection) {
	if !f.knownHost(r.Host) {
		return toolverdict.Subject{}, &rejection{http.StatusForbidden, "This Host is not served here."}
	}
	if !f.knownOrigin(r) {
		return toolverdict.Subject{}, &rejection{http.StatusForbidden, "This Origin may not call."}
	}
	token, ok := bearer(r.Header)
	if !ok {
		return toolverdict.Subject{}, &rejection{http.StatusUnauthorized, "Send the header Authorization: Bearer KEY."}
	}
	subject, ok := f.config.Authenticate(token)
	if !ok || !subject.Authenticated() {
		return toolverdict.Subject{}, &rejection{http.StatusUnauthorized, "This key is not valid."}
	}
	return subject, nil
}

func (f *Front) knownHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	return f.hosts[strings.ToLower(strings.Trim(name, "[]"))]
}

// knownOrigin accepts requests that no web page made, those of the front's own
// pages, and those of configured origins.
func (f *Front) knownOrigin(r *http.Request) bool {
	values := r.Header.Values("Origin")
	if len(values) == 0 {
		return true
	}
	origin := strings.ToLower(values[0])
	if len(values) > 1 {
		return false
	}
	if f.origins[origin] {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host == strings.ToLower(r.Host)
}

// bearer returns the token of the one Authorization header.
func bearer(h http.Header) (string, bool) {
	values := h.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	scheme, token, ok := strings.Cut(values[0], " ")
	token = strings.TrimSpace(token)
	return token, ok && strings.EqualFold(scheme, "bearer") && token != ""
}

// readOnlyRun reads the query. Only "run=read-only" is known; anything else is
// refused, so that a misspelt restriction is never taken for none.
func readOnlyRun(r *http.Request) (bool, *rejection) {
	if r.URL.RawQuery == "" {
		return false, nil
	}
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || len(q) != 1 || len(q["run"]) != 1 || q["run"][0] != "read-only" {
		return false, &rejection{http.StatusBadRequest, "Unknown query: only ?run=read-only is known."}
	}
	return true, nil
}

// acceptable checks the content types of a request.
func acceptable(r *http.Request) *rejection {
	json, stream := accepts(r.Header)
	switch r.Method {
	case http.MethodGet:
		if !stream {
			return &rejection{http.StatusNotAcceptable, "Accept must list text/event-stream."}
		}
	case http.MethodPost:
		kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		encoding := r.Header.Get("Content-Encoding")
		switch {
		case err != nil || kind != "application/json":
			return &rejection{http.StatusUnsupportedMediaType, "Content-Type must be application/json."}
		case encoding != "" && encoding != "identity":
			return &rejection{http.StatusUnsupportedMediaType, "Content-Encoding is not accepted."}
		case !json || !stream:
			return &rejection{http.StatusNotAcceptable, "Accept must list application/json and text/event-stream."}
		case len(r.Header.Values(mcpwire.HeaderLastEventID)) > 0:
			return &rejection{http.StatusBadRequest, "Last-Event-ID goes with GET."}
		}
	}
	return nil
}

func accepts(h http.Header) (json, stream bool) {
	for _, value := range h.Values("Accept") {
		for item := range strings.SplitSeq(value, ",") {
			kind, _, _ := strings.Cut(item, ";")
			switch strings.ToLower(strings.TrimSpace(kind)) {
			case "application/json", "application/*":
				json = true
			case "text/event-stream", "text/*":
				stream = true
			case "*/*":
				json, stream = true, true
			}
		}
	}
	return json, stream
}
