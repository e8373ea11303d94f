// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package subjects makes the people, agents and services of a configuration, with
// the secrets and credentials that it refers to. It makes those of examples on
// the way, and keeps them in the data folder.
package subjects

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/config"
	"github.com/toolverdict/toolverdict/internal/identity"
	"github.com/toolverdict/toolverdict/internal/secret"
	"github.com/toolverdict/toolverdict/internal/strictyaml"
)

// Secrets are the values behind the references of a configuration. They are
// read once, at start.
type Secrets struct {
	getenv func(string) (string, bool)
	dir    string
	held   []string
}

// Held returns the values that must never show.
func (s *Secrets) Held() []string { return slices.Clone(s.held) }

// ReadSecrets collects every value that must never show, of all upstreams or of
// one.
func ReadSecrets(c *config.Config, only string, getenv func(string) (string, bool)) (*Secrets, error) {
	s := &Secrets{getenv: getenv, dir: c.Dir()}
	var errs []error
	read := func(at func(ref config.Secret, format string, args ...any) strictyaml.Problem, refs map[string]config.Secret) {
		for _, key := range slices.Sorted(maps.Keys(refs)) {
			if _, err := s.Value(refs[key]); err != nil {
				errs = append(errs, at(refs[key], "%s: %v", key, err))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Upstreams)) {
		u := c.Upstreams[name]
		if only != "" && name != only {
			continue
		}
		at := func(ref config.Secret, format string, args ...any) strictyaml.Problem {
			return ref.Problem(u.Placed, "upstream %q: %s", name, fmt.Sprintf(format, args...))
		}
		read(at, u.Set)
		read(at, u.Headers)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Channels)) {
		ch := c.Channels[name]
		read(func(ref config.Secret, format string, args ...any) strictyaml.Problem {
			return ref.Problem(ch.Placed, "channel %q: %s", name, fmt.Sprintf(format, args...))
		}, ch.References())
	}
	if b := c.Bundle; b != nil {
		read(func(ref config.Secret, format string, args ...any) strictyaml.Problem {
			return ref.Problem(b.Placed, "bundle: %s", fmt.Sprintf(format, args...))
		}, b.Headers)
	}
	for _, sub := range c.Subjects {
		for _, k := range sub.Keys {
			if k.From.IsZero() {
				continue
			}
			if _, err := s.Value(k.From); err != nil {
				errs = append(errs, k.From.Problem(sub.Placed, "subject %q: key: %v", sub.ID, err))
			}
		}
	}
	return s, errors.Join(errs...)
}

// Value resolves a reference and remembers what must be hidden.
func (s *Secrets) Value(ref config.Secret) (string, error) {
	v, err := ref.Resolve(s.getenv, s.dir)
	if err == nil && ref.Held() && len(v) >= 4 {
		s.held = append(s.held, v)
	}
	return v, err
}

// Read makes the set of subjects, with the keys of an example made on the
// way.
func Read(c *config.Config, s *Secrets) (*identity.Set, error) {
	entries := describe(c)
	for i, sub := range c.Subjects {
		for _, k := range sub.Keys {
			hash, err := keyHash(c, sub.ID, k, s)
			if err != nil {
				return nil, k.Problem("subject %q: key: %v", sub.ID, err)
			}
			entries[i].KeyHashes = append(entries[i].KeyHashes, hash)
		}
	}
	return identity.New(entries)
}

// Described makes the set of subjects without their keys: nobody can sign
// in.
func Described(c *config.Config) (*identity.Set, error) { return identity.New(describe(c)) }

// Finder finds the people, agents and services of a configuration by their ids.
func Finder(c *config.Config) (func(id string) (tv.Subject, bool), error) {
	people, err := Described(c)
	if err != nil {
		return nil, err
	}
	return people.Subject, nil
}

func describe(c *config.Config) []identity.Entry {
	entries := make([]identity.Entry, len(c.Subjects))
	for i, sub := range c.Subjects {
		entries[i] = identity.Entry{
			ID: sub.ID, Kind: tv.SubjectKind(sub.Kind), User: sub.User, Agent: sub.Agent,
			Roles: sub.Roles, Groups: sub.Groups, Permissions: sub.Permissions,
		}
	}
	return entries
}

// NewKey makes an API key: the key itself, for its owner, and what is written
// into a configuration.
func NewKey() (key, hash string, err error) {
	k, err := identity.NewKey(strings.ToLower(secret.NewID()[:8]), rand.Reader)
	if err != nil {
		return "", "", err
	}
	return k.Reveal(), k.Hash(), nil
}

func keyHash(c *config.Config, id string, k config.Key, s *Secrets) (string, error) {
	if k.Hash != "" {
		return k.Hash, nil
	}
	var text string
	var err error
	if k.Example {
		text, err = exampleKey(c.Data, id)
	} else {
		text, err = s.Value(k.From)
	}
	if err != nil {
		return "", err
	}
	key, err := identity.ParseKey(text)
	if err != nil {
		return "", err
	}
	return key.Hash(), nil
}

// Folders of what a configuration asks to be made.
const (
	exampleKeys      = "keys"
	examplePasswords = "passwords"
)

// exampleKey reads the key that an earlier start made, or makes one.
func exampleKey(data, id string) (string, error) {
	text, err := example(filepath.Join(data, exampleKeys), id, func() (string, error) {
		key, err := identity.NewKey(strings.ToLower(secret.NewID()[:8]), rand.Reader)
		if err != nil {
			return "", err
		}
		return key.Reveal(), nil
	})
	if err != nil {
		return "", fmt.Errorf("make key: %w", err)
	}
	return text, nil
}

// example reads what an earlier start made, or makes it.
func example(dir, id string, create func() (string, error)) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, id)
	b, err := secret.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(b)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w: or remove it, and a new one is made at the next start", err)
	}
	text, err := create()
	if err != nil {
		return "", err
	}
	err = secret.WriteNew(path, []byte(text+"\n"))
	if errors.Is(err, fs.ErrExist) { // another process was quicker: its own counts
		if b, err = secret.ReadFile(path); err == nil {
			return strings.TrimSpace(string(b)), nil
		}
	}
	return text, err
}
