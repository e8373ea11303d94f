// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/toolverdict/toolverdict/internal/strictyaml"
)

// Hints says what stops no start and yet leaves a gate that cannot do what it is
// for: programs that are not there, and approvals that nobody could give. find
// finds a program as it is found when it is started, as exec.LookPath does.
func (c *Config) Hints(find func(program string) (string, error)) strictyaml.Problems {
	var ps strictyaml.Problems
	for _, name := range slices.Sorted(maps.Keys(c.Upstreams)) {
		u := c.Upstreams[name]
		if len(u.Command) == 0 {
			continue
		}
		if _, err := find(c.Fill(u.Command[0])); err != nil {
			ps = append(ps, u.Problem("upstream %q: its program cannot be started here: %v", name, err))
		}
	}
	if !slices.ContainsFunc(c.Subjects, c.approves) {
		ps = append(ps, c.Problem("nobody can approve a call for which no rule names its approvers: no person who is %s has a key or a password: make one with 'toolverdict keys new' or 'toolverdict users add', or change approvals.approvers",
			strings.Join(c.Approvals.Approvers, " or ")))
		return ps
	}
	for _, asks := range c.Subjects {
		others := func(s Subject) bool { return c.approves(s) && !strings.EqualFold(s.ID, asks.User) }
		if asks.Kind != "person" && asks.User != "" && !slices.ContainsFunc(c.Subjects, others) {
			ps = append(ps, asks.Problem("nobody can approve what subject %q asks, unless a rule says selfApproval: it acts for %q, who is the only one that approves: leave user out, or add another approver", asks.ID, asks.User))
		}
	}
	return ps
}

// approves reports whether a subject can answer where a rule names nobody.
func (c *Config) approves(s Subject) bool {
	return s.Kind == "person" && (len(s.Keys) > 0 || s.Password != nil) && slices.ContainsFunc(c.Approvals.Approvers, func(a string) bool {
		kind, name, _ := strings.Cut(a, ":")
		return kind == "user" && name == s.ID || kind == "role" && slices.Contains(s.Roles, name) || kind == "group" && slices.Contains(s.Groups, name)
	})
}

// checkKeys refuses a key that two subjects have: nobody could tell who calls.
// Hashes are told apart by the id before the colon, as when somebody signs in.
func (c *Config) checkKeys(add adder) {
	owners := map[string]string{}
	for i := range c.Subjects {
		s := &c.Subjects[i]
		for _, k := range s.Keys {
			mark := k.From.ref
			if k.Hash != "" {
				id, _, _ := strings.Cut(k.Hash, ":")
				mark = "hash " + id
			}
			if mark == "" {
				continue
			}
			if owner, twice := owners[mark]; twice {
				add(k.Placed, "subject %q: this key, or one of the same id, is a key of %q already: make another with 'toolverdict keys new'", s.ID, owner)
			}
			owners[mark] = s.ID
		}
	}
}
