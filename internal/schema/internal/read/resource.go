// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package read

import (
	"net/url"
	"strings"

	"github.com/toolverdict/toolverdict/internal/canon"
)

// base is where the document is said to live, so that relative references have
// something to be relative to. Nothing is ever read from there.
const base = "toolverdict:///schema.json"

// resource is a part of the document with an address of its own, and what
// belongs to it: everything below that is of no other.
type resource struct {
	place   canon.Value
	address string
	anchors map[string]canon.Value
	dynamic []canon.Value // those of the anchors that a $dynamicAnchor makes
}

// name gives a place of the resource a name. One place may have it twice.
func (r *resource) name(anchor string, place canon.Value) (fresh bool) {
	if other, taken := r.anchors[anchor]; taken {
		return other == place
	}
	if r.anchors == nil {
		r.anchors = map[string]canon.Value{}
	}
	r.anchors[anchor] = place
	return true
}

// maxAddress bounds an address. A long one would be repeated by every part that
// is relative to it.
const maxAddress = 2_000 // bytes

const unreadable = "cannot be read"

// join makes an address absolute, or says what is wrong with it. Both come
// without a fragment. Addresses that are not paths, such as urn:…, have nothing
// that is relative to them.
func join(from, to string) (address, wrong string) {
	start, err := url.Parse(from)
	if err != nil {
		return "", unreadable
	}
	way, err := url.Parse(to)
	if err != nil {
		return "", unreadable
	}
	goal := start.ResolveReference(way)
	if !way.IsAbs() && start.Opaque != "" {
		goal.Opaque = start.Opaque
	}
	address = goal.String()
	return address, unless(len(address) <= maxAddress, "is too long, which is not supported")
}

// splitReference separates an address from the fragment, which is decoded.
func splitReference(s string) (address, fragment string, ok bool) {
	address, fragment, _ = strings.Cut(s, "#")
	fragment, err := url.PathUnescape(fragment)
	return address, fragment, err == nil
}

// isPointer reports whether a fragment is a JSON pointer, not an anchor.
func isPointer(fragment string) bool { return fragment == "" || fragment[0] == '/' }
