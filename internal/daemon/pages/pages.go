// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package pages puts the console together: who may sign in, how they are
// remembered, and what they see.
package pages

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/console"
	"github.com/toolverdict/toolverdict/internal/console/session"
	"github.com/toolverdict/toolverdict/internal/daemon/subjects"
	"github.com/toolverdict/toolverdict/internal/identity"
	"github.com/toolverdict/toolverdict/internal/identity/people"
)

// Parts are what the console stands on. Of Console, People, Sessions, Wrong, Now
// and Logger are filled in.
type Parts struct {
	Config   *config.Config
	Known    *identity.Set
	Sessions session.Config
	Console  console.Config
}

// Open makes the console, and returns the passwords that an example made.
func Open(p Parts) (http.Handler, []subjects.Made, error) {
	hashes, made, err := subjects.Passwords(p.Config)
	if err != nil {
		return nil, nil, err
	}
	directory, err := people.New(people.Config{Configured: p.Known, Passwords: hashes, Shelf: p.Sessions.Shelf, Now: p.Sessions.Now})
	if err != nil {
		return nil, nil, err
	}
	c := p.Console
	if c.Sessions, err = session.New(p.Sessions); err != nil {
		return nil, nil, err
	}
	c.People, c.Now, c.Logger = directory, p.Sessions.Now, p.Sessions.Log
	c.Wrong = func(err error) bool { return errors.Is(err, people.ErrWrong) }
	c.Observe = p.Config.Mode == config.ModeObserve
	front, err := console.New(c)
	return front, made, err
}

// ToCard leads from the link of a message to the approval's page.
func ToCard(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, "/console/approvals/"+url.PathEscape(r.PathValue("id")), http.StatusSeeOther)
}
