// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package bundle_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/internal/bundle"
)

var made = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func key(n byte) bundle.PrivateKey {
	k, err := bundle.Generate(bytes.NewReader(bytes.Repeat([]byte{n}, 32)))
	if err != nil {
		panic(err)
	}
	return k
}

func sample() bundle.Bundle {
	return bundle.Bundle{
		Name: "prod", Serial: 7, Created: made, Expires: made.Add(time.Hour),
		Files: []bundle.File{{Name: "team/policy.yaml", Content: []byte("policy: \"a\"\n\té\u0000")}, {Name: "b.json", Content: []byte{}}},
	}
}

func sign(t *testing.T, b bundle.Bundle, keys ...bundle.PrivateKey) []byte {
	t.Helper()
	out, err := bundle.Sign(b, keys...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestForm holds the form that docs/bundles.md describes.
func TestForm(t *testing.T) {
	t.Parallel()
	b := sample()
	b.Files = b.Files[1:]
	got := string(sign(t, b, key(1)))
	rest, ok := strings.CutPrefix(got, "toolverdict-bundle-1\nsignature "+key(1).Public().ID()+" ")
	signature, payload, _ := strings.Cut(rest, "\n")
	want := "\n" + `{"created":"2026-11-30T12:00:00Z","expires":"2026-11-30T13:00:00Z","files":[{"content":"","name":"b.json"}],"name":"prod","serial":7}` + "\n"
	if !ok || payload != want {
		t.Errorf("got %s", got)
	}
	raw, err := base64.StdEncoding.DecodeString(signature)
	public, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(key(1).Public().String(), "ed25519:"))
	if err != nil || !ed25519.Verify(public, []byte("toolverdict-bundle-1\n"+strings.TrimSpace(payload)), raw) {
		t.Error("the signature is not over the first line and the payload")
	}
}

func TestSignedAndOpened(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := bundle.Bundle{
			Name: rapid.StringMatching(`[a-z0-9][a-z0-9_.-]{0,62}`).Draw(t, "name"), Serial: rapid.Int64Range(1, bundle.MaxSerial).Draw(t, "serial"),
			Created: made,
		}
		if rapid.Bool().Draw(t, "ends") {
			b.Expires = made.Add(time.Duration(rapid.IntRange(1, 1<<20).Draw(t, "for")) * time.Second)
		}
		for i := range rapid.IntRange(1, 4).Draw(t, "files") {
			b.Files = append(b.Files, bundle.File{Name: fmt.Sprintf("f%d.yaml", i), Content: []byte(rapid.String().Draw(t, "content"))})
		}
		envelope, err := bundle.Sign(b, key(2), key(1))
		if err != nil {
			t.Fatal(err)
		}
		for _, trusted := range [][]bundle.PublicKey{{key(1).Public()}, {key(3).Public(), key(2).Public()}} {
			got, err := bundle.Open(envelope, trusted)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(b, got.Bundle); diff != "" {
				t.Fatal(diff)
			}
		}
		// Whatever is changed of it, it is no longer good, or it says the same.
		at := rapid.IntRange(0, len(envelope)-1).Draw(t, "at")
		changed := bytes.Clone(envelope)
		changed[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		if got, err := bundle.Open(changed, []bundle.PublicKey{key(1).Public()}); err == nil {
			if diff := cmp.Diff(b, got.Bundle); diff != "" {
				t.Fatalf("a changed bundle was opened: %s", diff)
			}
		}
	})
}

