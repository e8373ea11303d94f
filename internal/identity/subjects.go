// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package identity

import (
	"cmp"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/toolverdict/toolverdict"
)

// Entry is one subject as the configuration tells of it.
type Entry struct {
	ID          string
	Kind        toolverdict.SubjectKind
	User        string // on whose behalf; for a person it is the person, and may be left out
	Agent       string
	Roles       []string
	Groups      []string
	Permissions []string // exact, or ending in one *
	KeyHashes   []string // as [Key.Hash] makes them: several keys of one subject can be rotated
}

// Set holds all subjects. It is immutable and safe for concurrent use.
type Set struct {
	subjects map[string]toolverdict.Subject
	keys     map[string]stored // by the key's id
}

type stored struct {
	sum     [sha256.Size]byte
	subject string
}

// New checks the entries. It reports all mistakes at once.
func New(entries []Entry) (*Set, error) {
	s := &Set{subjects: map[string]toolverdict.Subject{}, keys: map[string]stored{}}
	var errs []error
	for i, e := range entries {
		if err := s.add(e); err != nil {
			errs = append(errs, fmt.Errorf("subject %d (%q): %w", i+1, e.ID, err))
		}
	}
	for i, e := range entries {
		for _, name := range []string{e.ID, e.User} {
			if other, ok := s.Near(name); ok {
				errs = append(errs, fmt.Errorf("subject %d (%q): %q and %q differ in case only: write one person's name in one way", i+1, e.ID, name, other))
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return s, nil
}

// Near finds the name of a subject, or of a user on whose behalf one acts, that
// differs from a name in case only. One person under two names could approve what
// was asked for them, or answer twice.
func (s *Set) Near(name string) (other string, ok bool) {
	for id, subject := range s.subjects {
		for _, is := range []string{id, subject.User} {
			if is != name && strings.EqualFold(is, name) {
				return is, true
			}
		}
	}
	return "", false
}

func (s *Set) add(e Entry) error {
	if err := e.check(); err != nil {
		return err
	}
	if _, twice := s.subjects[e.ID]; twice {
		return errors.New("another subject has this id: ids must differ")
	}
	subject := toolverdict.Subject{
		ID: e.ID, Kind: e.Kind, User: e.User, Agent: e.Agent,
		Roles: slices.Clone(e.Roles), Groups: slices.Clone(e.Groups), Permissions: slices.Clone(e.Permissions),
	}
	if e.Kind == toolverdict.Person && e.User == "" {
		subject.User = e.ID
	}
	s.subjects[e.ID] = subject
	for _, h := range e.KeyHashes {
		id, sum, err := parseHash(h)
		if err != nil {
			return err
		}
		if _, twice := s.keys[id]; twice {
			return fmt.Errorf("the key id %q is used twice: make a new key", id)
		}
		s.keys[id] = stored{sum, e.ID}
	}
	return nil
}

func (e *Entry) check() error {
	switch {
	case !isName(e.ID):
		return errors.New("the id must be letters, digits and . _ @ + -, and begin with a letter or digit")
	case e.Kind != toolverdict.Person && e.Kind != toolverdict.Agent && e.Kind != toolverdict.Service:
		return fmt.Errorf("unknown kind %q: use person, agent or service", e.Kind)
	case e.Kind == toolverdict.Person && e.User != "" && e.User != e.ID:
		return errors.New("a person acts for no other user: leave user out, or make the subject an agent")
	case e.Kind == toolverdict.Person && e.Agent != "":
		return errors.New("a person is no agent: leave agent out")
	}
	for _, p := range e.Permissions {
		if !isPlain(p) || strings.Contains(strings.TrimSuffix(p, "*"), "*") {
			return fmt.Errorf("permission %q: name it exactly, or end it in one *", p)
		}
	}
	for _, r := range e.Roles {
		if !isPlain(r) || strings.Contains(r, "*") {
			return fmt.Errorf("role %q: name it exactly, without * and spaces", r)
		}
	}
	for _, g := range e.Groups {
		if !isPlain(g) || strings.Contains(g, "*") {
			return fmt.Errorf("group %q: name it exactly, without * and spaces", g)
		}
	}
	if e.User != "" && !isPlain(e.User) || e.Agent != "" && !isPlain(e.Agent) {
		return errors.New("user and agent must be visible text without spaces")
	}
	return nil
}

func isName(s string) bool {
	return len(s) <= 128 && regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@+-]*$`).MatchString(s)
}

func isPlain(s string) bool {
	return s != "" && len(s) <= 256 && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	})
}

// parseHash reads what [Key.Hash] made. The error never holds it: somebody may
// have put the key itself there.
func parseHash(h string) (id string, sum [sha256.Size]byte, err error) {
	id, text, ok := strings.Cut(h, ":")
	b, err := hex.DecodeString(text)
	if !ok || !isKeyID(id) || err != nil || len(b) != len(sum) || text != strings.ToLower(text) {
		return "", sum, errors.New("a key hash is ID:SHA256, as the gate prints it when it makes a key")
	}
	copy(sum[:], b)
	return id, sum, nil
}

// Authenticate tells whose key a bearer credential is. It is exact: nothing is
// trimmed, folded or tried twice. Where ok is false the subject is nobody.
func (s *Set) Authenticate(bearer string) (subject toolverdict.Subject, ok bool) {
	key, err := ParseKey(bearer)
	if err != nil {
		return toolverdict.Subject{}, false
	}
	kept, known := s.keys[key.id]
	sum := sha256.Sum256([]byte(bearer))
	// An unknown id is compared too, with zeros, so that it takes as long.
	same := subtle.ConstantTimeCompare(sum[:], kept.sum[:]) == 1
	if !known || !same {
		return toolverdict.Subject{}, false
	}
	return s.Subject(kept.subject)
}

// Of returns the ids, sorted, of those who are a user or act on their behalf.
func (s *Set) Of(user string) []string {
	var ids []string
	for id, subject := range s.subjects {
		if user != "" && cmp.Or(subject.User, id) == user {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Subject finds a subject by id, for callers that the host vouches for by other
// means, such as the user of a local process.
func (s *Set) Subject(id string) (subject toolverdict.Subject, ok bool) {
	found, ok := s.subjects[id]
	if !ok {
		return toolverdict.Subject{}, false
	}
	found.Roles, found.Groups, found.Permissions = slices.Clone(found.Roles), slices.Clone(found.Groups), slices.Clone(found.Permissions)
	return found, true
}
