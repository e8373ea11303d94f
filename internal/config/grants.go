// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package config

import "time"

// Grants bounds what approvers may grant for calls like one that they were asked
// about.
type Grants struct {
	Off     bool          `yaml:"off" json:"off,omitempty" jsonschema:"description=Nobody may grant anything and no grant counts. false when left out."`
	Longest time.Duration `yaml:"longest" json:"longest,omitempty" jsonschema:"type=string,description=How long a grant may last. 1h when left out; 8h at most."`
	Uses    int           `yaml:"uses" json:"uses,omitempty" jsonschema:"minimum=1,maximum=100,description=How many calls a grant may cover. 20 when left out; 100 at most."`
}

// The most that can be written there.
const (
	maxGrantTime = 8 * time.Hour
	maxGrantUses = 100
)

func (c *Config) checkGrants(add adder) {
	if g := c.Grants; g.Longest > maxGrantTime {
		add(c.Placed, "grants.longest: 8h at most")
	} else if g.Uses < 0 || g.Uses > maxGrantUses {
		add(c.Placed, "grants.uses: between 1 and %d", maxGrantUses)
	}
}
