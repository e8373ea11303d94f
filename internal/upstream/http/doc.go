// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package http reaches an upstream MCP server by URL, over Streamable HTTP of
// every revision.
//
// It passes messages, event ids, retry hints and statuses as they are. It sends
// its own configured credentials and never a client's, follows no redirect, and
// asks for no compression, so that what was inspected is what was sent. A
// request is written to a connection at most once.
package http
