// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package execute runs permitted calls for front doors that have no connection
// to the tool of their own.
//
// A [Peer] is the gate's own client of one MCP server: it finds out which era
// the server speaks, keeps a session where it needs one and makes calls. [Router]
// sends each permit to the peer of its server, or to a Go function. It tells
// the truth about what may have happened: a call that surely did not reach the
// server is NotSent, one whose answer was lost is Unknown.
package execute
