// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package cases runs the tests of a policy: calls with what is to be decided
// about them. It decides by the policy's own code and by what the gate demands
// on top of it, and by nothing else.
package cases
