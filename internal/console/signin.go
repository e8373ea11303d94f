// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console

import (
	"net/http"
	"net/url"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/console/door"
	"github.com/toolverdict/toolverdict/internal/console/session"
	"github.com/toolverdict/toolverdict/internal/console/view"
)

// signInForm is what the page of a sign-in shows.
type signInForm struct{ User, Back, Problem string }

// askSignIn shows the form, or goes on where somebody is signed in.
func (f *Front) askSignIn(w http.ResponseWriter, r *http.Request) {
	form := signInForm{Back: door.Local(r.FormValue("back"))}
	if who, ok := f.Sessions.Who(r.Context()); ok {
		if _, err := f.People.Subject(r.Context(), who.ID, who.Stamp); err == nil {
			http.Redirect(w, r, form.Back, http.StatusSeeOther)
			return
		}
	}
	if r.FormValue("done") != "" {
		form.Problem = "cookie" // it was set and did not come back
	}
	f.showSignIn(w, r, http.StatusOK, form)
}

func (f *Front) showSignIn(w http.ResponseWriter, r *http.Request, status int, form signInForm) {
	v := f.Stranger(r)
	frame := f.Frame(r, v, v.L.T("signin.title"), form)
	frame.Path = "/console/sign-in?back=" + url.QueryEscape(form.Back)
	f.Write(w, r, status, "sign-in", frame)
}

// signIn checks a password, not more often than a person would try.
func (f *Front) signIn(w http.ResponseWriter, r *http.Request) {
	form := signInForm{User: r.PostFormValue("user"), Back: door.Local(r.PostFormValue("back"))}
	given := r.PostFormValue("password")
	if len(form.User) > 128 {
		form.User = ""
	}
	from := network(r.RemoteAddr)
	refuse := func(status int, problem string) {
		f.Logger.Warn("sign-in to the console refused", "why", problem, "user", view.Show(form.User), "from", from)
		form.Problem = problem
		f.showSignIn(w, r, status, form)
	}
	tries, names := f.attempts.of(r, form.User, from)
	if !tries.take(names...) {
		w.Header().Set("Retry-After", "60")
		refuse(http.StatusTooManyRequests, "slow")
		return
	}
	select {
	case tries.busy <- struct{}{}:
		defer func() { <-tries.busy }()
	case <-r.Context().Done():
		return
	}
	s, stamp, err := f.People.SignIn(r.Context(), form.User, given)
	switch {
	case err != nil && f.Wrong(err):
		refuse(http.StatusForbidden, "wrong")
		return
	case err == nil:
		err = f.begin(r, s, stamp)
	}
	if err != nil {
		f.Fault(w, r, f.Stranger(r), err)
		return
	}
	tries.refund(names...)
	f.attempts.remember(w, r, form.User)
	http.Redirect(w, r, "/console/sign-in?done=1&back="+url.QueryEscape(form.Back), http.StatusSeeOther)
}

// begin records a sign-in before it counts.
func (f *Front) begin(r *http.Request, s tv.Subject, stamp string) error {
	record := tv.Record{Kind: tv.RecordAdmin, At: f.Now(), Subject: s.ID, User: s.User, Detail: "signed in to the console from " + network(r.RemoteAddr)}
	if err := f.Log.Note(r.Context(), record); err != nil {
		return err
	}
	return f.Sessions.Begin(r.Context(), session.Who{ID: s.ID, Stamp: stamp})
}

func (f *Front) signOut(w http.ResponseWriter, r *http.Request) {
	if err := f.Sessions.End(r.Context()); err != nil {
		f.Fault(w, r, f.Stranger(r), err)
		return
	}
	http.Redirect(w, r, "/console/sign-in", http.StatusSeeOther)
}
