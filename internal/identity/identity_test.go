// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package identity_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/identity"
)

func newKey(t testing.TB, id string) identity.Key {
	t.Helper()
	k, err := identity.NewKey(id, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestKeyForm(t *testing.T) {
	t.Parallel()
	k := newKey(t, "ci1")
	if !regexp.MustCompile(`^tv_[a-z0-9]{1,32}_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$`).MatchString(k.Reveal()) || k.ID() != "ci1" {
		t.Errorf("%s is not of the documented form", k.Reveal())
	}
	again, err := identity.ParseKey(k.Reveal())
	if err != nil || again.Reveal() != k.Reveal() || again.ID() != k.ID() {
		t.Errorf("%v", err)
	}
	sum := sha256.Sum256([]byte(k.Reveal()))
	if k.Hash() != "ci1:"+hex.EncodeToString(sum[:]) {
		t.Error("the hash is not the documented one")
	}
	// A fixed source gives a known key: the form must never change.
	fixed, err := identity.NewKey("k", bytes.NewReader(make([]byte, 32)))
	if err != nil || fixed.Reveal() != "tv_k_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"+fixed.Reveal()[48:] || len(fixed.Reveal()) != 54 {
		t.Errorf("%s %v", fixed.Reveal(), err)
	}
	if one, two := newKey(t, "a"), newKey(t, "a"); one.Reveal() == two.Reveal() {
		t.Error("two keys are equal")
	}
	for _, id := range []string{"", "A", "a_b", "a-b", "ä", strings.Repeat("a", 33)} {
		if _, err := identity.NewKey(id, rand.Reader); err == nil {
			t.Errorf("id %q", id)
		}
	}
	if _, err := identity.NewKey("a", iotest.ErrReader(errors.New("no entropy"))); err == nil {
		t.Error("a key without randomness")
	}
	if _, err := identity.NewKey("a", strings.NewReader("short")); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v", err)
	}
}

// No way of printing, logging or encoding a key shows it.
func TestKeyIsNotPrintable(t *testing.T) {
	t.Parallel()
	k := newKey(t, "ci1")
	secret := k.Reveal()[7:20]
	var logged bytes.Buffer
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("x", "key", k, "in", struct{ K identity.Key }{k})
	slog.New(slog.NewTextHandler(&logged, nil)).Info("x", "key", k, "pointer", &k)
	encoded, err := json.Marshal(map[string]any{"k": k, "p": &k, "s": struct{ K identity.Key }{k}})
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{
		k.String(), fmt.Sprint(k), fmt.Sprintf("%v %+v %#v %s %q %x %d %T", k, k, k, k, k, k, k, k),
		fmt.Sprintf("%v %+v %#v", &k, []identity.Key{k}, map[string]identity.Key{"a": k}),
		fmt.Sprintf("%v %+v %#v", struct{ K identity.Key }{k}, struct{ K *identity.Key }{&k}, struct{ K identity.Key }{k}),
		fmt.Sprintf("%v %+v %#v", struct{ k identity.Key }{k}, struct{ k identity.Key }{k}, struct{ k identity.Key }{k}),
		fmt.Sprintf("%v", fmt.Errorf("x: %v", k)), logged.String(), string(encoded),
	} {
		if strings.Contains(out, secret) || strings.Contains(out, hex.EncodeToString([]byte(secret))) {
			t.Errorf("shown in %s", out)
		}
	}
}

func set(t testing.TB, entries ...identity.Entry) *identity.Set {
	t.Helper()
	s, err := identity.New(entries)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	agent, person, rotated := newKey(t, "agent"), newKey(t, "person"), newKey(t, "agent2")
	s := set(t,
		identity.Entry{
			ID: "agent", Kind: toolverdict.Agent, User: "u_1", Agent: "support-bot", Roles: []string{"support"},
			Permissions: []string{"orders.read", "tool:orders/*"}, KeyHashes: []string{agent.Hash(), rotated.Hash()},
		},
		identity.Entry{ID: "ana@example.com", Kind: toolverdict.Person, KeyHashes: []string{person.Hash()}},
		identity.Entry{ID: "local", Kind: toolverdict.Service},
	)
	want := toolverdict.Subject{
		ID: "agent", Kind: "agent", User: "u_1", Agent: "support-bot", Roles: []string{"support"}, Permissions: []string{"orders.read", "tool:orders/*"},
	}
	for _, k := range []identity.Key{agent, rotated} {
		got, ok := s.Authenticate(k.Reveal())
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Error(ok, diff)
		}
	}
	if got, ok := s.Authenticate(person.Reveal()); !ok || got.User != "ana@example.com" || got.Kind != toolverdict.Person {
		t.Errorf("%+v", got)
	}
	if got, ok := s.Subject("local"); !ok || got.ID != "local" {
		t.Errorf("%+v", got)
	}
	if got, ok := s.Subject("nobody"); ok || got.Authenticated() {
		t.Errorf("%+v", got)
	}
	// What a caller holds changes nothing.
	got, _ := s.Authenticate(agent.Reveal())
	got.Roles[0], got.Permissions[0] = "admin", "*"
	if again, _ := s.Authenticate(agent.Reveal()); again.HasRole("admin") || again.Has("x") {
		t.Error("a subject was changed from outside")
	}
}

