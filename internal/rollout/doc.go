// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package rollout knows which policies were accepted, which one is meant to be
// in force, and why: what a gate's sources last came to, a version that a person
// went back to, the highest serial of a bundle, the last update that was refused.
//
// It decides nothing about calls and compiles no policy. It fails closed: what
// it cannot read is an error, and a serial that is lower than one that was
// accepted is refused.
package rollout
