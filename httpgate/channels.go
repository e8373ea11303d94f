// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package httpgate

import (
	"context"
	"net/http"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/httpgate/internal/web"
)

// Channels tells how the channels are doing in which approvals are shown, and
// which of their accounts are whose. What it returns is answered as JSON. An
// error with a method Conflict() string says why something cannot be done, in
// words fit for the caller.
type Channels interface {
	Status(ctx context.Context) (any, error)
	Test(ctx context.Context, name string) error
	Linker
}

// Linker links accounts of channels to people.
type Linker interface {
	Links(ctx context.Context, by tv.Subject) (any, error)
	Link(ctx context.Context, by tv.Subject, code string) (any, error)
	Unlink(ctx context.Context, by tv.Subject, channel, account string) error
}

// channelRoutes are there where channels are.
func (f *Front) channelRoutes() {
	if f.Channels == nil {
		return
	}
	f.handle("GET /v1/channels", f.signedIn(f.channels))
	f.handle("POST /v1/channels/{name}/test", f.signedIn(f.testChannel))
	f.handle("GET /v1/links", f.signedIn(f.links))
	f.handle("POST /v1/links", f.signedIn(f.link))
	f.handle("POST /v1/links/remove", f.signedIn(f.unlink))
}

func (f *Front) channels(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	if !officer(w, by) {
		return
	}
	all, err := f.Channels.Status(r.Context())
	f.channelAnswer(w, map[string]any{"channels": all}, err)
}

// testChannel sends a card: for an administrator, who may disturb people.
func (f *Front) testChannel(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	if !administrator(w, by, "send a test card") {
		return
	}
	if _, ok := f.bodies.Object(w, r); !ok {
		return
	}
	name := r.PathValue("name")
	f.channelAnswer(w, map[string]any{"channel": name, "delivered": true}, f.Channels.Test(r.Context(), name))
}

func (f *Front) links(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	if !person(w, by) {
		return
	}
	all, err := f.Channels.Links(r.Context(), by)
	f.channelAnswer(w, map[string]any{"links": all}, err)
}

// person refuses callers who are nobody in a chat.
func person(w http.ResponseWriter, by tv.Subject) bool {
	if by.Kind == tv.Person {
		return true
	}
	web.Problem(w, http.StatusForbidden, "Only a person has accounts in channels.")
	return false
}

func (f *Front) link(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	if !person(w, by) {
		return
	}
	in, ok := f.bodies.Texts(w, r, "code")
	if !ok {
		return
	}
	code := in[0]
	made, err := f.Channels.Link(r.Context(), by, code)
	f.channelAnswer(w, made, err)
}

func (f *Front) unlink(w http.ResponseWriter, r *http.Request, by tv.Subject) {
	if !person(w, by) {
		return
	}
	in, ok := f.bodies.Texts(w, r, "channel", "operator")
	if !ok {
		return
	}
	channel, account := in[0], in[1]
	err := f.Channels.Unlink(r.Context(), by, channel, account)
	f.channelAnswer(w, map[string]any{"channel": channel, "operator": account, "removed": true}, err)
}

func (f *Front) channelAnswer(w http.ResponseWriter, v any, err error) {
	f.partAnswer(w, v, err, said{"There is no such channel, or no such link for this caller.", "%s", "The channels cannot be read or written now."})
}
