// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package switches switches tools off for users, and on again. A choice holds for
// the calls of everybody who works for the user, at every door. It only ever
// narrows what the policy lets through; whoever may not choose is refused here,
// whichever front they came by.
package switches

import (
	"context"
	"fmt"
	"slices"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/plain"
)

// Store keeps choices.
type Store interface {
	Disabled(ctx context.Context, user string) ([]string, error)
	// Switch changes one tool and leaves the others, whoever changes them at the
	// same time.
	Switch(ctx context.Context, user, tool string, off bool, r tv.Record) error
}

// Refusal is why a choice is refused, in words. A tool that there is not is
// [tv.ErrNotFound].
type Refusal string

// Why choices are refused.
const (
	ErrNotPerson Refusal = "Only a person can switch tools on or off."
	ErrNotAdmin  Refusal = "Only an admin can choose for somebody else."
	ErrName      Refusal = "Name the tool as SERVER/TOOL and the user by their id."
)

// Error implements error.
func (r Refusal) Error() string { return string(r) }

// Refusal says it to whoever chose, and whether they may not or did not write it
// as it must be.
func (r Refusal) Refusal() (why string, forbidden bool) { return string(r), r != ErrName }

// Board switches tools. Its fields are required.
type Board struct {
	Store Store
	Known func(tool string) bool // whether there is such a tool, one that waits for review included
	Now   func() time.Time
}

// choosable is how tools and users are written. They are stored and recorded.
func choosable(s string) bool { return plain.Name{Signs: "._@+/-", Max: 256, Free: true}.Fits(s) }

// Owner is the user whose choices hold for a subject's calls.
func Owner(s tv.Subject) string {
	if s.User != "" {
		return s.User
	}
	return s.ID
}

// Switch switches one tool off or on for a user, "" for whom By is or works for,
// and returns who that is. Only a person may: an agent could undo its user's
// choice.
func (b Board) Switch(ctx context.Context, by tv.Subject, of, tool string, off bool) (user string, err error) {
	user = Owner(by)
	switch {
	case by.Kind != tv.Person:
		return "", ErrNotPerson
	case !choosable(tool) || of != "" && !choosable(of):
		return "", ErrName
	case of != "" && of != user && !by.HasRole("admin"):
		return "", ErrNotAdmin
	case of != "":
		user = of
	}
	if err := b.there(ctx, user, tool); err != nil {
		return "", err
	}
	detail := "switched on for " + user
	if off {
		detail = "switched off for " + user
	}
	return user, b.Store.Switch(ctx, user, tool, off, tv.Record{
		Kind: tv.RecordAdmin, At: b.Now(), Subject: by.ID, User: by.User, Door: tv.DoorHTTP, Tool: tool, Detail: detail,
	})
}

// Disabled returns the tools that a user switched off.
func (b Board) Disabled(ctx context.Context, user string) ([]string, error) {
	return b.Store.Disabled(ctx, user)
}

// there refuses tools that there are not: a slip would leave the tool that was
// meant as it is. One that waits for review can be switched off before, and what
// was switched off once can be switched on again, also where it is gone.
func (b Board) there(ctx context.Context, user, tool string) error {
	if b.Known(tool) {
		return nil
	}
	off, err := b.Store.Disabled(ctx, user)
	if err != nil {
		return fmt.Errorf("read choices: %w", err)
	}
	if !slices.Contains(off, tool) {
		return fmt.Errorf("switch a tool: %w", tv.ErrNotFound)
	}
	return nil
}
