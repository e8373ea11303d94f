// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package policy is the language that says which calls run: it reads policy
// files, checks them against the known tools, compiles them and decides.
//
// It is pure: a decision depends on the request and on the compiled set alone,
// reads no clock and does no I/O. It is total: there is no input without a
// decision. And it leans to the strict side everywhere: a value that is
// missing, of another type or cannot be judged makes deny and ask rules match
// and allow rules not match; deny beats ask beats allow from whichever rule or
// file, so that the order of rules and files never counts; no match is deny. A
// file with anything wrong in it gives no set at all.
//
// docs/policy.md is the reference of the language.
package policy
