// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package store is what all stores have in common: which changes are sound in
// themselves, which steps an entry may take, and how entries become bytes. It
// knows no database.
//
// It fails closed: a change that is not sound is refused whole, and a step that
// could run a call twice is refused even where the writer read the entry's
// newest state.
package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/catalog"
)

// Row is one entry as a store keeps it.
type Row struct {
	Body    []byte // JSON
	Content []byte // a claim's answer or a pin's definition, byte for byte
}

// Encoded is one change, checked and turned into bytes, so that nothing the
// caller does later can change what is written.
type Encoded struct {
	tv.Changes
	Bodies    [][]byte // of Records
	Claims    []Row    // of Changes.Claims, with the raised epoch
	Approvals []Row    // of Changes.Approvals, with the raised version
	Grants    []Row    // of Changes.Grants, with the raised version
}

// Encode checks a change and encodes its parts.
func Encode(c tv.Changes) (Encoded, error) {
	c.Records, c.Claims = slices.Clone(c.Records), slices.Clone(c.Claims)
	c.Approvals, c.Takes = slices.Clone(c.Approvals), slices.Clone(c.Takes)
	c.Grants, c.Uses, c.Unasked = slices.Clone(c.Grants), slices.Clone(c.Uses), slices.Clone(c.Unasked)
	c.Past, c.Settled = slices.Clone(c.Past), slices.Clone(c.Settled)
	c.Expect.Looks = slices.Clone(c.Expect.Looks)
	e := Encoded{Changes: c}
	if err := check(c); err != nil {
		return e, err
	}
	for _, r := range c.Records {
		body, err := audit.Body(r)
		if err != nil {
			return e, err
		}
		e.Bodies = append(e.Bodies, body)
	}
	for _, change := range c.Claims {
		row, err := encodeClaim(change.To, change.From+1)
		if err != nil {
			return e, err
		}
		e.Claims = append(e.Claims, row)
	}
	for _, change := range c.Approvals {
		row, err := encodeApproval(change.To, change.From+1)
		if err != nil {
			return e, err
		}
		e.Approvals = append(e.Approvals, row)
	}
	for _, change := range c.Grants {
		row, err := encodeGrant(change.To, change.From+1)
		if err != nil {
			return e, err
		}
		e.Grants = append(e.Grants, row)
	}
	return e, nil
}

// check refuses changes that cannot mean what they say.
func check(c tv.Changes) error {
	if len(c.Records) == 0 {
		return errors.New("check changes: they come without a record: nothing may change unrecorded")
	}
	var keys, ids []string
	for _, change := range c.Claims {
		keys = append(keys, change.To.Key)
		if change.From < 0 || !knownClaim(change.To.State) {
			return fmt.Errorf("check changes: ledger entry from epoch %d to state %q: not a step", change.From, change.To.State)
		}
	}
	for _, change := range c.Approvals {
		ids = append(ids, change.To.ID)
		if change.From < 0 || !knownApproval(change.To.State) {
			return fmt.Errorf("check changes: approval from version %d to state %q: not a step", change.From, change.To.State)
		}
	}
	for _, names := range [][]string{keys, ids} {
		slices.Sort(names)
		if len(slices.Compact(names)) != len(names) || slices.Contains(names, "") {
			return errors.New("check changes: an entry has no name, or is changed twice")
		}
	}
	for _, l := range c.Takes {
		if l.Key == "" || l.Per <= 0 {
			return fmt.Errorf("check changes: the limit of rule %q has no key or no window", l.Rule)
		}
	}
	return errors.Join(checkGrants(c), checkPast(c))
}

func knownClaim(s tv.ClaimState) bool {
	return slices.Contains([]tv.ClaimState{
		tv.ClaimWaiting, tv.ClaimDispatched, tv.ClaimSucceeded, tv.ClaimFailed, tv.ClaimPaused, tv.ClaimUnknown,
	}, s)
}

func knownApproval(s tv.ApprovalState) bool {
	return slices.Contains([]tv.ApprovalState{
		tv.ApprovalPending, tv.ApprovalApproved, tv.ApprovalClaimed, tv.ApprovalDone, tv.ApprovalFailed,
		tv.ApprovalUnknown, tv.ApprovalRejected, tv.ApprovalExpired, tv.ApprovalCancelled, tv.ApprovalRevoked,
	}, s)
}

// ClaimStep refuses the steps that could run a call twice: out of dispatched
// only what came of it leads, out of unknown only what a person found out.
func ClaimStep(from, to tv.ClaimState) error {
	over := to == tv.ClaimSucceeded || to == tv.ClaimFailed
	switch {
	case from == tv.ClaimDispatched && !over && to != tv.ClaimPaused && to != tv.ClaimUnknown,
		from == tv.ClaimUnknown && !over:
		return fmt.Errorf("check changes: a ledger entry may not go from %s to %s", from, to)
	}
	return nil
}

