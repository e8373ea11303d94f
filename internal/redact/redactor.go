// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
)

// Sizes of what is shown, in bytes, where the configuration names none.
const (
	defaultSummary = 4 << 10
	defaultText    = 256
	minKey         = 32
	minHeld        = 4
)

// Config is what a [Redactor] is made of.
type Config struct {
	// Key makes digests: at least 32 secret random bytes from the data folder.
	// Whoever has it can guess low-entropy values from records.
	Key []byte
	// Held are the secrets that the gate itself uses, such as credentials of
	// upstreams. Each must have at least 4 bytes: shorter ones cannot be hidden
	// without hiding everything.
	Held []string
	// MaxSummary bounds the redacted arguments of one call, MaxText one string
	// in them, in bytes. 0 means 4096 and 256.
	MaxSummary, MaxText int
}

// Redactor hides secrets. It is immutable and safe for concurrent use.
type Redactor struct {
	markKey, macKey []byte
	held            *heldSet
	detect          *detectors
	maxSummary      int
	maxText         int
}

var _ toolverdict.Redactor = (*Redactor)(nil)

// New makes a redactor. Its errors never hold a secret.
func New(c Config) (*Redactor, error) {
	if len(c.Key) < minKey {
		return nil, fmt.Errorf("make redactor: the key has %d bytes: it needs at least %d", len(c.Key), minKey)
	}
	for i, s := range c.Held {
		if len(s) < minHeld {
			return nil, fmt.Errorf("make redactor: held secret %d has fewer than %d bytes: use a longer one", i+1, minHeld)
		}
	}
	if c.MaxSummary < 0 || c.MaxText < 0 {
		return nil, errors.New("make redactor: sizes must not be negative")
	}
	r := &Redactor{
		markKey: derive(c.Key, "toolverdict placeholder v1"), macKey: derive(c.Key, "toolverdict arguments v1"),
		maxSummary: c.MaxSummary, maxText: c.MaxText,
	}
	if r.maxSummary == 0 {
		r.maxSummary = defaultSummary
	}
	if r.maxText == 0 {
		r.maxText = defaultText
	}
	r.held, r.detect = newHeldSet(c.Held, r), newDetectors()
	return r, nil
}

// derive makes a key for one purpose only.
func derive(key []byte, purpose string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(purpose))
	return h.Sum(nil)
}

// MAC implements [toolverdict.Redactor]: HMAC-SHA256, in hex, of the canonical
// form.
func (r *Redactor) MAC(arguments toolverdict.Value) string {
	h := hmac.New(sha256.New, r.macKey)
	h.Write(canon.Append(make([]byte, 0, 512), arguments))
	return hex.EncodeToString(h.Sum(nil))
}

// Kinds of placeholder.
const (
	kindSensitive = "sensitive" // the tool calls the field sensitive
	kindNamed     = "secret"    // the name of the field or setting says so
	kindToken     = "token"     // a known form of credential
	kindKey       = "key"       // a private key
	kindHeld      = "held"      // a secret that the gate holds
)

// mark is the placeholder of a hidden value: its kind and a short digest. The
// digest is keyed, so that it tells nothing to who lacks the key.
func (r *Redactor) mark(kind, value string) string {
	h := hmac.New(sha256.New, r.markKey)
	h.Write([]byte(value))
	return "[" + kind + " " + hex.EncodeToString(h.Sum(nil)[:4]) + "]"
}

// Text implements [toolverdict.Redactor].
func (r *Redactor) Text(s string) string { return r.homes(r.secrets(s)) }

// Shown implements [toolverdict.Redactor].
func (r *Redactor) Shown(s string) string { return r.secrets(s) }
