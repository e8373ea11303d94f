// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package e2e holds the tests of the whole gate against programs that were not written here: the
// official MCP conformance suite, published servers and clients, PostgreSQL. Each test runs
// directly first, so that it measures the gate and not the other program, and then through the
// gate. The tests stand behind the build tag e2e, because they need what setup.sh installs; when
// it is missing they fail, they never skip.
package e2e