// ApprovalStep refuses the steps that no approval may take. A vote that decides
// nothing leaves the state as it is.
func ApprovalStep(from, to tv.ApprovalState) error {
	if from.CanBecome(to) || from == to && !Ended(from) {
		return nil
	}
	return fmt.Errorf("check changes: an approval may not go from %s to %s", from, to)
}

// Ends reports whether a change ends the wait of an approval.
func Ends(e *Encoded, id string) bool {
	return slices.ContainsFunc(e.Changes.Approvals, func(c tv.ApprovalChange) bool {
		return c.To.ID == id && c.To.State != tv.ApprovalPending
	})
}

// Ended reports whether an approval can lead to nothing any more.
func Ended(s tv.ApprovalState) bool {
	return s != tv.ApprovalPending && s != tv.ApprovalApproved && s != tv.ApprovalClaimed && s != tv.ApprovalUnknown
}

func encodeClaim(c tv.Claim, epoch int64) (Row, error) {
	var row Row
	c.Epoch = epoch
	if c.Outcome != nil {
		o := *c.Outcome
		row.Content = slices.Clone(o.Content) // kept apart: a repeat is answered with these very bytes
		o.Content = nil
		c.Outcome = &o
	}
	var err error
	if row.Body, err = json.Marshal(c); err != nil {
		return row, fmt.Errorf("encode ledger entry: %v", err)
	}
	return row, nil
}

// DecodeClaim reads a claim back.
func DecodeClaim(row Row) (tv.Claim, error) {
	var c tv.Claim
	if err := json.Unmarshal(row.Body, &c); err != nil {
		return c, fmt.Errorf("decode ledger entry: %v", err)
	}
	if c.Outcome != nil && row.Content != nil {
		c.Outcome.Content = slices.Clone(row.Content)
	}
	return c, nil
}

// encodeApproval leaves the arguments out once the approval has ended: they may
// hold secrets and are needed only while the stored call can still run. The
// card keeps its redacted ones.
func encodeApproval(a tv.Approval, version int64) (Row, error) {
	a.Version = version
	if Ended(a.State) {
		a.Call.Arguments, a.Asked.Arguments = nil, nil
	}
	body, err := json.Marshal(a)
	if err != nil {
		return Row{}, fmt.Errorf("encode approval: %v", err)
	}
	return Row{Body: body}, nil
}

// Names are all whom an approval names as who asked and as who may decide, in one
// text in which [Needles] are found.
func Names(a *tv.Approval) []byte {
	all := []string{a.Call.Subject.ID, a.Call.Subject.User}
	for i := range a.Requirements {
		all = append(append(all, a.Requirements[i].Approvers...), a.Requirements[i].Escalate.To...)
	}
	slices.Sort(all)
	return bytes.Join(Needles(slices.Compact(all)), nil)
}

// Needles are texts as an encoded approval has them where they are the whole of
// a string.
func Needles(texts []string) [][]byte {
	var out [][]byte
	for _, text := range texts {
		if b, err := json.Marshal(text); err == nil {
			out = append(out, b)
		}
	}
	return out
}

// DecodeApproval reads an approval back.
func DecodeApproval(row Row) (tv.Approval, error) {
	var a tv.Approval
	if err := json.Unmarshal(row.Body, &a); err != nil {
		return a, fmt.Errorf("decode approval: %v", err)
	}
	return a, nil
}

// EncodePin turns a pin into bytes.
func EncodePin(p catalog.Pin) (Row, error) {
	if p.Tool == "" {
		return Row{}, errors.New("encode pin: it names no tool")
	}
	row := Row{Content: slices.Clone(p.Definition)} // kept apart: its hash is of these very bytes
	p.Definition = nil
	var err error
	if row.Body, err = json.Marshal(p); err != nil {
		return row, fmt.Errorf("encode pin: %v", err)
	}
	return row, nil
}

// DecodePin reads a pin back.
func DecodePin(row Row) (catalog.Pin, error) {
	var p catalog.Pin
	if err := json.Unmarshal(row.Body, &p); err != nil {
		return p, fmt.Errorf("decode pin: %v", err)
	}
	p.Definition = slices.Clone(row.Content)
	return p, nil
}

// PageSize is how many entries a list returns where the query names no number.
const PageSize = 100

// Size returns how many entries a list may return.
func Size(limit int) int {
	if limit <= 0 {
		return PageSize
	}
	return limit
}
