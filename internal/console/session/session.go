// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package session remembers who signed in to the console, by a cookie. It knows
// no passwords and no rights: whoever asks who somebody is looks up anew what
// they may do.
//
// Sessions are kept on the store's shelf under a hash of their token, so that
// they survive a restart and nobody who reads the shelf can use them. A store
// that cannot be read or written means that nobody is signed in.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/alexedwards/scs/v2"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/shelf"
	"github.com/toolverdict/toolverdict/internal/webguard"
)

// How long a session lasts: since the sign-in, and since it was last used.
const (
	Lifetime = 12 * time.Hour
	Idle     = 30 * time.Minute
)

// Config is what sessions are made of. Shelf, Now and Log are required.
type Config struct {
	Shelf   shelf.Shelf
	Now     func() time.Time
	Log     *slog.Logger
	Hosts   []string // names besides loopback ones that people call the gate by
	BaseURL string   // where people reach it
}

// Who is what a session says of the one who signed in.
type Who struct {
	ID    string
	Stamp string // of the password, see people.Directory
}

// Sessions begins, finds and ends them. It is safe for concurrent use.
type Sessions struct {
	scs   *scs.SessionManager
	guard *webguard.Guard
	cross *http.CrossOriginProtection
}

// New checks the parts.
func New(c Config) (*Sessions, error) {
	if c.Shelf == nil || c.Now == nil || c.Log == nil {
		return nil, errors.New("make sessions: Shelf, Now and Log are needed")
	}
	m := scs.New()
	m.Lifetime, m.IdleTimeout = Lifetime, Idle
	m.Store, m.Codec, m.ErrorFunc, m.HashTokenInStore = &kept{c.Shelf, c.Now}, codec{}, failed(c.Log), true
	// A browser sends it to this host only, over a connection that nobody else
	// reads (loopback counts as one), shows it to no script, and never with a
	// request that another site caused. It ends with the browser.
	m.Cookie = scs.SessionCookie{Name: CookieName(c.BaseURL), Path: "/", HttpOnly: true, Secure: true, SameSite: http.SameSiteStrictMode}
	return &Sessions{m, webguard.New(c.Hosts, nil), http.NewCrossOriginProtection()}, nil
}

func failed(log *slog.Logger) func(http.ResponseWriter, *http.Request, error) {
	return func(w http.ResponseWriter, r *http.Request, err error) {
		if r.Context().Err() == nil {
			log.Error("a session could not be read or written", "error", err)
		}
		http.Error(w, "The session cannot be read or written now; the gate's log says why.", http.StatusServiceUnavailable)
	}
}

// CookieName tells gates on one machine apart: a browser sends a cookie to every
// port of a host.
func CookieName(base string) string {
	name := "__Host-toolverdict" // browsers hold this prefix to its promise
	if u, err := url.Parse(base); err == nil && u.Port() != "" {
		name += "-" + u.Port()
	}
	return name
}

// Refresh is the header by which a page that is open says that nobody asked: it
// only looks whether something changed.
const Refresh = "X-Console-Refresh"

