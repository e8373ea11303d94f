// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package seal_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict/mcpgate/internal/seal"
)

func sealer(t *testing.T, key []byte, purpose string) *seal.Sealer {
	t.Helper()
	s, err := seal.New(key, purpose)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSeal holds that a text opens for its owner, purpose and key alone, and
// that any change to it is found.
func TestSeal(t *testing.T) {
	t.Parallel()
	key := seal.NewKey()
	s, other, foreign := sealer(t, key, "state"), sealer(t, key, "session"), sealer(t, seal.NewKey(), "state")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOf(rapid.Byte()).Draw(t, "text")
		owner := rapid.SliceOfN(rapid.StringN(0, 4, -1), 1, 4).Draw(t, "owner")
		sealed := s.Seal(text, owner...)
		for i := range len(sealed) {
			if sealed[i] <= ' ' || sealed[i] > '~' {
				t.Fatalf("%q cannot stand in a header", sealed)
			}
		}
		if len(text) > 8 && strings.Contains(sealed, string(text)) {
			t.Fatal("the text is in the open")
		}
		if got, err := s.Open(sealed, owner...); err != nil || string(got) != string(text) {
			t.Fatalf("got %q, %v", got, err)
		}
		i := rapid.IntRange(0, len(sealed)-1).Draw(t, "place")
		flipped := []byte(sealed)
		flipped[i] = 'A' + (flipped[i]-'A'+1)%26
		moved := append([]string{strings.Join(owner[:min(2, len(owner))], "")}, owner[min(2, len(owner)):]...)
		for name, open := range map[string]func() ([]byte, error){
			"flipped":         func() ([]byte, error) { return s.Open(string(flipped), owner...) },
			"cut":             func() ([]byte, error) { return s.Open(sealed[:i], owner...) },
			"another owner":   func() ([]byte, error) { return s.Open(sealed, append(slices.Clip(owner), "x")...) },
			"no owner":        func() ([]byte, error) { return s.Open(sealed) },
			"another purpose": func() ([]byte, error) { return other.Open(sealed, owner...) },
			"another key":     func() ([]byte, error) { return foreign.Open(sealed, owner...) },
			"a line end":      func() ([]byte, error) { return s.Open(sealed[:i]+"\n"+sealed[i:], owner...) },
		} {
			if string(flipped) == sealed && name == "flipped" {
				continue
			}
			if got, err := open(); !errors.Is(err, seal.ErrInvalid) {
				t.Fatalf("%s: got %q, %v", name, got, err)
			}
		}
		if len(owner) > 1 {
			if _, err := s.Open(sealed, moved...); err == nil {
				t.Fatal("parts of the owner can be moved into each other")
			}
		}
	})
}

// TestSealSame holds that names stay comparable for their owner, and are no other
// owner's.
func TestSealSame(t *testing.T) {
	t.Parallel()
	s := sealer(t, seal.NewKey(), "task")
	rapid.Check(t, func(t *rapid.T) {
		text, other := rapid.String().Draw(t, "text"), rapid.String().Draw(t, "other")
		owner := rapid.StringN(0, 4, -1).Draw(t, "owner")
		sealed := s.SealSame([]byte(text), "up", owner)
		if (s.SealSame([]byte(other), "up", owner) == sealed) != (text == other) {
			t.Fatal("equal names are told apart, or different ones are not")
		}
		if got, err := s.OpenSame(sealed, "up", owner); err != nil || string(got) != text {
			t.Fatalf("got %q, %v", got, err)
		}
		for _, wrong := range [][]string{{"up", owner + "x"}, {"down", owner}, {"up"}} {
			if _, err := s.OpenSame(sealed, wrong...); !errors.Is(err, seal.ErrInvalid) {
				t.Fatalf("opens for %q", wrong)
			}
		}
		if _, err := s.OpenSame(sealed[:len(sealed)/2], "up", owner); err == nil {
			t.Fatal("half of it opens")
		}
		if _, err := s.Open(sealed, "up", owner); err == nil {
			t.Fatal("it opens as another kind")
		}
	})
}

func TestSealIsFresh(t *testing.T) {
	t.Parallel()
	s := sealer(t, seal.NewKey(), "state")
	if first, second := s.Seal([]byte("x")), s.Seal([]byte("x")); first == second {
		t.Error("the same text is sealed to the same bytes")
	}
}

func TestNewRefusesKeys(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 16, 31, 33} {
		if _, err := seal.New(make([]byte, size), "x"); err == nil {
			t.Errorf("a key of %d bytes was accepted", size)
		}
	}
}
