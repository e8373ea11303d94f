// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package stdio reaches an upstream MCP server that is a program: it starts it,
// and speaks with it over standard input and output, in either era of the
// protocol.
//
// A server of the older revisions gets one process for each session of a client.
// One of the stateless revisions gets one for each principal, or a single one
// where the configuration says that it is shared. Ids and progress tokens are the
// package's own towards a process, so that clients which chose the same ones
// never see each other's answers; each gets its own back.
//
// It fails truthfully: what certainly never reached a process says so, and
// everything else may have. A process that writes what is no message is ended,
// with all that it had open. One that ends by itself again and again is started
// ever more seldom.
package stdio
