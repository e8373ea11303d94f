// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"errors"
	"net/http"

	tv "github.com/toolverdict/toolverdict"
)

// Linker says whose accounts in chats are whose. A code that is not known, was
// used or is too old is toolverdict.ErrNotFound; an error with a method
// Conflict() string is an account that is somebody else's.
type Linker interface {
	// Offer tells which account a code would link, as its platform calls it.
	Offer(ctx context.Context, code string) (channel, account string, err error)
	// Take links it to the person who is signed in, and uses the code up.
	Take(ctx context.Context, by tv.Subject, code string) error
}

// linkRoutes are there where channels are.
func (f *Front) linkRoutes() {
	if f.Links == nil {
		return
	}
	f.Handle("GET /console/link/{code}", f.askLink)
	f.Handle("POST /console/link/{code}", f.takeLink)
}

// linkBody is what the page shows that asks whether an account is one's own.
type linkBody struct{ Channel, Account, Code string }

// askLink shows the account and changes nothing: somebody may have been sent the
// link by whoever wants to vote in their name.
func (f *Front) askLink(w http.ResponseWriter, r *http.Request, v visitor) {
	body := linkBody{Code: r.PathValue("code")}
	var err error
	if body.Channel, body.Account, err = f.Links.Offer(r.Context(), body.Code); err != nil {
		f.linkProblem(w, r, v, err)
		return
	}
	f.Write(w, r, http.StatusOK, "link", f.Frame(r, v, v.L.T("link.title"), body))
}

func (f *Front) takeLink(w http.ResponseWriter, r *http.Request, v visitor) {
	if err := f.Links.Take(r.Context(), v.Subject, r.PathValue("code")); err != nil {
		f.linkProblem(w, r, v, err)
		return
	}
	f.Message(w, r, v, http.StatusOK, "linked")
}

func (f *Front) linkProblem(w http.ResponseWriter, r *http.Request, v visitor, err error) {
	var taken interface {
		error
		Conflict() string
	}
	switch {
	case errors.Is(err, tv.ErrNotFound):
		f.Message(w, r, v, http.StatusNotFound, "link-gone")
	case errors.As(err, &taken):
		f.Message(w, r, v, http.StatusConflict, "link-taken")
	default:
		f.Fault(w, r, v, err)
	}
}
