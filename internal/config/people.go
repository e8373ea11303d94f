// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package config

import "github.com/toolverdict/toolverdict/internal/strictyaml"

// Password is how a person signs in to the console, in exactly one of two forms.
type Password struct {
	strictyaml.Placed
	Hash    string `yaml:"hash" json:"hash,omitempty" jsonschema:"description=The argon2id hash that 'toolverdict users hash' printed."`
	Example bool   `yaml:"example" json:"example,omitempty" jsonschema:"description=Make a password at first start and keep it in DATA/passwords/ID (0600). For examples on one machine."`
}

func (s *Subject) checkPassword(add adder) {
	p := s.Password
	if p == nil {
		return
	}
	if s.Kind != "person" {
		add(p.Placed, "subject %q: only a person signs in with a password: leave it out, or make the kind person", s.ID)
	}
	if (p.Hash != "") == p.Example {
		add(p.Placed, "subject %q: a password has exactly one of hash, example: true", s.ID)
	}
}
