// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/webguard"
)

// handler serves an authenticated request.
type handler func(w http.ResponseWriter, r *http.Request, by tv.Subject)

func (f *Front) signedIn(next handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		token, ok := webguard.Bearer(r.Header)
		var by tv.Subject
		if ok {
			by, ok = f.Authenticate(token)
		}
		if !ok || !by.Authenticated() {
			w.Header().Set("WWW-Authenticate", "Bearer")
			problem(w, http.StatusUnauthorized, "Send a valid key: Authorization: Bearer KEY.")
			return
		}
		next(w, r, by)
	}
}

// readObject reads a body that must be one strict JSON object with no members
// but the known ones. Where it cannot, it has answered.
func (f *Front) readObject(w http.ResponseWriter, r *http.Request, known ...string) (canon.Value, bool) {
	body, ok := f.readBody(w, r)
	if !ok {
		return canon.Value{}, false
	}
	v, err := canon.ParseObject(body, f.bodyLimits())
	if err != nil {
		problem(w, http.StatusBadRequest, err.Error())
		return v, false
	}
	if !onlyKnown(w, v, known) {
		return v, false
	}
	return v, true
}

// readTexts reads a body whose members are all texts, in the order of names. One
// that is left out is "".
func (f *Front) readTexts(w http.ResponseWriter, r *http.Request, names ...string) ([]string, bool) {
	v, ok := f.readObject(w, r, names...)
	if !ok {
		return nil, false
	}
	in := &fields{v: v}
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = in.text(name)
	}
	if in.err != nil {
		problem(w, http.StatusBadRequest, in.err.Error())
		return nil, false
	}
	return out, true
}

func (f *Front) readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" || r.Header.Get("Content-Encoding") != "" {
		problem(w, http.StatusUnsupportedMediaType, "Content-Type must be application/json, without an encoding.")
		return nil, false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(f.bodyLimits().MaxBytes)))
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		problem(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("The body is larger than %d bytes.", large.Limit))
		return nil, false
	}
	if err != nil {
		problem(w, http.StatusBadRequest, "The body could not be read.")
		return nil, false
	}
	return body, true
}

// bodyLimits leave room around arguments that are just within theirs.
func (f *Front) bodyLimits() canon.Limits {
	l := f.Limits
	l.MaxBytes += bodySlack
	l.MaxDepth += 3
	return l
}

func onlyKnown(w http.ResponseWriter, v canon.Value, known []string) bool {
	for _, m := range v.Members() {
		if !slices.Contains(known, m.Name) {
			problem(w, http.StatusBadRequest, fmt.Sprintf("Unknown member %q: known are %s.", m.Name, strings.Join(known, ", ")))
			return false
		}
	}
	return true
}

// fields reads typed members of a strict object and collects what is wrong.
type fields struct {
	v   canon.Value
	err error
}

func (f *fields) fail(name, want string) {
	if f.err == nil {
		f.err = fmt.Errorf("member %q must be %s", name, want)
	}
}

func (f *fields) text(name string) string {
	v, ok := f.v.Get(name)
	if !ok {
		return ""
	}
	if v.Kind() != canon.KindString {
		f.fail(name, "text")
	}
	return v.Text()
}

func (f *fields) truth(name string) bool {
	v, ok := f.v.Get(name)
	if !ok {
		return false
	}
	if v.Kind() != canon.KindBool {
		f.fail(name, "true or false")
		return false
	}
	return v.Bool()
}

func (f *fields) texts(name string) []string {
	v, ok := f.v.Get(name)
	if !ok {
		return nil
	}
	if v.Kind() != canon.KindArray {
		f.fail(name, "a list of text")
		return nil
	}
	var out []string
	for _, item := range v.Elems() {
		if item.Kind() != canon.KindString {
			f.fail(name, "a list of text")
		}
		out = append(out, item.Text())
	}
	return out
}

func (f *fields) duration(name string) time.Duration {
	text := f.text(name)
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		f.fail(name, "a duration such as 30s")
	}
	return d
}

func (f *fields) object(name string) (canon.Value, bool) {
	v, ok := f.v.Get(name)
	if ok && v.Kind() != canon.KindObject {
		f.fail(name, "an object")
		return canon.Value{}, false
	}
	return v, ok
}

// problem answers with a problem document.
func problem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"title": http.StatusText(status), "status": status, "detail": detail})
}

func answer(w http.ResponseWriter, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		problem(w, http.StatusInternalServerError, "The answer could not be written.")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(b, '\n'))
}
