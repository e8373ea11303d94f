// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/internal/bundle"
	"github.com/toolverdict/toolverdict/internal/pull"
)

// Bounds of fetching.
const (
	minInterval = time.Second
	maxInterval = 24 * time.Hour
	maxFetch    = 10 * time.Minute
)

func (b *Bundle) fill() {
	if b.Interval == 0 {
		b.Interval = time.Minute
	}
	if b.Timeout == 0 {
		b.Timeout = 30 * time.Second
	}
	if b.MaxBytes == 0 {
		b.MaxBytes = 8 << 20
	}
}

func (b *Bundle) check(add adder) {
	if err := bundle.CheckName(b.Name); err != nil {
		add(b.Placed, "bundle.name: %v", err)
	}
	if err := pull.CheckURL(b.URL); err != nil {
		add(b.Placed, "bundle.url: %v", err)
	}
	if len(b.Keys) == 0 {
		add(b.Placed, "bundle.keys: name at least one public key: a bundle that nobody signed is never taken")
	}
	for _, k := range b.Keys {
		if _, err := bundle.ParsePublicKey(k); err != nil {
			add(b.Placed, "bundle.keys: %v", err)
		}
	}
	if b.Interval < minInterval || b.Interval > maxInterval {
		add(b.Placed, "bundle.interval: between %v and %v", minInterval, maxInterval)
	}
	if b.Timeout < 0 || b.Timeout > maxFetch {
		add(b.Placed, "bundle.timeout: at most %v", maxFetch)
	}
	if b.MaxBytes < 1<<10 || b.MaxBytes > bundle.MaxBytes {
		add(b.Placed, "bundle.maxBytes: between 1024 and %d", bundle.MaxBytes)
	}
	if local := strings.HasPrefix(b.URL, "file:"); local && (len(b.Headers) > 0 || b.CA != "") {
		add(b.Placed, "bundle: headers and ca belong to an https address")
	}
	for _, h := range slices.Sorted(maps.Keys(b.Headers)) {
		if !headerName.MatchString(h) {
			add(b.Placed, "bundle: %q cannot name a header", h)
		}
	}
}

// PublicKeys are the keys whose signatures count. They were checked when the
// file was read.
func (b *Bundle) PublicKeys() []bundle.PublicKey {
	var out []bundle.PublicKey
	for _, text := range b.Keys {
		if k, err := bundle.ParsePublicKey(text); err == nil {
			out = append(out, k)
		}
	}
	return out
}
