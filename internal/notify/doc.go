// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package notify shows approvals to people where they are: in chats, and to
// programs of theirs. The approvals themselves are the queue: a worker keeps one
// row for each approval and channel in the store, so that a crash loses nothing,
// and a channel that is down holds up nobody.
//
// Where a deployment switches it on for a risk, a button of a card is a vote. A
// click is believed only after, in this order: the platform's signature over the
// raw body, its age, that it was not taken before, the random token of its
// button, and which person of ours the platform's account was linked to. Who may
// vote is the desk's to say, as for everybody. High risk is never decided here.
//
// It fails towards no: whatever is not known, linked or switched on refuses the
// click with a link to where the approval can be decided.
package notify
