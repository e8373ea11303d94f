// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package mcpgate puts the gate in front of MCP servers: a Streamable HTTP
// endpoint for each upstream, and a stdio front, both for every revision of the
// protocol.
//
// It is a thin translation: every message that acts becomes a proposal to the
// gate, and what the gate says becomes an answer of the protocol. The bytes that
// were validated are the bytes that go on. Nothing is renamed and nothing is
// rebuilt, so that a client sees what it would see without the gate, less what
// it may not do.
//
// It fails closed: without a valid bearer token, a known Host and Origin, a
// readable message and matching headers nothing is forwarded.
package mcpgate
