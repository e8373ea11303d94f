// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package transcripts reads the tool calls in what coding agents keep of their
// sessions: which tool was called, and what came of it. It knows where the agents
// keep it and in which form, one file for each agent.
//
// Everything in a transcript is a stranger's: it is read strictly, within bounds, and
// what cannot be read is counted, never guessed. Nothing is written.
package transcripts
