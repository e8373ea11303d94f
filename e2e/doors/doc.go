// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package doors holds one table of calls that is taken through every front door of
// the gate: the same call gets the same decision wherever it comes in, and what
// runs is what was decided, byte for byte. A door that is new and not in the list
// fails the tests.
package doors
