// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package web reads requests strictly and writes answers, for all that is served
// under one sign-in. It knows HTTP and JSON, and nothing of calls.
package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/plain"
	"github.com/toolverdict/toolverdict/internal/webguard"
)

// Handler serves an authenticated request.
type Handler func(w http.ResponseWriter, r *http.Request, by tv.Subject)

// SignedIn finds out who asks. It is the only source of a subject.
func SignedIn(authenticate func(bearer string) (tv.Subject, bool), next Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		token, ok := webguard.Bearer(r.Header)
		var by tv.Subject
		if ok {
			by, ok = authenticate(token)
		}
		if !ok || !by.Authenticated() {
			w.Header().Set("WWW-Authenticate", "Bearer")
			Problem(w, http.StatusUnauthorized, "Send a valid key: Authorization: Bearer KEY.")
			return
		}
		next(w, r, by)
	}
}

// Guard keeps web pages of others away.
type Guard = webguard.Guard

// NewGuard makes a guard for a front with these names besides loopback ones.
func NewGuard(hosts []string) *Guard { return webguard.New(hosts, nil) }

// Plain reports whether a path is one that no [http.ServeMux] changes.
func Plain(r *http.Request) bool { return webguard.Plain(r) }

// Bodies reads the bodies of requests. The limits are those of arguments.
type Bodies struct{ Limits Limits }

// Limits bound JSON.
type Limits = canon.Limits

// Full fills in the default limits.
func Full(l Limits) Limits {
	if l.MaxBytes == 0 {
		l.MaxBytes = canon.DefaultLimits().MaxBytes
	}
	if l.MaxDepth == 0 {
		l.MaxDepth = canon.DefaultLimits().MaxDepth
	}
	return l
}

// Object reads a body that must be one strict JSON object with no members
// but the known ones. Where it cannot, it has answered.
func (b Bodies) Object(w http.ResponseWriter, r *http.Request, known ...string) (canon.Value, bool) {
	body, ok := b.Bytes(w, r)
	if !ok {
		return canon.Value{}, false
	}
	v, err := canon.ParseObject(body, b.Whole())
	if err != nil {
		Problem(w, http.StatusBadRequest, err.Error())
		return v, false
	}
	if !OnlyKnown(w, v, known) {
		return v, false
	}
	return v, true
}

// Open is Object for bodies of a standard that lets strangers add members.
func (b Bodies) Open(w http.ResponseWriter, r *http.Request) (Value, bool) {
	body, ok := b.Bytes(w, r)
	if !ok {
		return Value{}, false
	}
	v, err := canon.ParseObject(body, b.Whole())
	if err != nil {
		Problem(w, http.StatusBadRequest, err.Error())
	}
	return v, err == nil
}

// Value is strictly read JSON.
type Value = canon.Value

// IsList reports whether a value is a list.
func IsList(v Value) bool { return v.Kind() == canon.KindArray }

// IsObject reports whether a value is an object.
func IsObject(v Value) bool { return v.Kind() == canon.KindObject }

// Texts reads a body whose members are all texts, in the order of names. One
// that is left out is "".
func (b Bodies) Texts(w http.ResponseWriter, r *http.Request, names ...string) ([]string, bool) {
	v, ok := b.Object(w, r, names...)
	if !ok {
		return nil, false
	}
	in := &Fields{V: v}
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = in.Text(name)
	}
	if in.Err != nil {
		Problem(w, http.StatusBadRequest, in.Err.Error())
		return nil, false
	}
	return out, true
}

// Bytes reads a body of JSON. Where it cannot, it has answered.
func (b Bodies) Bytes(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	return read(w, r, b.Whole().MaxBytes)
}

// MaxResult is how large the results in one body may be, in bytes.
const MaxResult = 16 << 20

// Results is Bytes for what tools answered, which the limits of arguments do not
// bind: what was run must not end as unknown because it said much.
func (b Bodies) Results(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	return read(w, r, max(b.Whole().MaxBytes, MaxResult+bodySlack))
}

func read(w http.ResponseWriter, r *http.Request, most int) ([]byte, bool) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" || r.Header.Get("Content-Encoding") != "" {
		Problem(w, http.StatusUnsupportedMediaType, "Content-Type must be application/json, without an encoding.")
		return nil, false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(most)))
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		Problem(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("The body is larger than %d bytes.", large.Limit))
		return nil, false
	}
	if err != nil {
		Problem(w, http.StatusBadRequest, "The body could not be read.")
		return nil, false
	}
	return body, true
}

// bodySlack is what a body may hold besides arguments, in bytes.
const bodySlack = 64 << 10

// Whole leaves room around arguments that are just within their limits.
func (b Bodies) Whole() Limits {
	l := b.Limits
	l.MaxBytes += bodySlack
	l.MaxDepth += 8 // messages of models hold them deep inside
	return l
}

