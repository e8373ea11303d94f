// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync/atomic"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/catalog"
	"github.com/toolverdict/toolverdict/internal/console/rules"
	"github.com/toolverdict/toolverdict/policy"
)

// state is everything that one call is decided under, and what is known of it.
type state struct {
	tv.Snapshot

	catalog      *catalog.Catalog
	set          *policy.Set
	tools        catalog.Report
	policyReport policy.Report
	pins         string // fingerprint of those it was built from
}

// warned reports whether a state was already reported with this warning.
func (s *state) warned(w policy.Problem) bool { return slices.Contains(s.policyReport.Warnings, w) }

// current hands out the state in force. It is what the gate and the fronts ask.
type current struct{ p atomic.Pointer[state] }

var _ tv.Snapshots = (*current)(nil)

// Current implements [tv.Snapshots].
func (c *current) Current() *tv.Snapshot { return &c.p.Load().Snapshot }

// Tool, Quarantined and Holds answer the fronts from the catalog in force.
func (c *current) Tool(name string) (*tv.Tool, bool) { return c.p.Load().catalog.Tool(name) }

// Quarantined says why a tool waits for review.
func (c *current) Quarantined(name string) (string, bool) {
	return c.p.Load().catalog.Quarantined(name)
}

// rulesOf are the rules that can match a tool's calls.
func (c *current) rulesOf(tool string) []string {
	for _, t := range c.p.Load().policyReport.Tools {
		if t.Name == tool {
			return t.Rules
		}
	}
	return nil
}

// loaded is the policy in force as it was read.
func (c *current) loaded() rules.Loaded {
	report := c.p.Load().policyReport
	out := rules.Loaded{Rules: report.Rules}
	for _, w := range report.Warnings {
		out.Warnings = append(out.Warnings, w.String())
	}
	return out
}

// Holds reports whether a listed definition is the reviewed one.
func (c *current) Holds(server string, raw []byte) (string, bool) {
	return c.p.Load().catalog.Holds(server, raw)
}

// fingerprint tells sets of pins apart.
func fingerprint(pins []catalog.Pin) string {
	lines := make([]string, len(pins))
	for i, p := range pins {
		lines[i] = p.Tool + "\n" + p.Hash + "\n"
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(slices.Compact(lines), "")))
	return hex.EncodeToString(sum[:])
}

// cutServer returns a tool's own name, if it is one of this server's.
func cutServer(server, full string) (string, bool) { return strings.CutPrefix(full, server+"/") }

// reasons are those of the rules in force, if they are of the policy with this
// hash; nil where it is another one.
func (c *current) reasons(hash string) map[string]string {
	s := c.p.Load()
	if _, now := s.set.Identity(); hash == "" || now != hash {
		return nil
	}
	out := map[string]string{}
	for _, r := range s.policyReport.Rules {
		out[r.ID] = r.Reason
	}
	return out
}
