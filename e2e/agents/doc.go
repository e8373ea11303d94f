// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package agents holds the tests with real coding agents, installed from npm, whose model
// says what a script tells it to. They stand behind the build tag e2e; those of agents that
// are too large for each run stand behind the tag agents, too.
package agents
