// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// attempt signs in from an address, with a browser's cookies.
func (r *rig) attempt(user, given, from string, cookies []*http.Cookie) *httptest.ResponseRecorder {
	req := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8711/console/sign-in", strings.NewReader(url.Values{"user": {user}, "password": {given}}.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", "http://127.0.0.1:8711")
	req.RemoteAddr = from
	for _, c := range cookies {
		req.AddCookie(c)
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	return w
}

// known are the cookies that stay in a browser after a sign-in, without the session.
func known(w *httptest.ResponseRecorder) []*http.Cookie {
	var out []*http.Cookie
	for _, c := range w.Result().Cookies() {
		if strings.HasSuffix(c.Name, "-known") {
			out = append(out, c)
		}
	}
	return out
}

// Whoever guesses without end, from elsewhere or from behind the same proxy, does
// not keep those out who were here before.
func TestGuessesLockNobodyOutOfTheirOwnBrowser(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	first := r.attempt("ada", secret, "192.0.2.1:1", nil)
	mine := known(first)
	if first.Code != http.StatusSeeOther || len(mine) != 1 || !mine[0].Secure || !mine[0].HttpOnly || mine[0].SameSite != http.SameSiteStrictMode {
		t.Fatalf("%d, %v", first.Code, mine)
	}
	veras := known(r.attempt("vera", secret, "192.0.2.2:1", nil))
	for range 12 {
		r.attempt("ada", "guess", "192.0.2.1:1", nil)
	}
	if w := r.attempt("ada", secret, "192.0.2.1:1", nil); w.Code != http.StatusTooManyRequests {
		t.Fatalf("a browser that nobody knows: %d", w.Code)
	}
	if w := r.attempt("ada", secret, "192.0.2.1:1", mine); w.Code != http.StatusSeeOther {
		t.Errorf("ada in her own browser: %d", w.Code)
	}
	if r.lets(mine) {
		t.Error("a browser that is known is signed in")
	}
	forged := *mine[0]
	forged.Value = "A" + forged.Value
	short := *mine[0]
	short.Value, _, _ = strings.Cut(short.Value, ".")
	for name, cookies := range map[string][]*http.Cookie{"vera's browser": veras, "forged": {&forged}, "without its sum": {&short}} {
		if w := r.attempt("ada", secret, "192.0.2.1:1", cookies); w.Code != http.StatusTooManyRequests {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
}

// A browser that is known guesses no quicker than any other.
func TestKnownBrowsersAreCountedToo(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	mine := known(r.attempt("ada", secret, "192.0.2.1:1", nil))
	codes := map[int]int{}
	for range 12 {
		codes[r.attempt("ada", "guess", "192.0.2.1:1", mine).Code]++
	}
	if codes[http.StatusForbidden] != 10 || codes[http.StatusTooManyRequests] != 2 {
		t.Errorf("12 guesses: %v", codes)
	}
}

// lets reports whether somebody with these cookies is signed in.
func (r *rig) lets(cookies []*http.Cookie) bool {
	req := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8711/console/inbox", nil)
	for _, c := range cookies {
		req.AddCookie(c)
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	return w.Code == http.StatusOK
}
