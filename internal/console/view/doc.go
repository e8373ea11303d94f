// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package view turns what the gate knows into what a page says: approvals into
// cards, effects into sentences, records into a story. It reads only what is
// already redacted, never the stored arguments of a call, and writes out
// characters that nobody would see.
package view
