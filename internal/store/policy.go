// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"
	"slices"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/rollout"
)

// EncodedPolicy is a change of policies, checked and turned into bytes.
type EncodedPolicy struct {
	Encoded
	rollout.Change

	Row Row // of the version, where there is one
}

// EncodePolicy checks a change of policies and encodes its parts.
func EncodePolicy(c rollout.Change) (EncodedPolicy, error) {
	e := EncodedPolicy{Change: c}
	var keys []string
	for _, n := range c.Notes {
		if n.Key == "" || n.From < 0 || len(n.Body) == 0 || slices.Contains(keys, n.Key) {
			return e, errors.New("check change of policies: a note has no key, no text, or is changed twice")
		}
		keys = append(keys, n.Key)
	}
	var err error
	if e.Encoded, err = Encode(tv.Changes{Records: []tv.Record{c.Record}}); err != nil {
		return e, err
	}
	if c.Version != nil {
		e.Row.Body, e.Row.Content, err = c.Version.Encode()
	}
	return e, err
}

// KeptPolicy is what a store tells of a policy to find out whether it stays.
type KeptPolicy struct {
	Hash string
	Size int
}

// Forget returns the hashes of those that no longer stay, of all that are kept,
// the newest first: the one that is written now stays, and those to be spared.
func (e *EncodedPolicy) Forget(kept []KeptPolicy) []string {
	var out []string
	size := 0
	for i, k := range kept {
		size += k.Size
		over := i >= rollout.MaxVersions || size > rollout.MaxKept
		if over && k.Hash != e.Version.Hash && !slices.Contains(e.Spare, k.Hash) {
			out = append(out, k.Hash)
		}
	}
	return out
}
