// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package mcpwire reads and writes the Model Context Protocol as bytes: JSON-RPC
// messages, event streams and HTTP headers, of every revision.
//
// It never rebuilds what it passes on. A [Message] is a view of the bytes that
// were sent; edits are spliced in, and everything else stays as it was, unknown
// fields included. What a client sends is read strictly: anything that two
// programs could read differently is refused before it is decided on. What a
// server sends is read leniently inside results, which only the client reads,
// and strictly where the gate itself depends on it.
//
// The package knows no policy and no transport. [Backend] is what a transport
// to an upstream implements.
package mcpwire
