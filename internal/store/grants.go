// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	tv "github.com/toolverdict/toolverdict"
)

// checkGrants refuses grants that reach further than any grant may, and uses that
// cannot be counted.
func checkGrants(c tv.Changes) error {
	names := slices.Clone(c.Uses)
	for _, change := range c.Grants {
		names = append(names, change.To.ID)
		if change.From < 0 {
			return errors.New("check changes: a grant of a version below 0")
		}
		if err := checkGrant(&change.To, change.From == 0); err != nil {
			return err
		}
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != len(names) || slices.Contains(names, "") {
		return errors.New("check changes: a grant has no name, or is changed twice")
	}
	return nil
}

func checkGrant(g *tv.Grant, fresh bool) error {
	switch {
	case g.Tool == "" || g.ToolHash == "" || g.PolicyHash == "" || g.Scope.Subject == "" || g.By.ID == "" || len(g.Requirements) == 0:
		return errors.New("check changes: a grant does not say of what tool, under what policy, for whom, by whom, or for what ask it is")
	case !g.Expires.After(g.Created) || g.Expires.Sub(g.Created) > tv.MaxGrantTime || g.MaxUses < 1 || g.MaxUses > tv.MaxGrantUses:
		return fmt.Errorf("check changes: a grant lasts %s at most, and for %d calls", tv.MaxGrantTime, tv.MaxGrantUses)
	case slices.ContainsFunc(g.Requirements, func(r tv.Requirement) bool { return r.Quorum > 1 }):
		return errors.New("check changes: a grant takes the place of one person, and the call asks for more")
	case fresh && (g.Used != 0 || g.Revoked != nil || !json.Valid(g.When)):
		return errors.New("check changes: a new grant was used or taken back already, or has no condition")
	}
	return nil
}

// GrantStep refuses to change of a grant that is there anything but that it is
// taken back, once, or that its condition is forgotten after its end.
func GrantStep(is, to tv.Grant, at time.Time) error {
	if is.Revoked != nil && (to.Revoked == nil || *to.Revoked != *is.Revoked) {
		return errors.New("check changes: a grant that was taken back stays so")
	}
	ended := to.Revoked != nil || !is.Open(at)
	if !bytes.Equal(is.When, to.When) && (to.When != nil || !ended) {
		return errors.New("check changes: the condition of a grant may not change")
	}
	for _, g := range []*tv.Grant{&is, &to} {
		g.Revoked, g.When, g.Version = nil, nil, 0
	}
	before, err := json.Marshal(is)
	after, also := json.Marshal(to)
	if err != nil || also != nil || !bytes.Equal(before, after) {
		return errors.New("check changes: a grant may not be moved to other calls")
	}
	return nil
}

// UseGrant counts one use of a stored grant, or refuses where it cannot be used
// at that time any more.
func UseGrant(g tv.Grant, at time.Time) (Row, error) {
	if !g.Open(at) {
		return Row{}, &tv.ConflictError{What: "grant", Key: g.ID}
	}
	g.Used++
	return encodeGrant(g, g.Version+1)
}

// encodeGrant leaves the condition out once the grant can cover nothing more: it
// holds arguments as they came. The label keeps the redacted ones.
func encodeGrant(g tv.Grant, version int64) (Row, error) {
	g.Version = version
	if g.Revoked != nil || g.Used >= g.MaxUses {
		g.When = nil
	}
	body, err := json.Marshal(g)
	if err != nil {
		return Row{}, fmt.Errorf("encode grant: %v", err)
	}
	return Row{Body: body}, nil
}

// DecodeGrant reads a grant back.
func DecodeGrant(row Row) (tv.Grant, error) {
	var g tv.Grant
	if err := json.Unmarshal(row.Body, &g); err != nil {
		return g, fmt.Errorf("decode grant: %v", err)
	}
	return g, nil
}

// SelectsGrant reports whether a query selects a grant.
func SelectsGrant(q tv.GrantQuery, g *tv.Grant) bool {
	return (q.Tool == "" || q.Tool == g.Tool) && (q.Subject == "" || q.Subject == g.Scope.Subject) &&
		(q.OpenAt.IsZero() || g.Open(q.OpenAt)) &&
		(q.ExpiredBy.IsZero() || g.When != nil && g.Expires.UnixMicro() <= q.ExpiredBy.UnixMicro())
}
