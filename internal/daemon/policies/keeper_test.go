// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package policies_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/bundle"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/daemon/bundles"
	"github.com/toolverdict/toolverdict/internal/daemon/policies"
	"github.com/toolverdict/toolverdict/internal/rollout"
	"github.com/toolverdict/toolverdict/internal/store/memory"
	"github.com/toolverdict/toolverdict/policy"
)

var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// gate is a gate that takes every policy but those that hold the word BAD. Its
// identity is the text of all files without comments.
type gate struct {
	mu    sync.Mutex
	text  string
	until time.Time
	bad   string
}

type candidate struct {
	g       *gate
	version string
	text    string
}

func (g *gate) Build(_ context.Context, s policies.Set) (policies.Candidate, error) {
	var lines []string
	for _, f := range s.Policies {
		text, _, _ := strings.Cut(string(f.Content), "#")
		if strings.Contains(text, "BAD") || g.bad != "" && strings.Contains(text, g.bad) {
			return nil, fmt.Errorf("%s:1:1: this is BAD", filepath.Base(f.Name))
		}
		lines = append(lines, strings.TrimSpace(text))
	}
	slices.Sort(lines)
	text := strings.Join(lines, "+")
	return &candidate{g, "v" + text, text}, nil
}

func (c *candidate) Identity() (version, hash string) {
	sum := sha256.Sum256([]byte(c.text))
	return c.version, hex.EncodeToString(sum[:])
}

func (c *candidate) Enforce(until time.Time) {
	c.g.mu.Lock()
	defer c.g.mu.Unlock()
	c.g.text, c.g.until = c.text, until
}

func (g *gate) inForce() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text
}

// lab is a place where keepers live.
type lab struct {
	t    *testing.T
	path string
	j    *memory.Store
	now  time.Time
	logs bytes.Buffer
	conf *config.Bundle

	mu      sync.Mutex
	answer  []byte // of the bundle's server
	status  int
	fetched int
}

func newLab(t *testing.T) *lab {
	t.Helper()
	l := &lab{t: t, path: filepath.Join(t.TempDir(), "policy.yaml"), now: start, status: http.StatusOK}
	var err error
	if l.j, err = memory.New(memory.Config{Now: l.clock}); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *lab) clock() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

func (l *lab) pass(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(d)
}

func (l *lab) write(text string) {
	l.t.Helper()
	if err := os.WriteFile(l.path, []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

// withBundle adds a server of bundles.
func (l *lab) withBundle() *lab {
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.fetched++
		tag := fmt.Sprintf(`"%x"`, sha256.Sum256(l.answer))
		if l.status == http.StatusOK && r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", tag)
		w.WriteHeader(l.status)
		_, _ = w.Write(l.answer)
	}))
	l.t.Cleanup(ts.Close)
	l.conf = &config.Bundle{
		Name: "prod", URL: ts.URL, Keys: []string{key(1).Public().String()}, Interval: time.Minute, Timeout: time.Minute, MaxBytes: 1 << 20,
	}
	return l
}

func key(n byte) bundle.PrivateKey {
	k, err := bundle.Generate(bytes.NewReader(bytes.Repeat([]byte{n}, 32)))
	if err != nil {
		panic(err)
	}
	return k
}

// publish has the server answer with a bundle.
func (l *lab) publish(serial int64, text string, change func(*bundle.Bundle)) []byte {
	l.t.Helper()
	b := bundle.Bundle{Name: "prod", Serial: serial, Created: start, Files: []bundle.File{{Name: "org.yaml", Content: []byte(text)}}}
	signer := key(1)
	if change != nil {
		change(&b)
	}
	envelope, err := bundle.Sign(b, signer)
	if err != nil {
		l.t.Fatal(err)
	}
	l.serve(envelope, http.StatusOK)
	return envelope
}

func (l *lab) serve(answer []byte, status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answer, l.status = answer, status
}

// keeper is one process.
type keeper struct {
	*policies.Keeper

	g *gate
	l *lab
}

func (l *lab) keeper() *keeper {
	l.t.Helper()
	g := &gate{}
	c := policies.Config{
		Gate: g, Journal: l.j, Paths: []string{l.path}, Place: rollout.Place([]string{l.path}), Now: l.clock,
		Text: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[hidden]") },
		Log:  slog.New(slog.NewTextHandler(&l.logs, nil)),
		Read: func() (policies.Set, error) {
			b, err := os.ReadFile(l.path)
			return policies.Set{Policies: []policy.File{{Name: l.path, Content: b}}}, err
		},
	}
	var err error
	if l.conf != nil {
		if c.Source, err = bundles.New(l.conf, nil, l.clock); err != nil {
			l.t.Fatal(err)
		}
	}
	k, err := policies.New(c)
	if err != nil {
		l.t.Fatal(err)
	}
	return &keeper{k, g, l}
}

