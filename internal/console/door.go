// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/console/page"
	"github.com/toolverdict/toolverdict/internal/console/words"
)

// maxForm bounds what a form may hold, in bytes.
const maxForm = 1 << 20

// ServeHTTP implements [http.Handler].
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !f.Sessions.Admit(w, r) {
		return
	}
	switch asset, isAsset := strings.CutPrefix(r.URL.Path, "/console/assets/"); {
	case isAsset:
		f.asset(w, r, asset)
	case r.URL.Path == "/console/events":
		f.events(w, r) // looked at outside a session: a stream does not keep one
	default:
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		f.Sessions.Wrap(f.mux).ServeHTTP(w, r)
	}
}

func (f *Front) asset(w http.ResponseWriter, r *http.Request, name string) {
	version, file, _ := strings.Cut(name, "/")
	b, kind, ok := f.pages.Asset(version, file)
	if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable") // its address names its content
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(b) //nolint:gosec // G705: a file that the program carries
}

// visitor is who looks at a page, in their language. The subject is nobody where
// nobody signed in.
type visitor struct {
	tv.Subject
	l       *words.Language
	mark    int64
	waiting *string // how many approvals wait, where that is known already
}

// officer may look at what others did, as at the API.
func (v *visitor) officer() bool {
	return v.Kind == tv.Person && (v.HasRole("auditor") || v.HasRole("admin") || v.HasRole("approver"))
}

type handler func(w http.ResponseWriter, r *http.Request, v visitor)

// signedIn looks up who is signed in, as they are now.
func (f *Front) signedIn(next handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := visitor{l: f.language(r)}
		who, ok := f.Sessions.Who(r.Context())
		if ok {
			var err error
			v.Subject, err = f.People.Subject(r.Context(), who.ID, who.Stamp)
			if err != nil && !errors.Is(err, tv.ErrNotFound) {
				f.fault(w, r, v, err)
				return
			}
			ok = err == nil
		}
		if !ok {
			back := "/console/inbox"
			if r.Method == http.MethodGet {
				back = r.URL.RequestURI()
			}
			http.Redirect(w, r, "/console/sign-in?back="+url.QueryEscape(back), http.StatusSeeOther)
			return
		}
		var err error
		if v.mark, err = f.Log.Mark(r.Context()); err != nil {
			f.fault(w, r, v, err)
			return
		}
		next(w, r, v)
	}
}

// languageCookie holds the language that somebody chose.
const languageCookie = "toolverdict-language"

func (f *Front) language(r *http.Request) *words.Language {
	chosen := ""
	if c, err := r.Cookie(languageCookie); err == nil {
		chosen = c.Value
	}
	return f.book.Choose(chosen, r.Header.Get("Accept-Language"))
}

func (f *Front) chooseLanguage(w http.ResponseWriter, r *http.Request) {
	chosen := f.book.Choose(r.FormValue("language"), "").Tag
	http.SetCookie(w, &http.Cookie{
		Name: languageCookie, Value: chosen, Path: "/console", MaxAge: int((365 * 24 * time.Hour).Seconds()),
		HttpOnly: true, Secure: true, SameSite: http.SameSiteStrictMode,
	})
	http.Redirect(w, r, local(r.FormValue("back")), http.StatusSeeOther) //nolint:gosec // G710: local lets only the console's own pages through
}

// local is a page of the console, whatever somebody wrote there.
func local(back string) string {
	if !strings.HasPrefix(back, "/console/") || strings.ContainsAny(back, "\\\r\n") || strings.Contains(back, "//") || strings.Contains(back, "..") {
		return "/console/inbox"
	}
	return back
}

// frame begins a page.
func (f *Front) frame(r *http.Request, v visitor, title string, body any) page.Frame {
	frame := page.Frame{
		L: v.l, Languages: f.book.All(), Title: title, Path: r.URL.RequestURI(),
		Head:    page.Head{Who: v.ID, Officer: v.officer(), Mark: v.mark},
		Observe: f.Observe, Body: body, At: f.Now(),
	}
	if r.Method != http.MethodGet {
		frame.Path = "/console/inbox"
	}
	if v.Authenticated() {
		if v.waiting != nil {
			frame.Waiting = *v.waiting
		} else {
			frame.Waiting, _ = f.waiting(r.Context(), v.Subject) // a page without the number is better than none
		}
		frame.Nav = f.nav(r.URL.Path, v.officer())
	}
	return frame
}

// nav leads to the pages that somebody may see.
func (f *Front) nav(path string, officer bool) []page.Link {
	var links []page.Link
	for _, l := range []struct {
		name  string
		there bool
	}{{"inbox", true}, {"grants", f.Grants != nil}, {"outcomes", officer && f.Book != nil}} {
		if !l.there {
			continue
		}
		to := "/console/" + l.name
		current := path == to || strings.HasPrefix(path, to+"/") || l.name == "inbox" && strings.HasPrefix(path, "/console/approvals/")
		links = append(links, page.Link{Name: l.name, Path: to, Current: current})
	}
	return links
}

func (f *Front) write(w http.ResponseWriter, r *http.Request, status int, name string, frame page.Frame) {
	var b bytes.Buffer
	if err := f.pages.Write(&b, name, frame); err != nil {
		f.Logger.Error("a page of the console could not be written", "page", name, "path", r.URL.Path, "error", err)
		http.Error(w, frame.L.T("message.fault"), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w)
}

// message is a page that only says something.
func (f *Front) message(w http.ResponseWriter, r *http.Request, v visitor, status int, what string) {
	f.write(w, r, status, "message", f.frame(r, v, v.l.W("message", what), v.l.W("message", what+"-text")))
}

func (f *Front) notFound(w http.ResponseWriter, r *http.Request, v visitor) {
	f.message(w, r, v, http.StatusNotFound, "not-found")
}

func (f *Front) fault(w http.ResponseWriter, r *http.Request, v visitor, err error) {
	if r.Context().Err() == nil {
		f.Logger.Error("the console could not read or write", "path", r.URL.Path, "error", err)
	}
	f.message(w, r, v, http.StatusServiceUnavailable, "fault")
}
