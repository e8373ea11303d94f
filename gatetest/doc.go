// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package gatetest has hand-written fakes for the ports of a gate, so that a
// test can build a working one in a few lines and then bend a single part.
//
// Every fake is strict where a lenient one could hide a mistake: the executor
// refuses invalid permits and remembers every one it was given, the catalog
// finds exact names only. There is no fake of the store: tests use the one in
// memory, which passes the same suite as the real ones.
package gatetest
