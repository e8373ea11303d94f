// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package bundles knows where a configuration's bundle comes from, and judges
// what is fetched by itself: its signature, its name, its end. It keeps nothing
// and puts nothing in force.
package bundles

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/toolverdict/toolverdict/internal/bundle"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/pull"
	"github.com/toolverdict/toolverdict/internal/rollout"
)

// Source is the bundle that a configuration names.
type Source struct {
	conf    *config.Bundle
	feed    *pull.Source
	trusted []bundle.PublicKey
	now     func() time.Time
}

// New makes the source of a bundle. Header holds the credentials.
func New(conf *config.Bundle, header http.Header, now func() time.Time) (*Source, error) {
	c := pull.Config{URL: conf.URL, Header: header, MaxBytes: int64(conf.MaxBytes), Timeout: conf.Timeout}
	if conf.CA != "" {
		pem, err := os.ReadFile(conf.CA)
		if err != nil {
			return nil, fmt.Errorf("read certificates: %w", err)
		}
		c.Roots = x509.NewCertPool()
		if !c.Roots.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("read certificates: there is none in %s", conf.CA)
		}
	}
	feed, err := pull.New(c)
	if err != nil {
		return nil, err
	}
	return &Source{conf, feed, conf.PublicKeys(), now}, nil
}

// Interval is how often the source is to be asked.
func (s *Source) Interval() time.Duration { return s.conf.Interval }

// Status is what is known of the source, and of the bundle accepted last.
func (s *Source) Status(accepted *bundle.Signed, checked time.Time) *rollout.BundleStatus {
	out := &rollout.BundleStatus{Name: s.conf.Name, URL: s.feed.String(), Checked: checked}
	if accepted != nil {
		out.Serial, out.Key, out.Expires = accepted.Serial, accepted.Key.ID(), accepted.Expires
	}
	return out
}

// Origin names the source in logs and in the status.
func (s *Source) Origin() string { return fmt.Sprintf("bundle %s from %s", s.conf.Name, s.feed) }

// Fetched is what the source says is the newest.
type Fetched struct {
	Signed *bundle.Signed // nil: the one that is known already
	Tag    string
}

// Fetch asks for the newest bundle and judges it by itself: its signature, its
// name, its end. Known is the one that is known already.
func (s *Source) Fetch(ctx context.Context, known *bundle.Signed, tag string) (Fetched, error) {
	a, err := s.feed.Get(ctx, tag)
	if err != nil {
		return Fetched{}, err
	}
	if a.Same {
		return Fetched{nil, a.Tag}, nil
	}
	b, err := s.open(a.Body)
	if err != nil {
		return Fetched{}, err
	}
	if !b.Expires.IsZero() && !s.now().Before(b.Expires) {
		return Fetched{}, fmt.Errorf("judge bundle: it ended at %s: sign a newer one", b.Expires.Format(time.RFC3339))
	}
	if known != nil && known.Digest == b.Digest {
		return Fetched{nil, a.Tag}, nil
	}
	return Fetched{b, a.Tag}, nil
}

// open verifies an envelope. It is done each time that one is used, also of one
// that the store kept: a key that is no longer trusted ends what it signed.
func (s *Source) open(envelope []byte) (*bundle.Signed, error) {
	b, err := bundle.Open(envelope, s.trusted)
	if err != nil {
		return nil, err
	}
	if b.Name != s.conf.Name { // signed by the same key for another gate
		return nil, fmt.Errorf("judge bundle: it is for %q and not for %q", b.Name, s.conf.Name)
	}
	return b, nil
}

// errNoBundle says that a kept version was not made with a bundle.
var errNoBundle = errors.New("it was made without the bundle that the configuration names")

// Of returns the bundle that a kept version was made with, verified again.
func (s *Source) Of(v *rollout.Version) (*bundle.Signed, error) {
	if len(v.Bundle) == 0 {
		return nil, errNoBundle
	}
	return s.open(v.Bundle)
}
