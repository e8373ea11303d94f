// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package notifytest is what every channel must hold, as one suite. The platform
// behind a channel is a fake that speaks as its documentation says.
package notifytest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/toolverdict/toolverdict/internal/notify"
	"github.com/toolverdict/toolverdict/internal/notify/words"
)

// Subject is a channel under test.
type Subject struct {
	// Store makes a store by a clock.
	Store func(t testing.TB, now func() time.Time) Store
	// Open makes the channel and the platform behind it.
	Open func(t testing.TB, now func() time.Time) Platform
	// NoSignature says that the platform signs nothing: what it sends is believed
	// for the connection it comes over.
	NoSignature bool
	// Update writes the cards of testdata anew.
	Update bool
}

// Platform is a fake of what is behind a channel.
type Platform interface {
	Channel() notify.Channel
	// Account is how the channel names somebody of the platform.
	Account(who string) string
	// Press has somebody press a button, and returns what they are told.
	Press(t testing.TB, gate *notify.Service, p Press) Told
	Behind
}

// Behind is what a platform has from its channel.
type Behind interface {
	// Shown is the last card that the platform was given, as it came.
	Shown() []byte
	// Token is that of the last card's buttons; "" where it has none.
	Token() string
	// Fail has the platform refuse what the channel sends, or take it again.
	Fail(status int)
}

// Press is a button that somebody presses.
type Press struct {
	Event string
	Who   string
	Token string
	Vote  notify.Vote
	At    time.Time
	Forge Forge
	Link  bool // whoever presses is told a link apart
}

// Forge is what is wrong with a callback.
type Forge int

// Ways to forge one.
const (
	Honest Forge = iota
	Tampered
	WrongKey
	Oversized
	Malformed
)

// Told is what came of a press for whoever pressed.
type Told struct {
	Refused bool // the callback was not believed
	Text    string
	Ended   bool // the card was changed in the answer
}

// Mail is what a platform was told for one person, in order.
type Mail struct {
	once sync.Once
	mail chan string
}

func (m *Mail) open() chan string {
	m.once.Do(func() { m.mail = make(chan string, 1024) })
	return m.mail
}

// Put is one message.
func (m *Mail) Put(text string) { m.open() <- text }

// Take waits for the next one.
func (m *Mail) Take(t testing.TB) string {
	t.Helper()
	select {
	case text := <-m.open():
		return text
	case <-t.Context().Done():
		t.Error("nobody was told anything")
		return ""
	}
}

// Server is a fake of a platform's HTTP interface: one answer for each path.
type Server struct {
	*httptest.Server
	mu    sync.Mutex
	fail  int
	shown []byte
}

// NewServer serves paths on this machine.
func NewServer(t testing.TB, paths map[string]http.HandlerFunc) *Server {
	t.Helper()
	s := &Server{}
	mux := http.NewServeMux()
	for path, handle := range paths {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			s.mu.Lock()
			fail := s.fail
			s.mu.Unlock()
			if fail != 0 {
				w.WriteHeader(fail)
				return
			}
			handle(w, r)
		})
	}
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// Fail has every path answer with a status; 0 ends that.
func (s *Server) Fail(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = status
}

// Show keeps a card that was given.
func (s *Server) Show(card []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = bytes.Clone(card)
}

// Shown is the last card that was given.
func (s *Server) Shown() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown
}

// Deliver gives a callback to the gate and returns its answer.
func Deliver(t testing.TB, gate *notify.Service, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	gate.Callbacks().ServeHTTP(w, r.WithContext(t.Context()))
	return w
}

// ChannelName is what the channel under test is called.
const ChannelName = "under-test"

// golden compares JSON with a file of the tested package's testdata, or writes it.
func golden(t *testing.T, language words.Language, got []byte, update bool) {
	t.Helper()
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, got, "", "  "); err != nil {
		t.Fatalf("the card is no JSON: %v", err)
	}
	pretty.WriteByte('\n')
	path := filepath.Join("testdata", "card."+string(language)+".json")
	if update {
		if err := os.MkdirAll("testdata", 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, pretty.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, pretty.Bytes()) {
		t.Errorf("the card is not that of %s; run with -update and look at the change:\n%s", path, pretty.Bytes())
	}
}
