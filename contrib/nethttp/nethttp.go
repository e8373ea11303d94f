// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package nethttp puts routes of an API of one's own behind a gate: each is a
// tool, and a request is a call of it.
//
// The arguments of the call are an object with the wildcards of the route's
// pattern under "params", the query under "query" and the JSON body under "body".
// A handler is given exactly those that were decided. Headers are not decided: a
// handler must not act on them.
package nethttp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"regexp"

	"github.com/toolverdict/toolverdict/guard"
)

// Caller makes the guard of a request, from what authenticated it. An error
// refuses the request.
type Caller func(r *http.Request) (guard.Guard, error)

// maxBody bounds the body of a request, in bytes.
const maxBody = 1 << 20

// Handler guards one route, which must be served by an [http.ServeMux]. A refusal
// is answered with a status and the gate's words; what the handler answers is
// handed on in one piece, with secrets hidden.
func Handler(who Caller, tool string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g, err := who(r)
		if err != nil {
			http.Error(w, "The caller is not known.", http.StatusUnauthorized)
			return
		}
		asked, status, err := read(w, r)
		if err != nil {
			http.Error(w, err.Error(), status)
			return
		}
		c := guard.Call{Tool: tool, Arguments: asked.bytes(), Key: r.Header.Get("Idempotency-Key")}
		failed := 0
		out, refused := guard.Do(r.Context(), g, c, func(ctx context.Context, decided []byte) (*answer, error) {
			own, err := asked.request(r.WithContext(ctx), decided)
			if err != nil {
				return nil, err
			}
			a := newAnswer()
			next.ServeHTTP(a, own)
			if a.status() >= http.StatusBadRequest {
				failed = a.status()
				return nil, fmt.Errorf("status %d: %s", failed, a.Body)
			}
			return a, nil
		})
		if refused == nil {
			out.write(w)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if failed == 0 {
			failed = statusOf(refused.Code())
		}
		w.WriteHeader(failed)
		_, _ = io.WriteString(w, refused.Text())
	})
}

// arguments are what is decided of a request.
type arguments struct {
	Params map[string]string   `json:"params,omitempty"`
	Query  map[string][]string `json:"query,omitempty"`
	Body   json.RawMessage     `json:"body,omitempty"`
}

var wildcard = regexp.MustCompile(`\{([^{}.$]+)(?:\.\.\.)?\}`)

// read takes a request apart. What it cannot tell is refused.
func read(w http.ResponseWriter, r *http.Request) (a arguments, status int, err error) {
	if r.Pattern == "" {
		return a, http.StatusInternalServerError, errors.New("this route is served by no http.ServeMux")
	}
	for _, m := range wildcard.FindAllStringSubmatch(r.Pattern, -1) {
		if a.Params == nil {
			a.Params = map[string]string{}
		}
		a.Params[m[1]] = r.PathValue(m[1])
	}
	if a.Query, err = url.ParseQuery(r.URL.RawQuery); err != nil {
		return a, http.StatusBadRequest, errors.New("the query cannot be read")
	}
	a.Body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	switch media, _, bad := mime.ParseMediaType(r.Header.Get("Content-Type")); {
	case err != nil:
		return a, http.StatusRequestEntityTooLarge, errors.New("the body cannot be read, or is too large")
	case len(bytes.TrimSpace(a.Body)) == 0:
		a.Body = nil
	case bad != nil || media != "application/json":
		return a, http.StatusUnsupportedMediaType, errors.New("the body must be JSON, and say so in Content-Type")
	}
	return a, 0, nil
}

// bytes are the arguments with the body as it came: the gate is the one to refuse
// a body that two parsers could read differently. What is no JSON cannot break out
// of its place, because it is checked to be one value first.
func (a *arguments) bytes() []byte {
	if a.Body != nil && !json.Valid(a.Body) {
		return []byte("\x00")
	}
	head, err := json.Marshal(arguments{Params: a.Params, Query: a.Query})
	if err != nil {
		return []byte("\x00")
	}
	if a.Body == nil {
		return head
	}
	head = head[:len(head)-1]
	if len(head) > 1 {
		head = append(head, ',')
	}
	return append(append(append(head, `"body":`...), a.Body...), '}')
}

// request is the request with what was decided in the place of what came.
func (a *arguments) request(r *http.Request, decided []byte) (*http.Request, error) {
	var own arguments
	if err := json.Unmarshal(decided, &own); err != nil {
		return nil, errors.New("the arguments are none of a request")
	}
	if !maps.Equal(own.Params, a.Params) {
		return nil, errors.New("the path of a request cannot be changed")
	}
	out := r.Clone(r.Context())
	out.URL.RawQuery = url.Values(own.Query).Encode()
	out.RequestURI = out.URL.RequestURI()
	out.Form, out.PostForm, out.MultipartForm = nil, nil, nil
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(own.Body)), int64(len(own.Body))
	return out, nil
}