func (l *lab) start() *keeper {
	l.t.Helper()
	k := l.keeper()
	if err := k.Start(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
	return k
}

// wants checks what is in force, and that the status says the same.
func (k *keeper) wants(text string) rollout.Status {
	k.l.t.Helper()
	s, err := k.Status(k.l.t.Context())
	if err != nil || s.Active.Version != "v"+text || k.g.inForce() != text {
		k.l.t.Errorf("%q is in force, and the status says %q (%v); want %q", k.g.inForce(), s.Active.Version, err, text)
	}
	return s
}

// details are the records that were written, oldest first.
func (l *lab) details() []string {
	l.t.Helper()
	return recordsOf(l.t, l.j)
}

func (k *keeper) refuses(err error, word string) {
	k.l.t.Helper()
	s, _ := k.Status(k.l.t.Context())
	if err == nil || !strings.Contains(err.Error(), word) || s.Refused == nil || !strings.Contains(s.Refused.Reason, word) {
		k.l.t.Errorf("got %v, and the status says %+v; want a refusal with %q", err, s.Refused, word)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	if err := l.keeper().Start(t.Context()); err == nil {
		t.Error("started without a file")
	}
	l.write("BAD")
	if err := l.keeper().Start(t.Context()); err == nil {
		t.Error("started with a bad file")
	}
	l.write("a")
	k := l.start()
	if s := k.wants("a"); s.Refused != nil || s.Hold != nil || s.Active.Origin != "files" || !s.Active.At.Equal(start) || s.Source != s.Active {
		t.Errorf("%+v", s)
	}
	l.pass(time.Minute)
	l.write("b")
	if err := k.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.wants("b")
	l.write("BAD")
	for range 2 { // somebody asked twice: it is said twice
		k.refuses(k.Reload(t.Context()), "policy.yaml:1:1: this is BAD")
	}
	k.wants("b")
	l.write("b # the same")
	if err := k.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := k.wants("b"); s.Refused != nil || !s.Active.At.Equal(start.Add(time.Minute)) {
		t.Errorf("%+v", s)
	}
	want := []string{
		"policy put in force from files", "policy put in force from files", "a reload was refused; this policy stays in force",
		"a reload was refused; this policy stays in force", "policy stays in force; it is now from files",
	}
	if got := l.details(); !slices.Equal(got, want) {
		t.Errorf("records: %q", got)
	}
	l.start().wants("b")
}

// TestSteadyReading: files that are replaced while they are read are read again,
// so that no old one comes into force with a new one.
func TestSteadyReading(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.write("a")
	k := l.start()
	read, times := k.Read, 0
	k.Read = func() (policies.Set, error) {
		set, err := read()
		if times++; times <= 2 {
			l.write(fmt.Sprintf("b%d", times))
		}
		return set, err
	}
	l.write("b")
	if err := k.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.wants("b2")
	times = -1000
	k.Read = func() (policies.Set, error) {
		times++
		l.write(fmt.Sprintf("c%d", times))
		return read()
	}
	k.refuses(k.Reload(t.Context()), "keep changing")
	k.wants("b2")
}

// TestStrangers: a command that speaks of another configuration changes nothing.
func TestStrangers(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.write("a")
	l.start()
	l.write("b")
	l.start()
	k := l.keeper()
	k.Place = "elsewhere"
	if err := k.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Rollback(t.Context(), "ann", "va", ""); !errors.Is(err, rollout.ErrStranger) {
		t.Errorf("%v", err)
	}
	if _, err := k.Resume(t.Context(), "ann"); !errors.Is(err, rollout.ErrStranger) {
		t.Errorf("%v", err)
	}
}

// TestLook: what changed is read once it was seen twice, and what is wrong is
// said once.
func TestLook(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.write("a")
	k := l.start()
	ctx := t.Context()
	if k.Look(ctx) {
		t.Error("looks again though nothing changed")
	}
	l.write("half")
	if !k.Look(ctx) {
		t.Error("does not want to look again")
	}
	l.write("half and whole") // it was being written
	if !k.Look(ctx) {
		t.Error("does not want to look a third time")
	}
	k.wants("a")
	if k.Look(ctx) {
		t.Error("looks again after it was read")
	}
	k.wants("half and whole")
	l.write("b")
	k.Look(ctx)
	l.write("half and whole") // and back: nothing happened
	if k.Look(ctx) {
		t.Error("looks again")
	}
	l.write("BAD")
	for range 5 {
		k.Look(ctx)
	}
	if n := strings.Count(l.logs.String(), "was refused"); n != 1 {
		t.Errorf("said %d times", n)
	}
	k.wants("half and whole")
	if err := os.Remove(l.path); err != nil {
		t.Fatal(err)
	}
	k.Look(ctx)
	k.Look(ctx)
	if s := k.wants("half and whole"); s.Refused == nil || !strings.Contains(s.Refused.Reason, "no such file") {
		t.Errorf("%+v", s.Refused)
	}
}

func TestRollback(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.write("a")
	k := l.start()
	ctx := t.Context()
	for _, text := range []string{"b", "c"} {
		l.pass(time.Minute)
		l.write(text)
		if err := k.Reload(ctx); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := k.Versions(ctx)
	if err != nil || len(kept) != 3 || kept[0].Version != "vc" || kept[2].Version != "va" {
		t.Fatalf("%+v, %v", kept, err)
	}
	for name, want := range map[string]error{"vc": rollout.ErrInForce, "vz": tv.ErrNotFound, "": tv.ErrNotFound} {
		if _, err := k.Rollback(ctx, "ann", name, ""); !errors.Is(err, want) {
			t.Errorf("to %q: %v", name, err)
		}
	}
	if _, err := k.Resume(ctx, "ann"); !errors.Is(err, rollout.ErrNoRollback) {
		t.Errorf("resumed: %v", err)
	}
	p, err := k.Rollback(ctx, "ann", kept[2].Hash[:12], "c is wrong\nhunter2\x1b[2J")
	if err != nil || p.Version != "va" {
		t.Fatalf("%+v, %v", p, err)
	}
	if s := k.wants("a"); s.Hold == nil || s.Hold.By != "ann" || s.Hold.Reason != "c is wrong [hidden]" || s.Source.Version != "vc" {
		t.Errorf("%+v", s)
	}
	if got := l.details(); !strings.HasPrefix(got[len(got)-1], "policy rolled back, from vc ") || !strings.HasSuffix(got[len(got)-1], ": c is wrong [hidden]") {
		t.Errorf("records: %q", got)
	}
	// It stays: when the same files are read again, and after a restart.
	l.write("c # touched")
	if err := k.Reload(ctx); err != nil {
		t.Fatal(err)
	}
	k.wants("a")
	again := l.start()
	if s := again.wants("a"); s.Hold == nil {
		t.Error("a restart forgot the rollback")
	}
	// A bad update changes nothing of it.
	l.write("BAD")
	again.refuses(again.Reload(ctx), "BAD")
	again.wants("a")
	// Somebody ends it.
	l.write("c")
	if _, err := again.Resume(ctx, "bob"); err != nil {
		t.Fatal(err)
	}
	if s := again.wants("c"); s.Hold != nil {
		t.Errorf("%+v", s.Hold)
	}
	// The sources say something new: that ends it, too.
	if _, err := again.Rollback(ctx, "ann", "vb", ""); err != nil {
		t.Fatal(err)
	}
	again.wants("b")
	l.write("d")
	if err := again.Reload(ctx); err != nil {
		t.Fatal(err)
	}
	if s := again.wants("d"); s.Hold != nil {
		t.Errorf("%+v", s.Hold)
	}
	// Going back to what the sources say is going on.
	if _, err := again.Rollback(ctx, "ann", "va", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := again.Rollback(ctx, "ann", "vd", ""); err != nil {
		t.Fatal(err)
	}
	if s := again.wants("d"); s.Hold != nil {
		t.Errorf("%+v", s.Hold)
	}
}

// TestUnusableVersions: what does not fit any more is not gone back to, and a
// rollback that cannot be held gives way to what the sources say.
func TestUnusableVersions(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.write("old")
	k := l.start()
	l.write("new")
	if err := k.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	k.g.bad = "old"
	if _, err := k.Rollback(t.Context(), "ann", "vold", ""); !errors.Is(err, rollout.ErrUnusable) {
		t.Errorf("%v", err)
	}
	k.wants("new")
	k.g.bad = ""
	if _, err := k.Rollback(t.Context(), "ann", "vold", ""); err != nil {
		t.Fatal(err)
	}
	next := l.keeper()
	next.g.bad = "old" // of another version of the program
	if err := next.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	next.wants("new")
	if !strings.Contains(l.logs.String(), "cannot be used; going on") {
		t.Error("the log does not say so")
	}
}

// TestOtherProcess: what one process decides, the others on the store take up.
// TestStatusAfterRollback: an update that was refused is not forgotten when a
// rollback was made and ended meanwhile, and times are those of what happened.
func TestStatusAfterRollback(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	ctx := t.Context()
	l.write("a")
	one := l.start()
	l.write("b")
	if err := one.Reload(ctx); err != nil {
		t.Fatal(err)
	}
	l.write("BAD")
	one.refuses(one.Reload(ctx), "BAD")
	beside := func() *policies.Keeper {
		k, err := policies.New(policies.Config{
			Gate: &gate{}, Journal: l.j, Paths: []string{l.path}, Place: rollout.Place([]string{l.path}), Now: l.clock, Beside: true,
			Text: strings.ToUpper, Log: slog.New(slog.DiscardHandler), Read: func() (policies.Set, error) { return policies.Set{}, nil },
		})
		if err == nil {
			err = k.Load(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	check := func(when, active string, at time.Time) {
		t.Helper()
		told, err := beside().Status(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for what, s := range map[string]rollout.Status{"the gate": one.wants(active), "the command": told} {
			if s.Refused == nil || !strings.Contains(s.Refused.Reason, "BAD") {
				t.Errorf("%s, %s: the refused update is forgotten: %+v", when, what, s)
			}
			if s.Active.Version != "v"+active || !s.Active.At.Equal(at) {
				t.Errorf("%s, %s: %s in force since %s, want v%s since %s", when, what, s.Active.Version, s.Active.At, active, at)
			}
		}
	}
	check("before", "b", start)
	l.pass(time.Hour)
	if _, err := beside().Rollback(ctx, "os:ann", "va", ""); err != nil {
		t.Fatal(err)
	}
	one.Follow(ctx)
	check("rolled back", "a", start.Add(time.Hour))
	l.pass(time.Hour)
	if _, err := beside().Resume(ctx, "os:ann"); err != nil {
		t.Fatal(err)
	}
	one.Follow(ctx)
	check("resumed", "b", start.Add(2*time.Hour))
	l.write("c")
	if err := one.Reload(ctx); err != nil {
		t.Fatal(err)
	}
	if s := one.wants("c"); s.Refused != nil {
		t.Errorf("what is right again is told as refused: %+v", s)
	}
}

func TestOtherProcess(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.write("a")
	one := l.start()
	l.write("b")
	if err := one.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	two := l.start()
	ctx := t.Context()
	if _, err := one.Rollback(ctx, "ann", "va", ""); err != nil {
		t.Fatal(err)
	}
	two.wants("b")
	two.Follow(ctx)
	if s := two.wants("a"); s.Hold == nil || s.Hold.By != "ann" {
		t.Errorf("%+v", s)
	}
	if _, err := two.Resume(ctx, "bob"); err != nil {
		t.Fatal(err)
	}
	one.Follow(ctx)
	one.wants("b")
	// Two that read different files do not push each other back and forth.
	l.write("c")
	if err := one.Reload(ctx); err != nil {
		t.Fatal(err)
	}
	before := len(l.details())
	for range 5 {
		one.Follow(ctx)
		two.Follow(ctx)
	}
	two.wants("b")
	if n := len(l.details()); n != before {
		t.Errorf("%d records more", n-before)
	}
	// A command beside them asks for a rollback, though the files are broken.
	l.write("BAD")
	beside, err := policies.New(policies.Config{
		Gate: &gate{}, Journal: l.j, Paths: []string{l.path}, Place: rollout.Place([]string{l.path}), Now: l.clock, Beside: true,
		Text: strings.ToUpper, Log: slog.New(slog.DiscardHandler), Read: func() (policies.Set, error) { return policies.Set{}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := beside.Load(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := beside.Rollback(ctx, "os:ann", "va", ""); err != nil {
		t.Fatal(err)
	}
	one.Follow(ctx)
	one.wants("a")
	if _, err := beside.Resume(ctx, "os:ann"); err != nil {
		t.Fatal(err)
	}
	one.Follow(ctx)
	if s := one.wants("c"); s.Hold != nil || s.Refused == nil || !strings.Contains(s.Refused.Reason, "BAD") { // what the files said before they broke
		t.Errorf("%+v", s)
	}
}