func TestFrozenEntries(t *testing.T) {
	t.Parallel()
	k := newKey(t, "a")
	e := []identity.Entry{{ID: "a", Kind: toolverdict.Agent, Roles: []string{"r"}, Permissions: []string{"p"}, KeyHashes: []string{k.Hash()}}}
	s := set(t, e...)
	e[0].Roles[0], e[0].Permissions[0], e[0].KeyHashes[0] = "admin", "*", ""
	if got, ok := s.Authenticate(k.Reveal()); !ok || got.HasRole("admin") || got.Has("x") {
		t.Errorf("%+v", got)
	}
}

// Everything that is not exactly a key of the set is nobody.
func TestAuthenticatesNobodyElse(t *testing.T) {
	t.Parallel()
	k, other, stranger := newKey(t, "mine"), newKey(t, "other"), newKey(t, "stranger")
	s := set(t,
		identity.Entry{ID: "a", Kind: toolverdict.Agent, KeyHashes: []string{k.Hash()}},
		identity.Entry{ID: "b", Kind: toolverdict.Agent, KeyHashes: []string{other.Hash()}},
	)
	text := k.Reveal()
	body, check := text[:len(text)-6], text[len(text)-6:]
	for name, bad := range map[string]string{
		"empty": "", "prefix": "tv_", "only the id": "tv_mine_", "truncated": text[:len(text)-1], "half": text[:20], "longer": text + "x",
		"space before": " " + text, "space after": text + " ", "line break": text + "\n", "NUL": text + "\x00", "scheme": "Bearer " + text,
		"quotes": `"` + text + `"`, "twice": text + text, "the hash": k.Hash(), "only the secret": text[8:],
		"other case": strings.ToUpper(text), "prefix case": "TV_" + text[3:], "unknown": stranger.Reveal(),
		"other's id": strings.Replace(text, "mine", "other", 1), "no id": strings.Replace(text, "mine", "", 1),
		"checksum": body + "000000", "checksum case": body + swapCase(check), "dash for underscore": strings.Replace(text, "_", "-", 1),
		"full width": strings.Replace(text, "tv", "ｔｖ", 1), "Cyrillic": strings.Replace(text, "mine", "minе", 1),
		"zero width": strings.Replace(text, "_", "_\u200b", 1), "another secret, right checksum": rekeyed(t, "mine"),
	} {
		if got, ok := s.Authenticate(bad); ok || got.Authenticated() || got.Has("x") {
			t.Errorf("%s: %q is %+v", name, bad, got)
		}
		if _, err := identity.ParseKey(bad); err != nil && bad != "" && strings.Contains(err.Error(), bad) && len(bad) > 8 {
			t.Errorf("%s: the error shows it: %v", name, err)
		}
	}
	none := set(t)
	if _, ok := none.Authenticate(text); ok {
		t.Error("a set of nobody knows somebody")
	}
}

// rekeyed is another key with the same id.
func rekeyed(t testing.TB, id string) string { return newKey(t, id).Reveal() }

func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 32
		case r >= 'A' && r <= 'Z':
			return r + 32
		}
		return r ^ 1
	}, s)
}

// Any change of any part of a key makes it nobody's.
func TestAnyChangeIsNobody(t *testing.T) {
	t.Parallel()
	k := newKey(t, "mine")
	s := set(t, identity.Entry{ID: "a", Kind: toolverdict.Agent, KeyHashes: []string{k.Hash()}})
	rapid.Check(t, func(t *rapid.T) {
		b := []byte(k.Reveal())
		i := rapid.IntRange(0, len(b)-1).Draw(t, "at")
		c := rapid.Byte().Draw(t, "byte")
		if b[i] == c {
			return
		}
		b[i] = c
		if _, ok := s.Authenticate(string(b)); ok {
			t.Fatalf("%q", b)
		}
	})
}

