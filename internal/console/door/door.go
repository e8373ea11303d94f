// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package door is what every page of the console stands behind: who looks, in
// which language, what the head of the page leads to, and the pages that say that
// something is not there or cannot be read. It knows no page's content.
//
// It fails closed: who cannot be looked up sees no page, and rights are those of
// the moment, not of the sign-in.
package door

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/console/page"
	"github.com/toolverdict/toolverdict/internal/console/session"
	"github.com/toolverdict/toolverdict/internal/console/words"
)

// Config is what the door needs. All of it is required but Observe.
type Config struct {
	Sessions *session.Sessions
	Subject  func(ctx context.Context, id, stamp string) (tv.Subject, error)    // who signed in, as they are now
	Mark     func(ctx context.Context) (int64, error)                           // where the audit log stands
	Waiting  func(ctx context.Context, by tv.Subject) (count string, err error) // how many approvals somebody could decide
	Now      func() time.Time
	Logger   *slog.Logger

	Observe bool // the gate enforces no rules
}

// Door lets people in to pages. Pages are laid out before the first request; from
// then on it is safe for concurrent use.
type Door struct {
	Config
	book  *words.Book
	pages *page.Pages
	mux   *http.ServeMux
	ways  []way
}

// way is an entry of the head of each page.
type way struct {
	name string
	may  func(v *Visitor) bool // nil for everybody
	also []string              // beginnings of other paths that belong to it
}

// New reads texts and templates.
func New(c Config) (*Door, error) {
	if c.Sessions == nil || c.Subject == nil || c.Mark == nil || c.Waiting == nil || c.Now == nil || c.Logger == nil {
		return nil, errors.New("make door of the console: every part is needed")
	}
	d := &Door{Config: c, mux: http.NewServeMux()}
	var err error
	if d.book, err = words.Load(); err != nil {
		return nil, err
	}
	if d.pages, err = page.Load(); err != nil {
		return nil, err
	}
	d.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		d.NotFound(w, r, d.Stranger(r))
	})
	return d, nil
}

// Visitor is who looks at a page, in their language. The subject is nobody where
// nobody signed in.
type Visitor struct {
	tv.Subject

	L       *words.Language
	Mark    int64   // where the audit log stood before the page was made
	Waiting *string // how many approvals wait, where that is known already
}

// Officer may look at what others did, as at the API.
func (v *Visitor) Officer() bool {
	return v.Kind == tv.Person && (v.HasRole("auditor") || v.HasRole("admin") || v.HasRole("approver"))
}

// Handler answers a request of somebody who is signed in.
type Handler func(w http.ResponseWriter, r *http.Request, v Visitor)

// Handle lays out a page for those who are signed in.
func (d *Door) Handle(pattern string, h Handler) { d.mux.HandleFunc(pattern, d.signedIn(h)) }

// Open lays out a page for everybody.
func (d *Door) Open(pattern string, h http.HandlerFunc) { d.mux.HandleFunc(pattern, h) }

// order is how the head of each page leads to the others.
func order() []string {
	return []string{"inbox", "activity", "overview", "grants", "outcomes", "tools", "policy"}
}

// Lead has the head of each page lead to /console/NAME; may says for whom, nil
// for everybody. Paths that begin with one of also belong to that page, too.
func (d *Door) Lead(name string, may func(v *Visitor) bool, also ...string) {
	d.ways = append(d.ways, way{name, may, also})
	slices.SortStableFunc(d.ways, func(a, b way) int {
		return slices.Index(order(), a.name) - slices.Index(order(), b.name)
	})
}

// ServeHTTP implements [http.Handler].
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.mux.ServeHTTP(w, r) }

// Stranger is whoever looks, before it is known who that is.
func (d *Door) Stranger(r *http.Request) Visitor { return Visitor{L: d.language(r)} }

// signedIn looks up who is signed in, as they are now.
func (d *Door) signedIn(next Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := d.Stranger(r)
		who, ok := d.Sessions.Who(r.Context())
		if ok {
			var err error
			v.Subject, err = d.Subject(r.Context(), who.ID, who.Stamp)
			if err != nil && !errors.Is(err, tv.ErrNotFound) {
				d.Fault(w, r, v, err)
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
		if v.Mark, err = d.Mark(r.Context()); err != nil {
			d.Fault(w, r, v, err)
			return
		}
		next(w, r, v)
	}
}

// Officers lets only those through who may look at what others did.
func (d *Door) Officers(next Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request, v Visitor) {
		if !v.Officer() {
			d.Message(w, r, v, http.StatusForbidden, "forbidden")
			return
		}
		next(w, r, v)
	}
}

