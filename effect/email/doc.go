// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package email says to whom a tool would send: every recipient in a text, a
// list or an object, with its domain in ASCII.
//
// Mail libraries read the same address field differently, and each has sent mail
// to addresses that a check with another one did not see. This package knows the
// common core on which they agree. Outside of it (comments, quoted local parts,
// source routes, encoded words, relays by percent sign or exclamation mark,
// semicolons) it names the recipients it finds and adds an opaque effect, so
// that no rule allows the call. Text that could end a header is opaque and
// nothing else.
package email
