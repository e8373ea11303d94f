// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package password_test

import (
	"strings"
	"testing"

	"github.com/toolverdict/toolverdict/internal/identity/password"
)

func TestOnlyItsOwnPasswordMatches(t *testing.T) {
	t.Parallel()
	const right = "correct horse battery staple"
	h, err := password.New(right)
	if err != nil {
		t.Fatal(err)
	}
	read, err := password.Parse(h.String())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		hash  password.Hash
		given string
		want  bool
	}{
		"itself":           {h, right, true},
		"read back":        {read, right, true},
		"another":          {h, "correct horse battery stapl", false},
		"empty":            {h, "", false},
		"no hash":          {password.Hash{}, right, false},
		"no hash, nothing": {password.Hash{}, "", false},
		"nobody":           {password.Nobody(), right, false},
		"nobody, nothing":  {password.Nobody(), "", false},
		"too long":         {h, strings.Repeat("x", password.Longest+1), false},
	} {
		if got := c.hash.Matches(c.given); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
	again, err := password.New(right)
	if err != nil || again.String() == h.String() {
		t.Errorf("two hashes of one password are equal: no salt (%v)", err)
	}
}

// One vector of the reference implementation's own test suite keeps the
// parameters in their places.
func TestReferenceVector(t *testing.T) {
	t.Parallel()
	h, err := password.Parse("$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc")
	if err != nil {
		t.Fatal(err)
	}
	if !h.Matches("password") || h.Matches("Password") {
		t.Error("the reference's hash of \"password\" does not match it, or matches another")
	}
}

func TestParseIsStrict(t *testing.T) {
	t.Parallel()
	const good = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	for name, text := range map[string]string{
		"nothing":            "",
		"the password":       "hunter2hunter2",
		"argon2i":            strings.Replace(good, "argon2id", "argon2i", 1),
		"another version":    strings.Replace(good, "v=19", "v=16", 1),
		"no memory":          strings.Replace(good, "m=65536", "m=1", 1),
		"all the memory":     strings.Replace(good, "m=65536", "m=4294967295", 1),
		"many passes":        strings.Replace(good, "t=2", "t=4000000", 1),
		"no passes":          strings.Replace(good, "t=2", "t=0", 1),
		"no lanes":           strings.Replace(good, "p=1", "p=0", 1),
		"lanes overflow":     strings.Replace(good, "p=1", "p=257", 1),
		"more parameters":    strings.Replace(good, "p=1", "p=1,x=1", 1),
		"a plus sign":        strings.Replace(good, "t=2", "t=+2", 1),
		"a leading zero":     strings.Replace(good, "t=2", "t=02", 1),
		"a short salt":       strings.Replace(good, "c29tZXNhbHQ", "c29t", 1),
		"a short sum":        good[:len(good)-30],
		"padding":            good + "=",
		"a line break":       good + "\n",
		"another part":       good + "$",
		"bits after the sum": good[:len(good)-1] + "d",
	} {
		_, err := password.Parse(text)
		if err == nil {
			t.Errorf("%s: was read", name)
		}
		if err != nil && text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("%s: the error quotes it", name)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"ten bytes!": true, "nine byte": false, "": false, "密码要有十个字节": true, "with\ttab-in-it": false,
		"with\x00nul-in-it": false, "not utf8 \xff\xff": false, strings.Repeat("x", 1024): true, strings.Repeat("x", 1025): false,
	} {
		if err := password.Check(text); (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
	if made := password.Make(); password.Check(made) != nil || made == password.Make() {
		t.Errorf("a made password is bad or made twice: %q", made)
	}
}