// Wrap finds the session of each request and writes it back. Being used keeps
// it; being looked at by a page that was left open does not.
func (s *Sessions) Wrap(next http.Handler) http.Handler {
	used := s.scs.LoadAndSave(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.Header.Get(Refresh) == "" {
			used.ServeHTTP(w, r)
			return
		}
		token := ""
		if c, err := r.Cookie(s.scs.Cookie.Name); err == nil {
			token = c.Value
		}
		ctx, err := s.scs.Load(r.Context(), token)
		if err != nil {
			s.scs.ErrorFunc(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

const (
	keyID    = "id"
	keyStamp = "stamp"
)

// Begin signs somebody in, under a token that nobody knew before.
func (s *Sessions) Begin(ctx context.Context, w Who) error {
	if err := s.scs.Clear(ctx); err != nil {
		return fmt.Errorf("begin session: %w", err)
	}
	if err := s.scs.RenewToken(ctx); err != nil {
		return fmt.Errorf("begin session: %w", err)
	}
	s.scs.Put(ctx, keyID, w.ID)
	s.scs.Put(ctx, keyStamp, w.Stamp)
	return nil
}

// End signs out.
func (s *Sessions) End(ctx context.Context) error { return s.scs.Destroy(ctx) }

// Who tells who is signed in, in a handler below [Sessions.Wrap].
func (s *Sessions) Who(ctx context.Context) (Who, bool) {
	w := Who{s.scs.GetString(ctx, keyID), s.scs.GetString(ctx, keyStamp)}
	return w, w.ID != ""
}

// Peek tells who is signed in without keeping the session: a page that is only
// left open must not.
func (s *Sessions) Peek(r *http.Request) (Who, bool) {
	c, err := r.Cookie(s.scs.Cookie.Name)
	if err != nil {
		return Who{}, false
	}
	ctx, err := s.scs.Load(r.Context(), c.Value)
	if err != nil {
		return Who{}, false
	}
	return s.Who(ctx)
}

// codec writes sessions so that equal ones are equal bytes.
type codec struct{}

type written struct {
	Deadline time.Time         `json:"deadline"`
	Values   map[string]string `json:"values"`
}

// Encode implements scs.Codec.
func (codec) Encode(deadline time.Time, values map[string]any) ([]byte, error) {
	w := written{Deadline: deadline.UTC(), Values: map[string]string{}}
	for key, v := range values {
		text, ok := v.(string)
		if !ok {
			return nil, fmt.Errorf("encode session: %s is no text", key)
		}
		w.Values[key] = text
	}
	return json.Marshal(w)
}

// Decode implements scs.Codec.
func (codec) Decode(b []byte) (time.Time, map[string]any, error) {
	var w written
	if err := json.Unmarshal(b, &w); err != nil {
		return time.Time{}, nil, fmt.Errorf("decode session: %v", err)
	}
	values := map[string]any{}
	for key, text := range w.Values {
		values[key] = text
	}
	return w.Deadline, values, nil
}

// kind names sessions on the shelf.
const kind = "session"

// kept is the shelf as scs has it.
type kept struct {
	shelf shelf.Shelf
	now   func() time.Time
}

var _ scs.CtxStore = (*kept)(nil)

// FindCtx implements scs.CtxStore. A session that is over is not there.
func (k *kept) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	row, err := k.shelf.Row(ctx, kind, token)
	if err != nil {
		return nil, false, fmt.Errorf("find session: %w", err)
	}
	return row.Body, row.Revision > 0 && !ended(row) && k.now().Before(row.Due), nil
}

// touchEvery is how much longer a session must be good for to be written again:
// not every look at a page is worth a write to the disk.
const touchEvery = time.Minute

// CommitCtx implements scs.CtxStore.
func (k *kept) CommitCtx(ctx context.Context, token string, b []byte, until time.Time) error {
	row, err := k.shelf.Row(ctx, kind, token)
	if err != nil {
		return fmt.Errorf("keep session: %w", err)
	}
	if ended(row) || row.Revision > 0 && string(row.Body) == string(b) && until.Sub(row.Due) < touchEvery {
		return nil
	}
	err = k.shelf.Shelve(ctx, []shelf.Change{{From: row.Revision, Row: shelf.Row{Kind: kind, Key: token, Due: until, Body: b}}})
	if conflict(err) && row.Revision > 0 {
		return nil // another request has written or ended it a moment ago
	}
	if err == nil {
		err = k.forget(ctx, token)
	}
	if err != nil {
		return fmt.Errorf("keep session: %w", err)
	}
	return nil
}

// forget drops sessions that are over, but the one at hand. It is a write of its own: where another
// request forgets the same ones at that moment, nobody's sign-in fails.
func (k *kept) forget(ctx context.Context, but string) error {
	over, err := k.shelf.Rows(ctx, shelf.Query{Kind: kind, DueBy: k.now(), Limit: forgetMost})
	var drops []shelf.Change
	for _, old := range over {
		if old.Key != but {
			drops = append(drops, shelf.Change{From: old.Revision, Row: old, Drop: true})
		}
	}
	if err != nil || len(drops) == 0 {
		return err
	}
	if err := k.shelf.Shelve(ctx, drops); !conflict(err) {
		return err
	}
	return nil
}

func conflict(err error) bool {
	_, ok := errors.AsType[*tv.ConflictError](err)
	return ok
}

// forgetMost is how many sessions that are over go with each one that is
// written.
const forgetMost = 50

// end stands where a session was: a request that was under way when somebody
// signed out must not bring it back.
const end = "ended"

func ended(row shelf.Row) bool { return string(row.Body) == end }

// DeleteCtx implements scs.CtxStore.
func (k *kept) DeleteCtx(ctx context.Context, token string) error {
	for range 8 {
		row, err := k.shelf.Row(ctx, kind, token)
		if err != nil || row.Revision == 0 || ended(row) {
			return err
		}
		over := shelf.Row{Kind: kind, Key: token, Due: k.now().Add(Lifetime), Body: []byte(end)}
		err = k.shelf.Shelve(ctx, []shelf.Change{{From: row.Revision, Row: over}})
		if !conflict(err) {
			return err
		}
	}
	return errors.New("end session: others keep changing it: try again")
}

// Find implements scs.Store, which asks for it and calls FindCtx.
func (k *kept) Find(token string) ([]byte, bool, error) {
	return k.FindCtx(context.Background(), token)
}

// Commit implements scs.Store.
func (k *kept) Commit(token string, b []byte, until time.Time) error {
	return k.CommitCtx(context.Background(), token, b, until)
}

// Delete implements scs.Store.
func (k *kept) Delete(token string) error { return k.DeleteCtx(context.Background(), token) }