// languageCookie holds the language that somebody chose.
const languageCookie = "toolverdict-language"

func (d *Door) language(r *http.Request) *words.Language {
	chosen := ""
	if c, err := r.Cookie(languageCookie); err == nil {
		chosen = c.Value
	}
	return d.book.Choose(chosen, r.Header.Get("Accept-Language"))
}

// ChooseLanguage keeps a language in the browser.
func (d *Door) ChooseLanguage(w http.ResponseWriter, r *http.Request) {
	chosen := d.book.Choose(r.FormValue("language"), "").Tag
	http.SetCookie(w, &http.Cookie{
		Name: languageCookie, Value: chosen, Path: "/console", MaxAge: int((365 * 24 * time.Hour).Seconds()),
		HttpOnly: true, Secure: true, SameSite: http.SameSiteStrictMode,
	})
	http.Redirect(w, r, Local(r.FormValue("back")), http.StatusSeeOther) //nolint:gosec // G710: Local lets only the console's own pages through
}

// Local is a page of the console, whatever somebody wrote there.
func Local(back string) string {
	if !strings.HasPrefix(back, "/console/") || strings.ContainsAny(back, "\\\r\n") || strings.Contains(back, "//") || strings.Contains(back, "..") {
		return "/console/inbox"
	}
	return back
}

// Frame begins a page.
func (d *Door) Frame(r *http.Request, v Visitor, title string, body any) page.Frame {
	frame := page.Frame{
		L: v.L, Languages: d.book.All(), Title: title, Path: r.URL.RequestURI(),
		Head:    page.Head{Who: v.ID, Officer: v.Officer(), Mark: v.Mark},
		Observe: d.Observe, Body: body, At: d.Now(),
	}
	if r.Method != http.MethodGet {
		frame.Path = "/console/inbox"
	}
	if v.Authenticated() {
		if v.Waiting != nil {
			frame.Waiting = *v.Waiting
		} else {
			frame.Waiting, _ = d.Waiting(r.Context(), v.Subject) // a page without the number is better than none
		}
		frame.Nav = d.nav(r.URL.Path, &v)
	}
	return frame
}

// nav leads to the pages that somebody may see.
func (d *Door) nav(path string, v *Visitor) []page.Link {
	var links []page.Link
	for _, way := range d.ways {
		if way.may != nil && !way.may(v) {
			continue
		}
		to := "/console/" + way.name
		current := path == to || strings.HasPrefix(path, to+"/")
		for _, also := range way.also {
			current = current || strings.HasPrefix(path, also)
		}
		links = append(links, page.Link{Name: way.name, Path: to, Current: current})
	}
	return links
}

// Write writes a page: all of it, or that it cannot be written.
func (d *Door) Write(w http.ResponseWriter, r *http.Request, status int, name string, frame page.Frame) {
	var b bytes.Buffer
	if err := d.pages.Write(&b, name, frame); err != nil {
		d.Logger.Error("a page of the console could not be written", "page", name, "error", err)
		http.Error(w, frame.L.T("message.fault"), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = b.WriteTo(w)
}

// Asset answers with a file that pages load.
func (d *Door) Asset(w http.ResponseWriter, r *http.Request, name string) {
	version, file, _ := strings.Cut(name, "/")
	b, kind, ok := d.pages.Asset(version, file)
	if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable") // its address names its content
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(b)
}

// Message is a page that only says something.
func (d *Door) Message(w http.ResponseWriter, r *http.Request, v Visitor, status int, what string) {
	d.Write(w, r, status, "message", d.Frame(r, v, v.L.W("message", what), v.L.W("message", what+"-text")))
}

// NotFound says that there is no such page, or none for the one who looks.
func (d *Door) NotFound(w http.ResponseWriter, r *http.Request, v Visitor) {
	d.Message(w, r, v, http.StatusNotFound, "not-found")
}

// Fault says that something is broken, and the gate's log what.
func (d *Door) Fault(w http.ResponseWriter, r *http.Request, v Visitor, err error) {
	if r.Context().Err() == nil {
		// The page and not the path: that of a link to an account holds its code.
		d.Logger.Error("the console could not read or write", "page", r.Pattern, "error", err)
	}
	d.Message(w, r, v, http.StatusServiceUnavailable, "fault")
}