func TestNotTrusted(t *testing.T) {
	t.Parallel()
	good := sign(t, sample(), key(1))
	head, payload, _ := strings.Cut(string(good), "\n\n")
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"another key":           {string(sign(t, sample(), key(2))), bundle.ErrUnsigned},
		"no signature":          {"toolverdict-bundle-1\n\n" + payload, bundle.ErrForm},
		"another's key id":      {strings.Replace(string(sign(t, sample(), key(2))), key(2).Public().ID(), key(1).Public().ID(), 1), bundle.ErrUnsigned},
		"another payload":       {head + "\n\n" + strings.Replace(payload, `"serial":7`, `"serial":8`, 1), bundle.ErrUnsigned},
		"payload twice":         {string(good) + payload, bundle.ErrUnsigned},
		"more after it":         {string(good) + "\n", bundle.ErrUnsigned},
		"no last line break":    {strings.TrimSuffix(string(good), "\n"), bundle.ErrForm},
		"other line breaks":     {strings.ReplaceAll(string(good), "\n", "\r\n"), bundle.ErrForm},
		"another version":       {strings.Replace(string(good), "bundle-1", "bundle-2", 1), bundle.ErrForm},
		"nine signatures":       {strings.Replace(string(good), "\n", "\n"+strings.Repeat("signature a b\n", 8), 1), bundle.ErrForm},
		"an unsigned signature": {strings.Replace(string(good), "signature ", "signature a b\nsignature  ", 1), bundle.ErrUnsigned},
		"a page":                {"<html>", bundle.ErrForm},
		"nothing":               {"", bundle.ErrForm},
		"a bare policy":         {"policy: p\nversion: v1\n", bundle.ErrForm},
	} {
		if got, err := bundle.Open([]byte(c.text), []bundle.PublicKey{key(1).Public()}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	changed := head + "\n\n" + strings.Replace(payload, `"serial":7`, `"serial":8`, 1)
	for text, want := range map[string]bool{changed: true, string(sign(t, sample(), key(2))): false} {
		_, err := bundle.Open([]byte(text), []bundle.PublicKey{key(1).Public()})
		if got := strings.Contains(err.Error(), "does not fit the content"); got != want {
			t.Errorf("a changed content is told apart from a stranger's key: %v", err)
		}
	}
	for name, keys := range map[string][]bundle.PublicKey{"no key": nil, "a key of nothing": {{}}} {
		if _, err := bundle.Open(good, keys); !errors.Is(err, bundle.ErrUnsigned) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := bundle.Open(make([]byte, bundle.MaxBytes+1), nil); !errors.Is(err, bundle.ErrForm) {
		t.Errorf("too large: %v", err)
	}
}

// resign puts a payload that Sign would not write under a good signature.
func resign(t *testing.T, payload string) []byte {
	t.Helper()
	seed := bytes.Repeat([]byte{1}, 32)
	signature := ed25519.Sign(ed25519.NewKeyFromSeed(seed), []byte("toolverdict-bundle-1\n"+payload))
	return fmt.Appendf(nil, "toolverdict-bundle-1\nsignature %s %s\n\n%s\n", key(1).Public().ID(), base64.StdEncoding.EncodeToString(signature), payload)
}

// TestSignedAndWrong: a good signature makes nothing good that is not.
func TestSignedAndWrong(t *testing.T) {
	t.Parallel()
	const good = `{"created":"2026-11-30T12:00:00Z","files":[{"content":"","name":"b.json"}],"name":"prod","serial":7}`
	if _, err := bundle.Open(resign(t, good), []bundle.PublicKey{key(1).Public()}); err != nil {
		t.Fatal(err)
	}
	for name, payload := range map[string]string{
		"white space":      strings.Replace(good, ":", ": ", 1),
		"another order":    `{"name":"prod",` + strings.Replace(good[1:], `"name":"prod",`, "", 1),
		"unknown member":   strings.Replace(good, `{"created"`, `{"aaa":1,"created"`, 1),
		"unknown of file":  strings.Replace(good, `"name":"b.json"`, `"name":"b.json","z":1`, 1),
		"member twice":     strings.Replace(good, `"serial":7`, `"serial":7,"serial":8`, 1),
		"serial as text":   strings.Replace(good, `7}`, `"7"}`, 1),
		"serial with end":  strings.Replace(good, `7}`, `7.5}`, 1),
		"serial too large": strings.Replace(good, `7}`, `9007199254740992}`, 1),
		"serial of zero":   strings.Replace(good, `7}`, `0}`, 1),
		"no serial":        strings.Replace(good, `,"serial":7`, ``, 1),
		"no name":          strings.Replace(good, `"name":"prod",`, ``, 1),
		"never made":       strings.Replace(good, `"created":"2026-11-30T12:00:00Z",`, ``, 1),
		"local time":       strings.Replace(good, `12:00:00Z`, `12:00:00+01:00`, 1),
		"no files":         strings.Replace(good, `{"content":"","name":"b.json"}`, ``, 1),
		"file as text":     strings.Replace(good, `{"content":"","name":"b.json"}`, `"b.json"`, 1),
		"content missing":  strings.Replace(good, `"content":"",`, ``, 1),
		"escaped name":     strings.Replace(good, `b.json`, `\u0062.json`, 1),
		"a list":           "[" + good + "]",
	} {
		if got, err := bundle.Open(resign(t, payload), []bundle.PublicKey{key(1).Public()}); err == nil || errors.Is(err, bundle.ErrUnsigned) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestNotSigned(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*bundle.Bundle){
		"no name":         func(b *bundle.Bundle) { b.Name = "" },
		"a name of noise": func(b *bundle.Bundle) { b.Name = "Prod Gate" },
		"no serial":       func(b *bundle.Bundle) { b.Serial = 0 },
		"large serial":    func(b *bundle.Bundle) { b.Serial = bundle.MaxSerial + 1 },
		"over at once":    func(b *bundle.Bundle) { b.Expires = b.Created },
		"no files":        func(b *bundle.Bundle) { b.Files = nil },
		"too many files":  func(b *bundle.Bundle) { b.Files = make([]bundle.File, bundle.MaxFiles+1) },
		"twice":           func(b *bundle.Bundle) { b.Files[1].Name = b.Files[0].Name },
		"no UTF-8":        func(b *bundle.Bundle) { b.Files[0].Content = []byte{0xff} },
		"absolute":        func(b *bundle.Bundle) { b.Files[0].Name = "/etc/policy.yaml" },
		"above":           func(b *bundle.Bundle) { b.Files[0].Name = "../policy.yaml" },
		"roundabout":      func(b *bundle.Bundle) { b.Files[0].Name = "a/../b" },
		"of Windows":      func(b *bundle.Bundle) { b.Files[0].Name = `a\b` },
		"escape":          func(b *bundle.Bundle) { b.Files[0].Name = "a\x1b[2J" },
		"turned":          func(b *bundle.Bundle) { b.Files[0].Name = "a\u202Eb" },
		"nameless":        func(b *bundle.Bundle) { b.Files[0].Name = "" },
		"long name":       func(b *bundle.Bundle) { b.Files[0].Name = strings.Repeat("a", 201) },
		"too large":       func(b *bundle.Bundle) { b.Files[0].Content = bytes.Repeat([]byte("a"), bundle.MaxBytes) },
	} {
		b := sample()
		spoil(&b)
		if _, err := bundle.Sign(b, key(1)); err == nil {
			t.Errorf("%s: it was signed", name)
		}
	}
	if _, err := bundle.Sign(sample()); err == nil {
		t.Error("signed by nobody")
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	k := key(1)
	if back, err := bundle.ParsePrivateKey(k.Reveal() + "\n"); err != nil || back != k {
		t.Errorf("%v", err)
	}
	if back, err := bundle.ParsePublicKey(k.Public().String()); err != nil || back != k.Public() {
		t.Errorf("%v", err)
	}
	if text := fmt.Sprintf("%v %+v %#v %s", k, k, k, k); strings.Contains(text, k.Reveal()[30:40]) || strings.Contains(text, "\\x01") {
		t.Errorf("shown: %s", text)
	}
	for _, text := range []string{"", "ed25519:", k.Public().String() + "\n", k.Public().String() + "AA==", k.Reveal(), strings.ToUpper(k.Public().String())} {
		if _, err := bundle.ParsePublicKey(text); err == nil {
			t.Errorf("public key %q", text)
		}
	}
	for _, text := range []string{"", k.Public().String(), k.Reveal()[:50], k.Reveal() + "\n\n"} {
		_, err := bundle.ParsePrivateKey(text)
		if err == nil || len(text) > 30 && strings.Contains(err.Error(), text[30:40]) {
			t.Errorf("private key: %v", err)
		}
	}
	if _, err := bundle.Generate(strings.NewReader("short")); err == nil {
		t.Error("a key of five bytes")
	}
}

// FuzzOpen: nothing but what a trusted key signed is ever opened, and what is
// opened can be signed again to the same payload.
func FuzzOpen(f *testing.F) {
	good, err := bundle.Sign(sample(), key(1))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte("toolverdict-bundle-1\nsignature a b\n\n{}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := bundle.Open(text, []bundle.PublicKey{key(1).Public()})
		if err != nil {
			return
		}
		if diff := cmp.Diff(sample(), got.Bundle); diff != "" {
			t.Error(diff)
		}
	})
}