func TestEntriesRefused(t *testing.T) {
	t.Parallel()
	k := newKey(t, "a")
	good := identity.Entry{ID: "a", Kind: toolverdict.Agent}
	with := func(f func(*identity.Entry)) []identity.Entry {
		e := good
		f(&e)
		return []identity.Entry{e}
	}
	for want, entries := range map[string][]identity.Entry{
		"the id must be":                       with(func(e *identity.Entry) { e.ID = "" }),
		`subject 1 ("a b"): the id must be`:    with(func(e *identity.Entry) { e.ID = "a b" }),
		`subject 1 ("а")`:                      with(func(e *identity.Entry) { e.ID = "а" }), // Cyrillic
		`unknown kind "robot"`:                 with(func(e *identity.Entry) { e.Kind = "robot" }),
		`unknown kind ""`:                      with(func(e *identity.Entry) { e.Kind = "" }),
		"a person acts for no other user":      with(func(e *identity.Entry) { e.Kind, e.User = toolverdict.Person, "b" }),
		"a person is no agent":                 with(func(e *identity.Entry) { e.Kind, e.Agent = toolverdict.Person, "b" }),
		`permission "a*b"`:                     with(func(e *identity.Entry) { e.Permissions = []string{"a*b"} }),
		`permission ""`:                        with(func(e *identity.Entry) { e.Permissions = []string{""} }),
		`permission "a b"`:                     with(func(e *identity.Entry) { e.Permissions = []string{"a b"} }),
		`role "*"`:                             with(func(e *identity.Entry) { e.Roles = []string{"*"} }),
		"user and agent must be visible":       with(func(e *identity.Entry) { e.User = "u\u202e1" }),
		"a key hash is ID:SHA256":              with(func(e *identity.Entry) { e.KeyHashes = []string{k.Reveal()} }),
		"as the gate prints it":                with(func(e *identity.Entry) { e.KeyHashes = []string{"a:" + strings.Repeat("0", 63)} }),
		"when it makes a key":                  with(func(e *identity.Entry) { e.KeyHashes = []string{strings.ToUpper(k.Hash())} }),
		`the key id "a" is used twice`:         with(func(e *identity.Entry) { e.KeyHashes = []string{k.Hash(), rehash(t)} }),
		`subject 2 ("a"): another subject has`: {good, good},
		`"a" and "A" differ in case only`:      {good, {ID: "A", Kind: toolverdict.Person}},
		`"Eva" and "eva" differ in case only`:  {{ID: "eva", Kind: toolverdict.Person}, {ID: "bot", Kind: toolverdict.Agent, User: "Eva"}},
		`"éva" and "Éva" differ in case only`:  {{ID: "b", Kind: toolverdict.Agent, User: "Éva"}, {ID: "c", Kind: toolverdict.Agent, User: "éva"}},
	} {
		s, err := identity.New(entries)
		if err == nil || s != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if err != nil && strings.Contains(err.Error(), k.Reveal()[8:]) {
			t.Errorf("the error shows a key: %v", err)
		}
	}
	_, err := identity.New([]identity.Entry{{ID: ""}, {ID: " "}})
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("not all mistakes are told: %v", err)
	}
}

func rehash(t testing.TB) string { return newKey(t, "a").Hash() }

func FuzzParseKey(f *testing.F) {
	for _, s := range []string{"", "tv_a_", newKey(f, "a").Reveal(), "tv_k_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA000000"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		k, err := identity.ParseKey(s)
		if err == nil && k.Reveal() != s || err != nil && k != (identity.Key{}) {
			t.Fatalf("%q: %v", s, err)
		}
	})
}

func BenchmarkAuthenticate(b *testing.B) {
	k := newKey(b, "a")
	s := set(b, identity.Entry{ID: "a", Kind: toolverdict.Agent, Roles: []string{"r"}, KeyHashes: []string{k.Hash()}})
	b.ReportAllocs()
	for b.Loop() {
		s.Authenticate(k.Reveal())
	}
}

func TestWhoIsOfAUser(t *testing.T) {
	t.Parallel()
	s := set(t,
		identity.Entry{ID: "eva", Kind: toolverdict.Person},
		identity.Entry{ID: "bot", Kind: toolverdict.Agent, User: "eva"},
		identity.Entry{ID: "another", Kind: toolverdict.Agent, User: "bob"},
		identity.Entry{ID: "alone", Kind: toolverdict.Service},
	)
	for user, want := range map[string][]string{"eva": {"bot", "eva"}, "bob": {"another"}, "alone": {"alone"}, "bot": nil, "": nil, "nobody": nil} {
		if diff := cmp.Diff(want, s.Of(user)); diff != "" {
			t.Errorf("of %q (-want +got):\n%s", user, diff)
		}
	}
}