// Members are the members of an object whose values may be a stranger's: the
// names are read strictly, the values as any JSON.
func Members(text []byte) (map[string]json.RawMessage, error) {
	if !json.Valid(text) {
		return nil, errors.New("it is no JSON")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("it is no object")
	}
	members := map[string]json.RawMessage{}
	for d.More() {
		token, err := d.Token()
		name, _ := token.(string)
		if _, twice := members[name]; err != nil || twice {
			return nil, errors.New("a member is given twice")
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, errors.New("it is no JSON")
		}
		members[name] = value
	}
	return members, nil
}

// OnlyKnown refuses members that are not known.
func OnlyKnown(w http.ResponseWriter, v canon.Value, known []string) bool {
	for _, m := range v.Members() {
		if !slices.Contains(known, m.Name) {
			Problem(w, http.StatusBadRequest, fmt.Sprintf("Unknown member %q: known are %s.", m.Name, strings.Join(known, ", ")))
			return false
		}
	}
	return true
}

// Fields reads typed members of a strict object and keeps what is wrong first.
type Fields struct {
	V   canon.Value
	Err error
}

func (f *Fields) fail(name, want string) {
	if f.Err == nil {
		f.Err = fmt.Errorf("member %q must be %s", name, want)
	}
}

// Text is a text, "" where it is left out.
func (f *Fields) Text(name string) string {
	v, ok := f.V.Get(name)
	if !ok {
		return ""
	}
	if v.Kind() != canon.KindString {
		f.fail(name, "text")
	}
	return v.Text()
}

// Truth is true or false, or left out.
func (f *Fields) Truth(name string) bool {
	v, ok := f.V.Get(name)
	if !ok {
		return false
	}
	if v.Kind() != canon.KindBool {
		f.fail(name, "true or false")
		return false
	}
	return v.Bool()
}

// Texts is a list of texts.
func (f *Fields) Texts(name string) []string {
	v, ok := f.V.Get(name)
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

// Duration is a length of time such as 30s.
func (f *Fields) Duration(name string) time.Duration {
	text := f.Text(name)
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		f.fail(name, "a duration such as 30s")
	}
	return d
}

// Object is an object.
func (f *Fields) Object(name string) (canon.Value, bool) {
	v, ok := f.V.Get(name)
	if ok && v.Kind() != canon.KindObject {
		f.fail(name, "an object")
		return canon.Value{}, false
	}
	return v, ok
}

// RequestID is the header that names a request, for those who look for it in a
// log.
const RequestID = "X-Request-Id"

// IsRequestID reports whether a sender may name a request so: it is logged.
func IsRequestID(id string) bool { return plain.Name{Signs: "._:-", Max: 128, Free: true}.Fits(id) }

// Problem answers with a problem document.
func Problem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	doc := map[string]any{"title": http.StatusText(status), "status": status, "detail": detail}
	if id := w.Header().Get(RequestID); id != "" {
		doc["requestId"] = id
	}
	_ = json.NewEncoder(w).Encode(doc)
}

// Fault is why a request cannot be answered.
type Fault struct {
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

// Error implements error.
func (f *Fault) Error() string { return f.Detail }

// Faultf makes a fault.
func Faultf(status int, format string, args ...any) *Fault {
	return &Fault{status, fmt.Sprintf(format, args...)}
}

// Fail answers with a problem: that of a fault, or what is wrong with the call.
func Fail(w http.ResponseWriter, err error) {
	if f, ok := errors.AsType[*Fault](err); ok {
		Problem(w, f.Status, f.Detail)
		return
	}
	Problem(w, http.StatusBadRequest, "The call is not complete: "+err.Error()+".")
}

// Quote makes the name of a stranger fit for a problem.
func Quote(s string) string { return strconv.Quote(s[:min(len(s), 64)]) }

// Route is a pattern of [http.ServeMux] and what serves it.
type Route struct {
	Pattern string
	Serve   Handler
}

// Answer writes JSON.
func Answer(w http.ResponseWriter, v any) { AnswerExactly(w, v, nil) }

// AnswerExactly writes JSON with parts that stay as they are, to the byte: the
// encoder leaves the blanks of JSON that it is given out. Each stands in the place
// of a text that nobody else can have written.
func AnswerExactly(w http.ResponseWriter, v any, parts map[string]json.RawMessage) {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false) // arguments go on as they were decided
	if err := out.Encode(v); err != nil {
		Problem(w, http.StatusInternalServerError, "The answer could not be written.")
		return
	}
	body := b.Bytes()
	for place, part := range parts {
		body = bytes.Replace(body, []byte(strconv.Quote(place)), part, 1)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
}
