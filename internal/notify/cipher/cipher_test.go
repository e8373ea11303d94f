// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package cipher_test

import (
	"bytes"
	"crypto/aes"
	stdcipher "crypto/cipher"
	"testing"

	"github.com/toolverdict/toolverdict/internal/notify/cipher"
)

// TestPadding: every byte of it is looked at, and none that is not there.
func TestPadding(t *testing.T) {
	t.Parallel()
	key, iv := make([]byte, 32), make([]byte, 16)
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	sealed := func(text []byte) []byte {
		out := make([]byte, len(text))
		stdcipher.NewCBCEncrypter(block, iv).CryptBlocks(out, text)
		return out
	}
	text := func(pad ...byte) []byte { return append(bytes.Repeat([]byte("x"), 32-len(pad)), pad...) }
	for name, c := range map[string]struct {
		text []byte
		want int // of what is left; -1: refused
	}{
		"one":                {text(1), 31},
		"three":              {text(3, 3, 3), 29},
		"a whole block":      {bytes.Repeat([]byte{32}, 32), 0},
		"one is another":     {text(3, 2, 3), -1},
		"the first is":       {text(2, 3, 3), -1},
		"none":               {text(0), -1},
		"more than a block":  {text(33), -1},
		"more than there is": {bytes.Repeat([]byte{32}, 16), -1},
		"nothing":            {nil, -1},
	} {
		got, err := cipher.Open(key, iv, sealed(c.text), 32)
		if (err == nil) != (c.want >= 0) || err == nil && len(got) != c.want {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	for name, odd := range map[string][]byte{"half a block": make([]byte, 8), "one too many": make([]byte, 17)} {
		if _, err := cipher.Open(key, iv, odd, 32); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
	if _, err := cipher.Open(make([]byte, 5), iv, make([]byte, 16), 16); err == nil {
		t.Error("a key of five bytes")
	}
}

func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("hello"), true)
	f.Add([]byte{}, false)
	f.Add(bytes.Repeat([]byte{16}, 64), true)
	f.Fuzz(func(t *testing.T, text []byte, wide bool) {
		key, iv, block := make([]byte, 32), make([]byte, 16), 16
		if wide {
			block = 32
		}
		sealed, err := cipher.Seal(key, iv, text, block)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := cipher.Open(key, iv, sealed, block); err != nil || !bytes.Equal(got, text) {
			t.Errorf("got %q, %v", got, err)
		}
		_, _ = cipher.Open(key, iv, text, block) // takes nothing down
	})
}
