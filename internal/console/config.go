// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/console/door"
	"github.com/toolverdict/toolverdict/internal/console/session"
	"github.com/toolverdict/toolverdict/internal/console/view"
)

// Desk shows approvals to those they concern and takes their answers: an
// *approval.Desk.
type Desk interface {
	Reader
	Voter
	Standing(by tv.Subject, a tv.Approval) view.Standing
	MayEdit(by tv.Subject, a *tv.Approval) error
}

// Reader shows approvals.
type Reader interface {
	Get(ctx context.Context, by tv.Subject, id string) (tv.Approval, error)
	List(ctx context.Context, by tv.Subject, q tv.ApprovalQuery) ([]tv.Approval, error)
}

// Voter takes answers.
type Voter interface {
	Approve(ctx context.Context, by tv.Subject, id, reason string) (tv.Approval, error)
	Reject(ctx context.Context, by tv.Subject, id, reason string) (tv.Approval, error)
	Cancel(ctx context.Context, by tv.Subject, id, reason string) (tv.Approval, error)
	Revoke(ctx context.Context, by tv.Subject, id, reason string) (tv.Approval, error)
}

// People checks passwords and finds who signed in: a *people.Directory.
type People interface {
	SignIn(ctx context.Context, id, password string) (s tv.Subject, stamp string, err error)
	Subject(ctx context.Context, id, stamp string) (tv.Subject, error)
}

// Log is the audit log.
type Log interface {
	// Find returns records.
	Find(ctx context.Context, q audit.Query) ([]audit.Numbered, error)
	// Mark says where the log stands: whatever changes, it does.
	Mark(ctx context.Context) (int64, error)
	// Note writes a record of its own.
	Note(ctx context.Context, r tv.Record) error
	// Changed returns a channel that is closed when an approval changed in this
	// process: a hint.
	Changed() <-chan struct{}
}

// Acts are what people do besides answering. The pages of what is nil are not
// there.
type Acts struct {
	Book   Book   // unknown outcomes are settled
	Grants Grants // calls like one are approved
	Editor Editor // arguments are changed before they are approved
}

// Config is what the console is made of. All of it is required but Acts, Links,
// Rooms and Observe.
type Config struct {
	Acts

	Desk     Desk
	People   People
	Log      Log
	Sessions *session.Sessions // who signed in, and the door of the pages
	Tool     func(name string) (*tv.Tool, bool)
	Links    Linker               // nil: no approvals are shown in chats
	Rooms    []Room               // further pages
	Wrong    func(err error) bool // whether a sign-in failed because of what was given
	Now      func() time.Time
	Logger   *slog.Logger

	Observe bool // the gate enforces no rules
}

// Room is a part of the console with pages of its own.
type Room interface{ Lay(d *door.Door) }

// Front is the handler of everything under /console. It is safe for concurrent
// use.
type Front struct {
	Config
	*door.Door

	attempts *attempts
	streams  *streams
}

// New checks the parts and lays out the routes.
func New(c Config) (*Front, error) {
	if c.Desk == nil || c.People == nil || c.Log == nil || c.Sessions == nil || c.Tool == nil || c.Wrong == nil || c.Now == nil || c.Logger == nil {
		return nil, errors.New("make console: every part is needed")
	}
	f := &Front{Config: c, attempts: newAttempts(c.Now), streams: newStreams()}
	var err error
	f.Door, err = door.New(door.Config{
		Sessions: c.Sessions, Subject: c.People.Subject, Mark: c.Log.Mark, Waiting: f.waiting,
		Now: c.Now, Logger: c.Logger, Observe: c.Observe,
	})
	if err != nil {
		return nil, err
	}
	f.routes()
	return f, nil
}

func (f *Front) routes() {
	f.Open("GET /console", f.home)
	f.Open("GET /console/{$}", f.home)
	f.Open("GET /console/sign-in", f.askSignIn)
	f.Open("POST /console/sign-in", f.signIn)
	f.Open("POST /console/sign-out", f.signOut)
	f.Open("POST /console/language", f.ChooseLanguage)
	f.Lead("inbox", nil, "/console/approvals/")
	f.Handle("GET /console/inbox", f.inbox)
	f.Handle("GET /console/approvals/{id}", f.approval)
	f.Handle("POST /console/approvals/{id}/{act}", f.decide)
	if f.Editor != nil {
		f.Handle("POST /console/approvals/{id}/edit", f.edit)
	}
	f.grantRoutes()
	f.outcomeRoutes()
	f.linkRoutes()
	for _, room := range f.Rooms {
		room.Lay(f.Door)
	}
}

func (f *Front) home(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, "/console/inbox", http.StatusSeeOther)
}
