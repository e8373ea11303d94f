// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package toolverdict is a hard gate in front of an AI agent's tools.
//
// A model proposes a call; this package decides whether it runs, asks a human
// where the policy says so, runs it at most once and leaves a durable record.
// The package is the product's vocabulary: one noun per file, the ports that
// the outside plugs into (port.go), the list of machine codes (reason.go) and
// the pipeline itself (gate.go).
//
// It knows no wire format, no database and no policy language: fronts turn
// bytes into a [Proposal], adapters fill the ports. Every doubt ends in a
// denial: a missing port refuses to build a [Gate], a fault, a panic or a lost
// store is a [Result] with code GATE_UNAVAILABLE, and nothing is dispatched
// before the record that allows it is durable.
package toolverdict
