// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package parse knows where the parser of shell syntax and real shells part:
// it hands out statements, and says why a text may not be what the parser takes
// it for. It knows nothing of what commands do.
//
// It fails towards refusing: what two shells could read differently is an
// error or a reason.
package parse
