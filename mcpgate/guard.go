// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgate

import (
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/mcpwire"
	"github.com/toolverdict/toolverdict/internal/webguard"
)

// rejection is an HTTP request that is refused before its body is read.
type rejection struct {
	status int
	text   string
}

// admit checks who calls, by which name, and from where. It is the same on
// loopback: a web page reaches that too, by rebinding a name of its own.
func (f *Front) admit(r *http.Request) (toolverdict.Subject, *rejection) {
	if !f.guard.Host(r) {
		return toolverdict.Subject{}, &rejection{http.StatusForbidden, "This Host is not served here."}
	}
	if !f.guard.Origin(r) {
		return toolverdict.Subject{}, &rejection{http.StatusForbidden, "This Origin may not call."}
	}
	token, ok := webguard.Bearer(r.Header)
	if !ok {
		return toolverdict.Subject{}, &rejection{http.StatusUnauthorized, "Send the header Authorization: Bearer KEY."}
	}
	subject, ok := f.config.Authenticate(token)
	if !ok || !subject.Authenticated() {
		return toolverdict.Subject{}, &rejection{http.StatusUnauthorized, "This key is not valid."}
	}
	return subject, nil
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
