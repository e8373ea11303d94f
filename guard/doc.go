// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package guard runs the tools of a Go program, or of a framework, only with
// leave of a gate: one in the same program ([Local]) or one that is asked over
// HTTP (package guard/remote). The adapters under contrib stand on it.
//
// It knows nothing of policies and decides nothing. What it must not get wrong
// is the order: a call is claimed, run once with exactly the bytes that were
// decided (an approver may have changed them), and its outcome is told.
//
// It fails closed: a fault, a panic, an ended context, a zero [Guard], any
// verdict but the literal "allow", and leave for another tool or for other
// arguments than were asked for, are refusals. A refusal is data that the model
// may read.
package guard
