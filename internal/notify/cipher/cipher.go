// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package cipher is the AES-256-CBC of chat platforms, with padding that is
// checked. It knows no platform.
//
// The mode does not tell whether a text was tampered with: callers check the
// platform's signature first.
package cipher

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
)

// ErrForm answers a text that no key made.
var ErrForm = errors.New("decrypt: the text is not of the documented form")

// Open decrypts a text in place of which padding is removed. Padding fills up to
// a multiple of block bytes, each holding how many there are.
func Open(key, iv, text []byte, block int) ([]byte, error) {
	c, err := aes.NewCipher(key)
	if err != nil || len(iv) != aes.BlockSize || block < aes.BlockSize || block > 255 {
		return nil, errors.New("decrypt: the key is not of the documented form")
	}
	if len(text) == 0 || len(text)%aes.BlockSize != 0 {
		return nil, ErrForm
	}
	out := make([]byte, len(text))
	cipher.NewCBCDecrypter(c, iv).CryptBlocks(out, text)
	n := int(out[len(out)-1])
	if n < 1 || n > block || n > len(out) {
		return nil, ErrForm
	}
	for _, b := range out[len(out)-n:] {
		if int(b) != n {
			return nil, ErrForm
		}
	}
	return out[:len(out)-n], nil
}

// Seal encrypts a text.
func Seal(key, iv, text []byte, block int) ([]byte, error) {
	c, err := aes.NewCipher(key)
	if err != nil || len(iv) != aes.BlockSize || block < aes.BlockSize || block > 255 || block%aes.BlockSize != 0 {
		return nil, errors.New("encrypt: the key is not of the documented form")
	}
	n := block - len(text)%block
	padded := make([]byte, len(text)+n)
	copy(padded, text)
	for i := len(text); i < len(padded); i++ {
		padded[i] = byte(n) //nolint:gosec // at most block, which is below 256
	}
	cipher.NewCBCEncrypter(c, iv).CryptBlocks(padded, padded)
	return padded, nil
}
